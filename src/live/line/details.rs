//! What only one game has.

use crate::game::piece::Piece;
use crate::game::puyo_20th::ColorMap;
use crate::game::sega_cells::Cells;
use crate::game::tgm_cells::Phase;
use crate::json::ColorOrder;
use crate::live::sega::FoundIndex;
use crate::live::{Forecast, Observation, bloxeed, pochi_nyaa, puyo_20th, sega, tetris_nes, tgm};
use serde::Serialize;

/// The game, and what it has beside players, pools and checks.
#[derive(Serialize, PartialEq)]
pub struct Details {
    /// The game's id; None for RAM without a profile.
    id: Option<&'static str>,
    #[serde(flatten)]
    values: Values,
}

#[derive(Serialize, PartialEq)]
#[serde(untagged)]
enum Values {
    Tsu {
        state: String,
        color_order: ColorOrder,
        /// Of both players, 1 to 5.
        levels: [u8; 2],
    },
    Anniversary {
        base: String,
        state: Option<String>,
        color_order: Option<ColorOrder>,
    },
    Tgm {
        state: Option<String>,
        phase: Option<Phase>,
        pieces_seen: usize,
        /// Whether the game was under way when its first piece was seen.
        from_middle: bool,
        states_left: Option<u64>,
        /// States are being tried: those left are of the pieces before.
        narrowing: bool,
        /// Whether what comes is known from the state in RAM, and not from the pieces seen.
        from_state: bool,
    },
    Sega {
        buffer: Option<String>,
        /// Whether the buffer was found by its content, and not by the profile.
        found_by_content: bool,
        cells: Option<Cells>,
        state: Option<String>,
        state_at: Option<String>,
        index: Option<usize>,
        index_cell: Option<FoundIndex>,
        drawn_from: Option<String>,
        power_on: bool,
    },
    Bloxeed {
        piece_seed: Option<String>,
        piece_state: Option<String>,
        state: Option<String>,
        cells: Option<bloxeed::Found>,
        piece_cell: Option<bloxeed::FoundPiece>,
        pieces_dealt: Option<u32>,
        table: Option<&'static str>,
        /// Whether a piece was seen that tells the readings of the table apart.
        table_certain: bool,
        /// The coming pieces under the other reading of the table.
        next_by_other_table: Option<Vec<Piece>>,
        next_game_seed: Option<String>,
    },
    Nes {
        state: String,
        spawn_count: u8,
        last_picked: Option<Piece>,
        dealt: u32,
        /// The piece after the next, if it is picked so many frames from now: the first is for the next frame.
        if_picked_in: Option<Vec<Piece>>,
        /// For each piece the frames to wait for it.
        waits: Option<Vec<Wait>>,
    },
    Pochi {
        fields: Vec<Field>,
    },
}

/// The frames to wait for a piece.
#[derive(Serialize, PartialEq)]
struct Wait {
    piece: Piece,
    /// None when none of the coming frames picks it.
    frames: Option<usize>,
}

/// A field of Pochi & Nyaa: rows of R G B Y and dots, the top one first; or why it is none.
#[derive(Serialize, PartialEq)]
struct Field {
    address: String,
    rows: Option<Vec<String>>,
    reason: Option<String>,
}

impl Details {
    pub fn new(id: Option<&'static str>, seen: &Observation, forecast: Option<&Forecast>) -> Self {
        let values = match seen {
            Observation::PuyoTsu(seen) => Values::Tsu {
                state: seen.state.to_string(),
                color_order: ColorOrder::of_set(&seen.color_set),
                levels: seen.players.each_ref().map(|player| player.level.0.saturating_add(1)),
            },
            Observation::Puyo20th(seen) => anniversary(seen),
            Observation::Tgm(seen) => tgm(seen, forecast),
            Observation::Sega(seen) => sega(seen, forecast),
            Observation::Bloxeed(seen) => bloxeed(seen, forecast),
            Observation::TetrisNes(seen) => nes(seen, forecast),
            Observation::PochiNyaa(seen) => pochi(seen),
        };
        Self { id, values }
    }
}

fn anniversary(seen: &puyo_20th::Observation) -> Values {
    let block = seen.block.as_ref().ok();
    Values::Anniversary {
        base: seen.base.to_string(),
        state: block.map(|block| block.state.to_string()),
        color_order: block.and_then(|block| ColorMap::from_cells(block.map_cells)).map(ColorOrder::of_map),
    }
}

fn tgm(seen: &tgm::Observation, forecast: Option<&Forecast>) -> Values {
    let forecast = match forecast {
        Some(Forecast::Tgm(forecast)) => Some(forecast),
        _ => None,
    };
    Values::Tgm {
        state: seen.rng.map(|state| state.to_string()),
        phase: seen.phase,
        pieces_seen: forecast.map_or(0, |forecast| forecast.seen),
        from_middle: forecast.is_some_and(|forecast| forecast.from_middle),
        states_left: forecast.and_then(|forecast| forecast.remaining),
        narrowing: forecast.is_some_and(|forecast| forecast.narrowing),
        from_state: forecast.is_some_and(|forecast| forecast.from_state),
    }
}

fn sega(seen: &sega::Observation, forecast: Option<&Forecast>) -> Values {
    let forecast = match forecast {
        Some(Forecast::Sega(forecast)) => Some(forecast),
        _ => None,
    };
    Values::Sega {
        buffer: seen.buffer.as_ref().map(|buffer| buffer.address.to_string()),
        found_by_content: seen.buffer.as_ref().is_some_and(|buffer| !buffer.known),
        cells: seen.buffer.as_ref().map(|buffer| buffer.cells),
        state: seen.state.map(|(_, state)| state.to_string()),
        state_at: seen.state.map(|(address, _)| address.to_string()),
        index: seen.index,
        index_cell: seen.found_index,
        drawn_from: forecast.map(|forecast| format!("0x{:06X}", forecast.before)),
        power_on: forecast.is_some_and(|forecast| forecast.power_on),
    }
}

fn bloxeed(seen: &bloxeed::Observation, forecast: Option<&Forecast>) -> Values {
    let forecast = match forecast {
        Some(Forecast::Bloxeed(forecast)) => Some(forecast),
        _ => None,
    };
    let next_game = forecast.and_then(|forecast| forecast.next_game.as_ref());
    Values::Bloxeed {
        piece_seed: seen.values.map(|values| values.seed.to_string()),
        piece_state: seen.values.map(|values| values.state.to_string()),
        state: seen.values.and_then(|values| values.main).map(|main| main.to_string()),
        cells: seen.found,
        piece_cell: seen.piece,
        pieces_dealt: forecast.and_then(|forecast| forecast.dealt),
        table: forecast.map(|forecast| forecast.table.id()),
        table_certain: forecast.is_some_and(|forecast| forecast.decided),
        next_by_other_table: forecast.map(|forecast| forecast.other.clone()),
        next_game_seed: next_game.map(|(seed, _)| seed.to_string()),
    }
}

fn nes(seen: &tetris_nes::Observation, forecast: Option<&Forecast>) -> Values {
    let forecast = match forecast {
        Some(Forecast::TetrisNes(forecast)) => Some(forecast),
        _ => None,
    };
    let wait = |forecast: &tetris_nes::Forecast| {
        Piece::ALL.into_iter().map(|piece| Wait { piece, frames: forecast.wait_for(piece) }).collect()
    };
    Values::Nes {
        state: seen.spawner.state.to_string(),
        spawn_count: seen.spawner.count,
        last_picked: crate::game::tetris_nes::piece_of(seen.spawner.last).filter(|_| seen.spawner.last != 0),
        dealt: seen.dealt(),
        if_picked_in: forecast.map(|forecast| forecast.ahead.clone()),
        waits: forecast.map(|forecast| wait(forecast)),
    }
}

fn pochi(seen: &pochi_nyaa::Observation) -> Values {
    let field = |player: &pochi_nyaa::PlayerField| Field {
        address: player.address.to_string(),
        rows: player.field.as_ref().ok().map(|field| field.to_text().lines().map(str::to_owned).collect()),
        reason: player.field.as_ref().err().map(ToString::to_string),
    };
    Values::Pochi { fields: seen.players.iter().map(field).collect() }
}

//! One line of `watch --json`.

use super::super::output;
use super::word;
use crate::game::piece::{Piece, letters};
use crate::game::puyo::{Pair, PoolId};
use crate::game::sega_cells::Cells;
use crate::game::tgm_cells;
use crate::live::sega::FoundIndex;
use crate::live::{Board, Chain, Check, Connection, Forecast, Mismatch, Observation, Totals, View};
use crate::live::{bloxeed, pochi_nyaa, puyo_20th, puyo_tsu, sega, tetris_nes, tgm};
use serde::Serialize;
use std::collections::BTreeMap;

/// Printed when anything in it but frame, age and counts has changed.
#[derive(Serialize, PartialEq)]
pub struct Line<'a> {
    connection: &'static str,
    reason: Option<&'a str>,
    pid: Option<u32>,
    emulator: Option<&'a str>,
    profile: Option<&'a str>,
    frame: u64,
    /// Of a recording: the number of the sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    sample: Option<u64>,
    #[serde(flatten)]
    game: Game,
    checks: &'a [Check],
    totals: Totals,
    mismatch: Option<&'a Mismatch>,
}

/// What depends on the game.
#[derive(Serialize, PartialEq)]
#[serde(untagged)]
enum Game {
    /// Puyo Puyo Tsu, and when there is nothing to tell.
    Tsu {
        state: Option<String>,
        color_set: Option<String>,
        players: Vec<TsuPlayer>,
        if_now: Option<TsuStart>,
    },
    Tgm {
        state: Option<String>,
        phase: Option<tgm_cells::Phase>,
        current: Option<String>,
        next: Option<String>,
        pieces_seen: usize,
        /// Whether the game was under way when its first piece was seen.
        from_middle: bool,
        states_left: Option<u64>,
        /// States are being tried: those left are of the pieces before.
        narrowing: bool,
        chances: Option<BTreeMap<char, f32>>,
        certain: String,
        from_state: bool,
    },
    Sega {
        buffer: Option<String>,
        /// Whether the buffer was found by what stands in it, and not by the profile.
        found_by_content: bool,
        cells: Option<Cells>,
        state: Option<String>,
        state_at: Option<String>,
        index: Option<usize>,
        index_cell: Option<FoundIndex>,
        drawn_from: Option<String>,
        power_on: bool,
        pieces: String,
        next_game: Option<String>,
        next_game_after_monkey: Option<String>,
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
        pieces: String,
        pieces_by_other_table: String,
        continued: Option<String>,
        next_seed: Option<String>,
        next_game: Option<String>,
    },
    Nes {
        state: String,
        spawn_count: u8,
        last_picked: Option<Piece>,
        current: Option<Piece>,
        next: Option<Piece>,
        dealt: u32,
        /// The piece after the next, if it is picked so many frames from now: the first letter is for the next frame.
        if_picked_in: Option<String>,
        /// For each piece the frames to wait for it.
        wait: Option<BTreeMap<char, Option<usize>>>,
    },
    Pochi {
        fields: Vec<PochiField>,
    },
    Anniversary {
        base: String,
        state: Option<String>,
        color_map: Option<String>,
        players: Vec<Option<Player>>,
        pools: BTreeMap<&'static str, Vec<String>>,
        if_now: Option<Start>,
    },
}

/// A field that is read and nothing more: rows of R G B Y and dots, the top one first; or why it is none.
#[derive(Serialize, PartialEq)]
struct PochiField {
    address: String,
    rows: Option<Vec<String>>,
    not_a_field: Option<String>,
}

#[derive(Serialize, PartialEq)]
struct TsuPlayer {
    level: u8,
    pool: Option<PoolId>,
    pairs_dealt: u16,
    pool_pair: usize,
    current: Option<String>,
    pairs: Vec<String>,
    score: Option<u32>,
    board: Option<TsuBoard>,
}

#[derive(Serialize, PartialEq)]
struct TsuBoard {
    /// From the top, without the empty rows above the highest thing.
    rows: Vec<String>,
    /// The field code; none for what it cannot hold.
    code: Option<String>,
    /// The chain that goes off.
    chain: Option<Chain>,
}

/// The round that would begin if the generator ran now.
#[derive(Serialize, PartialEq)]
struct TsuStart {
    color_set: String,
    state_after: String,
    pairs: Vec<String>,
}

#[derive(Serialize, PartialEq)]
struct Player {
    pool: Option<PoolId>,
    pairs_dealt: u16,
    current: Option<String>,
    pairs: Vec<String>,
}

/// The round that would begin if it began now; the pairs of the 4-colour pool.
#[derive(Serialize, PartialEq)]
struct Start {
    seed: String,
    color_map: String,
    state_after: String,
    pairs: Vec<String>,
}

pub fn line<'a>(view: &'a View, pairs: usize, mismatch: Option<&'a Mismatch>) -> Line<'a> {
    let current = matches!(
        view.connection,
        Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }
    );
    let data = view.data.as_ref().filter(|_| current);
    let seen = data.and_then(|data| data.observation.as_ref().ok());
    let forecast = data.and_then(|data| data.forecast.as_ref());
    let game = match (seen, forecast) {
        (Some(Observation::PuyoTsu(seen)), Some(Forecast::PuyoTsu(forecast))) => {
            tsu(seen, Some(forecast), pairs)
        }
        (Some(Observation::PuyoTsu(seen)), _) => tsu(seen, None, pairs),
        (Some(Observation::Puyo20th(seen)), Some(Forecast::Puyo20th(forecast))) => {
            anniversary(seen, Some(forecast), pairs)
        }
        (Some(Observation::Puyo20th(seen)), _) => anniversary(seen, None, pairs),
        (Some(Observation::Tgm(seen)), forecast) => tgm(seen, forecast),
        (Some(Observation::Sega(seen)), forecast) => sega(seen, forecast),
        (Some(Observation::Bloxeed(seen)), forecast) => bloxeed(seen, forecast),
        (Some(Observation::TetrisNes(seen)), Some(Forecast::TetrisNes(forecast))) => {
            nes(seen, Some(forecast))
        }
        (Some(Observation::TetrisNes(seen)), _) => nes(seen, None),
        (Some(Observation::PochiNyaa(seen)), _) => pochi(seen),
        (None, _) => Game::Tsu { state: None, color_set: None, players: Vec::new(), if_now: None },
    };
    Line {
        connection: word(&view.connection),
        reason: match &view.connection {
            Connection::Lost { why, .. } => Some(why),
            _ => None,
        },
        pid: view.target.as_ref().map(|target| target.pid.0),
        emulator: view.target.as_ref().map(|target| target.identity.name.as_str()),
        profile: view.target.as_ref().map(|target| target.profile.id.as_str()),
        frame: data.map_or(0, |data| data.frame),
        sample: view.replay.as_ref().map(|replay| replay.index),
        game,
        checks: data.map_or(&[], |data| &data.verdict.checks),
        totals: view.totals,
        mismatch,
    }
}

fn pochi(seen: &pochi_nyaa::Observation) -> Game {
    let field = |player: &pochi_nyaa::PlayerField| PochiField {
        address: player.address.to_string(),
        rows: player.field.as_ref().ok().map(|field| field.to_text().lines().map(str::to_owned).collect()),
        not_a_field: player.field.as_ref().err().map(ToString::to_string),
    };
    Game::Pochi { fields: seen.players.iter().map(field).collect() }
}

fn tgm(seen: &tgm::Observation, forecast: Option<&Forecast>) -> Game {
    let forecast = match forecast {
        Some(Forecast::Tgm(forecast)) => Some(forecast),
        _ => None,
    };
    let letter = |piece: Option<Piece>| piece.map(|piece| piece.to_string());
    let chances = |forecast: &tgm::Forecast| {
        Piece::ALL.into_iter().map(|piece| (piece.letter(), forecast.chances[piece.index()])).collect()
    };
    Game::Tgm {
        state: seen.rng.map(|state| state.to_string()),
        phase: seen.phase,
        current: letter(seen.current),
        next: letter(seen.next),
        pieces_seen: forecast.map_or(0, |forecast| forecast.seen),
        from_middle: forecast.is_some_and(|forecast| forecast.from_middle),
        states_left: forecast.and_then(|forecast| forecast.remaining),
        narrowing: forecast.is_some_and(|forecast| forecast.narrowing),
        chances: forecast.map(|forecast| chances(forecast)),
        certain: forecast.map_or_else(String::new, |forecast| letters(&forecast.certain)),
        from_state: forecast.is_some_and(|forecast| forecast.from_state),
    }
}

fn sega(seen: &sega::Observation, forecast: Option<&Forecast>) -> Game {
    let forecast = match forecast {
        Some(Forecast::Sega(forecast)) => Some(forecast),
        _ => None,
    };
    let next = |number: usize| forecast.map(|forecast| letters(&forecast.next_games[number]));
    Game::Sega {
        buffer: seen.buffer.as_ref().map(|buffer| buffer.address.to_string()),
        found_by_content: seen.buffer.as_ref().is_some_and(|buffer| !buffer.known),
        cells: seen.buffer.as_ref().map(|buffer| buffer.cells),
        state: seen.state.map(|(_, state)| state.to_string()),
        state_at: seen.state.map(|(address, _)| address.to_string()),
        index: seen.index,
        index_cell: seen.found_index,
        drawn_from: forecast.map(|forecast| format!("0x{:06X}", forecast.before)),
        power_on: forecast.is_some_and(|forecast| forecast.power_on),
        pieces: forecast.map_or_else(String::new, |forecast| letters(&forecast.coming())),
        next_game: next(0),
        next_game_after_monkey: next(1),
    }
}

fn bloxeed(seen: &bloxeed::Observation, forecast: Option<&Forecast>) -> Game {
    let forecast = match forecast {
        Some(Forecast::Bloxeed(forecast)) => Some(forecast),
        _ => None,
    };
    let text = |of: fn(&bloxeed::Forecast) -> &[Piece]| {
        forecast.map_or_else(String::new, |forecast| letters(of(forecast)))
    };
    let next = forecast.and_then(|forecast| forecast.next_game.as_ref());
    Game::Bloxeed {
        piece_seed: seen.values.map(|values| values.seed.to_string()),
        piece_state: seen.values.map(|values| values.state.to_string()),
        state: seen.values.and_then(|values| values.main).map(|main| main.to_string()),
        cells: seen.found,
        piece_cell: seen.piece,
        pieces_dealt: forecast.and_then(|forecast| forecast.dealt),
        table: forecast.map(|forecast| forecast.table.id()),
        table_certain: forecast.is_some_and(|forecast| forecast.decided),
        pieces: text(|forecast| &forecast.pieces),
        pieces_by_other_table: text(|forecast| &forecast.other),
        continued: forecast.map(|forecast| letters(&forecast.again)),
        next_seed: next.map(|(seed, _)| seed.to_string()),
        next_game: next.map(|(_, pieces)| letters(pieces)),
    }
}

fn tsu(seen: &puyo_tsu::Observation, forecast: Option<&puyo_tsu::Forecast>, pairs: usize) -> Game {
    let player = |number: usize| {
        let (forecast, seen) = (&forecast?.players[number], &seen.players[number]);
        let board = Board::of(seen, forecast).and_then(Result::ok);
        Some(TsuPlayer {
            level: forecast.level.0 + 1,
            pool: forecast.pool,
            pairs_dealt: forecast.pairs_dealt,
            pool_pair: forecast.pool_pair(0),
            current: forecast.current.map(Pair::codes),
            pairs: forecast.pairs.iter().take(pairs).map(|pair| pair.codes()).collect(),
            score: seen.score,
            board: board.map(|board| TsuBoard { rows: board.rows(), code: board.code(), chain: board.chain }),
        })
    };
    // The round's beginning, from the pool that everybody's first pairs come from.
    let if_now = |forecast: &puyo_tsu::Forecast| {
        let round = &forecast.if_now;
        let pool = round.pool(PoolId::Three).map_or(&[][..], |pool| &pool[..]);
        let first = pool.chunks_exact(2).map(|bytes| Pair::from_bytes(bytes[0], bytes[1]));
        TsuStart {
            color_set: output::hex(&round.color_set),
            state_after: round.after.to_string(),
            pairs: first.take(pairs).map(Pair::codes).collect(),
        }
    };
    Game::Tsu {
        state: Some(seen.state.to_string()),
        color_set: Some(output::hex(&seen.color_set)),
        players: (0..2).filter_map(player).collect(),
        if_now: forecast.map(if_now),
    }
}

fn nes(seen: &tetris_nes::Observation, forecast: Option<&tetris_nes::Forecast>) -> Game {
    Game::Nes {
        state: seen.spawner.state.to_string(),
        spawn_count: seen.spawner.count,
        last_picked: crate::game::tetris_nes::piece_of(seen.spawner.last).filter(|_| seen.spawner.last != 0),
        current: forecast.and_then(|forecast| forecast.current),
        next: forecast.map(|forecast| forecast.next),
        dealt: seen.dealt(),
        if_picked_in: forecast.map(|forecast| letters(&forecast.ahead)),
        wait: forecast.map(|forecast| {
            Piece::ALL.into_iter().map(|piece| (piece.letter(), forecast.wait_for(piece))).collect()
        }),
    }
}

fn anniversary(seen: &puyo_20th::Observation, forecast: Option<&puyo_20th::Forecast>, pairs: usize) -> Game {
    let letters = |from: &[Pair]| from.iter().take(pairs).map(|pair| pair.letters()).collect::<Vec<String>>();
    let player = |forecast: &puyo_20th::PlayerForecast| Player {
        pool: forecast.pool,
        pairs_dealt: forecast.pairs_dealt,
        current: forecast.current.map(Pair::letters),
        pairs: letters(&forecast.pairs),
    };
    let if_now = |forecast: &puyo_20th::Forecast| {
        let round = &forecast.if_now;
        let pairs = (0..u32::try_from(pairs).unwrap_or(0)).filter_map(|n| round.pair(PoolId::Four, n));
        Start {
            seed: format!("0x{:04X}", round.seed),
            color_map: round.color_map.letters(),
            state_after: round.after.to_string(),
            pairs: pairs.map(Pair::letters).collect(),
        }
    };
    let block = seen.block.as_ref().ok();
    let map = block.and_then(|block| crate::game::puyo_20th::ColorMap::from_cells(block.map_cells));
    let pools = forecast.map_or_else(BTreeMap::new, |forecast| {
        ["3", "4", "5"].into_iter().zip(forecast.pools.iter().map(|pool| letters(pool))).collect()
    });
    Game::Anniversary {
        base: seen.base.to_string(),
        state: block.map(|block| block.state.to_string()),
        color_map: map.map(crate::game::puyo_20th::ColorMap::letters),
        players: forecast.map_or_else(Vec::new, |forecast| {
            forecast.players.iter().map(|known| known.as_ref().map(player)).collect()
        }),
        pools,
        if_now: forecast.map(if_now),
    }
}

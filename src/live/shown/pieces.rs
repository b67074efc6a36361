//! The games of single pieces: one function for each, from its forecast to what is drawn.

use super::{Later, PieceChances, PiecePlayer, Shown, Waits};
use crate::game::piece::Piece;
use crate::live::{bloxeed, sega, tetris_nes, tgm};
use crate::seeds::text::grouped;

/// A player of whom there is only one.
const ONLY: &str = "Player 1";

pub(super) fn nes(forecast: &tetris_nes::Forecast) -> Shown {
    let player = PiecePlayer {
        title: ONLY.into(),
        captions: vec![format!("generator state {}", forecast.spawner.state)],
        current: forecast.current,
        pieces: vec![forecast.next],
        names: &["next"],
        dealt: Some(forecast.number),
        position: format!(
            "Piece {} of the game, pick {} since power-on",
            forecast.number, forecast.spawner.count
        ),
        waits: Some(Waits {
            caption: "The piece after the next, if it is picked so many frames from now".into(),
            frames: forecast.ahead.clone(),
            shortest: Piece::ALL.map(|piece| forecast.wait_for(piece)),
        }),
        ..PiecePlayer::default()
    };
    Shown { pieces: vec![player], ..Shown::default() }
}

pub(super) fn tgm(forecast: &tgm::Forecast) -> Shown {
    let left = match forecast.remaining {
        _ if forecast.narrowing && forecast.certain.is_empty() => {
            "narrowing the states of the generator down...".to_owned()
        }
        Some(1) => "1 state of the generator left".to_owned(),
        Some(left) => format!("{} states of the generator left", grouped(left)),
        None => "no state of the generator deals them".to_owned(),
    };
    let mut captions = vec![match forecast.seen {
        1 => "1 piece seen".to_owned(),
        seen => format!("{seen} pieces seen"),
    }];
    if forecast.from_state {
        captions.push("certain by the generator's state in RAM".into());
        // Where the state is known the pieces need not tell it; that they contradict it is worth knowing.
        captions.extend((forecast.remaining.is_none()).then_some(left));
    } else {
        captions.push(left);
        captions.extend((!forecast.certain.is_empty()).then(|| "certain by the pieces seen".into()));
    }
    let dealt = forecast.seen.saturating_sub(1);
    let position = match (forecast.from_middle, dealt) {
        (true, _) => format!("Piece {dealt} since the game was first seen, which was under way"),
        (false, 0) => "Before the first piece of the game".to_owned(),
        (false, dealt) => format!("Piece {dealt} of the game"),
    };
    let known = forecast.certain.is_empty() && forecast.chances.iter().any(|chance| *chance > 0.0);
    let player = PiecePlayer {
        title: ONLY.into(),
        captions,
        current: forecast.current,
        pieces: forecast.next.into_iter().chain(forecast.certain.iter().copied()).collect(),
        names: &["next"],
        dealt: u32::try_from(dealt).ok(),
        position,
        chances: known.then(|| PieceChances {
            caption: "The piece after the next: how likely each one is".into(),
            each: forecast.chances,
        }),
        ..PiecePlayer::default()
    };
    Shown { pieces: vec![player], ..Shown::default() }
}

pub(super) fn sega(forecast: &sega::Forecast, seen: &sega::Observation) -> Shown {
    let drawn = if forecast.power_on {
        "the power-on pattern: battery RAM was cleared".to_owned()
    } else {
        format!("drawn from a state that ends in {:06X} (22 bits)", forecast.before)
    };
    let length = forecast.pieces.len();
    let position = match forecast.index {
        Some(index) => format!("Piece {} of {} is next", index + 1, grouped(length as u64)),
        None => "Which piece is next is not known yet: these are all pieces from the first on".to_owned(),
    };
    let [skipped, shown] = forecast.next_games.clone();
    let player = PiecePlayer {
        title: "This game".into(),
        captions: vec![drawn],
        pieces: forecast.coming(),
        names: if forecast.index.is_some() { &["next"] } else { &["first"] },
        dealt: forecast.index.and_then(|index| u32::try_from(index).ok()),
        position,
        later: vec![
            Later { caption: "Next game, when the monkey is skipped".into(), pieces: skipped },
            Later { caption: "Next game, when the monkey is shown".into(), pieces: shown },
        ],
        ..PiecePlayer::default()
    };
    Shown { pieces: vec![player], found: sega_found(seen), ..Shown::default() }
}

/// Where things stand that the profile does not say.
fn sega_found(seen: &sega::Observation) -> Option<String> {
    let buffer = seen.buffer.as_ref().filter(|buffer| !buffer.known)?;
    let mut places = vec![format!("the pieces at {}", buffer.address)];
    places.extend(seen.state.map(|(at, _)| format!("the generator's state at {at}")));
    places.extend(seen.found_index.map(|cell| format!("the count of pieces at {}", cell.address)));
    Some(format!("Found by content: {}", places.join(", ")))
}

pub(super) fn bloxeed(forecast: &bloxeed::Forecast, seen: &bloxeed::Observation) -> Shown {
    let values = forecast.values;
    let mut captions = vec![format!("seed of the pieces {}", values.seed), format!("state {}", values.state)];
    captions.extend(values.main.map(|main| format!("main generator {main}")));
    let parts = forecast.pieces.iter().zip(&forecast.other).position(|(one, other)| one != other);
    let note = parts.filter(|_| !forecast.decided).map(|at| {
        format!(
            "Sources disagree on the piece {} further on: {} or {}; when it comes, the game has decided",
            at + 1,
            forecast.pieces[at],
            forecast.other[at]
        )
    });
    let mut later =
        vec![Later { caption: "Who continues gets again".into(), pieces: forecast.again.clone() }];
    later.extend(
        forecast
            .next_game
            .clone()
            .map(|(_, pieces)| Later { caption: "Next game, if no item is drawn before".into(), pieces }),
    );
    let player = PiecePlayer {
        title: "This game".into(),
        captions,
        current: values.piece.filter(|(_, behind)| *behind == 1).and_then(|_| values.shown()),
        pieces: forecast.pieces.clone(),
        names: &["next"],
        dealt: forecast.dealt,
        position: forecast.dealt.map_or_else(
            || "Which piece of the game is next is not known".to_owned(),
            |dealt| format!("Piece {} of the game is next", dealt + 1),
        ),
        later,
        ..PiecePlayer::default()
    };
    Shown { pieces: vec![player], note, found: bloxeed_found(seen), ..Shown::default() }
}

/// Where things stand that the profile does not say.
fn bloxeed_found(seen: &bloxeed::Observation) -> Option<String> {
    let found = seen.found.filter(|found| !found.known)?;
    let mut places =
        vec![format!("the pieces' seed at {}", found.seed), format!("their state at {}", found.state)];
    places.extend(found.main.map(|at| format!("the main generator at {at}")));
    places.extend(seen.piece.map(|piece| format!("the drawn piece at {}", piece.address)));
    Some(format!("Found by content: {}", places.join(", ")))
}

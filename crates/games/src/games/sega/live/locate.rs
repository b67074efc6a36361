//! What `profile locate` reports of the game.

use crate::games::piece::letters;
use crate::games::sega::live::{Observation, Prediction};
use crate::games::sega::sega_tetris::code;
use crate::games::{LocateReport, LocateRules, located_field};
use crate::json::value;
use crate::live;
use crate::profile::{FieldKind, NewField};

pub(crate) const LOCATE: LocateRules = LocateRules {
    report,
    nothing_found: "No buffer of piece codes found. A game must be in progress, and a dump must contain the full RAM",
};

const PIECES_SHOWN: usize = 40;

fn report(sample: Option<(&live::Observation, &live::Prediction)>) -> LocateReport {
    let found = sample.and_then(|(observation, prediction)| {
        let observation: &Observation = observation.get()?;
        Some((observation, observation.buffer.as_ref()?, prediction.get::<Prediction>()?))
    });
    let buffer = found.map(|(_, buffer, _)| buffer);
    let state = found.and_then(|(observation, ..)| observation.state);
    let index = found.and_then(|(observation, ..)| observation.found_index);
    let prediction = found.map(|(.., prediction)| prediction);
    let wrong = found.map(|(_, buffer, prediction)| {
        let drawn = prediction.pieces.iter().map(|piece| code(*piece));
        drawn.zip(buffer.codes.iter()).filter(|(drawn, code)| drawn != *code).count()
    });
    let sequence = buffer.map(|buffer| buffer.address.to_string());
    let cells = buffer.map(|buffer| if buffer.cells.stride() == 1 { "bytes" } else { "words" });
    let rng_state = state.map(|(address, _)| address.to_string());
    let state = state.map(|(_, state)| state.to_string());
    let index_at = index.map(|index| index.address.to_string());
    LocateReport {
        found: found.is_some(),
        complete: index.is_some(),
        fields: found.map_or_else(Vec::new, |(observation, ..)| fields(observation)),
        json: vec![
            ("sequence", value(&sequence)),
            ("cells", value(&cells)),
            ("rng_state", value(&rng_state)),
            ("state", value(&state)),
            ("index", value(&index_at)),
            ("drawn_from", value(&prediction.map(|prediction| format!("0x{:06X}", prediction.before)))),
            ("power_on", value(&prediction.map(|prediction| prediction.power_on))),
            ("wrong", value(&wrong)),
        ],
        rows: vec![
            ("sequence", sequence, cells.map(str::to_owned)),
            ("rng_state", rng_state, state),
            ("index", index_at, None),
        ],
        lines: prediction.map_or_else(Vec::new, |prediction| describe(prediction).into()),
    }
}

fn fields(observation: &Observation) -> Vec<NewField> {
    let buffer = observation.buffer.as_ref().map(|buffer| {
        let (name, length) = match buffer.cells.stride() {
            1 => ("sequence", 1000),
            _ => ("sequence_words", 2000),
        };
        located_field(name, buffer.address, FieldKind::Bytes { length }, "the 1000 piece codes of the game")
    });
    let state = observation.state.map(|(address, _)| {
        located_field("rng_state", address, FieldKind::U32, "contained the state after the last code")
    });
    let index = observation.found_index.map(|index| {
        let note =
            format!("incremented with every piece; {} contained the piece it points to", index.piece_at);
        located_field("index", index.address, FieldKind::U16, note)
    });
    [buffer, state, index].into_iter().flatten().collect()
}

fn describe(prediction: &Prediction) -> [String; 3] {
    let coming = letters(&prediction.coming()[..PIECES_SHOWN.min(prediction.pieces.len())]);
    let kind = if prediction.power_on { "the power-on pattern" } else { "a game" };
    let [skipped, shown] = prediction.next_games.each_ref().map(|pieces| letters(pieces));
    [
        match prediction.index {
            Some(index) => format!("Piece {} of 1000 is next: {coming} ...", index + 1),
            None => format!("The game from its first piece (the current piece is unknown): {coming} ..."),
        },
        format!("{kind}, drawn from a state that ends in {:06X} (22 bits)", prediction.before),
        format!(
            "Next game if the bonus screen (monkey) is skipped: {skipped} ...; if it is shown: {shown} ..."
        ),
    ]
}

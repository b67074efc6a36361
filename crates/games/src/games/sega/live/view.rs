//! The display format of the games.

use crate::games::sega::cells::Cells;
use crate::games::sega::live::{FoundIndex, Observation, Prediction};
use crate::games::sega::sega_tetris::LENGTH;
use crate::live::{FollowUpGame, FoundField, GameObservation, GamePrediction, PiecePlayer, PredictionView};
use crate::seeds::text::grouped;
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(self, prediction)
    }

    fn without_prediction(&self) -> String {
        match &self.buffer {
            None => "Searching for the buffer of the game's pieces".to_owned(),
            Some(buffer) => {
                format!("The buffer at {} does not contain a game of the generator", buffer.address)
            }
        }
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
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
        }
        let buffer = self.buffer.as_ref();
        crate::json::value(&Details {
            buffer: buffer.map(|buffer| buffer.address.to_string()),
            found_by_content: buffer.is_some_and(|buffer| !buffer.known),
            cells: buffer.map(|buffer| buffer.cells),
            state: self.state.map(|(_, state)| state.to_string()),
            state_at: self.state.map(|(address, _)| address.to_string()),
            index: self.index,
            index_cell: self.found_index,
            drawn_from: prediction.map(|prediction| format!("0x{:06X}", prediction.before)),
            power_on: prediction.is_some_and(|prediction| prediction.power_on),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.buffer == other.buffer
    }

    fn round_key(&self) -> Vec<u8> {
        let codes = self.buffer.as_ref().map_or_else(Vec::new, |buffer| buffer.codes.to_vec());
        codes.into_iter().chain(self.index.and_then(|index| u8::try_from(index % 251).ok())).collect()
    }

    fn found_fields(&self) -> Vec<FoundField> {
        let field = |name: &str, address, bytes| FoundField { field: name.to_owned(), address, bytes };
        let buffer = self.buffer.as_ref().filter(|buffer| !buffer.known);
        let length = |cells: Cells| u32::try_from(LENGTH * cells.stride()).unwrap_or(0);
        let sequence = buffer.map(|found| field("sequence", found.address, length(found.cells)));
        let state = buffer.and(self.state).map(|(address, _)| field("rng_state", address, 4));
        let index = self.found_index.map(|found| field("index", found.address, 2));
        [sequence, state, index].into_iter().flatten().collect()
    }
}

impl GamePrediction for Prediction {}

fn prediction_view(observation: &Observation, prediction: &Prediction) -> PredictionView {
    let drawn = if prediction.power_on {
        "power-on pattern: battery RAM was cleared".to_owned()
    } else {
        format!("generator state ends in {:06X} (22 bits)", prediction.before)
    };
    let length = prediction.pieces.len();
    let position = match prediction.index {
        Some(index) => format!("Piece {} of {} is next", index + 1, grouped(length as u64)),
        None => "The next piece is unknown: all pieces from the first are shown".to_owned(),
    };
    let [skipped, shown] = prediction.next_games.clone();
    let player = PiecePlayer {
        title: "This game".into(),
        captions: vec![drawn],
        pieces: prediction.coming(),
        names: if prediction.index.is_some() { &["next"] } else { &["first"] },
        dealt: prediction.index.and_then(|index| u32::try_from(index).ok()),
        position,
        later: vec![
            FollowUpGame {
                caption: "Next game if the bonus screen (monkey) is skipped".into(),
                pieces: skipped,
            },
            FollowUpGame { caption: "Next game if the bonus screen (monkey) is shown".into(), pieces: shown },
        ],
        ..PiecePlayer::default()
    };
    PredictionView { pieces: vec![player], found: found(observation), ..PredictionView::default() }
}

/// The addresses that were found by content.
fn found(observation: &Observation) -> Option<String> {
    let buffer = observation.buffer.as_ref().filter(|buffer| !buffer.known)?;
    let mut addresses = vec![format!("pieces at {}", buffer.address)];
    addresses.extend(observation.state.map(|(at, _)| format!("generator state at {at}")));
    addresses.extend(observation.found_index.map(|cell| format!("piece counter at {}", cell.address)));
    Some(format!("Found by content: {}", addresses.join(", ")))
}

//! The display format of the game.

use super::{Found, FoundPiece, Observation, Prediction};
use crate::game::piece::Piece;
use crate::live::{FollowUpGame, FoundField, GameObservation, GamePrediction, PiecePlayer, PredictionView};
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(self, prediction)
    }

    fn without_prediction(&self) -> String {
        "Searching for the state of the piece generator".to_owned()
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            piece_seed: Option<String>,
            piece_state: Option<String>,
            state: Option<String>,
            cells: Option<Found>,
            piece_cell: Option<FoundPiece>,
            pieces_dealt: Option<u32>,
            table: Option<&'static str>,
            /// Whether a dealt piece has determined the variant of the table.
            table_certain: bool,
            /// The upcoming pieces by the other variant of the table.
            next_by_other_table: Option<Vec<Piece>>,
            next_game_seed: Option<String>,
        }
        let next_game = prediction.and_then(|prediction| prediction.next_game.as_ref());
        crate::json::value(&Details {
            piece_seed: self.values.map(|values| values.seed.to_string()),
            piece_state: self.values.map(|values| values.state.to_string()),
            state: self.values.and_then(|values| values.main).map(|main| main.to_string()),
            cells: self.found,
            piece_cell: self.piece,
            pieces_dealt: prediction.and_then(|prediction| prediction.dealt),
            table: prediction.map(|prediction| prediction.table.id()),
            table_certain: prediction.is_some_and(|prediction| prediction.decided),
            next_by_other_table: prediction.map(|prediction| prediction.other.clone()),
            next_game_seed: next_game.map(|(seed, _)| seed.to_string()),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.seed() == other.seed()
    }

    fn round_key(&self) -> Vec<u8> {
        let states = self.values.map(|values| [values.seed, values.state]);
        states.iter().flatten().flat_map(|state| state.0.to_be_bytes()).collect()
    }

    fn found_fields(&self) -> Vec<FoundField> {
        let field = |name: &str, address, bytes| FoundField { field: name.to_owned(), address, bytes };
        let found = self.found.filter(|found| !found.known);
        let states = found.map(|found| {
            let both = [field("piece_seed", found.seed, 4), field("piece_state", found.state, 4)];
            both.into_iter().chain(found.main.map(|at| field("rng_state", at, 4)))
        });
        let name = |behind| if behind == 0 { "drawn_piece" } else { "current_piece" };
        let piece = self.piece.map(|found| field(name(found.behind), found.address, 1));
        states.into_iter().flatten().chain(piece).collect()
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        self.same_pieces(other)
    }
}

fn prediction_view(observation: &Observation, prediction: &Prediction) -> PredictionView {
    let values = prediction.values;
    let mut captions = vec![format!("piece seed {}", values.seed), format!("state {}", values.state)];
    captions.extend(values.main.map(|main| format!("main generator {main}")));
    let parts = prediction.pieces.iter().zip(&prediction.other).position(|(one, other)| one != other);
    let note = parts.filter(|_| !prediction.decided).map(|at| {
        format!(
            "The piece {} ahead depends on the table variant: {} or {}",
            at + 1,
            prediction.pieces[at],
            prediction.other[at]
        )
    });
    let mut later =
        vec![FollowUpGame { caption: "After a continue".into(), pieces: prediction.again.clone() }];
    later.extend(prediction.next_game.clone().map(|(_, pieces)| FollowUpGame {
        caption: "Next game, if no item is drawn before it".into(),
        pieces,
    }));
    let player = PiecePlayer {
        title: "This game".into(),
        captions,
        current: values.piece.filter(|(_, behind)| *behind == 1).and_then(|_| values.shown()),
        pieces: prediction.pieces.clone(),
        names: &["next"],
        dealt: prediction.dealt,
        position: prediction.dealt.map_or_else(
            || "The number of the next piece is unknown".to_owned(),
            |dealt| format!("Piece {} of the game is next", dealt + 1),
        ),
        later,
        ..PiecePlayer::default()
    };
    PredictionView { pieces: vec![player], note, found: found(observation), ..PredictionView::default() }
}

/// The addresses that were found by content.
fn found(observation: &Observation) -> Option<String> {
    let found = observation.found.filter(|found| !found.known)?;
    let mut addresses =
        vec![format!("piece seed at {}", found.seed), format!("piece state at {}", found.state)];
    addresses.extend(found.main.map(|at| format!("main generator at {at}")));
    addresses.extend(observation.piece.map(|piece| format!("drawn piece at {}", piece.address)));
    Some(format!("Found by content: {}", addresses.join(", ")))
}

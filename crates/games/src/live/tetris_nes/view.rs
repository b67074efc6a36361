//! The display format of the game.

use super::{Observation, Prediction};
use crate::game::piece::Piece;
use crate::game::tetris_nes::piece_of;
use crate::live::{FrameOdds, GameObservation, GamePrediction, PiecePlayer, PredictionView};
use serde::Serialize;

/// The game mode of the demo, which deals from a table.
const DEMO: u8 = 5;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(prediction)
    }

    fn without_prediction(&self) -> String {
        let demo = if self.game_mode == DEMO { "The demo deals from a table. " } else { "" };
        format!("{demo}Generator state: {}", self.spawner.state)
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            state: String,
            spawn_count: u8,
            last_picked: Option<Piece>,
            dealt: u32,
            /// The piece after the next, for a draw in each of the following frames.
            if_picked_in: Option<Vec<Piece>>,
            waits: Option<Vec<Wait>>,
        }
        /// The frames to wait for a piece.
        #[derive(Serialize)]
        struct Wait {
            piece: Piece,
            /// None when none of the computed frames draws it.
            frames: Option<usize>,
        }
        let wait = |prediction: &Prediction| {
            Piece::ALL.map(|piece| Wait { piece, frames: prediction.wait_for(piece) }).into()
        };
        crate::json::value(&Details {
            state: self.spawner.state.to_string(),
            spawn_count: self.spawner.count,
            last_picked: piece_of(self.spawner.last).filter(|_| self.spawner.last != 0),
            dealt: self.dealt(),
            if_picked_in: prediction.map(|prediction| prediction.ahead.clone()),
            waits: prediction.map(wait),
        })
    }

    fn same_pools(&self, _: &Self) -> bool {
        true
    }
}

impl GamePrediction for Prediction {
    fn same_items(&self, other: &Self) -> bool {
        (self.current, self.next, self.number) == (other.current, other.next, other.number)
    }
}

fn prediction_view(prediction: &Prediction) -> PredictionView {
    let player = PiecePlayer {
        title: "Player 1".into(),
        captions: vec![format!("generator state {}", prediction.spawner.state)],
        current: prediction.current,
        pieces: vec![prediction.next],
        names: &["next"],
        dealt: Some(prediction.number),
        position: format!(
            "Piece {} of the game, draw {} since power-on",
            prediction.number, prediction.spawner.count
        ),
        waits: Some(FrameOdds {
            caption: "The piece after the next, by the frames until it is drawn".into(),
            frames: prediction.ahead.clone(),
            shortest: Piece::ALL.map(|piece| prediction.wait_for(piece)),
        }),
        ..PiecePlayer::default()
    };
    PredictionView { pieces: vec![player], ..PredictionView::default() }
}

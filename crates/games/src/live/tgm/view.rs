//! The display format of the games.

use super::{Observation, Prediction};
use crate::game::tgm_cells::Phase;
use crate::live::{GameObservation, GamePrediction, PieceChances, PiecePlayer, PredictionView};
use crate::seeds::text::grouped;
use serde::Serialize;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        prediction_view(prediction)
    }

    fn without_prediction(&self) -> String {
        format!("State byte: {}", self.state)
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            state: Option<String>,
            phase: Option<Phase>,
            pieces_seen: usize,
            /// Whether the game was in progress at its first sample.
            from_middle: bool,
            states_left: Option<u64>,
            /// Whether a search is running: `states_left` excludes the last pieces.
            narrowing: bool,
            /// Whether the prediction comes from the state in RAM and not from the pieces.
            from_state: bool,
        }
        crate::json::value(&Details {
            state: self.rng.map(|state| state.to_string()),
            phase: self.phase,
            pieces_seen: prediction.map_or(0, |prediction| prediction.seen),
            from_middle: prediction.is_some_and(|prediction| prediction.from_middle),
            states_left: prediction.and_then(|prediction| prediction.remaining),
            narrowing: prediction.is_some_and(|prediction| prediction.narrowing),
            from_state: prediction.is_some_and(|prediction| prediction.from_state),
        })
    }

    fn same_pools(&self, other: &Self) -> bool {
        self.same_pieces(other)
    }

    fn round_key(&self) -> Vec<u8> {
        [self.current, self.next].iter().flatten().map(|piece| piece.letter() as u8).collect()
    }
}

impl GamePrediction for Prediction {}

fn prediction_view(prediction: &Prediction) -> PredictionView {
    let left = match prediction.remaining {
        _ if prediction.narrowing && prediction.certain.is_empty() => {
            "narrowing down the generator states...".to_owned()
        }
        Some(1) => "1 generator state left".to_owned(),
        Some(left) => format!("{} generator states left", grouped(left)),
        None => "no generator state deals these pieces".to_owned(),
    };
    let mut captions = vec![match prediction.seen {
        1 => "1 piece sampled".to_owned(),
        count => format!("{count} pieces sampled"),
    }];
    if prediction.from_state {
        captions.push("certain by the generator state in RAM".into());
        // The state in RAM is sufficient; the states left are shown only when the pieces contradict it.
        captions.extend((prediction.remaining.is_none()).then_some(left));
    } else {
        captions.push(left);
        captions.extend((!prediction.certain.is_empty()).then(|| "certain by the pieces sampled".into()));
    }
    let dealt = prediction.seen.saturating_sub(1);
    let position = match (prediction.from_middle, dealt) {
        (true, _) => format!("Piece {dealt} since attaching in the middle of a game"),
        (false, 0) => "Before the first piece of the game".to_owned(),
        (false, dealt) => format!("Piece {dealt} of the game"),
    };
    let known = prediction.certain.is_empty() && prediction.chances.iter().any(|chance| *chance > 0.0);
    let player = PiecePlayer {
        title: "Player 1".into(),
        captions,
        current: prediction.current,
        pieces: prediction.next.into_iter().chain(prediction.certain.iter().copied()).collect(),
        names: &["next"],
        dealt: u32::try_from(dealt).ok(),
        joined_late: prediction.from_middle,
        position,
        chances: known.then(|| PieceChances {
            caption: "Chances of the piece after the next".into(),
            each: prediction.chances,
        }),
        ..PiecePlayer::default()
    };
    PredictionView { pieces: vec![player], ..PredictionView::default() }
}

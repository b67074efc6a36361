//! The prediction and its display format.

use super::Observation;
use crate::games::declared::Deals;
use crate::games::declared::live::details::{Details, position};
use crate::live::{GameObservation, GamePrediction, PiecePlayer, Player, PredictionView};
use crate::text::counted;

/// What the list says. Nothing beyond it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The one in play, if it is known.
    pub current: Option<u8>,
    /// Those to come.
    pub list: Vec<u8>,
    /// How many came before the first of the list, with the one in play; since the first sample, if the game had begun before.
    pub before: u64,
    /// Whether the game had begun before the first sample.
    pub joined_late: bool,
}

impl GamePrediction for Prediction {}

impl Prediction {
    fn dealt(&self) -> u64 {
        self.before + self.list.len() as u64
    }
}

/// What is shown in place of the state of a generator.
const CAPTION: &str = "read from a list in RAM";

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        let deals = self.kinds.deals();
        let coming = counted(prediction.list.len() as u64, deals.unit());
        let note = Some(if self.is_still {
            format!("the next {coming} are read from a list that does not move")
        } else {
            format!("{coming} to come are in RAM; what comes after them is not known")
        });
        // All pieces of a list that does not move were drawn when the game started.
        let dealt = if self.is_still { prediction.before } else { prediction.dealt() };
        let position = position(deals, dealt, prediction.joined_late);
        let before = (!prediction.joined_late).then_some(prediction.before);
        let (title, captions, names) = ("Player 1".to_owned(), vec![CAPTION.to_owned()], &["next"]);
        match deals {
            Deals::Pieces => {
                let player = PiecePlayer {
                    title,
                    captions,
                    current: prediction.current.and_then(|deal| self.kinds.piece(deal)),
                    pieces: prediction.list.iter().filter_map(|deal| self.kinds.piece(*deal)).collect(),
                    names,
                    dealt: before.and_then(|before| u32::try_from(before).ok()),
                    joined_late: prediction.joined_late,
                    position,
                    ..PiecePlayer::default()
                };
                PredictionView { pieces: vec![player], note, ..PredictionView::default() }
            }
            Deals::Pairs => {
                let player = Player {
                    title,
                    captions,
                    current: prediction.current.and_then(|deal| self.kinds.pair(deal)),
                    pairs: prediction.list.iter().filter_map(|deal| self.kinds.pair(*deal)).collect(),
                    names,
                    dealt: before.and_then(|before| u16::try_from(before).ok()),
                    position,
                    ..Player::default()
                };
                PredictionView { players: vec![player], note, ..PredictionView::default() }
            }
        }
    }

    fn without_prediction(&self) -> String {
        format!("The list of the {}s to come is empty: no game in progress", self.kinds.deals().unit())
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        crate::json::value(&Details {
            dealt: prediction.map(Prediction::dealt),
            listed: prediction.map(|prediction| prediction.list.len() as u64),
            ..Details::default()
        })
    }

    fn same_pools(&self, _: &Self) -> bool {
        true
    }
}

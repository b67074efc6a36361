//! A round computed from a seed, as the Predict panel shows it.

use crate::live::PredictionView;

/// A computed round for the Predict panel, without an emulator.
#[derive(Debug, Clone, PartialEq)]
pub struct ComputedRound {
    /// "seed 0x6119 of Puyo Puyo!! 20th Anniversary, 4 colours".
    pub what: String,
    pub shown: PredictionView,
}

//! NES Tetris live: fields, prediction and checks.

mod checks;
mod draw;
mod observe;
mod prediction;
mod verify;
mod view;

pub(crate) use checks::CHECKS;

pub use observe::{Observation, Work, observe};
pub use prediction::{AHEAD, Prediction, predict};
pub use verify::Verifier;

use crate::live::{GameTracker, SampleContext, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    verifier: Verifier,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.verifier.reset();
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let observation = match observe(sample.snapshot, sample.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.reset();
                return Step::unreadable(&error);
            }
        };
        let mismatches = self.verifier.step(&observation, sample.frame, totals);
        let prediction = predict(&observation).map(Arc::new);
        Step { observation: Ok(observation), prediction, mismatches }
    }

    fn round(&self) -> u64 {
        self.verifier.round()
    }

    fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }
}

//! Dr. Mario live: fields, prediction and checks.

mod checks;
mod observe;
mod prediction;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub(super) use checks::CHECKS;
pub use observe::{Mode, Observation, PlayerObservation, observe};
pub use prediction::{AHEAD, NEXT_ROUNDS, Prediction};
pub use verify::Verifier;

use crate::live::{GameTracker, SampleContext, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    verifier: Verifier,
    before: Option<Arc<Prediction>>,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.verifier.reset();
        self.before = None;
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let observation = match observe(sample.snapshot, sample.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.reset();
                return Step::unreadable(&error);
            }
        };
        let before = self.before.take();
        let mismatches = self.verifier.step(&observation, sample.frame, before.as_deref(), totals);
        self.before = self.verifier.predict(&observation, before.as_deref()).map(Arc::new);
        Step { observation: Ok(observation), prediction: self.before.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.verifier.round()
    }

    fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }
}

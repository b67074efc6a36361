//! NES Tetris live: fields, prediction and checks.

mod forecast;
mod judge;
mod observe;
mod verify;
mod view;

pub use forecast::{AHEAD, Forecast, forecast};
pub use observe::{Observation, Work, observe};
pub use verify::Verifier;

use super::{GameTracker, SampleContext, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    verifier: Verifier,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Forecast;

    fn reset(&mut self) {
        self.verifier.restart();
    }

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let observation = match observe(sample.snapshot, sample.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.restart();
                return Step::unreadable(&error);
            }
        };
        let mismatches = self.verifier.step(&observation, sample.frame, totals);
        let forecast = forecast(&observation).map(Arc::new);
        Step { observation: Ok(observation), prediction: forecast, mismatches }
    }

    fn round(&self) -> u64 {
        self.verifier.round()
    }

    fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }
}

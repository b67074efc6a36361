//! Mean Bean Machine and Puyo Puyo live: fields, prediction and checks.

mod observe;
mod prediction;
mod verify;
mod view;

/// The checks of both games.
pub(crate) const CHECKS: &[CheckId] =
    &[CheckId::POOL_COUNTS, CheckId::GENERATION, CheckId::QUEUE_P1, CheckId::QUEUE_P2];

pub use observe::{Observation, PlayerObservation, observe};
pub use prediction::{PlayerPrediction, Prediction, predict};
pub use verify::{Interrupts, Verifier};
pub(super) use view::pool_views;

use crate::games::mean_bean::seeds::{Origin, origins};
use crate::live::{CheckId, GameTracker, Mismatch, SampleContext, Step, Totals, Verdict};
use nextscope_task::{Handle, Task};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Default)]
pub struct Tracker {
    verifier: Verifier,
    before: Option<Arc<Prediction>>,
    /// The search for the generation of pools that does not end near the state in RAM, with the number of the round.
    search: Option<(u64, Task<Option<Vec<Origin>>>)>,
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.verifier.reset();
        self.before = None;
    }

    fn checkpoint(&self) -> Self {
        Self { verifier: self.verifier.clone(), before: self.before.clone(), search: None }
    }

    fn search_progress(&self) -> Option<f64> {
        self.verifier.pending_search().map(|_| 0.0)
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let observation = match observe(sample.snapshot, sample.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.before = None;
                return Step::unreadable(&error);
            }
        };
        let before = self.before.take();
        let mismatches = self.verifier.step(&observation, sample.frame, before.as_deref(), totals);
        self.before = predict(&observation, self.verifier.interrupts()).map(Arc::new);
        Step { observation: Ok(observation), prediction: self.before.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.verifier.round()
    }

    fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }

    fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let Some(target) = self.verifier.pending_search() else {
            self.search = None; // dropping it cancels it
            return None;
        };
        let round = target.round;
        if let Some((_, task)) = self.search.as_ref().filter(|(number, _)| *number == round) {
            let found = task.poll()?.unwrap_or_else(|error| {
                tracing::error!("the search for the state of round {round} {error}");
                None
            });
            self.search = None;
            return Some(self.verifier.searched(&found.unwrap_or_default(), frame, totals));
        }
        let run = move |task: &Handle| origins(&target.pools, target.setup, task.progress().cancel_flag());
        self.search = Some((round, Task::start("pool search", || (), run)));
        None
    }
}

#[cfg(test)]
mod tests;

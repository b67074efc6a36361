//! The Grand Master games live. The pieces sampled narrow down the generator states until the rest of the game is certain. When the
//! profile has the generator and the history, the rest of the game is certain at once.

mod checks;
mod history;
mod observe;
mod seed_narrower;
mod view;

pub(crate) use checks::CHECKS;

pub use history::{GameHistory, Prediction};
pub use observe::{Observation, observe};

use crate::live::{CheckId, GameTracker, Mismatch, SampleContext, Status, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Default)]
pub struct Tracker {
    history: GameHistory,
    /// The last observation and its frame.
    last: Option<(Arc<Observation>, u64)>,
    /// The game's clock at the last observation that two samples agreed on.
    clock: Option<u16>,
    /// The observation on which the prediction is based.
    settled: Option<Arc<Observation>>,
    prediction: Option<Arc<Prediction>>,
}

impl Tracker {
    fn predict(&mut self) {
        let prediction = self.settled.as_ref().and_then(|settled| self.history.predict(settled));
        self.prediction = prediction.map(Arc::new);
    }
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.history.reset();
        (self.last, self.clock, self.settled, self.prediction) = (None, None, None, None);
    }

    fn checkpoint(&self) -> Self {
        Self {
            history: self.history.checkpoint(),
            last: self.last.clone(),
            clock: self.clock,
            settled: self.settled.clone(),
            prediction: self.prediction.clone(),
        }
    }

    fn search_progress(&self) -> Option<f64> {
        self.history.search_progress()
    }

    fn prediction(&self) -> Option<Arc<Prediction>> {
        self.prediction.clone()
    }

    fn poll_background(&mut self, _frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        if !self.history.collect(&mut mismatches) {
            return None;
        }
        totals.mismatches += mismatches.len() as u64;
        self.predict();
        Some(mismatches)
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Prediction> {
        let now = match observe(sample.snapshot, sample.profile) {
            Ok(now) => Arc::new(now),
            Err(error) => {
                return Step::unreadable(&error);
            }
        };
        let settled =
            self.last.as_ref().is_some_and(|(last, frame)| last.same_pieces(&now) && *frame != sample.frame);
        if settled {
            // Not from sample to sample: each of several gaps may be short, with a different piece after each.
            if let (Some(before), Some(clock)) = (self.clock, now.timer) {
                self.history.pass(before, clock);
            }
            self.clock = now.timer;
        }
        let mut mismatches = Vec::new();
        let mut changed = self.history.collect(&mut mismatches);
        if settled && self.history.see(&now, sample.frame, totals, &mut mismatches) {
            self.settled = Some(Arc::clone(&now));
            changed = true;
            self.history.collect(&mut mismatches);
        }
        if changed {
            self.predict();
        }
        self.last = Some((Arc::clone(&now), sample.frame));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), prediction: self.prediction.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.history.round()
    }

    fn verdict(&self) -> Verdict {
        self.history.verdict()
    }
}

fn mismatch(check: CheckId, what: &str, expected: String, actual: String, field: &str) -> Mismatch {
    Mismatch {
        check,
        what: what.into(),
        expected,
        actual,
        field: field.into(),
        index: None,
        frame: 0,
        round: 0,
        evidence: None,
        one_of: false,
    }
}

fn check(id: CheckId, status: Status, detail: impl Into<String>) -> crate::live::Check {
    crate::live::Check { id, status, detail: detail.into() }
}

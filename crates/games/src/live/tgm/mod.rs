//! The Grand Master games live. The pieces sampled narrow down the generator states until the rest of the game is certain. When the
//! profile has the generator and the history, the rest of the game is certain at once.

mod follower;
mod observe;
mod series;
mod view;

pub use observe::{Observation, observe};
pub use series::{Forecast, Series};

use super::{CheckId, GameTracker, Mismatch, SampleContext, Status, Step, Totals, Verdict};
use std::sync::Arc;

/// Processes the samples of a game in order.
#[derive(Debug, Default)]
pub struct Tracker {
    series: Series,
    /// The last observation and its frame.
    last: Option<(Arc<Observation>, u64)>,
    /// The observation on which the prediction is based.
    settled: Option<Arc<Observation>>,
    forecast: Option<Arc<Forecast>>,
}

impl Tracker {
    fn predict(&mut self) {
        let forecast = self.settled.as_ref().and_then(|settled| self.series.forecast(settled));
        self.forecast = forecast.map(Arc::new);
    }
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Forecast;

    fn reset(&mut self) {
        self.series.restart();
        (self.last, self.settled, self.forecast) = (None, None, None);
    }

    fn checkpoint(&self) -> Self {
        Self {
            series: self.series.fork(),
            last: self.last.clone(),
            settled: self.settled.clone(),
            forecast: self.forecast.clone(),
        }
    }

    fn search_progress(&self) -> Option<f64> {
        self.series.outstanding()
    }

    fn prediction(&self) -> Option<Arc<Forecast>> {
        self.forecast.clone()
    }

    fn poll_background(&mut self, _frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        if !self.series.collect(&mut mismatches) {
            return None;
        }
        totals.mismatches += mismatches.len() as u64;
        self.predict();
        Some(mismatches)
    }

    fn update(&mut self, sample: &SampleContext<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let now = match observe(sample.snapshot, sample.profile) {
            Ok(now) => Arc::new(now),
            Err(error) => {
                return Step::unreadable(&error);
            }
        };
        let before = self.last.as_ref().and_then(|(last, _)| last.timer);
        if let (Some(before), Some(clock)) = (before, now.timer) {
            self.series.pass(before, clock);
        }
        let settled =
            self.last.as_ref().is_some_and(|(last, frame)| last.same_pieces(&now) && *frame != sample.frame);
        let mut mismatches = Vec::new();
        let mut changed = self.series.collect(&mut mismatches);
        if settled && self.series.see(&now, sample.frame, totals, &mut mismatches) {
            self.settled = Some(Arc::clone(&now));
            changed = true;
            self.series.collect(&mut mismatches);
        }
        if changed {
            self.predict();
        }
        self.last = Some((Arc::clone(&now), sample.frame));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), prediction: self.forecast.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.series.round()
    }

    fn verdict(&self) -> Verdict {
        self.series.verdict()
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

fn check(id: CheckId, status: Status, detail: impl Into<String>) -> super::Check {
    super::Check { id, status, detail: detail.into() }
}

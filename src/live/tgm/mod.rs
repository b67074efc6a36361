//! The Grand Master games live: the pieces that were seen narrow the states of the generator down until the rest of the game
//! is known. Where the generator itself and the history are known cells, the rest of the game is known at once.

mod follower;
mod observe;
mod series;

pub use observe::{Observation, observe};
pub use series::{Forecast, Series};

use super::{CheckId, Look, Mismatch, Status, Step, Totals, Verdict};
use std::sync::Arc;

/// Follows a game from sample to sample.
#[derive(Debug, Default)]
pub struct Tracker {
    series: Series,
    /// What the last sample showed, and its frame.
    last: Option<(Arc<Observation>, u64)>,
    /// The sample that the forecast was made of.
    settled: Option<Arc<Observation>>,
    forecast: Option<Arc<Forecast>>,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.series.restart();
        (self.last, self.settled, self.forecast) = (None, None, None);
    }

    /// Another one that has seen the same and goes its own way.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            series: self.series.fork(),
            last: self.last.clone(),
            settled: self.settled.clone(),
            forecast: self.forecast.clone(),
        }
    }

    /// How much of the search under way is done, 0 to 1; None when there is none.
    #[must_use]
    pub fn outstanding(&self) -> Option<f64> {
        self.series.outstanding()
    }

    /// What is to come, as far as it is known now.
    #[must_use]
    pub const fn forecast(&self) -> Option<&Arc<Forecast>> {
        self.forecast.as_ref()
    }

    /// Takes what the pieces say that were seen. Something when the forecast or the verdict changed, with the mismatches that it
    /// brought.
    pub fn work(&mut self, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        let mut mismatches = Vec::new();
        if !self.series.collect(&mut mismatches) {
            return None;
        }
        totals.mismatches += mismatches.len() as u64;
        self.foretell();
        Some(mismatches)
    }

    fn foretell(&mut self) {
        let forecast = self.settled.as_ref().and_then(|settled| self.series.forecast(settled));
        self.forecast = forecast.map(Arc::new);
    }

    /// Takes the next sample. What two samples of different frames show alike is complete.
    pub fn look(&mut self, look: &Look<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let now = match observe(look.snapshot, look.profile) {
            Ok(now) => Arc::new(now),
            Err(error) => {
                return Step { observation: Err(error.to_string()), forecast: None, mismatches: Vec::new() };
            }
        };
        let before = self.last.as_ref().and_then(|(last, _)| last.timer);
        if let (Some(before), Some(clock)) = (before, now.timer) {
            self.series.pass(before, clock);
        }
        let settled =
            self.last.as_ref().is_some_and(|(last, frame)| last.same_pieces(&now) && *frame != look.frame);
        let mut mismatches = Vec::new();
        let mut changed = self.series.collect(&mut mismatches);
        if settled && self.series.see(&now, look.frame, totals, &mut mismatches) {
            self.settled = Some(Arc::clone(&now));
            changed = true;
            self.series.collect(&mut mismatches);
        }
        if changed {
            self.foretell();
        }
        self.last = Some((Arc::clone(&now), look.frame));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), forecast: self.forecast.clone(), mismatches }
    }

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.series.round()
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
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

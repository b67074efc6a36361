//! The Grand Master games live: the pieces that were seen narrow the states of the generator down until the rest of the game
//! is known. Where the generator itself and the history are known cells, the rest of the game is known at once.

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
    forecast: Option<Arc<Forecast>>,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.series.restart();
        (self.last, self.forecast) = (None, None);
    }

    /// Takes the next sample. What two samples of different frames show alike is complete.
    pub fn look(&mut self, look: &Look<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let now = match observe(look.snapshot, look.profile) {
            Ok(now) => Arc::new(now),
            Err(error) => {
                return Step { observation: Err(error.to_string()), forecast: None, mismatches: Vec::new() };
            }
        };
        let settled =
            self.last.as_ref().is_some_and(|(last, frame)| last.same_pieces(&now) && *frame != look.frame);
        let mut mismatches = Vec::new();
        if settled && self.series.see(&now, look.frame, totals, &mut mismatches) {
            self.forecast = self.series.forecast(&now).map(Arc::new);
        }
        self.last = Some((Arc::clone(&now), look.frame));
        totals.mismatches += mismatches.len() as u64;
        Step { observation: Ok(now), forecast: self.forecast.clone(), mismatches }
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
    }
}

fn check(id: CheckId, status: Status, detail: impl Into<String>) -> super::Check {
    super::Check { id, status, detail: detail.into() }
}

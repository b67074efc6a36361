//! Puyo Puyo!! 20th Anniversary live: its fields, its forecast, its checks.

mod forecast;
mod observe;
mod origin;
mod verify;

pub use forecast::{Forecast, PlayerForecast, forecast};
pub use observe::{Block, Observation, PlayerObservation, observe};
pub use verify::Verifier;

use super::{Look, Mismatch, Step, Totals, Verdict};
use std::sync::Arc;

/// Follows a game from sample to sample.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    verifier: Verifier,
    before: Option<Arc<Forecast>>,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.verifier.restart();
        self.before = None;
    }

    /// How much of the outstanding work is done, 0 to 1; None when there is none.
    #[must_use]
    pub fn outstanding(&self) -> Option<f64> {
        self.verifier.outstanding()
    }

    /// Takes the next sample.
    pub fn look(&mut self, look: &Look<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let observation = match observe(look.snapshot, look.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.before = None;
                return Step { observation: Err(error.to_string()), forecast: None, mismatches: Vec::new() };
            }
        };
        let before = self.before.take();
        let mismatches = self.verifier.step(&observation, look.frame, before.as_deref(), totals);
        self.before = forecast(&observation, before.as_deref()).map(Arc::new);
        Step { observation: Ok(observation), forecast: self.before.clone(), mismatches }
    }

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.verifier.round()
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.verifier.verdict()
    }

    /// Tries a part of all seeds, for pools whose seed nothing cheaper told.
    pub fn work(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<Mismatch>> {
        self.verifier.work(frame, totals)
    }
}

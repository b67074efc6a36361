//! Tetris for the NES live: its fields, what is certain of what is to come, its checks.

mod forecast;
mod judge;
mod observe;
mod verify;

pub use forecast::{AHEAD, Forecast, forecast};
pub use observe::{Observation, Work, observe};
pub use verify::Verifier;

use super::{Look, Step, Totals, Verdict};
use std::sync::Arc;

/// Follows a game from sample to sample.
#[derive(Debug, Clone, Default)]
pub struct Tracker {
    verifier: Verifier,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.verifier.restart();
    }

    /// Takes the next sample.
    pub fn look(&mut self, look: &Look<'_>, totals: &mut Totals) -> Step<Observation, Forecast> {
        let observation = match observe(look.snapshot, look.profile) {
            Ok(observation) => Arc::new(observation),
            Err(error) => {
                self.verifier.restart();
                return Step { observation: Err(error.to_string()), forecast: None, mismatches: Vec::new() };
            }
        };
        let mismatches = self.verifier.step(&observation, look.frame, totals);
        let forecast = forecast(&observation).map(Arc::new);
        Step { observation: Ok(observation), forecast, mismatches }
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
}

//! Puyo Puyo Tsu live: its fields, its forecast, its checks.

mod board;
mod forecast;
mod observe;
mod verify;

pub use board::{BOARD_LEN, BadCell, BoardForecast, Chain, Motion, decode};
pub use forecast::{Forecast, PlayerForecast, forecast};
pub use observe::{Observation, PlayerObservation, observe};
pub use verify::{SearchResult, Verifier};

use super::{Look, Step, Totals};
use crate::seeds::puyo_tsu::BackgroundSearch;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Pools of unknown origin that stand for this long are worth trying all states.
const SEARCH_AFTER: Duration = Duration::from_millis(1500);

/// Follows a game from sample to sample.
#[derive(Debug, Default)]
pub struct Tracker {
    verifier: Verifier,
    before: Option<Arc<Forecast>>,
    search: Option<BackgroundSearch>,
    unknown_since: Option<(u64, Instant)>,
    /// Whether nothing is to be waited for before all states are tried.
    hurried: bool,
}

impl Tracker {
    /// Forgets what was seen, but for what was counted.
    pub fn restart(&mut self) {
        self.verifier.restart();
        self.before = None;
    }

    /// From now on, tries all states as soon as that is wanted: RAM that does not move tells no more by waiting.
    pub fn hurry(&mut self) {
        self.hurried = true;
    }

    /// Another one that has seen the same and goes its own way; what is under way in the background is begun anew by it.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            verifier: self.verifier.clone(),
            before: self.before.clone(),
            search: None,
            unknown_since: None,
            hurried: self.hurried,
        }
    }

    /// How much of the outstanding work is done, 0 to 1; None when there is none.
    #[must_use]
    pub fn outstanding(&self) -> Option<f64> {
        self.verifier.wanted_search()?;
        Some(self.search.as_ref().map_or(0.0, BackgroundSearch::share))
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
        let setup = self.verifier.pools_setup();
        self.before =
            (!observation.no_round_yet()).then(|| Arc::new(forecast(&observation, setup, before.as_deref())));
        Step { observation: Ok(observation), forecast: self.before.clone(), mismatches }
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> super::Verdict {
        self.verifier.verdict()
    }

    /// Goes on with work that takes longer than a sample: tries all states, in the background, for pools whose origin
    /// nothing cheaper told. Something when the verdict changed, with the mismatches that it brought.
    pub fn work(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<super::Mismatch>> {
        let Some(wanted) = self.verifier.wanted_search() else {
            self.search = None; // dropping it cancels it
            return None;
        };
        match &mut self.search {
            Some(search) if search.round() == wanted.round => {
                let states = search.take_result()?;
                let result = SearchResult { round: wanted.round, states };
                self.search = None;
                return Some(self.verifier.searched(&result, frame, totals));
            }
            Some(_) => self.search = None,
            None => match self.unknown_since {
                Some((round, since)) if round == wanted.round => {
                    if self.hurried || since.elapsed() > SEARCH_AFTER {
                        self.search = BackgroundSearch::start(wanted).ok();
                    }
                }
                _ => self.unknown_since = Some((wanted.round, Instant::now())),
            },
        }
        None
    }
}

//! Puyo Puyo Tsu live: fields, prediction and checks.

mod board;
mod checks;
mod moment;
mod observe;
mod prediction;
mod starts;
mod times;
mod verify;
mod view;

pub(crate) use checks::CHECKS;
pub(crate) use moment::MOMENTS;
pub(crate) use starts::STARTS;

pub use board::{BOARD_LEN, BadCell, BoardPrediction, Chain, Motion, decode};
pub use observe::{Observation, PlayerObservation, observe};
pub use prediction::{PlayerPrediction, Prediction, predict};
pub use verify::{SearchResult, Verifier};

use times::Times;

use crate::games::puyo_tsu::State;
use crate::games::puyo_tsu::seeds::{Effort, search};
use crate::live::{GameTracker, SampleContext, Step, Totals};
use nextscope_task::{Handle, Task};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long pools of unknown origin must not change before a search over all states starts.
const SEARCH_AFTER: Duration = Duration::from_millis(1500);

/// Processes the samples of a game in order.
#[derive(Debug, Default)]
pub struct Tracker {
    verifier: Verifier,
    times: Times,
    before: Option<Arc<Prediction>>,
    search: Option<(u64, Task<Option<Vec<State>>>)>,
    unknown_since: Option<(u64, Instant)>,
    /// Whether a search over all states starts at once.
    synchronous: bool,
}

impl Tracker {
    /// Processes the result of a search; None when it failed.
    fn searched(
        &mut self,
        round: u64,
        states: Option<Vec<State>>,
        frame: u64,
        totals: &mut Totals,
    ) -> Vec<crate::live::Mismatch> {
        self.search = None;
        self.verifier.searched(&SearchResult { round, states }, frame, totals)
    }
}

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Prediction;

    fn reset(&mut self) {
        self.verifier.reset();
        self.times.reset();
        self.before = None;
    }

    fn set_synchronous(&mut self) {
        self.synchronous = true;
    }

    fn checkpoint(&self) -> Self {
        Self {
            verifier: self.verifier.clone(),
            times: self.times.clone(),
            before: self.before.clone(),
            search: None,
            unknown_since: None,
            synchronous: self.synchronous,
        }
    }

    fn search_progress(&self) -> Option<f64> {
        self.verifier.pending_search()?;
        Some(self.search.as_ref().map_or(0.0, |(_, task)| task.progress().share()))
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
        let mut mismatches = self.verifier.step(&observation, sample.frame, before.as_deref(), totals);
        mismatches.extend(self.times.step(sample, observation.frame_counter, self.verifier.round(), totals));
        let setup = self.verifier.pools_setup();
        self.before =
            (!observation.no_round_yet()).then(|| Arc::new(predict(&observation, setup, before.as_deref())));
        Step { observation: Ok(observation), prediction: self.before.clone(), mismatches }
    }

    fn round(&self) -> u64 {
        self.verifier.round()
    }

    fn verdict(&self) -> crate::live::Verdict {
        let mut verdict = self.verifier.verdict();
        verdict.checks.extend(self.times.checks());
        verdict
    }

    fn poll_background(&mut self, frame: u64, totals: &mut Totals) -> Option<Vec<crate::live::Mismatch>> {
        let Some(target) = self.verifier.pending_search() else {
            self.search = None; // dropping it cancels it
            return None;
        };
        match &mut self.search {
            Some((round, task)) if *round == target.round => {
                let states = task.poll()?.unwrap_or_else(|error| {
                    tracing::error!("the search for the state of round {round} {error}");
                    None
                });
                return Some(self.searched(target.round, states, frame, totals));
            }
            Some(_) => self.search = None,
            None => match self.unknown_since {
                Some((round, since)) if round == target.round => {
                    if self.synchronous || since.elapsed() > SEARCH_AFTER {
                        let run = move |task: &Handle| search(&target, Effort::half(), task.progress());
                        self.search = Some((round, Task::start("state search", || (), run)));
                    }
                }
                _ => self.unknown_since = Some((target.round, Instant::now())),
            },
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::{Setup, generate};
    use crate::live::{CheckId, Status};
    use crate::profile::built_in_profiles;
    use nextscope_memory::console::{Snapshot, StorageOrder};

    /// RAM with pools whose generator state was not sampled and cannot be reached backwards.
    fn pools_of_unknown_origin(profile: &crate::profile::Profile) -> Snapshot {
        let domain = profile.console.domain();
        let mut ram = vec![0; domain.len as usize];
        let round = generate(State(0x1234_5678), Setup::VERSUS);
        let mut put = |field: &str, bytes: &[u8]| {
            let at = domain.offset_of(profile.field(field).unwrap().address).unwrap();
            ram[at..at + bytes.len()].copy_from_slice(bytes);
        };
        put("color_set", &round.color_set);
        for id in crate::games::puyo_tsu::PoolId::ALL {
            put(id.field(), round.pool(id).unwrap());
        }
        put("rng_state", &[0x9A, 0xBC, 0xDE, 0xF0]);
        Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap()
    }

    #[test]
    fn a_crashed_search_is_reported_and_ends() {
        let profiles = built_in_profiles();
        let profile = profiles.iter().find(|profile| profile.id == "puyo-tsu-genesis").unwrap();
        let snapshot = pools_of_unknown_origin(profile);
        let (mut tracker, mut totals) = (Tracker::default(), Totals::default());
        for frame in 0..4 {
            tracker.update(&SampleContext { snapshot: &snapshot, profile, frame }, &mut totals);
        }
        let round = tracker.verifier.pending_search().expect("the origin of the pools is unknown").round;
        tracker.search =
            Some((round, Task::start("state search", || (), |_| panic!("a fault in the search"))));
        assert!(tracker.search_progress().is_some());
        let mismatches = totals.mismatches;
        let until = Instant::now() + Duration::from_secs(20);
        while tracker.poll_background(4, &mut totals).is_none() {
            assert!(Instant::now() < until, "the crash is not reported");
            std::thread::yield_now();
        }
        assert_eq!(tracker.search_progress(), None);
        let verdict = tracker.verdict();
        assert_eq!(verdict.status(CheckId::GENERATION), Status::NotVerified);
        let generation = verdict.checks.iter().find(|check| check.id == CheckId::GENERATION).unwrap();
        assert!(generation.detail.contains("failed"), "{}", generation.detail);
        assert_eq!(totals.mismatches, mismatches, "a failed search is not a mismatch");
        assert_eq!(tracker.poll_background(5, &mut totals), None, "the search does not start again");
    }
}

//! Mean Bean Machine and Puyo Puyo live: fields, prediction and checks.

mod observe;
mod prediction;
mod verify;
mod view;

pub use observe::{Observation, PlayerObservation, observe};
pub use prediction::{PlayerPrediction, Prediction, predict};
pub use verify::{Interrupts, Verifier};

use crate::games::mean_bean::seeds::{Origin, origins};
use crate::live::{GameTracker, Mismatch, SampleContext, Step, Totals, Verdict};
use crate::seeds::poll;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};

/// A search for the generation of pools that does not end near the state in RAM.
#[derive(Debug)]
struct PoolSearch {
    round: u64,
    cancel: Arc<AtomicBool>,
    result: Receiver<Vec<Origin>>,
}

impl PoolSearch {
    fn start(target: &verify::Target) -> std::io::Result<Self> {
        let (sender, result) = channel();
        let cancel = Arc::new(AtomicBool::new(false));
        let (ended, pools, setup) = (Arc::clone(&cancel), target.pools, target.setup);
        std::thread::Builder::new().name("pool search".into()).spawn(move || {
            if let Some(found) = origins(&pools, setup, &ended) {
                let _ = sender.send(found); // the receiver is gone if it was cancelled
            }
        })?;
        Ok(Self { round: target.round, cancel, result })
    }
}

impl Drop for PoolSearch {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// Processes the samples of a game in order.
#[derive(Debug, Default)]
pub struct Tracker {
    verifier: Verifier,
    before: Option<Arc<Prediction>>,
    search: Option<PoolSearch>,
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
        self.verifier.wanted_search().map(|_| 0.0)
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
        let Some(target) = self.verifier.wanted_search() else {
            self.search = None; // dropping it cancels it
            return None;
        };
        let round = target.round;
        if let Some(search) = self.search.as_ref().filter(|search| search.round == round) {
            let found = match search.poll() {
                Ok(found) => found?,
                Err(crashed) => {
                    tracing::error!("the search for the state of round {round} failed: {crashed}");
                    Vec::new()
                }
            };
            self.search = None;
            return Some(self.verifier.searched(&found, frame, totals));
        }
        match PoolSearch::start(&target) {
            Ok(search) => self.search = Some(search),
            Err(error) => {
                tracing::error!("could not start the search for the state of round {round}: {error}");
                return Some(self.verifier.searched(&[], frame, totals));
            }
        }
        None
    }
}

impl PoolSearch {
    fn poll(&self) -> Result<Option<Vec<Origin>>, crate::seeds::Crashed> {
        poll(&self.result)
    }
}

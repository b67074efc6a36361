//! Verifies an entire recording on a separate thread while it is replayed.

use crate::live::RoundMark;
use crate::live::replay::{Checkpoint, ReplayVerifier, Searching, VerifiedSample};
use crate::task::{Handle, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Samples between two checkpoints: verifying them again takes a few milliseconds.
pub const CHECKPOINT_EVERY: u64 = 300;
/// The most checkpoints, however long the recording is.
const MAX_CHECKPOINTS: u64 = 4000;
/// The result of a sample that took longer than this is stored instead of computed again.
const SLOW_SAMPLE: Duration = Duration::from_millis(10);
/// The most stored results.
const MAX_SLOW_SAMPLES: usize = 500;

/// The analysis of an entire recording by a thread that verifies it as fast as possible.
pub struct RecordingAnalysis {
    pub searching: Searching,
    pub quit: Arc<AtomicBool>,
    task: Task<(), Known>,
}

#[derive(Debug, Default)]
pub struct Known {
    pub verified: u64,
    pub complete: bool,
    pub mismatches: Vec<u64>,
    pub rounds: Vec<RoundMark>,
    /// The mismatches and rounds, shared with views; built on request.
    pub shared: (Arc<[u64]>, Arc<[RoundMark]>),
    pub checkpoints: Vec<Checkpoint>,
    /// The samples that took long to verify, with their results and the checkpoints after them.
    pub long: Vec<(VerifiedSample, Checkpoint)>,
}

impl Known {
    /// The first sample with such a mark after this one.
    pub fn after(&self, mark: Mark, sample: u64) -> Option<u64> {
        match mark {
            Mark::Mismatch => {
                self.mismatches.get(self.mismatches.partition_point(|at| *at <= sample)).copied()
            }
            Mark::Round => {
                let after = self.rounds.partition_point(|round| round.sample <= sample);
                self.rounds.get(after).map(|round| round.sample)
            }
        }
    }

    /// The last sample with such a mark before this one.
    pub fn before(&self, mark: Mark, sample: u64) -> Option<u64> {
        match mark {
            Mark::Mismatch => {
                let from = self.mismatches.partition_point(|at| *at < sample);
                self.mismatches[..from].last().copied()
            }
            Mark::Round => {
                let from = self.rounds.partition_point(|round| round.sample < sample);
                self.rounds[..from].last().map(|round| round.sample)
            }
        }
    }
}

/// What a seek can stop at.
#[derive(Debug, Clone, Copy)]
pub enum Mark {
    Mismatch,
    Round,
}

impl RecordingAnalysis {
    pub fn start(verifier: ReplayVerifier) -> Self {
        let quit = Arc::new(AtomicBool::new(false));
        let verifier = verifier.stopped_by(&quit);
        let searching = verifier.searching();
        let stop = Arc::clone(&quit);
        let task = Task::start("verifier", || (), move |task| verify_all(verifier, task, &stop));
        Self { searching, quit, task }
    }

    pub fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.task.note();
        if let Some(Err(error)) = self.task.poll() {
            tracing::error!("the verification of the recording {error}");
            known.complete = true; // nothing waits for the rest
        }
        act(&mut known)
    }
}

impl Drop for RecordingAnalysis {
    fn drop(&mut self) {
        self.quit.store(true, Ordering::Relaxed);
        self.task.wait(Duration::MAX);
    }
}

fn verify_all(mut verifier: ReplayVerifier, task: &Handle<Known>, quit: &AtomicBool) {
    let every = CHECKPOINT_EVERY.max(verifier.recording().len() / MAX_CHECKPOINTS);
    let (mut section, mut next_checkpoint) = (usize::MAX, 0);
    // The connection, and the rounds counted in it.
    let mut counted = (0, 0);
    while !quit.load(Ordering::Relaxed) {
        let started = Instant::now();
        let step = verifier.step();
        let index = verifier.next_index().saturating_sub(1);
        let long = started.elapsed() > SLOW_SAMPLE;
        let keep = index >= next_checkpoint || verifier.section() != section;
        let checkpoint = keep.then(|| verifier.position.duplicate());
        let long = long.then(|| verifier.position.duplicate());
        let mut known = task.note();
        if let Some(checkpoint) = checkpoint {
            (section, next_checkpoint) = (verifier.section(), index + every);
            known.checkpoints.push(checkpoint);
        }
        match step {
            Ok(Some(verified)) => {
                known.verified = index + 1;
                if !verified.mismatches.is_empty() {
                    known.mismatches.push(index);
                }
                let (connection, number) = (verifier.section(), verifier.position.rounds());
                let before = std::mem::replace(&mut counted, (connection, number));
                if number > if before.0 == connection { before.1 } else { 0 } {
                    known.rounds.push(RoundMark { sample: index, number });
                }
                if let Some(checkpoint) = long.filter(|_| known.long.len() < MAX_SLOW_SAMPLES) {
                    known.long.push((verified, checkpoint));
                }
            }
            Ok(None) => {
                known.complete = true;
                return;
            }
            Err(_) => known.verified = index + 1, // missing, as the recording's damage states
        }
    }
}

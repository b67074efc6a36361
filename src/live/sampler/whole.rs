//! A recording judged as a whole, by a thread of its own, while it is played.

use crate::live::RoundMark;
use crate::live::replay::{Judge, Place, Searching, Seen};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One can come back to every so many samples at least: the samples in between are judged again in a few milliseconds.
pub const PLACES_EVERY: u64 = 300;
/// There are no more such places than this, however long the recording is.
const MOST_PLACES: u64 = 4000;
/// A sample that took so long to judge is not judged again: what came of it is kept.
const LONG_WORK: Duration = Duration::from_millis(10);
/// So many of them are kept at most.
const MOST_LONG: usize = 500;

/// What is known of the whole recording, by a thread that judges it as fast as it can.
pub struct Whole {
    known: Arc<Mutex<Known>>,
    pub searching: Searching,
    pub quit: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
pub struct Known {
    pub judged: u64,
    pub complete: bool,
    pub mismatches: Vec<u64>,
    pub rounds: Vec<RoundMark>,
    /// The same two, for views; made when somebody asks.
    pub shared: (Arc<[u64]>, Arc<[RoundMark]>),
    pub places: Vec<Place>,
    /// The samples that took long to judge, what came of them, and the places after them.
    pub long: Vec<(Seen, Place)>,
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

    /// The last one before it.
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

/// What one can go to from one sample to the next that has it.
#[derive(Debug, Clone, Copy)]
pub enum Mark {
    Mismatch,
    Round,
}

impl Whole {
    pub fn start(judge: Judge) -> Self {
        let known = Arc::new(Mutex::new(Known::default()));
        let quit = Arc::new(AtomicBool::new(false));
        let judge = judge.stopped_by(&quit);
        let searching = judge.searching();
        let (theirs, their_quit) = (Arc::clone(&known), Arc::clone(&quit));
        let run = move || judge_all(judge, &theirs, &their_quit);
        let thread = std::thread::Builder::new().name("judge".into()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!("no thread to judge the recording: {error}");
        }
        Self { known, searching, quit, thread: thread.ok() }
    }

    pub fn with<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.quit.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn judge_all(mut judge: Judge, known: &Mutex<Known>, quit: &AtomicBool) {
    let every = PLACES_EVERY.max(judge.recording().len() / MOST_PLACES);
    let (mut section, mut next_place) = (usize::MAX, 0);
    // The connection, and the rounds of it that were counted.
    let mut counted = (0, 0);
    while !quit.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let step = judge.step();
        let index = judge.next_index().saturating_sub(1);
        let long = begun.elapsed() > LONG_WORK;
        let keep = index >= next_place || judge.section() != section;
        let place = keep.then(|| judge.place.fork());
        let long = long.then(|| judge.place.fork());
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = place {
            (section, next_place) = (judge.section(), index + every);
            known.places.push(place);
        }
        match step {
            Ok(Some(seen)) => {
                known.judged = index + 1;
                if !seen.mismatches.is_empty() {
                    known.mismatches.push(index);
                }
                let (connection, number) = (judge.section(), judge.place.rounds());
                let before = std::mem::replace(&mut counted, (connection, number));
                if number > if before.0 == connection { before.1 } else { 0 } {
                    known.rounds.push(RoundMark { sample: index, number });
                }
                if let Some(place) = long.filter(|_| known.long.len() < MOST_LONG) {
                    known.long.push((seen, place));
                }
            }
            Ok(None) => {
                known.complete = true;
                return;
            }
            Err(_) => known.judged = index + 1, // it is missing, as the damage tells or will
        }
    }
}

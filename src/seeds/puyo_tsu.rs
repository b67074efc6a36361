//! Puyo Puyo Tsu: the states that give pools seen in RAM, by trying all 2^32.

use crate::game::puyo_tsu::{A7_COLORS, Pool, PoolId, Setup, State, generate};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};

/// What the states must give.
#[derive(Debug, Clone)]
pub struct Target {
    /// The round for which the answer is wanted; handed back, not looked at.
    pub round: u64,
    /// Colour set in RAM.
    pub color_set: [u8; 8],
    /// Pools in RAM order.
    pub pools: [Pool; 3],
    /// The setup.
    pub setup: Setup,
}

/// A generated round that differs from the pools in RAM by no more than this many bytes is their origin, with a fault:
/// two unrelated rounds differ in more than half of 768 bytes.
pub const NEAR: usize = 64;

/// How far a search is, and the wish to stop it.
#[derive(Debug, Default)]
pub struct Progress {
    /// States tried so far, of 2^32.
    pub tried: AtomicU64,
    /// Set to end the search early.
    pub cancel: AtomicBool,
}

/// States tried between two looks at the wish to stop.
const BLOCK: u64 = 1 << 20;

/// All states that give exactly these pools, or, when none does, those that come within [`NEAR`] bytes; ascending. None when
/// it was cancelled.
#[must_use]
pub fn search(target: &Target, progress: &Progress) -> Option<Vec<State>> {
    let wanted_draws = draws_of(target.color_set);
    let (mut exact, mut near) = (Vec::new(), Vec::new());
    let mut first = 0u64;
    while first < 1 << 32 {
        if progress.cancel.load(Ordering::Relaxed) {
            return None;
        }
        for raw in first..first + BLOCK {
            #[expect(clippy::cast_possible_truncation, reason = "below 2^32 by the loop")]
            let state = State(raw as u32);
            if !gives_draws(state, &wanted_draws) {
                continue;
            }
            match distance(state, target) {
                0 => exact.push(state),
                1..=NEAR => near.push(state),
                _ => {}
            }
        }
        first += BLOCK;
        progress.tried.store(first, Ordering::Relaxed);
    }
    Some(if exact.is_empty() { near } else { exact })
}

/// The sequences of five draws, each 0 to 3, that make a colour set, as a table over all 1024.
fn draws_of(color_set: [u8; 8]) -> Vec<bool> {
    (0..1024usize)
        .map(|draws| {
            let mut set = [0, 1, 3, 5, 4, 6, 2, 0];
            for i in 0..5 {
                set.swap(i, (draws >> (2 * i)) & 3);
            }
            set == color_set
        })
        .collect()
}

/// Whether the five colour draws from a state are among the wanted ones.
fn gives_draws(mut state: State, wanted: &[bool]) -> bool {
    let mut draws = 0;
    for i in 0..5 {
        state = state.stirred(4, A7_COLORS);
        draws |= ((state.0 >> 14) & 3) << (2 * i);
    }
    wanted[draws as usize]
}

/// Bytes in which the round of a state differs from the pools.
fn distance(state: State, target: &Target) -> usize {
    let round = generate(state, target.setup);
    PoolId::ALL
        .into_iter()
        .filter_map(|id| {
            Some(round.pool(id)?.iter().zip(&target.pools[id.index()]).filter(|(a, b)| a != b).count())
        })
        .sum()
}

/// A search on a thread of its own. Dropping it cancels it.
#[derive(Debug)]
pub struct BackgroundSearch {
    round: u64,
    progress: Arc<Progress>,
    result: Receiver<Vec<State>>,
}

impl BackgroundSearch {
    /// Starts searching.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(target: Target) -> std::io::Result<Self> {
        let (sender, result) = mpsc::channel();
        let progress = Arc::new(Progress::default());
        let seen = Arc::clone(&progress);
        let round = target.round;
        std::thread::Builder::new().name("state search".into()).spawn(move || {
            if let Some(states) = search(&target, &seen) {
                let _ = sender.send(states); // nobody waits for it any more: it was cancelled
            }
        })?;
        Ok(Self { round, progress, result })
    }

    /// The round that it is for.
    #[must_use]
    pub fn round(&self) -> u64 {
        self.round
    }

    /// The share of all states tried, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a share for people")]
        let tried = self.progress.tried.load(Ordering::Relaxed) as f64;
        tried / (1u64 << 32) as f64
    }

    /// The states, once they are all tried.
    #[must_use]
    pub fn take_result(&self) -> Option<Vec<State>> {
        self.result.try_recv().ok()
    }
}

impl Drop for BackgroundSearch {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

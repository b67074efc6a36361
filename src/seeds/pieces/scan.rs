//! All starts of a game against the pieces that were seen, on all cores, giving each up at the first piece that is wrong.

use super::KEPT;
use super::spaces::low;
use crate::game::piece::{Dealer, Piece};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Starts that are tried, or left out, together.
pub(super) const BLOCK: u64 = 1024;

/// How far a search is, told to other threads; and the way to end it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Blocks of starts that are done, of `blocks`.
    done: AtomicU64,
    blocks: AtomicU64,
    /// Starts found so far.
    pub found: AtomicU64,
    /// Set to end the search.
    pub cancel: AtomicBool,
}

impl Progress {
    /// The share that is done.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let blocks = self.blocks.load(Ordering::Relaxed).max(1);
        self.done.load(Ordering::Relaxed) as f64 / blocks as f64
    }
}

/// What the starts of a game deal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Scan {
    /// Starts that deal all pieces seen.
    pub count: u64,
    /// How many of them deal each piece next.
    pub next: [u64; 7],
    /// The most pieces, from the first, that any start deals.
    pub matched: usize,
    /// Those starts; only the first of them when there are more than [`KEPT`].
    pub kept: Vec<u64>,
}

impl Scan {
    fn and(mut self, mut other: Self) -> Self {
        self.count += other.count;
        for (mine, theirs) in self.next.iter_mut().zip(other.next) {
            *mine += theirs;
        }
        self.matched = self.matched.max(other.matched);
        self.kept.append(&mut other.kept);
        self.kept.truncate(KEPT);
        self
    }

    /// Tries one start, whose dealer stands before the first piece that was seen.
    #[inline]
    fn try_start<D: Dealer>(&mut self, index: u64, mut dealer: D, seen: &[Option<Piece>]) {
        for (place, &piece) in seen.iter().enumerate() {
            let dealt = dealer.deal();
            if piece.is_some_and(|piece| piece != dealt) {
                self.matched = self.matched.max(place);
                return;
            }
        }
        self.matched = seen.len();
        self.count += 1;
        self.next[dealer.deal().index()] += 1;
        if self.kept.len() < KEPT {
            self.kept.push(index);
        }
    }
}

/// Tries the starts 0 to `starts`. `make` gives the dealer of a start before the first piece of `seen`; blocks that
/// `possible` denies are left out, and must hold no start that deals the first piece. None when it was cancelled.
pub(super) fn scan<D: Dealer>(
    starts: u64,
    seen: &[Option<Piece>],
    progress: &Progress,
    possible: impl Fn(u64) -> bool + Sync,
    make: impl Fn(u64) -> D + Sync,
) -> Option<Scan> {
    let blocks = low(starts.div_ceil(BLOCK)); // at most 2^32 starts
    progress.blocks.store(blocks.into(), Ordering::Relaxed);
    let block = |mut all: Scan, block: u32| {
        let block = u64::from(block);
        if progress.cancel.load(Ordering::Relaxed) {
            return all;
        }
        if possible(block) {
            let before = all.count;
            for index in block * BLOCK..((block + 1) * BLOCK).min(starts) {
                all.try_start(index, make(index), seen);
            }
            progress.found.fetch_add(all.count - before, Ordering::Relaxed);
        }
        progress.done.fetch_add(1, Ordering::Relaxed);
        all
    };
    let all = (0..blocks)
        .into_par_iter()
        .with_min_len(16)
        .fold(Scan::default, block)
        .reduce(Scan::default, Scan::and);
    (!progress.cancel.load(Ordering::Relaxed)).then_some(all)
}

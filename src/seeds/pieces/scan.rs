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
    /// Set to end the search without an answer.
    pub cancel: AtomicBool,
    /// Set to end the search with what was found until then as its answer.
    pub stop: AtomicBool,
}

impl Progress {
    /// The share that is done.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let blocks = self.blocks.load(Ordering::Relaxed).max(1);
        self.done.load(Ordering::Relaxed) as f64 / blocks as f64
    }

    /// A search of so many blocks begins.
    pub(super) fn begin(&self, blocks: u64) {
        self.blocks.store(blocks, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    /// One more block is done.
    pub(super) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the search is to end, with or without an answer.
    pub(super) fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_cancelled()
    }

    /// Whether nothing of the search was left out.
    pub(super) fn is_complete(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.blocks.load(Ordering::Relaxed)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// What the starts of a game deal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
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

    /// Tries one start, whose dealer stands before the first piece that was seen. With it are counted the starts that come to
    /// the same by a draw that is refused: the one that `earlier` gives, the one before that, and so on.
    #[inline]
    fn try_start<D: Dealer>(
        &mut self,
        index: u64,
        mut dealer: D,
        seen: &[Option<Piece>],
        earlier: impl Fn(u64) -> Option<u64>,
    ) {
        for (place, &piece) in seen.iter().enumerate() {
            let dealt = dealer.deal();
            if piece.is_some_and(|piece| piece != dealt) {
                self.matched = self.matched.max(place);
                return;
            }
        }
        self.matched = seen.len();
        let next = dealer.deal().index();
        for same in std::iter::successors(Some(index), |&index| earlier(index)) {
            self.count += 1;
            self.next[next] += 1;
            if self.kept.len() < KEPT {
                self.kept.push(same);
            }
        }
    }
}

/// The different starts of a game.
pub(super) struct Starts<P, M, E> {
    /// They are numbered from 0 to one below this, at most 2^32.
    pub count: u64,
    /// Whether a block of starts is tried at all; what is not must deal another first piece, or be among what `earlier` gives.
    pub possible: P,
    /// The dealer of a start before the first piece of those seen; or how many of these it deals, when that can be told at once.
    pub make: M,
    /// Another start that comes to the same.
    pub earlier: E,
}

/// Tries all starts. None when it was cancelled.
pub(super) fn scan<D: Dealer>(
    starts: &Starts<
        impl Fn(u64) -> bool + Sync,
        impl Fn(u64) -> Result<D, usize> + Sync,
        impl Fn(u64) -> Option<u64> + Sync,
    >,
    seen: &[Option<Piece>],
    progress: &Progress,
) -> Option<Scan> {
    let blocks = low(starts.count.div_ceil(BLOCK));
    progress.begin(blocks.into());
    let block = |mut all: Scan, block: u32| {
        let block = u64::from(block);
        if progress.is_over() {
            return all;
        }
        if (starts.possible)(block) {
            let before = all.count;
            for index in block * BLOCK..((block + 1) * BLOCK).min(starts.count) {
                match (starts.make)(index) {
                    Ok(dealer) => all.try_start(index, dealer, seen, &starts.earlier),
                    Err(matched) => all.matched = all.matched.max(matched),
                }
            }
            progress.found.fetch_add(all.count - before, Ordering::Relaxed);
        }
        progress.step();
        all
    };
    let all = (0..blocks).into_par_iter().with_min_len(16).fold(Scan::default, block);
    let mut all = all.reduce(Scan::default, Scan::and);
    all.kept.sort_unstable();
    (!progress.is_cancelled()).then_some(all)
}

//! Compares all starts of a game with the given pieces on all cores, stopping each at its first wrong piece.

use crate::games::piece::{Dealer, Piece};
use crate::seeds::pieces::MAX_STORED;
use nextscope_task::Progress;
use rayon::prelude::*;

/// Starts that are tried or skipped together.
pub(crate) const BLOCK: u64 = 1024;

#[expect(clippy::cast_possible_truncation, reason = "starts are numbered with at most 32 bits")]
pub const fn low(start: u64) -> u32 {
    start as u32
}

/// The result of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// Starts that deal all given pieces.
    pub count: u64,
    /// How many of them deal each piece next.
    pub next: [u64; 7],
    /// The most pieces, from the first, that any start deals.
    pub matched: usize,
    /// Those starts; only the first of them if there are more than [`MAX_STORED`].
    pub stored: Vec<u64>,
}

impl Scan {
    fn and(mut self, mut other: Self) -> Self {
        self.count += other.count;
        for (mine, theirs) in self.next.iter_mut().zip(other.next) {
            *mine += theirs;
        }
        self.matched = self.matched.max(other.matched);
        self.stored.append(&mut other.stored);
        self.stored.truncate(MAX_STORED);
        self
    }

    /// Tries one start, whose dealer is positioned before the first given piece. If it matches, equivalent starts are counted too: those that
    /// lead to it through a rejected draw, as returned by `earlier`, repeatedly.
    #[inline]
    fn try_start<D: Dealer>(
        &mut self,
        index: u64,
        mut dealer: D,
        given: &[Option<Piece>],
        earlier: impl Fn(u64) -> Option<u64>,
    ) {
        for (place, &piece) in given.iter().enumerate() {
            let dealt = dealer.deal();
            if piece.is_some_and(|piece| piece != dealt) {
                self.matched = self.matched.max(place);
                return;
            }
        }
        self.matched = given.len();
        let next = dealer.deal().index();
        for same in std::iter::successors(Some(index), |&index| earlier(index)) {
            self.count += 1;
            self.next[next] += 1;
            if self.stored.len() < MAX_STORED {
                self.stored.push(same);
            }
        }
    }
}

/// The different starts of a game.
pub(crate) struct Starts<P, M, E> {
    /// Starts are numbered from 0 to one below this, at most 2^32.
    pub count: u64,
    /// Whether to try a block of starts; skipped starts must deal a different first piece, or be returned by `earlier`.
    pub possible: P,
    /// The dealer of a start before the first given piece; or how many pieces it deals, if that is known at once.
    pub make: M,
    /// Another, equivalent start.
    pub earlier: E,
}

/// [`scan`] of starts that are all possible and different.
pub(crate) fn scan_all<D: Dealer>(
    count: u64,
    make: impl Fn(u64) -> Result<D, usize> + Sync,
    given: &[Option<Piece>],
    progress: &Progress,
) -> Option<Scan> {
    scan(&Starts { count, possible: |_| true, make, earlier: |_| None }, given, progress)
}

/// Tries all starts. None if cancelled.
pub(crate) fn scan<D: Dealer>(
    starts: &Starts<
        impl Fn(u64) -> bool + Sync,
        impl Fn(u64) -> Result<D, usize> + Sync,
        impl Fn(u64) -> Option<u64> + Sync,
    >,
    given: &[Option<Piece>],
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
                    Ok(dealer) => all.try_start(index, dealer, given, &starts.earlier),
                    Err(matched) => all.matched = all.matched.max(matched),
                }
            }
            progress.add_found(all.count - before);
        }
        progress.add(1);
        all
    };
    let all = (0..blocks).into_par_iter().with_min_len(16).fold(Scan::default, block);
    let mut all = all.reduce(Scan::default, Scan::and);
    all.stored.sort_unstable();
    (!progress.is_cancelled()).then_some(all)
}

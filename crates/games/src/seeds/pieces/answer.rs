//! The result of a piece search.

use crate::seeds::pieces::MAX_STORED;

/// The result of a piece search.
///
/// If steps between picks are ranges, the counts are not starts but possible states of the game after the
/// last piece.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Different starts of the game, all of which were tried unless the search was stopped.
    pub starts: u64,
    /// Whether all starts were tried.
    pub complete: bool,
    /// The starts that deal the given pieces.
    pub count: u64,
    /// How many of them deal each piece next, in the order of `Piece::ALL`; with ranges of steps, each may deal several.
    pub next: [u64; 7],
    /// The chance of each piece to be next, for ranges of steps: all starts and all numbers of steps are equally likely.
    /// None if the chances follow from the counts.
    pub likely: Option<[f64; 7]>,
    /// The most pieces, from the first, that any start deals; if no start deals all, the next piece is the one that fails.
    pub matched: usize,
    /// The matching starts by number; None if there are more than [`MAX_STORED`].
    pub stored: Option<Vec<u64>>,
    /// The first [`MAX_STORED`] of them if there are more; empty otherwise.
    pub first: Vec<u64>,
    /// Why no start can deal the pieces, if the dealing rule alone forbids them and no start was tried.
    pub against_rule: Option<String>,
}

impl Answer {
    /// The starts that can be listed: all, or the first if there are more than [`MAX_STORED`].
    pub fn listed(&self) -> &[u64] {
        self.stored.as_deref().unwrap_or(&self.first)
    }

    /// The chance of each piece to be next if all starts are equally likely; None if no game deals the given pieces.
    #[expect(clippy::cast_precision_loss, reason = "a chance")]
    pub fn chances(&self) -> Option<[f64; 7]> {
        let counted = || self.next.map(|count| count as f64 / self.count as f64);
        (self.count > 0).then(|| self.likely.unwrap_or_else(counted))
    }
}

/// Splits the stored starts into "all of them" or "the first of them", by their count.
pub(crate) fn all_or_first(count: u64, mut stored: Vec<u64>) -> (Option<Vec<u64>>, Vec<u64>) {
    if count <= MAX_STORED as u64 {
        return (Some(stored), Vec::new());
    }
    stored.truncate(MAX_STORED);
    (None, stored)
}

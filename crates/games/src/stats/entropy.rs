//! The predictability of the next piece, in bits: 0 for certainty, log2(7) = 2.807 if all seven are equally likely.
//!
//! Three figures, each for a player who does not know the state of the generator (with the state, every game here is certain):
//! - *exact*: the mean entropy of the chances given by the randomizer itself, if available ([`Chances`](super::Chances));
//! - *given the last k pieces*, k = 0 to 4: from counts of which piece followed;
//! - *given how long each piece has been absent*: from counts of which piece came next, by recency rank (the most
//!   recent, the second, ...), for each pattern of the last twelve positions at which a piece last occurred.
//!
//! The last two use less than the entire history, so they can only be too high: they are upper bounds of the entropy given all
//! pieces so far. Entropies from counts are too low by about (cells - contexts) / (2 N ln 2) bits (Miller, Madow); this correction is added
//! and reported, and a figure with a correction above [`MAX_CORRECTION`] is omitted.

use crate::games::piece::Piece;
use serde::Serialize;

/// The longest context of letters.
pub const MAX_CONTEXT: usize = 4;
/// The length of the absence pattern, in pieces.
const PLACES: u32 = 12;
/// The largest correction of an entropy from counts, in bits, at which the figure is still reported.
pub const MAX_CORRECTION: f64 = 0.01;
/// 7^5: contexts of four letters with the piece that followed.
const GRAMS: u32 = 7 * LAST;
/// The contexts alone.
const LAST: u32 = 7 * 7 * 7 * 7;
/// Absence patterns, with room for seven ranks each.
const PATTERNS: usize = 8 << PLACES;

/// The entropy of these chances in bits.
pub fn bits(chances: &[f64; 7]) -> f64 {
    chances.iter().filter(|&&chance| chance > 0.0).map(|chance| -chance * chance.log2()).sum()
}

/// An entropy from counts.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct EntropyEstimate {
    /// Bits per piece, corrected.
    pub bits: f64,
    /// The correction that was added; the remaining error may be as large.
    pub correction: f64,
}

/// Counts of which piece followed which context.
#[derive(Clone, Debug)]
pub struct Contexts {
    grams: Box<[u32]>,
    patterns: Box<[u32]>,
    gram: u32,
    pattern: u32,
}

impl Contexts {
    /// An empty count.
    pub fn new() -> Self {
        Self {
            grams: vec![0; GRAMS as usize].into(),
            patterns: vec![0; PATTERNS].into(),
            gram: 0,
            pattern: 0,
        }
    }

    /// Counts piece number `at` (from 1), which was absent for `gap`; `last` has the last occurrence of each piece.
    pub(super) fn push(&mut self, at: u32, last: &[u32; 7], index: usize, gap: u32) {
        #[expect(clippy::cast_possible_truncation, reason = "below 7")]
        let coming = index as u32;
        self.gram = self.gram % LAST * 7 + coming;
        if at as usize > MAX_CONTEXT {
            self.grams[self.gram as usize] += 1;
        }
        let before = last[index];
        // Until all pieces have occurred, the recency ranks are undefined.
        if at > PLACES && before > 0 {
            let rank = last.iter().filter(|&&other| other > before).count();
            self.patterns[self.pattern as usize * 8 + rank] += 1;
        }
        if gap < PLACES {
            self.pattern &= !(1 << gap);
        }
        self.pattern = (self.pattern << 1 | 1) & ((1 << PLACES) - 1);
    }

    pub(super) fn end(&mut self) {
        (self.gram, self.pattern) = (0, 0);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (to, from) in [(&mut self.grams, &other.grams), (&mut self.patterns, &other.patterns)] {
            for (to, from) in to.iter_mut().zip(from.iter()) {
                *to = to.saturating_add(*from);
            }
        }
    }

    /// Given the last `length` pieces, 0 to [`MAX_CONTEXT`]; None if there are too few counts.
    pub fn given_last(&self, length: usize) -> Option<EntropyEstimate> {
        let cells = 7usize.pow(u32::try_from(length.min(MAX_CONTEXT)).unwrap_or(0) + 1);
        let mut counts = vec![0u64; cells];
        for (gram, &count) in self.grams.iter().enumerate() {
            counts[gram % cells] += u64::from(count);
        }
        counted(counts.as_chunks::<7>().0.iter().copied())
    }

    /// Given how long each piece has been absent; None if there are too few counts.
    pub fn given_absence(&self) -> Option<EntropyEstimate> {
        counted(
            self.patterns
                .as_chunks::<8>()
                .0
                .iter()
                .map(|&[a, b, c, d, e, f, g, _]| [a, b, c, d, e, f, g].map(u64::from)),
        )
    }
}

impl Default for Contexts {
    fn default() -> Self {
        Self::new()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn counted(contexts: impl Iterator<Item = [u64; 7]>) -> Option<EntropyEstimate> {
    let (mut sum, mut all, mut spare) = (0.0, 0.0, 0.0);
    for counts in contexts {
        let total = counts.iter().sum::<u64>() as f64;
        if total > 0.0 {
            sum += total * bits(&counts.map(|count| count as f64 / total));
            all += total;
            spare += counts.iter().filter(|&&count| count > 0).count() as f64 - 1.0;
        }
    }
    let correction = spare / (2.0 * all * std::f64::consts::LN_2);
    (all > 0.0 && correction <= MAX_CORRECTION)
        .then(|| EntropyEstimate { bits: sum / all + correction, correction })
}

/// The entropy if all pieces are equally likely.
pub fn no_memory() -> f64 {
    bits(&[1.0 / 7.0; Piece::ALL.len()])
}

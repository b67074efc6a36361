//! How well the next piece can be foretold, in bits: 0 for certainty, log2(7) = 2.807 when all seven are equally likely.
//!
//! Three figures, each of a player who does not know the state of the generator (to one who does, every game here is certain):
//! - *exact*: the mean entropy of the chances that the randomizer itself gives, where it can ([`super::chances`]);
//! - *given the last k pieces*, k = 0 to 4: from counts of what followed what;
//! - *given how long each piece has been away*: from counts of which piece came next, by how recently it was dealt (the most
//!   recent, the second, ...), for each pattern of the last twelve places at which the last one of a piece stands.
//!
//! The last two know less than the whole history, so they can only say too much: they are upper limits of the entropy given all
//! pieces so far. Counted entropies come out too low by about (cells - contexts) / (2 N ln 2) bits (Miller, Madow); that is added
//! and reported, and a figure with a correction above [`TRUSTED`] is not given.

use crate::game::piece::Piece;
use serde::Serialize;

/// The longest context of letters.
pub const LONGEST: usize = 4;
/// Places that the pattern of absence looks back on.
const PLACES: u32 = 12;
/// The largest correction of a counted entropy, in bits, at which the figure is still given.
pub const TRUSTED: f64 = 0.02;
/// 7^5: contexts of four letters with the piece that followed.
const GRAMS: usize = 7usize.pow(LONGEST as u32 + 1);
/// Patterns of absence, with room for seven ranks each.
const PATTERNS: usize = 8 << PLACES;

/// The entropy of these chances in bits.
#[must_use]
pub fn bits(chances: &[f64; 7]) -> f64 {
    chances.iter().filter(|&&chance| chance > 0.0).map(|chance| -chance * chance.log2()).sum()
}

/// An entropy that was counted.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Counted {
    /// Bits a piece, corrected.
    pub bits: f64,
    /// What was added to correct it; the same again may be wrong.
    pub correction: f64,
}

/// What followed what.
#[derive(Clone, Debug)]
pub struct Contexts {
    grams: Box<[u32]>,
    patterns: Box<[u32]>,
    gram: u32,
    pattern: u32,
}

impl Contexts {
    /// Nothing counted yet.
    #[must_use]
    pub fn new() -> Self {
        Self { grams: vec![0; GRAMS].into(), patterns: vec![0; PATTERNS].into(), gram: 0, pattern: 0 }
    }

    /// Counts piece number `at` (from 1), which was away for `gap`; `last` says when each piece came before.
    pub(super) fn push(&mut self, at: u32, last: &[u32; 7], index: usize, gap: u32) {
        #[expect(clippy::cast_possible_truncation, reason = "below 7")]
        let coming = index as u32;
        self.gram = self.gram % (GRAMS as u32 / 7) * 7 + coming;
        if at as usize > LONGEST {
            self.grams[self.gram as usize] += 1;
        }
        let before = last[index];
        // While pieces have not come at all, which of them is more recent cannot be told.
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

    /// Given the last `length` pieces, 0 to [`LONGEST`]; None when too little was counted.
    #[must_use]
    pub fn given_last(&self, length: usize) -> Option<Counted> {
        let cells = 7usize.pow(u32::try_from(length.min(LONGEST)).unwrap_or(0) + 1);
        let mut counts = vec![0u64; cells];
        for (gram, &count) in self.grams.iter().enumerate() {
            counts[gram % cells] += u64::from(count);
        }
        counted(counts.as_chunks::<7>().0.iter().copied())
    }

    /// Given how long each piece has been away; None when too little was counted.
    #[must_use]
    pub fn given_absence(&self) -> Option<Counted> {
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
fn counted(contexts: impl Iterator<Item = [u64; 7]>) -> Option<Counted> {
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
    (all > 0.0 && correction <= TRUSTED).then(|| Counted { bits: sum / all + correction, correction })
}

/// All pieces equally likely.
#[must_use]
pub fn no_memory() -> f64 {
    bits(&[1.0 / 7.0; Piece::ALL.len()])
}

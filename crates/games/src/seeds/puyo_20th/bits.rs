//! Sets of seeds: one bit for each of the 65,536, or only the nonzero words.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use super::GAMES;
use crate::game::puyo_20th::Seed;

/// Words of a set.
pub const WORDS: usize = GAMES / 64;

/// A set of seeds, one bit each.
pub type Bits = [u64; WORDS];

/// An empty set on the heap (8 KiB).
pub fn none() -> Box<Bits> {
    Box::new([0; WORDS])
}

/// A test of the members of a set against planes of other sets.
#[derive(Clone, Copy)]
pub enum Test<'a> {
    /// In this plane.
    In(&'a Bits),
    /// In both.
    Both(&'a Bits, &'a Bits),
    /// In one of them.
    Either(&'a Bits, &'a Bits),
    /// In the first and second, or in the third and fourth.
    Cross(&'a Bits, &'a Bits, &'a Bits, &'a Bits),
}

/// A set of matching seeds.
#[derive(Clone)]
pub enum Set {
    /// Every seed.
    All,
    /// Most words are nonzero.
    Dense(Box<Bits>),
    /// The nonzero words with their indices.
    Sparse(Vec<(u16, u64)>),
}

/// Below this number of nonzero words, a set stores only those.
const SPARSE: usize = WORDS / 2;

impl Set {
    /// The members that pass the test.
    pub fn narrowed(&self, test: Test<'_>) -> Self {
        // A loop for each kind of test, so that each is a straight pass over the words.
        match test {
            Test::In(a) => self.keeping(|w| a[w]),
            Test::Both(a, b) => self.keeping(|w| a[w] & b[w]),
            Test::Either(a, b) => self.keeping(|w| a[w] | b[w]),
            Test::Cross(a, b, c, d) => self.keeping(|w| a[w] & b[w] | c[w] & d[w]),
        }
    }

    fn keeping(&self, plane: impl Fn(usize) -> u64) -> Self {
        let mut dense = none();
        match self {
            Self::Sparse(words) => {
                let left = words.iter().map(|&(w, bits)| (w, bits & plane(usize::from(w))));
                return Self::Sparse(left.filter(|&(_, bits)| bits != 0).collect());
            }
            Self::All => {
                for (w, out) in dense.iter_mut().enumerate() {
                    *out = plane(w);
                }
            }
            Self::Dense(bits) => {
                for (w, (out, bits)) in dense.iter_mut().zip(bits.iter()).enumerate() {
                    *out = bits & plane(w);
                }
            }
        }
        let full = dense.iter().filter(|&&bits| bits != 0).count();
        if full >= SPARSE {
            return Self::Dense(dense);
        }
        // Every word is written and overwritten by the next one if it is zero: this avoids an unpredictable branch.
        let mut words = vec![(0, 0); full + 1];
        let mut left = 0;
        for word in (0u16..).zip(*dense) {
            words[left] = word;
            left += usize::from(word.1 != 0);
        }
        words.truncate(full);
        Self::Sparse(words)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Sparse(words) if words.is_empty())
    }

    /// Adds all members to `bits`.
    pub fn add_to(&self, bits: &mut Bits) {
        match self {
            Self::All => bits.fill(u64::MAX),
            Self::Dense(own) => bits.iter_mut().zip(own.iter()).for_each(|(bits, own)| *bits |= own),
            Self::Sparse(words) => words.iter().for_each(|&(w, own)| bits[usize::from(w)] |= own),
        }
    }

    /// The members, ascending.
    pub fn seeds(&self) -> Vec<Seed> {
        match self {
            Self::All => (0..=Seed::MAX).collect(),
            Self::Dense(bits) => members((0u16..).zip(bits.iter().copied())),
            Self::Sparse(words) => members(words.iter().copied()),
        }
    }
}

/// The members of some words, ascending.
pub fn members(words: impl Iterator<Item = (u16, u64)>) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (word, mut bits) in words {
        while bits != 0 {
            seeds.push(word * 64 + bits.trailing_zeros() as Seed);
            bits &= bits - 1;
        }
    }
    seeds
}

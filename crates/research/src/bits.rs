//! The candidates of a block, in the smallest form.

use std::sync::Arc;

/// Bytes of a block: a page, so that memory which a process never touched or changed costs nothing.
pub(super) const BLOCK: usize = 4096;

/// Words of bits for a block with two cells in each byte.
pub(super) const WORDS_MOST: usize = 2 * BLOCK / 64;

/// Up to this many candidates are stored as a list.
const FEW: usize = 64;

/// The candidates of a block, by cell number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Bits {
    #[default]
    None,
    All,
    /// Ascending.
    Few(Arc<[u16]>),
    /// A bit for each cell, and how many are set.
    Many(Arc<[u64]>, u16),
}

impl Bits {
    /// From a bit for each cell; `cells` has a bit for every cell of the block.
    pub fn from_words(words: &[u64], cells: &[u64]) -> Self {
        if words.iter().all(|word| *word == 0) {
            return Self::None;
        }
        let count = count(words);
        if words == cells {
            Self::All
        } else if count <= FEW {
            Self::Few(ones(words).collect())
        } else {
            Self::Many(words.into(), u16::try_from(count).unwrap_or(u16::MAX))
        }
    }

    pub fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// How many candidates; `cells` counts the cells of the block.
    pub fn count(&self, cells: impl FnOnce() -> usize) -> usize {
        match self {
            Self::None => 0,
            Self::All => cells(),
            Self::Few(list) => list.len(),
            Self::Many(_, count) => usize::from(*count),
        }
    }

    /// Writes a bit for each candidate.
    pub fn write(&self, cells: &[u64], words: &mut [u64]) {
        match self {
            Self::None => words.fill(0),
            Self::All => words.copy_from_slice(cells),
            Self::Few(list) => {
                words.fill(0);
                for cell in list.iter() {
                    words[usize::from(*cell) / 64] |= 1 << (cell % 64);
                }
            }
            Self::Many(all, _) => words.copy_from_slice(all),
        }
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        match self {
            Self::None | Self::All => 0,
            Self::Few(list) => 16 + size_of_val::<[u16]>(list),
            Self::Many(words, _) => 16 + size_of_val::<[u64]>(words),
        }
    }

    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) | (Self::All, Self::All) => true,
            (Self::Few(one), Self::Few(other)) => Arc::ptr_eq(one, other),
            (Self::Many(one, _), Self::Many(other, _)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Bits set.
pub(super) fn count(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The numbers of the bits set, ascending.
#[expect(clippy::cast_possible_truncation, reason = "a word has 64 bits")]
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u16> {
    (0u16..).zip(words).flat_map(|(at, word)| {
        let next = |rest: &u64| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
        let some = Some(*word).filter(|word| *word != 0);
        std::iter::successors(some, next).map(move |rest| 64 * at + rest.trailing_zeros() as u16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_smallest_form_is_taken_and_gives_the_same_bits_back() {
        let cells = [u64::MAX; 64];
        let mut words = [0; 64];
        assert!(Bits::from_words(&words, &cells).is_none());
        assert_eq!(Bits::from_words(&cells, &cells), Bits::All);
        assert_eq!(Bits::All.count(|| 4096), 4096);
        words[63] = 1 << 63;
        assert_eq!(Bits::from_words(&words, &cells), Bits::Few([4095].into()));
        words[0] = u64::MAX;
        assert!(matches!(Bits::from_words(&words, &cells), Bits::Many(_, 65)));
    }

    proptest! {
        #[test]
        fn bits_come_back_whatever_the_form(set in proptest::collection::btree_set(0u16..8192, 0..200)) {
            let mut words = [0u64; WORDS_MOST];
            for cell in &set {
                words[usize::from(*cell) / 64] |= 1 << (cell % 64);
            }
            prop_assert_eq!(ones(&words).collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            let cells = [u64::MAX; WORDS_MOST];
            let bits = Bits::from_words(&words, &cells);
            prop_assert_eq!(bits.count(|| 8192), set.len());
            let mut back = [7; WORDS_MOST];
            bits.write(&cells, &mut back);
            prop_assert_eq!(back, words);
        }
    }
}

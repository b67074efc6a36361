//! Properties of colour set and pools that every state gives: checks that need no random numbers.
//!
//! Source: reference 1.9, derived from the generator of 1.2.

use crate::games::puyo_tsu::generator::{Setup, reachable_color_sets};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use serde::Serialize;
use std::fmt;

/// A property that no generated round has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "flaw")]
pub enum Flaw {
    /// The colour set is none of the 96 that five draws can make.
    ColorSet {
        /// The eight bytes.
        actual: [u8; 8],
    },
    /// A pool contains a colour that its round does not have.
    ForeignColor {
        /// The pool.
        pool: PoolId,
        /// The first invalid byte, 0 to 255.
        index: usize,
        /// Its value.
        actual: u8,
    },
    /// A pool contains a colour too often or too rarely.
    Count {
        /// The pool.
        pool: PoolId,
        /// The colour code.
        color: u8,
        /// The lowest possible count.
        least: usize,
        /// The highest possible count.
        most: usize,
        /// The actual count.
        actual: usize,
    },
    /// A byte that is copied from another pool differs from it.
    Copy {
        /// The pool with the copy.
        pool: PoolId,
        /// The pool with the original.
        from: PoolId,
        /// The first byte that differs, 0 to 255.
        index: usize,
        /// The value in the original.
        expected: u8,
        /// The value in the copy.
        actual: u8,
    },
}

/// Up to this many differing bytes, two pools count as original and damaged copy.
const FEW: usize = 16;

impl Flaw {
    /// The distance from a possible round, to distinguish a fault (small) from a round of another kind (large): the number of excess or
    /// missing colours; an invalid colour counts as many, a copied byte as one.
    pub fn weight(&self) -> usize {
        match *self {
            Self::ColorSet { .. } | Self::Copy { .. } => 1,
            Self::ForeignColor { .. } => POOL_LEN / 4,
            Self::Count { least, most, actual, .. } => {
                least.saturating_sub(actual) + actual.saturating_sub(most)
            }
        }
    }

    /// The affected pool, and the byte if a single byte is affected.
    pub fn place(&self) -> (Option<PoolId>, Option<usize>) {
        match *self {
            Self::ColorSet { .. } => (None, None),
            Self::ForeignColor { pool, index, .. } | Self::Copy { pool, index, .. } => {
                (Some(pool), Some(index))
            }
            Self::Count { pool, .. } => (Some(pool), None),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ColorSet { actual } => write!(f, "colour set {actual:02X?} cannot be drawn"),
            Self::ForeignColor { pool, index, actual } => {
                write!(f, "{pool}, byte {index}: {actual:02X} is not a colour of this pool")
            }
            Self::Count { pool, color, least, most, actual } if least == most => {
                write!(f, "{pool}: colour {color} occurs {actual} times, not {least}")
            }
            Self::Count { pool, color, least, most, actual } => {
                write!(f, "{pool}: colour {color} occurs {actual} times, not {least} to {most}")
            }
            Self::Copy { pool, from, index, expected, actual } => {
                write!(
                    f,
                    "{pool}, byte {index}: {actual:02X}, but it is copied from the {from}, which has {expected:02X}"
                )
            }
        }
    }
}

/// Everything in these bytes that no generated round of this setup has; empty for a generated round.
pub fn flaws(color_set: [u8; 8], pools: &[Pool; 3], setup: Setup) -> Vec<Flaw> {
    let mut found = Vec::new();
    if !reachable_color_sets().contains(&color_set) {
        found.push(Flaw::ColorSet { actual: color_set });
    }
    let [three, four, _] = pools;
    // Bytes at the start that are copied from another pool, in RAM order (reference 1.2, step 6).
    let copied = if setup.is_versus() { [0, 4, 8] } else { [0, 0, 0] };
    for (id, colors) in PoolId::ALL.into_iter().zip(setup.colors()) {
        if let Some(colors) = colors {
            found.extend(pool_flaws(id, &pools[id.index()], &color_set[..colors], copied[id.index()]));
        }
    }
    let copy = |into: PoolId, from: PoolId, range: std::ops::Range<usize>| {
        let (target, source) = (&pools[into.index()], &pools[from.index()]);
        let index = range.into_iter().find(|&i| target[i] != source[i])?;
        Some(Flaw::Copy { pool: into, from, index, expected: source[index], actual: target[index] })
    };
    if setup.is_versus() {
        found.extend(copy(PoolId::Four, PoolId::Three, 0..4));
        found.extend(copy(PoolId::Five, PoolId::Three, 0..4));
        found.extend(copy(PoolId::Five, PoolId::Four, 4..8));
    } else if three != four {
        // In story mode one pool is a copy of the other: if they nearly agree, the faulty one is the one with wrong counts.
        let apart = three.iter().zip(four).filter(|(a, b)| a != b).count();
        let odd = |pool: PoolId| move |flaw: &Flaw| flaw.place().0 == Some(pool);
        let three_is_odd = found.iter().any(odd(PoolId::Three)) && !found.iter().any(odd(PoolId::Four));
        let (wrong, right) =
            if three_is_odd { (PoolId::Three, PoolId::Four) } else { (PoolId::Four, PoolId::Three) };
        if apart <= FEW {
            found.retain(|flaw| !odd(wrong)(flaw));
        }
        found.extend(copy(wrong, right, 0..POOL_LEN));
    }
    found
}

/// A pool is a permutation of its cyclic fill except for the bytes copied over its start, so each colour's
/// count in the rest differs from its count in the fill by at most the number of copied bytes.
fn pool_flaws(id: PoolId, pool: &Pool, colors: &[u8], copied: usize) -> Option<Flaw> {
    if let Some(index) = pool.iter().position(|byte| !colors.contains(byte)) {
        return Some(Flaw::ForeignColor { pool: id, index, actual: pool[index] });
    }
    colors.iter().enumerate().find_map(|(nth, &color)| {
        let filled = (POOL_LEN - nth).div_ceil(colors.len());
        let (least, most) = (filled.saturating_sub(copied), filled);
        let actual = pool[copied..].iter().filter(|&&byte| byte == color).count();
        let possible = (least..=most).contains(&actual);
        (!possible).then_some(Flaw::Count { pool: id, color, least, most, actual })
    })
}

/// One setup for each possible number of colours in the pools of a round.
pub const POOL_SETUPS: [Setup; 4] = [
    Setup::VERSUS,
    Setup { pop_count: 5, ..Setup::VERSUS },
    Setup { mode: 0, ..Setup::VERSUS },
    Setup { mode: 0, rank: 2, ..Setup::VERSUS },
];

/// The setup under which these bytes look like a generated round, if any: the structural anchor. Noise
/// passes with a chance far below 10^-100, and zeros do not pass.
pub fn looks_generated(color_set: [u8; 8], pools: &[Pool; 3]) -> Option<Setup> {
    POOL_SETUPS.into_iter().find(|&setup| flaws(color_set, pools, setup).is_empty())
}

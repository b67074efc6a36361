//! Properties of colour map and pools that every seed gives: checks that need no random numbers.
//!
//! Source: follows from the generator of reference 2.1.

use crate::games::puyo_20th::generator::{COPIED, ColorMap};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use serde::Serialize;
use std::fmt;

/// A property that no generated round has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "flaw")]
pub enum Flaw {
    /// The colour map is not a permutation of 1 to 5.
    ColorMap {
        /// The five cells.
        actual: [u32; 5],
    },
    /// A pool contains a digit outside its colours.
    ForeignDigit {
        /// The pool.
        pool: PoolId,
        /// The first invalid byte, 0 to 255.
        index: usize,
        /// Its value.
        actual: u8,
    },
    /// A pool contains a digit too often or too rarely.
    Count {
        /// The pool.
        pool: PoolId,
        /// The digit.
        digit: u8,
        /// The lowest possible count.
        least: usize,
        /// The highest possible count.
        most: usize,
        /// The actual count.
        actual: usize,
    },
    /// A byte that is copied from the 3-colour pool differs from it.
    Copy {
        /// The pool with the copy.
        pool: PoolId,
        /// The first byte that differs, 0 to 3.
        index: usize,
        /// The value in the 3-colour pool.
        expected: u8,
        /// The value in the copy.
        actual: u8,
    },
}

impl Flaw {
    /// The affected pool, and the byte if a single byte is affected.
    pub fn place(&self) -> (Option<PoolId>, Option<usize>) {
        match *self {
            Self::ColorMap { .. } => (None, None),
            Self::ForeignDigit { pool, index, .. } | Self::Copy { pool, index, .. } => {
                (Some(pool), Some(index))
            }
            Self::Count { pool, .. } => (Some(pool), None),
        }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ColorMap { actual } => {
                write!(f, "colour map {actual:X?} does not contain each of 1 to 5 once")
            }
            Self::ForeignDigit { pool, index, actual } => {
                write!(f, "{pool}, byte {index}: {actual:02X} is not a colour of this pool")
            }
            Self::Count { pool, digit, least, most, actual } if least == most => {
                write!(f, "{pool}: digit {digit} occurs {actual} times, not {least}")
            }
            Self::Count { pool, digit, least, most, actual } => {
                write!(
                    f,
                    "{pool}: digit {digit} occurs {actual} times from byte {COPIED} on, not {least} to {most}"
                )
            }
            Self::Copy { pool, index, expected, actual } => {
                write!(
                    f,
                    "{pool}, byte {index}: {actual:02X}, but it is copied from the {}, which has {expected:02X}",
                    PoolId::Three
                )
            }
        }
    }
}

/// Everything in these bytes that no generated round has; empty for a generated round.
pub fn flaws(map_cells: [u32; 5], pools: &[Pool; 3]) -> Vec<Flaw> {
    let mut found = Vec::new();
    if ColorMap::from_cells(map_cells).is_none() {
        found.push(Flaw::ColorMap { actual: map_cells });
    }
    for (id, pool) in PoolId::ALL.into_iter().zip(pools) {
        found.extend(pool_flaw(id, pool));
    }
    let three = &pools[PoolId::Three.index()];
    for id in [PoolId::Four, PoolId::Five] {
        let pool = &pools[id.index()];
        found.extend((0..COPIED).find(|&i| pool[i] != three[i]).map(|index| Flaw::Copy {
            pool: id,
            index,
            expected: three[index],
            actual: pool[index],
        }));
    }
    found
}

/// A pool is a permutation of its cyclic fill except for the bytes copied over its start, so each digit's count in the
/// rest differs from its count in the fill by at most the number of copied bytes.
fn pool_flaw(id: PoolId, pool: &Pool) -> Option<Flaw> {
    let colors = id.colors();
    if let Some(index) = pool.iter().position(|&byte| usize::from(byte) >= colors) {
        return Some(Flaw::ForeignDigit { pool: id, index, actual: pool[index] });
    }
    let copied = if id == PoolId::Three { 0 } else { COPIED };
    (0u8..).zip(0..colors).find_map(|(digit, nth)| {
        let most = (POOL_LEN - nth).div_ceil(colors);
        let least = most - copied;
        let actual = pool[copied..].iter().filter(|&&byte| byte == digit).count();
        let possible = (least..=most).contains(&actual);
        (!possible).then_some(Flaw::Count { pool: id, digit, least, most, actual })
    })
}

/// Whether these bytes look like a generated round: the structural anchor. Noise passes with a chance far below 10^-100, and
/// zeros do not pass. No wrong byte is tolerated: an anchor that matches with errors could be at a wrong address nearby.
pub fn looks_generated(map_cells: [u32; 5], pools: &[Pool; 3]) -> bool {
    flaws(map_cells, pools).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_20th::generate;

    #[test]
    fn generated_rounds_have_no_flaws() {
        for seed in (0..=u16::MAX).step_by(97) {
            let round = generate(seed);
            assert_eq!(flaws(round.color_map.cells(), &round.pools), [], "{seed:04X}");
        }
        assert!(!looks_generated([0; 5], &[[0; POOL_LEN]; 3]));
    }

    #[test]
    fn flaws_name_the_affected_place() {
        let round = generate(0x6119);
        let cells = round.color_map.cells();
        let changed = |pool: PoolId, index: usize, byte: u8| {
            let mut pools = round.pools;
            assert_ne!(pools[pool.index()][index], byte);
            pools[pool.index()][index] = byte;
            flaws(cells, &pools)
        };
        let places = |found: Vec<Flaw>| found.iter().map(Flaw::place).collect::<Vec<_>>();
        // 3-colour pool 2000..., 4-colour pool 2000 0322...
        assert_eq!(places(changed(PoolId::Five, 200, 5)), [(Some(PoolId::Five), Some(200))]);
        assert_eq!(places(changed(PoolId::Three, 200, 3)), [(Some(PoolId::Three), Some(200))]);
        assert_eq!(places(changed(PoolId::Four, 3, 1)), [(Some(PoolId::Four), Some(3))]);
        assert_eq!(places(changed(PoolId::Four, 0, 0)), [(Some(PoolId::Four), Some(0))]);
        let of_three = changed(PoolId::Three, 255, (round.pools[0][255] + 1) % 3);
        assert_eq!(places(of_three), [(Some(PoolId::Three), None)]);

        let mut pools = round.pools;
        for byte in &mut pools[1][4..20] {
            *byte = 0;
        }
        assert!(matches!(
            flaws(cells, &pools)[..],
            [Flaw::Count { pool: PoolId::Four, digit: 0, most: 64, .. }]
        ));
        assert_eq!(flaws([1, 2, 3, 4, 4], &round.pools), [Flaw::ColorMap { actual: [1, 2, 3, 4, 4] }]);
    }
}

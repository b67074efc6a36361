//! What no game can show, and where that is first seen: asked before billions of states are.

use super::query::{Alternative, Seen, Source};
use crate::game::puyo_tsu::{Color, Flaw, Level, POOL_LEN, PoolId, flaws, reachable_color_sets};
use std::fmt;

/// Where something was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A dealt pair, from 0.
    Pair {
        /// Its number in the round, from 0.
        deal_index: u32,
    },
    /// A byte of a pool.
    Byte {
        /// The pool.
        pool: PoolId,
        /// 0 to 255.
        index: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair { deal_index } => write!(f, "pair {}", u64::from(*deal_index) + 1),
            Self::Byte { pool, index } => write!(f, "{pool}, byte {index}"),
        }
    }
}

/// Why no game shows what was seen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The colour set is none of the 96 that five draws can make.
    #[error("colour set {actual:02X?} cannot be drawn: it is none of the 96 orders that five draws make")]
    ColorSet {
        /// The bytes given.
        actual: Vec<u8>,
    },
    /// A code that the generator never puts into a pool.
    #[error(
        "{place}: {code:02X} is no colour of this game; there are 00 red, 01 yellow, 03 green, 04 purple, 05 blue"
    )]
    NotAColor {
        /// Where.
        place: Place,
        /// The code.
        code: u8,
    },
    /// A level byte without a pool.
    #[error("level {} has no pool; levels are 1 to 5", level.0 + 1)]
    Level {
        /// The level.
        level: Level,
    },
    /// A pool that is not made under this setup.
    #[error("the {pool} is not made in this mode: what stands there is left from an earlier round")]
    NotMade {
        /// The pool.
        pool: PoolId,
    },
    /// More colours, or other ones, than the pool can hold beside what was seen before.
    #[error(
        "it first fails at {place}: the {pool} has {colors} colours here, and no order of the colours has these beside what was seen before"
    )]
    Colors {
        /// Where it first fails.
        place: Place,
        /// The pool.
        pool: PoolId,
        /// The colours that it has under this setup.
        colors: usize,
    },
    /// The same byte was seen as two colours; copies count as the same.
    #[error(
        "it first fails at {place}, which contradicts what was seen before: both come from bytes {index} and {} of the {pool}", index + 1
    )]
    Contradiction {
        /// Where the second was seen.
        place: Place,
        /// The pool from which both come.
        pool: PoolId,
        /// The first of its two bytes.
        index: usize,
    },
    /// A colour more often than a pool holds it.
    #[error("it first fails at {place}: the {pool} then holds {} {count} times, and it has {most} at most", Color(*color).name())]
    TooMany {
        /// Where it first fails.
        place: Place,
        /// The pool.
        pool: PoolId,
        /// The colour code.
        color: u8,
        /// How often it was seen.
        count: usize,
        /// How often it can stand there.
        most: usize,
    },
    /// Whole pools that no round has.
    #[error("it first fails at {0}")]
    Flaw(Flaw),
}

/// Colours the draws shuffle.
const COLORS: [u8; 5] = [0, 1, 3, 4, 5];

/// That the known bytes are colours of the game.
pub(super) fn check_colors(place: Place, bytes: &Alternative) -> Result<(), Impossible> {
    match bytes.iter().flatten().find(|code| !COLORS.contains(code)) {
        Some(&code) => Err(Impossible::NotAColor { place, code }),
        None => Ok(()),
    }
}

/// The colour sets that the one given leaves, or all.
pub(super) fn color_sets(seen: &Seen) -> Result<Vec<[u8; 8]>, Impossible> {
    let all = reachable_color_sets();
    match seen.color_set {
        None => Ok(all.to_vec()),
        Some(set) if all.contains(&set) => Ok(vec![set]),
        Some(set) => Err(Impossible::ColorSet { actual: set.to_vec() }),
    }
}

/// What is wrong with whole pools beside a known colour set: noise, counts, copies.
pub(super) fn check_whole_pools(seen: &Seen) -> Result<(), Impossible> {
    let Some(set) = seen.color_set else { return Ok(()) };
    let whole = |pool: PoolId| -> Option<[u8; POOL_LEN]> {
        if seen.setup.colors()[pool.index()].is_none() {
            return Some([0; POOL_LEN]); // not made, and not looked at
        }
        let bytes = seen.pools[pool.index()]?;
        if bytes.iter().any(Option::is_none) {
            return None;
        }
        Some(bytes.map(Option::unwrap_or_default))
    };
    let [three, four, five] = PoolId::ALL.map(whole);
    let (Some(three), Some(four), Some(five)) = (three, four, five) else { return Ok(()) };
    match flaws(set, &[three, four, five], seen.setup).into_iter().next() {
        None => Ok(()),
        Some(Flaw::ColorSet { actual }) => Err(Impossible::ColorSet { actual: actual.to_vec() }),
        Some(flaw) => Err(Impossible::Flaw(flaw)),
    }
}

/// How often each colour was seen in the bytes that each pool shuffles.
#[derive(Debug, Default)]
pub(super) struct Counts {
    seen: Vec<(Source, Vec<Alternative>)>,
    counts: [[usize; 8]; 3],
    colors: [usize; 3],
}

impl Counts {
    /// Counts two bytes, instead of what was counted for them before.
    pub fn add(&mut self, source: Source, alternatives: &[Alternative]) {
        let before = self.seen.iter().position(|(other, _)| *other == source);
        let counts = &mut self.counts[source.pool.index()];
        if let Some(before) = before {
            let (_, old) = self.seen.swap_remove(before);
            for code in sure(&old) {
                counts[usize::from(code)] -= 1;
            }
        }
        for code in sure(alternatives) {
            counts[usize::from(code)] += 1;
        }
        self.colors[source.pool.index()] = source.colors;
        self.seen.push((source, alternatives.to_vec()));
    }

    /// Keeps the colour sets under which no colour was seen too often: a pool is filled round robin, so its first
    /// colours may stand there once more than the others.
    pub fn check(&self, place: Place, sets: &mut Vec<[u8; 8]>) -> Result<(), Impossible> {
        let most = |set: &[u8; 8], colors: usize, color: u8| {
            let nth = set[..colors].iter().position(|&other| other == color);
            nth.map_or(0, |nth| (POOL_LEN - nth).div_ceil(colors))
        };
        for pool in PoolId::ALL {
            let colors = self.colors[pool.index()];
            for color in COLORS {
                let count = self.counts[pool.index()][usize::from(color)];
                if colors == 0 || count == 0 {
                    continue;
                }
                let highest = sets.iter().map(|set| most(set, colors, color)).max().unwrap_or(0);
                sets.retain(|set| count <= most(set, colors, color));
                if sets.is_empty() {
                    return Err(Impossible::TooMany { place, pool, color, count, most: highest });
                }
            }
        }
        Ok(())
    }
}

/// The colours that two bytes hold whichever of the alternatives is true, each as often as it does.
fn sure(alternatives: &[Alternative]) -> Vec<u8> {
    let Some((first, others)) = alternatives.split_first() else { return Vec::new() };
    let of = |one: &Alternative| one.iter().flatten().copied().collect::<Vec<u8>>();
    let mut common = of(first);
    for other in others {
        let mut left = of(other);
        common.retain(|code| left.iter().position(|c| c == code).map(|at| left.swap_remove(at)).is_some());
    }
    common
}

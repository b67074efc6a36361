//! Rejects impossible observations, with the first contradiction, before billions of states are tried.

use crate::games::puyo_tsu::seeds::observations::{Alternative, Observations, Source};
use crate::games::puyo_tsu::{Color, Flaw, Level, POOL_LEN, PoolId, flaws, reachable_color_sets};
use std::fmt;

/// The position of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservationPosition {
    /// A dealt pair, from 0.
    Pair {
        /// Its number in the round, from 0.
        deal_index: u32,
    },
    /// A byte of a pool.
    Byte {
        /// The pool.
        pool: PoolId,
        /// The index, 0 to 255.
        index: usize,
    },
}

impl fmt::Display for ObservationPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair { deal_index } => write!(f, "pair {}", u64::from(*deal_index) + 1),
            Self::Byte { pool, index } => write!(f, "{pool}, byte {index}"),
        }
    }
}

/// Why no game matches the observations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Impossible {
    #[error("colour set {actual:02X?} is impossible: it is none of the 96 sets that five draws can make")]
    ColorSet { actual: Vec<u8> },
    #[error(
        "{place}: {code:02X} is not a colour of this game; the colours are 00 red, 01 yellow, 03 green, 04 purple, 05 blue"
    )]
    NotAColor { place: ObservationPosition, code: u8 },
    #[error("level {} has no pool; levels are 1 to 5", level.0 + 1)]
    Level { level: Level },
    #[error("the {pool} is not generated in this mode; its content is from an earlier round")]
    NotMade { pool: PoolId },
    #[error(
        "it fails at {place}: the {pool} has {colors} colours here, and no colour order has these colours together with the earlier ones"
    )]
    Colors { place: ObservationPosition, pool: PoolId, colors: usize },
    #[error(
        "it fails at {place}, which contradicts an earlier entry: both come from bytes {index} and {} of the {pool}", index + 1
    )]
    Contradiction { place: ObservationPosition, pool: PoolId, index: usize },
    #[error("it fails at {place}: the {pool} would contain {} {count} times, but {most} is the maximum", Color(*color).name())]
    TooMany { place: ObservationPosition, pool: PoolId, color: u8, count: usize, most: usize },
    #[error("it fails at {0}")]
    Flaw(Flaw),
}

/// Colours that the draws shuffle.
const COLORS: [u8; 5] = [0, 1, 3, 4, 5];

/// Checks that the known bytes are colours of the game.
pub(super) fn check_colors(place: ObservationPosition, bytes: &Alternative) -> Result<(), Impossible> {
    match bytes.iter().flatten().find(|code| !COLORS.contains(code)) {
        Some(&code) => Err(Impossible::NotAColor { place, code }),
        None => Ok(()),
    }
}

/// The colour sets that match the given one, or all.
pub(super) fn color_sets(observed: &Observations) -> Result<Vec<[u8; 8]>, Impossible> {
    let all = reachable_color_sets();
    match observed.color_set {
        None => Ok(all.to_vec()),
        Some(set) if all.contains(&set) => Ok(vec![set]),
        Some(set) => Err(Impossible::ColorSet { actual: set.to_vec() }),
    }
}

/// Checks complete pools together with a known colour set: noise, counts, copies.
pub(super) fn check_pools(observed: &Observations) -> Result<(), Impossible> {
    let Some(set) = observed.color_set else { return Ok(()) };
    let complete = |pool: PoolId| -> Option<[u8; POOL_LEN]> {
        if observed.setup.colors()[pool.index()].is_none() {
            return Some([0; POOL_LEN]); // not generated, and ignored
        }
        let bytes = observed.pools[pool.index()]?;
        if bytes.iter().any(Option::is_none) {
            return None;
        }
        Some(bytes.map(Option::unwrap_or_default))
    };
    let [three, four, five] = PoolId::ALL.map(complete);
    let (Some(three), Some(four), Some(five)) = (three, four, five) else { return Ok(()) };
    match flaws(set, &[three, four, five], observed.setup).into_iter().next() {
        None => Ok(()),
        Some(Flaw::ColorSet { actual }) => Err(Impossible::ColorSet { actual: actual.to_vec() }),
        Some(flaw) => Err(Impossible::Flaw(flaw)),
    }
}

/// The observed count of each colour in the bytes that each pool shuffles.
#[derive(Debug, Default)]
pub(super) struct Counts {
    observed: Vec<(Source, Vec<Alternative>)>,
    counts: [[usize; 8]; 3],
    colors: [usize; 3],
}

impl Counts {
    /// Counts two bytes, replacing an earlier count for them.
    pub fn add(&mut self, source: Source, alternatives: &[Alternative]) {
        let before = self.observed.iter().position(|(other, _)| *other == source);
        let counts = &mut self.counts[source.pool.index()];
        if let Some(before) = before {
            let (_, old) = self.observed.swap_remove(before);
            for code in common_colors(&old) {
                counts[usize::from(code)] -= 1;
            }
        }
        for code in common_colors(alternatives) {
            counts[usize::from(code)] += 1;
        }
        self.colors[source.pool.index()] = source.colors;
        self.observed.push((source, alternatives.to_vec()));
    }

    /// Retains the colour sets under which no colour was observed too often: a pool is filled round robin, so its first
    /// colours may occur once more than the others.
    pub fn check(&self, place: ObservationPosition, sets: &mut Vec<[u8; 8]>) -> Result<(), Impossible> {
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

/// The colours that two bytes have in all of the alternatives, with multiplicity.
fn common_colors(alternatives: &[Alternative]) -> Vec<u8> {
    let Some((first, others)) = alternatives.split_first() else { return Vec::new() };
    let of = |one: &Alternative| one.iter().flatten().copied().collect::<Vec<u8>>();
    let mut common = of(first);
    for other in others {
        let mut left = of(other);
        common.retain(|code| left.iter().position(|c| c == code).map(|at| left.swap_remove(at)).is_some());
    }
    common
}

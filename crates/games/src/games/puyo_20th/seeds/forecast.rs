//! The next pairs of the matching games.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use crate::games::puyo_20th::{
    COPIED, Color, ColorMap, MAP_CALLS, POOL_CALLS, Pair, Pool, PoolId, Seed, State, pair, shuffled,
};
use crate::pairs::PartialPair;

/// A pair that may come next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chance {
    /// The pair. With relabelled colours, a puyo has the name used in the query; None if the query has no name for it (or
    /// leaves it ambiguous).
    pub pair: PartialPair,
    /// The number of matching games in which it comes next.
    pub count: u32,
}

/// One pool of a game and its colour map, without the other pools.
pub(super) fn pool_of(seed: Seed, id: PoolId) -> (ColorMap, Pool) {
    let (map, state) = ColorMap::draw(State(u32::from(seed)));
    debug_assert_eq!(state, State(u32::from(seed)).jump(MAP_CALLS));
    let made = |id: PoolId| shuffled(id.colors(), state.jump(id.index() as u32 * POOL_CALLS)).0;
    let mut pool = made(id);
    if id != PoolId::Three {
        pool[..COPIED].copy_from_slice(&made(PoolId::Three)[..COPIED]);
    }
    (map, pool)
}

/// The colour map of a game and `count` pairs of one of its pools from pair `from` (counted from 0) on, in real colours.
pub fn upcoming(seed: Seed, id: PoolId, from: u32, count: u32) -> (ColorMap, Vec<Pair>) {
    let (map, pool) = pool_of(seed, id);
    let pairs = (0..count).filter_map(|n| pair(map, &pool, from.wrapping_add(n))).collect();
    (map, pairs)
}

/// Counts pairs, the most frequent first, then in the order of their letters.
pub(super) fn chances(pairs: impl Iterator<Item = PartialPair>) -> Vec<Chance> {
    added(pairs.map(|observed| (observed, 1)))
}

/// The same for pairs that were counted in parts.
pub(super) fn added(pairs: impl Iterator<Item = (PartialPair, u32)>) -> Vec<Chance> {
    // Six values for each puyo: the five colours and "unknown".
    let mut counts = [0u32; 36];
    let sign = |color: Option<Color>| color.map_or(5, index);
    for (observed, count) in pairs {
        counts[6 * sign(observed.axis) + sign(observed.child)] += count;
    }
    let color = |sign: usize| COLORS.get(sign).copied();
    counted(
        (0..)
            .zip(counts)
            .map(|(code, count)| (PartialPair { axis: color(code / 6), child: color(code % 6) }, count)),
    )
}

/// The pairs that occur, the most frequent first, then in the order in which they are given.
pub(super) fn counted(pairs: impl Iterator<Item = (PartialPair, u32)>) -> Vec<Chance> {
    let mut found: Vec<Chance> =
        pairs.filter(|&(_, count)| count > 0).map(|(pair, count)| Chance { pair, count }).collect();
    found.sort_by_key(|chance| std::cmp::Reverse(chance.count));
    found
}

/// The colours in the order of their numbers in RAM.
pub(super) const COLORS: [Color; 5] = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];

/// The index of a colour in [`COLORS`]; past its end for a colour that pairs do not have.
pub(super) fn index(color: Color) -> usize {
    COLORS.iter().position(|&other| other == color).unwrap_or(COLORS.len())
}

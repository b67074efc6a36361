//! Which pair of which pool a player gets, and pairs without a pool.
//!
//! Source: queue routines `sub_44EA`, `sub_43B8` and `sub_43EA` of the disassembly; reference A.5.

use crate::games::mean_bean::generator::{COLORS, Setup};
use crate::games::mean_bean::rng::State;
use nextscope_boards::{POOL_LEN, POOL_PAIRS, Pair, Pool};
use serde::Serialize;

/// Level byte of a player, 0 to 4, shown on screen as 1 to 5.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Level(pub u8);

/// Pairs in the queue at the start, which are drawn from its last slot to its first.
pub const QUEUE: u32 = 3;

/// The index in the pool (0 to 127) of the pair dealt as number `deal_index` (from 0): 2, 1, 0, then 3, 4, 5 and on, looping at 128.
#[must_use]
pub fn pool_pair(deal_index: u32) -> usize {
    match deal_index {
        0..QUEUE => (QUEUE - 1 - deal_index) as usize,
        _ => deal_index as usize % POOL_PAIRS,
    }
}

/// The pool index byte after `pairs_dealt` deals.
#[must_use]
pub fn pool_index(pairs_dealt: u16) -> u8 {
    let [_, low] = pairs_dealt.to_be_bytes();
    low.wrapping_add(3).wrapping_mul(2)
}

/// The dealer of one player: all pairs of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dealer {
    /// The mode byte M.
    pub mode: u8,
    /// The player, 0 or 1.
    pub player: usize,
    /// The player's level.
    pub level: Level,
}

impl Dealer {
    /// The dealer of the first player of a round.
    #[must_use]
    pub fn first_player(setup: Setup, level: Level) -> Self {
        Self { mode: setup.mode, player: 0, level }
    }

    /// The pool, 0 or 1; None in a mode without pools. The queue is filled while the level is still 0, but the first four pairs of
    /// both versus pools are the same.
    #[must_use]
    pub fn pool(self) -> Option<usize> {
        match self.mode & 3 {
            0 => Some(self.player.min(1)),
            1 => Some(usize::from(self.level.0 > 0)),
            _ => None,
        }
    }

    /// Pair number `deal_index` of the round.
    #[must_use]
    pub fn pair(self, pools: &[Pool; 2], deal_index: u32) -> Option<Pair> {
        Some(pair_at(&pools[self.pool()?], pool_pair(deal_index)))
    }
}

/// A pair of a pool.
#[must_use]
pub fn pair_at(pool: &Pool, pair: usize) -> Pair {
    Pair::from_bytes(pool[2 * pair % POOL_LEN], pool[(2 * pair + 1) % POOL_LEN])
}

/// Exercise mode: a pair is two draws, the child first. Every frame steps the generator as well, so only pairs that are drawn at
/// once follow from a state.
#[must_use]
pub fn exercise_pair(state: State, level: Level) -> (State, Pair) {
    let colors = if level.0 == 0 { 4 } else { 5 };
    let (state, child) = state.random(colors);
    let (state, axis) = state.random(colors);
    (state, Pair::from_bytes(COLORS[usize::from(axis)], COLORS[usize::from(child)]))
}

/// The first three pairs of exercise mode in the order in which they are dealt; the last one is drawn first.
#[must_use]
pub fn exercise_start(state: State, level: Level) -> (State, [Pair; 3]) {
    let (state, third) = exercise_pair(state, level);
    let (state, second) = exercise_pair(state, level);
    let (state, next) = exercise_pair(state, level);
    (state, [next, second, third])
}

//! Which pair of which pool a player gets, and the expected contents of a queue.
//!
//! Source: queue routines of the Mega Drive disassembly; reference 1.3.

use nextscope_boards::Pair;
use nextscope_boards::{POOL_LEN, POOL_PAIRS, Pool, PoolId};
use serde::Serialize;

/// Level byte L of a player, 0 to 4, shown on screen as 1 to 5.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(transparent)]
pub struct Level(pub u8);

impl Level {
    /// The pool of the level; None for an invalid byte.
    pub fn pool(self) -> Option<PoolId> {
        match self.0 {
            0 | 1 => Some(PoolId::Three),
            2 => Some(PoolId::Four),
            3 | 4 => Some(PoolId::Five),
            _ => None,
        }
    }
}

/// The source of the first three pairs of a versus round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dealing {
    /// The code: the queue is filled before the level menu, while the level byte is still 0.
    #[default]
    FirstThreeFromPool3,
    /// The seed document: all pairs come from the pool of the level.
    AllFromLevelPool,
}

impl Dealing {
    /// The readings, the default first.
    pub const ALL: [Self; 2] = [Self::FirstThreeFromPool3, Self::AllFromLevelPool];

    /// The name in profiles.
    pub fn id(self) -> &'static str {
        match self {
            Self::FirstThreeFromPool3 => "first-three-from-pool-3",
            Self::AllFromLevelPool => "all-from-level-pool",
        }
    }

    /// The reading with that name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dealing| dealing.id() == id)
    }
}

/// The index in the pool (0 to 127) of the pair dealt as number `deal_index` (from 0): 2, 1, 0, then 3, 4, 5 and on,
/// looping at 128. The queue is filled from its last slot, so the first three are reversed.
pub fn pool_pair(deal_index: u32) -> usize {
    match deal_index {
        0..3 => 2 - deal_index as usize,
        _ => deal_index as usize % POOL_PAIRS,
    }
}

/// The pool index byte after `pairs_dealt` deals: three pairs
/// were drawn to fill the queue, and it wraps at 256.
pub fn pool_index(pairs_dealt: u16) -> u8 {
    #[expect(clippy::cast_possible_truncation, reason = "the game's index is this byte")]
    let low = pairs_dealt as u8;
    low.wrapping_mul(2).wrapping_add(6)
}

/// The dealer of one player: all pairs of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dealer {
    /// The mode byte; in the story (low two bits 0) all players draw from the first pool.
    pub mode: u8,
    /// The player's level.
    pub level: Level,
    /// The reading of the first three pairs.
    pub dealing: Dealing,
}

impl Dealer {
    /// The pool of pair number `deal_index`.
    pub fn pool(self, deal_index: u32) -> Option<PoolId> {
        let before_menu = deal_index < 3 && self.dealing == Dealing::FirstThreeFromPool3;
        if self.mode & 3 == 0 || before_menu { Some(PoolId::Three) } else { self.level.pool() }
    }

    /// Pair number `deal_index` of the round, from the pools in RAM order.
    pub fn pair(self, pools: &[Pool; 3], deal_index: u32) -> Option<Pair> {
        let pool = &pools[self.pool(deal_index)?.index()];
        let at = 2 * pool_pair(deal_index);
        Some(Pair::from_bytes(pool[at % POOL_LEN], pool[(at + 1) % POOL_LEN]))
    }
}

//! What was observed of a round, and where the generator makes the bytes of it.

use crate::games::puyo_tsu::seeds::Target;
use crate::games::puyo_tsu::{Color, Dealer, Dealing, Level, POOL_LEN, PoolId, Setup, Shuffle};

/// Axis and child, where known; a pair of bytes may have several alternatives.
pub(super) type Alternative = [Option<u8>; 2];

/// A dealt pair, as far as it was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedPair {
    /// Its number in the round, from 0.
    pub deal_index: u32,
    /// The axis puyo, if observed.
    pub axis: Option<Color>,
    /// The other puyo, if observed.
    pub child: Option<Color>,
}

/// The observations of a round.
#[derive(Debug, Clone)]
pub struct Observations {
    /// Inputs of the generator besides the state.
    pub setup: Setup,
    /// The level of the player whose pairs were observed.
    pub level: Level,
    /// The reading of the first three pairs.
    pub dealing: Dealing,
    /// The colour set, if known.
    pub color_set: Option<[u8; 8]>,
    /// The known bytes of the pools, in RAM order.
    pub pools: [Option<[Option<u8>; POOL_LEN]>; 3],
    /// The observed pairs, in any order.
    pub pairs: Vec<ObservedPair>,
    /// Whether the orientation of the pairs is unknown.
    pub unordered: bool,
}

impl Observations {
    /// No observations, at level 3, with the default reading of the first three pairs.
    pub fn empty(setup: Setup) -> Self {
        Self {
            setup,
            level: Level(2),
            dealing: Dealing::default(),
            color_set: None,
            pools: [None; 3],
            pairs: Vec::new(),
            unordered: false,
        }
    }

    /// The player's dealer.
    pub fn dealer(&self) -> Dealer {
        Dealer { mode: self.setup.mode, level: self.level, dealing: self.dealing }
    }
}

impl From<&Target> for Observations {
    fn from(target: &Target) -> Self {
        let known = |id: PoolId| {
            target.setup.colors()[id.index()]?;
            Some(target.pools[id.index()].map(Some))
        };
        Self { color_set: Some(target.color_set), pools: PoolId::ALL.map(known), ..Self::empty(target.setup) }
    }
}

/// The origin of the two bytes of a pool's pair: copies over the starts of pools are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The pool that is shuffled, not the copy.
    pub pool: PoolId,
    /// The pair in that pool, 0 to 127.
    pub pair: usize,
    /// The stream of 256 indices that shuffles it.
    pub stream: usize,
    /// The number of colours it is filled with.
    pub colors: usize,
}

impl Source {
    /// The origin of a pool's pair; None for a pool that this setup does not generate.
    pub fn of(setup: Setup, pool: PoolId, pair: usize) -> Option<Self> {
        let colors = setup.colors();
        colors[pool.index()]?;
        // Reference 1.2, step 6: two pairs of each from pool 3, then two of pool 5 from pool 4; the story copies a whole pool.
        let pool = match (setup.is_versus(), pool, pair) {
            (false, ..) | (true, _, 0 | 1) => PoolId::Three,
            (true, PoolId::Five, 2 | 3) => PoolId::Four,
            _ => pool,
        };
        let stream = match (setup.is_versus(), setup.shuffle) {
            (false, _) => 0,
            (true, Shuffle::SharedIndexStream) => usize::from(pool != PoolId::Four),
            (true, Shuffle::ThreeShuffles) => pool.index(),
        };
        Some(Self { pool, pair, stream, colors: colors[pool.index()]? })
    }

    /// The positions of the two bytes.
    pub fn at(self) -> [u8; 2] {
        #[expect(clippy::cast_possible_truncation, reason = "a pair is below 128")]
        let first = 2 * self.pair as u8;
        [first, first | 1]
    }
}

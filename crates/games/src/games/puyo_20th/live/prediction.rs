//! The prediction, computed from an observation.

use crate::games::puyo_20th::live::{Block, Observation};
use crate::games::puyo_20th::{POOL_PAIRS, Pair, PoolId, Round, State, generate};
use std::sync::Arc;

/// One player's upcoming pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerPrediction {
    /// The pool; None for a number of colours that is not modelled.
    pub pool: Option<PoolId>,
    /// Pairs dealt so far; `pairs[0]` has this number.
    pub pairs_dealt: u16,
    /// The pair in play: the one dealt last. None before the first deal.
    pub current: Option<Pair>,
    /// The upcoming pairs through one cycle of the pool.
    pub pairs: Vec<Pair>,
}

/// The prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    /// The players whose addresses the profile has.
    pub players: [Option<PlayerPrediction>; 2],
    /// The pairs of each pool in RAM, from the first on.
    pub pools: [Arc<[Pair]>; 3],
    /// The generator state from which a round would start now.
    pub state: State,
    /// That round.
    pub if_now: Arc<Round>,
    /// The block from which the pools were decoded; they are decoded again when it changes.
    decoded_from: Arc<Block>,
}

/// Computes the prediction; None before the first round, and while the base pointer is invalid. Pairs come from the pools in
/// RAM; the verdict states whether those match the model. `before` is an earlier prediction, whose unchanged parts are
/// reused.
pub fn predict(observation: &Observation, before: Option<&Prediction>) -> Option<Prediction> {
    let block = observation.block.as_ref().ok().filter(|block| !block.no_round_yet())?;
    let seed = observation.round_seed.seed_from(block.state);
    let if_now = match before.filter(|old| old.if_now.seed == seed) {
        Some(old) => Arc::clone(&old.if_now),
        None => Arc::new(generate(seed)),
    };
    let same = |old: &&Prediction| {
        old.decoded_from.map_cells == block.map_cells && old.decoded_from.pools == block.pools
    };
    let (pools, decoded_from) = match before.filter(same) {
        Some(old) => (old.pools.clone(), Arc::clone(&old.decoded_from)),
        None => {
            let pairs = |pool: &[u8; 256]| pool.chunks_exact(2).map(|at| block.pair(at[0], at[1])).collect();
            (block.pools.each_ref().map(pairs), Arc::new(block.clone()))
        }
    };
    let players = observation.players.each_ref().map(|player| {
        let player = player.as_ref()?;
        let pool = player.pool.map(|pool| &pools[pool.index()]);
        let pair = |number: usize| pool.and_then(|pool| pool.get(number % POOL_PAIRS)).copied();
        let dealt = usize::from(player.pairs_dealt);
        Some(PlayerPrediction {
            pool: player.pool,
            pairs_dealt: player.pairs_dealt,
            current: dealt.checked_sub(1).and_then(pair),
            pairs: (dealt..dealt + POOL_PAIRS).filter_map(pair).collect(),
        })
    });
    Some(Prediction { players, pools, state: block.state, if_now, decoded_from })
}

//! What is to come, computed from what is there.

use super::{Block, Observation};
use crate::game::puyo_20th::{POOL_PAIRS, Pair, PoolId, Round, State, generate};
use std::sync::Arc;

/// One player's coming pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerForecast {
    /// The pool; None for a number of colours that is not modelled.
    pub pool: Option<PoolId>,
    /// Pairs dealt so far; `pairs[0]` has this number.
    pub pairs_dealt: u16,
    /// The pair in play: the one dealt last. None before the first deal.
    pub current: Option<Pair>,
    /// The coming pairs through one whole turn of the pool.
    pub pairs: Vec<Pair>,
}

/// Everything that is to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forecast {
    /// The players, as far as the profile knows where they are.
    pub players: [Option<PlayerForecast>; 2],
    /// The pairs of each pool in RAM, from the first on.
    pub pools: [Arc<[Pair]>; 3],
    /// The state from which a round would begin if it began now.
    pub state: State,
    /// That round.
    pub if_now: Arc<Round>,
    /// What the pools were made of: the pairs are read anew when it changes.
    made_of: Arc<Block>,
}

/// Computes the forecast; None before the first round, and while the base pointer leads nowhere. Pairs come from the pools as
/// they stand in RAM; whether those are what the model generates is the verdict's business. `before` is an earlier
/// forecast, from which what still holds is taken over.
#[must_use]
pub fn forecast(observation: &Observation, before: Option<&Forecast>) -> Option<Forecast> {
    let block = observation.block.as_ref().ok().filter(|block| !block.no_round_yet())?;
    let seed = observation.round_seed.seed_from(block.state);
    let if_now = match before.filter(|old| old.if_now.seed == seed) {
        Some(old) => Arc::clone(&old.if_now),
        None => Arc::new(generate(seed)),
    };
    let same = |old: &&Forecast| old.made_of.map_cells == block.map_cells && old.made_of.pools == block.pools;
    let (pools, made_of) = match before.filter(same) {
        Some(old) => (old.pools.clone(), Arc::clone(&old.made_of)),
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
        Some(PlayerForecast {
            pool: player.pool,
            pairs_dealt: player.pairs_dealt,
            current: dealt.checked_sub(1).and_then(pair),
            pairs: (dealt..dealt + POOL_PAIRS).filter_map(pair).collect(),
        })
    });
    Some(Forecast { players, pools, state: block.state, if_now, made_of })
}

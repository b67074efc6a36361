//! Recognizes the pools of a round by their content.

use crate::games::puyo_tsu::seeds::{Effort, Impossible, Observations, Query, find};
use crate::games::puyo_tsu::{
    POOL_SETUPS, Pool, Setup, State, generate, looks_generated, reachable_color_sets,
};
use crate::games::{KnownPools, PoolCheck, RoundCheck, RoundKind};
use nextscope_task::Progress;

pub(super) const POOLS: KnownPools = KnownPools {
    has_codes: |codes| codes & !COLORS == 0 && codes.count_ones() >= 2,
    copied: 0, // Over the first pool.
    check: PoolCheck::Round(RoundCheck { kind, color_sets, states }),
};

/// The colours in pools: 0, 1, 3, 4, 5 (reference 1.4), one bit each.
pub(super) const COLORS: u32 = 0b11_1011;

/// The byte order makes no difference, as whole words are copied.
fn kind(pools: &[Pool; 3]) -> Option<RoundKind> {
    let [one, two, three] = pools;
    let versus = one[..4] == two[..4] && one[..4] == three[..4] && two[4..8] == three[4..8];
    if !versus && one != two {
        return None;
    }
    let setup = reachable_color_sets().iter().find_map(|set| looks_generated(*set, pools))?;
    let number = POOL_SETUPS.iter().position(|one| *one == setup)?;
    Some(RoundKind { name: if setup.is_versus() { "versus" } else { "story" }, number })
}

fn color_sets(kind: RoundKind, pools: &[Pool; 3]) -> Vec<[u8; 8]> {
    let sets = reachable_color_sets().iter().copied();
    sets.filter(|set| looks_generated(*set, pools) == Some(setup_of(kind))).collect()
}

fn setup_of(kind: RoundKind) -> Setup {
    POOL_SETUPS[kind.number % POOL_SETUPS.len()]
}

/// The query for the states that produce the round, of one of [`POOL_SETUPS`].
///
/// # Errors
/// [`Impossible`] if no state does.
pub fn pool_query(
    kind: RoundKind,
    pools: &[Pool; 3],
    color_set: Option<[u8; 8]>,
) -> Result<Query, Impossible> {
    let setup = setup_of(kind);
    let mut observations = Observations::empty(setup);
    observations.color_set = color_set;
    for ((known, pool), colors) in observations.pools.iter_mut().zip(pools).zip(setup.colors()) {
        *known = colors.map(|_| pool.map(Some));
    }
    Query::new(&observations)
}

fn states(
    kind: RoundKind,
    pools: &[Pool; 3],
    color_set: Option<[u8; 8]>,
    progress: &Progress,
) -> Option<Vec<(u32, u32)>> {
    let Ok(query) = pool_query(kind, pools, color_set) else { return Some(Vec::new()) };
    let found = find(&query, Effort::default(), progress)?.states;
    let after = |state: State| (state.0, generate(state, setup_of(kind)).after.0);
    Some(found.into_iter().map(after).collect())
}

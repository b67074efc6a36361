//! Finding pools of Puyo Puyo Tsu or Puyo Puyo!! 20th Anniversary in any memory and byte order, by their content: shuffled
//! colours, each as often as the generator uses it.
//!
//! First lines of 64 bytes are checked: a window of 256 contains three of them, of which every byte is a colour. Then the window
//! slides byte by byte and its colours are counted. Windows with the right counts are rare and are checked by the exact rules: a
//! pool of 20th must be one of the 65,536 games', pools of Tsu must form a round.

use super::source::{Address, Source};
use super::windows::{self, Window};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use nextscope_emulator::process::ReadError;
use nextscope_games::games::puyo_20th::{self, Seed};
use nextscope_games::games::puyo_tsu::seeds::{self, Impossible, Observations, Query};
use nextscope_games::games::puyo_tsu::{Setup, State, generate, looks_generated, reachable_color_sets};
use nextscope_memory::console::StorageOrder;
use nextscope_task::Progress;
use std::sync::LazyLock;

/// Bytes checked together. Every window of 256 contains three such lines in a row.
const LINE: usize = 64;

/// Colour codes are below this (Tsu: 0, 1, 3, 4, 5, reference 1.4; 20th: 0 to 4, reference 2.1).
const CODES: usize = 6;

/// How far from Tsu's pools their colour set is searched: the 64 KiB of a work RAM on either side.
const AROUND: u64 = 0x1_0000;

/// Pools found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundPool {
    /// The address of the first byte.
    pub address: Address,
    /// The pools.
    pub pools: PoolState,
}

/// Which pools, and the state that they imply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PoolState {
    /// A pool of one of the 65,536 games of 20th.
    Twentieth {
        /// Which of the three.
        pool: PoolId,
        /// The byte order.
        order: StorageOrder,
        /// The seeds of the games that have it.
        seeds: Vec<Seed>,
    },
    /// The pools of a round of Tsu: three in versus mode, or the story mode's pool and its copy.
    Tsu {
        /// The setup, one of [`POOL_SETUPS`](nextscope_games::games::puyo_tsu::POOL_SETUPS).
        setup: Setup,
        /// Matching colour sets nearby, which show the byte order. The pools alone do not.
        color_sets: Vec<NearbyColorSet>,
        /// The bytes of all three pools; the third of story mode is arbitrary.
        stored: Box<[Pool; 3]>,
        /// The generator's states, once searched ([`FoundPool::find_states`]).
        before: Option<GeneratorStates>,
    },
}

/// The states of Tsu's generator around the round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratorStates {
    /// The byte order in which the pools are those of a round.
    pub order: StorageOrder,
    /// All states that produce the round, each with the state after it.
    pub states: Vec<(State, State)>,
}

/// A colour set near the pools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearbyColorSet {
    /// Its address; under a swapped order, that of the word in which it begins.
    pub address: Address,
    /// Its byte order.
    pub order: StorageOrder,
    /// The eight bytes, in bus order.
    pub set: [u8; 8],
}

/// Why the search failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PoolSearchError {
    /// Memory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl FoundPool {
    /// For pools of Tsu, the query of the state search ([`nextscope_games::games::puyo_tsu::seeds::find`]) in a byte order: that of a color set
    /// nearby, else each in turn (the wrong one has no result). None for 20th, whose seed is known.
    pub fn query(&self, order: StorageOrder) -> Option<Result<Query, Impossible>> {
        let PoolState::Tsu { setup, color_sets, stored, .. } = &self.pools else { return None };
        let mut seen = Observations::empty(*setup);
        seen.color_set = color_sets.iter().find(|near| near.order == order).map(|near| near.set);
        for (place, (pool, colors)) in stored.iter().zip(setup.colors()).enumerate() {
            let mut pool = *pool;
            order.reorder(&mut pool);
            seen.pools[place] = colors.map(|_| pool.map(Some));
        }
        Some(Query::new(&seen))
    }

    /// Finds the states that produce the round, among all 2^32; does nothing for 20th. An unknown byte order is tried both ways.
    pub fn find_states(&mut self, progress: &Progress) -> Result<(), PoolSearchError> {
        let PoolState::Tsu { setup, color_sets, .. } = &self.pools else { return Ok(()) };
        let setup = *setup;
        let mut orders: Vec<StorageOrder> = color_sets.iter().map(|near| near.order).collect();
        if orders.is_empty() {
            orders = vec![StorageOrder::AsOnBus, StorageOrder::SwappedWords];
        }
        let mut states = GeneratorStates { order: orders[0], states: Vec::new() };
        for order in orders {
            let Some(Ok(query)) = self.query(order) else { continue };
            let found = seeds::find(&query, seeds::Effort::default(), progress);
            let found = found.ok_or(PoolSearchError::Cancelled)?.states;
            if !found.is_empty() {
                let after = |state| (state, generate(state, setup).after);
                states = GeneratorStates { order, states: found.into_iter().map(after).collect() };
                break;
            }
        }
        if let PoolState::Tsu { before, .. } = &mut self.pools {
            *before = Some(states);
        }
        Ok(())
    }
}

/// All pools in a source. When the bytes next to the two pools of story mode continue them by chance, each possible start is
/// returned; the state search succeeds only for the right one. A pool that matches in several byte orders (as all pools of Tsu do)
/// is returned once. A single pool of Tsu, without those next to it, is not distinguished from chance and not returned.
pub fn find_pools(source: &dyn Source, progress: &Progress) -> Result<Vec<FoundPool>, PoolSearchError> {
    let found = windows::search(source, 0, 3 * POOL_LEN - 1, progress, scan)?;
    let mut found = found.ok_or(PoolSearchError::Cancelled)?;
    for pool in &mut found {
        let address = pool.address;
        if let PoolState::Tsu { setup, color_sets, stored, .. } = &mut pool.pools {
            *color_sets = sets_near(source, address, *setup, stored);
        }
    }
    Ok(found)
}

/// Whether every byte of a line is a colour code, and not all are equal.
#[inline]
fn colorful(line: &[u8; LINE]) -> bool {
    let most = line.iter().fold(0, |most, byte| most.max(*byte));
    usize::from(most) < CODES && line.iter().any(|byte| *byte != line[0])
}

fn scan(window: &Window<'_>) -> Vec<FoundPool> {
    let bytes = window.bytes;
    let (lines, _) = bytes.as_chunks::<LINE>();
    let mut found = Vec::new();
    let mut in_row = 0;
    let mut next = 0; // the first start not checked
    for (nth, line) in lines.iter().enumerate() {
        in_row = if colorful(line) { in_row + 1 } else { 0 };
        if in_row < 3 {
            continue;
        }
        // Windows whose first whole lines are these three.
        let first = (nth - 2) * LINE;
        let starts = first.saturating_sub(LINE - 1).max(next)..first + 1;
        next = starts.end;
        slide(window, starts, &mut found);
    }
    found
}

/// Counts the colors of every window that starts in `starts`, and checks those with the counts of a pool.
fn slide(window: &Window<'_>, starts: std::ops::Range<usize>, found: &mut Vec<FoundPool>) {
    let bytes = window.bytes;
    let starts = starts.start..starts.end.min(window.starts().end);
    let Some(first) = bytes.get(starts.start..starts.start + POOL_LEN) else { return };
    // All other bytes are counted together.
    let code = |byte: u8| usize::from(byte).min(CODES);
    let mut counts = [0i32; CODES + 1];
    first.iter().for_each(|byte| counts[code(*byte)] += 1);
    for start in starts.clone() {
        if counts[CODES] == 0 {
            check(window, start, &counts, found);
        }
        let Some(next) = bytes.get(start + POOL_LEN) else { return };
        counts[code(bytes[start])] -= 1;
        counts[code(*next)] += 1;
    }
}

fn check(window: &Window<'_>, start: usize, counts: &[i32; CODES + 1], found: &mut Vec<FoundPool>) {
    let kinds = counts.iter().filter(|count| **count > 0).count();
    // 256 in equal parts, with one more of the first colours; up to eight bytes are copied from another pool.
    let fill = |kinds: usize| i32::try_from(POOL_LEN / kinds.max(1)).unwrap_or(0);
    let near = |slack: i32| {
        let wanted = fill(kinds) - slack..=fill(kinds) + 1 + slack;
        counts.iter().filter(|count| **count > 0).all(|count| wanted.contains(count))
    };
    let at = |offset: usize| -> Option<Pool> {
        window.bytes.get(start + offset..start + offset + POOL_LEN)?.try_into().ok()
    };
    let Some(one) = at(0) else { return };
    let address = window.address(start);
    let lowest = counts.iter().take_while(|count| **count > 0).count();
    if lowest == kinds && (3..=5).contains(&kinds) && near(4) {
        for order in
            StorageOrder::ALL.into_iter().filter(|order| address.0.is_multiple_of(order.word() as u64))
        {
            let mut pool = one;
            order.reorder(&mut pool);
            if let Some((pool, seeds)) = games_with(&pool) {
                found.push(FoundPool { address, pools: PoolState::Twentieth { pool, order, seeds } });
            }
        }
    }
    // Tsu has no colour 2. Nothing is copied over the first pool: its counts are those of the fill.
    if counts[2] == 0
        && (2..=5).contains(&kinds)
        && near(0)
        && let (Some(two), Some(three)) = (at(POOL_LEN), at(2 * POOL_LEN).or(Some([0; POOL_LEN])))
    {
        let stored = [one, two, three];
        if let Some(setup) = setup_of(&stored) {
            let stored = Box::new(stored);
            let pools = PoolState::Tsu { setup, color_sets: Vec::new(), stored, before: None };
            found.push(FoundPool { address, pools });
        }
    }
}

/// The setup of a round that has these pools under some colour set. The byte order makes no difference, as whole words are copied.
fn setup_of(pools: &[Pool; 3]) -> Option<Setup> {
    let [one, two, three] = pools;
    let versus = one[..4] == two[..4] && one[..4] == three[..4] && two[4..8] == three[4..8];
    if !versus && one != two {
        return None;
    }
    reachable_color_sets().iter().find_map(|set| looks_generated(*set, pools))
}

/// The colour sets around Tsu's pools with which these form a round.
fn sets_near(source: &dyn Source, pools: Address, setup: Setup, stored: &[Pool; 3]) -> Vec<NearbyColorSet> {
    let mut found = Vec::new();
    let fitting: Vec<[u8; 8]> = reachable_color_sets()
        .iter()
        .filter(|set| looks_generated(**set, stored) == Some(setup))
        .copied()
        .collect();
    let spans = source.spans().unwrap_or_default();
    let Some(span) = spans.iter().find(|span| span.start <= pools && pools < span.end()) else {
        return found;
    };
    // Whole words of every order.
    let start = pools.0.saturating_sub(AROUND).max(span.start.0).next_multiple_of(4);
    let end = pools.0.saturating_add(AROUND).min(span.end().0);
    let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(0)];
    if source.read(Address(start), &mut bytes).is_err() {
        return found;
    }
    for order in StorageOrder::ALL {
        let mut turned = bytes.clone();
        order.reorder(&mut turned);
        for (at, window) in turned.windows(8).enumerate().filter(|(_, window)| window[5..] == [6, 2, 0]) {
            let Some(set) = fitting.iter().find(|set| window == *set) else { continue };
            let address = Address(start + (at - at % order.word()) as u64);
            found.push(NearbyColorSet { address, order, set: *set });
        }
    }
    found
}

/// All pools of 20th by their hash, ascending.
static GAMES: LazyLock<Vec<(u64, PoolId, Seed)>> = LazyLock::new(|| {
    let mut games = Vec::with_capacity(3 << 16);
    for seed in 0..=Seed::MAX {
        let round = puyo_20th::generate(seed);
        games.extend(PoolId::ALL.map(|id| (hash(round.pool(id)), id, seed)));
    }
    games.sort_unstable();
    games
});

/// FNV-1a over eight bytes at a time: matches are compared byte by byte.
fn hash(pool: &Pool) -> u64 {
    pool.as_chunks::<8>().0.iter().fold(0xCBF2_9CE4_8422_2325, |hash, bytes| {
        (hash ^ u64::from_le_bytes(*bytes)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(23)
    })
}

/// The pool's id, and the games that have it.
fn games_with(pool: &Pool) -> Option<(PoolId, Vec<Seed>)> {
    let wanted = hash(pool);
    let first = GAMES.partition_point(|(hash, ..)| *hash < wanted);
    let same = GAMES[first..].iter().take_while(|(hash, ..)| *hash == wanted);
    let holds = |(_, id, seed): &&(u64, PoolId, Seed)| puyo_20th::generate(*seed).pool(*id) == pool;
    let holders: Vec<&(u64, PoolId, Seed)> = same.filter(holds).collect();
    let (_, id, _) = **holders.first()?;
    Some((id, holders.iter().map(|(.., seed)| *seed).collect()))
}

#[cfg(test)]
#[path = "pools_tests.rs"]
mod tests;

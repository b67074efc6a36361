//! Finding pools of the games in any memory and byte order, by their content: shuffled colours, each as often as a game's generator
//! uses it.
//!
//! First lines of 64 bytes are checked: a window of 256 contains three of them, of which every byte is a colour. Then the window
//! slides byte by byte and its colours are counted. Windows with the right counts are rare and are checked by the game's exact rules.

use super::source::{Address, Source};
use super::windows::{self, Window};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use nextscope_emulator::process::ReadError;
use nextscope_games::games::{GAMES, GameId, KnownPools, PoolCheck, RoundCheck, RoundKind};
use nextscope_memory::console::StorageOrder;
use nextscope_task::Progress;

/// Bytes checked together. Every window of 256 contains three such lines in a row.
const LINE: usize = 64;

/// Colour codes are below this ([`KnownPools::has_codes`]).
const CODES: usize = 6;

/// How far from a round's pools their colour set is searched: the 64 KiB of a work RAM on either side.
const AROUND: u64 = 0x1_0000;

/// Pools found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundPool {
    /// The game that generates them.
    pub game: GameId,
    /// The address of the first byte.
    pub address: Address,
    /// The pools.
    pub pools: PoolState,
}

/// Which pools, and the state that they imply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PoolState {
    /// One pool, from which the seed follows.
    Seeded {
        /// Which of the three.
        pool: PoolId,
        /// The byte order.
        order: StorageOrder,
        /// The seeds of the games that have it.
        seeds: Vec<u32>,
    },
    /// The pools of a round: three, or two of the same content.
    Round {
        /// The kind of round.
        kind: RoundKind,
        /// Matching colour sets nearby, which show the byte order. The pools alone do not.
        color_sets: Vec<NearbyColorSet>,
        /// The bytes of all three pools; where there are two, the third is arbitrary.
        stored: Box<[Pool; 3]>,
        /// The generator's states, once searched ([`FoundPool::find_states`]).
        before: Option<GeneratorStates>,
    },
}

/// The states of the generator around the round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratorStates {
    /// The byte order in which the pools are those of a round.
    pub order: StorageOrder,
    /// All states that produce the round, each with the state after it.
    pub states: Vec<(u32, u32)>,
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
    fn round_check(&self) -> Option<RoundCheck> {
        match self.game.definition().pools?.check {
            PoolCheck::Round(check) => Some(check),
            PoolCheck::Seeds(_) => None,
        }
    }

    /// A seed or state as the game's commands write it.
    pub fn state_text(&self, state: u32) -> String {
        let rules = self.game.definition().pairs.as_ref();
        rules.map_or_else(|| format!("0x{state:X}"), |rules| (rules.seed_text)(state))
    }

    /// Finds the states that produce the round, among all 2^32; does nothing for a pool with known seeds. The byte order is that of a
    /// colour set nearby, else each is tried: the wrong one has no result.
    pub fn find_states(&mut self, progress: &Progress) -> Result<(), PoolSearchError> {
        let Some(check) = self.round_check() else { return Ok(()) };
        let PoolState::Round { kind, color_sets, stored, before } = &mut self.pools else { return Ok(()) };
        let mut orders: Vec<StorageOrder> = color_sets.iter().map(|near| near.order).collect();
        if orders.is_empty() {
            orders = vec![StorageOrder::AsOnBus, StorageOrder::SwappedWords];
        }
        let mut found = GeneratorStates { order: orders[0], states: Vec::new() };
        for order in orders {
            let set = color_sets.iter().find(|near| near.order == order).map(|near| near.set);
            let mut pools = **stored;
            pools.iter_mut().for_each(|pool| order.reorder(pool));
            let states = (check.states)(*kind, &pools, set, progress).ok_or(PoolSearchError::Cancelled)?;
            if !states.is_empty() {
                found = GeneratorStates { order, states };
                break;
            }
        }
        *before = Some(found);
        Ok(())
    }
}

/// All pools in a source. When the bytes next to the two pools of a round continue them by chance, each possible start is returned; the
/// state search succeeds only for the right one. The pools of a round, which match in every byte order, are returned once. A single one
/// of them, without those next to it, is not distinguished from chance and not returned.
pub fn find_pools(source: &dyn Source, progress: &Progress) -> Result<Vec<FoundPool>, PoolSearchError> {
    let found = windows::search(source, 0, 3 * POOL_LEN - 1, progress, scan)?;
    let mut found = found.ok_or(PoolSearchError::Cancelled)?;
    for pool in &mut found {
        let (address, check) = (pool.address, pool.round_check());
        if let (PoolState::Round { kind, color_sets, stored, .. }, Some(check)) = (&mut pool.pools, check) {
            *color_sets = sets_near(source, address, &(check.color_sets)(*kind, stored));
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
    let mut counts = [0; CODES + 1];
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

fn check(window: &Window<'_>, start: usize, counts: &[usize; CODES + 1], found: &mut Vec<FoundPool>) {
    let codes = (0..CODES).filter(|code| counts[*code] > 0).map(|code| 1 << code).sum::<u32>();
    // 256 in equal parts, with one more of the first colours.
    let fill = POOL_LEN / codes.count_ones().max(1) as usize;
    let at = |offset: usize| -> Option<Pool> {
        window.bytes.get(start + offset..start + offset + POOL_LEN)?.try_into().ok()
    };
    let Some(one) = at(0) else { return };
    let address = window.address(start);
    for (game, pools) in known_pools() {
        let even = fill.saturating_sub(pools.copied)..=fill + 1 + pools.copied;
        let even = counts.iter().filter(|count| **count > 0).all(|count| even.contains(count));
        if !even || !(pools.has_codes)(codes) {
            continue;
        }
        match pools.check {
            PoolCheck::Seeds(games_with) => {
                let aligned = |order: &StorageOrder| address.0.is_multiple_of(order.word() as u64);
                for order in StorageOrder::ALL.into_iter().filter(aligned) {
                    let mut pool = one;
                    order.reorder(&mut pool);
                    if let Some((pool, seeds)) = games_with(&pool) {
                        found.push(FoundPool {
                            game,
                            address,
                            pools: PoolState::Seeded { pool, order, seeds },
                        });
                    }
                }
            }
            PoolCheck::Round(check) => {
                let Some(two) = at(POOL_LEN) else { continue };
                let stored = Box::new([one, two, at(2 * POOL_LEN).unwrap_or([0; POOL_LEN])]);
                if let Some(kind) = (check.kind)(&stored) {
                    let pools = PoolState::Round { kind, color_sets: Vec::new(), stored, before: None };
                    found.push(FoundPool { game, address, pools });
                }
            }
        }
    }
}

fn known_pools() -> impl Iterator<Item = (GameId, KnownPools)> {
    GAMES.iter().filter_map(|game| Some((game.id, game.pools?)))
}

/// Where one of these colour sets is around the pools.
fn sets_near(source: &dyn Source, pools: Address, fitting: &[[u8; 8]]) -> Vec<NearbyColorSet> {
    let mut found = Vec::new();
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
        for (at, window) in turned.windows(8).enumerate() {
            let Some(set) = fitting.iter().find(|set| window == *set) else { continue };
            let address = Address(start + (at - at % order.word()) as u64);
            found.push(NearbyColorSet { address, order, set: *set });
        }
    }
    found
}

#[cfg(test)]
#[path = "pools_tests.rs"]
mod tests;

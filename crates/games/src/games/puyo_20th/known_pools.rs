//! Recognizes a pool by its content: it must be that of one of the 65,536 games.

use crate::games::puyo_20th::{COPIED, Pool, PoolId, Seed, generate};
use crate::games::{KnownPools, PoolCheck};
use std::sync::LazyLock;

pub(super) const POOLS: KnownPools = KnownPools {
    has_codes: |codes| matches!(codes, 0b111 | 0b1111 | 0b1_1111), // digits from 0, reference 2.1
    copied: COPIED,
    check: PoolCheck::Seeds(games_with),
};

/// All pools by their hash, ascending.
static GAMES: LazyLock<Vec<(u64, PoolId, Seed)>> = LazyLock::new(|| {
    let mut games = Vec::with_capacity(3 << 16);
    for seed in 0..=Seed::MAX {
        let round = generate(seed);
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
fn games_with(pool: &Pool) -> Option<(PoolId, Vec<u32>)> {
    let searched = hash(pool);
    let first = GAMES.partition_point(|(hash, ..)| *hash < searched);
    let same = GAMES[first..].iter().take_while(|(hash, ..)| *hash == searched);
    let holds = |(_, id, seed): &&(u64, PoolId, Seed)| generate(*seed).pool(*id) == pool;
    let holders: Vec<&(u64, PoolId, Seed)> = same.filter(holds).collect();
    let (_, id, _) = **holders.first()?;
    Some((id, holders.iter().map(|(.., seed)| u32::from(*seed)).collect()))
}

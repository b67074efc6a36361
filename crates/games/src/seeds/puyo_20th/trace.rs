//! Computes selected pairs of all games without generating their pools.
//!
//! A shuffle is undone from its last swap to its first for the requested positions: a position that a swap touches was
//! the other one before. Rows that cannot contain a requested position are skipped; for the first positions of a pool that is
//! half of the swaps. The seeds are processed side by side in vectors.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use super::GAMES;
use super::rounds::STEPS;
use crate::game::lcg::Steps;
use crate::game::puyo_20th::{COPIED, MAP_CALLS, POOL_CALLS, POOL_PAIRS, PoolId, swaps};
use rayon::prelude::*;

/// Seeds processed side by side.
const LANES: usize = 32;
type Lanes = [u8; LANES];

/// Seeds per unit of work for a thread.
const RUN: usize = 2048;

/// A pair of every game: the axis digit in the low half of each byte, the child digit in the high half.
pub type Codes = Box<[u8]>;

/// A swap: the steps to its two draws, the shift of the states, and the start of its rows.
struct Swap {
    draws: [Steps; 2],
    /// How far the state of each lane is ahead of the first lane's.
    ahead: [[u32; LANES]; 2],
    shift: u32,
    starts: [u8; 2],
}

/// These pairs (0 to 127) of this pool in all games, each indexed by seed.
pub fn pairs(pool: PoolId, numbers: &[usize]) -> Vec<Codes> {
    // The first pairs of every pool are those of the 3-colour pool.
    let copied = |number: usize| 2 * (number % POOL_PAIRS) < COPIED;
    let (of_three, own): (Vec<usize>, Vec<usize>) = numbers.iter().partition(|&&number| copied(number));
    let mut first = shuffled(PoolId::Three, &of_three).into_iter();
    let mut rest = shuffled(pool, &own).into_iter();
    let in_order = numbers.iter().filter_map(|&n| if copied(n) { first.next() } else { rest.next() });
    in_order.collect()
}

/// The same for a pool as shuffled, before the 3-colour pool's start is copied over it.
fn shuffled(pool: PoolId, numbers: &[usize]) -> Vec<Codes> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let places: Vec<u8> = numbers
        .iter()
        .flat_map(|n| [2 * (n % POOL_PAIRS), 2 * (n % POOL_PAIRS) + 1])
        .map(|n| n as u8)
        .collect();
    let swaps = swaps_back(pool, &places);
    let mut columns = vec![vec![0; GAMES].into_boxed_slice(); numbers.len()];
    let runs: Vec<Vec<u8>> = (0..GAMES / RUN)
        .into_par_iter()
        .map(|run| {
            let mut codes = vec![0; numbers.len() * RUN];
            let mut origins = vec![[0; LANES]; places.len()];
            for block in 0..RUN / LANES {
                trace((run * RUN + block * LANES) as u32, &swaps, &places, &mut origins);
                for (pair, column) in origins.chunks_exact(2).zip(codes.chunks_exact_mut(RUN)) {
                    let codes = &mut column[block * LANES..][..LANES];
                    match pool {
                        PoolId::Three => digits::<3>(pair, codes),
                        PoolId::Four => digits::<4>(pair, codes),
                        PoolId::Five => digits::<5>(pair, codes),
                    }
                }
            }
            codes
        })
        .collect();
    for (run, codes) in runs.iter().enumerate() {
        for (column, codes) in columns.iter_mut().zip(codes.chunks_exact(RUN)) {
            column[run * RUN..][..RUN].copy_from_slice(codes);
        }
    }
    columns
}

/// The swaps that can move a puyo to one of these positions, from the last to the first.
fn swaps_back(pool: PoolId, places: &[u8]) -> Vec<Swap> {
    let mut reached = [false; 256];
    for &place in places {
        reached[usize::from(place)] = true;
    }
    let first = (MAP_CALLS + pool.index() as u32 * POOL_CALLS) as usize;
    let mut found = Vec::new();
    for (nth, (start, length)) in swaps().enumerate().collect::<Vec<_>>().into_iter().rev() {
        let rows = usize::from(start)..usize::from(start + 2 * length);
        if reached[rows.clone()].contains(&true) {
            reached[rows].fill(true);
            let draws = [STEPS[first + 2 * nth], STEPS[first + 2 * nth + 1]];
            found.push(Swap {
                draws,
                ahead: draws.map(|steps| std::array::from_fn(|lane| steps.factor.wrapping_mul(lane as u32))),
                shift: 32 - length.trailing_zeros(),
                starts: [start as u8, (start + length) as u8],
            });
        }
    }
    found
}

/// The positions of the puyos at `places` before the shuffle, for the seeds from `seed` on.
fn trace(seed: u32, swaps: &[Swap], places: &[u8], origins: &mut [Lanes]) {
    for (origin, &place) in origins.iter_mut().zip(places) {
        *origin = [place; LANES];
    }
    for swap in swaps {
        let [a, b]: [Lanes; 2] = std::array::from_fn(|row| {
            let Steps { factor, term } = swap.draws[row];
            let state = factor.wrapping_mul(seed).wrapping_add(term);
            let mut lanes = [0; LANES];
            for (place, ahead) in lanes.iter_mut().zip(&swap.ahead[row]) {
                *place = (state.wrapping_add(*ahead) >> swap.shift) as u8 + swap.starts[row];
            }
            lanes
        });
        for origin in &mut *origins {
            for lane in 0..LANES {
                let (place, a, b) = (origin[lane], a[lane], b[lane]);
                let other = if place == b { a } else { place };
                origin[lane] = if place == a { b } else { other };
            }
        }
    }
}

/// The digits at those positions: the pool is filled with them in turn.
fn digits<const COLORS: u8>(pair: &[Lanes], codes: &mut [u8]) {
    for (lane, code) in codes.iter_mut().enumerate() {
        *code = (pair[0][lane] % COLORS) | ((pair[1][lane] % COLORS) << 4);
    }
}

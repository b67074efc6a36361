//! What hard limits cost: the most bits a piece that any randomizer with these limits can have, and what ours has.

use super::error::Estimate;
use super::measure::Progress;
use super::tally::Tally;
use crate::game::bounded::{Bounded, Limits};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// Two numbers between which the most bits lie.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bounds {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
}

/// The longest drought limit for which [`most_bits`] counts all positions, so that it takes about a second at most.
const COUNTABLE: u8 = 16;
/// Rounds of the power method at most; it is left as soon as the two bounds are this near.
const ROUNDS: u32 = 5000;
const NEAR: f64 = 1e-6;

/// The most bits a piece that a randomizer can have that keeps a drought and a flood limit, however it draws: the logarithm of
/// the growth of the number of sequences that keep them (the topological entropy; Shannon 1948, theorem 1). None for drought
/// limits too long for all positions to be counted, and for those that cannot be kept.
///
/// A position is what is left when pieces are told apart only by how long they have been away: the set of the seven numbers,
/// with how often the last one came in a row. The growth is the largest eigenvalue of the graph of positions, held between the
/// least and the greatest quotient of two rounds of the power method (Collatz, Wielandt).
#[must_use]
pub fn most_bits(drought: u8, flood: u8) -> Option<Bounds> {
    bits_unless(drought, flood, &|| false)
}

/// The same; None when it was given up.
fn bits_unless(drought: u8, flood: u8, given_up: &dyn Fn() -> bool) -> Option<Bounds> {
    if !(6..=COUNTABLE).contains(&drought) || flood == 0 {
        return None;
    }
    let flood = usize::from(flood.min(8));
    let places = u32::from(drought) + 1;
    // Bit n of a position: a piece has been away for n. Bit 0 is the last one. Safe by Hall's condition: the k-th most urgent is
    // due in k or more (see game::bounded).
    let safe = |position: &u32| {
        let urgent = (0..places).rev().filter(|away| position >> away & 1 == 1);
        position & 1 == 1 && position.count_ones() == 7 && urgent.zip(1..).all(|(away, k)| places - away >= k)
    };
    let positions: Vec<u32> = (0..1u32 << places).filter(safe).collect();
    let numbers: HashMap<u32, usize> = positions.iter().copied().zip(0..).collect();
    let mut next = Vec::with_capacity(positions.len() * flood);
    for position in &positions {
        for run in 0..flood {
            let may = (0..places).filter(|away| position >> away & 1 == 1).filter_map(|away| {
                let after = (position & !(1 << away)) << 1 | 1;
                let longer = if away == 0 { run + 1 } else { 0 };
                (longer < flood).then(|| numbers.get(&after)).flatten().map(|number| number * flood + longer)
            });
            next.push(may.collect::<Vec<_>>());
        }
    }
    let mut ways = vec![1.0f64; next.len()];
    let mut bounds = Bounds { low: 0.0, high: super::entropy::no_memory() };
    for _ in 0..ROUNDS {
        if given_up() {
            return None;
        }
        let more: Vec<f64> = next.iter().map(|next| next.iter().map(|&n| ways[n]).sum()).collect();
        let grown =
            more.iter().zip(&ways).filter(|(_, before)| **before > 1e-200).map(|(now, before)| now / before);
        let (low, high) = grown.fold((f64::MAX, 0f64), |(low, high), now| (low.min(now), high.max(now)));
        bounds = Bounds { low: low.max(1.0).log2(), high: high.max(1.0).log2() };
        if high - low < NEAR {
            break;
        }
        let largest = more.iter().copied().fold(0.0, f64::max);
        ways = more.iter().map(|now| now / largest).collect();
    }
    Some(bounds)
}

/// One combination of limits, measured.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Trade {
    /// Limit on droughts.
    pub drought: u8,
    /// Limit on floods.
    pub flood: u8,
    /// Limit on runs of S and Z.
    pub snakes: Option<u8>,
    /// The power of the weights.
    pub memory: u8,
    /// Bits of the next piece, exact but for the sample of positions.
    pub bits: Option<Estimate>,
    /// The most that any randomizer with these limits on droughts and floods can have.
    pub most: Option<Bounds>,
    /// The mean of the longest drought of the seven.
    pub maxdrought: f64,
    /// Share of droughts of 13 and more.
    pub share_13_or_more: Option<Estimate>,
    /// Share of repeats.
    pub repeats: Option<Estimate>,
    /// Different pieces in a window of seven.
    pub diversity: Option<Estimate>,
}

/// Limits that are tried, each with every other and every memory.
const DROUGHTS: [u8; 10] = [6, 7, 8, 9, 10, 11, 12, 13, 14, 16];
const FLOODS: [u8; 3] = [1, 2, 3];
const MEMORIES: [u8; 4] = [0, 1, 2, 3];

/// Pieces of a sweep with so many pieces of each combination.
#[must_use]
pub fn sweep_total(pieces: u32) -> u64 {
    (DROUGHTS.len() * FLOODS.len() * MEMORIES.len()) as u64 * u64::from(pieces)
}

/// Measures our own randomizer over all combinations of limits, with this limit on S and Z; those that were done when it was
/// stopped, and None when it was cancelled.
#[must_use]
pub fn sweep(snakes: Option<u8>, seed: u32, pieces: u32, progress: &Progress) -> Option<Vec<Trade>> {
    let pairs: Vec<(u8, u8)> =
        DROUGHTS.into_iter().flat_map(|drought| FLOODS.map(|flood| (drought, flood))).collect();
    let ends = || progress.is_stopped() || progress.cancel.load(Ordering::Relaxed);
    let rows: Option<Vec<Vec<Trade>>> = pairs
        .into_par_iter()
        .map(|(drought, flood)| {
            let most = bits_unless(drought, flood, &ends);
            let mut row = Vec::with_capacity(MEMORIES.len());
            for memory in MEMORIES {
                let limits = Limits { drought, flood, snakes, memory };
                match trade(limits, most, seed, pieces, progress) {
                    Some(trade) => row.push(trade),
                    None if progress.is_stopped() => break,
                    None => return None,
                }
            }
            Some(row)
        })
        .collect();
    Some(rows?.concat())
}

/// One combination; None when it was ended early.
fn trade(limits: Limits, most: Option<Bounds>, seed: u32, pieces: u32, progress: &Progress) -> Option<Trade> {
    let mut tally = Tally::new(pieces);
    progress.feed(&mut tally, &mut Bounded::new(seed, limits).into(), pieces)?;
    if progress.is_stopped() {
        return None; // what was dealt may be a part
    }
    let figures = super::Figures::of(&tally, None);
    let Limits { drought, flood, snakes, memory } = limits;
    Some(Trade {
        drought,
        flood,
        snakes,
        memory,
        bits: figures.predictability.bits,
        most,
        maxdrought: figures.drought.maxdrought.value,
        share_13_or_more: figures.drought.share_13_or_more,
        repeats: figures.flood.repeats,
        diversity: figures.window.diversity,
    })
}

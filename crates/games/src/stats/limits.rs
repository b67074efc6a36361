//! The cost of hard limits: the highest entropy that any randomizer with these limits can have, and that of the game with limits.

use super::error::Estimate;
use super::measure::feed;
use super::tally::Tally;
use crate::games::pieces::{Limits, PieceOptions};
use crate::seeds::pieces::PieceGame;
use nextscope_task::Progress;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;

/// Bounds of the highest possible entropy.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bounds {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// The longest drought limit for which [`max_bits`] enumerates all positions, so that it takes about a second at most.
const COUNTABLE: u8 = 16;
/// The most rounds of the power method; it ends earlier once the two bounds are within `NEAR`.
const ROUNDS: u32 = 5000;
const NEAR: f64 = 1e-6;

/// The highest entropy per piece of any randomizer with a drought and a flood limit: the logarithm of
/// the growth of the number of valid sequences (the topological entropy; Shannon 1948, theorem 1). None for drought
/// limits with too many positions to enumerate, and for impossible limits.
///
/// A position distinguishes pieces only by how long they have been absent: the set of the seven numbers,
/// and how often the last one came in a row. The growth is the largest eigenvalue of the graph of positions, bounded by the
/// least and the greatest quotient of two rounds of the power method (Collatz, Wielandt).
pub fn max_bits(drought: u8, flood: u8) -> Option<Bounds> {
    bits_unless(drought, flood, &|| false)
}

/// [`max_bits`] with a cancel check; None if cancelled.
fn bits_unless(drought: u8, flood: u8, given_up: &dyn Fn() -> bool) -> Option<Bounds> {
    if !(6..=COUNTABLE).contains(&drought) || flood == 0 {
        return None;
    }
    let flood = usize::from(flood.min(8));
    let places = u32::from(drought) + 1;
    // Bit n of a position: a piece has been absent for n. Bit 0 is the last one. Safe by Hall's condition: the k-th most urgent is
    // due in k or more (the game with limits explains it).
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

/// The measurement of one combination of limits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SweepRow {
    /// Drought limit.
    pub drought: u8,
    /// Flood limit.
    pub flood: u8,
    /// Limit on runs of S and Z.
    pub snakes: Option<u8>,
    /// The exponent of the weights.
    pub memory: u8,
    /// Entropy of the next piece, exact except for the sampling of positions.
    pub bits: Option<Estimate>,
    /// The highest entropy of any randomizer with these drought and flood limits.
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

/// The limits to try, each combined with all others and every memory.
const DROUGHTS: [u8; 10] = [6, 7, 8, 9, 10, 11, 12, 13, 14, 16];
const FLOODS: [u8; 3] = [1, 2, 3];
const MEMORIES: [u8; 4] = [0, 1, 2, 3];

/// The total number of pieces in a sweep with `pieces` pieces per combination.
pub fn sweep_total(pieces: u32) -> u64 {
    (DROUGHTS.len() * FLOODS.len() * MEMORIES.len()) as u64 * u64::from(pieces)
}

/// Measures the game with limits for all combinations of limits, with this limit on S and Z; the finished ones if
/// stopped, and None if cancelled.
pub fn sweep(snakes: Option<u8>, seed: u32, pieces: u32, progress: &Progress) -> Option<Vec<SweepRow>> {
    let pairs: Vec<(u8, u8)> =
        DROUGHTS.into_iter().flat_map(|drought| FLOODS.map(|flood| (drought, flood))).collect();
    progress.begin(sweep_total(pieces));
    let ends = || progress.is_over();
    let rows: Option<Vec<Vec<SweepRow>>> = pairs
        .into_par_iter()
        .map(|(drought, flood)| {
            let most = bits_unless(drought, flood, &ends);
            let mut row = Vec::with_capacity(MEMORIES.len());
            for memory in MEMORIES {
                let limits = Limits { drought, flood, snakes, memory };
                match trade(limits, most, seed, pieces, progress) {
                    Some(trade) => row.push(trade),
                    None if progress.is_cancelled() => return None,
                    None => break,
                }
            }
            Some(row)
        })
        .collect();
    Some(rows?.concat())
}

/// One combination; None if it was stopped early.
fn trade(
    limits: Limits,
    most: Option<Bounds>,
    seed: u32,
    pieces: u32,
    progress: &Progress,
) -> Option<SweepRow> {
    let options = PieceOptions { limits: Some(limits), ..PieceOptions::default() };
    let mut dealer = PieceGame::with_limits()?.dealer("", seed, options)?;
    let mut tally = Tally::new(pieces);
    feed(&mut tally, &mut dealer, pieces, progress);
    if progress.is_over() {
        return None; // possibly incomplete
    }
    let figures = super::Figures::of(&tally, None);
    let Limits { drought, flood, snakes, memory } = limits;
    Some(SweepRow {
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

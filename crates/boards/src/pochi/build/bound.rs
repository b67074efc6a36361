//! An upper bound for the value of any structure, whatever its shape.
//!
//! Waves are counted without positions: each block of a wave reaches at most three blocks of the next, since it has four neighbours
//! and was reached from one of them, or from the needle. Positions, contacts and the size of the field are
//! ignored, which can only raise the bound.

use super::Task;
use crate::pochi::evaluate::PERCENT_A_TAIL;
use crate::pochi::ignition::MAX_STARTS;
use crate::pochi::rules::Ruleset;

/// The most blocks that a block can pass its wave to.
const ONWARD: u32 = 3;
/// With more blocks, the table of the MVS bound would be too large.
const MAX_MVS: u32 = 24;

/// The bound for a task; `None` if there is none.
pub(super) fn upper_bound(task: &Task) -> Option<u32> {
    let bounds = Bounds::new(task)?;
    let starts = 1..=task.blocks.min(u32::try_from(MAX_STARTS).unwrap_or(u32::MAX));
    Some(
        starts
            .map(|starts| bounds.upper_bound(starts, WaveState::START, task.blocks - starts))
            .max()
            .unwrap_or(0),
    )
}

#[derive(Clone, Copy, Debug)]
pub(super) struct WaveState {
    /// The step of the newest wave, from 1.
    pub step: u32,
    /// The sum of the tails before it.
    pub sum: u32,
    /// The most tails of one structure so far.
    pub tails: u32,
    /// The number of blocks visited by the newest wave, all its blocks together.
    pub visited: Option<u32>,
}

impl WaveState {
    /// Only the starts.
    pub(super) const START: Self = Self { step: 1, sum: 0, tails: 0, visited: None };
}

/// The bounds from any wave on.
pub(super) enum Bounds {
    /// By step, blocks of the wave, remaining blocks: the highest possible sum of the tails.
    Ps2 { side: usize, sums: Vec<u32> },
    /// By remaining blocks, blocks of the wave, blocks visited, remaining tails: the highest possible sum of these tails.
    Mvs { side: usize, sums: Vec<Option<u32>> },
}

impl Bounds {
    /// The tables; `None` if they would be too large.
    pub(super) fn new(task: &Task) -> Option<Self> {
        match task.ruleset {
            Ruleset::Ps2 => Some(Self::ps2(task.blocks)),
            Ruleset::Mvs => (task.blocks <= MAX_MVS).then(|| Self::mvs(task.blocks)),
        }
    }

    fn ps2(blocks: u32) -> Self {
        let side = blocks as usize + 1;
        let mut sums = vec![0; side * side * side];
        for step in (1..=blocks).rev() {
            for wave in 1..=blocks {
                for left in 0..=blocks - wave {
                    let mut most = step * wave;
                    // A step beyond the last one would need more blocks than available.
                    let next = if step < blocks { left.min(ONWARD * wave) } else { 0 };
                    for more in 1..=next {
                        let tails = wave - more.div_ceil(ONWARD);
                        let rest = sums[at3(side, step + 1, more, left - more)];
                        most = most.max(step * tails + rest);
                    }
                    sums[at3(side, step, wave, left)] = most;
                }
            }
        }
        Self::Ps2 { side, sums }
    }

    fn mvs(blocks: u32) -> Self {
        let side = blocks as usize + 1;
        let mut sums = vec![None; side * side * side * side];
        for left in 0..=blocks {
            for wave in 1..=blocks - left {
                for visited in wave..=blocks - left {
                    // A tail has visited no other block of its own wave.
                    let each = visited - wave + 1;
                    sums[at4(side, left, wave, visited, wave)] = Some(wave * each);
                    for more in 1..=left.min(ONWARD * wave) {
                        for passing in more.div_ceil(ONWARD)..=wave.min(ONWARD * more) {
                            let tails = wave - passing;
                            for rest in 1..=blocks - tails {
                                let then = at4(side, left - more, more, visited - tails + more, rest);
                                let Some(sum) = sums[then] else { continue };
                                let slot = &mut sums[at4(side, left, wave, visited, tails + rest)];
                                *slot = (*slot).max(Some(sum + tails * each));
                            }
                        }
                    }
                }
            }
        }
        Self::Mvs { side, sums }
    }

    /// The highest possible value of an ignition whose newest wave has `wave` blocks, with `left` more blocks to come.
    pub(super) fn upper_bound(&self, wave: u32, known: WaveState, left: u32) -> u32 {
        match self {
            Self::Ps2 { side, sums } => known.sum + sums[at3(*side, known.step, wave, left)],
            Self::Mvs { side, sums } => {
                let visited = known.visited.unwrap_or(wave);
                let first = at4(*side, left, wave, visited, 0);
                let by_tails = sums[first..first + side].iter().zip(0u32..);
                by_tails
                    .filter_map(|(sum, tails)| {
                        let counted = known.sum + (*sum)?;
                        Some(counted + PERCENT_A_TAIL * (known.tails + tails) * counted / 100)
                    })
                    .max()
                    .unwrap_or(0)
            }
        }
    }
}

fn at3(side: usize, a: u32, b: u32, c: u32) -> usize {
    (a as usize * side + b as usize) * side + c as usize
}

fn at4(side: usize, a: u32, b: u32, c: u32, d: u32) -> usize {
    at3(side, a, b, c) * side + d as usize
}

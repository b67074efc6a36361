//! Testing whether the values of a cell are those of a generator.

use super::{Advance, Known, Recurrence};
use crate::value::low_32;
use nextscope_games::games::lcg::Steps;
use nextscope_games::games::{ExplainedCalls, Movement};

/// Steps that a generator may make in a frame, at most.
const STEPS_MOST: u32 = 4096;

/// A result must be this unlikely by chance, in bits: 2^-44 per cell is none in any console's memory.
const BITS_LEAST: f64 = 44.0;

/// Changes of a cell that are checked first.
const FIRST: usize = 8;

/// The values of a cell over time.
pub(super) struct CellHistory<'a> {
    pub values: &'a [u32],
    /// Frames from each sample to the next.
    pub intervals: &'a [u64],
}

pub(super) struct Solution {
    pub recurrence: Recurrence,
    pub advance: Advance,
    /// Changes that are not steps of the generator.
    pub jumps: usize,
}

impl CellHistory<'_> {
    /// Every change: the value before, the value after, the frames between.
    pub fn changes(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let pairs = self.values.windows(2).zip(self.intervals);
        pairs.map(|(pair, frames)| (pair[0], pair[1], *frames)).filter(|(before, after, _)| before != after)
    }
}

/// Whether this many hits among all changes, with this many bits, are more than chance.
///
/// The improbability is the bits of the hits, less the ways to choose them among all changes: k of m can be chosen in at most
/// (e m / k)^k ways.
#[expect(clippy::cast_precision_loss, reason = "counts of samples")]
pub(super) fn is_no_chance(bits: f64, hits: usize, changes: usize) -> bool {
    let ways = std::f64::consts::E * changes as f64 / hits.max(1) as f64;
    hits > 0 && bits - hits as f64 * ways.log2() >= BITS_LEAST
}

/// Whether a cell of so many bits follows a known generator.
pub(super) fn known(course: &CellHistory<'_>, known: &Known, bits: u32) -> Option<Solution> {
    let name = known.generator.name;
    let (recurrence, (advance, jumps)) = match known.generator.movement {
        Movement::Linear(step) => {
            let recurrence = Recurrence::Known { name, multiplier: step.factor, increment: step.term };
            (recurrence, steps(course, |from, to| Some((distance(&known.doubled, from, to, u32::MAX)?, 32)))?)
        }
        Movement::Counted(distance) => (Recurrence::Counted { name, bits }, steps(course, distance)?),
        Movement::Calls(calls) => {
            let changes: Vec<(u32, u32)> =
                course.changes().map(|(before, after, _)| (before, after)).collect();
            // Half of all intervals may be unexplained, or many more.
            let ExplainedCalls { counts: explained, bits } = (calls.explain)(&changes)?;
            let hits = explained.iter().map(|(_, count)| count).sum();
            if !is_no_chance(bits, hits, changes.len()) {
                return None;
            }
            let unexplained = changes.len() - hits;
            (Recurrence::Calls { name, explained, unexplained }, (Advance::Unknown, 0))
        }
    };
    Some(Solution { recurrence, advance, jumps })
}

/// 1, 2, 4 ... 2^31 steps of a generator.
pub(super) type Doubled = [Steps; 32];

pub(super) fn doubled(mut step: Steps) -> Doubled {
    std::array::from_fn(|_| {
        let doubled = step;
        step = step.then(step);
        doubled
    })
}

/// Steps from `from` to `to`, if at most `most`, of a generator with an odd increment and a multiplier that is 1 modulo 4, so that
/// it has full period: the lowest n bits have period 2^n, so each bit of the result follows from those below.
fn distance(doubled: &Doubled, from: u32, to: u32, most: u32) -> Option<u32> {
    let (mut state, mut distance) = (from, 0);
    for (bit, steps) in (0..u32::BITS - most.leading_zeros()).zip(doubled) {
        if (state ^ to) >> bit & 1 == 1 {
            state = state.wrapping_mul(steps.factor).wrapping_add(steps.term);
            distance |= 1 << bit;
        }
    }
    (state == to && distance <= most).then_some(distance)
}

fn most_in(frames: u64) -> u32 {
    u32::try_from(frames).unwrap_or(u32::MAX).saturating_mul(STEPS_MOST)
}

/// The first changes of a cell: before, after, frames in between.
pub(super) struct FirstChanges {
    changes: [(u32, u32, u64); FIRST],
    len: usize,
}

impl FirstChanges {
    pub fn of(changes: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut first = Self { changes: [(0, 0, 0); FIRST], len: 0 };
        for (room, change) in first.changes.iter_mut().zip(changes) {
            *room = change;
            first.len += 1;
        }
        first
    }

    /// Whether at least half of them follow.
    fn mostly(&self, follows: impl Fn(u32, u32, u32) -> bool) -> bool {
        let mut failed = 0;
        for (before, after, frames) in &self.changes[..self.len] {
            failed += usize::from(!follows(*before, *after, most_in(*frames)));
            if 2 * failed > self.len {
                return false;
            }
        }
        true
    }

    /// Whether most may be steps of the generator.
    pub fn may_be(&self, known: &Known) -> bool {
        match known.generator.movement {
            Movement::Linear(_) => {
                self.mostly(|before, after, most| distance(&known.doubled, before, after, most).is_some())
            }
            Movement::Counted(distance) => self.mostly(|before, after, most| {
                distance(before, after).is_some_and(|(steps, _)| steps <= most)
            }),
            Movement::Calls(calls) => self.mostly(|before, after, _| (calls.is_possible)(before, after)),
        }
    }
}

/// How a cell advances, if at least three of four changes are few enough steps and this is not chance, and the number of other
/// changes: a generator is reseeded now and then. `distance` returns the steps between two values and the bits of the period.
fn steps(
    course: &CellHistory<'_>,
    distance: impl Fn(u32, u32) -> Option<(u32, u32)>,
) -> Option<(Advance, usize)> {
    let few = |(before, after, frames): (u32, u32, u64)| {
        distance(before, after).filter(|(steps, _)| *steps <= most_in(frames))
    };
    let (mut made, mut jumps, mut bits) = (Vec::new(), 0, 0.0);
    let mut per_frame = None;
    let mut even = true;
    for (pair, frames) in course.values.windows(2).zip(course.intervals) {
        let steps = if pair[0] == pair[1] { Some((0, 0)) } else { few((pair[0], pair[1], *frames)) };
        let Some((steps, period)) = steps else {
            jumps += 1;
            continue;
        };
        if steps > 0 {
            // The improbability of reaching the value in this many steps.
            bits += f64::from(period) - f64::from(steps).log2() - 1.0;
        }
        let rate = (u64::from(steps).is_multiple_of(*frames)).then(|| u64::from(steps) / frames);
        even &= rate.is_some() && *per_frame.get_or_insert(rate) == rate;
        made.push(steps);
    }
    let hits = made.iter().filter(|steps| **steps > 0).count();
    if hits < 3 || 3 * jumps > hits || !is_no_chance(bits, hits, hits + jumps) {
        return None;
    }
    let rate = per_frame.flatten().and_then(|rate| u32::try_from(rate).ok());
    Some((rate.filter(|_| even).map_or(Advance::Each(made), Advance::EveryFrame), jumps))
}

/// The multiplier from one difference to the next modulo 2^bits, and how many of its low bits are certain: all differences share
/// the trailing zeros of the first, since the multiplier is odd. None for counters (multiplier 1) and other small multipliers, which
/// are common in memory that is not a generator.
fn multiplier(first: u32, second: u32, bits: u32) -> Option<(u32, u32)> {
    let twos = first.trailing_zeros();
    if first == 0 || second == 0 || second.trailing_zeros() != twos {
        return None;
    }
    let certain_bits = bits - twos;
    let certain = low_32((1u64 << certain_bits) - 1);
    let multiplier = (second >> twos).wrapping_mul(inverse(first >> twos)) & certain;
    let is_rare = multiplier > 8 && multiplier < certain.saturating_sub(8) && !multiplier.is_multiple_of(2);
    is_rare.then_some((multiplier, certain_bits))
}

/// Whether four successive values may follow a linear recurrence modulo 2^bits.
pub(super) fn begins_linear(values: [u32; 4], bits: u32) -> bool {
    let modulus = low_32((1u64 << bits) - 1);
    let difference = |nth: usize| values[nth + 1].wrapping_sub(values[nth]) & modulus;
    multiplier(difference(0), difference(1), bits)
        .is_some_and(|(multiplier, _)| difference(1).wrapping_mul(multiplier) & modulus == difference(2))
}

/// A linear recurrence modulo 2^bits with unknown constants, in samples `frames` apart. Counters and cells with repeated values are
/// excluded.
pub(super) fn linear(values: &[u32], frames: u64, bits: u32) -> Option<Solution> {
    let modulus = low_32((1u64 << bits) - 1);
    let difference = |nth: usize| {
        let (before, after) = (values.get(nth)?, values.get(nth + 1)?);
        Some(after.wrapping_sub(*before) & modulus).filter(|difference| *difference != 0)
    };
    let (first, second) = (difference(0)?, difference(1)?);
    let (multiplier, certain_bits) = multiplier(first, second, bits)?;
    // The first two differences gave the multiplier, the others agree with it.
    let mut last = second;
    for nth in 2..values.len() - 1 {
        let next = difference(nth)?;
        if last.wrapping_mul(multiplier) & modulus != next {
            return None;
        }
        last = next;
    }
    let checks = u32::try_from(values.len()).ok()?.checked_sub(3)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let comes_back = sorted.windows(2).any(|pair| pair[0] == pair[1]);
    if comes_back || f64::from(certain_bits) * f64::from(checks) < BITS_LEAST {
        return None;
    }
    let increment = values[1].wrapping_sub(values[0].wrapping_mul(multiplier)) & modulus;
    let recurrence = Recurrence::Linear { bits, multiplier, certain_bits, increment, frames };
    Some(Solution { recurrence, advance: Advance::SameInEach, jumps: 0 })
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

//! Whether the values of a cell, one after another, are those of a generator.

use super::{Advance, KNOWN, Recurrence};
use crate::value::low_32;
use nextscope_games::game::lcg::Steps;
use nextscope_games::game::{sega, tetris_nes};

/// Steps that a generator may make in a frame, at most.
const STEPS_MOST: u32 = 4096;

/// Bits of agreement, by chance alone, that a hit must stand for: 2^-44 for each cell is none in any console's memory.
const BITS_LEAST: f64 = 44.0;

/// Changes of a cell that are looked at before all are: what does not begin like a generator, is none.
const FIRST: usize = 8;

/// A cell over time.
pub(super) struct Course<'a> {
    /// Its value in every sample.
    pub values: &'a [u32],
    /// Frames from each sample to the next.
    pub intervals: &'a [u64],
}

/// What a cell was found to be.
pub(super) struct Solved {
    pub recurrence: Recurrence,
    pub advance: Advance,
    /// Changes that are no steps of the generator.
    pub jumps: usize,
}

impl Course<'_> {
    /// Every change: the value before, the value after, the frames between.
    pub fn changes(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let pairs = self.values.windows(2).zip(self.intervals);
        pairs.map(|(pair, frames)| (pair[0], pair[1], *frames)).filter(|(before, after, _)| before != after)
    }
}

/// Whether so many hits among so many changes, of so many bits in all, are more than chance makes.
///
/// What chance would have to get right is the bits of the hits, less the ways to choose these among all changes: k of m can
/// be chosen in at most (e m / k)^k ways.
#[expect(clippy::cast_precision_loss, reason = "counts of samples")]
pub(super) fn is_no_chance(bits: f64, hits: usize, changes: usize) -> bool {
    let ways = std::f64::consts::E * changes as f64 / hits.max(1) as f64;
    hits > 0 && bits - hits as f64 * ways.log2() >= BITS_LEAST
}

/// Whether a cell of 32 bits follows the known generator of that number.
pub(super) fn known(course: &Course<'_>, number: usize) -> Option<Solved> {
    let ((name, multiplier, increment), doubled) = (KNOWN[number], &DOUBLED[number]);
    let (advance, jumps) = steps(course, |from, to| Some((distance(doubled, from, to, u32::MAX)?, 32)))?;
    Some(Solved { recurrence: Recurrence::Known { name, multiplier, increment }, advance, jumps })
}

/// The routine of Sega's library in a cell of 32 bits.
pub(super) fn sega(course: &Course<'_>) -> Option<Solved> {
    let distance = |from: u32, to: u32| {
        let steps = sega::State(from).distance_to(sega::State(to))?;
        Some((steps, sega::State(from).period().checked_ilog2()?))
    };
    let (advance, jumps) = steps(course, distance)?;
    Some(Solved { recurrence: Recurrence::SegaLibrary, advance, jumps })
}

/// The shift register of Tetris (NES) in a cell of 16 bits.
pub(super) fn tetris_nes(course: &Course<'_>) -> Option<Solved> {
    let state = |value: u32| tetris_nes::State(u16::try_from(value).unwrap_or(0));
    let distance = |from: u32, to: u32| Some((u32::from(state(from).distance(state(to))?), 15));
    let (advance, jumps) = steps(course, distance)?;
    Some(Solved { recurrence: Recurrence::TetrisNes, advance, jumps })
}

/// 1, 2, 4 ... 2^31 steps of a generator.
type Doubled = [Steps; 32];

/// Those of the known generators.
const DOUBLED: [Doubled; KNOWN.len()] = {
    let mut all = [[Steps::NONE; 32]; KNOWN.len()];
    let mut nth = 0;
    while nth < KNOWN.len() {
        let mut steps = Steps { factor: KNOWN[nth].1, term: KNOWN[nth].2 };
        let mut bit = 0;
        while bit < 32 {
            all[nth][bit] = steps;
            steps = steps.then(steps);
            bit += 1;
        }
        nth += 1;
    }
    all
};

/// Steps from `from` to `to`, when they are `most` or fewer, of a generator with an odd increment and a multiplier that is 1 modulo
/// 4, so that it runs through all states: the lowest n bits have period 2^n, so each bit of the answer follows once those below are
/// settled.
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

/// Steps that may be made in so many frames.
fn most_in(frames: u64) -> u32 {
    u32::try_from(frames).unwrap_or(u32::MAX).saturating_mul(STEPS_MOST)
}

/// The first changes of a cell: before, after, frames between.
pub(super) struct Start {
    changes: [(u32, u32, u64); FIRST],
    len: usize,
}

impl Start {
    pub fn of(changes: impl Iterator<Item = (u32, u32, u64)>) -> Self {
        let mut first = Self { changes: [(0, 0, 0); FIRST], len: 0 };
        for (room, change) in first.changes.iter_mut().zip(changes) {
            *room = change;
            first.len += 1;
        }
        first
    }

    pub fn changes(&self) -> &[(u32, u32, u64)] {
        &self.changes[..self.len]
    }

    /// Whether at least half of them follow.
    fn mostly(&self, follows: impl Fn(u32, u32, u32) -> bool) -> bool {
        let mut failed = 0;
        for (before, after, frames) in self.changes() {
            failed += usize::from(!follows(*before, *after, most_in(*frames)));
            if 2 * failed > self.len {
                return false;
            }
        }
        true
    }

    /// The known generator of which most may be steps.
    pub fn may_be_known(&self) -> Option<usize> {
        let follows = |doubled: &Doubled| {
            self.mostly(|before, after, most| distance(doubled, before, after, most).is_some())
        };
        DOUBLED.iter().position(follows)
    }

    /// Whether they may be of Sega's routine.
    pub fn may_be_sega(&self) -> bool {
        self.mostly(|before, after, most| {
            sega::State(before).distance_to(sega::State(after)).is_some_and(|steps| steps <= most)
        })
    }

    /// Whether they may be of the shift register of Tetris (NES).
    pub fn may_be_tetris_nes(&self) -> bool {
        let state = |value: u32| tetris_nes::State(u16::try_from(value).unwrap_or(0));
        self.mostly(|before, after, most| {
            state(before).distance(state(after)).is_some_and(|steps| u32::from(steps) <= most)
        })
    }
}

/// How a cell goes on, when at least three of four changes are few enough steps, and so few by chance hardly ever; and how many are
/// none: a generator is seeded anew now and then. `distance` tells the steps from one value to another, and the bits of the period in
/// which they lie.
fn steps(course: &Course<'_>, distance: impl Fn(u32, u32) -> Option<(u32, u32)>) -> Option<(Advance, usize)> {
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
            // What it took to get there is what chance would have to get right.
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

/// The multiplier that leads from one difference to the next, modulo 2^bits, and how many of its low bits are certain: all
/// differences share the twos of the first, since the multiplier is odd. None of counters (multiplier 1) and of small multipliers,
/// which are few: doubling and its like are found in much that is no generator.
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

/// Whether four values in a row may be of a linear recurrence modulo 2^bits.
pub(super) fn begins_linear(values: [u32; 4], bits: u32) -> bool {
    let modulus = low_32((1u64 << bits) - 1);
    let difference = |nth: usize| values[nth + 1].wrapping_sub(values[nth]) & modulus;
    multiplier(difference(0), difference(1), bits)
        .is_some_and(|(multiplier, _)| difference(1).wrapping_mul(multiplier) & modulus == difference(2))
}

/// A linear recurrence modulo 2^bits whose constants are not known, in samples that are `frames` apart. Counters and cells that
/// come back to what they were are none.
pub(super) fn linear(values: &[u32], frames: u64, bits: u32) -> Option<Solved> {
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
    Some(Solved { recurrence, advance: Advance::SameInEach, jumps: 0 })
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

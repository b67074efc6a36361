//! Finding random number generators: cells that follow a recurrence from sample to sample.
//!
//! The same memory is sampled several times, some frames apart. A cell whose values follow each other by a few steps of a known
//! generator is its state with near certainty: a 32-bit number is within 65,536 steps of another by chance with probability 2^-16
//! per interval. For a linear generator with unknown constants the differences d of successive values obey d' = A d modulo 2^n,
//! from which A and then C follow when every interval has the same number of steps.

mod samples;
mod solve;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests;

pub use samples::{Samples, SamplesError};

use super::source::Address;
use nextscope_games::games::lcg::Steps;
use nextscope_games::games::{GAMES, KnownGenerator, Movement, StateCell};
use nextscope_memory::console::Endian;
use nextscope_task::Progress;
use rayon::prelude::*;
use samples::{PAGE, Rows};
use solve::{CellHistory, Doubled, FirstChanges, Solution};
use std::ops::Range;
use std::sync::LazyLock;

/// Well-known linear generators modulo 2^32 that no modelled game has.
const OTHERS: [KnownGenerator; 2] = [
    linear("Microsoft C", 214_013, 2_531_011),             // its rand()
    linear("Numerical Recipes", 1_664_525, 1_013_904_223), // chapter 7.1, "quick and dirty"
];

const fn linear(name: &'static str, factor: u32, term: u32) -> KnownGenerator {
    KnownGenerator { name, cell: StateCell::Bits32, movement: Movement::Linear(Steps { factor, term }) }
}

/// All known generators, the fastest to check first. A cell is that of the first generator that it follows.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let all = GAMES.iter().filter_map(|game| game.generator).chain(OTHERS);
    let mut all: Vec<Known> = all.map(Known::new).collect();
    all.sort_by_key(|known| match known.generator.movement {
        Movement::Linear(_) => 0,
        Movement::Counted(_) => 1,
        Movement::Calls(_) => 2,
    });
    all
});

/// A known generator, prepared for the search.
struct Known {
    generator: KnownGenerator,
    /// For a linear one.
    doubled: Doubled,
}

impl Known {
    fn new(generator: KnownGenerator) -> Self {
        let Movement::Linear(step) = generator.movement else {
            return Self { generator, doubled: [Steps::NONE; 32] };
        };
        Self { generator, doubled: solve::doubled(step) }
    }
}

/// The recurrence of a generator.
#[derive(Clone, PartialEq, Debug)]
pub enum Recurrence {
    /// state' = state * multiplier + increment modulo 2^32, with known constants.
    Known {
        /// Its name.
        name: &'static str,
        /// The multiplier.
        multiplier: u32,
        /// The increment.
        increment: u32,
    },
    /// The same modulo 2^bits, with constants solved from the samples, for all steps of an interval.
    Linear {
        /// 16 or 32.
        bits: u32,
        /// The multiplier for an interval.
        multiplier: u32,
        /// How many of its low bits are certain; those above do not affect the samples.
        certain_bits: u32,
        /// The increment for an interval.
        increment: u32,
        /// Frames in an interval.
        frames: u64,
    },
    /// A game's own, whose steps can be counted.
    Counted {
        /// Its name and recurrence.
        name: &'static str,
        /// 16 or 32.
        bits: u32,
    },
    /// A game's own, which mixes in values of its callers.
    Calls {
        /// Its name and recurrence.
        name: &'static str,
        /// What the calls were for, and how many intervals they explain.
        explained: Vec<(&'static str, usize)>,
        /// Intervals with several different calls, which cannot be checked.
        unexplained: usize,
    },
}

impl Recurrence {
    /// The width of the state: 16 or 32.
    pub fn bits(&self) -> u32 {
        match self {
            Self::Linear { bits, .. } | Self::Counted { bits, .. } => *bits,
            Self::Known { .. } | Self::Calls { .. } => 32,
        }
    }
}

/// How far a generator advances.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// Steps per frame.
    EveryFrame(u32),
    /// Steps of each interval, except jumps.
    Each(Vec<u32>),
    /// Unknown, but the same in every interval.
    SameInEach,
    /// Unknown.
    Unknown,
}

/// A cell that is a generator's state.
#[derive(Clone, PartialEq, Debug)]
pub struct RngHit {
    /// Its address.
    pub address: Address,
    /// Its byte order.
    pub order: Endian,
    /// The generator.
    pub recurrence: Recurrence,
    /// How far it advances.
    pub advance: Advance,
    /// The state at the last sample.
    pub state: u32,
    /// Changes that are not steps: it was reseeded or loaded.
    pub jumps: usize,
}

/// All cells that follow a recurrence, at every byte offset and in both byte orders, ascending and disjoint. Generators of a 68000 are
/// searched as it stores them: big-endian, at even addresses.
pub fn find_generators(samples: &Samples, progress: &Progress) -> Result<Vec<RngHit>, SamplesError> {
    if samples.len() < 5 {
        return Err(SamplesError::TooFew(samples.len()));
    }
    let intervals = samples.intervals();
    let even = longest_even_run(&intervals);
    progress.begin((samples.pages().len() * PAGE) as u64);
    let search_page = |page: usize| {
        if progress.is_cancelled() {
            return Err(SamplesError::Cancelled);
        }
        let rows = samples.rows(page);
        let base = samples.base.offset((page * PAGE) as u64);
        let found =
            PageSearch { rows: &rows, intervals: &intervals, even: even.clone(), base, known: &KNOWN }
                .found();
        progress.add(PAGE as u64);
        Ok(found)
    };
    let found: Result<Vec<Vec<Found>>, SamplesError> =
        samples.pages().into_par_iter().map(search_page).collect();
    let whole = |found: &Found| samples.holds(found.hit.address, found.width);
    Ok(without_shadows(found?.into_iter().flatten().filter(whole).collect()))
}

/// The longest run of equal intervals: frames are missed now and then, and unknown constants need intervals with equally many
/// steps.
fn longest_even_run(intervals: &[u64]) -> Range<usize> {
    let (mut longest, mut from) = (0..0, 0);
    for to in 1..=intervals.len() {
        if intervals.get(to) != intervals.get(from) {
            if to - from > longest.len() {
                longest = from..to;
            }
            from = to;
        }
    }
    longest
}

struct PageSearch<'a> {
    rows: &'a Rows,
    intervals: &'a [u64],
    /// The longest run of equal intervals.
    even: Range<usize>,
    base: Address,
    known: &'static [Known],
}

impl PageSearch<'_> {
    fn found(&self) -> Vec<Found> {
        let mut found = Vec::new();
        if self.rows.samples.len() < 4 {
            return found;
        }
        let moves = self.rows.moves();
        let (mut raw, mut values) = (Vec::new(), Vec::with_capacity(self.intervals.len() + 1));
        for offset in 0..self.rows.starts {
            // Most memory does not change: a state changes at least three times.
            let may_move = |width: usize| {
                let bytes = &moves[offset..offset + width];
                offset + width <= self.rows.len
                    && bytes.iter().map(|moves| u32::from(*moves)).sum::<u32>() >= 3
            };
            if !may_move(4) && !may_move(2) {
                continue;
            }
            self.rows.column(offset, &mut raw);
            for (width, order) in
                [(4, Endian::Big), (4, Endian::Little), (2, Endian::Big), (2, Endian::Little)]
            {
                let value = |raw: u32| match (width, order) {
                    (4, Endian::Big) => raw,
                    (4, Endian::Little) => raw.swap_bytes(),
                    (_, Endian::Big) => raw >> 16,
                    (_, Endian::Little) => raw.swap_bytes() & 0xFFFF,
                };
                let bits = if width == 4 { 32 } else { 16 };
                let cell = Cell { address: self.base.offset(offset as u64), bits, order };
                if !may_move(width) {
                    continue;
                }
                let likely = self.likely(&cell, &raw, value);
                if likely == Candidates::default() {
                    continue;
                }
                self.every_sample(&raw, value, &mut values);
                let course = CellHistory { values: &values, intervals: self.intervals };
                if course.changes().nth(2).is_none() {
                    continue;
                }
                let Some(Solution { recurrence, advance, jumps }) = self.solved(&likely, &cell, &course)
                else {
                    continue;
                };
                let moving = values.iter().fold(0, |moving, value| moving | value ^ values[0]);
                let state = values.last().copied().unwrap_or(0);
                found.push(Found {
                    hit: RngHit { address: cell.address, order, recurrence, advance, state, jumps },
                    bits: bits - moving.trailing_zeros(),
                    width: width as u64,
                });
            }
        }
        found
    }

    /// The values of a cell in every sample, from those in the samples in which the page changed.
    fn every_sample(&self, raw: &[u32], value: impl Fn(u32) -> u32, into: &mut Vec<u32>) {
        into.clear();
        let until = self.rows.samples.iter().skip(1).copied().chain([self.intervals.len() + 1]);
        for (raw, until) in raw.iter().zip(until) {
            into.resize(until, value(*raw));
        }
    }

    /// The generators that the first changes of the cell may follow; none for most cells.
    fn likely(&self, cell: &Cell, raw: &[u32], value: impl Fn(u32) -> u32) -> Candidates {
        let changes = raw.windows(2).zip(self.rows.samples.windows(2)).filter_map(|(pair, samples)| {
            let (before, after) = (value(pair[0]), value(pair[1]));
            (before != after).then(|| (before, after, self.intervals[samples[0]..samples[1]].iter().sum()))
        });
        let start = FirstChanges::of(changes);
        let can_be = |known: &Known| cell.can_be(known.generator.cell) && start.may_be(known);
        let bits = self.known.iter().enumerate().map(|(nth, known)| u32::from(can_be(known)) << nth);
        let known = bits.sum();
        Candidates { known, linear: self.begins_linear(cell, raw, value) }
    }

    /// Whether the first of the equal intervals have the same multiplier.
    fn begins_linear(&self, cell: &Cell, raw: &[u32], value: impl Fn(u32) -> u32) -> bool {
        let row = self.rows.samples.partition_point(|sample| *sample <= self.even.start).saturating_sub(1);
        let four = raw.get(row..row + 4).zip(self.rows.samples.get(row..row + 4));
        let Some((raw, samples)) = four else { return false };
        let values = [value(raw[0]), value(raw[1]), value(raw[2]), value(raw[3])];
        let next = [self.even.start + 1, self.even.start + 2, self.even.start + 3];
        samples[1..] == next && solve::begins_linear(values, cell.bits)
    }

    fn solved(&self, likely: &Candidates, cell: &Cell, course: &CellHistory<'_>) -> Option<Solution> {
        let linear = || {
            let frames = *self.intervals.get(self.even.start)?;
            let values = course.values.get(self.even.start..=self.even.end)?;
            solve::linear(values, frames, cell.bits)
        };
        let known = self.known.iter().enumerate().filter(|(nth, _)| likely.known >> nth & 1 == 1);
        let known = { known }.find_map(|(_, known)| solve::known(course, known, cell.bits));
        known.or_else(|| likely.linear.then(linear).flatten())
    }
}

/// The generators that a cell may follow.
#[derive(PartialEq, Eq, Default)]
struct Candidates {
    /// The known ones, a bit each.
    known: u32,
    linear: bool,
}

struct Cell {
    address: Address,
    /// 16 or 32.
    bits: u32,
    order: Endian,
}

impl Cell {
    /// Whether a state could be stored there.
    fn can_be(&self, cell: StateCell) -> bool {
        match cell {
            StateCell::Bits16 => self.bits == 16,
            StateCell::Bits32 => self.bits == 32,
            StateCell::Long68000 => {
                self.bits == 32 && self.order == Endian::Big && self.address.0.is_multiple_of(2)
            }
        }
    }
}

/// A generator found, how many of its bits change, and its width in bytes.
struct Found {
    hit: RngHit,
    bits: u32,
    width: u64,
}

impl Found {
    fn overlaps(&self, other: &Self) -> bool {
        let (one, other_start) = (self.hit.address.0, other.hit.address.0);
        one < other_start + other.width && other_start < one + self.width
    }
}

/// A part of a generator, or a generator shifted between constant bytes, often follows a recurrence, too (the low half of a linear
/// one is one modulo 2^16). Of overlapping cells, the one with the most changing bits is chosen; of these, the narrowest.
fn without_shadows(mut found: Vec<Found>) -> Vec<RngHit> {
    found.sort_by_key(|found| (std::cmp::Reverse(found.bits), found.width, found.hit.address));
    let mut chosen: Vec<Found> = Vec::new();
    for one in found {
        if !chosen.iter().any(|other| one.overlaps(other)) {
            chosen.push(one);
        }
    }
    chosen.sort_by_key(|found| found.hit.address);
    chosen.into_iter().map(|found| found.hit).collect()
}

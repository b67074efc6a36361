//! The course of a generator: the numbers that it gave, and where in them each sample is.

use super::series::CellValues;
use crate::source::Address;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{
    Clock, Deal, Deals, DeclaredDealer, Draw, Generator, Method, Program, Randomizer, Seed, Symbol,
};
use nextscope_memory::console::Endian;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps between two values that are tried in most transitions.
const STEPS_MOST: usize = 256;
/// Steps that are tried in a few: the pools and lists of a game are made with thousands at its start.
const STEPS_AT_ONCE: usize = 16_384;
/// So many transitions may be that long.
const LONG_MOST: usize = 8;
/// Improbability, in bits, from which on a cell is a generator's state: a memory of 4 MB has 2^25 cells.
const BITS_LEAST: f64 = 50.0;
/// The shortest period of a generator. Toys of 7 bits have 127; what animates sprites has less.
const PERIOD_LEAST: usize = 100;
/// Bits of a number of steps by chance: 1.44 on average.
const STEPS_BITS: f64 = 2.0;

/// Where a state is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StateCell {
    /// The address of its first byte.
    pub address: Address,
    /// Its bytes, 1 to 8; of a lagged generator those of one number.
    pub width: u8,
    /// Their order.
    pub order: Endian,
}

/// A generator in RAM, and what it did.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The generator.
    pub generator: Generator,
    /// Where its state is.
    pub cell: StateCell,
    /// The improbability of following it by chance, in bits.
    pub bits: f64,
    /// Whether its whole course is known. A table that was not observed to begin again may be longer, and a list
    /// that was not observed as it was filled cannot be made again.
    pub is_closed: bool,
    /// The number before the first step, and that after each.
    pub(super) numbers: Vec<u64>,
    /// The states.
    pub(super) states: Vec<u64>,
    /// From which sample on each index was the newest; the first is sample 0.
    pub(super) reached: Vec<(u32, usize)>,
    /// Indices that were not reached by steps: the generator was seeded.
    pub(super) seeded: Vec<usize>,
}

/// Steps a generator whose state is one number.
pub(super) struct Stepping {
    dealer: DeclaredDealer,
    generator: Generator,
}

impl Stepping {
    /// None for a generator that the language does not allow, and for one whose state is a list.
    pub fn new(generator: &Generator) -> Option<Self> {
        if matches!(generator, Generator::Lagged { .. }) {
            return None;
        }
        let randomizer = Randomizer {
            deals: Deals::Pieces,
            kinds: vec![Symbol::I, Symbol::J],
            codes: Vec::new(),
            table: Vec::new(),
            weights: Vec::new(),
            pair: nextscope_games::games::declared::PairForm::AxisFirst,
            seed: Seed { bits: generator.width(), steps: 0 },
            generator: generator.clone(),
            zero: None,
            draw: Draw { shift: 0, bits: 1, method: Method::Modulo, add: None, sum_bits: None },
            clock: Clock::Deals,
            other_calls: 0,
            deal: Deal::Direct {},
            first: None,
            queue: None,
        };
        let program = Arc::new(Program::new(randomizer).ok()?);
        Some(Self { dealer: DeclaredDealer::new(program, 0), generator: generator.clone() })
    }

    /// Sets the state.
    pub fn set(&mut self, state: u64) {
        self.dealer.restart(state);
    }

    /// One step; the state after it.
    pub fn step(&mut self) -> u64 {
        self.dealer.deal_number();
        self.dealer.state().word
    }

    /// Whether it soon comes back to a state that follows this one.
    fn is_short(&mut self, state: u64) -> bool {
        self.set(state);
        // Some generators never come back to their first states.
        let known = (0..PERIOD_LEAST).map(|_| self.step()).last();
        (0..PERIOD_LEAST).any(|_| Some(self.step()) == known)
    }

    /// The number that draws read from a state.
    pub fn number(&self, state: u64) -> u64 {
        match &self.generator {
            Generator::Xorshift { multiplier: Some(multiplier), width, .. } => {
                state.wrapping_mul(*multiplier) & (u64::MAX >> (64 - width))
            }
            Generator::SplitMix64 {} => SplitMix64::mixed(state),
            Generator::Table { values, .. } => {
                usize::try_from(state).ok().and_then(|at| values.get(at)).copied().unwrap_or(0)
            }
            _ => state,
        }
    }
}

impl Trace {
    /// Follows a generator through the values of a cell; None if it does not follow them, or by chance.
    #[expect(clippy::cast_precision_loss, reason = "counts of steps")]
    pub(super) fn follow(generator: &Generator, cell: StateCell, values: &CellValues) -> Option<Self> {
        let mut stepping = Stepping::new(generator)?;
        let (_, first) = *values.0.first()?;
        if !matches!(generator, Generator::Table { .. }) && stepping.is_short(first) {
            return None;
        }
        // Bits that never change are no evidence.
        let moving = values.0.iter().fold(0, |moving, (_, value)| moving | value ^ first);
        let width = f64::from(moving.count_ones());
        // Most numbers of a small generator are reached by some steps.
        let period_quarter = 1_usize << (moving.count_ones().clamp(2, 40) - 2);
        let mut trace = Self {
            generator: generator.clone(),
            is_closed: true,
            cell,
            bits: 0.0,
            numbers: vec![stepping.number(first)],
            states: vec![first],
            reached: vec![(0, 0)],
            seeded: Vec::new(),
        };
        let (mut long, mut explained) = (0, 0_usize);
        let mut passed = Vec::new();
        // The same transition once more is no evidence.
        let mut known = BTreeSet::new();
        for (nth, pair) in values.0.windows(2).enumerate() {
            let ((_, before), (sample, after)) = (pair[0], pair[1]);
            let mut look = |most: usize| {
                let most = most.min(period_quarter);
                stepping.set(before);
                passed.clear();
                (0..most).any(|_| {
                    passed.push(stepping.step());
                    passed.last() == Some(&after)
                })
            };
            let found = look(STEPS_MOST)
                || long < LONG_MOST && {
                    long += 1;
                    look(STEPS_AT_ONCE)
                };
            if found {
                explained += 1;
                // A wrong generator that needs any number of steps gets less than nothing for them.
                if known.insert((before, after)) {
                    trace.bits += width - (passed.len() as f64).log2() - STEPS_BITS;
                }
                trace.states.extend_from_slice(&passed);
                trace.numbers.extend(passed.iter().map(|state| stepping.number(*state)));
            } else {
                trace.seeded.push(trace.states.len());
                trace.states.push(after);
                trace.numbers.push(stepping.number(after));
            }
            trace.reached.push((sample, trace.states.len() - 1));
            if nth >= 16 && 2 * explained < nth {
                return None;
            }
        }
        // Each transition that is no step had to be chosen.
        let jumps = trace.seeded.len() as f64;
        let transitions = (explained as f64 + jumps).max(1.0);
        let ways = jumps * (std::f64::consts::E * transitions / jumps.max(1.0)).log2();
        trace.bits -= ways;
        (explained >= 3 * trace.seeded.len() && trace.bits >= BITS_LEAST).then_some(trace)
    }

    /// The index of the newest number in a sample.
    pub(super) fn index(&self, sample: usize) -> usize {
        let at = self.reached.partition_point(|(from, _)| *from as usize <= sample);
        at.checked_sub(1).map_or(0, |at| self.reached[at].1)
    }

    /// Whether the generator was seeded after index `from`, up to `to`.
    pub(super) fn is_seeded(&self, from: usize, to: usize) -> bool {
        let at = self.seeded.partition_point(|seeded| *seeded <= from);
        self.seeded.get(at).is_some_and(|seeded| *seeded <= to)
    }

    /// How often it moved.
    pub const fn moves(&self) -> usize {
        self.reached.len() - 1
    }

    /// Whether both are the same course, as that of a copy.
    pub(super) fn is_copy(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

//! Declared generators, compiled: one step, and the number that draws read.

use super::language::{Direction, Generator, LagOperation, LinearSteps, Randomizer, RegisterForm};
use nextscope_boards::SplitMix64;
use std::fmt;

/// The state of a declared generator.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct GeneratorState {
    /// The state; of a table the index, of a lagged generator the newest number.
    pub word: u64,
    /// The numbers of a lagged generator, a ring.
    ring: Vec<u64>,
    /// The oldest of them.
    oldest: usize,
}

impl fmt::Display for GeneratorState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.width().unwrap_or(1);
        write!(f, "0x{:0digits$X}", self.word)
    }
}

/// One step. All constants are below 2^width.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Step {
    Linear { multiplier: u64, increment: u64 },
    LinearModulo { multiplier: u64, increment: u64, modulus: u64 },
    FibonacciRight { taps: u64, top: u32, shifts: u8 },
    FibonacciLeft { taps: u64, shifts: u8 },
    GaloisRight { taps: u64, shifts: u8 },
    GaloisLeft { taps: u64, top: u32, shifts: u8 },
    Xorshift { shifts: Vec<i8> },
    AddRotate { addend: u64, state_mask: u64, left: u32, right: u32, add_state: bool, increment: u64 },
    MultiplyWithCarry { multiplier: u64, half: u32 },
    Lagged { short: usize, operation: LagOperation },
    Table { last: u64 },
    Add { increment: u64 },
}

/// The number that draws read.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Number {
    Word,
    Multiplied(u64),
    Mixed,
    Table(Vec<u64>),
}

/// A compiled generator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stepper {
    step: Step,
    number: Number,
    /// The bits of a state.
    mask: u64,
    /// The bits that are tested, and the state that replaces one in which they are all 0.
    zero: Option<(u64, u64)>,
    /// How a lagged generator is filled, and with how many numbers.
    fill: Option<(LinearSteps, usize)>,
}

/// The low `bits` bits, 1 to 64.
pub(super) const fn low_bits(bits: u8) -> u64 {
    u64::MAX >> (64 - bits as u32)
}

fn half(width: u8) -> u32 {
    u32::from(width) / 2
}

impl Stepper {
    /// The generator must have passed [`super::check()`].
    pub fn new(randomizer: &Randomizer) -> Self {
        let width = randomizer.generator.width();
        let mask = low_bits(width);
        let mut fill = None;
        let mut number = Number::Word;
        let step = match &randomizer.generator {
            Generator::Linear { multiplier, increment, modulus, .. } => {
                let (multiplier, increment) = (*multiplier, *increment);
                match *modulus {
                    Some(modulus) => Step::LinearModulo { multiplier, increment, modulus },
                    None => Step::Linear { multiplier, increment },
                }
            }
            // Adding the low half to the high half without a carry is a multiplication by 2^(width / 2) + 1.
            Generator::MultiplyAddHalves { multiplier, .. } => {
                let fold = (1 << half(width)) + 1;
                Step::Linear { multiplier: multiplier.wrapping_mul(fold) & mask, increment: 0 }
            }
            Generator::ShiftRegister { form, direction, taps, shifts, .. } => {
                let (taps, shifts, top) = (*taps, *shifts, u32::from(width) - 1);
                match (form, direction) {
                    (RegisterForm::Fibonacci, Direction::Right) => Step::FibonacciRight { taps, top, shifts },
                    (RegisterForm::Fibonacci, Direction::Left) => Step::FibonacciLeft { taps, shifts },
                    (RegisterForm::Galois, Direction::Right) => Step::GaloisRight { taps, shifts },
                    (RegisterForm::Galois, Direction::Left) => Step::GaloisLeft { taps, top, shifts },
                }
            }
            Generator::Xorshift { shifts, multiplier, .. } => {
                if let Some(multiplier) = multiplier {
                    number = Number::Multiplied(*multiplier);
                }
                Step::Xorshift { shifts: shifts.clone() }
            }
            Generator::AddRotate { addend, state_mask, rotate, add_state, increment, .. } => {
                Step::AddRotate {
                    addend: *addend,
                    state_mask: *state_mask,
                    left: (*rotate).into(),
                    right: u32::from(width) - u32::from(*rotate),
                    add_state: *add_state,
                    increment: *increment,
                }
            }
            Generator::MultiplyWithCarry { multiplier, .. } => {
                Step::MultiplyWithCarry { multiplier: *multiplier, half: half(width) }
            }
            Generator::Lagged { long, short, operation, fill: steps, .. } => {
                fill = Some((*steps, usize::from(*long)));
                Step::Lagged { short: (*short).into(), operation: *operation }
            }
            Generator::Table { values, .. } => {
                number = Number::Table(values.clone());
                Step::Table { last: values.len() as u64 - 1 }
            }
            Generator::SplitMix64 {} => {
                number = Number::Mixed;
                // One step from 0 adds the increment.
                let mut from_zero = SplitMix64(0);
                from_zero.draw();
                Step::Add { increment: from_zero.0 }
            }
        };
        let zero = randomizer.zero.map(|zero| (zero.mask.unwrap_or(mask), zero.replacement));
        Self { step, number, mask, zero, fill }
    }

    /// Whether a generator whose state is one number can have this one.
    pub fn is_possible(&self, word: u64) -> bool {
        match &self.step {
            Step::LinearModulo { modulus, .. } => word < *modulus,
            Step::Table { last } => word <= *last,
            _ => word <= self.mask,
        }
    }

    /// Puts the state of a seed into `state`.
    pub fn seed(&self, state: &mut GeneratorState, seed: u64) {
        state.oldest = 0;
        state.ring.clear();
        state.word = match (&self.number, &self.step) {
            (Number::Table(values), _) => seed % values.len() as u64,
            (_, Step::LinearModulo { modulus, .. }) => seed % modulus,
            _ => seed & self.mask,
        };
        if let Some((steps, count)) = &self.fill {
            let mut filler = seed;
            for _ in 0..*count {
                state.ring.push(filler & self.mask);
                filler = linear(filler, steps.multiplier, steps.increment, steps.modulus);
            }
        }
    }

    /// One step.
    #[inline]
    pub fn step(&self, state: &mut GeneratorState) {
        let mut word = state.word;
        if let Some((tested, replacement)) = self.zero
            && word & tested == 0
        {
            word = replacement;
        }
        state.word = match &self.step {
            Step::Linear { multiplier, increment } => {
                word.wrapping_mul(*multiplier).wrapping_add(*increment) & self.mask
            }
            Step::LinearModulo { multiplier, increment, modulus } => {
                linear(word, *multiplier, *increment, Some(*modulus))
            }
            Step::FibonacciRight { taps, top, shifts } => (0..*shifts).fold(word, |word, _| {
                let enters = u64::from((word & taps).count_ones() & 1);
                word >> 1 | enters << top
            }),
            Step::FibonacciLeft { taps, shifts } => (0..*shifts).fold(word, |word, _| {
                let enters = u64::from((word & taps).count_ones() & 1);
                (word << 1 | enters) & self.mask
            }),
            Step::GaloisRight { taps, shifts } => {
                (0..*shifts).fold(word, |word, _| word >> 1 ^ if word & 1 == 1 { *taps } else { 0 })
            }
            Step::GaloisLeft { taps, top, shifts } => (0..*shifts)
                .fold(word, |word, _| word << 1 & self.mask ^ if word >> top & 1 == 1 { *taps } else { 0 }),
            Step::Xorshift { shifts } => shifts.iter().fold(word, |word, shift| {
                let distance = u32::from(shift.unsigned_abs());
                word ^ if *shift > 0 { word << distance & self.mask } else { word >> distance }
            }),
            Step::AddRotate { addend, state_mask, left, right, add_state, increment } => {
                let sum = word.wrapping_add(*addend).wrapping_add(word & state_mask) & self.mask;
                let rotated = sum << left & self.mask | sum >> right;
                let state = if *add_state { word } else { 0 };
                rotated.wrapping_add(state).wrapping_add(*increment) & self.mask
            }
            Step::MultiplyWithCarry { multiplier, half } => {
                let low = word & ((1 << half) - 1);
                low.wrapping_mul(*multiplier).wrapping_add(word >> half) & self.mask
            }
            Step::Lagged { short, operation } => {
                let long = state.ring.len();
                let at = state.oldest;
                let (old, newer) = (state.ring[at], state.ring[(at + long - short) % long]);
                let new = match operation {
                    LagOperation::Add => old.wrapping_add(newer),
                    LagOperation::Subtract => old.wrapping_sub(newer),
                    LagOperation::Xor => old ^ newer,
                } & self.mask;
                state.ring[at] = new;
                state.oldest = if at + 1 == long { 0 } else { at + 1 };
                new
            }
            Step::Table { last } => {
                if word >= *last {
                    0
                } else {
                    word + 1
                }
            }
            Step::Add { increment } => word.wrapping_add(*increment),
        };
    }

    /// The number that draws read.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "an index below 4096")]
    pub fn number(&self, state: &GeneratorState) -> u64 {
        match &self.number {
            Number::Word => state.word,
            Number::Multiplied(multiplier) => state.word.wrapping_mul(*multiplier) & self.mask,
            Number::Mixed => SplitMix64::mixed(state.word),
            Number::Table(values) => values[state.word as usize],
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a remainder of a 64-bit modulus")]
fn linear(word: u64, multiplier: u64, increment: u64, modulus: Option<u64>) -> u64 {
    match modulus {
        Some(modulus) => {
            let product = u128::from(word) * u128::from(multiplier) + u128::from(increment);
            (product % u128::from(modulus)) as u64
        }
        None => word.wrapping_mul(multiplier).wrapping_add(increment),
    }
}

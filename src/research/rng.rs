//! Where a random number generator stands: cells that follow one recurrence from sample to sample.
//!
//! Several samples of the same memory are taken, some frames apart. A cell whose every value leads to the next by a few steps
//! of a known generator is one with hardly a chance of error: a number of 32 bits lies within 65,536 steps of another with a
//! chance of 2^-16 in each interval. Of a linear generator with unknown constants the differences d of successive values obey
//! d' = A d modulo 2^n, from which A and then C follow when every interval makes the same number of steps.

use super::source::Address;
use super::value::low_32;
use crate::console::Endian;
use crate::game::puyo_20th::Steps;
use crate::game::puyo_tsu::{self, POOL_SETUPS, state_after};
use crate::game::{sega, tetris_nes};

/// Steps that a generator may make in a frame, at most.
const STEPS_MOST: u32 = 4096;

/// Bits of agreement, by chance alone, that a hit must stand for: 2^-48 for each cell is none in any memory.
const BITS_LEAST: f64 = 48.0;

/// The stack of Puyo Puyo Tsu, from which a7 comes (initial stack 0x00FF8000, reference 1.1), with room for the caller's d0.
const TSU_STACK: std::ops::Range<u32> = 0x00FF_7E00..0x00FF_8200;

/// Changes up to which a cell may be Puyo Puyo Tsu's state although it shows no draw, only rounds.
const ROUNDS_TRIED: usize = 8;

/// Linear generators that are widely known: what they are called, multiplier, increment, modulo 2^32.
const KNOWN: [(&str, u32, u32); 4] = [
    ("Puyo Puyo!! 20th Anniversary", Steps::ONE.factor, Steps::ONE.term), // reference 2.1
    ("ISO C's example (also Arika's games)", 0x41C6_4E6D, 12345),         // ISO/IEC 9899, rand; reference 3.3
    ("Microsoft C", 214_013, 2_531_011),                                  // its rand()
    ("Numerical Recipes", 1_664_525, 1_013_904_223),                      // chapter 7.1, "quick and dirty"
];

/// The same memory at several moments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Samples {
    base: Address,
    frames: Vec<u64>,
    bytes: Vec<Vec<u8>>,
}

/// Why samples are of no use.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SamplesError {
    /// Not of the same memory.
    #[error("a sample of {len} bytes, the ones before have {wanted}")]
    Length {
        /// Its length.
        len: usize,
        /// The length of those before.
        wanted: usize,
    },
    /// Not later than the one before.
    #[error("a sample of frame {frame} after one of frame {last}")]
    Order {
        /// Its frame.
        frame: u64,
        /// The frame of the last one.
        last: u64,
    },
    /// Too few to tell.
    #[error(
        "{0} samples are too few to tell a generator from chance; take at least 5, a frame or a few apart"
    )]
    TooFew(usize),
}

/// The generator that a cell follows.
#[derive(Clone, PartialEq, Debug)]
pub enum Recurrence {
    /// state' = state * multiplier + increment, modulo 2^32; its constants are known.
    Known {
        /// Whose it is.
        name: &'static str,
        /// The multiplier.
        multiplier: u32,
        /// The increment.
        increment: u32,
    },
    /// The same modulo 2^bits, with constants found from the samples. They are those of all steps between two samples.
    Linear {
        /// 16 or 32.
        bits: u32,
        /// The multiplier for an interval.
        multiplier: u32,
        /// How many of its low bits are certain; the samples are the same whatever those above are.
        certain_bits: u32,
        /// The increment for an interval.
        increment: u32,
        /// Frames in an interval.
        frames: u64,
    },
    /// The shift register of Tetris (NES), reference 3.2.
    TetrisNes,
    /// The routine of Sega's 68000 library, reference 4.1.
    SegaLibrary,
    /// Puyo Puyo Tsu's, stirred with what its callers hold: a draw has a stack pointer that can be, a round is a whole
    /// generation; reference 1.1, 1.2.
    PuyoTsu {
        /// Intervals explained by one draw.
        draws: usize,
        /// Intervals explained by a whole round's generation.
        rounds: usize,
        /// Intervals with several draws, which cannot be checked.
        unexplained: usize,
    },
}

/// How far a generator goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// So many steps every frame.
    EveryFrame(u32),
    /// The steps of each interval.
    Each(Vec<u32>),
    /// Not known: the same in every interval.
    SameInEach,
    /// Not known.
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
    /// How far it goes.
    pub advance: Advance,
    /// The state at the last sample.
    pub state: u32,
}

impl Samples {
    /// Of memory that begins at `base`.
    #[must_use]
    pub fn new(base: Address) -> Self {
        Self { base, frames: Vec::new(), bytes: Vec::new() }
    }

    /// Adds what the memory held at a frame.
    ///
    /// # Errors
    /// [`SamplesError::Length`], [`SamplesError::Order`].
    pub fn push(&mut self, frame: u64, bytes: Vec<u8>) -> Result<(), SamplesError> {
        if let Some(first) = self.bytes.first()
            && first.len() != bytes.len()
        {
            return Err(SamplesError::Length { len: bytes.len(), wanted: first.len() });
        }
        if let Some(last) = self.frames.last()
            && *last >= frame
        {
            return Err(SamplesError::Order { frame, last: *last });
        }
        self.frames.push(frame);
        self.bytes.push(bytes);
        Ok(())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Frames between one sample and the next.
    fn intervals(&self) -> Vec<u64> {
        self.frames.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// How often each byte changed, 255 standing for more.
    fn moves(&self) -> Vec<u8> {
        let mut moves = vec![0u8; self.bytes.first().map_or(0, Vec::len)];
        for pair in self.bytes.windows(2) {
            for ((moves, one), other) in moves.iter_mut().zip(&pair[0]).zip(&pair[1]) {
                *moves = moves.saturating_add(u8::from(one != other));
            }
        }
        moves
    }

    fn values(&self, offset: usize, width: usize, order: Endian, values: &mut Vec<u32>) -> Option<()> {
        values.clear();
        for bytes in &self.bytes {
            values.push(low_32(order.number(bytes.get(offset..offset + width)?)));
        }
        Some(())
    }
}

/// All cells that follow a recurrence, at every byte offset and in both byte orders, ascending by address; none overlap.
///
/// # Errors
/// [`SamplesError::TooFew`].
pub fn find_generators(samples: &Samples) -> Result<Vec<RngHit>, SamplesError> {
    if samples.len() < 5 {
        return Err(SamplesError::TooFew(samples.len()));
    }
    let intervals = samples.intervals();
    let mut hits: Vec<Found> = Vec::new();
    let mut values = Vec::with_capacity(samples.len());
    let moves = samples.moves();
    for offset in 0..samples.bytes[0].len() {
        // Most memory stands still: three changes are the least, in whichever of the bytes.
        let may_move = |width: usize| {
            let bytes = moves.get(offset..offset + width);
            bytes.is_some_and(|bytes| bytes.iter().map(|moves| u32::from(*moves)).sum::<u32>() >= 3)
        };
        for (width, order) in [(4, Endian::Big), (4, Endian::Little), (2, Endian::Big), (2, Endian::Little)] {
            if !may_move(width)
                || samples.values(offset, width, order, &mut values).is_none()
                || values.windows(2).filter(|pair| pair[0] != pair[1]).count() < 3
            {
                continue;
            }
            let found = if width == 4 {
                long(&values, &intervals)
            } else {
                tetris_nes_steps(&values, &intervals).or_else(|| linear(&values, &intervals, 16))
            };
            let Some((recurrence, advance)) = found else { continue };
            let state = values.last().copied().unwrap_or(0);
            let moving = values.iter().fold(0, |moving, value| moving | value ^ values[0]);
            hits.push(Found {
                hit: RngHit {
                    address: samples.base.offset(offset as u64),
                    order,
                    recurrence,
                    advance,
                    state,
                },
                bits: 8 * u32::try_from(width).unwrap_or(4) - moving.trailing_zeros(),
                width: width as u64,
            });
        }
    }
    Ok(without_shadows(hits))
}

/// A cell that was found, how many of its bits move, and its width in bytes.
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

/// Cells that hold a part of a generator, or a generator shifted between bytes that stand still, often follow a recurrence as
/// well (the low half of a linear one is one modulo 2^16). Of cells that overlap, the one is meant of which most bits move; of
/// such, the narrowest.
fn without_shadows(mut found: Vec<Found>) -> Vec<RngHit> {
    found.sort_by_key(|found| (std::cmp::Reverse(found.bits), found.width, found.hit.address));
    let mut kept: Vec<Found> = Vec::new();
    for one in found {
        if !kept.iter().any(|other| one.overlaps(other)) {
            kept.push(one);
        }
    }
    kept.sort_by_key(|found| found.hit.address);
    kept.into_iter().map(|found| found.hit).collect()
}

/// The recurrence of a cell of 32 bits.
fn long(values: &[u32], intervals: &[u64]) -> Option<(Recurrence, Advance)> {
    for (name, multiplier, increment) in KNOWN {
        let distance = |from, to| Some(distance(multiplier, increment, from, to));
        if let Some(steps) = steps(values, intervals, 32, distance) {
            let known = Recurrence::Known { name, multiplier, increment };
            return Some((known, advance(steps, intervals)));
        }
    }
    let sega = |from, to| sega::State(from).distance_to(sega::State(to));
    if values[0] != 0
        && let Some(steps) = steps(values, intervals, 32, sega)
    {
        return Some((Recurrence::SegaLibrary, advance(steps, intervals)));
    }
    tsu(values).or_else(|| linear(values, intervals, 32))
}

/// Steps from `from` to `to` of a generator with an odd increment and a multiplier that is 1 modulo 4, so that it runs through
/// all states: the lowest n bits have period 2^n, so each bit of the answer follows once those below are settled.
fn distance(multiplier: u32, increment: u32, from: u32, to: u32) -> u32 {
    let (mut state, mut doubled, mut distance) = (from, Steps { factor: multiplier, term: increment }, 0);
    for bit in 0..u32::BITS {
        if (state ^ to) >> bit & 1 == 1 {
            state = state.wrapping_mul(doubled.factor).wrapping_add(doubled.term);
            distance |= 1 << bit;
        }
        doubled = doubled.then(doubled);
    }
    distance
}

/// The steps of each interval, when all are few enough, and so few by chance hardly ever.
fn steps(
    values: &[u32],
    intervals: &[u64],
    state_bits: u32,
    distance: impl Fn(u32, u32) -> Option<u32>,
) -> Option<Vec<u32>> {
    let mut bits = 0.0;
    let mut steps = Vec::with_capacity(intervals.len());
    for (pair, frames) in values.windows(2).zip(intervals) {
        let most = u32::try_from(*frames).unwrap_or(u32::MAX).saturating_mul(STEPS_MOST);
        let made = distance(pair[0], pair[1]).filter(|steps| *steps <= most)?;
        if made > 0 {
            // What it took to get there is what chance would have to get right.
            bits += f64::from(state_bits) - f64::from(made).log2().max(0.0) - 1.0;
        }
        steps.push(made);
    }
    (bits >= BITS_LEAST && steps.iter().filter(|steps| **steps > 0).count() >= 3).then_some(steps)
}

fn tetris_nes_steps(values: &[u32], intervals: &[u64]) -> Option<(Recurrence, Advance)> {
    let state = |value: u32| tetris_nes::State(u16::try_from(value).unwrap_or(0));
    let distance = |from: u32, to: u32| state(from).distance(state(to)).map(u32::from);
    let steps = steps(values, intervals, 15, distance)?;
    Some((Recurrence::TetrisNes, advance(steps, intervals)))
}

fn advance(steps: Vec<u32>, intervals: &[u64]) -> Advance {
    let each = |(steps, frames): (&u32, &u64)| {
        let steps = u64::from(*steps);
        steps.is_multiple_of(*frames).then(|| steps / frames)
    };
    let mut per_frame = steps.iter().zip(intervals).map(each);
    let first = per_frame.next().flatten().and_then(|steps| u32::try_from(steps).ok());
    match first {
        Some(first) if per_frame.all(|steps| steps == Some(first.into())) => Advance::EveryFrame(first),
        _ => Advance::Each(steps),
    }
}

/// Puyo Puyo Tsu's generator is stirred with d0 and a7: one draw leaves their sum, which lies in the stack. Of several draws in
/// an interval nothing can be said; they are frequent, so that a few single ones among many must do.
fn tsu(values: &[u32]) -> Option<(Recurrence, Advance)> {
    let changes: Vec<(u32, u32)> =
        values.windows(2).map(|pair| (pair[0], pair[1])).filter(|(before, after)| before != after).collect();
    let is_draw = |(before, after): &&(u32, u32)| {
        // R' = rol32(d0 + R + a7, 5) + R + 1
        let sum = after.wrapping_sub(*before).wrapping_sub(1).rotate_right(5);
        TSU_STACK.contains(&sum.wrapping_sub(*before))
    };
    let is_round = |(before, after): &&(u32, u32)| {
        let after = puyo_tsu::State(*after);
        POOL_SETUPS.iter().any(|setup| state_after(puyo_tsu::State(*before), *setup) == after)
    };
    let mut steps: Vec<u32> =
        changes.iter().filter(is_draw).map(|(before, after)| after.wrapping_sub(*before)).collect();
    let draws = steps.len();
    // A generation takes 517 steps: it is tried where little changes, or draws were seen already.
    let may_be = draws > 0 || changes.len() <= ROUNDS_TRIED;
    let rounds =
        if may_be { changes.iter().filter(|change| !is_draw(change)).filter(is_round).count() } else { 0 };
    let unexplained = changes.len() - draws - rounds;
    // What goes on by the same amount is a counter that happens to pass the stack's addresses.
    steps.sort_unstable();
    steps.dedup();
    let counter = draws > 1 && steps.len() == 1;
    // One draw has a chance of 2^-22, a round one of 2^-30.
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let bits = 22.0 * draws as f64 + 30.0 * rounds as f64;
    (bits >= BITS_LEAST && !counter)
        .then_some((Recurrence::PuyoTsu { draws, rounds, unexplained }, Advance::Unknown))
}

/// A linear recurrence modulo 2^bits whose constants are not known. Counters (multiplier 1) and cells that come back to what
/// they were are none.
fn linear(values: &[u32], intervals: &[u64], bits: u32) -> Option<(Recurrence, Advance)> {
    let frames = *intervals.first()?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    if intervals.iter().any(|other| *other != frames) || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let modulus = low_32((1u64 << bits) - 1);
    let differences: Vec<u32> =
        values.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]) & modulus).collect();
    // All differences share the twos of the first (the multiplier is odd), so the multiplier is certain but for its top bits.
    let twos = differences[0].trailing_zeros();
    if differences.iter().any(|difference| difference.trailing_zeros() != twos) {
        return None;
    }
    let certain_bits = bits - twos;
    let (first, second) = (differences[0] >> twos, differences[1] >> twos);
    let multiplier = second.wrapping_mul(inverse(first)) & low_32((1u64 << certain_bits) - 1);
    if multiplier == 1 || multiplier.is_multiple_of(2) {
        return None;
    }
    let follows = |pair: &[u32]| pair[0].wrapping_mul(multiplier) & modulus == pair[1];
    let checks = differences.len().checked_sub(2)?;
    // The first two differences gave the multiplier, the others agree with it; that they have the same twos says nothing.
    let agreed = f64::from(certain_bits) * f64::from(u32::try_from(checks).ok()?);
    // A small multiplier is one of few: doubling and its like are found in much that is no generator.
    let rare = multiplier > 8 && multiplier < low_32((1u64 << certain_bits) - 1) - 8;
    if !rare || agreed < BITS_LEAST || !differences.windows(2).all(follows) {
        return None;
    }
    let increment = values[1].wrapping_sub(values[0].wrapping_mul(multiplier)) & modulus;
    Some((Recurrence::Linear { bits, multiplier, certain_bits, increment, frames }, Advance::SameInEach))
}

/// The inverse of an odd number modulo 2^32, by Newton's iteration.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests {
    use super::*;
    use crate::game::puyo_tsu::{Setup, State};
    use proptest::prelude::*;

    const BASE: Address = Address(0xFF_0000);

    /// Memory with counters, a timer, toggles and noise that is redrawn every frame, and the cell in the midst of it.
    fn samples(
        frames: &[u64],
        at: usize,
        order: Endian,
        width: usize,
        state: impl Fn(usize) -> u32,
    ) -> Samples {
        let mut samples = Samples::new(BASE);
        for (nth, frame) in frames.iter().enumerate() {
            let mut bytes = vec![0; 1024];
            for (offset, byte) in bytes.iter_mut().enumerate().skip(512) {
                let mixed = (*frame + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (offset as u64) << 20);
                *byte = (mixed >> 40) as u8;
            }
            bytes[..4].copy_from_slice(&(*frame as u32 * 3).to_be_bytes());
            bytes[4..8].copy_from_slice(&(*frame as u32).to_le_bytes());
            bytes[8] = (frame % 2) as u8;
            bytes[12..16].copy_from_slice(&(1u32 << (frame % 32)).to_be_bytes());
            bytes[20..24].copy_from_slice(&((frame * frame) as u32).to_be_bytes());
            let cell = state(nth).to_be_bytes();
            bytes[at..at + width].copy_from_slice(&cell[4 - width..]);
            if order == Endian::Little {
                bytes[at..at + width].reverse();
            }
            samples.push(*frame, bytes).expect("samples in order");
        }
        samples
    }

    const EVERY: [u64; 8] = [10, 11, 12, 13, 14, 15, 16, 17];
    const UNEVEN: [u64; 8] = [10, 11, 13, 14, 20, 21, 40, 41];

    fn only(samples: &Samples) -> RngHit {
        let mut hits = find_generators(samples).expect("enough samples");
        assert_eq!(hits.len(), 1, "{hits:?}");
        hits.remove(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_known_generator_is_found_with_its_steps(
            which in 0..KNOWN.len(),
            at in 30usize..1000,
            seed: u32,
            big: bool,
            per_frame in 1u32..300,
        ) {
            let (name, multiplier, increment) = KNOWN[which];
            let order = if big { Endian::Big } else { Endian::Little };
            let state = |nth: usize| {
                let steps = UNEVEN[nth] * u64::from(per_frame);
                (0..steps).fold(seed, |state, _| state.wrapping_mul(multiplier).wrapping_add(increment))
            };
            let hit = only(&samples(&UNEVEN, at, order, 4, state));
            prop_assert_eq!((hit.address, hit.order), (BASE.offset(at as u64), order));
            prop_assert_eq!(hit.recurrence, Recurrence::Known { name, multiplier, increment });
            prop_assert_eq!((hit.advance, hit.state), (Advance::EveryFrame(per_frame), state(7)));
        }

        #[test]
        fn unknown_constants_are_solved(
            at in 30usize..1000,
            seed: u32,
            multiplier in (3u32..1 << 29).prop_map(|a| 8 * a + 5),
            increment: u32,
            wide: bool,
            big: bool,
        ) {
            let (bits, width) = if wide { (32, 4) } else { (16, 2) };
            let modulus = low_32((1u64 << bits) - 1);
            let multiplier = multiplier & modulus;
            let increment = increment & modulus | 1;
            prop_assume!(multiplier > 8 && multiplier < modulus - 8);
            let order = if big { Endian::Big } else { Endian::Little };
            let step = |state: u32| state.wrapping_mul(multiplier).wrapping_add(increment) & modulus;
            let state = |nth: usize| (0..nth).fold(seed & modulus, |state, _| step(state));
            let hit = only(&samples(&EVERY, at, order, width, state));
            prop_assert_eq!((hit.address, hit.order), (BASE.offset(at as u64), order));
            let Recurrence::Linear { bits: told, multiplier: a, certain_bits, increment: c, frames } = hit.recurrence
            else { panic!("{hit:?}") };
            prop_assert_eq!((told, frames), (bits, 1));
            let certain = low_32((1u64 << certain_bits) - 1);
            prop_assert_eq!(a, multiplier & certain);
            for nth in 0..7 {
                prop_assert_eq!(state(nth).wrapping_mul(a).wrapping_add(c) & modulus, state(nth + 1));
            }
        }

        #[test]
        fn the_shift_register_and_segas_routine_are_found(at in 30usize..1000, place in 0u64..32767, seed: u32) {
            let nes = tetris_nes::State::at(place);
            let hit = only(&samples(&EVERY, at, Endian::Big, 2, |nth| nes.jump(nth as u64).0.into()));
            prop_assert_eq!((hit.recurrence, hit.advance), (Recurrence::TetrisNes, Advance::EveryFrame(1)));
            prop_assert_eq!(hit.address, BASE.offset(at as u64));
            let sega = sega::State(seed | 1);
            let hit = only(&samples(&UNEVEN, at, Endian::Big, 4, |nth| sega.jump(UNEVEN[nth] as u32 * 2).0));
            prop_assert_eq!((hit.recurrence, hit.advance), (Recurrence::SegaLibrary, Advance::EveryFrame(2)));
        }

        #[test]
        fn the_generator_of_tsu_is_found_by_its_stack_and_its_rounds(at in 30usize..1000, seed: u32) {
            let state = |nth: usize| {
                (0..nth).fold(State(seed), |state, nth| match nth {
                    3 => state_after(state, Setup::VERSUS),
                    5 => state,
                    6 => state.random(6, 0x00FF_7FD0).0.random(9, 0x00FF_7FC8).0,
                    _ => state.random(6, 0x00FF_7FD0).0,
                })
            };
            let hit = only(&samples(&EVERY, at, Endian::Big, 4, |nth| state(nth).0));
            prop_assert_eq!(hit.recurrence, Recurrence::PuyoTsu { draws: 4, rounds: 1, unexplained: 1 });
            prop_assert_eq!(hit.address, BASE.offset(at as u64));
        }
    }

    #[test]
    fn memory_without_a_generator_gives_none() {
        for frames in [EVERY, UNEVEN] {
            let samples = samples(&frames, 100, Endian::Big, 4, |nth| nth as u32);
            assert_eq!(find_generators(&samples), Ok(Vec::new()));
        }
    }

    #[test]
    fn samples_that_do_not_go_together_are_refused() {
        let mut samples = Samples::new(BASE);
        samples.push(5, vec![0; 8]).expect("the first");
        assert_eq!(samples.push(6, vec![0; 9]), Err(SamplesError::Length { len: 9, wanted: 8 }));
        assert_eq!(samples.push(5, vec![0; 8]), Err(SamplesError::Order { frame: 5, last: 5 }));
        assert_eq!(find_generators(&samples), Err(SamplesError::TooFew(1)));
    }
}

//! Shift registers with unknown taps.
//!
//! The bits that a Fibonacci register shifts in are all in its next value, so that every one of them is a linear equation for the taps.
//! A Galois register shows its taps whenever a 1 drops out. A register to the left is one to the right with its bits in reverse order.

use super::arithmetic::{BitEquations, low_bits, reversed};
use nextscope_games::games::declared::{Direction, Generator, RegisterForm};

/// Transitions that a register is solved from, at most.
const USED: usize = 256;
/// Equations beyond those that select among possible taps, so that a wrong choice is less likely than 2^-20.
const CHANCE_BITS: usize = 20;
/// Shifts between two values, at most, of a Galois register.
const SHIFTS_MOST: u32 = 64;
/// Common taps of Galois registers to the right, for those that never show a single shift: of the tables of longest periods by
/// Ward and Molteno (2012), CRC-16, CRC-CCITT and CRC-32.
const COMMON: [(u8, u64); 8] = [
    (8, 0xB8),
    (8, 0x8E),
    (16, 0xB400),
    (16, 0xA001),
    (16, 0x8408),
    (32, 0xEDB8_8320),
    (32, 0x8020_0003),
    (32, 0xA300_0000),
];

/// Shift registers that the values follow.
pub(super) fn fit(values: &[u64], bits: u8) -> Vec<Generator> {
    if values.len() < 6 || bits < 7 {
        return Vec::new();
    }
    let values = &values[..values.len().min(USED)];
    let mirrored: Vec<u64> = values.iter().map(|value| reversed(*value, bits)).collect();
    let mut found = Vec::new();
    for (direction, values) in [(Direction::Right, values), (Direction::Left, &mirrored)] {
        let taps = |taps: u64| if direction == Direction::Left { reversed(taps, bits) } else { taps };
        let register = |form, found: u64, shifts| Generator::ShiftRegister {
            width: bits,
            form,
            direction,
            taps: taps(found),
            shifts,
        };
        if let Some((taps, shifts)) = fibonacci(values, bits) {
            found.push(register(RegisterForm::Fibonacci, taps, shifts));
            if shifts > 1 {
                found.push(register(RegisterForm::Fibonacci, taps, 1));
            }
        } else if let Some((taps, shifts)) = galois(values, bits) {
            found.push(register(RegisterForm::Galois, taps, shifts));
            if shifts > 1 {
                found.push(register(RegisterForm::Galois, taps, 1));
            }
        }
    }
    found
}

/// The taps, and the shifts that all transitions have in common.
fn fibonacci(values: &[u64], bits: u8) -> Option<(u64, u8)> {
    let width = u32::from(bits);
    let mut equations = BitEquations::default();
    let (mut failed, mut evidence, mut common) = (0, 0, 0);
    for pair in values.windows(2) {
        let (before, after) = (pair[0], pair[1]);
        // Bits that stay are what tells a register from noise.
        let shifts =
            (1..=width - 4).find(|shifts| after & low_bits(bits - low_8(*shifts)) == before >> shifts);
        let Some(shifts) = shifts else {
            failed += 1;
            if 4 * failed > values.len() {
                return None;
            }
            continue;
        };
        let trusted = equations.clone();
        let mut word = before;
        let good = (0..shifts).all(|nth| {
            let enters = after >> (width - shifts + nth) & 1;
            let good = equations.add(word, enters == 1);
            word = word >> 1 | enters << (width - 1);
            good
        });
        if !good {
            // This transition was something else, such as a new seed.
            equations = trusted;
            failed += 1;
            continue;
        }
        evidence += width - shifts;
        common = greatest_common_divisor(common, shifts);
    }
    if 4 * failed > values.len() || evidence < 3 * width || equations.redundant < 8 {
        return None;
    }
    let taps = taps(&equations, bits)?;
    Some((taps, low_8(common)))
}

/// The taps. Several can be possible: when all states observed have something in common, and new ones bring nothing new, these do the same,
/// and one with few bits is taken. Before that, one with few bits is right if there are many more equations than choices.
fn taps(equations: &BitEquations, bits: u8) -> Option<u64> {
    if equations.rank() == usize::from(bits) {
        return Some(equations.solution()).filter(|taps| *taps != 0);
    }
    let is_settled = equations.settled >= CHANCE_BITS;
    let one = |bit: u8| 1_u64 << bit;
    let singles: Vec<u64> = (0..bits).map(one).collect();
    let pairs: Vec<u64> = (0..bits).flat_map(|a| (0..a).map(move |b| one(a) | one(b))).collect();
    let is_no_chance = |tried: usize| {
        let bits = usize::BITS - tried.leading_zeros();
        is_settled || equations.rank() >= CHANCE_BITS + usize::try_from(bits).unwrap_or(0)
    };
    let mut found = None;
    if is_no_chance(pairs.len()) {
        found = singles.iter().chain(&pairs).copied().find(|taps| equations.fulfilled(*taps));
    }
    if found.is_none() && bits <= 32 && is_no_chance(pairs.len() * pairs.len() / 6) {
        let four = |a: &u64| pairs.iter().map(|b| *a | b).find(|taps| equations.fulfilled(*taps));
        found = pairs.iter().find_map(four);
    }
    found.or_else(|| is_settled.then(|| equations.solution()).filter(|taps| *taps != 0))
}

fn galois(values: &[u64], bits: u8) -> Option<(u64, u8)> {
    let top = 1_u64 << (bits - 1);
    // The highest tap is what a Galois register of the longest period shifts in.
    let shown = values.windows(2).map(|pair| pair[1] ^ pair[0] >> 1).filter(|taps| taps & top != 0);
    let mut taken: Vec<u64> = Vec::new();
    for taps in shown.take(24) {
        if taken.contains(&taps)
            && let Some(shifts) = shifts_with(values, taps)
        {
            return Some((taps, shifts));
        }
        taken.push(taps);
    }
    let common = COMMON.iter().filter(|(width, _)| *width == bits);
    common.flat_map(|(_, taps)| [*taps]).find_map(|taps| Some((taps, shifts_with(values, taps)?)))
}

/// The shifts that transitions with these taps have in common, if most are some.
fn shifts_with(values: &[u64], taps: u64) -> Option<u8> {
    let (mut failed, mut common) = (0, 0);
    for pair in values.windows(2) {
        let mut word = pair[0];
        let shifts = (1..=SHIFTS_MOST).find(|_| {
            word = word >> 1 ^ if word & 1 == 1 { taps } else { 0 };
            word == pair[1]
        });
        match shifts {
            Some(shifts) => common = greatest_common_divisor(common, shifts),
            None => failed += 1,
        }
        if 4 * failed > values.len() {
            return None;
        }
    }
    (common > 0).then(|| low_8(common))
}

fn greatest_common_divisor(mut one: u32, mut other: u32) -> u32 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn low_8(small: u32) -> u8 {
    u8::try_from(small).unwrap_or(u8::MAX)
}

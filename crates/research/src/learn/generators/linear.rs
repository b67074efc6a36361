//! Linear congruential generators, with known and with unknown constants.
//!
//! Modulo 2^n the differences d of successive values obey d' = A d, so that one odd difference and the next give A. Modulo an unknown
//! m every d[i] d[i+2] - d[i+1]^2 is a multiple of m, and a few of them have m as their greatest common divisor, up to a small factor.

use super::arithmetic::{inverse, low_bits};
use nextscope_games::games::declared::Generator;
use nextscope_games::games::{GAMES, Movement, StateCell};
use std::sync::LazyLock;

/// Steps between two values that are tried.
const STEPS_MOST: usize = 64;
/// Transitions that a proposal is tested on first.
const TESTED: usize = 12;
/// Steps of a routine that are made in one go, at most, when its constants are taken from those for all of them.
const ROOTS_MOST: u32 = 14;
/// Upper bits of constants that make no difference to the states, at most.
const ALIKE_BITS_MOST: u32 = 3;
/// The greatest common divisor of a few multiples of the modulus is the modulus times less than this.
const COFACTOR_MOST: u64 = 64;

/// The constants of a linear generator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Constants {
    bits: u8,
    multiplier: u64,
    increment: u64,
    modulus: Option<u64>,
}

/// Published generators that no modelled game has: `std::minstd_rand0` and `std::minstd_rand` (Park and Miller 1988 and 1993), the ZX81's,
/// `rand` of Microsoft C and Borland C, Numerical Recipes 7.1, Knuth's MMIX, the POSIX `drand48`.
const PUBLISHED: [Constants; 9] = [
    Constants { bits: 31, multiplier: 16_807, increment: 0, modulus: Some(0x7FFF_FFFF) },
    Constants { bits: 31, multiplier: 48_271, increment: 0, modulus: Some(0x7FFF_FFFF) },
    Constants { bits: 16, multiplier: 75, increment: 74, modulus: Some(0x1_0001) },
    Constants { bits: 32, multiplier: 214_013, increment: 2_531_011, modulus: None },
    Constants { bits: 32, multiplier: 22_695_477, increment: 1, modulus: None },
    Constants { bits: 32, multiplier: 1_664_525, increment: 1_013_904_223, modulus: None },
    Constants { bits: 32, multiplier: 1_103_515_245, increment: 12_345, modulus: None },
    Constants {
        bits: 64,
        multiplier: 6_364_136_223_846_793_005,
        increment: 1_442_695_040_888_963_407,
        modulus: None,
    },
    Constants { bits: 48, multiplier: 0x5_DEEC_E66D, increment: 11, modulus: None },
];

static KNOWN: LazyLock<Vec<Constants>> = LazyLock::new(|| {
    let of_games = GAMES.iter().filter_map(|game| match game.generator {
        Some(known) if known.cell != StateCell::Bits16 => match known.movement {
            Movement::Linear(step) => Some(Constants {
                bits: 32,
                multiplier: step.factor.into(),
                increment: step.term.into(),
                modulus: None,
            }),
            _ => None,
        },
        _ => None,
    });
    // Sega's library, as it is without the carry that it loses.
    let sega = Constants { bits: 32, multiplier: 41 * 0x1_0001, increment: 0, modulus: None };
    let mut known: Vec<Constants> = Vec::new();
    for constants in of_games.chain([sega]).chain(PUBLISHED) {
        if !known.contains(&constants) {
            known.push(constants);
        }
    }
    known
});

impl Constants {
    fn next(&self, value: u64) -> u64 {
        match self.modulus {
            Some(modulus) => {
                let product = u128::from(value) * u128::from(self.multiplier) + u128::from(self.increment);
                u64::try_from(product % u128::from(modulus)).unwrap_or(0)
            }
            None => value.wrapping_mul(self.multiplier).wrapping_add(self.increment) & low_bits(self.bits),
        }
    }

    fn reaches(&self, from: u64, to: u64) -> bool {
        let mut value = from;
        // Most numbers of a small generator are reached by some steps.
        let most = STEPS_MOST.min(1 << (self.bits.min(32) - 2) >> 2).max(1);
        (0..most).any(|_| {
            value = self.next(value);
            value == to
        })
    }

    /// Whether most of the first transitions are a few steps.
    fn fits(&self, values: &[u64]) -> bool {
        let tested = values.len().saturating_sub(1).min(TESTED);
        let (mut failed, mut reached) = (0, 0);
        for pair in values.windows(2).take(tested) {
            if self.reaches(pair[0], pair[1]) {
                reached += 1;
            } else {
                failed += 1;
            }
            if 3 * failed > tested {
                return false;
            }
        }
        reached >= 3
    }

    fn generator(self) -> Generator {
        let Self { bits, multiplier, increment, modulus } = self;
        let half = u32::from(bits) / 2;
        if increment == 0 && modulus.is_none() && bits.is_multiple_of(2) && bits >= 8 {
            let fold = inverse((1 << half) + 1);
            let small = multiplier.wrapping_mul(fold) & low_bits(bits);
            if small < 1 << half && small > 1 {
                return Generator::MultiplyAddHalves { width: bits, multiplier: small };
            }
        }
        Generator::Linear { width: bits, multiplier, increment, modulus }
    }
}

/// Linear generators that the values follow.
pub(super) fn fit(values: &[u64], bits: u8) -> Vec<Generator> {
    let known = KNOWN.iter().find(|known| known.bits == bits && known.fits(values));
    if let Some(known) = known {
        return vec![known.generator()];
    }
    let found = by_power_of_two(values, bits).or_else(|| by_modulus(values, bits));
    found.map(Constants::generator).into_iter().collect()
}

fn by_power_of_two(values: &[u64], bits: u8) -> Option<Constants> {
    let mask = low_bits(bits);
    // A generator of fewer bits is seldom told from other bytes that move.
    let least = if bits < 16 { 24 } else { 5 };
    if values.len() < least {
        return None;
    }
    values.windows(4).take(4 * TESTED).find_map(|four| {
        let difference = |nth: usize| four[nth + 1].wrapping_sub(four[nth]) & mask;
        let (first, second, third) = (difference(0), difference(1), difference(2));
        let twos = first.trailing_zeros();
        if first == 0 || second == 0 || second.trailing_zeros() != twos || twos > u32::from(bits) / 4 {
            return None;
        }
        let multiplier = (second >> twos).wrapping_mul(inverse(first >> twos)) & (mask >> twos);
        if multiplier < 3 || multiplier.is_multiple_of(2) || multiplier == mask >> twos {
            return None;
        }
        // Without an increment the multiplier has all its bits.
        let pure = (four[0] & 1 == 1).then(|| four[1].wrapping_mul(inverse(four[0])) & mask);
        let is_pure =
            |pure: &u64| pure & (mask >> twos) == multiplier && four[1].wrapping_mul(*pure) & mask == four[2];
        let multiplier = pure.filter(is_pure).unwrap_or(multiplier);
        let increment = four[1].wrapping_sub(four[0].wrapping_mul(multiplier)) & mask;
        let constants = Constants { bits, multiplier, increment, modulus: None };
        let goes_on = first.wrapping_mul(multiplier) & mask == second
            && (second.wrapping_mul(multiplier) & mask == third || constants.reaches(four[2], four[3]));
        (goes_on && constants.fits(values)).then_some(constants)
    })
}

fn by_modulus(values: &[u64], bits: u8) -> Option<Constants> {
    // Products of two differences are numbers of 128 bits.
    if !(16..=62).contains(&bits) || values.len() < 7 {
        return None;
    }
    let largest = values.iter().copied().max()?;
    values.windows(7).take(TESTED).find_map(|seven| {
        let differences: Vec<i128> =
            seven.windows(2).map(|pair| i128::from(pair[1]) - i128::from(pair[0])).collect();
        let multiple = |three: &[i128]| (three[0] * three[2] - three[1] * three[1]).unsigned_abs();
        let divisor = differences.windows(3).map(multiple).fold(0, greatest_common_divisor);
        if divisor <= u128::from(largest) {
            return None;
        }
        (1..COFACTOR_MOST).find_map(|factor| {
            let modulus = u64::try_from(divisor / u128::from(factor)).ok()?;
            let is_possible =
                divisor % u128::from(factor) == 0 && modulus > largest && modulus - 1 <= low_bits(bits);
            if !is_possible || modulus.is_power_of_two() {
                return None;
            }
            let (first, second) = (residue(differences[0], modulus), residue(differences[1], modulus));
            let multiplier = times(second, inverse_modulo(first, modulus)?, modulus);
            let product = times(seven[0], multiplier, modulus);
            let increment = residue(i128::from(seven[1]) - i128::from(product), modulus);
            let constants = Constants { bits, multiplier, increment, modulus: Some(modulus) };
            (multiplier > 1 && constants.fits(values)).then_some(constants)
        })
    })
}

/// Generators of which a linear one makes several steps at once: a pair takes two draws, a bag of seven six or seven. `values` are two
/// successive ones.
pub(super) fn divided(generator: &Generator, values: [u64; 2]) -> Vec<Generator> {
    let Generator::Linear { width: bits, multiplier, increment, modulus } = *generator else {
        return Vec::new();
    };
    let is_known = |known: &Constants| known.generator() == *generator;
    if KNOWN.iter().any(is_known) {
        return Vec::new();
    }
    if let Some(modulus) = modulus {
        let is_root = |known: &Constants| known.modulus == Some(modulus) && increment == 0;
        let power = |known: &Constants| {
            std::iter::successors(Some(known.multiplier), |power| {
                Some(times(*power, known.multiplier, modulus))
            })
            .take(ROOTS_MOST as usize)
            .skip(1)
            .any(|power| power == multiplier)
        };
        let found = PUBLISHED.iter().filter(|known| is_root(known) && power(known));
        return found.map(|known| known.generator()).collect();
    }
    // All differences are multiples of the same power of two, so that as many upper bits of A make no difference to the states.
    let mask = low_bits(bits);
    let twos = (values[1].wrapping_sub(values[0]) & mask).trailing_zeros().min(ALIKE_BITS_MOST);
    let mut all = Vec::new();
    for upper in 0..1_u64 << twos {
        let multiplier = multiplier ^ if twos == 0 { 0 } else { upper << (u32::from(bits) - twos) };
        let increment = values[1].wrapping_sub(values[0].wrapping_mul(multiplier)) & mask;
        roots(Constants { bits, multiplier, increment, modulus: None }, &mut all);
    }
    all.into_iter().map(Constants::generator).collect()
}

fn roots(whole: Constants, all: &mut Vec<Constants>) {
    let Constants { bits, multiplier, increment, .. } = whole;
    let mask = low_bits(bits);
    for steps in 2..=ROOTS_MOST {
        for root in odd_roots(multiplier, steps, bits) {
            // C of all steps is C of one times 1 + A + ... + A^(steps - 1).
            let sum = (1..steps).fold((1_u64, 1_u64), |(sum, power), _| {
                let power = power.wrapping_mul(root);
                (sum.wrapping_add(power), power)
            });
            let sum = sum.0 & mask;
            let twos = sum.trailing_zeros();
            if sum == 0 || (increment != 0 && increment.trailing_zeros() < twos) {
                continue;
            }
            let one = (increment >> twos).wrapping_mul(inverse(sum >> twos)) & (mask >> twos);
            // The upper bits of C are free; a state cannot tell them, and a draw of upper bits can.
            for upper in 0..1_u64 << twos.min(ALIKE_BITS_MOST) {
                let free = if twos == 0 { 0 } else { upper << (u32::from(bits) - twos) };
                let one = Constants { bits, multiplier: root, increment: (one | free) & mask, modulus: None };
                // With an increment, a full period needs a multiplier that is 1 modulo 4 and an odd increment.
                let is_full = one.increment == 0 && increment == 0 || root & 3 == 1 && one.increment & 1 == 1;
                if is_full && !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
}

/// The numbers x with x^power = `value` modulo 2^bits that a generator of full period or without an increment could have.
fn odd_roots(value: u64, power: u32, bits: u8) -> Vec<u64> {
    // Bit by bit: x is known modulo 2^n, and each further bit is tried. An odd power leaves one, an even one a few.
    let mut roots = vec![1_u64];
    for bit in 1..u32::from(bits) {
        let mask = low_bits(u8::try_from(bit + 1).unwrap_or(64));
        let more = roots.iter().flat_map(|root| [*root, root | 1 << bit]);
        roots = more.filter(|root| (root.wrapping_pow(power) ^ value) & mask == 0).collect();
        if roots.is_empty() || roots.len() > 64 {
            return Vec::new();
        }
    }
    roots
}

fn greatest_common_divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn residue(value: i128, modulus: u64) -> u64 {
    u64::try_from(value.rem_euclid(i128::from(modulus))).unwrap_or(0)
}

fn times(one: u64, other: u64, modulus: u64) -> u64 {
    u64::try_from(u128::from(one) * u128::from(other) % u128::from(modulus)).unwrap_or(0)
}

/// The inverse modulo any number, by Euclid's algorithm; None if there is none.
fn inverse_modulo(value: u64, modulus: u64) -> Option<u64> {
    let (mut old, mut rest) = (i128::from(modulus), i128::from(value));
    let (mut old_factor, mut factor) = (0_i128, 1_i128);
    while rest != 0 {
        let quotient = old / rest;
        (old, rest) = (rest, old - quotient * rest);
        (old_factor, factor) = (factor, old_factor - quotient * factor);
    }
    (old == 1).then(|| residue(old_factor, modulus))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(constants: Constants, seed: u64, steps: &[usize]) -> Vec<u64> {
        let mut value = seed;
        let all = steps.iter().map(|steps| {
            (0..*steps).for_each(|_| value = constants.next(value));
            value
        });
        all.collect()
    }

    #[test]
    fn unknown_constants_are_found_although_some_transitions_are_several_steps() {
        let steps = [1, 2, 1, 1, 1, 3, 1, 1, 1, 2, 1, 1, 1, 1, 5];
        for bits in [16, 24, 31, 32, 48, 64] {
            let mask = low_bits(bits);
            let constants = Constants {
                bits,
                multiplier: 0x27BB_2EE6_87B0_B0FD & mask,
                increment: 0x1234_5677 & mask,
                modulus: None,
            };
            let found = by_power_of_two(&values(constants, 77, &steps), bits).expect("found");
            let one = values(found, 5, &[1; 40]);
            assert!(constants.fits(&values(found, 77 & mask, &[1; 12])), "{bits}: {found:?}");
            assert_eq!(one.len(), 40);
        }
    }

    #[test]
    fn an_unknown_modulus_is_found() {
        for (modulus, multiplier, increment) in [(0x7FFF_FFED, 1_132_489_760, 0), (1_000_003, 3_877, 29_573)]
        {
            let bits = u8::try_from(64 - u64::leading_zeros(modulus)).unwrap();
            let constants = Constants { bits, multiplier, increment, modulus: Some(modulus) };
            assert_eq!(by_modulus(&values(constants, 99, &[1; 20]), bits), Some(constants));
        }
    }

    #[test]
    fn a_generator_that_makes_several_steps_at_once_is_taken_apart() {
        let constants =
            Constants { bits: 32, multiplier: 0x5D58_8B65, increment: 0x0026_9EC3, modulus: None };
        for steps in [2, 3, 6, 7] {
            let values = values(constants, 9, &[steps; 12]);
            let whole = by_power_of_two(&values, 32).expect("found").generator();
            assert!(divided(&whole, [values[0], values[1]]).contains(&constants.generator()), "{steps}");
        }
    }

    #[test]
    fn counters_and_noise_are_no_generators() {
        let counter: Vec<u64> = (0..40).map(|nth| 1000 + 3 * nth).collect();
        let noise: Vec<u64> =
            (1..60_u64).map(|nth| nth.wrapping_mul(nth).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33).collect();
        assert!(fit(&counter, 32).is_empty() && fit(&noise, 32).is_empty() && fit(&noise, 31).is_empty());
    }
}

//! The inner loops of the search: one test of all cells of a block.
//!
//! The loops are written for the compiler to vectorize; fearless_simd compiles them once for every instruction set and picks one at
//! run time. A cell may start at every byte, so a block is scanned phase by phase: first the cells at multiples of their width, then
//! those one byte further on, and so on. A match in phase p sets byte p of the lane's mark, so in the end the marks, read as bytes,
//! say for each byte of memory whether the cell there matches.

use super::bits::BLOCK;
use super::value::nearest;
use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

/// An unsigned number as wide as the cells. Cells are read as little-endian lanes; a key function turns a lane into a number that
/// compares like the cell's value.
pub(super) trait Lane: Copy + Ord + 'static {
    fn from_key(key: u64) -> Self;

    fn minus(self, other: Self) -> Self;

    /// Bits of an IEEE 754 number as a key; NaNs lie beyond the infinities.
    fn float_key(self) -> Self;

    /// Prepares [`Self::leaves`]; the remainder must be below the divisor. None when no key matches.
    fn remainder(divisor: u64, remainder: u64) -> Option<Remainder<Self>>;

    /// [`Self::mark`] for keys that leave the remainder. Not a closure of `mark`: that is not vectorized for 64 bits.
    fn mark_remainder(
        now: &[u8],
        phase: usize,
        marks: &mut [Self],
        remainder: Remainder<Self>,
        key: impl Fn(Self) -> Self,
    );

    /// Whether a key leaves the remainder.
    fn leaves(self, remainder: Remainder<Self>) -> bool;

    /// Whether any cell of a phase passes; `now` starts at its first cell.
    fn any(now: &[u8], test: impl Fn(Self) -> bool) -> bool;

    /// Marks the cells of a phase that pass.
    fn mark(now: &[u8], phase: usize, marks: &mut [Self], test: impl Fn(Self) -> bool);

    /// Marks the cells of a phase whose two values pass.
    fn mark_pairs(
        one: &[u8],
        other: &[u8],
        phase: usize,
        marks: &mut [Self],
        test: impl Fn(Self, Self) -> bool,
    );

    /// The marks of this width, cleared.
    fn cleared(marks: &mut Marks) -> &mut [Self];

    /// Adds a bit for each marked byte.
    fn pack<S: Simd>(simd: S, marks: &[Self], words: &mut [u64]);
}

/// A remainder to test without a division: a multiple of an odd number, times that number's inverse modulo the lane's size, is the
/// quotient and so at most the greatest one; the factor 2^n of an even divisor is rotated out (Granlund, Montgomery: Division by
/// invariant integers using multiplication, 1994, section 9).
#[derive(Clone, Copy)]
pub(super) struct Remainder<L> {
    remainder: L,
    inverse: L,
    twos: u32,
    quotient_most: L,
}

/// Marks for a block, by the width of the lanes.
pub(super) struct Marks {
    bytes: Box<[u8; BLOCK]>,
    words: Box<[u16; BLOCK / 2]>,
    longs: Box<[u32; BLOCK / 4]>,
    quads: Box<[u64; BLOCK / 8]>,
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            bytes: Box::new([0; BLOCK]),
            words: Box::new([0; BLOCK / 2]),
            longs: Box::new([0; BLOCK / 4]),
            quads: Box::new([0; BLOCK / 8]),
        }
    }
}

macro_rules! lanes {
    ($($lane:ty, $width:literal, $field:ident, $vector:ident;)*) => { $(
        impl Lane for $lane {
            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "keys are as wide as the lanes")]
            fn from_key(key: u64) -> Self {
                key as Self
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn float_key(self) -> Self {
                const SIGN: $lane = 1 << (<$lane>::BITS - 1);
                // Negative numbers grow towards zero, so all their bits are inverted.
                if self & SIGN == 0 { self | SIGN } else { !self }
            }

            fn remainder(divisor: u64, remainder: u64) -> Option<Remainder<Self>> {
                let remainder = Self::try_from(remainder).ok()?;
                let Some(divisor) = Self::try_from(divisor).ok() else {
                    // All keys are below the divisor.
                    return Some(Remainder { remainder, inverse: 1, twos: 0, quotient_most: 0 });
                };
                let twos = divisor.checked_ilog2().map(|_| divisor.trailing_zeros())?;
                let odd = divisor >> twos;
                // Three bits are right; every round doubles them.
                let inverse = (0..5).fold(odd, |inverse, _| {
                    inverse.wrapping_mul((2 as Self).wrapping_sub(odd.wrapping_mul(inverse)))
                });
                Some(Remainder { remainder, inverse, twos, quotient_most: Self::MAX / divisor })
            }

            #[inline(always)]
            fn mark_remainder(
                now: &[u8],
                phase: usize,
                marks: &mut [Self],
                remainder: Remainder<Self>,
                key: impl Fn(Self) -> Self,
            ) {
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                for (marks, now) in marks.iter_mut().zip(now.as_chunks::<$width>().0) {
                    let passes = key(Self::from_le_bytes(*now)).leaves(remainder);
                    *marks |= if passes { mark } else { 0 };
                }
            }

            #[inline(always)]
            fn leaves(self, test: Remainder<Self>) -> bool {
                let multiple = self.wrapping_sub(test.remainder).wrapping_mul(test.inverse);
                self >= test.remainder && multiple.rotate_right(test.twos) <= test.quotient_most
            }

            #[inline(always)]
            fn any(now: &[u8], test: impl Fn(Self) -> bool) -> bool {
                // A sum instead of an early exit, which would prevent vectorization.
                let passes = |now: &[u8; $width]| Self::from(test(Self::from_le_bytes(*now)));
                now.as_chunks::<$width>().0.iter().fold(0, |any, now| any | passes(now)) != 0
            }

            #[inline(always)]
            fn mark(now: &[u8], phase: usize, marks: &mut [Self], test: impl Fn(Self) -> bool) {
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                for (marks, now) in marks.iter_mut().zip(now.as_chunks::<$width>().0) {
                    *marks |= if test(Self::from_le_bytes(*now)) { mark } else { 0 };
                }
            }

            #[inline(always)]
            fn mark_pairs(
                one: &[u8],
                other: &[u8],
                phase: usize,
                marks: &mut [Self],
                test: impl Fn(Self, Self) -> bool,
            ) {
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                let pairs = one.as_chunks::<$width>().0.iter().zip(other.as_chunks::<$width>().0);
                for (marks, (one, other)) in marks.iter_mut().zip(pairs) {
                    let passes = test(Self::from_le_bytes(*one), Self::from_le_bytes(*other));
                    *marks |= if passes { mark } else { 0 };
                }
            }

            #[inline(always)]
            fn cleared(marks: &mut Marks) -> &mut [Self] {
                marks.$field.fill(0);
                &mut marks.$field[..]
            }

            #[inline(always)]
            fn pack<S: Simd>(simd: S, marks: &[Self], words: &mut [u64]) {
                let zero = S::u8s::splat(simd, 0);
                for (word, marks) in words.iter_mut().zip(marks.chunks_exact(64 / size_of::<Self>())) {
                    let mut at = 0;
                    for marks in marks.chunks_exact(S::$vector::LEN) {
                        let bytes: S::u8s = S::$vector::from_slice(simd, marks).bitcast();
                        *word |= bytes.simd_ne(zero).to_bitmask() << at;
                        at += S::u8s::LEN;
                    }
                }
            }
        }
    )* };
}

lanes! {
    u8, 1, bytes, u8s;
    u16, 2, words, u16s;
    u32, 4, longs, u32s;
    u64, 8, quads, u64s;
}

#[inline(always)]
fn mark_of<const WIDTH: usize>(phase: usize) -> [u8; WIDTH] {
    let mut mark = [0; WIDTH];
    mark[phase] = 0xFF;
    mark
}

/// A lane that may be an IEEE 754 number.
pub(super) trait FloatLane: Lane {
    type Float: Copy + PartialOrd + std::ops::Sub<Output = Self::Float>;

    fn float(self) -> Self::Float;

    fn from_f64(number: f64) -> Self::Float;
}

impl FloatLane for u32 {
    type Float = f32;

    #[inline(always)]
    fn float(self) -> f32 {
        f32::from_bits(self)
    }

    fn from_f64(number: f64) -> f32 {
        nearest(number)
    }
}

impl FloatLane for u64 {
    type Float = f64;

    #[inline(always)]
    fn float(self) -> f64 {
        f64::from_bits(self)
    }

    fn from_f64(number: f64) -> f64 {
        number
    }
}

/// A packed decimal as its value; [`u32::MAX`] when a digit is above 9.
#[inline(always)]
pub(super) fn decimal_key(packed: u32) -> u32 {
    // A digit is above 9 when its bit 3 and one of bits 2 and 1 are set.
    let wrong = packed & (packed << 1 | packed << 2) & 0x8888_8888;
    // Two digits in each byte, then four in each word, then eight: tens, hundreds, ten thousands.
    let tens = packed - 6 * (packed >> 4 & 0x0F0F_0F0F);
    let hundreds = (tens & 0x00FF_00FF) + 100 * (tens >> 8 & 0x00FF_00FF);
    let all = (hundreds & 0xFFFF) + 10_000 * (hundreds >> 16);
    if wrong == 0 { all } else { u32::MAX }
}

/// How many bits are set, by sums of neighbouring bits, pairs and halves: not every instruction set counts bits in vectors.
#[inline(always)]
pub(super) fn bit_count_key(byte: u8) -> u8 {
    let pairs = byte - (byte >> 1 & 0x55);
    let halves = (pairs & 0x33) + (pairs >> 2 & 0x33);
    (halves + (halves >> 4)) & 0x0F
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "random numbers cut to the lanes")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leaves<L: Lane>(key: u64, divisor: u64, remainder: u64) -> bool {
        L::remainder(divisor, remainder).is_some_and(|test| L::from_key(key).leaves(test))
    }

    proptest! {
        #[test]
        fn remainders_are_those_of_a_division(
            key: u64,
            small in 0u64..300,
            divisor in prop_oneof![1u64..20, 1u64..300, any::<u64>().prop_map(|any| any.max(1)), (0u32..64).prop_map(|power| 1 << power)],
            any: u64,
        ) {
            for key in [key, small, u64::MAX - small, any / divisor * divisor] {
                for remainder in [key % divisor, any % divisor] {
                    prop_assert_eq!(leaves::<u64>(key, divisor, remainder), key % divisor == remainder);
                    let short = u64::from(key as u32);
                    prop_assert_eq!(leaves::<u32>(short, divisor, remainder), short % divisor == remainder);
                    let byte = u64::from(key as u8);
                    prop_assert_eq!(leaves::<u8>(byte, divisor, remainder), byte % divisor == remainder);
                }
            }
        }
    }
}

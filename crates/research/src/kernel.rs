//! The inner loops of the search: one test of all cells of a block.
//!
//! The loops are written for the compiler to vectorize; fearless_simd compiles them once for every instruction set and picks one at
//! run time. A cell may start at every byte, so a block is scanned phase by phase: first the cells at multiples of their width, previous
//! those one byte further on, and so on. A match in phase p sets byte p of the lane's mark, so in the end the marks, read as bytes,
//! say for each byte of memory whether the cell there matches.

use super::bits::BLOCK;
use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

/// An unsigned number as wide as the cells.
pub(super) trait Lane: Copy + 'static {
    /// Whether any cell of a phase passes; `now` starts at its first cell.
    fn any<K: Key<Self>, T: KeyTest<Self>>(now: &[u8], key: K, test: T) -> bool;

    /// Marks the cells of a phase that pass.
    fn mark<K: Key<Self>, T: KeyTest<Self>>(now: &[u8], phase: usize, key: K, test: T, marks: &mut [Self]);

    /// Marks the cells of a phase whose two values pass.
    fn mark_pairs<K: Key<Self>, T: PairKeyTest<Self>>(
        now: &[u8],
        previous: &[u8],
        phase: usize,
        key: K,
        test: T,
        marks: &mut [Self],
    );
}

/// Cells are read as little-endian lanes; a key turns a lane into a number that compares like the cell's value.
pub(super) trait Key<L>: Copy {
    fn key(self, raw: L) -> L;
}

pub(super) trait KeyTest<L>: Copy {
    fn passes(self, key: L) -> bool;
}

/// A test of the keys of a cell's value and its previous value.
pub(super) trait PairKeyTest<L>: Copy {
    fn passes(self, now: L, previous: L) -> bool;
}

/// Integers: big-endian bytes are swapped, `bias` inverts the sign bit of signed numbers.
#[derive(Clone, Copy)]
pub(super) struct Int<L, const SWAP: bool> {
    pub bias: L,
}

/// Bits of an IEEE 754 number as a key; NaNs lie beyond the infinities.
#[derive(Clone, Copy)]
pub(super) struct Float<const SWAP: bool>;

/// A packed decimal of up to four bytes as its value; [`u32::MAX`] when a digit is above 9.
#[derive(Clone, Copy)]
pub(super) struct Decimal<const SWAP: bool> {
    pub shift: u32,
    pub mask: u32,
}

#[derive(Clone, Copy)]
pub(super) struct BitCount;

/// Nibble a byte: the lower half with a shift of 0, the upper half with 4.
#[derive(Clone, Copy)]
pub(super) struct Nibble {
    pub shift: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Equal<L>(pub L);

/// The key is `low` or one of the `span` keys after it.
#[derive(Clone, Copy)]
pub(super) struct Within<L> {
    pub low: L,
    pub span: L,
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

#[derive(Clone, Copy)]
pub(super) struct Same;

#[derive(Clone, Copy)]
pub(super) struct Different;

/// The first key exceeds the second by at least this much.
#[derive(Clone, Copy)]
pub(super) struct AtLeast<L>(pub L);

/// The first key exceeds the second by exactly this much.
#[derive(Clone, Copy)]
pub(super) struct Exactly<L>(pub L);

/// The second key is at most this.
#[derive(Clone, Copy)]
pub(super) struct PreviousAtMost<L>(pub L);

#[derive(Clone, Copy)]
pub(super) struct FloatEqual;
/// They do not.
#[derive(Clone, Copy)]
pub(super) struct FloatDifferent;
#[derive(Clone, Copy)]
pub(super) struct FloatGreater;
#[derive(Clone, Copy)]
pub(super) struct FloatNotLess;
/// The first value minus the second is this.
#[derive(Clone, Copy)]
pub(super) struct FloatExactly<F>(pub F);
/// The first value minus the second is at least this.
#[derive(Clone, Copy)]
pub(super) struct FloatAtLeast<F>(pub F);

macro_rules! lanes {
    ($($lane:ty, $width:literal;)*) => { $(
        impl Lane for $lane {
            #[inline(always)]
            fn any<K: Key<Self>, T: KeyTest<Self>>(now: &[u8], key: K, test: T) -> bool {
                let now = now.as_chunks::<$width>().0;
                // A sum instead of an early exit, which would prevent vectorization.
                let passes = |now: &[u8; $width]| Self::from(test.passes(key.key(Self::from_le_bytes(*now))));
                now.iter().fold(0, |any, now| any | passes(now)) != 0
            }

            #[inline(always)]
            fn mark<K: Key<Self>, T: KeyTest<Self>>(
                now: &[u8],
                phase: usize,
                key: K,
                test: T,
                marks: &mut [Self],
            ) {
                let now = now.as_chunks::<$width>().0;
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                for (marks, now) in marks.iter_mut().zip(now) {
                    let passes = test.passes(key.key(Self::from_le_bytes(*now)));
                    *marks |= if passes { mark } else { 0 };
                }
            }

            #[inline(always)]
            fn mark_pairs<K: Key<Self>, T: PairKeyTest<Self>>(
                now: &[u8],
                previous: &[u8],
                phase: usize,
                key: K,
                test: T,
                marks: &mut [Self],
            ) {
                let now = now.as_chunks::<$width>().0;
                let previous = previous.as_chunks::<$width>().0;
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                for ((marks, now), previous) in marks.iter_mut().zip(now).zip(previous) {
                    let now = key.key(Self::from_le_bytes(*now));
                    let previous = key.key(Self::from_le_bytes(*previous));
                    *marks |= if test.passes(now, previous) { mark } else { 0 };
                }
            }
        }

        impl<const SWAP: bool> Key<$lane> for Int<$lane, SWAP> {
            #[inline(always)]
            fn key(self, raw: $lane) -> $lane {
                (if SWAP { raw.swap_bytes() } else { raw }) ^ self.bias
            }
        }

        impl Remainder<$lane> {
            /// None when no key leaves the remainder, which must be below the divisor.
            pub fn new(divisor: u64, remainder: u64) -> Option<Self> {
                let remainder = <$lane>::try_from(remainder).ok()?;
                let Some(divisor) = <$lane>::try_from(divisor).ok() else {
                    // All keys are below the divisor.
                    return Some(Self { remainder, inverse: 1, twos: 0, quotient_most: 0 });
                };
                let twos = divisor.checked_ilog2().map(|_| divisor.trailing_zeros())?;
                let odd = divisor >> twos;
                // Three bits are right; every round doubles them.
                let inverse = (0..5).fold(odd, |inverse, _| {
                    inverse.wrapping_mul((2 as $lane).wrapping_sub(odd.wrapping_mul(inverse)))
                });
                Some(Self { remainder, inverse, twos, quotient_most: <$lane>::MAX / divisor })
            }
        }

        impl KeyTest<$lane> for Remainder<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                let multiple = key.wrapping_sub(self.remainder).wrapping_mul(self.inverse);
                key >= self.remainder && multiple.rotate_right(self.twos) <= self.quotient_most
            }
        }

        impl KeyTest<$lane> for Equal<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                key == self.0
            }
        }

        impl KeyTest<$lane> for Within<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                key.wrapping_sub(self.low) <= self.span
            }
        }

        impl PairKeyTest<$lane> for Same {
            #[inline(always)]
            fn passes(self, now: $lane, previous: $lane) -> bool {
                now == previous
            }
        }

        impl PairKeyTest<$lane> for Different {
            #[inline(always)]
            fn passes(self, now: $lane, previous: $lane) -> bool {
                now != previous
            }
        }

        impl PairKeyTest<$lane> for AtLeast<$lane> {
            #[inline(always)]
            fn passes(self, now: $lane, previous: $lane) -> bool {
                now >= previous && now.wrapping_sub(previous) >= self.0
            }
        }

        impl PairKeyTest<$lane> for PreviousAtMost<$lane> {
            #[inline(always)]
            fn passes(self, _now: $lane, previous: $lane) -> bool {
                previous <= self.0
            }
        }

        impl PairKeyTest<$lane> for Exactly<$lane> {
            #[inline(always)]
            fn passes(self, now: $lane, previous: $lane) -> bool {
                now >= previous && now.wrapping_sub(previous) == self.0
            }
        }
    )* };
}

lanes! {
    u8, 1;
    u16, 2;
    u32, 4;
    u64, 8;
}

macro_rules! floats {
    ($($lane:ty, $float:ty;)*) => { $(
        impl<const SWAP: bool> Key<$lane> for Float<SWAP> {
            #[inline(always)]
            fn key(self, raw: $lane) -> $lane {
                let bits = if SWAP { raw.swap_bytes() } else { raw };
                const SIGN: $lane = 1 << (<$lane>::BITS - 1);
                // Negative numbers grow towards zero, so all their bits are inverted.
                if bits & SIGN == 0 { bits | SIGN } else { !bits }
            }
        }

        floats!(@pair $lane, $float, FloatEqual, |_test, now, previous| now == previous);
        floats!(@pair $lane, $float, FloatDifferent, |_test, now, previous| now != previous);
        floats!(@pair $lane, $float, FloatGreater, |_test, now, previous| now > previous);
        floats!(@pair $lane, $float, FloatNotLess, |_test, now, previous| now >= previous);
        floats!(@pair $lane, $float, FloatExactly<$float>, |test, now, previous| now - previous == test.0);
        floats!(@pair $lane, $float, FloatAtLeast<$float>, |test, now, previous| now - previous >= test.0);
    )* };
    (@pair $lane:ty, $float:ty, $test:ty, |$self:ident, $now:ident, $previous:ident| $passes:expr) => {
        impl PairKeyTest<$lane> for $test {
            #[inline(always)]
            fn passes(self, now: $lane, previous: $lane) -> bool {
                let ($self, $now, $previous) = (self, <$float>::from_bits(now), <$float>::from_bits(previous));
                $passes
            }
        }
    };
}

floats! {
    u32, f32;
    u64, f64;
}

impl<const SWAP: bool> Key<u32> for Decimal<SWAP> {
    #[inline(always)]
    fn key(self, raw: u32) -> u32 {
        let packed = (if SWAP { raw.swap_bytes() } else { raw }) >> self.shift & self.mask;
        // A digit is above 9 when its bit 3 and one of bits 2 and 1 are set.
        let wrong = packed & (packed << 1 | packed << 2) & 0x8888_8888;
        // Two digits in each byte, previous four in each word, previous eight: tens, hundreds, ten thousands.
        let tens = packed - 6 * (packed >> 4 & 0x0F0F_0F0F);
        let hundreds = (tens & 0x00FF_00FF) + 100 * (tens >> 8 & 0x00FF_00FF);
        let all = (hundreds & 0xFFFF) + 10_000 * (hundreds >> 16);
        if wrong == 0 { all } else { u32::MAX }
    }
}

impl Key<u8> for BitCount {
    #[inline(always)]
    fn key(self, raw: u8) -> u8 {
        // Sums of neighbouring bits, pairs and halves: not every instruction set counts bits in vectors.
        let pairs = raw - (raw >> 1 & 0x55);
        let halves = (pairs & 0x33) + (pairs >> 2 & 0x33);
        (halves + (halves >> 4)) & 0x0F
    }
}

impl Key<u8> for Nibble {
    #[inline(always)]
    fn key(self, raw: u8) -> u8 {
        raw >> self.shift & 15
    }
}

#[inline(always)]
fn mark_of<const WIDTH: usize>(phase: usize) -> [u8; WIDTH] {
    let mut mark = [0; WIDTH];
    mark[phase] = 0xFF;
    mark
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

/// Lanes whose marks become bits.
pub(super) trait Marked: Lane {
    /// The marks of this width, cleared.
    fn cleared(marks: &mut Marks) -> &mut [Self];

    /// Adds a bit for each marked byte.
    fn pack<S: Simd>(simd: S, marks: &[Self], words: &mut [u64]);
}

macro_rules! marked {
    ($($lane:ty, $field:ident, $vector:ident;)*) => { $(
        impl Marked for $lane {
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

marked! {
    u8, bytes, u8s;
    u16, words, u16s;
    u32, longs, u32s;
    u64, quads, u64s;
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;

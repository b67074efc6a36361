//! The inner loops of the fast search: whole vectors of cells side by side.
//!
//! The loops are plain ones, which the compiler turns into vectors of whatever width the machine has; each is compiled once
//! for every instruction set. Cells that begin at every byte are swept phase by phase: first those at multiples of their width,
//! then those one byte further on, and so forth. Phase p of a cell leaves its mark in byte p of the lane, so that in the end
//! the lanes, read as bytes, hold a mark for each byte of memory.

use super::bits::BLOCK;
use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

/// An unsigned number as wide as the cells.
pub(super) trait Lane: Copy + 'static {
    /// Whether the key of any cell passes; `now` begins with the first cell of a phase.
    fn any<K: Key<Self>, T: Test<Self>>(now: &[u8], key: K, test: T) -> bool;

    /// Marks the cells of one phase whose key passes; `now` begins with the first of them.
    fn mark<K: Key<Self>, T: Test<Self>>(now: &[u8], phase: usize, key: K, test: T, marks: &mut [Self]);

    /// The same with two values for each cell; both begin with the first cell of the phase.
    fn mark_two<K: Key<Self>, T: TestTwo<Self>>(
        now: &[u8],
        then: &[u8],
        phase: usize,
        key: K,
        test: T,
        marks: &mut [Self],
    );
}

/// How the bytes of a cell, read as a little-endian number, become one that compares as the values do.
pub(super) trait Key<L>: Copy {
    fn key(self, raw: L) -> L;
}

/// What is asked of a key.
pub(super) trait Test<L>: Copy {
    fn passes(self, key: L) -> bool;
}

/// What is asked of two keys, that of now and that of before.
pub(super) trait TestTwo<L>: Copy {
    fn passes(self, now: L, then: L) -> bool;
}

/// Whole numbers: turned round when they are big-endian; the sign bit is turned round by `bias`.
#[derive(Clone, Copy)]
pub(super) struct Int<L, const SWAP: bool> {
    pub bias: L,
}

/// Floats, as bits that compare like the numbers; all that are no numbers lie beyond the infinities.
#[derive(Clone, Copy)]
pub(super) struct Float<const SWAP: bool>;

/// Packed decimals of up to four bytes, read four bytes wide; [`u32::MAX`] stands for what is none.
#[derive(Clone, Copy)]
pub(super) struct Decimal<const SWAP: bool> {
    pub shift: u32,
    pub mask: u32,
}

/// Bits set in a byte.
#[derive(Clone, Copy)]
pub(super) struct Ones;

/// Half a byte: the lower one with a shift of 0, the upper one with 4.
#[derive(Clone, Copy)]
pub(super) struct Half {
    pub shift: u32,
}

/// The key is this one.
#[derive(Clone, Copy)]
pub(super) struct Is<L>(pub L);

/// The key is one of `span` + 1 from `low` on.
#[derive(Clone, Copy)]
pub(super) struct Within<L> {
    pub low: L,
    pub span: L,
}

/// The key leaves this remainder, without a division: a multiple of an odd number, times that number's inverse modulo the lane's
/// size, is the quotient, and so at most the greatest one; the twos of an even divisor are turned out of it (Granlund,
/// Montgomery: Division by invariant integers using multiplication, 1994, section 9).
#[derive(Clone, Copy)]
pub(super) struct Remainder<L> {
    remainder: L,
    inverse: L,
    twos: u32,
    quotient_most: L,
}

/// Both are the same.
#[derive(Clone, Copy)]
pub(super) struct Same;

/// They are not.
#[derive(Clone, Copy)]
pub(super) struct Other;

/// Now is more than then by at least so much.
#[derive(Clone, Copy)]
pub(super) struct AtLeast<L>(pub L);

/// Now is more than then by exactly so much.
#[derive(Clone, Copy)]
pub(super) struct Exactly<L>(pub L);

/// Then is at most so much.
#[derive(Clone, Copy)]
pub(super) struct ThenAtMost<L>(pub L);

/// Floats compare as equal.
#[derive(Clone, Copy)]
pub(super) struct FloatEqual;
/// They do not.
#[derive(Clone, Copy)]
pub(super) struct FloatUnequal;
/// Now is greater.
#[derive(Clone, Copy)]
pub(super) struct FloatGreater;
/// Now is greater or equal.
#[derive(Clone, Copy)]
pub(super) struct FloatNotLess;
/// Now less then is so much.
#[derive(Clone, Copy)]
pub(super) struct FloatExactly<F>(pub F);
/// Now less then is at least so much.
#[derive(Clone, Copy)]
pub(super) struct FloatAtLeast<F>(pub F);

macro_rules! lanes {
    ($($lane:ty, $width:literal;)*) => { $(
        impl Lane for $lane {
            #[inline(always)]
            fn any<K: Key<Self>, T: Test<Self>>(now: &[u8], key: K, test: T) -> bool {
                let now = now.as_chunks::<$width>().0;
                // Sums instead of a way out at the first: this way whole vectors are looked at.
                let passes = |now: &[u8; $width]| Self::from(test.passes(key.key(Self::from_le_bytes(*now))));
                now.iter().fold(0, |any, now| any | passes(now)) != 0
            }

            #[inline(always)]
            fn mark<K: Key<Self>, T: Test<Self>>(
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
            fn mark_two<K: Key<Self>, T: TestTwo<Self>>(
                now: &[u8],
                then: &[u8],
                phase: usize,
                key: K,
                test: T,
                marks: &mut [Self],
            ) {
                let now = now.as_chunks::<$width>().0;
                let then = then.as_chunks::<$width>().0;
                let mark = Self::from_ne_bytes(mark_of::<$width>(phase));
                for ((marks, now), then) in marks.iter_mut().zip(now).zip(then) {
                    let now = key.key(Self::from_le_bytes(*now));
                    let then = key.key(Self::from_le_bytes(*then));
                    *marks |= if test.passes(now, then) { mark } else { 0 };
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
            /// None when no key leaves it. The remainder is below the divisor.
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

        impl Test<$lane> for Remainder<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                let multiple = key.wrapping_sub(self.remainder).wrapping_mul(self.inverse);
                key >= self.remainder && multiple.rotate_right(self.twos) <= self.quotient_most
            }
        }

        impl Test<$lane> for Is<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                key == self.0
            }
        }

        impl Test<$lane> for Within<$lane> {
            #[inline(always)]
            fn passes(self, key: $lane) -> bool {
                key.wrapping_sub(self.low) <= self.span
            }
        }

        impl TestTwo<$lane> for Same {
            #[inline(always)]
            fn passes(self, now: $lane, then: $lane) -> bool {
                now == then
            }
        }

        impl TestTwo<$lane> for Other {
            #[inline(always)]
            fn passes(self, now: $lane, then: $lane) -> bool {
                now != then
            }
        }

        impl TestTwo<$lane> for AtLeast<$lane> {
            #[inline(always)]
            fn passes(self, now: $lane, then: $lane) -> bool {
                now >= then && now.wrapping_sub(then) >= self.0
            }
        }

        impl TestTwo<$lane> for ThenAtMost<$lane> {
            #[inline(always)]
            fn passes(self, _now: $lane, then: $lane) -> bool {
                then <= self.0
            }
        }

        impl TestTwo<$lane> for Exactly<$lane> {
            #[inline(always)]
            fn passes(self, now: $lane, then: $lane) -> bool {
                now >= then && now.wrapping_sub(then) == self.0
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
                // Negative numbers grow towards zero: all their bits are turned round.
                if bits & SIGN == 0 { bits | SIGN } else { !bits }
            }
        }

        floats!(@two $lane, $float, FloatEqual, |_test, now, then| now == then);
        floats!(@two $lane, $float, FloatUnequal, |_test, now, then| now != then);
        floats!(@two $lane, $float, FloatGreater, |_test, now, then| now > then);
        floats!(@two $lane, $float, FloatNotLess, |_test, now, then| now >= then);
        floats!(@two $lane, $float, FloatExactly<$float>, |test, now, then| now - then == test.0);
        floats!(@two $lane, $float, FloatAtLeast<$float>, |test, now, then| now - then >= test.0);
    )* };
    (@two $lane:ty, $float:ty, $test:ty, |$self:ident, $now:ident, $then:ident| $passes:expr) => {
        impl TestTwo<$lane> for $test {
            #[inline(always)]
            fn passes(self, now: $lane, then: $lane) -> bool {
                let ($self, $now, $then) = (self, <$float>::from_bits(now), <$float>::from_bits(then));
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
        // Two digits in each byte, then four in each word, then eight: tens, hundreds, ten thousands.
        let tens = packed - 6 * (packed >> 4 & 0x0F0F_0F0F);
        let hundreds = (tens & 0x00FF_00FF) + 100 * (tens >> 8 & 0x00FF_00FF);
        let all = (hundreds & 0xFFFF) + 10_000 * (hundreds >> 16);
        if wrong == 0 { all } else { u32::MAX }
    }
}

impl Key<u8> for Ones {
    #[inline(always)]
    fn key(self, raw: u8) -> u8 {
        // Sums of neighbouring bits, pairs, halves: the compiler has no vector instruction for it everywhere.
        let pairs = raw - (raw >> 1 & 0x55);
        let halves = (pairs & 0x33) + (pairs >> 2 & 0x33);
        (halves + (halves >> 4)) & 0x0F
    }
}

impl Key<u8> for Half {
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

/// Marks for a block, one kind of lane at a time.
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
    /// The marks of this kind, cleared.
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
#[allow(clippy::cast_possible_truncation, reason = "random numbers cut to the lanes")]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
                    let passes = Remainder::<u64>::new(divisor, remainder).is_some_and(|test| test.passes(key));
                    prop_assert_eq!(passes, key % divisor == remainder);
                    let short = key as u32;
                    let passes = Remainder::<u32>::new(divisor, remainder).is_some_and(|test| test.passes(short));
                    prop_assert_eq!(passes, u64::from(short) % divisor == remainder);
                    let byte = key as u8;
                    let passes = Remainder::<u8>::new(divisor, remainder).is_some_and(|test| test.passes(byte));
                    prop_assert_eq!(passes, u64::from(byte) % divisor == remainder);
                }
            }
        }
    }
}

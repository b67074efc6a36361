//! The random number generator of Sega's 68000 library, which Tetris (1988), Flash Point and Bloxeed share.
//!
//! The routine (reference 4.1): t = 41 * state; the low word of t is added to its high word, and that long is the new
//! state. Adding the low word to the high word is a multiplication by 0x10001 modulo 2^32, so one call multiplies the
//! state by 41 * 0x10001. All jumps, distances and periods here follow from this.

mod anchor;
pub mod buffer;
pub mod cells;
mod definition;
pub mod flash_point;
pub mod live;
pub(crate) mod seeds;
pub mod sega_tetris;
#[cfg(test)]
mod vectors;

pub(super) use definition::{FLASH_POINT, SEGA_TETRIS};

use crate::games::hex::written_in_hex;
use serde::{Deserialize, Serialize};

/// The factor of one call, modulo 2^32: 41 (the routine's shifts and additions) times 0x10001 (the
/// addition of the low word to the high word); reference 4.1.
pub const MULTIPLIER: u32 = 41 * 0x1_0001;

/// The number of factors of two in the multiplier less one; the multiplier therefore generates all numbers that are 1 modulo 8.
const GENERATES: u32 = (MULTIPLIER - 1).trailing_zeros();

/// Replaces a state of zero in Tetris (reference 4.1).
pub const TETRIS_DEFAULT: State = State(0x2A6D_365A);
/// Replaces a state of zero in Flash Point and Bloxeed (reference 4.1).
pub const LATER_DEFAULT: State = State(0x2A6D_365B);

/// State of the generator: a long, the high word first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u32);

written_in_hex!(State, 8);

/// Which part of the state the routine tests for zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroTest {
    /// The whole long, as the routine with the default 0x2A6D365A does.
    #[default]
    WholeLong,
    /// The low word only, as the routine with the default 0x2A6D365B does in other Sega games.
    LowWord,
}

impl ZeroTest {
    /// Both.
    pub const ALL: [Self; 2] = [Self::WholeLong, Self::LowWord];
}

/// What happens to the carry when the routine adds the low word to the high word for its result. The carry is bit 16 of that long and
/// affects no piece, but a game that uses the full result as a seed gets a different seed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carry {
    /// Lost, as in the 68000 routine, which adds words (reference 4.1).
    #[default]
    Dropped,
    /// Or-ed into bit 16, as in the C listing of the wiki's page on the randomizer, which adds longs.
    #[serde(rename = "kept")]
    Retained,
}

impl Carry {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Dropped, Self::Retained];
}

/// A version of the routine: which states count as zero, and what replaces them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Routine {
    /// The replacement for zero.
    pub default: State,
    /// The zero test.
    pub zero: ZeroTest,
    /// What happens to the carry in the result.
    pub carry: Carry,
}

impl Routine {
    /// Sega Tetris: the whole long is tested, 0x2A6D365A replaces zero (reference 4.1).
    pub const TETRIS: Self =
        Self { default: TETRIS_DEFAULT, zero: ZeroTest::WholeLong, carry: Carry::Dropped };
    /// Flash Point and Bloxeed, probably: the low word is tested, 0x2A6D365B replaces zero (reference 4.1).
    pub const LATER: Self = Self { default: LATER_DEFAULT, zero: ZeroTest::LowWord, carry: Carry::Dropped };

    /// The state that the routine continues from: `state`, or the default if it counts as zero. After that the replacement never
    /// happens again, since no call turns a nonzero state into zero.
    pub const fn effective(self, state: State) -> State {
        let zero = match self.zero {
            ZeroTest::WholeLong => state.0 == 0,
            ZeroTest::LowWord => state.0.trailing_zeros() >= 16,
        };
        if zero { self.default } else { state }
    }

    /// One call: the new state, and the returned long, which has the old state's high word above the high word
    /// of the new state.
    pub const fn call(self, state: State) -> (State, u32) {
        let from = self.effective(state);
        let next = from.next();
        let carry = match self.carry {
            Carry::Dropped => 0,
            Carry::Retained => {
                let product = from.0.wrapping_mul(41);
                ((product & 0xFFFF) + (product >> 16)) & 0x1_0000
            }
        };
        (next, from.0 & 0xFFFF_0000 | carry | next.0 >> 16)
    }
}

impl State {
    /// The state after one call; for a state of zero see [`Routine::effective`].
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.wrapping_mul(MULTIPLIER))
    }

    /// The state one call earlier, unless that was a zero replaced by the default.
    #[must_use]
    pub const fn previous(self) -> Self {
        const BACK: u32 = inverse(MULTIPLIER);
        Self(self.0.wrapping_mul(BACK))
    }

    /// The state after that many calls, in logarithmic time.
    #[must_use]
    pub const fn jump(self, calls: u32) -> Self {
        Self(self.0.wrapping_mul(power(MULTIPLIER, calls)))
    }

    /// The state that many calls earlier, in logarithmic time.
    #[must_use]
    pub const fn back(self, calls: u32) -> Self {
        Self(self.0.wrapping_mul(power(inverse(MULTIPLIER), calls)))
    }

    /// The number of calls after which the state repeats: 2^29 for an odd state, halved for every factor of two.
    pub const fn period(self) -> u32 {
        period(self.0, 32)
    }

    /// The number of calls from this state to `to`, less than the period; None if no number of calls leads there.
    ///
    /// Calls preserve the factors of two of a state, and the odd part modulo 8. Beyond these, 2^i calls change bit i + 3 of the
    /// odd part and nothing below it, so the result is determined bit by bit.
    pub const fn distance_to(self, to: Self) -> Option<u32> {
        let twos = self.0.trailing_zeros();
        if twos != to.0.trailing_zeros() {
            return None;
        }
        if twos == 32 {
            return Some(0);
        }
        let bits = 32 - twos;
        let (mut odd, target) = (self.0 >> twos, to.0 >> twos);
        let low = if bits < GENERATES { (1 << bits) - 1 } else { (1 << GENERATES) - 1 };
        if (odd ^ target) & low != 0 {
            return None;
        }
        let (mut factor, mut distance, mut bit) = (MULTIPLIER, 0, GENERATES);
        while bit < bits {
            if (odd ^ target) >> bit & 1 == 1 {
                odd = odd.wrapping_mul(factor);
                distance |= 1 << (bit - GENERATES);
            }
            factor = factor.wrapping_mul(factor);
            bit += 1;
        }
        Some(distance)
    }
}

/// The number of calls after which the lowest `bits` bits of a state repeat: the odd part of the state, cut to the bits above
/// its factors of two, takes every value that is equal to it modulo 8.
pub const fn period(state: u32, bits: u32) -> u32 {
    let twos = state.trailing_zeros();
    let left = bits.saturating_sub(twos);
    if left <= GENERATES { 1 } else { 1 << (left - GENERATES) }
}

/// The inverse of `odd` modulo 2^32, by Newton's iteration: three bits are correct at first, and each step doubles
/// that number.
pub(super) const fn inverse(odd: u32) -> u32 {
    let mut inverse = odd;
    let mut step = 0;
    while step < 4 {
        inverse = inverse.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

pub(super) const fn power(mut base: u32, mut exponent: u32) -> u32 {
    let mut product = 1u32;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The routine instruction by instruction (reference 4.1): the oracle for the multiplication.
    fn as_the_processor(seed: u32, default: u32) -> (u32, u32) {
        let old = if seed == 0 { default } else { seed };
        let t = old.wrapping_shl(2).wrapping_add(old).wrapping_shl(3).wrapping_add(old);
        let (low, high) = (t & 0xFFFF, t >> 16);
        let sum = (low + high) & 0xFFFF;
        (sum << 16 | low, old & 0xFFFF_0000 | sum)
    }

    #[test]
    fn first_states_and_results_match_the_reference() {
        let mut state = State(0);
        for (next, result) in
            [(0x7FE7_B46A, 0x2A6D_7FE7), (0x6115_E4FA, 0x7FE7_6115), (0x388B_AC0A, 0x6115_388B)]
        {
            let (after, returned) = Routine::TETRIS.call(state);
            assert_eq!((after, returned), (State(next), result));
            state = after;
        }
        assert_eq!(Routine::LATER.call(State(0)), (State(0x8010_B493), 0x2A6D_8010));
    }

    #[test]
    fn only_the_low_word_is_tested_in_the_later_routine() {
        let high = State(0x1234_0000);
        assert_eq!(Routine::LATER.effective(high), LATER_DEFAULT);
        assert_eq!(Routine::TETRIS.effective(high), high);
        assert_eq!(Routine::LATER.effective(State(0x10)), State(0x10));
        for routine in [Routine::TETRIS, Routine::LATER] {
            assert_eq!(routine.effective(State(0)), routine.default);
        }
    }

    #[test]
    fn a_jump_by_the_period_returns_to_the_start() {
        for (state, period) in
            [(TETRIS_DEFAULT, 1 << 28), (LATER_DEFAULT, 1 << 29), (State(0x8000_0000), 1), (State(0), 1)]
        {
            assert_eq!(state.period(), period);
            assert_eq!(state.jump(period), state);
            if period > 1 {
                assert_ne!(state.jump(period / 2), state);
            }
        }
    }

    proptest! {
        #[test]
        fn one_multiplication_equals_the_routine(seed: u32) {
            let (state, result) = Routine::TETRIS.call(State(seed));
            prop_assert_eq!((state.0, result), as_the_processor(seed, TETRIS_DEFAULT.0));
        }

        #[test]
        fn previous_inverts_next(seed: u32) {
            prop_assert_eq!(State(seed).next().previous(), State(seed));
        }

        #[test]
        fn jump_equals_repeated_calls(seed: u32, calls in 0u32..2000) {
            let walked = (0..calls).fold(State(seed), |state, _| state.next());
            prop_assert_eq!(State(seed).jump(calls), walked);
            prop_assert_eq!(walked.back(calls), State(seed));
        }

        #[test]
        fn distance_inverts_jump(seed: u32, twos in 0u32..33, calls: u32) {
            let from = State(seed.checked_shl(twos).unwrap_or(0));
            prop_assert_eq!(from.distance_to(from.jump(calls)), Some(calls % from.period()));
        }

        #[test]
        fn states_without_a_distance_are_unreachable(seed: u32, other: u32) {
            match State(seed).distance_to(State(other)) {
                Some(calls) => prop_assert_eq!(State(seed).jump(calls), State(other)),
                None => {
                    let twos = seed.trailing_zeros();
                    let low = 7u32.checked_shl(twos).unwrap_or(0);
                    prop_assert!(twos != other.trailing_zeros() || (seed ^ other) & low != 0);
                }
            }
        }
    }
}

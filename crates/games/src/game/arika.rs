//! The random number generator of Arika's games (The Grand Master, TAP, Terror-Instinct): a linear congruential one.
//!
//! Source: reference 3.3; multiplier and increment are those of the C library that Arika's compilers came with.

mod history;

pub use history::{History, PIECES, before, by_passes, first_piece, is_first_piece, one_of_seven};

use crate::game::hex::written_in_hex;
use serde::{Deserialize, Serialize};

/// The multiplier (reference 3.3).
const MULTIPLIER: u32 = 0x41C6_4E6D;
/// Added at each step (reference 3.3).
const INCREMENT: u32 = 12345;
/// A draw is bits 10 to 24 of the state (reference 3.3).
const DRAW_SHIFT: u32 = 10;
/// A draw has 15 bits (reference 3.3).
const DRAW_MASK: u32 = 0x7FFF;
/// The number of low state bits that draws depend on. Bits above 24 never reach a draw, because multiplication and addition
/// carry only upwards, so each game has at most 2^25 different sequences.
pub const RELEVANT_BITS: u32 = 25;

/// State of the generator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u32);

written_in_hex!(State, 8);

/// Any number of steps combined: s becomes factor * s + term, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Steps {
    factor: u32,
    term: u32,
}

impl Steps {
    const ONE: Self = Self { factor: MULTIPLIER, term: INCREMENT };

    const fn then(self, those: Self) -> Self {
        Self {
            factor: self.factor.wrapping_mul(those.factor),
            term: self.term.wrapping_mul(those.factor).wrapping_add(those.term),
        }
    }

    /// `count` steps, by repeated doubling.
    const fn forward(mut count: u32) -> Self {
        let (mut all, mut doubled) = (Self { factor: 1, term: 0 }, Self::ONE);
        while count > 0 {
            if count & 1 == 1 {
                all = all.then(doubled);
            }
            doubled = doubled.then(doubled);
            count >>= 1;
        }
        all
    }

    const fn from(self, state: State) -> State {
        State(state.0.wrapping_mul(self.factor).wrapping_add(self.term))
    }
}

impl State {
    /// The next state.
    #[must_use]
    pub const fn next(self) -> Self {
        Steps::ONE.from(self)
    }

    /// The previous state. The period is 2^32 (the increment is odd and the multiplier is 1 modulo 4), so one step back equals
    /// 2^32 - 1 steps forward; the factor of that jump is the inverse multiplier 0xEEB9EB65 (reference 3.3).
    #[must_use]
    pub const fn previous(self) -> Self {
        const BACK: Steps = Steps::forward(u32::MAX);
        BACK.from(self)
    }

    /// The state after `steps` steps, in logarithmic time.
    #[must_use]
    pub const fn jump(self, steps: u32) -> Self {
        Steps::forward(steps).from(self)
    }

    /// The state `steps` steps earlier, in logarithmic time.
    #[must_use]
    pub const fn back(self, steps: u32) -> Self {
        Steps::forward(steps.wrapping_neg()).from(self)
    }

    /// The number of steps from this state to `to`; there is always exactly one below 2^32.
    ///
    /// The lowest n bits of the state have period 2^n on their own, so bit n of the result is determined once the lower bits
    /// are: it is set if the states still differ in that bit.
    #[must_use]
    pub const fn distance_to(self, to: Self) -> u32 {
        let (mut state, mut doubled, mut distance, mut bit) = (self, Steps::ONE, 0, 0);
        while bit < u32::BITS {
            if (state.0 ^ to.0) >> bit & 1 == 1 {
                state = doubled.from(state);
                distance |= 1 << bit;
            }
            doubled = doubled.then(doubled);
            bit += 1;
        }
        distance
    }

    /// The number drawn from this state.
    #[must_use]
    pub const fn value(self) -> u32 {
        (self.0 >> DRAW_SHIFT) & DRAW_MASK
    }

    /// Advances one step and returns the number drawn.
    pub const fn draw(&mut self) -> u32 {
        *self = self.next();
        self.value()
    }

    /// The state reduced to the bits that draws depend on.
    #[must_use]
    pub const fn relevant(self) -> Self {
        Self(self.0 & ((1 << RELEVANT_BITS) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn steps_match_the_reference() {
        // Reference 3.3.
        let mut state = State(0x4321);
        for expected in [0x6116_D346, 0x793B_7907, 0x1F9C_DA34, 0x387C_F05D] {
            let before = state;
            state = state.next();
            assert_eq!(state, State(expected));
            assert_eq!(state.previous(), before);
        }
        assert_eq!(Steps::forward(u32::MAX).factor, 0xEEB9_EB65);
    }

    proptest! {
        #[test]
        fn jump_equals_repeated_steps_and_distance_inverts_jump(s: u32, steps in 0u32..2000, far: u32, to: u32) {
            let walked = (0..steps).fold(State(s), |state, _| state.next());
            prop_assert_eq!(State(s).jump(steps), walked);
            prop_assert_eq!(walked.back(steps), State(s));
            prop_assert_eq!(State(s).jump(far).back(far), State(s));
            prop_assert_eq!(State(s).distance_to(State(s).jump(far)), far);
            prop_assert_eq!(State(s).jump(State(s).distance_to(State(to))), State(to));
        }

        #[test]
        fn upper_bits_do_not_affect_draws(s: u32) {
            let (mut whole, mut low) = (State(s), State(s).relevant());
            for _ in 0..50 {
                prop_assert_eq!(whole.draw(), low.draw());
            }
        }
    }
}

//! The random number generator: linear congruential, 32 bits of state.
//!
//! Source: routine 0x02049B9C of the Nintendo DS game (document); reference 2.1.

use crate::game::hex::written_in_hex;
use serde::{Deserialize, Serialize};

/// The multiplier (routine 0x02049B9C).
const MULTIPLIER: u32 = 0x5D58_8B65;
/// Added at each step (routine 0x02049B9C).
const INCREMENT: u32 = 0x0026_9EC3;

/// State of the generator, the little-endian long of profile field `rng_state`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u32);

written_in_hex!(State, 8);

/// Any number of steps combined: s becomes factor * s + term, modulo 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    /// Multiplies the state.
    pub factor: u32,
    /// Added to the product.
    pub term: u32,
}

impl Steps {
    /// No steps.
    pub const NONE: Self = Self { factor: 1, term: 0 };
    /// One step forward.
    pub const ONE: Self = Self { factor: MULTIPLIER, term: INCREMENT };

    /// These steps, followed by `those`.
    #[must_use]
    pub const fn then(self, those: Self) -> Self {
        Self {
            factor: self.factor.wrapping_mul(those.factor),
            term: self.term.wrapping_mul(those.factor).wrapping_add(those.term),
        }
    }

    /// `count` steps forward, by repeated doubling.
    #[must_use]
    pub const fn forward(mut count: u32) -> Self {
        let mut all = Self::NONE;
        let mut doubled = Self::ONE;
        while count > 0 {
            if count & 1 == 1 {
                all = all.then(doubled);
            }
            doubled = doubled.then(doubled);
            count >>= 1;
        }
        all
    }

    /// `count` steps backward. The period is 2^32 (the increment is odd and the multiplier is 1 modulo 4), so this equals
    /// 2^32 - `count` steps forward.
    #[must_use]
    pub const fn backward(count: u32) -> Self {
        Self::forward(count.wrapping_neg())
    }

    /// Applies these steps to a state.
    #[must_use]
    pub const fn from(self, state: State) -> State {
        State(state.0.wrapping_mul(self.factor).wrapping_add(self.term))
    }
}

impl State {
    /// The next state.
    #[must_use]
    pub const fn next(self) -> Self {
        Steps::ONE.from(self)
    }

    /// The previous state; every state has exactly one.
    #[must_use]
    pub const fn previous(self) -> Self {
        const BACK: Steps = Steps::backward(1);
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
        Steps::backward(steps).from(self)
    }

    /// The number of steps from this state to `to`; there is always exactly one below 2^32.
    ///
    /// The lowest n bits of the state have period 2^n on their own, so bit n of the result is determined once the lower bits
    /// are: it is set if the states still differ in that bit. At most 32 rounds.
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

    /// A draw below `k`: the state after one step, and ((state >> 16) * k) >> 16. With `k` = 0 the draw is state >> 16,
    /// an unlimited 16-bit number.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a draw is below a 16-bit number")]
    pub const fn random(self, k: u16) -> (Self, u16) {
        let next = self.next();
        let upper = next.0 >> 16;
        let value = if k == 0 { upper } else { (upper * k as u32) >> 16 };
        (next, value as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn previous_inverts_next(s: u32) {
            prop_assert_eq!(State(s).next().previous(), State(s));
            prop_assert_eq!(State(s).previous().next(), State(s));
        }

        #[test]
        fn jump_equals_repeated_steps(s: u32, steps in 0u32..3000) {
            let walked = (0..steps).fold(State(s), |state, _| state.next());
            prop_assert_eq!(State(s).jump(steps), walked);
            prop_assert_eq!(walked.back(steps), State(s));
        }

        #[test]
        fn jumps_add_up_modulo_the_period(s: u32, a: u32, b: u32) {
            prop_assert_eq!(State(s).jump(a).jump(b), State(s).jump(a.wrapping_add(b)));
            prop_assert_eq!(State(s).jump(a).back(a), State(s));
        }

        #[test]
        fn distance_inverts_jump(s: u32, to: u32, steps: u32) {
            prop_assert_eq!(State(s).jump(State(s).distance_to(State(to))), State(to));
            prop_assert_eq!(State(s).distance_to(State(s).jump(steps)), steps);
        }

        #[test]
        fn draws_are_below_their_limit(s: u32, k in 1u16..) {
            prop_assert!(State(s).random(k).1 < k);
            prop_assert_eq!(u32::from(State(s).random(0).1), State(s).next().0 >> 16);
        }
    }
}

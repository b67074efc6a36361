//! The random number generator of Arika's games (The Grand Master, TAP, Terror-Instinct): a linear congruential one.
//!
//! Source: reference 3.3; multiplier and increment are those of the C library that Arika's compilers came with.

mod history;

pub use history::{History, PIECES, before, by_passes, first_piece, is_first_piece, one_of_seven};

use crate::games::hex::written_in_hex;
use crate::games::lcg::{Steps, full_period_steps};
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

full_period_steps!(State, Steps { factor: MULTIPLIER, term: INCREMENT });

impl State {
    /// The number drawn from this state.
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
        assert_eq!(State::STEP.repeat(u32::MAX).factor, 0xEEB9_EB65);
    }

    proptest! {
        #[test]
        fn upper_bits_do_not_affect_draws(s: u32) {
            let (mut whole, mut low) = (State(s), State(s).relevant());
            for _ in 0..50 {
                prop_assert_eq!(whole.draw(), low.draw());
            }
        }
    }
}

//! The random number generator: linear congruential, 32 bits of state.
//!
//! Source: routine 0x02049B9C of the Nintendo DS game (document); reference 2.1.

use crate::games::hex::written_in_hex;
use crate::games::lcg::{Steps, full_period_steps};
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

full_period_steps!(State, Steps { factor: MULTIPLIER, term: INCREMENT });

impl State {
    /// A draw below `k`: the state after one step, and ((state >> 16) * k) >> 16. With `k` = 0 the draw is state >> 16,
    /// an unlimited 16-bit number.
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
        fn draws_are_below_their_limit(s: u32, k in 1u16..) {
            prop_assert!(State(s).random(k).1 < k);
            prop_assert_eq!(u32::from(State(s).random(0).1), State(s).next().0 >> 16);
        }
    }
}

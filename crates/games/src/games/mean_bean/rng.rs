//! The random number generator: 32 bits of state, one multiplication.
//!
//! Source: routines `Random` and `RandomBound` of the disassembly; reference A.1. The routine multiplies by 41 and adds the low word
//! of the product to its high word: that is one multiplication by 41 * 65537.

use crate::games::hex::written_in_hex;
use serde::{Deserialize, Serialize};

/// State of the generator, the big-endian long of profile field `rng_state`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u32);

written_in_hex!(State, 8);

/// What the routine puts in the place of a state of 0, which is the state after power-on.
pub const BOOT_STATE: State = State(0x2A6D_365A);

/// The number of states that the generator goes through, in a single cycle: those whose low four bits are A.
pub const REACHABLE: u32 = 1 << CYCLE_BITS;

/// The low four bits of every state of the cycle.
const LOW_BITS: u32 = 0xA;
const CYCLE_BITS: u32 = 28;

const STEP: u32 = 41 * 0x1_0001;
const STEP_BACK: u32 = inverse(STEP);

/// Newton's iteration: each round doubles the number of correct low bits.
const fn inverse(odd: u32) -> u32 {
    let mut x = odd;
    let mut round = 0;
    while round < 5 {
        x = x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

impl State {
    /// One step.
    #[must_use]
    pub const fn next(self) -> Self {
        let state = if self.0 == 0 { BOOT_STATE.0 } else { self.0 };
        Self(state.wrapping_mul(STEP))
    }

    /// The state before the last step; [`BOOT_STATE`] stands for 0 as well.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self(self.0.wrapping_mul(STEP_BACK))
    }

    /// The state after that many steps, or before them if the number is negative.
    #[must_use]
    pub const fn jump(self, steps: i64) -> Self {
        let mut state = if self.0 == 0 { BOOT_STATE.0 } else { self.0 };
        let (mut left, mut factor) = (steps.unsigned_abs(), if steps < 0 { STEP_BACK } else { STEP });
        while left > 0 {
            if left & 1 == 1 {
                state = state.wrapping_mul(factor);
            }
            factor = factor.wrapping_mul(factor);
            left >>= 1;
        }
        Self(state)
    }

    /// The steps from this state to another one; None if one of them is not on the cycle.
    #[must_use]
    pub const fn distance(self, to: Self) -> Option<u32> {
        if !(self.is_reachable() && to.is_reachable()) {
            return None;
        }
        // 41 * 65537 is 1 modulo 8 and not modulo 16: 2^b steps change bit 4 + b, and no lower one.
        let (mut at, mut factor, mut steps, mut bit) = (self.0, STEP, 0, 0);
        while bit < CYCLE_BITS {
            if (at ^ to.0) >> (4 + bit) & 1 == 1 {
                at = at.wrapping_mul(factor);
                steps |= 1 << bit;
            }
            factor = factor.wrapping_mul(factor);
            bit += 1;
        }
        Some(steps)
    }

    /// Whether the generator can have this state: one of 2^28.
    #[must_use]
    pub const fn is_reachable(self) -> bool {
        self.0 & 0xF == LOW_BITS
    }

    /// The random number of the step that led to this state: 16 bits.
    #[must_use]
    pub const fn drawn(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// `RandomBound`: the state after the step, and a number below `n`.
    #[must_use]
    pub fn random(self, n: u16) -> (Self, u16) {
        let next = self.next();
        (next, bounded(next.drawn(), n))
    }
}

/// A number below `n` from a random number.
#[must_use]
pub const fn bounded(drawn: u16, n: u16) -> u16 {
    ((drawn as u32 * n as u32) >> 16) as u16
}

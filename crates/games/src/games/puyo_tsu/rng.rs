//! The random number generator: 32 bits of state, mixed with the caller's d0 and stack pointer.
//!
//! Source: Mega Drive routine 0x0C04 (arcade 0x04AA), read in the disassembly; reference 1.1.

use crate::games::hex::written_in_hex;
use serde::{Deserialize, Serialize};

/// State of the generator, the big-endian long of profile field `rng_state`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u32);

/// Written by routine 0x2216 if the options block fails its check, that is after a cold boot.
pub const BOOT_STATE: State = State(0x3587_9DE2);

/// a7 inside the step for the five colour draws: initial stack 0x00FF8000 less the return addresses of the
/// byte-code interpreter, its handler, random(n), its saved d1 and the step (reference 1.1).
pub const A7_COLORS: u32 = 0x00FF_7FE8;

/// a7 inside the step for all pool draws: the generator calls the step directly.
pub const A7_POOLS: u32 = 0x00FF_7FF4;

/// 33 and 65 are odd, so they have inverses modulo 2^32: a step is nearly a multiplication by one of them.
const INVERSE_33: u32 = inverse(33);
const INVERSE_65: u32 = inverse(65);

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

written_in_hex!(State, 8);

/// How a step derives its d0 from the state before it. Backward steps need this,
/// since d0 depends on the unknown state itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// d0 is a constant: the colour draws, with d0 = 4.
    Fixed {
        /// The register.
        d0: u32,
        /// The stack pointer.
        a7: u32,
    },
    /// First draw of the first pool: high word = low word of (low 16 bits of the state * 4), left in d0 by
    /// random(4); low word = 256 mod number of colours.
    FirstPool {
        /// 256 mod number of colours.
        remainder: u32,
    },
    /// Every other draw of a pool: d0 = state & 0xFFFF00FF.
    Pool,
    /// First draw of a later pool: d0 = (state & 0xFFFF0000) | 0xFFFF.
    NextPool,
}

impl Step {
    /// A colour draw.
    pub const COLOR: Self = Self::Fixed { d0: 4, a7: A7_COLORS };

    fn d0(self, state: State) -> u32 {
        match self {
            Self::Fixed { d0, .. } => d0,
            Self::FirstPool { remainder } => (state.0.wrapping_mul(4) << 16) | remainder,
            Self::Pool => state.0 & 0xFFFF_00FF,
            Self::NextPool => (state.0 & 0xFFFF_0000) | 0xFFFF,
        }
    }

    fn a7(self) -> u32 {
        match self {
            Self::Fixed { a7, .. } => a7,
            _ => A7_POOLS,
        }
    }
}

impl State {
    /// One step of the routine with the caller's d0 and the stack pointer inside it:
    /// R' = rol32(d0 + R + a7, 5) + R + 1.
    #[must_use]
    pub fn stirred(self, d0: u32, a7: u32) -> Self {
        let sum = d0.wrapping_add(self.0).wrapping_add(a7);
        Self(sum.rotate_left(5).wrapping_add(self.0).wrapping_add(1))
    }

    /// One step of the round generator.
    #[must_use]
    pub fn advance(self, step: Step) -> Self {
        self.stirred(step.d0(self), step.a7())
    }

    /// random(n) of routine 0x0C1E: the state after the step, and (low 16 bits * n) >> 16.
    pub fn random(self, n: u16, a7: u32) -> (Self, u16) {
        let next = self.stirred(u32::from(n), a7);
        let value = ((next.0 & 0xFFFF) * u32::from(n)) >> 16;
        (next, value as u16)
    }

    /// All states from which `step` leads to this one, in ascending order; there may be none or several, because the
    /// step is not one-to-one. The rotation only moves the top five bits t of the sum to the bottom, so
    /// for each of the 32 values of t the step is linear (modulo 2^32) except for the masked parts of d0, which
    /// are solved from the low bytes up.
    pub fn predecessors(self, step: Step) -> Vec<Self> {
        let a7 = step.a7();
        let mut found: Vec<Self> = (0..32u32)
            .map(|top| {
                // self = 32 * sum + top + R + 1, where sum = R + d0 + a7.
                let rest = self.0.wrapping_sub(a7.wrapping_mul(32)).wrapping_sub(top + 1);
                let minus = |value: u32, by: u32| value.wrapping_sub(by.wrapping_mul(32));
                Self(match step {
                    // rest = 33 R + 32 d0
                    Step::Fixed { d0, .. } => minus(rest, d0).wrapping_mul(INVERSE_33),
                    // d0 = R << 18 | remainder, so rest = (33 + 32 * 2^18) R + 32 remainder
                    Step::FirstPool { remainder } => {
                        const FACTOR: u32 = inverse(33 + (32 << 18));
                        minus(rest, remainder).wrapping_mul(FACTOR)
                    }
                    // d0 = R - (R & 0xFF00): the second byte y counts 33 times, the rest 65 times.
                    Step::Pool => {
                        let low = rest.wrapping_mul(INVERSE_65) & 0xFF;
                        let above = rest.wrapping_sub(low.wrapping_mul(65)) >> 8;
                        let second = (above.wrapping_mul(INVERSE_33) & 0xFF) << 8;
                        rest.wrapping_add(second.wrapping_mul(32)).wrapping_mul(INVERSE_65)
                    }
                    // d0 = R - (R & 0xFFFF) + 0xFFFF: the low word counts 33 times, the high word 65 times.
                    Step::NextPool => {
                        let rest = minus(rest, 0xFFFF);
                        let low = rest.wrapping_mul(INVERSE_33) & 0xFFFF;
                        rest.wrapping_add(low.wrapping_mul(32)).wrapping_mul(INVERSE_65)
                    }
                })
            })
            .filter(|before| before.advance(step) == self)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn colour_draws_from_the_boot_state_match_the_disassembly() {
        let states: Vec<State> = std::iter::successors(Some(BOOT_STATE), |s| Some(s.random(4, A7_COLORS).0))
            .skip(1)
            .take(5)
            .collect();
        let reference = [0x066B_57A9, 0xF3C6_4A4A, 0x8C7F_9129, 0x3C61_B3DB, 0xE888_2CC3]; // reference 1.7
        assert_eq!(states, reference.map(State));
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (any::<u32>(), any::<u32>()).prop_map(|(d0, a7)| Step::Fixed { d0, a7 }),
            (0u32..2).prop_map(|remainder| Step::FirstPool { remainder }),
            Just(Step::Pool),
            Just(Step::NextPool),
        ]
    }

    proptest! {
        #[test]
        fn every_state_is_among_the_predecessors_of_its_successor(r: u32, step in any_step()) {
            let after = State(r).advance(step);
            prop_assert!(after.predecessors(step).contains(&State(r)));
        }

        #[test]
        fn predecessors_lead_back(r: u32, step in any_step()) {
            for before in State(r).predecessors(step) {
                prop_assert_eq!(before.advance(step), State(r));
            }
        }
    }

    #[test]
    fn predecessors_are_complete_on_a_sample_of_all_states() {
        // A missing predecessor would make the number of (state, successor) pairs disagree.
        for step in [Step::COLOR, Step::FirstPool { remainder: 1 }, Step::Pool, Step::NextPool] {
            let before: Vec<State> = (0..40_000u32).map(|i| State(i.wrapping_mul(0x9E37_79B9))).collect();
            for state in before {
                let found = state.advance(step).predecessors(step);
                assert!(found.contains(&state), "{step:?} {state}");
                // States 55555555 apart usually collapse (reference 1.9); both twins must be found.
                let twin = State(state.0.wrapping_add(0x5555_5555));
                if twin.advance(step) == state.advance(step) {
                    assert!(found.contains(&twin), "{step:?} {state} and its twin {twin}");
                }
            }
        }
    }
}

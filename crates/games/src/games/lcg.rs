//! Linear congruential generators modulo 2^32 with the full period: an odd increment, and a multiplier that is 1 modulo 4.

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

    /// These steps, followed by `those`.
    #[must_use]
    pub const fn then(self, those: Self) -> Self {
        Self {
            factor: self.factor.wrapping_mul(those.factor),
            term: self.term.wrapping_mul(those.factor).wrapping_add(those.term),
        }
    }

    /// These steps `count` times, by repeated doubling. The period is 2^32, so 2^32 - n steps forward are n steps back.
    #[must_use]
    pub const fn repeat(self, mut count: u32) -> Self {
        let (mut all, mut doubled) = (Self::NONE, self);
        while count > 0 {
            if count & 1 == 1 {
                all = all.then(doubled);
            }
            doubled = doubled.then(doubled);
            count >>= 1;
        }
        all
    }

    /// Applies these steps to a state.
    pub const fn from(self, state: u32) -> u32 {
        state.wrapping_mul(self.factor).wrapping_add(self.term)
    }

    /// How many times these steps lead from one state to another; for a single step there is exactly one number below 2^32.
    ///
    /// The lowest n bits of the state have period 2^n on their own, so bit n of the result is determined once the lower bits
    /// are: it is set if the states still differ in that bit.
    pub const fn count_between(self, mut from: u32, to: u32) -> u32 {
        let (mut doubled, mut count, mut bit) = (self, 0, 0);
        while bit < u32::BITS {
            if (from ^ to) >> bit & 1 == 1 {
                from = doubled.from(from);
                count |= 1 << bit;
            }
            doubled = doubled.then(doubled);
            bit += 1;
        }
        count
    }
}

/// The steps of a generator's `State(u32)`, given one of them.
macro_rules! full_period_steps {
    ($state:ident, $step:expr) => {
        impl $state {
            /// One step.
            pub const STEP: $crate::games::lcg::Steps = $step;

            /// The next state.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(Self::STEP.from(self.0))
            }

            /// The previous state; every state has exactly one.
            #[must_use]
            pub const fn previous(self) -> Self {
                const BACK: $crate::games::lcg::Steps = $state::STEP.repeat(u32::MAX);
                Self(BACK.from(self.0))
            }

            /// The state after `steps` steps, in logarithmic time.
            #[must_use]
            pub const fn jump(self, steps: u32) -> Self {
                Self(Self::STEP.repeat(steps).from(self.0))
            }

            /// The state `steps` steps earlier, in logarithmic time.
            #[must_use]
            pub const fn back(self, steps: u32) -> Self {
                self.jump(steps.wrapping_neg())
            }

            /// The number of steps from this state to `to`; there is always exactly one below 2^32.
            pub const fn distance_to(self, to: Self) -> u32 {
                Self::STEP.count_between(self.0, to.0)
            }
        }
    };
}
pub(crate) use full_period_steps;

#[cfg(test)]
mod tests {
    use crate::games::puyo_20th;
    use crate::games::tgm::arika;
    use proptest::prelude::*;

    macro_rules! steps_are_consistent {
        ($name:ident, $state:path) => {
            proptest! {
                #[test]
                fn $name(s: u32, steps in 0u32..2000, a: u32, b: u32) {
                    let start = $state(s);
                    let walked = (0..steps).fold(start, |state, _| state.next());
                    prop_assert_eq!(start.jump(steps), walked);
                    prop_assert_eq!(walked.back(steps), start);
                    prop_assert_eq!((start.next().previous(), start.previous().next()), (start, start));
                    prop_assert_eq!(start.jump(a).jump(b), start.jump(a.wrapping_add(b)));
                    prop_assert_eq!(start.jump(a).back(a), start);
                    prop_assert_eq!(start.distance_to(start.jump(a)), a);
                    prop_assert_eq!(start.jump(start.distance_to($state(b))), $state(b));
                }
            }
        };
    }

    steps_are_consistent!(steps_of_arika, arika::State);
    steps_are_consistent!(steps_of_puyo_20th, puyo_20th::State);
}

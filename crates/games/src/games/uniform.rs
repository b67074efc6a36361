//! Known generators that replace the undocumented ones of some games.

use crate::games::pieces::Variants;
use crate::games::tgm::arika;
use nextscope_boards::SplitMix64;
use std::fmt;

/// The generators by name; `tetris-1985` and `tetris-worlds` accept each of them.
pub const VARIANTS: Variants = &[
    ("splitmix64", "SplitMix64 (Steele, Lea and Flood 2014): the game's own generator is not documented"),
    ("xorshift32", "Marsaglia's 32-bit xorshift (2003), shifts 13, 17, 5; seed 0 counts as 2463534242"),
    ("arika", "the generator of Arika's games"),
];

/// The start state of xorshift32 in Marsaglia's paper; 0 would never change.
const XORSHIFT_START: u32 = 2_463_534_242;

/// A generator with its state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Uniform {
    /// SplitMix64, period 2^64.
    SplitMix64(u64),
    /// Xorshift32, period 2^32 - 1.
    Xorshift32(u32),
    /// Arika's generator; the period of its draws is 2^25.
    Arika(arika::State),
}

/// Which generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Kind {
    /// SplitMix64.
    #[default]
    SplitMix64,
    /// Xorshift32.
    Xorshift32,
    /// Arika's generator.
    Arika,
}

impl Kind {
    /// The kind with that name; the default for any other name.
    pub fn from_id(id: &str) -> Self {
        match id {
            "xorshift32" => Self::Xorshift32,
            "arika" => Self::Arika,
            _ => Self::SplitMix64,
        }
    }
}

impl Uniform {
    /// A generator with that seed.
    pub const fn new(kind: Kind, seed: u32) -> Self {
        match kind {
            Kind::SplitMix64 => Self::SplitMix64(seed as u64),
            Kind::Xorshift32 => Self::Xorshift32(if seed == 0 { XORSHIFT_START } else { seed }),
            Kind::Arika => Self::Arika(arika::State(seed)),
        }
    }

    /// The generator of a variant; the default for an unknown name.
    pub fn of_variant(variant: &str, seed: u32) -> Self {
        Self::new(Kind::from_id(variant), seed)
    }

    /// Advances and draws a number below `limit`, which is small. Uses the upper half of (32 random bits * limit) for generators
    /// with good upper bits, and the remainder of the division for Arika's 15 bits, as Arika's games do.
    pub const fn below(&mut self, limit: u32) -> u32 {
        match self {
            Self::SplitMix64(state) => {
                let mut generator = SplitMix64(*state);
                let number = generator.below(limit);
                *state = generator.0;
                number
            }
            Self::Xorshift32(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 17;
                *state ^= *state << 5;
                scaled(*state, limit)
            }
            Self::Arika(state) => state.draw() % limit,
        }
    }

    /// The generator one step earlier.
    #[must_use]
    pub const fn previous(self) -> Self {
        match self {
            Self::SplitMix64(state) => Self::SplitMix64(SplitMix64(state).previous().0),
            Self::Xorshift32(mut state) => {
                // Each x ^ x << k is inverted by x ^ x << k ^ x << 2k ^ ..., in doubling steps.
                state ^= state << 5;
                state ^= state << 10;
                state ^= state << 20;
                state ^= state >> 17;
                state ^= state << 13;
                state ^= state << 26;
                Self::Xorshift32(state)
            }
            Self::Arika(state) => Self::Arika(state.previous()),
        }
    }
}

const fn scaled(bits: u32, limit: u32) -> u32 {
    ((bits as u64 * limit as u64) >> 32) as u32
}

impl fmt::Display for Uniform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SplitMix64(state) => write!(f, "0x{state:016X}"),
            Self::Xorshift32(state) => write!(f, "0x{state:08X}"),
            Self::Arika(state) => write!(f, "{state}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_numbers_match_the_published_ones() {
        // xorshift32 from 1 gives 270369 (Marsaglia's shifts), SplitMix64 from 0 gives 0xE220A8397B1DCDAF.
        let mut xorshift = Uniform::of_variant("xorshift32", 1);
        xorshift.below(7);
        assert_eq!(xorshift, Uniform::Xorshift32(270_369));
        let mut splitmix = Uniform::of_variant("splitmix64", 0);
        assert_eq!(splitmix.below(1 << 31), 0xE220_A839 >> 1);
        assert_eq!(Uniform::of_variant("xorshift32", 0), Uniform::Xorshift32(XORSHIFT_START));
    }

    proptest! {
        #[test]
        fn previous_inverts_a_step(seed: u32, limit in 1u32..100) {
            for (name, _) in VARIANTS {
                let start = Uniform::of_variant(name, seed);
                let mut later = start;
                prop_assert!(later.below(limit) < limit);
                prop_assert_eq!(later.previous(), start);
            }
        }
    }
}

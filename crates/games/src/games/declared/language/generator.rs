//! The generators of the language.

use super::is_default;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A generator of random numbers. A draw uses bits of the state after the step, unless the kind says what else it gives.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Generator {
    /// Linear congruential: the state times `multiplier` plus `increment`, modulo 2^`width` or `modulus`.
    Linear {
        /// The bits of the state.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// Multiplies the state.
        #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        multiplier: u64,
        /// Added to the product. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        increment: u64,
        /// The modulus, at most 2^`width`. Default: 2^`width`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 2, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        modulus: Option<u64>,
    },
    /// A linear feedback shift register.
    ShiftRegister {
        /// The bits of the state.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// How the taps are used.
        form: RegisterForm,
        /// Where the bits move.
        direction: Direction,
        /// The bits that are tapped.
        #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        taps: u64,
        /// Shifts in one step. Default: 1.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        #[schemars(range(min = 1, max = 64))]
        shifts: u8,
    },
    /// Xorshift (Marsaglia): the state is combined with itself, shifted, by exclusive or, once for each of `shifts`.
    Xorshift {
        /// The bits of the state.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// 1 to 4 distances in order: positive to the left, negative to the right.
        #[schemars(length(min = 1, max = 4), inner(range(min = -63, max = 63)))]
        shifts: Vec<i8>,
        /// Multiplies the state for the number that draws use, as in xorshift*. Default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        multiplier: Option<u64>,
    },
    /// Add and rotate: the sum of the state and `addend` is rotated to the left; then the state, if `add_state`, and `increment` are added.
    AddRotate {
        /// The bits of the state.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// Added before the rotation. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        addend: u64,
        /// Bits of the state that are added once more before the rotation. Default: none.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        state_mask: u64,
        /// The distance of the rotation.
        #[schemars(range(min = 1, max = 63))]
        rotate: u8,
        /// Whether the state is added after the rotation. Default: false.
        #[serde(default, skip_serializing_if = "is_default")]
        add_state: bool,
        /// Added after the rotation. Default: 0.
        #[serde(default, skip_serializing_if = "is_default")]
        #[schemars(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        increment: u64,
    },
    /// The state times `multiplier`; then the low half is added to the high half, and the carry of that sum is lost.
    MultiplyAddHalves {
        /// The bits of the state, even.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// Multiplies the state.
        #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
        multiplier: u64,
    },
    /// Multiply with carry: the low half of the state times `multiplier`, plus the high half, which is the carry.
    MultiplyWithCarry {
        /// The bits of the state, even.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// Multiplies the low half.
        #[schemars(range(min = 1, max = 0xFFFF_FFFF_u64))]
        multiplier: u64,
    },
    /// Lagged Fibonacci: the number `long` steps ago combined with that of `short` steps ago. Draws use the newest number.
    Lagged {
        /// The bits of a number.
        #[schemars(range(min = 2, max = 64))]
        width: u8,
        /// The longer lag, which is also the length of the state.
        #[schemars(range(min = 2, max = 127))]
        long: u8,
        /// The shorter lag.
        #[schemars(range(min = 1, max = 126))]
        short: u8,
        /// How the two are combined.
        operation: LagOperation,
        /// The linear congruential steps that make the first numbers of the seed, which is the first of them.
        fill: LinearSteps,
    },
    /// A table of numbers that is read in a loop. The seed is the index before the first step; draws use the number at the index.
    Table {
        /// The bits of a number.
        #[schemars(range(min = 1, max = 64))]
        width: u8,
        /// The numbers, 2 to 4096.
        #[schemars(length(min = 2, max = 4096), inner(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64)))]
        values: Vec<u64>,
    },
    /// SplitMix64: a counter of 64 bits; draws use its mixed value.
    #[serde(rename = "splitmix64")]
    SplitMix64 {},
}

/// How the taps of a shift register are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterForm {
    /// The exclusive or of the tapped bits enters at the end that becomes free.
    Fibonacci,
    /// If the bit that drops out is 1, the tapped bits of the shifted state are inverted.
    Galois,
}

/// Where bits move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Towards the highest bit.
    Left,
    /// Towards the lowest bit.
    Right,
}

/// How a lagged generator combines two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LagOperation {
    /// The sum.
    Add,
    /// The number of the longer lag minus that of the shorter one.
    Subtract,
    /// The exclusive or.
    Xor,
}

/// Linear congruential steps modulo 2^64 or `modulus`, of which the low bits are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearSteps {
    /// Multiplies the number.
    #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
    pub multiplier: u64,
    /// Added to the product. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
    pub increment: u64,
    /// The modulus. Default: 2^64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
    pub modulus: Option<u64>,
}

/// The state that replaces zero, tested before each step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ZeroState {
    /// The bits that are tested: a state in which they are all 0 is replaced. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
    pub mask: Option<u64>,
    /// The state in its place.
    #[schemars(range(min = 1, max = 0xFFFF_FFFF_FFFF_FFFF_u64))]
    pub replacement: u64,
}

const fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_one(value: &u8) -> bool {
    *value == 1
}

impl Generator {
    /// The bits of a number that draws use, and of a state unless it is an array.
    pub const fn width(&self) -> u8 {
        match self {
            Self::Linear { width, .. }
            | Self::ShiftRegister { width, .. }
            | Self::Xorshift { width, .. }
            | Self::AddRotate { width, .. }
            | Self::MultiplyAddHalves { width, .. }
            | Self::MultiplyWithCarry { width, .. }
            | Self::Lagged { width, .. }
            | Self::Table { width, .. } => *width,
            Self::SplitMix64 {} => 64,
        }
    }
}

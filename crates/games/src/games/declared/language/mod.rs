//! The language: what `[randomizer]` of a profile can say. The doc comments are its description in the schema.

mod deal;
mod generator;
mod piece_codes;

pub use deal::{
    BagTime, CopiedStart, Deal, End, Fill, First, MixedPool, Queue, QueueEnd, QueueOrder, Shuffle,
    ShuffleMethod,
};
pub use generator::{Direction, Generator, LagOperation, LinearSteps, RegisterForm, ZeroState};
pub use piece_codes::{ListEnd, PieceCodes, Position};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A randomizer: what it deals, its generator, how a number is drawn and how it is dealt.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Randomizer {
    /// What is dealt.
    pub deals: Deals,
    /// The pieces, or the colours of pairs, in the order of the game's numbers: at least 2, all different.
    #[schemars(length(min = 2, max = 16))]
    pub kinds: Vec<Symbol>,
    /// The numbers by which the game stores them, in RAM and for `add = "last"`. Default: 0, 1, 2 and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub codes: Vec<u8>,
    /// The kind that each drawn number means, if it is not each kind once: 2 to 4096.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 4096))]
    pub table: Vec<Symbol>,
    /// How many of the drawn numbers mean each kind, in the order of `kinds`. Their sum is 2 to 4096.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub weights: Vec<u16>,
    /// What the two halves of a pair are made of. Default: axis-first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pair: PairForm,
    /// How the seed of a game becomes the generator's first state.
    pub seed: Seed,
    /// The generator.
    pub generator: Generator,
    /// The state that replaces zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ZeroState")]
    pub zero: Option<ZeroState>,
    /// How a number is drawn.
    pub draw: Draw,
    /// When the generator steps. Default: deals.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: Clock,
    /// How many calls between two deals other parts of the game may make, at most. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 0xFFFF))]
    pub other_calls: u16,
    /// How the numbers become deals.
    pub deal: Deal,
    /// What is different for the first piece of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "First")]
    pub first: Option<First>,
    /// Deals that are made before the first one is dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Queue")]
    pub queue: Option<Queue>,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What is dealt.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deals {
    /// Single pieces.
    #[default]
    Pieces,
    /// Pairs of two colours: an axis (or left half) and a child (or right half).
    Pairs,
}

impl Deals {
    /// Bytes of a deal in RAM.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Pieces => 1,
            Self::Pairs => 2,
        }
    }

    /// "piece" or "pair".
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Pieces => "piece",
            Self::Pairs => "pair",
        }
    }
}

/// A piece or a colour by its letter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "the letters say it")]
pub enum Symbol {
    I,
    J,
    L,
    O,
    S,
    T,
    Z,
    R,
    G,
    B,
    Y,
    P,
}

impl Symbol {
    /// All, the pieces first.
    pub const ALL: [Self; 12] = [
        Self::I,
        Self::J,
        Self::L,
        Self::O,
        Self::S,
        Self::T,
        Self::Z,
        Self::R,
        Self::G,
        Self::B,
        Self::Y,
        Self::P,
    ];

    /// The number of the kinds that are pieces: the first of [`Self::ALL`].
    pub const PIECES: usize = 7;

    /// Its letter.
    pub const fn letter(self) -> char {
        match self {
            Self::I => 'I',
            Self::J => 'J',
            Self::L => 'L',
            Self::O => 'O',
            Self::S => 'S',
            Self::T => 'T',
            Self::Z => 'Z',
            Self::R => 'R',
            Self::G => 'G',
            Self::B => 'B',
            Self::Y => 'Y',
            Self::P => 'P',
        }
    }

    /// That of a letter, small or capital.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|symbol| symbol.letter() == letter.to_ascii_uppercase())
    }
}

/// What the two halves of a pair are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairForm {
    /// Two draws, or two cells of a pool: the axis, then the child.
    #[default]
    AxisFirst,
    /// Two draws, or two cells of a pool: the child, then the axis.
    ChildFirst,
    /// One number below the square of the number of kinds: the axis times the number of kinds, plus the child.
    OneNumber,
}

/// How the seed of a game becomes the generator's first state: its low bits are the seed, the others are 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seed {
    /// The bits of a seed, 1 to the width of the generator.
    #[schemars(range(min = 1, max = 64))]
    pub bits: u8,
    /// Steps before the first draw. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 0xFFFF))]
    pub steps: u16,
}

/// How a number below a limit is drawn from the generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The lowest bit of the state that is used. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 0, max = 63))]
    pub shift: u8,
    /// How many bits are used.
    #[schemars(range(min = 1, max = 64))]
    pub bits: u8,
    /// How these bits become a number below the limit.
    pub method: Method,
    /// What is added to the bits before that. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Addend")]
    pub add: Option<Addend>,
    /// The low bits of the sum that are used. Default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 63))]
    pub sum_bits: Option<u8>,
}

/// How bits become a number below a limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The remainder of a division by the limit.
    Modulo,
    /// The bits times the limit, without as many low bits as were used.
    MultiplyHigh,
    /// The low bits that a number below the limit can have. A number that is not below the limit counts as rejected by the history.
    Mask,
    /// As `mask`, but drawn again until the number is below the limit.
    Rejection,
}

/// What is added to the bits of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Addend {
    /// The number of the deal, from 1.
    Deals,
    /// The code of the last piece or the number of the last pair, 0 before the first.
    Last,
}

/// When the generator steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Before each draw.
    #[default]
    Deals,
    /// In each frame; the first draw of a deal reads the state as it is, each further one steps first.
    Frames,
    /// In each frame and before each draw.
    Both,
}

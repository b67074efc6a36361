//! What games have in common: id, unit, fields, variants.

use serde::{Serialize, Serializer};
use std::fmt;

/// The id of a game. Its properties are in the [registry](crate::games).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(&'static str);

impl GameId {
    /// For the definition of a game's id; other code uses the game's constant.
    pub(crate) const fn new(id: &'static str) -> Self {
        Self(id)
    }

    /// The id as used on the command line and in profiles.
    pub const fn id(self) -> &'static str {
        self.0
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// What a game deals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Pairs of puyos, from pools.
    Pairs,
    /// Capsules, from a reserve.
    Capsules,
    /// Single pieces.
    Pieces,
}

impl Unit {
    /// "pair".
    pub const fn singular(self) -> &'static str {
        match self {
            Self::Pairs => "pair",
            Self::Capsules => "capsule",
            Self::Pieces => "piece",
        }
    }

    /// "pairs".
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Capsules => "capsules",
            Self::Pieces => "pieces",
        }
    }

    /// Whether the game makes a round's deals before it starts, so that what it deals says nothing of the generator.
    pub const fn is_made_ahead(self) -> bool {
        matches!(self, Self::Pairs | Self::Capsules)
    }
}

/// A profile field that a model reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// The field's name in a profile.
    pub name: &'static str,
    /// Its length in bytes; 0 if the profile decides it.
    pub bytes: u32,
    /// Whether the model requires the field.
    pub required: bool,
    /// Description, for the schema and for `profile new`.
    pub meaning: &'static str,
}

pub(crate) const fn field(
    name: &'static str,
    bytes: u32,
    required: bool,
    meaning: &'static str,
) -> FieldSpec {
    FieldSpec { name, bytes, required, meaning }
}

/// A point on which sources disagree: every reading is modelled, and live verification decides between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantSpec {
    /// The variant's name in a profile.
    pub name: &'static str,
    /// The readings as (name, description), the default first.
    pub choices: &'static [(&'static str, &'static str)],
}

//! `[piece_codes]` of a profile: how the pieces to come stand in RAM, where nothing is known of how they are made.

use super::{Deals, Symbol, is_default};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The codes of the pieces in the field `next`, the list of those to come, for a game whose randomizer is not known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceCodes {
    /// The pieces, or the colours of pairs: at least 2, all different.
    #[schemars(length(min = 2, max = 16))]
    pub kinds: Vec<Symbol>,
    /// The numbers by which the game stores them, in the same order. Default: 0, 1, 2 and so on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16))]
    pub codes: Vec<u8>,
    /// What is dealt. Default: pieces.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deals: Deals,
    /// Bytes from one entry of the list to the next. Default: 1 for pieces, 2 for pairs.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 1, max = 16))]
    pub stride: u8,
    /// Whether the next piece is the last of the list. Default: false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reversed: bool,
    /// For a list that does not move: where the game is in it. Default: the list moves on with each piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Position")]
    pub position: Option<Position>,
}

/// How the field `position` says which entry is in play, for a list that is made when the game starts and does not move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// What the field has while the first entry is in play. Default: 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub first: u16,
    /// By how much it changes with each piece. Default: 1.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(range(min = 1, max = 16))]
    pub step: u8,
    /// Whether it counts down. Default: false.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counts_down: bool,
    /// What comes after the last entry. Default: unknown.
    #[serde(default, skip_serializing_if = "is_default")]
    pub then: ListEnd,
}

/// What comes after the last entry of a list that does not move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ListEnd {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// The first entry again.
    Repeat,
    /// The first entry of the next list, which is made then: a bag.
    Refill,
}

impl Position {
    /// The number of the entry in play, from 0; negative before the first one. None between two entries.
    pub(in crate::games::declared) fn entry(self, value: u64) -> Option<i64> {
        let step = i64::from(self.step.max(1));
        let counted = i64::try_from(value).ok()? - i64::from(self.first);
        let counted = if self.counts_down { -counted } else { counted };
        (counted % step == 0).then_some(counted / step)
    }
}

impl PieceCodes {
    /// Bytes from one entry to the next.
    pub(in crate::games::declared) fn distance(&self) -> u32 {
        if self.stride == 0 { self.deals.bytes() } else { self.stride.into() }
    }

    /// The entries of a list of so many bytes.
    pub(in crate::games::declared) fn entries(&self, bytes: u32) -> u32 {
        bytes.checked_sub(self.deals.bytes()).map_or(0, |rest| rest / self.distance() + 1)
    }
}

//! What a sample shows of one player.

use crate::profile::Profile;
use nextscope_boards::Pair;
use nextscope_boards::puyo::{FallingPair, Field, Rules};
use nextscope_memory::console::Snapshot;
use std::ops::BitOr;

/// How a game reads moments.
#[derive(Debug, Clone, Copy)]
pub struct MomentReader {
    /// Reads the moment of a player (0 or 1), or says why that is not possible.
    pub read: fn(&Snapshot, &Profile, usize) -> Result<Moment, String>,
    /// The fields that a profile lacks for a player (0 or 1).
    pub missing: fn(&Profile, usize) -> Vec<MissingField>,
}

/// Fields that a profile lacks, and what cannot be measured without them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingField {
    /// Their names.
    pub fields: String,
    /// What cannot be measured.
    pub parts: &'static str,
    /// Whether nothing can be measured without them.
    pub all: bool,
}

/// Buttons held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Held(u8);

impl Held {
    /// No button.
    pub const NONE: Self = Self(0);
    /// Left.
    pub const LEFT: Self = Self(1);
    /// Right.
    pub const RIGHT: Self = Self(2);
    /// A button that turns.
    pub const TURN: Self = Self(4);
    /// Another button that turns.
    pub const OTHER_TURN: Self = Self(8);
    /// Down.
    pub const DOWN: Self = Self(16);

    /// Whether all of these are held.
    pub fn has(self, buttons: Self) -> bool {
        self.0 & buttons.0 == buttons.0
    }

    /// Those of them that move or turn a pair.
    #[must_use]
    pub fn moving(self) -> Self {
        Self(self.0 & !Self::DOWN.0)
    }

    /// Whether it is exactly one button.
    pub fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }
}

impl BitOr for Held {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What one sample shows of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The board without the pair in play; None while it contains anything else than cells.
    pub field: Option<Field>,
    /// Its rules; None for rules that are not modelled.
    pub rules: Option<Rules>,
    /// Pairs dealt in the round, including the one in play.
    pub dealt: u16,
    /// The pair that will be dealt next.
    pub next: Pair,
    /// The falling pair; None if there is none, or unknown.
    pub falling: Option<FallingPair>,
    /// The buttons that the game has read; None if unknown.
    pub held: Option<Held>,
    /// Whether a button is held that may pause the game.
    pub pausing: bool,
}

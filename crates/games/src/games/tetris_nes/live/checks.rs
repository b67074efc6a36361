//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// The generator advances once a frame, plus once per reroll.
    pub const GENERATOR_STEPS: Self = Self::new(
        "generator-steps",
        "Generator steps",
        "The generator advances once a frame, plus once per reroll.",
    );
    /// The spawn count increases by one for each piece.
    pub const SPAWN_COUNT: Self =
        Self::new("spawn-count", "Spawn count", "The spawn count increases by one for each piece.");
    /// The dealt piece is the one that the generator gives in that frame.
    pub const DEALT_PIECE: Self = Self::new(
        "dealt-piece",
        "Dealt piece",
        "The dealt piece is the one that the generator gives in that frame.",
    );
    /// The next piece becomes the one in play.
    pub const CURRENT_PIECE: Self =
        Self::new("current-piece", "Next piece to current", "The next piece becomes the one in play.");
    /// The statistics count each piece that comes into play.
    pub const STATISTICS: Self =
        Self::new("statistics", "Statistics", "The statistics count each piece that comes into play.");
}

pub(crate) const CHECKS: &[CheckId] = &[
    CheckId::GENERATOR_STEPS,
    CheckId::SPAWN_COUNT,
    CheckId::DEALT_PIECE,
    CheckId::CURRENT_PIECE,
    CheckId::STATISTICS,
];

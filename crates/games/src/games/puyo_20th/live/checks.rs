//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// The colour map is a permutation of the five colours.
    pub const COLOR_MAP: Self =
        Self::new("color-map", "Colour map", "The colour map is a permutation of the five colours.");
    /// Which rule gives a round its seed.
    pub const ROUND_SEED: Self = Self::new("round-seed", "Seed source", "Which rule gives a round its seed.");
}

pub(crate) const CHECKS: &[CheckId] = &[
    CheckId::POOL_COUNTS,
    CheckId::POOL_COPIES,
    CheckId::GENERATION,
    CheckId::QUEUE_P1,
    CheckId::QUEUE_P2,
    CheckId::COLOR_MAP,
    CheckId::SEED,
    CheckId::ROUND_SEED,
];

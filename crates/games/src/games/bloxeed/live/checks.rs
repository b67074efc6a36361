//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// Which rule reads the piece table.
    pub const PIECE_TABLE: Self =
        Self::new("piece-table", "Piece table", "Which rule reads the piece table.");
    /// Which rule computes the piece seed.
    pub const SEED_ROUTINE: Self =
        Self::new("seed-routine", "Carry and zero test", "Which rule computes the piece seed.");
}

pub(crate) const CHECKS: &[CheckId] =
    &[CheckId::GENERATION, CheckId::SEED, CheckId::PIECES, CheckId::PIECE_TABLE, CheckId::SEED_ROUTINE];

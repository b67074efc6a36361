//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// The piece history in RAM matches the pieces dealt.
    pub const HISTORY: Self =
        Self::new("history", "History", "The piece history in RAM matches the pieces dealt.");
}

pub(crate) const CHECKS: &[CheckId] = &[CheckId::QUEUE_P1, CheckId::PIECES, CheckId::HISTORY];

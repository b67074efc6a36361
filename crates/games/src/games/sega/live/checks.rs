//! The checks of the game.

use crate::live::CheckId;

pub(crate) const CHECKS: &[CheckId] = &[CheckId::GENERATION, CheckId::SEED, CheckId::PIECES];

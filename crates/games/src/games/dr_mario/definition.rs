//! Dr. Mario (NES, Nintendo 1990).

use crate::games::dr_mario::ID;
use crate::games::dr_mario::pairs::RULES;
use crate::games::{GameDefinition, Unit};

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Dr. Mario (NES)",
    unit: Unit::Pairs,
    boards: None,
    live: None,
    pairs: Some(RULES),
    pieces: None,
};

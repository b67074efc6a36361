//! The first Tetris (Pajitnov, 1985).

use crate::games::GameDefinition;
use crate::games::Unit;
use crate::games::tetris_1985::{ID, Tetris1985};
use crate::games::uniform::{self, Uniform};
use crate::seeds::pieces::{DEFAULTS, PieceRules, UniformSeeds};

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Tetris (1985)",
    unit: Unit::Pieces,
    pieces: Some(PieceRules {
        about: "The first Tetris: each piece by one draw of a named generator",
        variants: uniform::VARIANTS,
        dealer: |variant, seed, _| Some(Tetris1985::new(Uniform::of_variant(variant, seed)).into()),
        search: &UniformSeeds(super::seeds::Seeds),
        rating: Some([4, 0, 0]),
        in_lab: true,
        ..DEFAULTS
    }),
    ..GameDefinition::DEFAULTS
};

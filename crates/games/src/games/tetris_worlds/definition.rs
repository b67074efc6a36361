//! Tetris Worlds (2001), and most games since: a bag of seven.

use crate::games::GameDefinition;
use crate::games::Unit;
use crate::games::tetris_worlds::{Bag, ID, TetrisWorlds, VARIANTS, bag_variant, copies};
use crate::games::uniform::Uniform;
use crate::seeds::pieces::{DEFAULTS, PieceRules, UniformSeeds};

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Tetris Worlds",
    unit: Unit::Pieces,
    pieces: Some(PieceRules {
        about: "Tetris Worlds: bags of seven",
        variants: VARIANTS,
        more_variants: bag_variant,
        dealer: |variant, seed, _| {
            let rng = Uniform::of_variant(variant, seed);
            Some(match copies(variant) {
                0 | 1 => TetrisWorlds::new(rng, variant == "tgm-ace").into(),
                copies => Bag::new(rng, copies).into(),
            })
        },
        search: &UniformSeeds(super::seeds::Seeds),
        rating: Some([3, 3, 4]),
        in_lab: true,
        ..DEFAULTS
    }),
    ..GameDefinition::DEFAULTS
};

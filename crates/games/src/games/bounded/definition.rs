//! A randomizer designed for this project, with hard limits on droughts and floods.

use crate::games::GameDefinition;
use crate::games::Unit;
use crate::games::bounded::{Bounded, ID, VARIANTS, limits_of};
use crate::seeds::pieces::{DEFAULTS, PieceOption, PieceRules};

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Bounded (our own)",
    unit: Unit::Pieces,
    pieces: Some(PieceRules {
        about: "Our own randomizer with limits on droughts and floods",
        variants: VARIANTS,
        dealer: |variant, seed, options| {
            let limits = options.limits.unwrap_or_else(|| limits_of(variant));
            Some(Bounded::new(seed, limits).into())
        },
        options: &[PieceOption { name: "limits", why: "which has limits" }],
        limits: Some(limits_of),
        search: &super::seeds::Seeds,
        in_lab: true,
        ..DEFAULTS
    }),
    ..GameDefinition::DEFAULTS
};

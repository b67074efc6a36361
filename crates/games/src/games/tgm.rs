//! Arika's games: Tetris: The Grand Master (1998), TAP (2000), Terror-Instinct (2005).

use super::{Anchors, CELLS_TEMPLATE, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::game::tgm_cells::{self, piece_of_number, plausible};
use crate::game::tgm1::{self, Tgm1};
use crate::game::tgm2::{self, Tgm2};
use crate::game::tgm3::{self, DocumentPool, Tgm3};
use crate::game::{FieldSpec, Unit, VariantSpec};
use crate::live::tgm::Tracker;
use crate::seeds::pieces::{DEFAULTS, PieceRules, arika};

const fn live(
    profiles: &'static [(&'static str, &'static str)],
    fields: &'static [FieldSpec],
    variants: &'static [VariantSpec],
) -> Option<LiveSupport> {
    let anchors = Anchors { cells: Some(cells), template: CELLS_TEMPLATE, ..NO_ANCHORS };
    Some(LiveSupport {
        profiles,
        fields,
        variants,
        predicts: true,
        anchors,
        pools: None,
        tracker: tracker::<Tracker>,
    })
}

pub(super) const TGM1: GameDefinition = GameDefinition {
    id: tgm1::ID,
    name: "Tetris: The Grand Master",
    unit: Unit::Pieces,
    boards: None,
    live: live(profiles!["tgmj"], tgm_cells::TGM1_FIELDS, tgm_cells::TGM1_VARIANTS),
    pieces: Some(PieceRules {
        about: "Tetris: The Grand Master",
        variants: tgm1::VARIANTS,
        dealer: |variant, seed, _| Some(Tgm1::of_variant(variant, seed).into()),
        from_middle: true,
        search: &arika::Search,
        rating: Some([4, 4, 2]),
        ..DEFAULTS
    }),
};

pub(super) const TGM2: GameDefinition = GameDefinition {
    id: tgm2::ID,
    name: "TGM2 PLUS (TAP)",
    unit: Unit::Pieces,
    boards: None,
    live: live(profiles!["tgm2p"], tgm_cells::TGM2_FIELDS, &[]),
    pieces: Some(PieceRules {
        about: "TAP, Tetris: The Absolute: The Grand Master 2 PLUS",
        dealer: |_, seed, _| Some(Tgm2::new(seed).into()),
        from_middle: true,
        search: &arika::Search,
        ..DEFAULTS
    }),
};

pub(super) const TGM3: GameDefinition = GameDefinition {
    id: tgm3::ID,
    name: "TGM3 Terror-Instinct",
    unit: Unit::Pieces,
    boards: None,
    live: None,
    pieces: Some(PieceRules {
        about: "Tetris: The Grand Master 3, Terror-Instinct",
        variants: tgm3::VARIANTS,
        dealer: |variant, seed, _| {
            Some(match variant {
                "document" => DocumentPool::new(seed).into(),
                _ => Tgm3::new(seed).into(),
            })
        },
        search: &arika::Search,
        rating: Some([4, 4, 4]),
        in_lab: true,
        ..DEFAULTS
    }),
};

fn cells<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let byte = |field: &str| bytes(field)?.first().copied();
    let [state, current, next, rotation] =
        [byte("state")?, byte("current")?, byte("next")?, byte("rotation")?];
    let drawn = |history: &[u8]| history.iter().all(|number| piece_of_number(*number).is_some());
    Some(plausible(state, current, next, rotation) && bytes("history").is_none_or(drawn))
}

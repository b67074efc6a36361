//! Arika's games: Tetris: The Grand Master (1998), TAP (2000), Terror-Instinct (2005).

use crate::games::tgm::arika::State;
use crate::games::tgm::cells::{self, piece_of_number, plausible};
use crate::games::tgm::live::Tracker;
use crate::games::tgm::tgm1::{self, Tgm1};
use crate::games::tgm::tgm2::{self, Tgm2};
use crate::games::tgm::tgm3::{self, DocumentPool, Tgm3};
use crate::games::{Anchors, CELLS_TEMPLATE, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::games::{FieldSpec, KnownGenerator, Movement, StateCell, Unit, VariantSpec};
use crate::seeds::pieces::{DEFAULTS, PieceRules};

const fn live(
    profiles: &'static [(&'static str, &'static str)],
    fields: &'static [FieldSpec],
    variants: &'static [VariantSpec],
) -> Option<LiveSupport> {
    let anchors = Anchors { cells: Some(cells_match), template: CELLS_TEMPLATE, ..NO_ANCHORS };
    Some(LiveSupport {
        profiles,
        fields,
        variants,
        checks: super::live::CHECKS,
        predicts: true,
        anchors,
        pools: None,
        tracker: tracker::<Tracker>,
    })
}

pub(crate) const TGM1: GameDefinition = GameDefinition {
    id: tgm1::ID,
    name: "Tetris: The Grand Master",
    unit: Unit::Pieces,
    live: live(profiles!["tgmj"], cells::TGM1_FIELDS, cells::TGM1_VARIANTS),
    pieces: Some(PieceRules {
        about: "Tetris: The Grand Master",
        variants: tgm1::VARIANTS,
        dealer: |variant, seed, _| Some(Tgm1::of_variant(variant, seed).into()),
        from_middle: true,
        search: &super::seeds::Search,
        rating: Some([4, 4, 2]),
        ..DEFAULTS
    }),
    generator: Some(KnownGenerator {
        name: "ISO C's example (also Arika's games)", // ISO/IEC 9899, rand; reference 3.3
        cell: StateCell::Bits32,
        movement: Movement::Linear(State::STEP),
    }),
    ..GameDefinition::DEFAULTS
};

pub(crate) const TGM2: GameDefinition = GameDefinition {
    id: tgm2::ID,
    name: "TGM2 PLUS (TAP)",
    unit: Unit::Pieces,
    live: live(profiles!["tgm2p"], cells::TGM2_FIELDS, &[]),
    pieces: Some(PieceRules {
        about: "TAP, Tetris: The Absolute: The Grand Master 2 PLUS",
        dealer: |_, seed, _| Some(Tgm2::new(seed).into()),
        from_middle: true,
        search: &super::seeds::Search,
        ..DEFAULTS
    }),
    ..GameDefinition::DEFAULTS
};

pub(crate) const TGM3: GameDefinition = GameDefinition {
    id: tgm3::ID,
    name: "TGM3 Terror-Instinct",
    unit: Unit::Pieces,
    pieces: Some(PieceRules {
        about: "Tetris: The Grand Master 3, Terror-Instinct",
        variants: tgm3::VARIANTS,
        dealer: |variant, seed, _| {
            Some(match variant {
                "document" => DocumentPool::new(seed).into(),
                _ => Tgm3::new(seed).into(),
            })
        },
        search: &super::seeds::Search,
        rating: Some([4, 4, 4]),
        in_lab: true,
        ..DEFAULTS
    }),
    ..GameDefinition::DEFAULTS
};

fn cells_match<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let byte = |field: &str| bytes(field)?.first().copied();
    let [state, current, next, rotation] =
        [byte("state")?, byte("current")?, byte("next")?, byte("rotation")?];
    let drawn = |history: &[u8]| history.iter().all(|number| piece_of_number(*number).is_some());
    Some(plausible(state, current, next, rotation) && bytes("history").is_none_or(drawn))
}

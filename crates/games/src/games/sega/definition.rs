//! Sega's games that draw a thousand pieces ahead: Tetris (System 16, 1988) and Flash Point (1989).

use super::seeds::{Buffered, Search};
use crate::games::sega::anchor::{codes_match, contains_codes};
use crate::games::sega::cells::BUFFER_FIELDS;
use crate::games::sega::flash_point;
use crate::games::sega::live::Tracker;
use crate::games::sega::sega_tetris::{self, Game, Sequence};
use crate::games::sega::{Routine, State};
use crate::games::{Anchors, CodesCheck, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::games::{KnownGenerator, Movement, StateCell, Unit, VariantSpec};
use crate::seeds::pieces::{Between, DEFAULTS, PieceOption, PieceRules};

const OPTIONS: &[PieceOption] = &[
    PieceOption { name: "games", why: "where each game continues from the state of the last one" },
    PieceOption { name: "monkey", why: "where a monkey between games takes a random number" },
];

const fn live(
    profiles: &'static [(&'static str, &'static str)],
    variants: &'static [VariantSpec],
) -> Option<LiveSupport> {
    let anchors = Anchors {
        codes: Some(CodesCheck { matches: codes_match, contains: contains_codes }),
        template: "[[anchors]]\nkind = \"codes\" # the codes of drawn pieces, anywhere in RAM\n\
                   hex = \"04 00 04 00 00 06 00 05\" # after the battery RAM was cleared\n\n",
        ..NO_ANCHORS
    };
    Some(LiveSupport {
        profiles,
        fields: BUFFER_FIELDS,
        variants,
        checks: super::live::CHECKS,
        predicts: true,
        anchors,
        pools: None,
        tracker: tracker::<Tracker>,
    })
}

fn next_seed(routine: Routine, seed: u32, between: Between) -> u32 {
    Game::drawn(routine, State(seed)).next_seed(between.monkey).0
}

pub(crate) const SEGA_TETRIS: GameDefinition = GameDefinition {
    id: sega_tetris::ID,
    name: "Sega Tetris",
    unit: Unit::Pieces,
    live: live(profiles!["sega-tetris"], sega_tetris::VARIANTS),
    pieces: Some(PieceRules {
        about: "Tetris of Sega (System 16)",
        variants: sega_tetris::PIECE_VARIANTS,
        dealer: |_, seed, _| Some(Sequence::new(Routine::TETRIS, State(seed)).into()),
        options: OPTIONS,
        next_seed: |_, seed, between| next_seed(Routine::TETRIS, seed, between),
        search: &Search(Buffered(|_| Routine::TETRIS)),
        ..DEFAULTS
    }),
    generator: Some(KnownGenerator {
        name: "Sega's library: 41 * state, its low word added to its high one", // reference 4.1
        cell: StateCell::Long68000,
        movement: Movement::Counted(|from, to| {
            Some((State(from).distance_to(State(to))?, State(from).period().checked_ilog2()?))
        }),
    }),
    locate: Some(super::live::LOCATE),
    ..GameDefinition::DEFAULTS
};

pub(crate) const FLASH_POINT: GameDefinition = GameDefinition {
    id: flash_point::ID,
    name: "Flash Point",
    unit: Unit::Pieces,
    live: live(profiles!["flash-point"], flash_point::VARIANTS),
    pieces: Some(PieceRules {
        about: "Flash Point (System 16)",
        variants: flash_point::PIECE_VARIANTS,
        dealer: |variant, seed, _| Some(Sequence::new(flash_point::routine(variant), State(seed)).into()),
        options: OPTIONS,
        next_seed: |variant, seed, between| next_seed(flash_point::routine(variant), seed, between),
        search: &Search(Buffered(flash_point::routine)),
        ..DEFAULTS
    }),
    locate: Some(super::live::LOCATE),
    ..GameDefinition::DEFAULTS
};

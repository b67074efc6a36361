//! Tetris (NES, Nintendo 1989).

use crate::games::Unit;
use crate::games::tetris_nes::live::Tracker;
use crate::games::tetris_nes::{
    FIELDS, HumanTimedGame, ID, Pick, Randomizer, Spawner, State, VARIANTS, looks_played,
};
use crate::games::{Anchors, CELLS_TEMPLATE, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::games::{KnownGenerator, Movement, StateCell};
use crate::seeds::pieces::{DEFAULTS, PieceOption, PieceRules};

const WHY: &str = "whose generator advances every frame";

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Tetris (NES)",
    unit: Unit::Pieces,
    live: Some(LiveSupport {
        profiles: profiles!["tetris-nes"],
        fields: FIELDS,
        variants: VARIANTS,
        checks: super::live::CHECKS,
        predicts: true,
        anchors: Anchors { cells: Some(cells), template: CELLS_TEMPLATE, cells_find_ram: true, ..NO_ANCHORS },
        pools: None,
        tracker: tracker::<Tracker>,
    }),
    pieces: Some(PieceRules {
        about: "Tetris for the NES (1989)",
        variants: Pick::CHOICES,
        dealer: |variant, seed, options| {
            let state = State(u16::try_from(seed).ok()?);
            Some(Randomizer::new(state, options.steps, Pick::from_id(variant)?).into())
        },
        human_timed: Some(|variant, seed| Some(HumanTimedGame::new(seed, Pick::from_id(variant)?).into())),
        seed_bits: 16,
        // A state that the register never has would deal what no game deals.
        usable_seed: |number| State::after_boot(number.into()).0.into(),
        seed_note: |seed| {
            (seed <= 1).then(|| {
                format!(
                    "0x{seed:04X} is not on the cycle of this generator, so no game has it (after power-on: 0x8988)"
                )
            })
        },
        options: &[PieceOption { name: "steps", why: WHY }, PieceOption { name: "gaps", why: WHY }],
        search: &super::seeds::Search,
        rating: Some([5, 2, 0]),
        in_lab: true,
        ..DEFAULTS
    }),
    generator: Some(KnownGenerator {
        name: "Tetris (NES): 16 bits shifted right, bit 9 xor bit 1 coming in at the top", // reference 3.2
        cell: StateCell::Bits16,
        movement: Movement::Counted(|from, to| {
            let state = |value: u32| State(u16::try_from(value).unwrap_or(0));
            Some((state(from).distance(state(to))?.into(), 15))
        }),
    }),
    ..GameDefinition::DEFAULTS
};

fn cells<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let byte = |field: &str| bytes(field)?.first().copied();
    let state = State(u16::from_be_bytes(bytes("rng_state")?.try_into().ok()?));
    let spawner = Spawner { state, count: byte("spawn_count")?, last: byte("spawn_id")? };
    let (current, next) = (byte("current_piece")?, byte("next_piece")?);
    let (statistics, playfield) = (bytes("statistics")?, bytes("playfield")?);
    Some(looks_played(&spawner, current, next, byte("game_mode")?, statistics, playfield))
}

//! Puyo Puyo!! 20th Anniversary (Nintendo DS), Tsuu mode.

use crate::games::Unit;
use crate::games::puyo_20th::known_pools::POOLS;
use crate::games::puyo_20th::live::Tracker;
use crate::games::puyo_20th::pairs::RULES;
use crate::games::puyo_20th::{FIELDS, ID, State, VARIANTS, looks_generated};
use crate::games::{
    Anchors, GameDefinition, KnownGenerator, LiveSupport, Movement, NO_ANCHORS, PoolNotation, StateCell,
    profiles, three_pools, tracker,
};
use nextscope_boards::puyo::Rules;

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Puyo Puyo!! 20th Anniversary",
    unit: Unit::Pairs,
    boards: Some(Rules::TWENTIETH),
    live: Some(LiveSupport {
        profiles: profiles!["puyo-20th-nds"],
        fields: FIELDS,
        variants: VARIANTS,
        checks: super::live::CHECKS,
        predicts: true,
        anchors: Anchors {
            pools: Some(pools),
            template: "[[anchors]]\nkind = \"pools\" # the pools and the colour map pass the model's checks\n\n",
            ..NO_ANCHORS
        },
        pools: Some(PoolNotation { digits: 1, color: None }),
        tracker: tracker::<Tracker>,
    }),
    pairs: Some(RULES),
    generator: Some(KnownGenerator {
        name: "Puyo Puyo!! 20th Anniversary",
        cell: StateCell::Bits32,
        movement: Movement::Linear(State::STEP), // reference 2.1
    }),
    pools: Some(POOLS),
    ..GameDefinition::DEFAULTS
};

fn pools<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let pools = three_pools(bytes)?;
    let mut cells = [0; 5];
    for (cell, number) in cells.iter_mut().zip(bytes("color_map")?.get(..20)?.chunks_exact(4)) {
        *cell = u32::from_le_bytes(number.try_into().ok()?);
    }
    Some(looks_generated(cells, &pools))
}

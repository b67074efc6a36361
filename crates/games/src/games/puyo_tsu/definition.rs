//! Puyo Puyo Tsu (Mega Drive; arcade System C-2).

use crate::games::Unit;
use crate::games::puyo_tsu::calls::GENERATOR;
use crate::games::puyo_tsu::known_pools::{COLORS, POOLS};
use crate::games::puyo_tsu::live::Tracker;
use crate::games::puyo_tsu::pairs::RULES;
use crate::games::puyo_tsu::{FIELDS, ID, VARIANTS, looks_generated, reachable_color_sets};
use crate::games::{
    Anchors, GameDefinition, LiveSupport, NO_ANCHORS, PoolLayout, PoolNotation, profiles, three_pools,
    tracker,
};
use nextscope_boards::Color;
use nextscope_boards::puyo::Rules;

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Puyo Puyo Tsu",
    unit: Unit::Pairs,
    boards: Some(Rules::TSU),
    live: Some(LiveSupport {
        profiles: profiles!["puyo-tsu-genesis", "puyo-tsu-arcade"],
        fields: FIELDS,
        variants: VARIANTS,
        checks: super::live::CHECKS,
        predicts: true,
        anchors: Anchors {
            pools: Some(pools),
            pool_layout: Some(PoolLayout {
                pools: ["pool_3", "pool_4", "pool_5"],
                color_set: "color_set",
                colors: COLORS,
                color_sets: reachable_color_sets,
            }),
            template: "[[anchors]]\nkind = \"pools\" # the pools and the colour set pass the model's checks\n\n",
            ..NO_ANCHORS
        },
        pools: Some(PoolNotation { digits: 2, color: Some(Color) }),
        tracker: tracker::<Tracker>,
    }),
    pairs: Some(RULES),
    generator: Some(GENERATOR),
    pools: Some(POOLS),
    moments: Some(super::live::MOMENTS),
    round_starts: Some(super::live::STARTS),
    ..GameDefinition::DEFAULTS
};

fn pools<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let pools = three_pools(bytes)?;
    let color_set = bytes("color_set")?.get(..8)?.try_into().ok()?;
    Some(looks_generated(color_set, &pools).is_some())
}

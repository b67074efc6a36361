//! Pochi & Nyaa (Neo Geo, 2003): the randomizer is unknown; only the field is read.

use crate::games::pochi_nyaa::live::Tracker;
use crate::games::{Anchors, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::games::{GameId, Unit};

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: GameId::new("pochi-nyaa"),
    name: "Pochi & Nyaa",
    unit: Unit::Pairs,
    live: Some(LiveSupport {
        profiles: profiles!["pochi-nyaa-mvs"],
        fields: &[],
        variants: &[],
        checks: &[],
        predicts: false,
        anchors: Anchors {
            board: true,
            template: "[[anchors]]\nkind = \"board\" # the playfield of [board] contains blocks as the game places them\n\n",
            ..NO_ANCHORS
        },
        pools: None,
        tracker: tracker::<Tracker>,
    }),
    ..GameDefinition::DEFAULTS
};

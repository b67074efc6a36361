//! Pochi & Nyaa (Neo Geo, 2003): the randomizer is unknown; only the field is read.

use super::{Anchors, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::game::{GameId, Unit};
use crate::live::pochi_nyaa::Tracker;

pub(super) const GAME: GameDefinition = GameDefinition {
    id: GameId::new("pochi-nyaa"),
    name: "Pochi & Nyaa",
    unit: Unit::Pairs,
    boards: None,
    live: Some(LiveSupport {
        profiles: profiles!["pochi-nyaa-mvs"],
        fields: &[],
        variants: &[],
        predicts: false,
        anchors: Anchors {
            board: true,
            template: "[[anchors]]\nkind = \"board\" # the playfield of [board] contains blocks as the game places them\n\n",
            ..NO_ANCHORS
        },
        pools: None,
        tracker: tracker::<Tracker>,
    }),
    pieces: None,
};

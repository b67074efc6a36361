//! Bloxeed (Sega, 1989).

use crate::games::Unit;
use crate::games::bloxeed::anchor::states_match;
use crate::games::bloxeed::live::Tracker;
use crate::games::bloxeed::{Game, ID, PIECE_VARIANTS, Reading, STATE_BITS, VARIANTS, variant};
use crate::games::sega::cells::BLOXEED_FIELDS;
use crate::games::sega::seeds::{Search, SegaGame};
use crate::games::sega::{Routine, State};
use crate::games::{Anchors, GameDefinition, LiveSupport, NO_ANCHORS, profiles, tracker};
use crate::seeds::pieces::{DEFAULTS, PieceOption, PieceRules};

const TEMPLATE: &str = "[[anchors]]\nkind = \"states\" # the seed of the pieces and what follows from it\n\
                        hex = \"2A 6D 80 10\" # the seed of the first game after the battery RAM was cleared\n\n";

fn game(variant: &str, seed: u32) -> Game {
    Game::new(Reading::from_id(variant), State(seed))
}

struct Seeds;

/// A start is the seed of the pieces.
impl SegaGame for Seeds {
    const STATE_BITS: u32 = STATE_BITS;
    type Dealer = Game;

    fn routine(&self, variant: &str) -> Routine {
        Reading::from_id(variant).routine()
    }

    fn dealer(&self, variant: &str) -> impl Fn(State) -> Game + Sync {
        let reading = Reading::from_id(variant);
        move |state| Game::from_piece_seed(reading, State(0), state)
    }
}

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Bloxeed",
    unit: Unit::Pieces,
    live: Some(LiveSupport {
        profiles: profiles!["bloxeed"],
        fields: BLOXEED_FIELDS,
        variants: VARIANTS,
        checks: super::live::CHECKS,
        predicts: true,
        anchors: Anchors { states: Some(states_match), template: TEMPLATE, ..NO_ANCHORS },
        pools: None,
        tracker: tracker::<Tracker>,
    }),
    pieces: Some(PieceRules {
        about: "Bloxeed (System 16)",
        variants: PIECE_VARIANTS,
        more_variants: variant,
        dealer: |variant, seed, _| Some(game(variant, seed).into()),
        options: &[
            PieceOption { name: "games", why: "where each game continues from the state of the last one" },
            PieceOption { name: "items", why: "whose items use the generator that seeds the next game" },
            PieceOption { name: "continued", why: "which deals the same pieces again after a continue" },
        ],
        next_seed: |variant, seed, between| {
            let mut game = game(variant, seed);
            for _ in 0..between.items {
                game.draw_item();
            }
            game.main.0
        },
        piece_seed: Some(|variant, seed| game(variant, seed).piece_seed().to_string()),
        search: &Search(Seeds),
        ..DEFAULTS
    }),
    locate: Some(super::live::LOCATE),
    ..GameDefinition::DEFAULTS
};

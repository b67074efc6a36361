//! Puyo Puyo!! 20th Anniversary (Nintendo DS), Tsuu mode: random number generator, colour map, pools.
//!
//! Puyo Puyo Tetris, Chronicle and Champions (eSports) use the same generator. "Reference" is section 2 of the
//! project's randomizer notes; the document is the published analysis of the game's code.

mod definition;
mod find_command;
mod generate_command;
mod interactive;
pub mod live;
mod options;
mod pairs;
pub mod seeds;

pub(super) use definition::GAME;

mod generator;
mod known_pools;
mod rng;
mod structure;
#[cfg(test)]
mod vectors;

pub use generator::{
    CALLS, COPIED, ColorMap, MAP_CALLS, POOL_CALLS, ROWS, Round, RoundSeed, Seed, ShuffleUsed, generate,
    modelled, pair, seed_before, shuffle_used, shuffled, state_after, swaps,
};
pub use nextscope_boards::{Color, POOL_LEN, POOL_PAIRS, Pair, Pool, PoolId};
pub use rng::State;
pub use structure::{Flaw, flaws, looks_generated};

use crate::games::{FieldSpec, GameId, VariantSpec, field};

/// The id of the game.
pub const ID: GameId = GameId::new("puyo-20th");

/// The fields of the model.
pub const FIELDS: &[FieldSpec] = &[
    field("base", 4, true, "pointer to the block that holds state, colour map and pools"),
    field("rng_state", 4, true, "state of the random number generator"),
    field("alternate_shuffle", 4, true, "from 0x8000 on another shuffle, which is not modelled, is used"),
    field("color_map", 20, true, "the colours of this game, five 32-bit numbers, 1 to 5"),
    field("pool_3", 256, true, "the 3-colour pool"),
    field("pool_4", 256, true, "the 4-colour pool"),
    field("pool_5", 256, true, "the 5-colour pool"),
    field("frame_counter", 4, true, "incremented every vertical blank"),
    field("p1_queue", 4, false, "player 1: the two pairs after the one in play, axis and child of each"),
    field("p1_pairs_dealt", 2, false, "player 1: pairs dealt this round"),
    field("p1_colors", 1, false, "player 1: number of colours, 3 to 5, selects the pool"),
    field("p2_queue", 4, false, "player 2: the two pairs after the one in play, axis and child of each"),
    field("p2_pairs_dealt", 2, false, "player 2: pairs dealt this round"),
    field("p2_colors", 1, false, "player 2: number of colours, 3 to 5, selects the pool"),
];

/// The points that the documents leave open.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec {
    name: "round_seed",
    choices: &[
        (
            "upper-half",
            "a round is seeded with the upper 16 bits of the state (documented for Puyo Puyo Tetris, which has the same generator)",
        ),
        ("next-upper-half", "one step first, then the upper 16 bits: an unlimited draw"),
        ("lower-half", "the lower 16 bits of the state"),
    ],
}];

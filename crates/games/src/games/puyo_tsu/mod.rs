//! Puyo Puyo Tsu (Mega Drive; arcade System C-2): random number generator, pair pools, queues.
//!
//! "Reference" is section 1 of the project's randomizer notes: the disassembled routines, checked
//! against a 68000 emulation. Where the wiki's account (the seed document) differs, both are variants.

mod definition;
mod find_command;
mod generate_command;
mod interactive;
pub mod live;
mod options;
mod pairs;
pub mod seeds;

pub(super) use definition::GAME;

mod calls;
mod dealer;
mod generator;
mod known_pools;
mod rng;
mod structure;
#[cfg(test)]
mod vectors;

pub use dealer::{Dealer, Dealing, Level, pool_index, pool_pair};
pub use generator::{
    Round, Setup, Shuffle, color_set, generate, reachable_color_sets, set_of_draws, state_after,
    states_before,
};
pub use known_pools::pool_query;
pub use nextscope_boards::{Color, POOL_LEN, POOL_PAIRS, Pair, Pool, PoolId};
pub use rng::{A7_COLORS, A7_POOLS, BOOT_STATE, State, Step};
pub use structure::{Flaw, POOL_SETUPS, flaws, looks_generated};

use crate::games::{FieldSpec, GameId, VariantSpec, field};

/// The id of the game.
pub const ID: GameId = GameId::new("puyo-tsu");

/// The fields of the model.
pub const FIELDS: &[FieldSpec] = &[
    field("rng_state", 4, true, "state of the random number generator"),
    field("mode", 1, true, "game mode: 0 story, 1 versus, bit 2 demo"),
    field("rank", 1, true, "story rank, decides between 4 and 5 colours"),
    field("pop_count", 1, true, "group size that pops, normally 4"),
    field("color_set", 8, true, "the shuffled colours of this game"),
    field("pool_3", 256, true, "the 3-colour pool"),
    field("pool_4", 256, true, "the 4-colour pool"),
    field("pool_5", 256, true, "the 5-colour pool"),
    field("p1_queue", 6, true, "player 1: next, second and third pair"),
    field("p1_pairs_dealt", 2, true, "player 1: pairs dealt this round"),
    field("p1_pool_index", 1, true, "player 1: pool index of the next pair"),
    field("p1_level", 1, true, "player 1: level 0-4, selects the pool"),
    field("p2_queue", 6, true, "player 2: next, second and third pair"),
    field("p2_pairs_dealt", 2, true, "player 2: pairs dealt this round"),
    field("p2_pool_index", 1, true, "player 2: pool index of the next pair"),
    field("p2_level", 1, true, "player 2: level 0-4, selects the pool"),
    field("frame_counter", 1, true, "incremented every pass of the main loop"),
    field("p1_board", 168, false, "player 1: board, 14 rows of 6 two-byte cells"),
    field("p2_board", 168, false, "player 2: board, 14 rows of 6 two-byte cells"),
    field("p1_score", 4, false, "player 1: score"),
    field("p2_score", 4, false, "player 2: score"),
];

/// The points on which the documents and the disassembly differ.
pub const VARIANTS: &[VariantSpec] = &[
    VariantSpec {
        name: "dealing",
        choices: &[
            (
                "first-three-from-pool-3",
                "versus: the queue is filled before the level is chosen, so the first three pairs come from the 3-colour pool (disassembly)",
            ),
            ("all-from-level-pool", "every pair comes from the pool of the chosen level (seed document)"),
        ],
    },
    VariantSpec {
        name: "shuffle",
        choices: &[
            (
                "shared-index-stream",
                "4-colour pool first, then the 3- and 5-colour pools with one shared stream of indices (disassembly)",
            ),
            ("three-shuffles", "3-, 4- and 5-colour pools, each with 256 draws of its own (seed document)"),
        ],
    },
];

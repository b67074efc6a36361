//! Dr. Robotnik's Mean Bean Machine and Puyo Puyo (both Mega Drive): one generator, one way of dealing, other addresses.
//!
//! "Reference" is part A of the project's notes on further games: the routines of the disassemblies, checked against a 68000
//! emulation. Puyo Puyo's routines are the same line by line, but were not run separately.

mod dealer;
mod definition;
mod find_command;
mod generate_command;
mod generator;
mod interactive;
pub mod live;
mod options;
mod pairs;
mod rng;
pub mod seeds;
mod structure;
#[cfg(test)]
mod tests;

pub(super) use definition::{MEAN_BEAN_MACHINE, PUYO_PUYO_1};

pub use dealer::{Dealer, Level, exercise_pair, exercise_start, pair_at, pool_index, pool_pair};
pub use generator::{
    COLORS, COPIED, FIRST_DRAWS, Round, SECOND_DRAWS, Setup, filled, generate, generate_interrupted,
    second_index,
};
pub use rng::{BOOT_STATE, REACHABLE, State, bounded};
pub use structure::{
    OPTIONS_LEN, has_own_checksum, is_blank, looks_generated, looks_like_pools, miscounted, options_checksum,
    options_match,
};

use crate::games::{FieldSpec, GameId, field};

/// The id of Dr. Robotnik's Mean Bean Machine.
pub const MEAN_BEAN: GameId = GameId::new("mean-bean");
/// The id of Puyo Puyo.
pub const PUYO_PUYO: GameId = GameId::new("puyo-puyo-1");

/// The fields of the model.
pub const FIELDS: &[FieldSpec] = &[
    field("rng_state", 4, true, "state of the random number generator, which every frame steps"),
    field("mode", 1, true, "game mode: 0 story, 1 versus, 2 exercise or endless, bit 2 demo"),
    field("stage", 1, true, "stage of the story; 0 to 2 have four colours"),
    field(
        "pool_4",
        256,
        true,
        "the first pool: of player 1 in the story, of level 1 (four colours) in versus",
    ),
    field("pool_5", 256, true, "the second pool: of player 2 in the story, of levels 2 to 5 in versus"),
    field("objects", 4096, true, "64 objects of 64 bytes, among them players and their queues"),
    field("frame_counter", 2, true, "incremented by every vertical interrupt"),
    field("options", 176, true, "options and high scores, with a checksum"),
    field("options_copy", 176, true, "the copy of the options"),
    field("rom_checksum", 2, true, "checksum of the ROM, computed at boot"),
    field("p1_board", 168, false, "player 1: board, 14 rows of 6 two-byte cells"),
    field("p2_board", 168, false, "player 2: board, 14 rows of 6 two-byte cells"),
];

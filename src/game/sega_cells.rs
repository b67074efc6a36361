//! What the RAM of Sega's games is asked for. None of the addresses is published: they are found by content.

use super::{FieldSpec, field};

/// What the models of Sega Tetris and Flash Point read, once it was found.
pub const BUFFER_FIELDS: &[FieldSpec] = &[
    field("sequence", 1000, false, "the codes of the game's 1000 pieces"),
    field("rng_state", 4, false, "state of the random number generator, high word first"),
    field("index", 2, false, "how many pieces of the game were dealt, modulo 1000"),
];

/// What the model of Bloxeed reads, once somebody found it.
pub const BLOXEED_FIELDS: &[FieldSpec] = &[
    field("rng_state", 4, false, "state of the main generator, from which items are drawn"),
    field("piece_state", 4, false, "state of the pieces' generator"),
    field("piece_seed", 4, false, "seed of the pieces, kept for who continues"),
];

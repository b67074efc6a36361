//! Dr. Robotnik's Mean Bean Machine and Puyo Puyo (both Mega Drive): one generator, one way of dealing, other addresses.
//!
//! "Reference" is part A of the project's notes on further games: the routines of the disassemblies, checked against a 68000
//! emulation. Puyo Puyo's routines are the same line by line, but were not run separately.

mod dealer;
mod generator;
mod rng;
mod structure;
#[cfg(test)]
mod tests;

pub use dealer::{
    Dealer, Level, exercise_pair, exercise_start, pair_at, pool_index, pool_pair,
};
pub use generator::{
    COLORS, COPIED, FIRST_DRAWS, Round, SECOND_DRAWS, Setup, filled, generate, generate_interrupted, second_index,
};
pub use rng::{BOOT_STATE, REACHABLE, State, bounded};
pub use structure::{
    OPTIONS_LEN, has_own_checksum, is_blank, looks_generated, looks_like_pools, miscounted, options_checksum,
    options_match,
};

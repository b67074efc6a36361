//! The randomizers against published vectors, and the inverse searches from their output. One program, since
//! each additional one is linked separately.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod puyo_20th_vectors;
mod puyo_tsu_vectors;
mod seeds_20th;
mod seeds_nes_gaps;
mod seeds_pieces;
mod seeds_tsu;
mod sega_vectors;
mod tetris_arika_vectors;
mod tetris_nes_vectors;

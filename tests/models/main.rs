//! The randomizers against published vectors, and the ways back from what they deal. One program, since each more of them is linked by itself.

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

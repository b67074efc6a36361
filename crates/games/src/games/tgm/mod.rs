//! Arika's games: Tetris: The Grand Master (1998), TAP (2000), Terror-Instinct (2005). They share a generator and a history of four pieces.

pub mod arika;
pub mod cells;
mod definition;
pub mod live;
pub(crate) mod seeds;
pub mod tgm1;
pub mod tgm2;
pub mod tgm3;
#[cfg(test)]
mod vectors;

pub(super) use definition::{TGM1, TGM2, TGM3};

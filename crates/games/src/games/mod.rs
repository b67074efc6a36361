//! The games: a folder for each, listed in [`GAMES`].
//!
//! A game is a [`GameDefinition`] in [`GAMES`]. Other code uses the methods of [`GameId`] and
//! [`PieceGame`](crate::seeds::pieces::PieceGame) and never matches on a game. In a game's folder are
//! - `mod.rs` and what it names: the randomizer, as pure functions and small value types;
//! - `definition.rs`: the definition;
//! - `seeds`: from what was dealt to the generator states that deal it;
//! - `live`: the tracker, with its observation, prediction and checks.
//!
//! Randomizers of single pieces implement [`piece::Dealer`].

pub mod bloxeed;
pub mod bounded;
pub mod declared;
pub mod dr_mario;
pub mod mean_bean;
pub mod pochi_nyaa;
pub mod puyo_20th;
pub mod puyo_tsu;
pub mod sega;
pub mod tetris_1985;
pub mod tetris_nes;
pub mod tetris_worlds;
pub mod tgm;

mod hex;
mod id;
mod known_generator;
mod known_pools;
pub mod lcg;
mod locate;
pub mod piece;
pub mod pieces;
mod registry;
pub mod shift_register;
#[cfg(test)]
mod tests;
pub mod uniform;

pub(crate) use id::field;
pub use id::*;
pub use known_generator::*;
pub use known_pools::*;
pub use locate::*;
pub use registry::*;

/// All games, in display order. A new game is one more line.
pub const GAMES: &[&GameDefinition] = &[
    &puyo_tsu::GAME,
    &puyo_20th::GAME,
    &mean_bean::MEAN_BEAN_MACHINE,
    &mean_bean::PUYO_PUYO_1,
    &tetris_1985::GAME,
    &tetris_nes::GAME,
    &dr_mario::GAME,
    &tgm::TGM1,
    &tgm::TGM2,
    &tetris_worlds::GAME,
    &tgm::TGM3,
    &sega::SEGA_TETRIS,
    &sega::FLASH_POINT,
    &bloxeed::GAME,
    &bounded::GAME,
    &pochi_nyaa::GAME,
    &declared::GAME,
];

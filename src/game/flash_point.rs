//! Flash Point (System 16, 1989): 1000 pieces for a game as in Sega Tetris, with another default.
//!
//! Source: reference 4.2 (another program's account and the wiki; no disassembly was read).

use super::sega::{Routine, State, ZeroTest};
use super::sega_tetris::Game;
use super::{GameId, VariantSpec};

/// The id of the game.
pub const ID: GameId = GameId::new("flash-point");

/// Where the sources are silent.
pub const PIECE_VARIANTS: &[(&str, &str)] = &[
    (
        "low-word",
        "0x2A6D365B stands in for a state whose low word is zero, as in other games with this default",
    ),
    ("whole-long", "0x2A6D365B stands in for a state that is zero as a whole, as in Sega Tetris"),
];

/// The same, for profiles.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec { name: "zero_test", choices: PIECE_VARIANTS }];

/// The routine under that reading; the default for any other name.
#[must_use]
pub fn routine(variant: &str) -> Routine {
    let zero = if variant == "whole-long" { ZeroTest::WholeLong } else { ZeroTest::LowWord };
    Routine { zero, ..Routine::LATER }
}

/// A game from that seed.
#[must_use]
pub fn game(routine: Routine, seed: State) -> Game {
    Game::drawn(routine, seed)
}

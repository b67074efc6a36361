//! Flash Point (System 16, 1989): 1000 pieces per game as in Sega Tetris, with a different default state.
//!
//! Source: reference 4.2 (another program's account and the wiki; no disassembly was read).

use crate::games::sega::sega_tetris::Game;
use crate::games::sega::{Routine, State, ZeroTest};
use crate::games::{GameId, VariantSpec};

/// The id of the game.
pub const ID: GameId = GameId::new("flash-point");

/// The points that the sources leave open.
pub const PIECE_VARIANTS: &[(&str, &str)] = &[
    ("low-word", "0x2A6D365B replaces a state whose low word is zero, as in other games with this default"),
    ("whole-long", "0x2A6D365B replaces a state whose 32 bits are all zero, as in Sega Tetris"),
];

/// The variants for profiles.
pub const VARIANTS: &[VariantSpec] = &[VariantSpec { name: "zero_test", choices: PIECE_VARIANTS }];

/// The routine of that variant; the default for any other name.
pub fn routine(variant: &str) -> Routine {
    let zero = if variant == "whole-long" { ZeroTest::WholeLong } else { ZeroTest::LowWord };
    Routine { zero, ..Routine::LATER }
}

/// A game with that seed.
pub fn game(routine: Routine, seed: State) -> Game {
    Game::drawn(routine, seed)
}

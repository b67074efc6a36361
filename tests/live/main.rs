//! The live session on RAM that follows the games: forecasts that match, faults that are flagged. One
//! program, as in `gui`.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../board_game/mod.rs"]
mod board_game;
#[path = "../cli_support/mod.rs"]
mod cli_support;
#[path = "../played/mod.rs"]
mod played;
#[path = "../pochi_ram/mod.rs"]
mod pochi_ram;
#[path = "../process_target/mod.rs"]
mod process_target;
#[path = "../waiting/mod.rs"]
mod waiting;

mod arcade;
mod bloxeed;
mod board;
mod board_cartridge;
mod pochi;
mod verify;
mod verify_20th;
mod verify_nes;

/// The role of this program when one of the tests has started it as a target process.
#[test]
fn target() {
    process_target::run_role(pochi_ram::role);
}

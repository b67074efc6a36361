//! Every panel of the window without a display, by labels and keys as a person would. One program, since each more is linked by itself.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../gui_support/mod.rs"]
mod gui_support;
#[path = "../nds_game/mod.rs"]
mod nds_game;
#[path = "../pochi_ram/mod.rs"]
mod pochi_ram;
#[path = "../process_target/mod.rs"]
mod process_target;
#[path = "../waiting/mod.rs"]
mod waiting;

mod ignition;
mod ignition_live;
mod keys;
mod lab;
mod overlay;
mod panels;
mod pieces;
mod replay;
mod research;
mod route;
mod seeds;
mod verify;
mod watches;
mod window;

/// What this program does when one of the tests has started it as a program to be looked into.
#[test]
fn target() {
    process_target::run_role(pochi_ram::role);
}

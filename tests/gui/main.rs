//! All panels of the window without a display, by labels and keys. One program, because each test program is linked separately.

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

mod capsules;
mod dialogs;
mod durations;
mod files;
mod first_look;
mod ignition;
mod ignition_live;
mod keys;
mod lab;
mod overlay;
mod panels;
mod pieces;
mod replay;
mod research;
mod research_results;
mod route;
mod route_goals;
mod seeds;
mod tables;
mod verify;
mod watches;
mod watches_selection;
mod window;

/// Runs this program as a target process when a test starts it so.
#[test]
fn target() {
    process_target::run_role(pochi_ram::role);
}

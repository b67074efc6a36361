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
#[allow(dead_code)]
#[path = "../recordings/support.rs"]
mod recordings;
#[path = "../unknown_game/mod.rs"]
mod unknown_game;
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
mod learn;
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
    process_target::run_role(|name, argument| match name {
        learn::ROLE => learn::play(),
        _ => pochi_ram::role(name, argument),
    });
}

//! Emulators and hostile programs, stressed while a session is attached: nothing stale is shown as live,
//! nothing is missed, nothing false is attached to, and time and memory stay bounded. `tests/under-fire` runs
//! each part at full length.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../emulators/mod.rs"]
mod emulators;
#[cfg(target_os = "linux")]
#[path = "../process_target/mod.rs"]
mod process_target;
#[path = "../waiting/mod.rs"]
mod waiting;

#[cfg(target_os = "linux")]
mod hostile;
#[cfg(target_os = "linux")]
mod hours;
#[cfg(target_os = "linux")]
mod lying;
#[cfg(target_os = "linux")]
mod maps;
mod moments;
mod support;
mod two;

/// The role of this program when one of the tests has started it as a target process.
#[cfg(target_os = "linux")]
#[test]
fn target() {
    process_target::run_role(|role, argument| match role {
        "moving" => maps::be_moving(),
        "hostile" => hostile::be_hostile(argument),
        other => panic!("no role {other}"),
    });
}

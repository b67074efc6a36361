//! Durations of our own cartridge, measured from its RAM, against what is set in its ROM.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod cli;
#[path = "../cli_support/mod.rs"]
mod cli_support;
mod console;
mod play;
#[allow(dead_code)]
#[path = "../recordings/support.rs"]
mod support;

//! Durations of our own cartridge, measured from its RAM, against what is set in its ROM.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod console;
mod play;

//! Recordings: the format, the sampler that writes and replays them, the commands.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../cli_support/mod.rs"]
mod cli_support;
#[path = "../nds_game/mod.rs"]
mod nds_game;
#[path = "../waiting/mod.rs"]
mod waiting;

mod commands;
mod format;
mod live;
mod old;
mod parts;
mod size;
mod support;

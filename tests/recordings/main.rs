//! Recordings: the format, the sampler that writes and replays them, the commands.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod commands;
mod format;
mod live;
mod old;
mod size;
mod support;

//! Recordings: the format, the sampler that writes and replays them, the commands.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod format;
mod size;
mod support;

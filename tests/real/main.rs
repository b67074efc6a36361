//! Real emulators, started for the tests; run one at a time by `tests/run`.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../emulators/mod.rs"]
mod emulators;
#[path = "../movies/mod.rs"]
mod movies;
#[allow(dead_code)]
#[path = "../frames/play.rs"]
mod play;
#[path = "../waiting/mod.rs"]
mod waiting;

mod bean;
#[cfg(unix)]
mod companion;
mod frames;
mod genesis;
#[cfg(unix)]
mod learn;
mod mario;
mod memory;
mod movie_files;
mod nds;
mod nes;
#[cfg(unix)]
mod research;
mod seeds_by_time;
mod sega;

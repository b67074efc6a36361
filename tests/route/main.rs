//! The planner, its exports, and routes played on the cartridge.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod check_command;
mod console;
mod exports;
#[path = "../lua/mod.rs"]
mod lua;
mod movie_command;
mod movie_files;
#[path = "../movies/mod.rs"]
mod movies;
mod planner;
#[allow(dead_code)]
#[path = "../recordings/support.rs"]
mod recordings;
mod script;
mod seeds_by_time;

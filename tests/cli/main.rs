//! The command line as scripts see it, subcommand by subcommand. One program, because each further one has to be linked.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../cli_support/mod.rs"]
mod cli_support;
#[path = "../gui_support/mod.rs"]
mod gui_support;
#[path = "../lua/mod.rs"]
mod lua;
#[path = "../movies/mod.rs"]
mod movies;
#[allow(dead_code)]
#[path = "../recordings/support.rs"]
mod recordings;
#[path = "../unknown_game/mod.rs"]
mod unknown_game;
#[path = "../waiting/mod.rs"]
mod waiting;

mod all_commands;
mod arcade;
mod declared;
mod dr_mario;
mod files;
mod ignite;
mod json;
mod learn;
mod pieces;
mod route;
mod route_garbage;
mod route_parts;
mod scan;
mod seeds;
mod seeds_tsu;
mod serve_file;
mod simulate;
mod stats;
mod terminal;

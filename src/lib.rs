//! Nextscope: live prediction and verification of falling-block puzzle games in running emulators.
//!
//! The modules, in the order in which data flows; a module uses only those above it.

// print! panics if the terminal or pipe is closed; `cli::output` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub use nextscope_file as file;

pub mod text; // text for terminals: no control characters, tables, counted words, hexadecimal

pub mod process; // other processes: listing, regions, exact-length reads, why a read was refused

pub use nextscope_memory::console;

pub mod game; // the randomizers and dealers: pure functions and tiny value types

pub mod games; // the registry: the definition of every game

pub mod json; // the JSON of every face: the envelope, and the shapes that all games share

pub mod profile; // profiles/*.toml: schema, parsing, diagnostics, the library of built-in and user files

pub mod recording; // samples in a file, and back

pub mod emulator; // locates console RAM in an emulator: one file per method

pub mod start; // launches emulators: saved commands, the emulator among the launched processes, suggestions

pub mod seeds; // generator and searcher: states from pools, from what was seen

pub use nextscope_boards::{picture, pochi, puyo};

pub mod route; // the route planner: from known pairs and a goal to placements

pub mod stats; // the lab: droughts, floods, predictability of a randomizer

pub mod research; // RAM search, and where pools, sequences, boards and generators stand

pub mod live; // the sampler: attach, snapshot, observe, forecast, verify, publish, re-attach

pub mod report; // reports of verifications and mismatches: Markdown, HTML

pub mod demo; // the embedded console: an emulated 68000 running our own cartridge in a separate process

pub mod serve; // the live state for other programs: HTTP and WebSocket on loopback

pub mod cli; // the command line: one file or folder per subcommand

pub mod gui; // one file per panel

//! Nextscope: live prediction and verification of falling-block puzzle games in running emulators.
//!
//! The application. The libraries in `crates` are re-exported under short names. The modules are in the order in which data flows; a
//! module uses only those above it.

// print! panics if the terminal or pipe is closed; `cli::output` does not.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub use nextscope_boards::{picture, pochi, puyo};
pub use nextscope_emulator::{locate as emulator, process};
pub use nextscope_file as file;
pub use nextscope_games::{frames, games, json, options, pairs, round_starts, seeds, stats, text};
pub use nextscope_memory::console;
pub use nextscope_recording as recording;
pub use nextscope_research as research;
pub use nextscope_route as route;
pub use nextscope_task as task;

pub mod profile; // the library of built-in and user profiles, edited files, added fields

pub mod start; // launches emulators: saved commands, the emulator among the launched processes, suggestions

pub mod live; // the sampler: attach, sample, predict, verify, publish, reattach; replay and evidence

pub mod log; // the newest messages, for the window and standard error

pub mod report; // reports of verifications and mismatches: Markdown, HTML

pub mod demo; // the embedded console: an emulated 68000 that runs our own cartridge in a separate process

pub mod serve; // the live view for other programs: HTTP and WebSocket on loopback

pub mod gui; // the window: one file or folder per panel

pub mod cli; // the command line: one file or folder per subcommand

//! The embedded console: a 68000 core running our own cartridge in a separate process, for demonstrations without an emulator.
//!
//! The process is started and read like an emulator; RAM is not passed to the rest of the program in any other way. It models what a
//! program needs to run: processor, memory map, the video chip's ports, status and vertical interrupt, three-button controllers. There is
//! no picture, no sound, no Z80, no DMA and no horizontal interrupt.

mod bus;
mod cartridge;
pub mod console;
mod options;
mod pads;
mod script;
mod serve;
mod spawn;
mod vdp;

pub use cartridge::{CartridgeConfig, CartridgeError, PairControl, ROM, Schedule};
pub use options::{DemoOptions, OPTIONS};
pub use pads::Buttons;
pub use script::{Playback, Script};
pub use serve::serve;
pub use spawn::{DemoProcess, spawn, spawn_program};

use crate::file::ReadError;
use console::ConsoleError;
use std::path::PathBuf;
use std::time::Duration;

/// Why the embedded console could not run or be started.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum DemoError {
    #[error("the ROM {} cannot be read: {error}", path.display())]
    Rom { path: PathBuf, error: ReadError },
    #[error("the input {} cannot be read: {reason}", path.display())]
    Input { path: PathBuf, reason: String },
    /// The ROM is not valid.
    #[error(transparent)]
    Console(#[from] ConsoleError),
    /// The cartridge cannot be configured like that.
    #[error(transparent)]
    Cartridge(#[from] CartridgeError),
    #[error("the embedded console cannot be started from {}: {error}", program.display())]
    Start { program: PathBuf, error: std::io::Error },
    #[error("the embedded console did not start: {reason}")]
    NotReady { reason: String },
    #[error("the embedded console was not ready after {} s; the machine may be overloaded, try again", .0.as_secs())]
    Late(Duration),
    #[error("the embedded console has ended; start it again")]
    Ended,
    #[error("the embedded console: {0}")]
    System(#[from] std::io::Error),
}

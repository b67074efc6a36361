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
pub use options::DemoOptions;
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
pub enum DemoError {
    /// The ROM file could not be read.
    #[error("the ROM {} cannot be read: {error}", path.display())]
    Rom {
        /// The file.
        path: PathBuf,
        /// Why.
        error: ReadError,
    },
    /// The file with scripted input could not be read.
    #[error("the input {} cannot be read: {reason}", path.display())]
    Input {
        /// The file.
        path: PathBuf,
        /// The system's error, or the line that is wrong.
        reason: String,
    },
    /// The ROM is not valid.
    #[error(transparent)]
    Console(#[from] ConsoleError),
    /// The cartridge cannot be configured like that.
    #[error(transparent)]
    Cartridge(#[from] CartridgeError),
    /// The console's process could not be started.
    #[error("the embedded console cannot be started from {}: {error}", program.display())]
    Start {
        /// The program to start.
        program: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// The console's process ended at once, or printed something else than `ready`.
    #[error("the embedded console did not start: {reason}")]
    NotReady {
        /// Its output or exit status.
        reason: String,
    },
    /// The console's process did not become ready in time.
    #[error("the embedded console was not ready after {} s; the machine may be overloaded, try again", .0.as_secs())]
    Late(Duration),
    /// The console's process has ended.
    #[error("the embedded console has ended; start it again")]
    Ended,
    /// A system call of the console's process failed.
    #[error("the embedded console: {0}")]
    System(#[from] std::io::Error),
}

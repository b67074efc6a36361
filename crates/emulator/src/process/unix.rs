//! What Linux and macOS have in common.

use super::Pid;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The system's list has it.
pub(in crate::process) fn command_line(_pid: Pid) -> Option<Vec<String>> {
    None
}

/// Timers of a millisecond or finer, as this system always has them.
#[derive(Debug)]
pub struct FineTimers;

impl FineTimers {
    /// Asks for nothing.
    pub fn request() -> Self {
        Self
    }
}

/// Puts a program that is to be started into its own process group: Ctrl+C in our terminal does not reach it.
pub fn detach(command: &mut Command) {
    command.process_group(0);
}

//! Which emulator a process is, from its executable, its command line and the modules it has loaded.

use crate::process::{Process, ProcessInfo};
use serde::Serialize;

/// What is known of a process as an emulator.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Identity {
    /// The emulator's name ("BlastEm"), or the executable's name when it is none that we know.
    pub name: String,
    /// The libretro core's file name, when there is one.
    pub core: Option<String>,
    /// The game file of the command line, when one is seen.
    pub content: Option<String>,
    /// Whether the name is that of an emulator that we know.
    pub known: bool,
    /// The Build-ID of the executable, in hex, when it has one.
    pub build_id: Option<String>,
}

/// Names an emulator.
#[must_use]
pub fn identify(info: &ProcessInfo, process: &Process) -> Identity {
    let _ = process;
    Identity { name: info.name.clone(), ..Identity::default() }
}

//! The search: identify, propose places, prove.

use super::{Identity, Outcome, Report};
use crate::process::{Pid, ProcessInfo};
use crate::profile::Profile;
use std::sync::Arc;
use std::time::Duration;

/// The processes that may be emulators, likely ones first: known emulators and libretro hosts, then programs
/// that could be one (a window, game-like files on the command line) only when `all` is set.
#[must_use]
pub fn likely(processes: Vec<ProcessInfo>, all: bool) -> Vec<ProcessInfo> {
    let _ = all;
    processes
}

/// Searches with what it remembers from earlier searches (places that proved right for a build).
#[derive(Debug, Default)]
pub struct Finder {}

impl Finder {
    /// Finds the console RAM of a process.
    pub fn find(&mut self, pid: Pid, profiles: &[Arc<Profile>]) -> Report {
        let _ = profiles;
        Report {
            pid,
            identity: Identity::default(),
            attempts: Vec::new(),
            outcome: Outcome::NotFound,
            elapsed: Duration::ZERO,
        }
    }
}

/// One search without memory of earlier ones.
#[must_use]
pub fn find(pid: Pid, profiles: &[Arc<Profile>]) -> Report {
    Finder::default().find(pid, profiles)
}

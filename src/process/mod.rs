//! Another process: list it, its memory regions, exact-length reads, why a read was refused.
//!
//! This is the only room in which operating systems differ, and nothing in it can write to,
//! stop or trace another process. It can start one.

#[cfg(target_os = "linux")]
mod facts;
mod identity;
mod launch;
mod list;
#[cfg(target_os = "linux")]
mod maps;
#[cfg(target_os = "linux")]
mod namespace;
mod read;
mod refusal;
mod regions;
#[cfg(target_os = "linux")]
mod rules;

pub use identity::Process;
pub use launch::{Launch, LaunchError, Launched};
pub use list::{ProcessInfo, ProcessList, can_list, list, process_info};
pub use read::ReadError;
pub use refusal::{Refusal, Remedy, Rule, quoted};
pub use regions::Region;

use std::fmt;

/// Why a program cannot be started in a user namespace of its own ([`Launch::in_namespace`]); None when it can. It is tried, which takes
/// some milliseconds.
#[must_use]
pub fn namespace_refusal() -> Option<String> {
    #[cfg(target_os = "linux")]
    return namespace::refusal();
    #[cfg(not(target_os = "linux"))]
    Some("only Linux has user namespaces".into())
}

/// An operating system's process number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Pid(pub u32);

impl fmt::Display for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An address in the memory of another process on this machine (never a console address).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct HostAddr(pub u64);

impl HostAddr {
    /// The address `bytes` further on, wrapping like the machine does.
    #[must_use]
    pub fn offset(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for HostAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:x}", self.0)
    }
}

impl fmt::Debug for HostAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

//! Other processes: listing them, their memory regions, exact-length reads, why a read was refused.
//!
//! Operating systems differ only in this module. Nothing in it can write to, stop or trace another process; it can start one.

#[cfg(target_os = "linux")]
mod facts;
mod handle;
mod launch;
mod list;
#[cfg(target_os = "linux")]
mod maps;
mod memory;
mod read;
mod refusal;
mod regions;
#[cfg(target_os = "linux")]
mod rules;
#[cfg(target_os = "linux")]
mod user_namespace;

pub use handle::Process;
pub use launch::{Launch, LaunchError, Launched};
pub use list::{ProcessInfo, ProcessList, can_list, list, process_info};
pub use memory::{ByteArray, Memory};
pub use read::ReadError;
pub use refusal::{Refusal, Remedy, Rule, shell_quote};
pub use regions::Region;

use std::fmt;

/// Why a program cannot be started in its own user namespace ([`Launch::in_namespace`]); None if it can. This tries it, which takes some
/// milliseconds.
#[must_use]
pub fn namespace_refusal() -> Option<String> {
    #[cfg(target_os = "linux")]
    return user_namespace::refusal();
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
    /// This address plus `bytes`, wrapping as the machine does.
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

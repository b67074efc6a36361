//! Other processes: listing them, their memory regions, exact-length reads, why a read was refused.
//!
//! Operating systems differ only in this module, each in one file or folder named `system` here. Nothing in it can write to, stop or trace
//! another process; it can start one.

mod handle;
mod launch;
mod list;
mod refusal;
mod regions;
#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(target_os = "windows", path = "windows.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "windows")), path = "macos.rs")]
mod system;
#[cfg(unix)]
mod unix;

pub use handle::Process;
pub use launch::{Launch, LaunchError, Launched};
pub use list::{ProcessInfo, ProcessList, can_list, list, process_info};
pub use nextscope_memory::{ByteArray, HostAddr, Memory, Pid, ReadError, Refusal, Remedy, Rule, shell_quote};
pub use refusal::diagnose;
pub use regions::Region;
pub use system::{FineTimers, detach, limit_own_heap};

/// Why a program cannot be started in its own user namespace ([`Launch::in_namespace`]); None if it can. This tries it, which takes some
/// milliseconds.
pub fn namespace_refusal() -> Option<String> {
    system::namespace_refusal()
}

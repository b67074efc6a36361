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
pub use nextscope_memory::{ByteArray, HostAddr, Memory, Pid, ReadError, Refusal, Remedy, Rule, shell_quote};
pub use refusal::diagnose;
pub use regions::Region;

/// Why a program cannot be started in its own user namespace ([`Launch::in_namespace`]); None if it can. This tries it, which takes some
/// milliseconds.
pub fn namespace_refusal() -> Option<String> {
    #[cfg(target_os = "linux")]
    return user_namespace::refusal();
    #[cfg(not(target_os = "linux"))]
    Some("only Linux has user namespaces".into())
}

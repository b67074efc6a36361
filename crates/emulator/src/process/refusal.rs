//! Explains why the system refused a read, with remedies.
//!
//! On Linux `facts` gathers the facts of the kernel's decision and `rules` repeats the decision.

#[cfg(not(any(target_os = "linux", target_os = "windows")))]
use super::shell_quote;
use super::{Pid, Refusal};
#[cfg(not(target_os = "linux"))]
use super::{Remedy, Rule};

/// The access that was refused. Linux requires less to list the regions of a process than to read its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Reading its memory: `process_vm_readv`, `PTRACE_MODE_ATTACH_REALCREDS`.
    Memory,
    /// Listing its regions: `/proc/PID/maps`, `PTRACE_MODE_READ_FSCREDS`, which Yama does not check.
    Regions,
}

/// Determines which rule refused reading the memory of `pid`. For a process that may be read the result is [`Rule::Unknown`](nextscope_memory::Rule::Unknown).
pub fn diagnose(pid: Pid) -> Refusal {
    of(pid, Access::Memory)
}

#[cfg(target_os = "linux")]
pub(super) fn of(pid: Pid, access: Access) -> Refusal {
    super::rules::judge(pid, access, &super::facts::AccessFacts::gather(pid))
}

/// Windows refuses `OpenProcess` if the target runs as another user, as administrator (higher integrity) or is a protected process; these
/// cases are not distinguished here.
#[cfg(target_os = "windows")]
pub(super) fn of(pid: Pid, _access: Access) -> Refusal {
    Refusal {
        pid,
        rule: Rule::Protected,
        evidence:
            "Windows denies access: it runs as administrator or as another user, and Nextscope does not"
                .into(),
        remedies: vec![
            Remedy::text(
                "Run both with the same rights: close the emulator and start it without `Run as administrator`",
            ),
            Remedy::text("Or start Nextscope with `Run as administrator` too"),
            Remedy::text(RETROARCH_SETTING),
        ],
    }
}

/// macOS allows `task_for_pid` to root, or to a signed debugger for programs that permit it.
#[cfg(not(any(target_os = "linux", target_os = "windows")))]
pub(super) fn of(pid: Pid, _access: Access) -> Refusal {
    let exe = std::env::current_exe()
        .map_or_else(|_| "nextscope".into(), |exe| shell_quote(&exe.to_string_lossy()));
    Refusal {
        pid,
        rule: Rule::SystemPolicy,
        evidence: "this system lets only root read the memory of other programs".into(),
        remedies: vec![
            Remedy::text(RETROARCH_SETTING),
            Remedy::command(
                "Run Nextscope as root (not enough for programs that Apple protects)",
                format!("sudo {exe}"),
            ),
        ],
    }
}

/// How to turn on RetroArch's network commands, which need no special rights.
pub(super) const RETROARCH_SETTING: &str = "If it is RetroArch, turn on Settings > Network > Network Commands; Nextscope then reads the RAM over the network";

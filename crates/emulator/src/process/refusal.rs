//! Explains why the system refused a read, with remedies.

use super::{Pid, ReadError, Refusal, system};

/// The access that was refused. Linux requires less to list the regions of a process than to read its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Reading its memory: `process_vm_readv`, `PTRACE_MODE_ATTACH_REALCREDS`.
    Memory,
    /// Listing its regions: `/proc/PID/maps`, `PTRACE_MODE_READ_FSCREDS`, which Yama does not check.
    Regions,
}

/// Determines which rule refused reading the memory of `pid`. For a process that may be read the result is
/// [`Rule::Unknown`](nextscope_memory::Rule::Unknown).
pub fn diagnose(pid: Pid) -> Refusal {
    system::refusal(pid, Access::Memory)
}

/// The error for a refusal. A process that is just ending may also refuse: that is [`ReadError::Gone`].
pub(super) fn refused(pid: Pid, access: Access) -> ReadError {
    if system::may_run(pid) {
        ReadError::Refused(Box::new(system::refusal(pid, access)))
    } else {
        ReadError::Gone { pid }
    }
}

/// How to turn on RetroArch's network commands, which need no special rights.
pub(super) const RETROARCH_SETTING: &str = "If it is RetroArch, turn on Settings > Network > Network Commands; Nextscope then reads the RAM over the network";

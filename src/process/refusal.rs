//! Why the system refused a read, in words a person can act on.

use super::Pid;
use std::fmt;

/// The rule that refuses.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Rule {
    /// Yama restricts reading to a process's own children (1), to privileged readers (2), or forbids it (3).
    PtraceScope {
        /// The value of `/proc/sys/kernel/yama/ptrace_scope`.
        value: u32,
    },
    /// The emulator runs as another user.
    OtherUser {
        /// Our user id.
        ours: String,
        /// Its user id.
        theirs: String,
    },
    /// We run in a container or sandbox that may not look at other processes.
    Container,
    /// The emulator has more rights than we have (file capabilities, set-user-id) or forbids being read.
    Protected,
    /// None of the rules that we know of.
    Unknown,
}

/// One way round a refusal.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remedy {
    /// What to do.
    pub text: String,
    /// The command to copy, when there is one.
    pub command: Option<String>,
}

/// A refused read: the rule, and what can be done.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Refusal {
    /// The process that may not be read.
    pub pid: Pid,
    /// The rule that refused.
    pub rule: Rule,
    /// The ways round it, best first.
    pub remedies: Vec<Remedy>,
}

impl Refusal {
    /// Finds out which rule refused reading `pid`.
    #[must_use]
    pub fn diagnose(pid: Pid) -> Self {
        Self { pid, rule: Rule::Unknown, remedies: Vec::new() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system refuses to let process {} be read", self.pid)
    }
}

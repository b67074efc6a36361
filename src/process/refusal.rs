//! Why the system refused a read, in words a person can act on.
//!
//! What a refusal looks like is settled here; on Linux `facts` gathers what the kernel's decision rests on
//! and `rules` repeats that decision.

use super::Pid;
use std::fmt;

/// The rule that refuses.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Rule {
    /// Yama restricts reading to a process's own descendants (1), to privileged readers (2), or forbids it (3).
    PtraceScope {
        /// The value of `/proc/sys/kernel/yama/ptrace_scope`.
        value: u32,
    },
    /// The emulator runs as another user, or as the same user with another group.
    OtherUser {
        /// Our user (and group, where that is the difference) as `name (number)`.
        ours: String,
        /// Its user (and group), written alike.
        theirs: String,
    },
    /// `/proc` hides processes that one may not read (`hidepid`).
    Hidden {
        /// The value of the mount option.
        value: String,
    },
    /// We run in a container or sandbox that may not look at other processes.
    Container,
    /// The emulator has more rights than we have (file capabilities, set-user-id) or forbids being read.
    Protected,
    /// The system lets nobody but the administrator read other programs (macOS).
    SystemPolicy,
    /// None of the rules that we know of.
    Unknown,
}

/// What was refused. Linux asks for less to show the regions of a process than to read its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Its memory: `process_vm_readv`, `PTRACE_MODE_ATTACH_REALCREDS`.
    Memory,
    /// `/proc/PID/maps`, `PTRACE_MODE_READ_FSCREDS`: Yama has no say in it.
    Regions,
}

/// One way round a refusal.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remedy {
    /// What to do.
    pub text: String,
    /// The command to copy, when there is one.
    pub command: Option<String>,
}

impl Remedy {
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), command: None }
    }

    #[cfg_attr(windows, allow(dead_code, reason = "no remedy there is a command"))]
    pub(super) fn command(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self { text: text.into(), command: Some(command.into()) }
    }
}

/// A refused read: the rule, and what can be done. As text it is one sentence, then a line for each remedy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Refusal {
    /// The process that may not be read.
    pub pid: Pid,
    /// The rule that refused.
    pub rule: Rule,
    /// The rule in words, with the values that were found: `kernel.yama.ptrace_scope is 1, so ...`.
    pub evidence: String,
    /// The ways round it, best first.
    pub remedies: Vec<Remedy>,
}

impl Refusal {
    /// Finds out which rule refused reading the memory of `pid`. Meant for a process that a read was
    /// refused for: of one that may be read it says [`Rule::Unknown`].
    #[must_use]
    pub fn diagnose(pid: Pid) -> Self {
        Self::of(pid, Access::Memory)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn of(pid: Pid, access: Access) -> Self {
        super::rules::judge(pid, access, &super::facts::Facts::gather(pid))
    }

    /// Windows refuses `OpenProcess` when the target runs as another user, as administrator (higher
    /// integrity) or is a protected process; which of these is not asked for here.
    #[cfg(target_os = "windows")]
    pub(super) fn of(pid: Pid, _access: Access) -> Self {
        Self {
            pid,
            rule: Rule::Protected,
            evidence:
                "Windows denies access: it runs as administrator or as another user, and Nextscope does not"
                    .into(),
            remedies: vec![
                Remedy::words(
                    "Start both alike: close the emulator and start it without `Run as administrator`",
                ),
                Remedy::words("Or start Nextscope with `Run as administrator` too"),
                Remedy::words(RETROARCH_SETTING),
            ],
        }
    }

    /// macOS gives `task_for_pid` to root, or to a signed debugger for programs that allow it.
    #[cfg(not(any(target_os = "linux", target_os = "windows")))]
    pub(super) fn of(pid: Pid, _access: Access) -> Self {
        let exe =
            std::env::current_exe().map_or_else(|_| "nextscope".into(), |exe| quoted(&exe.to_string_lossy()));
        Self {
            pid,
            rule: Rule::SystemPolicy,
            evidence: "this system lets only root read the memory of other programs".into(),
            remedies: vec![
                Remedy::words(RETROARCH_SETTING),
                Remedy::command(
                    "Run Nextscope as root (not enough for programs that Apple protects)",
                    format!("sudo {exe}"),
                ),
            ],
        }
    }
}

/// How to switch on RetroArch's network commands, which need no right at all.
pub(super) const RETROARCH_SETTING: &str =
    "If it is RetroArch, switch on Settings > Network > Network Commands; Nextscope then asks it for the RAM";

/// `word` as one word of a shell command.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} cannot be read: {}", self.pid, self.evidence)?;
        for Remedy { text, command } in &self.remedies {
            match command {
                Some(command) => write!(f, "\n  - {text}: {command}")?,
                None => write!(f, "\n  - {text}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_where_the_shell_needs_it() {
        assert_eq!(quoted("/usr/bin/nextscope"), "/usr/bin/nextscope");
        assert_eq!(quoted("/home/a b/next scope"), "'/home/a b/next scope'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(reboot)"), "'$(reboot)'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn the_text_is_a_sentence_and_a_line_for_each_remedy() {
        let refusal = Refusal {
            pid: Pid(42),
            rule: Rule::Unknown,
            evidence: "no rule is known".into(),
            remedies: vec![Remedy::words("Wait"), Remedy::command("Look", "dmesg")],
        };
        assert_eq!(
            refusal.to_string(),
            "process 42 cannot be read: no rule is known\n  - Wait\n  - Look: dmesg"
        );
    }
}

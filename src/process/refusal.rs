//! Explains why the system refused a read, with remedies.
//!
//! On Linux `facts` gathers the facts of the kernel's decision and `rules` repeats the decision.

use super::Pid;
use std::fmt;

/// The rule that refused a read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Rule {
    /// Yama restricts reading to descendants (1), to privileged readers (2), or forbids it (3).
    PtraceScope {
        /// The value of `/proc/sys/kernel/yama/ptrace_scope`.
        value: u32,
    },
    /// The emulator runs as another user, or as the same user with another group.
    OtherUser {
        /// Our user (and group, if that is the difference) as `name (number)`.
        ours: String,
        /// Its user (and group), in the same form.
        theirs: String,
    },
    /// `/proc` hides processes of other users (`hidepid`).
    Hidden {
        /// The value of the mount option.
        value: String,
    },
    /// Nextscope runs in a container or sandbox that may not read other processes.
    Container,
    /// The emulator has more rights than Nextscope (file capabilities, set-user-id) or forbids being read.
    Protected,
    /// The system lets only the administrator read other programs (macOS).
    SystemPolicy,
    /// No known rule.
    Unknown,
}

/// The access that was refused. Linux requires less to list the regions of a process than to read its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Reading its memory: `process_vm_readv`, `PTRACE_MODE_ATTACH_REALCREDS`.
    Memory,
    /// Listing its regions: `/proc/PID/maps`, `PTRACE_MODE_READ_FSCREDS`, which Yama does not check.
    Regions,
}

/// A way to make a refused read possible.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Remedy {
    /// What to do.
    pub text: String,
    /// The command to copy, if there is one.
    pub command: Option<String>,
}

impl Remedy {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), command: None }
    }

    #[cfg_attr(windows, allow(dead_code, reason = "no remedy on Windows is a command"))]
    pub(super) fn command(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self { text: text.into(), command: Some(command.into()) }
    }
}

/// A refused read: the rule and the remedies. `Display` writes a sentence and a line for each remedy.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Refusal {
    /// The process.
    pub pid: Pid,
    /// The rule that refused.
    pub rule: Rule,
    /// The rule in words, with the values found: `kernel.yama.ptrace_scope is 1, so ...`.
    pub evidence: String,
    /// The remedies, best first.
    pub remedies: Vec<Remedy>,
}

impl Refusal {
    /// Determines which rule refused reading the memory of `pid`. For a process that may be read the result is [`Rule::Unknown`].
    #[must_use]
    pub fn diagnose(pid: Pid) -> Self {
        Self::of(pid, Access::Memory)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn of(pid: Pid, access: Access) -> Self {
        super::rules::judge(pid, access, &super::facts::AccessFacts::gather(pid))
    }

    /// Windows refuses `OpenProcess` if the target runs as another user, as administrator (higher integrity) or is a protected process; these
    /// cases are not distinguished here.
    #[cfg(target_os = "windows")]
    pub(super) fn of(pid: Pid, _access: Access) -> Self {
        Self {
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
    pub(super) fn of(pid: Pid, _access: Access) -> Self {
        let exe = std::env::current_exe()
            .map_or_else(|_| "nextscope".into(), |exe| shell_quote(&exe.to_string_lossy()));
        Self {
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
}

/// How to turn on RetroArch's network commands, which need no special rights.
pub(super) const RETROARCH_SETTING: &str = "If it is RetroArch, turn on Settings > Network > Network Commands; Nextscope then reads the RAM over the network";

/// Quotes a word for a shell command.
#[must_use]
pub fn shell_quote(word: &str) -> String {
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
    fn a_word_is_quoted_only_if_the_shell_requires_it() {
        assert_eq!(shell_quote("/usr/bin/nextscope"), "/usr/bin/nextscope");
        assert_eq!(shell_quote("/home/a b/next scope"), "'/home/a b/next scope'");
        assert_eq!(shell_quote("it's"), r"'it'\''s'");
        assert_eq!(shell_quote("$(reboot)"), "'$(reboot)'");
        assert_eq!(shell_quote(""), "''");
    }

    #[test]
    fn display_writes_a_sentence_and_a_line_for_each_remedy() {
        let refusal = Refusal {
            pid: Pid(42),
            rule: Rule::Unknown,
            evidence: "no rule is known".into(),
            remedies: vec![Remedy::text("Wait"), Remedy::command("Look", "dmesg")],
        };
        assert_eq!(
            refusal.to_string(),
            "process 42 cannot be read: no rule is known\n  - Wait\n  - Look: dmesg"
        );
    }
}

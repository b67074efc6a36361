//! A read that the system refused: the rule, and the remedies.

use crate::Pid;
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
    /// The emulator runs as administrator, and Nextscope does not (Windows).
    Elevated,
    /// Nextscope runs in a container or sandbox that may not read other processes.
    Container,
    /// The emulator has more rights than Nextscope (file capabilities, set-user-id) or forbids being read.
    Protected,
    /// The system lets only the administrator read other programs (macOS).
    SystemPolicy,
    /// No known rule.
    Unknown,
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
    /// An instruction.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), command: None }
    }

    /// An instruction with a command to copy.
    pub fn command(text: impl Into<String>, command: impl Into<String>) -> Self {
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

/// Quotes a word for a shell command.
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

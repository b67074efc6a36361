//! An emulator that was started, through whatever wrappers: which of the processes it is, and how it ended.

use crate::emulator::most_likely;
use crate::process::{Launch, LaunchError, Launched, Pid, ProcessInfo, list};
use std::time::{Duration, Instant};

/// How often the processes are listed. A wrapper has started the emulator soon after.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The same, once the emulator is known: it may still be replaced by another one.
const GLANCE_EVERY: Duration = Duration::from_secs(1);

/// What has become of a started emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// This process is the emulator, until there is other news.
    Runs(Pid),
    /// It has ended, and everything that it had started.
    Ended {
        /// How long it ran.
        after: Duration,
        /// Its status in words, where that is known.
        status: Option<String>,
        /// The last lines that it said.
        last_words: Vec<String>,
    },
}

/// What was started.
#[derive(Debug)]
pub struct Started {
    program: String,
    launched: Launched,
    emulator: Option<Pid>,
    looked: Option<Instant>,
    over: bool,
    /// It ends when this is dropped: nobody follows it yet.
    ends: bool,
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.ends {
            tracing::info!("ended {} (process {})", self.program, self.pid());
            self.launched.end();
        }
    }
}

impl Started {
    /// Starts an emulator. Until [`Self::keep`] it ends when this is dropped, so that a failure leaves none behind.
    ///
    /// # Errors
    /// See [`LaunchError`].
    pub fn start(launch: &Launch) -> Result<Self, LaunchError> {
        let launched = Launched::start(launch)?;
        let program = launch.command.first().map(|program| program.to_string_lossy().into_owned());
        let program = program.unwrap_or_default();
        tracing::info!("started {program} (process {}); it goes on when Nextscope ends", launched.pid());
        Ok(Self { program, launched, emulator: None, looked: None, over: false, ends: true })
    }

    /// From now on it goes on when this is dropped, and when this program ends.
    pub fn keep(&mut self) {
        self.ends = false;
    }

    /// The program that was started.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The process that was started.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.launched.pid()
    }

    /// The process of the emulator, as far as it is known yet.
    #[must_use]
    pub fn emulator(&self) -> Option<Pid> {
        self.emulator
    }

    /// Whether it has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// What is new since the last call. Quick most of the time, so that it can be called with every frame; the processes are listed now
    /// and then.
    pub fn news(&mut self) -> Option<News> {
        let every = if self.emulator.is_some() { GLANCE_EVERY } else { LOOK_EVERY };
        let ended = self.launched.ended();
        // When what was started has ended, somebody else may have become the emulator: that is looked at at once.
        let due = self.looked.is_none_or(|at| at.elapsed() >= every)
            || (ended.is_some() && self.emulator == Some(self.launched.pid()));
        if self.over || !due {
            return None;
        }
        self.looked = Some(Instant::now());
        self.look(&list())
    }

    fn look(&mut self, processes: &[ProcessInfo]) -> Option<News> {
        let family = self.launched.family(processes);
        if let Some(pid) = self.emulator
            && family.iter().any(|info| info.pid == pid)
            && most_likely(&family) == Some(pid)
        {
            return None;
        }
        if let Some(pid) = most_likely(&family) {
            self.emulator = Some(pid);
            return Some(News::Runs(pid));
        }
        self.emulator = None;
        let status = self.launched.ended()?;
        if !family.is_empty() {
            return None; // a launcher's helper is left, which may start it yet
        }
        self.over = true;
        Some(News::Ended {
            after: self.launched.started().elapsed(),
            status: (!status.success()).then(|| status.to_string()),
            last_words: self.launched.last_words(),
        })
    }
}

impl News {
    /// What became of `program`, in a sentence, and its last words when it failed.
    #[must_use]
    pub fn said(&self, program: &str) -> String {
        match self {
            Self::Runs(pid) => format!("{program} runs as process {pid}"),
            Self::Ended { after, status, last_words } => {
                let how = status.as_ref().map_or_else(String::new, |status| format!(" ({status})"));
                let mut text = format!("{program} ended after {:.1} s{how}", after.as_secs_f64());
                if last_words.is_empty() {
                    text.push_str("; it said nothing");
                } else {
                    text.push_str("; the last that it said:");
                    last_words.iter().for_each(|line| text.push_str(&format!("\n  {line}")));
                }
                text
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::expect_used, reason = "a test may panic")]

    use super::*;

    #[expect(clippy::expect_used, reason = "a helper of tests")]
    fn started(script: &str) -> Started {
        let command = ["/bin/sh", "-c", script].map(Into::into).to_vec();
        Started::start(&Launch { command, ..Launch::default() }).expect("a shell")
    }

    fn news(started: &mut Started) -> News {
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            if let Some(news) = started.news() {
                return news;
            }
            assert!(Instant::now() < deadline, "no news");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_shell_is_a_wrapper_and_what_it_starts_is_the_emulator() {
        let folder = tempfile::tempdir().expect("a folder");
        let emulator = folder.path().join("blastem");
        std::fs::copy("/bin/sleep", &emulator).expect("a program");
        let mut wrapped = started(&format!("sh -c '{} 60; true'; true", emulator.display()));
        let News::Runs(pid) = news(&mut wrapped) else { panic!("it runs") };
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).expect("it runs");
        assert_eq!(name.trim_end(), "blastem");
        let raw = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
        nix::sys::signal::kill(raw, nix::sys::signal::Signal::SIGTERM).expect("it is ours");
        let ended = news(&mut wrapped);
        assert!(matches!(&ended, News::Ended { status: None, .. }), "the outer shell ends well: {ended:?}");
        assert!(wrapped.is_over() && wrapped.emulator().is_none());
    }

    #[test]
    fn what_nobody_follows_yet_ends_with_it() {
        let runs = |pid: Pid| std::path::Path::new(&format!("/proc/{pid}")).exists();
        let begun = started("sleep 600; true");
        let pid = begun.pid();
        assert!(runs(pid));
        drop(begun);
        assert!(!runs(pid), "it was ended and reaped");
        let mut kept = started("sleep 600; true");
        kept.keep();
        let pid = kept.pid();
        drop(kept);
        assert!(runs(pid), "it goes on");
        let group = nix::unistd::Pid::from_raw(i32::try_from(pid.0).expect("a process number"));
        nix::sys::signal::killpg(group, nix::sys::signal::Signal::SIGKILL).expect("it is ours");
    }

    #[test]
    fn what_fails_is_told_with_its_last_words() {
        let mut failed = started("echo no such game >&2; exit 2");
        let ended = news(&mut failed);
        let said = ended.said("emulator");
        assert!(said.starts_with("emulator ended after ") && said.contains("exit status: 2"), "{said}");
        assert!(said.ends_with("\n  no such game"), "{said}");
    }
}

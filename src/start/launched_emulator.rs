//! An emulator launched directly or through wrappers: which process of the tree it is, and how it ended.

use crate::emulator::most_likely_emulator;
use crate::process::{Launch, LaunchError, Launched, Pid, ProcessInfo, list};
use std::time::{Duration, Instant};

/// How often processes are listed until the emulator is known.
const SEARCH_INTERVAL: Duration = Duration::from_millis(100);
/// How often processes are listed once the emulator is known: it may still be replaced by another process.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A change in a launched emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchEvent {
    /// This process is the emulator, until the next event.
    Runs(Pid),
    /// It has ended, with all processes it started.
    Ended {
        /// How long it ran.
        after: Duration,
        /// Its exit status in words, unless it was a success.
        status: Option<String>,
        /// The last lines of its output.
        last_output: Vec<String>,
    },
}

/// A launched emulator.
#[derive(Debug)]
pub struct LaunchedEmulator {
    program: String,
    launched: Launched,
    emulator: Option<Pid>,
    listed_at: Option<Instant>,
    ended: bool,
    /// Whether it is killed when this is dropped, because nothing follows it yet.
    kill_on_drop: bool,
}

impl Drop for LaunchedEmulator {
    fn drop(&mut self) {
        if self.kill_on_drop {
            tracing::info!("killed {} (process {})", self.program, self.pid());
            self.launched.kill();
        }
    }
}

impl LaunchedEmulator {
    /// Launches an emulator. Until [`Self::detach`] is called it is killed when this is dropped, so that a failure leaves no process behind.
    pub fn start(launch: &Launch) -> Result<Self, LaunchError> {
        let launched = Launched::start(launch)?;
        let program = launch.command.first().map(|program| program.to_string_lossy().into_owned());
        let program = program.unwrap_or_default();
        tracing::info!(
            "started {program} (process {}); it keeps running when Nextscope ends",
            launched.pid()
        );
        Ok(Self { program, launched, emulator: None, listed_at: None, ended: false, kill_on_drop: true })
    }

    /// Lets it keep running when this is dropped and when this program ends.
    pub fn detach(&mut self) {
        self.kill_on_drop = false;
    }

    /// The program that was launched.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The process that was launched.
    pub fn pid(&self) -> Pid {
        self.launched.pid()
    }

    /// The emulator's process, once it is known.
    pub fn emulator(&self) -> Option<Pid> {
        self.emulator
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The event since the last call, if any. Usually fast, so that it can be called every frame; processes are listed at intervals.
    pub fn poll(&mut self) -> Option<LaunchEvent> {
        let every = if self.emulator.is_some() { CHECK_INTERVAL } else { SEARCH_INTERVAL };
        let exit = self.launched.exit_status();
        // When the launched process ends, another one may have become the emulator: list at once.
        let due = self.listed_at.is_none_or(|at| at.elapsed() >= every)
            || (exit.is_some() && self.emulator == Some(self.launched.pid()));
        if self.ended || !due {
            return None;
        }
        self.listed_at = Some(Instant::now());
        self.update(&list())
    }

    fn update(&mut self, processes: &[ProcessInfo]) -> Option<LaunchEvent> {
        let tree = self.launched.process_tree(processes);
        if let Some(pid) = self.emulator
            && tree.iter().any(|info| info.pid == pid)
            && most_likely_emulator(&tree) == Some(pid)
        {
            return None;
        }
        if let Some(pid) = most_likely_emulator(&tree) {
            self.emulator = Some(pid);
            return Some(LaunchEvent::Runs(pid));
        }
        self.emulator = None;
        let status = self.launched.exit_status()?;
        if !tree.is_empty() {
            return None; // a launcher's helper still runs and may start the emulator
        }
        self.ended = true;
        Some(LaunchEvent::Ended {
            after: self.launched.started().elapsed(),
            status: (!status.success()).then(|| status.to_string()),
            last_output: self.launched.last_output(),
        })
    }
}

impl LaunchEvent {
    /// A sentence about `program`, followed by the last lines of its output if it failed.
    pub fn describe(&self, program: &str) -> String {
        match self {
            Self::Runs(pid) => format!("{program} runs as process {pid}"),
            Self::Ended { after, status, last_output } => {
                let how = status.as_ref().map_or_else(String::new, |status| format!(" ({status})"));
                let mut text = format!("{program} ended after {:.1} s{how}", after.as_secs_f64());
                if last_output.is_empty() {
                    text.push_str("; it printed nothing");
                } else {
                    text.push_str("; its last output:");
                    last_output.iter().for_each(|line| text.push_str(&format!("\n  {line}")));
                }
                text
            }
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "launched_emulator_tests.rs"]
mod tests;

//! Launches another program so that its memory may be read: a process may read its descendants even if reading is restricted (Yama's
//! `ptrace_scope` 1), and processes in a user namespace that it created (1 and 2).
//!
//! A launched program keeps running when this program ends: it has its own process group, so that Ctrl+C in our terminal does not reach
//! it, and its output goes to a file instead of a pipe that would break.

use super::{Pid, ProcessInfo, system};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

/// The output file is truncated above this length.
const MAX_OUTPUT: u64 = 1 << 20;
/// The most bytes and lines of output that are shown.
const SHOWN: u64 = 4096;
const LINES: usize = 8;

/// A program to launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Its working directory; None for ours.
    pub folder: Option<PathBuf>,
    /// Whether it runs in its own user namespace, over which we have all rights.
    pub in_namespace: bool,
}

/// Why a program was not launched.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LaunchError {
    #[error("no program to start: give one, with its game file")]
    Nothing,
    #[error("{program} cannot be started: {error}{}", hint(.error))]
    Start { program: String, error: std::io::Error },
    #[error("{program} cannot be started in its own user namespace: {why}")]
    Namespace { program: String, why: String },
}

fn hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "; give its full path, or install it in a directory of PATH",
        std::io::ErrorKind::PermissionDenied if cfg!(unix) => "; make the file executable: chmod +x",
        _ => "",
    }
}

/// A launched program with its process tree.
#[derive(Debug)]
pub struct Launched {
    child: Child,
    output: File,
    started: Instant,
    status: Option<ExitStatus>,
    family: system::Family,
}

impl Launched {
    /// Launches a program.
    pub fn start(launch: &Launch) -> Result<Self, LaunchError> {
        let (program, arguments) = launch.command.split_first().ok_or(LaunchError::Nothing)?;
        let failed = |error| LaunchError::Start { program: program.to_string_lossy().into_owned(), error };
        let output = output_file().map_err(failed)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        command.stdout(output.try_clone().map_err(failed)?).stderr(output.try_clone().map_err(failed)?);
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        system::prepare(&mut command, launch);
        let family = system::Family::new();
        let child = command.spawn().map_err(|error| {
            match launch.in_namespace.then(system::namespace_refusal).flatten() {
                Some(why) => LaunchError::Namespace { program: program.to_string_lossy().into_owned(), why },
                None => failed(error),
            }
        })?;
        Ok(Self { child, output, started: Instant::now(), status: None, family })
    }

    /// The process that was started. The emulator may be another process of the tree: see [`Self::process_tree`].
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// When it was started.
    pub fn started(&self) -> Instant {
        self.started
    }

    /// The processes of `processes` that belong to this launch: the one that was started and its descendants, including orphans. Also
    /// reaps ended members, so it must be called from time to time.
    pub fn process_tree(&mut self, processes: &[ProcessInfo]) -> Vec<ProcessInfo> {
        self.truncate_output();
        self.poll();
        self.family.update(self.pid(), self.status.is_some(), processes)
    }

    /// Kills it and what it started.
    pub fn kill(&mut self) {
        if self.exit_status().is_some() {
            return;
        }
        self.family.kill(&self.child);
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn poll(&mut self) {
        if self.status.is_none() {
            self.status = self.child.try_wait().ok().flatten();
        }
    }

    /// The exit status of the process that was started; None while it runs. Its descendants may still be running.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.poll();
        self.status
    }

    /// The last lines of output of it and its descendants.
    pub fn last_output(&self) -> Vec<String> {
        let mut file = &self.output;
        let read = || -> std::io::Result<Vec<u8>> {
            let end = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(end.saturating_sub(SHOWN)))?;
            let mut output = Vec::new();
            file.take(SHOWN).read_to_end(&mut output)?;
            Ok(output)
        };
        let output = { read }().unwrap_or_default();
        let output = String::from_utf8_lossy(&output);
        let plain = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
        let lines: Vec<String> = output.lines().map(plain).filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].to_vec()
    }

    /// Keeps a verbose program from filling the disk. The file is opened for appending, so output continues at the new end.
    fn truncate_output(&self) {
        if self.output.metadata().is_ok_and(|file| file.len() > MAX_OUTPUT)
            && let Err(error) = self.output.set_len(0)
        {
            tracing::debug!("its output cannot be truncated: {error}");
        }
    }
}

/// An unnamed file, which is deleted when it is closed.
fn output_file() -> std::io::Result<File> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("nextscope-{}-{number}.log", std::process::id()));
    // A file left by an earlier process with the same number.
    let _ = std::fs::remove_file(&path);
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    #[cfg(unix)]
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(all(test, target_os = "linux"))]
#[path = "launch_tests.rs"]
mod tests;

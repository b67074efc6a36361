//! Launches another program so that its memory may be read: a process may read its descendants even if reading is restricted (Yama's
//! `ptrace_scope` 1), and processes in a user namespace that it created (1 and 2).
//!
//! A launched program keeps running when this program ends: it has its own process group, so that Ctrl+C in our terminal does not reach
//! it, and its output goes to a file instead of a pipe that would break.

use super::{Pid, ProcessInfo};
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
        std::io::ErrorKind::PermissionDenied => "; make the file executable: chmod +x",
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
    /// The processes that belong to it.
    #[cfg(target_os = "linux")]
    members: std::collections::BTreeSet<Pid>,
    #[cfg(target_os = "linux")]
    _subreaper: SubreaperGuard,
}

/// While one of these exists, orphaned processes of a launcher become our children and can still be read.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct SubreaperGuard;

/// The number of guards.
#[cfg(target_os = "linux")]
static SUBREAPERS: std::sync::Mutex<usize> = std::sync::Mutex::new(0);

#[cfg(target_os = "linux")]
impl SubreaperGuard {
    fn new() -> Self {
        let mut count = SUBREAPERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *count += 1;
        if let Err(error) = nix::sys::prctl::set_child_subreaper(true) {
            tracing::warn!("orphaned processes of a launcher may not be readable: {error}");
        }
        Self
    }
}

#[cfg(target_os = "linux")]
impl Drop for SubreaperGuard {
    fn drop(&mut self) {
        let mut count = SUBREAPERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *count -= 1;
        if *count == 0
            && let Err(error) = nix::sys::prctl::set_child_subreaper(false)
        {
            tracing::warn!("this process stays the parent of orphaned processes: {error}");
        }
    }
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
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        #[cfg(target_os = "linux")]
        {
            if launch.in_namespace {
                super::user_namespace::enter(&mut command);
            }
        }
        #[cfg(target_os = "linux")]
        let subreaper = SubreaperGuard::new();
        let child = match command.spawn() {
            Ok(child) => child,
            #[cfg(target_os = "linux")]
            Err(_) if launch.in_namespace && super::user_namespace::refusal().is_some() => {
                let why = super::user_namespace::refusal().unwrap_or_default();
                let program = program.to_string_lossy().into_owned();
                return Err(LaunchError::Namespace { program, why });
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            child,
            output,
            started: Instant::now(),
            status: None,
            #[cfg(target_os = "linux")]
            members: std::collections::BTreeSet::new(),
            #[cfg(target_os = "linux")]
            _subreaper: subreaper,
        })
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
    #[cfg(target_os = "linux")]
    pub fn process_tree(&mut self, processes: &[ProcessInfo]) -> Vec<ProcessInfo> {
        let ourselves = Pid(std::process::id());
        self.truncate_output();
        let group = self.pid();
        for info in processes {
            let Some(stat) = Stat::of(info.pid) else { continue };
            let child = stat.parent == self.pid() || self.members.contains(&stat.parent);
            // An orphan that became our child before it was listed: it still has the launched process group.
            let adopted = stat.parent == ourselves && stat.group == group;
            if info.pid == self.pid() || child || adopted {
                self.members.insert(info.pid);
            }
        }
        self.reap(ourselves);
        let gone = self.status.is_some().then(|| self.pid());
        let belongs = |info: &&ProcessInfo| Some(info.pid) != gone && self.members.contains(&info.pid);
        let tree: Vec<ProcessInfo> = processes.iter().filter(belongs).cloned().collect();
        self.members.retain(|pid| Stat::of(*pid).is_some());
        tree
    }

    /// The launched process while it runs: descendants are known on Linux only.
    #[cfg(not(target_os = "linux"))]
    pub fn process_tree(&mut self, processes: &[ProcessInfo]) -> Vec<ProcessInfo> {
        self.truncate_output();
        self.poll();
        let pid = self.pid();
        let alive = self.status.is_none();
        processes.iter().filter(|info| alive && info.pid == pid).cloned().collect()
    }

    /// Reaps ended members, so that they do not remain as zombies.
    #[cfg(target_os = "linux")]
    fn reap(&mut self, ourselves: Pid) {
        use nix::sys::wait::{WaitPidFlag, waitpid};
        self.poll();
        let first = self.pid();
        for pid in self.members.iter().filter(|pid| **pid != first) {
            let ours = Stat::of(*pid).is_some_and(|stat| stat.parent == ourselves && stat.state == b'Z');
            if let (true, Ok(raw)) = (ours, i32::try_from(pid.0)) {
                // The result does not matter: the process has ended.
                let _ = waitpid(nix::unistd::Pid::from_raw(raw), Some(WaitPidFlag::WNOHANG));
            }
        }
    }

    /// Kills it and all of its process group.
    pub fn kill(&mut self) {
        if self.exit_status().is_some() {
            return;
        }
        #[cfg(target_os = "linux")]
        if let Ok(group) = i32::try_from(self.child.id()) {
            // The group may have ended already.
            let _ = nix::sys::signal::killpg(
                nix::unistd::Pid::from_raw(group),
                nix::sys::signal::Signal::SIGKILL,
            );
        }
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

/// Fields of `/proc/PID/stat` (proc(5)).
#[cfg(target_os = "linux")]
struct Stat {
    state: u8,
    parent: Pid,
    group: Pid,
}

#[cfg(target_os = "linux")]
impl Stat {
    fn of(pid: Pid) -> Option<Self> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name is in parentheses and may contain parentheses itself.
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.bytes().next()?;
        let mut number = || fields.next()?.parse().ok().map(Pid);
        Some(Self { state, parent: number()?, group: number()? })
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "launch_tests.rs"]
mod tests;

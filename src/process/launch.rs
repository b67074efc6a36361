//! Starting another program, so that its memory may be read: a program may read what it has started, also where reading is restricted
//! (Yama's `ptrace_scope` 1), and what runs in a user namespace of its own that belongs to us (1 and 2).
//!
//! What is started goes on by itself: it has a process group of its own, so that Ctrl+C in our terminal does not reach it, its
//! output goes to a file and not to a pipe that would break, and nothing ends it when this program ends.

use super::{Pid, ProcessInfo};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

/// Of what it says, so many bytes are kept, and so many shown.
const KEPT: u64 = 1 << 20;
const SHOWN: u64 = 4096;
/// Lines shown of it.
const LINES: usize = 8;

/// What is to be started, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The folder in which it starts; None is ours.
    pub folder: Option<PathBuf>,
    /// In a user namespace of its own, over which we have all rights.
    pub in_namespace: bool,
}

/// Why nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No program was named.
    #[error("there is no program to start: name one, with its game file")]
    Nothing,
    /// The system could not start it.
    #[error("{program} cannot be started: {error}{}", hint(.error))]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The kernel gives no user namespace.
    #[error("{program} cannot be started in a user namespace of its own: {why}")]
    Namespace {
        /// The program.
        program: String,
        /// Which setting forbids it, with its value.
        why: String,
    },
}

fn hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "; give its whole path, or install it where PATH leads",
        std::io::ErrorKind::PermissionDenied => "; make the file executable: chmod +x",
        _ => "",
    }
}

/// A program that was started, with whatever it has started itself.
#[derive(Debug)]
pub struct Launched {
    child: Child,
    output: File,
    started: Instant,
    ended: Option<ExitStatus>,
    /// Processes seen to belong to it.
    #[cfg(target_os = "linux")]
    seen: std::collections::BTreeSet<Pid>,
    #[cfg(target_os = "linux")]
    _adopts: Adopts,
}

/// As long as one of these lives, what a launcher leaves behind when it ends becomes ours, and so may still be read.
#[cfg(target_os = "linux")]
#[derive(Debug)]
struct Adopts;

/// How many of them live.
#[cfg(target_os = "linux")]
static ADOPTING: std::sync::Mutex<usize> = std::sync::Mutex::new(0);

#[cfg(target_os = "linux")]
impl Adopts {
    fn begin() -> Self {
        let mut adopting = ADOPTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *adopting += 1;
        if let Err(error) = nix::sys::prctl::set_child_subreaper(true) {
            tracing::warn!("what a launcher leaves behind may not be readable: {error}");
        }
        Self
    }
}

#[cfg(target_os = "linux")]
impl Drop for Adopts {
    fn drop(&mut self) {
        let mut adopting = ADOPTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *adopting -= 1;
        if *adopting == 0
            && let Err(error) = nix::sys::prctl::set_child_subreaper(false)
        {
            tracing::warn!("orphaned processes are still adopted: {error}");
        }
    }
}

impl Launched {
    /// Starts it.
    ///
    /// # Errors
    /// See [`LaunchError`].
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
                super::namespace::enter(&mut command);
            }
        }
        #[cfg(target_os = "linux")]
        let adopts = Adopts::begin();
        let child = match command.spawn() {
            Ok(child) => child,
            #[cfg(target_os = "linux")]
            Err(_) if launch.in_namespace && super::namespace::refusal().is_some() => {
                let why = super::namespace::refusal().unwrap_or_default();
                let program = program.to_string_lossy().into_owned();
                return Err(LaunchError::Namespace { program, why });
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            child,
            output,
            started: Instant::now(),
            ended: None,
            #[cfg(target_os = "linux")]
            seen: std::collections::BTreeSet::new(),
            #[cfg(target_os = "linux")]
            _adopts: adopts,
        })
    }

    /// The process that was started. The emulator may be another one: see [`Self::family`].
    #[must_use]
    pub fn pid(&self) -> Pid {
        Pid(self.child.id())
    }

    /// When it was started.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.started
    }

    /// Of `processes`, those that it is: the one that was started, what that has started, and what is left of them when some have
    /// ended. What has ended is reaped here: call it now and then.
    #[cfg(target_os = "linux")]
    pub fn family(&mut self, processes: &[ProcessInfo]) -> Vec<ProcessInfo> {
        let ourselves = Pid(std::process::id());
        self.bound_output();
        let group = self.pid();
        for info in processes {
            let Some(stat) = Stat::of(info.pid) else { continue };
            let child = stat.parent == self.pid() || self.seen.contains(&stat.parent);
            // Left behind and given to us before we had seen it: it still has the group that we gave.
            let adopted = stat.parent == ourselves && stat.group == group;
            if info.pid == self.pid() || child || adopted {
                self.seen.insert(info.pid);
            }
        }
        self.reap(ourselves);
        let gone = self.ended.is_some().then(|| self.pid());
        let belongs = |info: &&ProcessInfo| Some(info.pid) != gone && self.seen.contains(&info.pid);
        let family: Vec<ProcessInfo> = processes.iter().filter(belongs).cloned().collect();
        self.seen.retain(|pid| Stat::of(*pid).is_some());
        family
    }

    /// The process itself, as long as it runs: only Linux tells what a process has started.
    #[cfg(not(target_os = "linux"))]
    pub fn family(&mut self, processes: &[ProcessInfo]) -> Vec<ProcessInfo> {
        self.bound_output();
        self.look();
        let pid = self.pid();
        let alive = self.ended.is_none();
        processes.iter().filter(|info| alive && info.pid == pid).cloned().collect()
    }

    /// Takes leave of members that ended, so that they do not stay behind as zombies.
    #[cfg(target_os = "linux")]
    fn reap(&mut self, ourselves: Pid) {
        use nix::sys::wait::{WaitPidFlag, waitpid};
        self.look();
        let first = self.pid();
        for pid in self.seen.iter().filter(|pid| **pid != first) {
            let ours = Stat::of(*pid).is_some_and(|stat| stat.parent == ourselves && stat.state == b'Z');
            if let (true, Ok(raw)) = (ours, i32::try_from(pid.0)) {
                // Whatever it answers, the process is none that runs.
                let _ = waitpid(nix::unistd::Pid::from_raw(raw), Some(WaitPidFlag::WNOHANG));
            }
        }
    }

    /// Ends it, with all that it has started in its process group.
    pub fn end(&mut self) {
        if self.ended().is_some() {
            return;
        }
        #[cfg(target_os = "linux")]
        if let Ok(group) = i32::try_from(self.child.id()) {
            // A group that is gone needs no ending.
            let _ = nix::sys::signal::killpg(
                nix::unistd::Pid::from_raw(group),
                nix::sys::signal::Signal::SIGKILL,
            );
        }
        // The same: it may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn look(&mut self) {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().ok().flatten();
        }
    }

    /// How the process that was started ended; None while it runs. What it has started may go on.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.look();
        self.ended
    }

    /// The last lines that it said, with what it has started.
    #[must_use]
    pub fn last_words(&self) -> Vec<String> {
        let mut file = &self.output;
        let read = || -> std::io::Result<Vec<u8>> {
            let end = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(end.saturating_sub(SHOWN)))?;
            let mut said = Vec::new();
            file.take(SHOWN).read_to_end(&mut said)?;
            Ok(said)
        };
        let said = { read }().unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let plain = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
        let lines: Vec<String> = said.lines().map(plain).filter(|line| !line.trim().is_empty()).collect();
        lines[lines.len().saturating_sub(LINES)..].to_vec()
    }

    /// A program that never stops talking must not fill the disk while we look on. It writes at the end, wherever that is.
    fn bound_output(&self) {
        if self.output.metadata().is_ok_and(|file| file.len() > KEPT)
            && let Err(error) = self.output.set_len(0)
        {
            tracing::debug!("its output cannot be cut: {error}");
        }
    }
}

/// A file without a name: it is gone when nobody has it open any more.
fn output_file() -> std::io::Result<File> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("nextscope-{}-{number}.log", std::process::id()));
    // A file of an earlier process with our number.
    let _ = std::fs::remove_file(&path);
    let file = File::options().read(true).append(true).create_new(true).open(&path)?;
    #[cfg(unix)]
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// What `/proc/PID/stat` tells (proc(5)).
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
        // The name stands in brackets, and may hold brackets itself.
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.bytes().next()?;
        let mut number = || fields.next()?.parse().ok().map(Pid);
        Some(Self { state, parent: number()?, group: number()? })
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "launch_tests.rs"]
mod tests;

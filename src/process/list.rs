//! The processes running now.

use super::Pid;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// What the system tells of a process without reading its memory.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ProcessInfo {
    /// The process number.
    pub pid: Pid,
    /// The name the kernel keeps, cut at 15 characters on Linux: show it, do not match on it.
    pub name: String,
    /// The executable, where the system tells.
    pub exe: Option<PathBuf>,
    /// The command line, the program first; empty where the system does not tell.
    pub command: Vec<String>,
    /// Seconds since 1970 at which the process started.
    pub started: u64,
    /// The owner's numeric user id as text, where the system tells.
    pub user: Option<String>,
}

fn wanted(update: UpdateKind) -> ProcessRefreshKind {
    // Without `without_tasks` every thread is listed as a process of its own on Linux.
    ProcessRefreshKind::nothing().with_exe(update).with_cmd(update).with_user(update).without_tasks()
}

fn describe(process: &sysinfo::Process) -> ProcessInfo {
    ProcessInfo {
        pid: Pid(process.pid().as_u32()),
        name: process.name().to_string_lossy().into_owned(),
        exe: process.exe().map(PathBuf::from),
        command: process.cmd().iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        started: process.start_time(),
        user: process.user_id().map(|uid| uid.to_string()),
    }
}

/// Files that listing processes has open at the same time, with some to spare.
#[cfg(target_os = "linux")]
const FILES: usize = 8;

/// Whether processes can be listed: with too few file descriptors left, the system seems to have none.
///
/// # Errors
/// What the system says: too many open files.
pub fn can_list() -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let open = (0..FILES).map(|_| std::fs::File::open("/proc/self/stat"));
        open.collect::<std::io::Result<Vec<_>>>()?;
    }
    Ok(())
}

/// All processes, in the order of their numbers. Kernel threads (no command line) are left out.
#[must_use]
pub fn list() -> Vec<ProcessInfo> {
    ProcessList::default().refresh()
}

/// A list of all processes for whoever needs it again and again: what is known of a process is not read again each time.
#[derive(Debug, Default)]
pub struct ProcessList {
    system: Option<System>,
    /// When everything was read last.
    whole: Option<Instant>,
}

/// Everything is read again after this long.
const WHOLE_EVERY: Duration = Duration::from_secs(5);
/// A process may become another program: launchers do so soon after they were started. For so long, in seconds, it is read each time.
const YOUNG: u64 = 5;

impl ProcessList {
    /// The processes that run now, as [`list`] gives them. A process that has become another program long after it was started is listed
    /// as what it was for five seconds at most.
    pub fn refresh(&mut self) -> Vec<ProcessInfo> {
        if self.system.is_none() {
            self.system = System::new().ok();
        }
        let Some(system) = &mut self.system else {
            tracing::warn!("this system does not tell its processes");
            return Vec::new();
        };
        if self.whole.is_none_or(|whole| whole.elapsed() >= WHOLE_EVERY) {
            system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted(UpdateKind::Always));
            self.whole = Some(Instant::now());
        } else {
            system.refresh_processes_specifics(
                ProcessesToUpdate::All,
                true,
                wanted(UpdateKind::OnlyIfNotSet),
            );
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            let is_young = |process: &&sysinfo::Process| process.start_time() + YOUNG >= now;
            let young: Vec<_> =
                system.processes().values().filter(is_young).map(sysinfo::Process::pid).collect();
            system.refresh_processes_specifics(
                ProcessesToUpdate::Some(&young),
                false,
                wanted(UpdateKind::Always),
            );
        }
        let mut found: Vec<_> = system
            .processes()
            .values()
            .filter(|process| process.thread_kind().is_none() && !process.cmd().is_empty())
            // What was read of it while it ran is still known of a process that has ended and is not reaped yet.
            .filter(|process| !matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead))
            .map(describe)
            .collect();
        found.sort_by_key(|info| info.pid);
        found
    }
}

/// One process, or None when there is none of that number.
#[must_use]
pub fn process_info(pid: Pid) -> Option<ProcessInfo> {
    let raw = sysinfo::Pid::from_u32(pid.0);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[raw]), true, wanted(UpdateKind::Always));
    system.process(raw).map(describe)
}

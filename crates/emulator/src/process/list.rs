//! Lists the running processes.

use super::{Pid, system};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use sysinfo::{ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// What the system reports about a process without reading its memory.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ProcessInfo {
    /// The process number.
    pub pid: Pid,
    /// The name in the kernel, cut at 15 characters on Linux: for display, not for matching.
    pub name: String,
    /// The executable, if the system reveals it.
    pub exe: Option<PathBuf>,
    /// The command line, the program first; empty if the system does not reveal it.
    pub command: Vec<String>,
    /// The start time in seconds since 1970.
    pub started: u64,
    /// The owner's numeric user id as text, if the system reveals it.
    pub user: Option<String>,
    /// The process that started it, which may have ended.
    #[serde(skip)]
    pub parent: Option<Pid>,
}

fn refresh_kind(update: UpdateKind) -> ProcessRefreshKind {
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
        parent: process.parent().map(|pid| Pid(pid.as_u32())),
    }
}

/// Checks that processes can be listed: with too few free file descriptors, the list would be empty.
///
/// # Errors
/// The system's error: too many open files.
pub fn can_list() -> std::io::Result<()> {
    system::can_list()
}

/// All processes, ordered by number. The system's own are left out.
pub fn list() -> Vec<ProcessInfo> {
    ProcessList::default().refresh()
}

/// A process list for repeated use, which caches what is known of each process.
#[derive(Debug)]
pub struct ProcessList {
    system: Option<System>,
    /// The time of the last full refresh.
    full_refresh: Option<Instant>,
    /// Command lines that the list of the system lacks, by process and start time.
    commands: BTreeMap<(Pid, u64), Vec<String>>,
    /// The numbers in use at the last refresh, where the system lists them cheaply.
    numbers: Option<Vec<u32>>,
    /// Whether a process was young then.
    has_young: bool,
    /// A process of an age below this, in whole seconds, is young.
    young_below: u64,
}

impl Default for ProcessList {
    fn default() -> Self {
        Self {
            system: None,
            full_refresh: None,
            commands: BTreeMap::new(),
            numbers: None,
            has_young: false,
            young_below: YOUNG_BELOW,
        }
    }
}

/// The shortest interval of full refreshes.
const FULL_REFRESH_INTERVAL: Duration = Duration::from_secs(5);
/// Young processes are refreshed each time: launchers `exec` another program soon after they start.
const YOUNG_BELOW: u64 = 6;

/// The numbers that are in use now and were not, and the reverse; None where the system does not list them cheaply.
fn changed(before: Option<&[u32]>, now: Option<&[u32]>) -> Option<Vec<sysinfo::Pid>> {
    let numbers = |numbers: &[u32]| numbers.iter().copied().collect::<BTreeSet<_>>();
    let (before, now) = (numbers(before?), numbers(now?));
    Some(before.symmetric_difference(&now).map(|number| sysinfo::Pid::from_u32(*number)).collect())
}

impl ProcessList {
    /// As [`refresh`](Self::refresh), but None if no process has started or ended since the last list, as far as the numbers in use show.
    /// Reading these costs little; they do not show `exec`, nor the end of a process that was not reaped, so that None is returned for up to
    /// `lifetime` only, five seconds at least, after all was read.
    pub fn refresh_if_changed(&mut self, lifetime: Duration) -> Option<Vec<ProcessInfo>> {
        let now = system::process_numbers();
        let changed = changed(self.numbers.as_deref(), now.as_deref());
        let (Some(changed), true) = (changed, self.is_recent(lifetime.max(FULL_REFRESH_INTERVAL))) else {
            return Some(self.refresh());
        };
        self.numbers = now;
        (self.has_young || !changed.is_empty()).then(|| {
            self.refresh_some(&changed);
            self.refresh_young();
            self.described()
        })
    }

    /// Whether all was read within this time.
    fn is_recent(&self, lifetime: Duration) -> bool {
        self.full_refresh.is_some_and(|last| last.elapsed() < lifetime)
    }

    fn is_young(&self, started: u64) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        started + self.young_below > now
    }

    fn refresh_young(&mut self) {
        let processes = self.system.iter().flat_map(|system| system.processes().values());
        let young = processes.filter(|process| self.is_young(process.start_time()));
        let young: Vec<_> = young.map(sysinfo::Process::pid).collect();
        self.refresh_some(&young);
    }

    /// Reads what is known of some processes again, and removes those of them that do not run any more.
    fn refresh_some(&mut self, some: &[sysinfo::Pid]) {
        let Some(system) = &mut self.system else { return };
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(some),
            true,
            refresh_kind(UpdateKind::Always),
        );
    }

    /// The running processes, as [`list`] returns them. A process that calls `exec` long after it started may be listed as the old program
    /// for up to five seconds.
    pub fn refresh(&mut self) -> Vec<ProcessInfo> {
        if self.system.is_none() {
            self.system = System::new().ok();
        }
        // Before the list, so that what starts meanwhile is a change.
        self.numbers = system::process_numbers();
        let is_recent = self.is_recent(FULL_REFRESH_INTERVAL);
        let Some(system) = &mut self.system else {
            tracing::warn!("this system does not list its processes");
            return Vec::new();
        };
        if !is_recent {
            system.refresh_processes_specifics(
                ProcessesToUpdate::All,
                true,
                refresh_kind(UpdateKind::Always),
            );
            self.full_refresh = Some(Instant::now());
        } else {
            system.refresh_processes_specifics(
                ProcessesToUpdate::All,
                true,
                refresh_kind(UpdateKind::OnlyIfNotSet),
            );
            self.refresh_young();
        }
        self.described()
    }

    /// What is known of them.
    fn described(&mut self) -> Vec<ProcessInfo> {
        let Some(system) = &self.system else { return Vec::new() };
        let running: Vec<_> = system
            .processes()
            .values()
            .filter(|process| process.thread_kind().is_none())
            // Cached data of a process that has ended and was not reaped yet.
            .filter(|process| !matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead))
            .collect();
        // Also those that are not programs yet: while `exec` is under way, there is no command line.
        self.has_young = running.iter().any(|process| self.is_young(process.start_time()));
        let mut found: Vec<_> =
            running.into_iter().filter(|process| system::is_program(process)).map(describe).collect();
        found.sort_by_key(|info| info.pid);
        let commands = std::mem::take(&mut self.commands);
        for info in found.iter_mut().filter(|info| info.command.is_empty()) {
            let key = (info.pid, info.started);
            let known = commands.get(&key).cloned();
            info.command = known.unwrap_or_else(|| system::command_line(info.pid).unwrap_or_default());
            // On Windows, a program that is being started has no command line yet.
            if !info.command.is_empty() || !self.is_young(info.started) {
                self.commands.insert(key, info.command.clone());
            }
        }
        found
    }
}

/// The process of that number, if there is one.
pub fn process_info(pid: Pid) -> Option<ProcessInfo> {
    let raw = sysinfo::Pid::from_u32(pid.0);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[raw]),
        true,
        refresh_kind(UpdateKind::Always),
    );
    let mut info = system.process(raw).map(describe)?;
    if info.command.is_empty() {
        info.command = system::command_line(pid).unwrap_or_default();
    }
    Some(info)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    /// Nobody is young here: other programs start others all the time.
    #[test]
    fn a_list_is_not_read_again_until_a_process_starts_or_ends() {
        let mut running = ProcessList { young_below: 0, ..ProcessList::default() };
        let began = Instant::now();
        while running.refresh_if_changed(Duration::ZERO).is_some() {
            assert!(began.elapsed() < Duration::from_secs(60), "it is read again each time");
        }
        let mut cat = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pid = Pid(cat.id());
        // What it writes shows that `exec` is over: it has a command line.
        cat.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        cat.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let listed = running.refresh_if_changed(Duration::ZERO).expect("a process has started");
        assert!(listed.iter().any(|info| info.pid == pid));
        cat.kill().unwrap();
        cat.wait().unwrap();
        let listed = running.refresh_if_changed(Duration::ZERO).expect("a process has ended");
        assert!(!listed.iter().any(|info| info.pid == pid));
    }

    #[test]
    fn processes_are_young_for_five_seconds() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let running = ProcessList::default();
        assert_eq!([0, 4, 8].map(|age| running.is_young(now - age)), [true, true, false]);
    }
}

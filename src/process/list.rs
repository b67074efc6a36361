//! The processes running now.

use super::Pid;
use std::path::PathBuf;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

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

fn wanted() -> ProcessRefreshKind {
    // Without `without_tasks` every thread is listed as a process of its own on Linux.
    ProcessRefreshKind::nothing()
        .with_exe(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_user(UpdateKind::Always)
        .without_tasks()
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

/// All processes, in the order of their numbers. Kernel threads (no command line) are left out.
#[must_use]
pub fn list() -> Vec<ProcessInfo> {
    let Ok(mut system) = System::new() else {
        tracing::warn!("this system does not tell its processes");
        return Vec::new();
    };
    system.refresh_processes_specifics(ProcessesToUpdate::All, true, wanted());
    let mut found: Vec<_> = system
        .processes()
        .values()
        .filter(|process| process.thread_kind().is_none() && !process.cmd().is_empty())
        .map(describe)
        .collect();
    found.sort_by_key(|info| info.pid);
    found
}

/// One process, or None when there is none of that number.
#[must_use]
pub fn process_info(pid: Pid) -> Option<ProcessInfo> {
    let raw = sysinfo::Pid::from_u32(pid.0);
    let mut system = System::new().ok()?;
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[raw]), true, wanted());
    system.process(raw).map(describe)
}

//! The processes that a launched program started, also through launchers that end.

use super::super::{Pid, ProcessInfo};
use std::collections::BTreeSet;
use std::process::Child;

/// The processes of a launch.
#[derive(Debug)]
pub(in crate::process) struct Family {
    members: BTreeSet<Pid>,
    _subreaper: SubreaperGuard,
}

/// While one of these exists, orphaned processes of a launcher become our children and can still be read.
#[derive(Debug)]
struct SubreaperGuard;

/// The number of guards.
pub(in crate::process) static SUBREAPERS: std::sync::Mutex<usize> = std::sync::Mutex::new(0);

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

impl Family {
    /// Made before the program is started, so that no orphan is missed.
    pub(in crate::process) fn new() -> Self {
        Self { members: BTreeSet::new(), _subreaper: SubreaperGuard::new() }
    }

    /// Those of `processes` that belong to the launch of `first`. Reaps ended members.
    pub(in crate::process) fn update(
        &mut self,
        first: Pid,
        first_ended: bool,
        processes: &[ProcessInfo],
    ) -> Vec<ProcessInfo> {
        let ourselves = Pid(std::process::id());
        for info in processes {
            let Some(stat) = Stat::of(info.pid) else { continue };
            let child = stat.parent == first || self.members.contains(&stat.parent);
            // An orphan that became our child before it was listed: it still has the launched process group.
            let adopted = stat.parent == ourselves && stat.group == first;
            if info.pid == first || child || adopted {
                self.members.insert(info.pid);
            }
        }
        self.reap(first, ourselves);
        let gone = first_ended.then_some(first);
        let belongs = |info: &&ProcessInfo| Some(info.pid) != gone && self.members.contains(&info.pid);
        let tree: Vec<ProcessInfo> = processes.iter().filter(belongs).cloned().collect();
        self.members.retain(|pid| Stat::of(*pid).is_some());
        tree
    }

    /// Reaps ended members, so that they do not remain as zombies.
    fn reap(&self, first: Pid, ourselves: Pid) {
        use nix::sys::wait::{WaitPidFlag, waitpid};
        for pid in self.members.iter().filter(|pid| **pid != first) {
            let ours = Stat::of(*pid).is_some_and(|stat| stat.parent == ourselves && stat.state == b'Z');
            if let (true, Ok(raw)) = (ours, i32::try_from(pid.0)) {
                // The result does not matter: the process has ended.
                let _ = waitpid(nix::unistd::Pid::from_raw(raw), Some(WaitPidFlag::WNOHANG));
            }
        }
    }

    /// Kills the program and all of its process group.
    pub(in crate::process) fn kill(&self, child: &Child) {
        if let Ok(group) = i32::try_from(child.id()) {
            // The group may have ended already.
            let _ = nix::sys::signal::killpg(
                nix::unistd::Pid::from_raw(group),
                nix::sys::signal::Signal::SIGKILL,
            );
        }
    }
}

/// Fields of `/proc/PID/stat` (proc(5)).
pub(in crate::process) struct Stat {
    pub state: u8,
    pub parent: Pid,
    pub group: Pid,
}

impl Stat {
    pub fn of(pid: Pid) -> Option<Self> {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        // The name is in parentheses and may contain parentheses itself.
        let mut fields = text.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.bytes().next()?;
        let mut number = || fields.next()?.parse().ok().map(Pid);
        Some(Self { state, parent: number()?, group: number()? })
    }
}

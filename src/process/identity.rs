//! A process that was opened: its number together with what tells it from a later owner of that number.

use super::refusal::Access;
use super::{HostAddr, Pid, ReadError, Region, read, regions};

/// A process that can be read. Holds no right to do anything else to it.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    /// Start time in the system's finest unit (clock ticks since boot on Linux, seconds elsewhere).
    started: u64,
}

impl Process {
    /// Opens a running process.
    ///
    /// # Errors
    /// [`ReadError::Gone`] when there is no such process; [`ReadError::Refused`] when the system hides it.
    pub fn open(pid: Pid) -> Result<Self, ReadError> {
        match start_time(pid) {
            Ok(Some(started)) => Ok(Self { pid, started }),
            Ok(None) => Err(ReadError::Gone { pid }),
            Err(_) => Err(read::refused(pid, Access::Regions)),
        }
    }

    /// The process number.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Fails with [`ReadError::Gone`] when the process ended or its number was given to another one.
    /// A process that became another program by `exec` is still the same: its regions are not.
    ///
    /// # Errors
    /// [`ReadError::Gone`].
    pub fn still_the_same(&self) -> Result<(), ReadError> {
        match start_time(self.pid) {
            Ok(Some(started)) if started == self.started => Ok(()),
            _ => Err(ReadError::Gone { pid: self.pid }),
        }
    }

    /// Fills `buf` with the bytes from `addr` on, all of them or none (then `buf` is zeroed).
    ///
    /// # Errors
    /// See [`ReadError`]: gone, refused, not mapped, short.
    pub fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        read::read_exact(self.pid, addr, buf)
    }

    /// The memory regions mapped now, in address order.
    ///
    /// # Errors
    /// [`ReadError::Gone`], [`ReadError::Refused`].
    pub fn regions(&self) -> Result<Vec<Region>, ReadError> {
        regions::regions(self.pid)
    }

    /// The parts of `region` that hold pages in memory or in swap, as (start, length in bytes), in address order.
    /// In a page left out the process has written nothing through this mapping: it holds zeros, or what the
    /// file behind it holds. A search may leave such pages out: this is what keeps an emulator that maps 600 MB
    /// and uses ten as quick to search as a small one. (Reading an untouched page of shared memory would even
    /// make the emulator grow by it.) Where the system does not tell, the whole region is given.
    ///
    /// Shared memory that is mapped more than once counts for each mapping apart, and what another process
    /// wrote in it does not count.
    #[must_use]
    pub fn touched(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        regions::touched(self.pid, region)
    }
}

/// When the process started, in the unit of [`Process::started`]; None when there is no such process, or when
/// it has ended and waits to be reaped. An error when the system does not let us look.
///
/// Of `/proc/PID/stat` (proc(5)), counted after the command in parentheses, which may hold anything: field 3,
/// the state, Z or X of an ended process; 22, the start time; 23, the size of its memory, which an ending
/// process gives up some microseconds before its state changes (and which a kernel thread has none of).
#[cfg(target_os = "linux")]
pub(super) fn start_time(pid: Pid) -> std::io::Result<Option<u64>> {
    use std::io::ErrorKind;
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => Ok(start_in(&String::from_utf8_lossy(&stat))),
        // `/proc` mounted with hidepid=1 shows that there is a process, and nothing of it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        Err(_) => Ok(None),
    }
}

#[cfg(target_os = "linux")]
fn start_in(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let started = fields.nth(18)?.parse().ok()?;
    let memory: u64 = fields.next()?.parse().ok()?;
    (memory > 0).then_some(started)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn start_time(pid: Pid) -> std::io::Result<Option<u64>> {
    Ok(super::process_info(pid).map(|info| info.started))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_whatever_the_program_is_called() {
        let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 8192 20";
        for name in ["sh", "a b", "x) Z 1 (", ") S 9 9", "\u{FFFD}"] {
            assert_eq!(start_in(&format!("42 ({name}) {rest}")), Some(4711), "{name}");
        }
        assert_eq!(start_in(&format!("42 (sh) {}", rest.replacen('S', "Z", 1))), None);
        assert_eq!(start_in(&format!("42 (sh) {}", rest.replace("8192", "0"))), None, "it is ending");
        assert_eq!(start_in("42 (sh) S 1"), None);
        assert_eq!(start_in(""), None);
    }

    #[test]
    fn a_process_that_started_at_another_time_is_not_the_same() {
        let process = Process::open(Pid(std::process::id())).expect("we are running");
        process.still_the_same().expect("we are still running");
        let earlier = Process { started: process.started - 1, ..process };
        assert!(matches!(earlier.still_the_same(), Err(ReadError::Gone { .. })));
    }
}

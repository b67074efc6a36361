//! An opened process: its number, and its start time to detect that the number was reused.

use super::refusal::Access;
use super::{HostAddr, Memory, Pid, ReadError, Region, read, regions};

/// A process that can be read. Nothing else can be done to it.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    /// The start time in the system's finest unit (clock ticks since boot on Linux, seconds elsewhere).
    started: u64,
}

impl Process {
    /// Opens a running process.
    ///
    /// # Errors
    /// [`ReadError::Gone`] if there is no such process; [`ReadError::Refused`] if the system hides it.
    pub fn open(pid: Pid) -> Result<Self, ReadError> {
        match start_time(pid) {
            Ok(Some(started)) => Ok(Self { pid, started }),
            Ok(None) => Err(ReadError::Gone { pid }),
            Err(_) => Err(read::refused(pid, Access::Regions)),
        }
    }

    /// The process number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Checks that the process has not ended and that its number was not reused. After `exec` it is still the same process, with other
    /// regions.
    pub fn check_running(&self) -> Result<(), ReadError> {
        match start_time(self.pid) {
            Ok(Some(started)) if started == self.started => Ok(()),
            _ => Err(ReadError::Gone { pid: self.pid }),
        }
    }

    /// Fills all of `buf` with the bytes at `addr`, or fails and zeroes it.
    ///
    /// # Errors
    /// See [`ReadError`]: gone, refused, not mapped, short.
    pub fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        read::read_exact(self.pid, addr, buf)
    }

    /// The current memory regions, in address order.
    pub fn regions(&self) -> Result<Vec<Region>, ReadError> {
        regions::regions(self.pid)
    }

    /// The parts of `region` with pages in memory or in swap, as (start, length in bytes), in address order. The process has written
    /// nothing to the other pages through this mapping: they contain zeros, or the file's content. A search can skip them, so that an
    /// emulator that maps 600 MB and uses ten is searched as fast as a small one. (Reading an untouched page of shared memory would also
    /// allocate it in the emulator.) On systems that do not reveal this, the result is the entire region.
    ///
    /// Each mapping of shared memory counts separately, and writes by other processes do not count.
    pub fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        regions::touched_ranges(self.pid, region)
    }
}

impl Memory for Process {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        Process::read_exact(self, addr, buf)
    }
}

/// The start time in the unit of [`Process::started`]; None if there is no such process, or if it has ended and was not reaped yet. An
/// error if the system hides it.
///
/// Of `/proc/PID/stat` (proc(5)), counted after the command in parentheses, which may hold anything: field 3,
/// the state, Z or X of an ended process; 22, the start time; 23, the size of its memory, which an ending process releases some
/// microseconds before its state changes (and which is 0 for a kernel thread).
#[cfg(target_os = "linux")]
pub(super) fn start_time(pid: Pid) -> std::io::Result<Option<u64>> {
    use std::io::ErrorKind;
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => Ok(start_in(&String::from_utf8_lossy(&stat))),
        // `/proc` mounted with hidepid=1 shows that the process exists, but none of its files.
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
#[path = "handle_tests.rs"]
mod tests;

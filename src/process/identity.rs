//! A process that was opened: its number together with what tells it from a later owner of that number.

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
    /// [`ReadError::Gone`] when there is no such process.
    pub fn open(pid: Pid) -> Result<Self, ReadError> {
        let started = start_time(pid).ok_or(ReadError::Gone { pid })?;
        Ok(Self { pid, started })
    }

    /// The process number.
    #[must_use]
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Fails with [`ReadError::Gone`] when the process ended or its number was given to another one.
    ///
    /// # Errors
    /// [`ReadError::Gone`].
    pub fn still_the_same(&self) -> Result<(), ReadError> {
        if start_time(self.pid) == Some(self.started) {
            Ok(())
        } else {
            Err(ReadError::Gone { pid: self.pid })
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
    /// Pages never touched read as zeros, so a search may leave them out: this is what keeps an emulator
    /// that maps 600 MB and uses ten as quick to search as a small one. Where the system does not tell,
    /// the whole region is given.
    #[must_use]
    pub fn touched(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        regions::touched(self.pid, region)
    }
}

/// Field 22 of `/proc/PID/stat` (proc(5)), counted after the command in parentheses, which may hold anything.
/// None too for a process that has ended and waits to be reaped (state Z or X).
#[cfg(target_os = "linux")]
fn start_time(pid: Pid) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn start_time(pid: Pid) -> Option<u64> {
    super::process_info(pid).map(|info| info.started)
}

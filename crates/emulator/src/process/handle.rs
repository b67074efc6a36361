//! An opened process.

use super::refusal::{Access, refused};
use super::{HostAddr, Memory, Pid, ReadError, Region, system};
use std::io::ErrorKind;

/// A process that can be read. Nothing else can be done to it.
#[derive(Debug)]
pub struct Process {
    pid: Pid,
    handle: system::Handle,
}

/// A failed access, before a refusal is diagnosed.
#[derive(Debug)]
pub(super) enum Failure {
    Gone,
    Refused,
    NotMapped,
    /// Readable memory ends after this many bytes.
    #[cfg_attr(target_os = "macos", allow(dead_code, reason = "macOS reads all or nothing"))]
    Short(usize),
    System(String),
}

impl Process {
    /// Opens a running process.
    ///
    /// # Errors
    /// [`ReadError::Gone`] if there is no such process; [`ReadError::Refused`] if the system hides it.
    pub fn open(pid: Pid) -> Result<Self, ReadError> {
        match system::Handle::open(pid) {
            Ok(handle) => Ok(Self { pid, handle }),
            Err(Failure::Refused) => Err(refused(pid, Access::Regions)),
            Err(Failure::System(message)) => Err(ReadError::System { pid, message }),
            Err(_) => Err(ReadError::Gone { pid }),
        }
    }

    /// The process number.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// Checks that the process has not ended and that its number was not reused.
    pub fn check_running(&self) -> Result<(), ReadError> {
        if self.handle.is_running() { Ok(()) } else { Err(ReadError::Gone { pid: self.pid }) }
    }

    /// Fills all of `buf` with the bytes at `addr`, or fails and zeroes it, so that no old byte is mistaken for a new one.
    ///
    /// # Errors
    /// See [`ReadError`]: gone, refused, not mapped, short.
    pub fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let (pid, requested) = (self.pid, buf.len());
        self.handle.read(addr, buf).map_err(|failure| {
            buf.fill(0);
            match failure {
                Failure::Gone => ReadError::Gone { pid },
                Failure::Refused => refused(pid, Access::Memory),
                Failure::NotMapped => ReadError::NotMapped { pid, addr },
                Failure::Short(available) => ReadError::Short { pid, addr, requested, available },
                Failure::System(message) => ReadError::System { pid, message },
            }
        })
    }

    /// The current memory regions, in address order.
    pub fn regions(&self) -> Result<Vec<Region>, ReadError> {
        let pid = self.pid;
        let mut regions = self.handle.regions().map_err(|error| match error.kind() {
            ErrorKind::NotFound => ReadError::Gone { pid },
            ErrorKind::PermissionDenied => refused(pid, Access::Regions),
            _ if !self.handle.is_running() => ReadError::Gone { pid },
            _ => ReadError::System { pid, message: format!("its memory regions: {error}") },
        })?;
        if regions.is_empty() {
            return Err(ReadError::Gone { pid }); // a process that is ending, or was not reaped yet, has no memory
        }
        regions.sort_by_key(|region| region.start);
        Ok(regions)
    }

    /// The parts of `region` with pages in memory or in swap, as (start, length in bytes), in address order. The process has written
    /// nothing to the other pages through this mapping: they contain zeros, or the file's content. A search can skip them, so that an
    /// emulator that maps 600 MB and uses ten is searched as fast as a small one. (Reading an untouched page of shared memory would also
    /// allocate it in the emulator.) On systems that do not reveal this, the result is the entire region.
    ///
    /// Each mapping of shared memory counts separately, and writes by other processes do not count.
    pub fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        self.handle.touched_ranges(region).unwrap_or_else(|| vec![(region.start, region.len)])
    }
}

impl Memory for Process {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        Process::read_exact(self, addr, buf)
    }

    fn read_series(&self, parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        self.handle.read_series(parts)
    }
}

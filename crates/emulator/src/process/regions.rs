//! The memory regions of a process, and which of their pages were touched.

use super::refusal::Access;
use super::{HostAddr, Pid, ReadError, read};
use std::io::ErrorKind;
use std::path::PathBuf;

/// A mapping of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub start: HostAddr,
    /// Length in bytes.
    pub len: u64,
    /// Whether it may be read.
    pub readable: bool,
    /// Whether its process may write it.
    pub writable: bool,
    /// Whether it may be executed.
    pub executable: bool,
    /// The mapped file, or the kernel's name (`[heap]`); None for anonymous memory. The kernel appends ` (deleted)` for a deleted file and
    /// for shared memory.
    pub path: Option<PathBuf>,
    /// The offset of the mapping in that file, in bytes.
    pub file_offset: u64,
    /// The file's inode, 0 if there is none: mappings with equal (device, inode) show the same file.
    pub inode: u64,
    /// The file's device, as the system prints it.
    pub device: String,
}

impl Region {
    /// A readable and writable region, as processes have for their data.
    pub fn data(start: HostAddr, len: u64, path: Option<PathBuf>) -> Self {
        Self {
            start,
            len,
            readable: true,
            writable: true,
            executable: false,
            path,
            file_offset: 0,
            inode: 0,
            device: String::new(),
        }
    }

    /// The first address after the region.
    pub fn end(&self) -> HostAddr {
        self.start.offset(self.len)
    }

    /// Whether `len` bytes at `addr` are inside.
    pub fn contains(&self, addr: HostAddr, len: u64) -> bool {
        addr >= self.start && addr.0.checked_add(len).is_some_and(|end| end <= self.end().0)
    }

    /// Whether this may be the program's data: writable memory, but no device, because reading devices may be slow or have side effects.
    pub fn may_hold_data(&self) -> bool {
        let path = self.path.as_ref().map(|path| path.to_string_lossy());
        let path = path.as_deref().unwrap_or("");
        let device =
            path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !path.starts_with("/dev/zero");
        let kernel = path.starts_with("[v"); // [vdso], [vvar], [vsyscall]
        self.readable && self.writable && !device && !kernel
    }

    /// The name of the mapped file, without folders and without ` (deleted)`.
    pub fn file_name(&self) -> Option<String> {
        let name = self.path.as_ref()?.file_name()?.to_string_lossy();
        Some(name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned())
    }
}

pub(super) fn regions(pid: Pid) -> Result<Vec<Region>, ReadError> {
    let mut regions = imp::regions(pid).map_err(|error| match error.kind() {
        ErrorKind::NotFound => ReadError::Gone { pid },
        ErrorKind::PermissionDenied => read::refused(pid, Access::Regions),
        _ if error.raw_os_error() == Some(3) => ReadError::Gone { pid }, // ESRCH: it ended during the read
        _ => ReadError::System { pid, message: format!("its memory regions: {error}") },
    })?;
    if regions.is_empty() {
        return Err(ReadError::Gone { pid }); // a process that is ending, or was not reaped yet, has no memory
    }
    regions.sort_by_key(|region| region.start);
    Ok(regions)
}

#[cfg(target_os = "linux")]
use super::maps as imp;

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::{HostAddr, Pid, Region};
    use std::io;
    use std::path::PathBuf;

    pub(super) fn regions(pid: Pid) -> io::Result<Vec<Region>> {
        let raw = proc_maps::Pid::try_from(pid.0).map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(proc_maps::get_process_maps(raw)?.iter().map(describe).collect())
    }

    fn describe(map: &proc_maps::MapRange) -> Region {
        Region {
            start: HostAddr(map.start() as u64),
            len: map.size() as u64,
            readable: map.is_read(),
            writable: map.is_write(),
            executable: map.is_exec(),
            path: map.filename().map(PathBuf::from),
            file_offset: 0,
            inode: 0,
            device: String::new(),
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) fn touched_ranges(pid: Pid, region: &Region) -> Vec<(HostAddr, u64)> {
    touched_by_pagemap(pid, region).unwrap_or_else(|| vec![(region.start, region.len)])
}

#[cfg(not(target_os = "linux"))]
pub(super) fn touched_ranges(_pid: Pid, region: &Region) -> Vec<(HostAddr, u64)> {
    vec![(region.start, region.len)]
}

/// `/proc/PID/pagemap` has 8 bytes per page; bit 63 is present, bit 62 swapped (kernel documentation, admin-guide/mm/pagemap). Both are
/// visible without privileges; only the frame numbers are not.
#[cfg(target_os = "linux")]
fn touched_by_pagemap(pid: Pid, region: &Region) -> Option<Vec<(HostAddr, u64)>> {
    use std::os::unix::fs::FileExt;

    const PRESENT_OR_SWAPPED: u64 = 0b11 << 62;
    const ENTRY: u64 = 8;
    let page = u64::try_from(nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??).ok()?;
    let file = std::fs::File::open(format!("/proc/{pid}/pagemap")).ok()?;
    let mut ranges: Vec<(HostAddr, u64)> = Vec::new();
    let max = usize::try_from(region.len / page * ENTRY).ok()?.min(64 * 1024);
    let mut entries = vec![0u8; max];
    let mut addr = region.start;
    while addr < region.end() {
        let pages = ((region.end().0 - addr.0) / page).min(entries.len() as u64 / ENTRY);
        let bytes = usize::try_from(pages * ENTRY).ok()?;
        file.read_exact_at(&mut entries[..bytes], addr.0 / page * ENTRY).ok()?;
        for entry in entries[..bytes].chunks_exact(8) {
            if u64::from_ne_bytes(entry.try_into().ok()?) & PRESENT_OR_SWAPPED != 0 {
                match ranges.last_mut() {
                    Some((start, len)) if start.offset(*len) == addr => *len += page,
                    _ => ranges.push((addr, page)),
                }
            }
            addr = addr.offset(page);
        }
        if pages == 0 {
            return None;
        }
    }
    Some(ranges)
}

//! Linux: what is known of another process through `/proc`, and reads with `process_vm_readv`.

mod facts;
mod family;
mod heap;
mod maps;
mod rules;
mod user_namespace;

pub(super) use family::Family;
#[cfg(test)]
pub(super) use family::{SUBREAPERS, Stat};

use super::handle::Failure;
use super::refusal::{Access, RETROARCH_SETTING};
pub(super) use super::unix::command_line;
pub use super::unix::{FineTimers, detach};
use super::{HostAddr, Launch, Pid, Refusal, Region, Remedy, Rule, shell_quote};
pub use heap::limit_own_heap;
use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use std::io::IoSliceMut;
use std::process::Command;

/// The number of files that listing processes opens at the same time, with a reserve.
const FILES_NEEDED: usize = 8;

/// The process with a number and a start time, which shows that the number was not given to another process.
#[derive(Debug)]
pub(super) struct Handle {
    pid: Pid,
    /// In clock ticks since boot.
    started: u64,
}

impl Handle {
    pub(super) fn open(pid: Pid) -> Result<Self, Failure> {
        match start_time(pid) {
            Ok(Some(started)) => Ok(Self { pid, started }),
            Ok(None) => Err(Failure::Gone),
            Err(_) => Err(Failure::Refused),
        }
    }

    /// After `exec` it is still the same process, with other regions.
    pub(super) fn is_running(&self) -> bool {
        matches!(start_time(self.pid), Ok(Some(started)) if started == self.started)
    }

    pub(super) fn read(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
        read_raw(self.pid, addr, buf)
    }

    pub(super) fn read_series(&self, parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        let remote = parts.iter().map(|(addr, buf)| Some((usize::try_from(addr.0).ok()?, buf.len())));
        let remote = remote.map(|part| part.map(|(base, len)| RemoteIoVec { base, len }));
        let (Some(remote), Ok(pid)) = (remote.collect::<Option<Vec<_>>>(), i32::try_from(self.pid.0)) else {
            return false;
        };
        let wanted: usize = remote.iter().map(|part| part.len).sum();
        let mut local: Vec<IoSliceMut> = parts.iter_mut().map(|(_, buf)| IoSliceMut::new(buf)).collect();
        // Parts are read in their order (process_vm_readv(2)); too many are an error.
        process_vm_readv(nix::unistd::Pid::from_raw(pid), &mut local, &remote) == Ok(wanted)
    }

    pub(super) fn regions(&self) -> std::io::Result<Vec<Region>> {
        maps::regions(self.pid)
    }

    pub(super) fn touched_ranges(&self, region: &Region) -> Option<Vec<(HostAddr, u64)>> {
        touched_by_pagemap(self.pid, region)
    }
}

/// Whether a process of that number runs. A process that the system hides may.
pub(super) fn may_run(pid: Pid) -> bool {
    !matches!(start_time(pid), Ok(None))
}

pub(super) fn refusal(pid: Pid, access: Access) -> Refusal {
    rules::judge(pid, access, &facts::AccessFacts::gather(pid))
}

pub(super) fn namespace_refusal() -> Option<String> {
    user_namespace::refusal()
}

pub(super) fn can_list() -> std::io::Result<()> {
    let open = (0..FILES_NEEDED).map(|_| std::fs::File::open("/proc/self/stat"));
    open.collect::<std::io::Result<Vec<_>>>().map(drop)
}

/// The numbers in use, in the order of the system.
pub(super) fn process_numbers() -> Option<Vec<u32>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    Some(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect())
}

/// Kernel threads have no command line.
pub(super) fn is_program(process: &sysinfo::Process) -> bool {
    !process.cmd().is_empty()
}

/// Detaches the program and, if that is asked for, puts it into its own user namespace.
pub(super) fn prepare(command: &mut Command, launch: &Launch) {
    detach(command);
    if launch.in_namespace {
        user_namespace::enter(command);
    }
}

pub(super) fn read_raw(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
    let raw = i32::try_from(pid.0).map_err(|_| Failure::Gone)?;
    let total = buf.len();
    let mut got = 0;
    while got < total {
        // Addresses do not fit only if a 32-bit Nextscope reads a 64-bit process.
        let base = usize::try_from(addr.offset(got as u64).0)
            .map_err(|_| Failure::System("its addresses need a 64-bit Nextscope".into()))?;
        let remote = [RemoteIoVec { base, len: total - got }];
        let mut local = [IoSliceMut::new(&mut buf[got..])];
        match process_vm_readv(nix::unistd::Pid::from_raw(raw), &mut local, &remote) {
            Ok(0) | Err(Errno::EFAULT) if got == 0 => return Err(Failure::NotMapped),
            Ok(0) | Err(Errno::EFAULT) => return Err(Failure::Short(got)),
            Ok(n) => got += n,
            Err(Errno::ESRCH) => return Err(Failure::Gone),
            Err(Errno::EPERM | Errno::EACCES) => return Err(Failure::Refused),
            Err(Errno::EINTR) => {}
            Err(e) => return Err(Failure::System(e.desc().into())),
        }
    }
    Ok(())
}

/// The start time in clock ticks since boot; None if there is no such process, or if it has ended and was not reaped yet. An
/// error if the system hides it.
///
/// Of `/proc/PID/stat` (proc(5)), counted after the command in parentheses, which may hold anything: field 3,
/// the state, Z or X of an ended process; 22, the start time; 23, the size of its memory, which an ending process releases some
/// microseconds before its state changes (and which is 0 for a kernel thread).
fn start_time(pid: Pid) -> std::io::Result<Option<u64>> {
    use std::io::ErrorKind;
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => Ok(start_in(&String::from_utf8_lossy(&stat))),
        // `/proc` mounted with hidepid=1 shows that the process exists, but none of its files.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error),
        Err(_) => Ok(None),
    }
}

fn start_in(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    let started = fields.nth(18)?.parse().ok()?;
    let memory: u64 = fields.next()?.parse().ok()?;
    (memory > 0).then_some(started)
}

/// `/proc/PID/pagemap` has 8 bytes per page; bit 63 is present, bit 62 swapped (kernel documentation, admin-guide/mm/pagemap). Both are
/// visible without privileges; only the frame numbers are not.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_with_any_program_name() {
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
        let process = Handle::open(Pid(std::process::id())).expect("we are running");
        assert!(process.is_running());
        let earlier = Handle { started: process.started - 1, ..process };
        assert!(!earlier.is_running());
    }
}

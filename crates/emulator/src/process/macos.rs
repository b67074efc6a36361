//! macOS: regions by `mach_vm_region` and reads by `mach_vm_read_overwrite`, through the task port of the process.
//!
//! `tests/windows/run --macos` checks its types; it never ran. `task_for_pid` needs root, or an entitlement that Apple grants.

#![allow(unsafe_code, reason = "the kernel's functions take pointers")]

use super::handle::Failure;
use super::refusal::{Access, RETROARCH_SETTING};
pub(super) use super::unix::command_line;
pub use super::unix::{FineTimers, detach};
use super::{HostAddr, Launch, Pid, ProcessInfo, Refusal, Region, Remedy, Rule, process_info, shell_quote};
use mach2::kern_return::KERN_SUCCESS;
use mach2::vm::mach_vm_region;
use mach2::vm_prot::{VM_PROT_EXECUTE, VM_PROT_READ, VM_PROT_WRITE};
use mach2::vm_region::{VM_REGION_BASIC_INFO_64, vm_region_basic_info_64};
use process_memory::{CopyAddress, ProcessHandle, TryIntoProcessHandle};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command};

/// There is nothing to limit on this system.
pub fn limit_own_heap() {}

/// The longest path that the kernel returns, `MAXPATHLEN`.
const LONGEST_PATH: usize = 1024;

/// A task port, which belongs to this process and not to a number.
#[derive(Debug)]
pub(super) struct Handle {
    pid: Pid,
    /// In seconds since 1970.
    started: u64,
    task: ProcessHandle,
}

impl Handle {
    pub(super) fn open(pid: Pid) -> Result<Self, Failure> {
        let info = process_info(pid).ok_or(Failure::Gone)?;
        let raw = process_memory::Pid::try_from(pid.0).map_err(|_| Failure::Gone)?;
        // `task_for_pid` does not set errno; a refusal is the usual cause.
        let task = raw.try_into_process_handle().map_err(|_| Failure::Refused)?;
        Ok(Self { pid, started: info.started, task })
    }

    pub(super) fn is_running(&self) -> bool {
        process_info(self.pid).is_some_and(|info| info.started == self.started)
    }

    pub(super) fn read(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
        if buf.is_empty() {
            return Ok(());
        }
        let base = usize::try_from(addr.0).map_err(|_| Failure::NotMapped)?;
        self.task.copy_address(base, buf).map_err(|error| {
            if !self.is_running() {
                Failure::Gone
            } else if error.kind() == io::ErrorKind::BrokenPipe {
                Failure::System(error.to_string())
            } else {
                Failure::NotMapped
            }
        })
    }
    /// This system has no such call.
    #[expect(clippy::unused_self, reason = "the same as on Linux")]
    pub(super) fn read_series(&self, _parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        false
    }

    pub(super) fn regions(&self) -> io::Result<Vec<Region>> {
        let mut regions = Vec::new();
        let mut start = 0;
        loop {
            let mut len = 0;
            let mut info = vm_region_basic_info_64::default();
            let mut count = vm_region_basic_info_64::count();
            let mut object = 0;
            // SAFETY: all pointers are to local variables; `info` has `count` words.
            let result = unsafe {
                mach_vm_region(
                    self.task.0,
                    &raw mut start,
                    &raw mut len,
                    VM_REGION_BASIC_INFO_64,
                    (&raw mut info).cast(),
                    &raw mut count,
                    &raw mut object,
                )
            };
            if result != KERN_SUCCESS {
                return Ok(regions);
            }
            regions.push(Region {
                start: HostAddr(start),
                len,
                readable: info.protection & VM_PROT_READ != 0,
                writable: info.protection & VM_PROT_WRITE != 0,
                executable: info.protection & VM_PROT_EXECUTE != 0,
                path: self.mapped_file(start),
                file_offset: info.offset,
                inode: 0,
                device: String::new(),
            });
            start = start.saturating_add(len);
        }
    }

    fn mapped_file(&self, at: u64) -> Option<PathBuf> {
        let mut name = vec![0_u8; LONGEST_PATH];
        let (pid, capacity) = (i32::try_from(self.pid.0).ok()?, u32::try_from(name.len()).ok()?);
        // SAFETY: `name` is writable for `capacity` bytes.
        let len = unsafe { libc::proc_regionfilename(pid, at, name.as_mut_ptr().cast(), capacity) };
        name.truncate(usize::try_from(len).ok()?);
        (!name.is_empty()).then(|| OsString::from_vec(name).into())
    }

    pub(super) fn touched_ranges(&self, _region: &Region) -> Option<Vec<(HostAddr, u64)>> {
        None
    }
}

/// Whether a process of that number runs.
pub(super) fn may_run(pid: Pid) -> bool {
    process_info(pid).is_some()
}

/// `task_for_pid` is for root, or for a signed debugger and programs that permit it.
pub(super) fn refusal(pid: Pid, _access: Access) -> Refusal {
    let exe = std::env::current_exe()
        .map_or_else(|_| "nextscope".into(), |exe| shell_quote(&exe.to_string_lossy()));
    Refusal {
        pid,
        rule: Rule::SystemPolicy,
        evidence: "this system lets only root read the memory of other programs".into(),
        remedies: vec![
            Remedy::text(RETROARCH_SETTING),
            Remedy::command(
                "Run Nextscope as root (not enough for programs that Apple protects)",
                format!("sudo {exe}"),
            ),
        ],
    }
}

pub(super) fn namespace_refusal() -> Option<String> {
    Some("only Linux has user namespaces".into())
}

pub(super) fn can_list() -> io::Result<()> {
    Ok(())
}

/// A list of numbers alone costs as much as the whole.
pub(super) fn process_numbers() -> Option<Vec<u32>> {
    None
}

pub(super) fn is_program(process: &sysinfo::Process) -> bool {
    !process.cmd().is_empty()
}

pub(super) fn prepare(command: &mut Command, _launch: &Launch) {
    detach(command);
}

/// The launched process alone.
#[derive(Debug)]
pub(super) struct Family;

impl Family {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn update(
        &mut self,
        first: Pid,
        first_ended: bool,
        processes: &[ProcessInfo],
    ) -> Vec<ProcessInfo> {
        processes.iter().filter(|info| !first_ended && info.pid == first).cloned().collect()
    }

    pub(super) fn kill(&self, _child: &Child) {}
}

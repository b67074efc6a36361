//! Reads exactly the requested bytes, or fails with the reason.
//!
//! On Linux the crate process-memory compares the result of `process_vm_readv` only with -1, so it reports a short read as success and
//! leaves old bytes in the buffer. Here Linux uses nix, which returns the length. On other systems the call reads all or nothing, and
//! process-memory is used.

use super::refusal::{self, Access};
use super::{HostAddr, Pid, ReadError};

/// A failed read, before a refusal is diagnosed.
#[derive(Debug)]
pub(super) enum Failure {
    Gone,
    Refused,
    NotMapped,
    /// Readable memory ends after this many bytes.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "only Linux reads a part and returns its length")
    )]
    Short(usize),
    System(String),
}

/// Fills `buf` with the bytes at `addr`. On an error `buf` is zeroed, so that no old byte is mistaken for a new one.
pub(super) fn read_exact(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
    let requested = buf.len();
    read_raw(pid, addr, buf).map_err(|failure| match failure {
        Failure::Gone => ReadError::Gone { pid },
        Failure::Refused => refused(pid, Access::Memory),
        Failure::NotMapped => ReadError::NotMapped { pid, addr },
        Failure::Short(available) => ReadError::Short { pid, addr, requested, available },
        Failure::System(message) => ReadError::System { pid, message },
    })
}

/// As [`read_exact`], without diagnosing refusals.
pub(super) fn read_raw(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
    imp::read(pid, addr, buf).inspect_err(|_| buf.fill(0))
}

/// The error for a refusal. A process that is just ending may also refuse: that is [`ReadError::Gone`].
pub(super) fn refused(pid: Pid, access: Access) -> ReadError {
    match super::handle::start_time(pid) {
        Ok(None) => ReadError::Gone { pid },
        _ => ReadError::Refused(Box::new(refusal::of(pid, access))),
    }
}

#[cfg(target_os = "linux")]
mod imp {
    use super::{Failure, HostAddr, Pid};
    use nix::errno::Errno;
    use nix::sys::uio::{RemoteIoVec, process_vm_readv};
    use std::io::IoSliceMut;

    pub(super) fn read(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
        let raw = i32::try_from(pid.0).map_err(|_| Failure::Gone)?;
        let wanted = buf.len();
        let mut got = 0;
        while got < wanted {
            // Addresses do not fit only if a 32-bit Nextscope reads a 64-bit process.
            let base = usize::try_from(addr.offset(got as u64).0)
                .map_err(|_| Failure::System("its addresses need a 64-bit Nextscope".into()))?;
            let remote = [RemoteIoVec { base, len: wanted - got }];
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
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::{Failure, HostAddr, Pid};
    use process_memory::{CopyAddress, ProcessHandle, TryIntoProcessHandle};
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::io::{Error, ErrorKind};

    thread_local! {
        // process-memory never closes its handles, and a handle cannot change threads. Without this cache, sampling 60 times a second
        // would exhaust the system's handles.
        static HANDLES: RefCell<HashMap<Pid, ProcessHandle>> = RefCell::default();
    }

    pub(super) fn read(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
        if buf.is_empty() {
            return Ok(());
        }
        let base = usize::try_from(addr.0).map_err(|_| Failure::NotMapped)?;
        let result = HANDLES.with_borrow_mut(|handles| {
            let handle = match handles.get(&pid) {
                Some(handle) => *handle,
                None => {
                    let raw =
                        process_memory::Pid::try_from(pid.0).map_err(|_| Error::from(ErrorKind::NotFound))?;
                    let handle = raw.try_into_process_handle()?;
                    handles.insert(pid, handle);
                    handle
                }
            };
            handle.copy_address(base, buf)
        });
        result.map_err(|error| explain(pid, &error))
    }

    /// These systems read all or nothing and report fewer reasons: a process that is no longer listed is gone.
    fn explain(pid: Pid, error: &Error) -> Failure {
        if super::super::process_info(pid).is_none() {
            HANDLES.with_borrow_mut(|handles| handles.remove(&pid));
            return Failure::Gone;
        }
        match (error.kind(), error.raw_os_error()) {
            (ErrorKind::PermissionDenied, _) => Failure::Refused,
            // ERROR_PARTIAL_COPY and ERROR_NOACCESS (ReadProcessMemory, System Error Codes 0-999).
            (_, Some(299 | 998)) if cfg!(windows) => Failure::NotMapped,
            // task_for_pid and mach_vm_read_overwrite do not set errno; a refused task is the usual cause.
            _ if cfg!(target_os = "macos") && error.kind() != ErrorKind::BrokenPipe => Failure::Refused,
            _ => Failure::System(error.to_string()),
        }
    }
}

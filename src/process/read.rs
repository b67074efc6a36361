//! Reads of exactly the bytes asked for, or an error that says which of four things went wrong.
//!
//! On Linux the crate process-memory compares the result of `process_vm_readv` only with -1, so a read
//! that ends early is reported as success and leaves old bytes in the buffer. There the call goes
//! through nix, which hands the length back; elsewhere the system call is all or nothing and
//! process-memory is used.

use super::refusal::{Access, Refusal};
use super::{HostAddr, Pid};

/// Why bytes of another process could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The process has ended (or gave up its memory on the way), or its number now belongs to another process.
    #[error("process {pid} has ended")]
    Gone {
        /// The process that was being read.
        pid: Pid,
    },
    /// The system refuses the read; the refusal names the rule and the ways round it.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// It is no process that is read but what was recorded or dumped of one, and these bytes are not among it.
    #[error("the bytes at {addr} were not recorded")]
    NotHeld {
        /// Where the read began: an address of what was recorded.
        addr: HostAddr,
    },
    /// Nothing readable is mapped at the first byte asked for.
    #[error("nothing readable is mapped at {addr} in process {pid}")]
    NotMapped {
        /// The process that was being read.
        pid: Pid,
        /// Where the read began.
        addr: HostAddr,
    },
    /// Readable memory ended before the read did.
    #[error("only {got} of {wanted} bytes are readable at {addr} in process {pid}")]
    Short {
        /// The process that was being read.
        pid: Pid,
        /// Where the read began.
        addr: HostAddr,
        /// Bytes asked for.
        wanted: usize,
        /// Bytes that could be read.
        got: usize,
    },
    /// Anything else the system said.
    #[error("reading process {pid}: {message}")]
    System {
        /// The process that was being read.
        pid: Pid,
        /// The system's own words.
        message: String,
    },
}

/// What went wrong, without the search for the rule that a refusal starts.
#[derive(Debug)]
pub(super) enum Failure {
    Gone,
    Refused,
    NotMapped,
    /// Readable memory ended after so many bytes.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "only Linux reads a part and says how much")
    )]
    Short(usize),
    System(String),
}

/// Fills `buf` from `addr` on. On an error `buf` is zeroed, so that no old byte can pass for a new one.
pub(super) fn read_exact(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
    let wanted = buf.len();
    read_raw(pid, addr, buf).map_err(|failure| match failure {
        Failure::Gone => ReadError::Gone { pid },
        Failure::Refused => refused(pid, Access::Memory),
        Failure::NotMapped => ReadError::NotMapped { pid, addr },
        Failure::Short(got) => ReadError::Short { pid, addr, wanted, got },
        Failure::System(message) => ReadError::System { pid, message },
    })
}

/// The same with the bare failure.
pub(super) fn read_raw(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), Failure> {
    imp::read(pid, addr, buf).inspect_err(|_| buf.fill(0))
}

/// The error for a refusal. A process that is just ending may answer with one: that is [`ReadError::Gone`].
pub(super) fn refused(pid: Pid, access: Access) -> ReadError {
    match super::identity::start_time(pid) {
        Ok(None) => ReadError::Gone { pid },
        _ => ReadError::Refused(Box::new(Refusal::of(pid, access))),
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
            // Only a 64-bit process read by a 32-bit Nextscope has addresses that do not fit.
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
        // process-memory never closes a handle that it opened, and its handle cannot change threads:
        // without this, sampling 60 times a second would open handles until the system has none left.
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

    /// These systems read all or nothing, and say less of the reason: a process that is no longer listed is gone.
    fn explain(pid: Pid, error: &Error) -> Failure {
        if super::super::process_info(pid).is_none() {
            HANDLES.with_borrow_mut(|handles| handles.remove(&pid));
            return Failure::Gone;
        }
        match (error.kind(), error.raw_os_error()) {
            (ErrorKind::PermissionDenied, _) => Failure::Refused,
            // ERROR_PARTIAL_COPY and ERROR_NOACCESS (ReadProcessMemory, System Error Codes 0-999).
            (_, Some(299 | 998)) if cfg!(windows) => Failure::NotMapped,
            // task_for_pid and mach_vm_read_overwrite leave errno as it was; a refused task is the usual cause.
            _ if cfg!(target_os = "macos") && error.kind() != ErrorKind::BrokenPipe => Failure::Refused,
            _ => Failure::System(error.to_string()),
        }
    }
}

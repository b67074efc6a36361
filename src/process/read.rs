//! Reads of exactly the bytes asked for, or an error that says which of four things went wrong.
//!
//! On Linux the crate process-memory compares the result of `process_vm_readv` only with -1, so a read
//! that ends early is reported as success and leaves old bytes in the buffer. There the call goes
//! through nix, which hands the length back; elsewhere the system call is all or nothing and
//! process-memory is used.

use super::{HostAddr, Pid, Refusal};

/// Why bytes of another process could not be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The process has ended, or its number now belongs to another process.
    #[error("process {pid} has ended")]
    Gone {
        /// The process that was being read.
        pid: Pid,
    },
    /// The system refuses the read; the refusal names the rule and the ways round it.
    #[error("{0}")]
    Refused(Box<Refusal>),
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

/// Fills `buf` from `addr` on. On an error `buf` is zeroed, so that no old byte can pass for a new one.
pub(super) fn read_exact(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
    let result = imp::read(pid, addr, buf);
    if result.is_err() {
        buf.fill(0);
    }
    result
}

#[cfg(target_os = "linux")]
mod imp {
    use super::{HostAddr, Pid, ReadError, Refusal};
    use nix::errno::Errno;
    use nix::sys::uio::{RemoteIoVec, process_vm_readv};
    use std::io::IoSliceMut;

    pub(super) fn read(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let system = |message: &str| ReadError::System { pid, message: message.into() };
        let raw = i32::try_from(pid.0).map_err(|_| ReadError::Gone { pid })?;
        let wanted = buf.len();
        let mut got = 0;
        while got < wanted {
            let base = usize::try_from(addr.offset(got as u64).0)
                .map_err(|_| system("the address does not fit this machine"))?;
            let remote = [RemoteIoVec { base, len: wanted - got }];
            let mut local = [IoSliceMut::new(&mut buf[got..])];
            match process_vm_readv(nix::unistd::Pid::from_raw(raw), &mut local, &remote) {
                Ok(0) | Err(Errno::EFAULT) if got == 0 => return Err(ReadError::NotMapped { pid, addr }),
                Ok(0) | Err(Errno::EFAULT) => return Err(ReadError::Short { pid, addr, wanted, got }),
                Ok(n) => got += n,
                Err(Errno::ESRCH) => return Err(ReadError::Gone { pid }),
                Err(Errno::EPERM | Errno::EACCES) => {
                    return Err(ReadError::Refused(Box::new(Refusal::diagnose(pid))));
                }
                Err(Errno::EINTR) => {}
                Err(e) => return Err(system(e.desc())),
            }
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod imp {
    use super::{HostAddr, Pid, ReadError, Refusal};
    use process_memory::{CopyAddress, TryIntoProcessHandle};
    use std::io::ErrorKind;

    pub(super) fn read(pid: Pid, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let say = |e: std::io::Error| match e.kind() {
            ErrorKind::PermissionDenied => ReadError::Refused(Box::new(Refusal::diagnose(pid))),
            ErrorKind::NotFound => ReadError::Gone { pid },
            _ => ReadError::System { pid, message: e.to_string() },
        };
        let base = usize::try_from(addr.0).map_err(|_| ReadError::NotMapped { pid, addr })?;
        let raw = process_memory::Pid::try_from(pid.0).map_err(|_| ReadError::Gone { pid })?;
        let handle = raw.try_into_process_handle().map_err(say)?;
        handle.copy_address(base, buf).map_err(say)
    }
}

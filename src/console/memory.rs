//! The one memory trait: read these bytes at this address, exactly, or say why not.

use crate::process::{HostAddr, Process, ReadError};

/// Something that holds bytes at host addresses: a live process, a recording, a dump, a byte array.
pub trait Memory {
    /// Fills `buf` with the bytes from `addr` on, all of them, or fails and leaves it zeroed.
    ///
    /// # Errors
    /// See [`ReadError`].
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError>;

    /// Fills several buffers. A memory for which every read is a wait asks for all of them at once.
    ///
    /// # Errors
    /// That of the first buffer that could not be filled; what the others hold then is not said.
    fn read_each(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), ReadError> {
        parts.iter_mut().try_for_each(|(addr, buf)| self.read_exact(*addr, buf))
    }
}

impl Memory for Process {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        Process::read_exact(self, addr, buf)
    }
}

/// Bytes of our own that stand at an address: a RAM dump, a save state, a test's memory.
#[derive(Debug, Clone)]
pub struct ByteArray {
    /// The address of the first byte.
    pub base: HostAddr,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Memory for ByteArray {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        if buf.is_empty() {
            return Ok(()); // as from a live process, nothing can be read anywhere
        }
        let pid = crate::process::Pid(0);
        let found = addr
            .0
            .checked_sub(self.base.0)
            .and_then(|start| usize::try_from(start).ok())
            .and_then(|start| self.bytes.get(start..))
            .filter(|rest| !rest.is_empty());
        let Some(rest) = found else {
            buf.fill(0);
            return Err(ReadError::NotMapped { pid, addr });
        };
        let Some(bytes) = rest.get(..buf.len()) else {
            buf.fill(0);
            return Err(ReadError::Short { pid, addr, wanted: buf.len(), got: rest.len() });
        };
        buf.copy_from_slice(bytes);
        Ok(())
    }
}

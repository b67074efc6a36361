//! The memory trait: read exactly these bytes at this address, or say why not.

use crate::{HostAddr, Pid, ReadError};

/// Bytes at host addresses: a live process, a recording, a dump, a byte array.
pub trait Memory {
    /// Fills all of `buf` with the bytes at `addr`, or fails and zeroes it.
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError>;

    /// Fills several buffers. A memory whose reads wait for an answer requests all of them at once.
    ///
    /// # Errors
    /// The error of the first buffer that could not be filled; the contents of the others are unspecified.
    fn read_each(&self, parts: &mut [(HostAddr, &mut [u8])]) -> Result<(), ReadError> {
        if parts.len() > 1 && self.read_series(parts) {
            return Ok(());
        }
        parts.iter_mut().try_for_each(|(addr, buf)| self.read_exact(*addr, buf))
    }

    /// Fills several buffers in this order, in one call. False if not all of them were filled, or if this memory has no such call: single
    /// reads say why.
    fn read_series(&self, _parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        false
    }
}

/// A byte array placed at an address: a RAM dump, a save state, the memory of a test.
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
            return Ok(()); // an empty read succeeds anywhere, as in a live process
        }
        let pid = Pid(0);
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
            return Err(ReadError::Short { pid, addr, requested: buf.len(), available: rest.len() });
        };
        buf.copy_from_slice(bytes);
        Ok(())
    }

    fn read_series(&self, parts: &mut [(HostAddr, &mut [u8])]) -> bool {
        parts.iter_mut().all(|(addr, buf)| self.read_exact(*addr, buf).is_ok())
    }
}

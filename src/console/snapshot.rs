//! A domain's bytes at one moment, in bus order, read by console addresses.

use super::{ConsoleAddr, Domain, Endian, Memory, StorageOrder};
use crate::process::{HostAddr, ReadError};
use std::sync::Arc;

/// An address or span that the domain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{addr} + {len} bytes is outside {domain}")]
pub struct OutsideDomain {
    /// The address asked for.
    pub addr: ConsoleAddr,
    /// The length asked for, in bytes.
    pub len: usize,
    /// The domain's name.
    pub domain: &'static str,
}

/// A copy of a whole domain at one moment. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    domain: &'static Domain,
    bytes: Arc<[u8]>,
}

impl Snapshot {
    /// A snapshot from bytes as an emulator stores them. A wrong length is an error, so that a cut
    /// dump cannot pass for RAM.
    ///
    /// # Errors
    /// [`OutsideDomain`] when `stored` is not exactly the domain's length.
    pub fn from_stored(
        domain: &'static Domain,
        order: StorageOrder,
        mut stored: Vec<u8>,
    ) -> Result<Self, OutsideDomain> {
        if stored.len() != domain.len as usize {
            return Err(OutsideDomain { addr: domain.base, len: stored.len(), domain: domain.name });
        }
        order.reorder(&mut stored);
        Ok(Self { domain, bytes: stored.into() })
    }

    /// Reads the whole domain in one call.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn read(
        memory: &dyn Memory,
        domain: &'static Domain,
        base: HostAddr,
        order: StorageOrder,
    ) -> Result<Self, ReadError> {
        let mut bytes = vec![0; domain.len as usize];
        memory.read_exact(base, &mut bytes)?;
        order.reorder(&mut bytes);
        Ok(Self { domain, bytes: bytes.into() })
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &'static Domain {
        self.domain
    }

    /// All bytes in bus order.
    #[must_use]
    pub fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// `len` bytes from `addr` on.
    ///
    /// # Errors
    /// [`OutsideDomain`].
    pub fn bytes(&self, addr: ConsoleAddr, len: usize) -> Result<&[u8], OutsideDomain> {
        let outside = OutsideDomain { addr, len, domain: self.domain.name };
        self.domain.span(addr, len).and_then(|span| self.bytes.get(span)).ok_or(outside)
    }

    fn array<const N: usize>(&self, addr: ConsoleAddr) -> Result<[u8; N], OutsideDomain> {
        let outside = OutsideDomain { addr, len: N, domain: self.domain.name };
        self.bytes(addr, N)?.try_into().map_err(|_| outside)
    }

    /// The byte at `addr`.
    ///
    /// # Errors
    /// [`OutsideDomain`].
    pub fn u8(&self, addr: ConsoleAddr) -> Result<u8, OutsideDomain> {
        self.array(addr).map(|[byte]| byte)
    }

    /// The 16-bit number at `addr` in the processor's byte order. Odd addresses are read like any
    /// other: a debugger's view, not the processor's, which would trap.
    ///
    /// # Errors
    /// [`OutsideDomain`].
    pub fn u16(&self, addr: ConsoleAddr) -> Result<u16, OutsideDomain> {
        self.array(addr).map(match self.domain.endian {
            Endian::Big => u16::from_be_bytes,
            Endian::Little => u16::from_le_bytes,
        })
    }

    /// The 32-bit number at `addr` in the processor's byte order.
    ///
    /// # Errors
    /// [`OutsideDomain`].
    pub fn u32(&self, addr: ConsoleAddr) -> Result<u32, OutsideDomain> {
        self.array(addr).map(match self.domain.endian {
            Endian::Big => u32::from_be_bytes,
            Endian::Little => u32::from_le_bytes,
        })
    }

    /// `len` bytes as text; bytes outside printable ASCII become `.`.
    ///
    /// # Errors
    /// [`OutsideDomain`].
    pub fn text(&self, addr: ConsoleAddr, len: usize) -> Result<String, OutsideDomain> {
        let printable = |byte: &u8| if (0x20..0x7F).contains(byte) { char::from(*byte) } else { '.' };
        Ok(self.bytes(addr, len)?.iter().map(printable).collect())
    }
}

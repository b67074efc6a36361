//! A domain's bytes at one moment, in bus order, by console addresses.

use super::read_plan::merged;
use super::{ConsoleAddr, Domain, Endian, ReadPlan, StorageOrder};
use crate::{HostAddr, Memory, ReadError};
use std::ops::Range;
use std::sync::Arc;

/// An address or span outside the domain, or not in the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{addr} + {len} bytes is outside what was read of {domain}")]
pub struct OutsideDomain {
    /// The requested address.
    pub addr: ConsoleAddr,
    /// The requested length in bytes.
    pub len: usize,
    /// The domain's name.
    pub domain: &'static str,
}

/// A copy of a domain, or of parts of it, at one moment. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    domain: &'static Domain,
    /// Ascending, neither overlapping nor adjacent.
    parts: Arc<[Part]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    offset: usize,
    bytes: Box<[u8]>,
}

/// Parts at these offsets, to be filled.
fn unread(ranges: &[Range<usize>]) -> Vec<Part> {
    let empty = |range: &Range<usize>| Part { offset: range.start, bytes: vec![0; range.len()].into() };
    ranges.iter().map(empty).collect()
}

/// Where each part is in a memory, and its bytes.
fn buffers(parts: &mut [Part], base: HostAddr) -> impl Iterator<Item = (HostAddr, &mut [u8])> {
    parts.iter_mut().map(move |part| (base.offset(part.offset as u64), &mut *part.bytes))
}

impl Snapshot {
    /// A snapshot of bytes as an emulator stores them. A wrong length is an error, so that a truncated dump is not taken for RAM.
    ///
    /// # Errors
    /// [`OutsideDomain`] if `stored` is not exactly as long as the domain.
    pub fn from_stored(
        domain: &'static Domain,
        order: StorageOrder,
        mut stored: Vec<u8>,
    ) -> Result<Self, OutsideDomain> {
        if stored.len() != domain.len as usize {
            return Err(OutsideDomain { addr: domain.base, len: stored.len(), domain: domain.name });
        }
        order.reorder(&mut stored);
        Ok(Self { domain, parts: Arc::new([Part { offset: 0, bytes: stored.into() }]) })
    }

    /// A snapshot of parts of a domain: the offset of each, and its bytes in bus order.
    ///
    /// # Errors
    /// [`OutsideDomain`] if a part is empty, runs past the domain's end, or is adjacent to the part before it.
    pub fn from_parts(
        domain: &'static Domain,
        parts: impl IntoIterator<Item = (usize, Box<[u8]>)>,
    ) -> Result<Self, OutsideDomain> {
        let mut accepted: Vec<Part> = Vec::new();
        for (offset, bytes) in parts {
            let begins = accepted.last().is_none_or(|last| offset > last.offset + last.bytes.len());
            let ends = offset.checked_add(bytes.len()).is_some_and(|end| end <= domain.len as usize);
            if !begins || !ends || bytes.is_empty() {
                let addr = domain.address_at(offset);
                return Err(OutsideDomain { addr, len: bytes.len(), domain: domain.name });
            }
            accepted.push(Part { offset, bytes });
        }
        Ok(Self { domain, parts: accepted.into() })
    }

    /// Reads all of a domain in one call.
    pub fn read(
        memory: &dyn Memory,
        domain: &'static Domain,
        base: HostAddr,
        order: StorageOrder,
    ) -> Result<Self, ReadError> {
        Self::read_parts(memory, domain, base, order, &ReadPlan::full(domain))
    }

    /// Reads the parts of a domain that the plan names: first the fixed parts, then the blocks that pointers in them lead to. A pointer
    /// outside the domain is no error: its block is missing.
    pub fn read_parts(
        memory: &dyn Memory,
        domain: &'static Domain,
        base: HostAddr,
        order: StorageOrder,
        plan: &ReadPlan,
    ) -> Result<Self, ReadError> {
        let read = |ranges: &[Range<usize>]| {
            let mut parts = unread(ranges);
            memory.read_each(&mut buffers(&mut parts, base).collect::<Vec<_>>())?;
            parts.iter_mut().for_each(|part| order.reorder(&mut part.bytes));
            Ok::<_, ReadError>(parts)
        };
        let fixed = read(plan.fixed())?;
        let fixed = Self { domain, parts: fixed.into() };
        let pointed = plan.pointed_blocks(domain, |cell| fixed.u32(cell).ok());
        let is_read = |range: &Range<usize>| fixed.at(range.clone()).is_some();
        if pointed.iter().all(is_read) {
            return Ok(fixed);
        }
        let all = fixed.parts.iter().map(|part| part.offset..part.offset + part.bytes.len());
        let all = merged(domain, all.chain(pointed).collect());
        let (present, missing): (Vec<Range<usize>>, Vec<_>) = all.into_iter().partition(is_read);
        let mut parts = read(&missing)?;
        // Bytes that were read already are reused, so that pointers and fixed cells are of one moment.
        for part in &mut parts {
            let range = part.offset..part.offset + part.bytes.len();
            for old in fixed.parts.iter().filter(|old| range.contains(&old.offset)) {
                let at = old.offset - range.start;
                part.bytes[at..at + old.bytes.len()].copy_from_slice(&old.bytes);
            }
        }
        parts.extend(
            present.iter().filter_map(|range| {
                Some(Part { offset: range.start, bytes: fixed.at(range.clone())?.into() })
            }),
        );
        parts.sort_unstable_by_key(|part| part.offset);
        Ok(Self { domain, parts: parts.into() })
    }

    /// Reads the parts that the plan names, and the bytes of a cell before and after them, all in one call. None if the memory has no such
    /// call, if it failed, or if the plan has pointers.
    pub(super) fn read_between(
        memory: &dyn Memory,
        domain: &'static Domain,
        base: HostAddr,
        order: StorageOrder,
        plan: &ReadPlan,
        [before, after]: [(HostAddr, &mut [u8]); 2],
    ) -> Option<Self> {
        if plan.has_pointers() {
            return None;
        }
        let mut parts = unread(plan.fixed());
        let mut all = Vec::with_capacity(parts.len() + 2);
        all.push(before);
        all.extend(buffers(&mut parts, base));
        all.push(after);
        if !memory.read_series(&mut all) {
            return None;
        }
        parts.iter_mut().for_each(|part| order.reorder(&mut part.bytes));
        Some(Self { domain, parts: parts.into() })
    }

    /// The domain.
    pub fn domain(&self) -> &'static Domain {
        self.domain
    }

    /// All bytes of the domain in bus order; empty if only parts of it were read.
    pub fn all(&self) -> &[u8] {
        self.at(0..self.domain.len as usize).unwrap_or_default()
    }

    /// The bytes at these offsets in the domain, if all of them were read.
    pub fn at(&self, offsets: Range<usize>) -> Option<&[u8]> {
        let after = self.parts.partition_point(|part| part.offset <= offsets.start);
        let part = self.parts.get(after.checked_sub(1)?)?;
        part.bytes.get(offsets.start - part.offset..)?.get(..offsets.len())
    }

    /// The parts that were read: offsets in the domain, ascending, and their bytes.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &[u8])> {
        self.parts.iter().map(|part| (part.offset, &*part.bytes))
    }

    /// The bytes of the part with this number, to change them; None if there is no such part, or another clone of this snapshot.
    pub fn part_mut(&mut self, number: usize) -> Option<&mut [u8]> {
        Arc::get_mut(&mut self.parts)?.get_mut(number).map(|part| &mut *part.bytes)
    }

    /// All bytes of the domain in bus order, zeros where nothing was read.
    pub fn filled(&self) -> Vec<u8> {
        let mut all = vec![0; self.domain.len as usize];
        for (offset, bytes) in self.parts() {
            all[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
        all
    }

    /// `len` bytes at `addr`.
    pub fn bytes(&self, addr: ConsoleAddr, len: usize) -> Result<&[u8], OutsideDomain> {
        let outside = OutsideDomain { addr, len, domain: self.domain.name };
        self.domain.span(addr, len).and_then(|span| self.at(span)).ok_or(outside)
    }

    fn array<const N: usize>(&self, addr: ConsoleAddr) -> Result<[u8; N], OutsideDomain> {
        let outside = OutsideDomain { addr, len: N, domain: self.domain.name };
        self.bytes(addr, N)?.try_into().map_err(|_| outside)
    }

    /// The byte at `addr`.
    pub fn u8(&self, addr: ConsoleAddr) -> Result<u8, OutsideDomain> {
        self.array(addr).map(|[byte]| byte)
    }

    /// The 16-bit number at `addr` in the processor's byte order. Odd addresses are read as well, as a debugger does; the processor would
    /// trap.
    pub fn u16(&self, addr: ConsoleAddr) -> Result<u16, OutsideDomain> {
        self.array(addr).map(match self.domain.endian {
            Endian::Big => u16::from_be_bytes,
            Endian::Little => u16::from_le_bytes,
        })
    }

    /// The 32-bit number at `addr` in the processor's byte order.
    pub fn u32(&self, addr: ConsoleAddr) -> Result<u32, OutsideDomain> {
        self.array(addr).map(match self.domain.endian {
            Endian::Big => u32::from_be_bytes,
            Endian::Little => u32::from_le_bytes,
        })
    }

    /// `len` bytes as text; bytes outside printable ASCII become `.`.
    pub fn text(&self, addr: ConsoleAddr, len: usize) -> Result<String, OutsideDomain> {
        let printable = |byte: &u8| if (0x20..0x7F).contains(byte) { char::from(*byte) } else { '.' };
        Ok(self.bytes(addr, len)?.iter().map(printable).collect())
    }
}

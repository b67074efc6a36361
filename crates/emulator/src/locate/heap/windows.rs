//! The heaps of Windows itself, from Vista to 11. They are not documented, but their structures are in the public symbols of ntdll.dll
//! (`_HEAP`, `_HEAP_SEGMENT`, `_HEAP_ENTRY`, `_HEAP_VIRTUAL_ALLOC_ENTRY`); offsets here are for 32 and 64 bits. The documented way to list
//! blocks (Toolhelp32 snapshots of heaps) starts a thread in the other program, which we never do.
//!
//! A heap consists of segments. Each begins with a signature and points to its heap, whose key all headers are combined with (exclusive or).
//! A header is 8 bytes before its block: length in units including the header (16 bits), flags (8), the exclusive or of those three bytes
//! (8), length of the block before (16), segment (8), unused bytes (8). A long block has an allocation of its own, whose beginning has its
//! length; its header has the unused bytes in place of the length.
//!
//! Not found: blocks of less than 16 KiB that the front end allocates, once a program has several of a size, and those in segment heaps,
//! which a program has only if its manifest asks for them. No Windows was at hand: tests have memory written after these structures.

use super::{Allocation, HEADER, Search, Width};
use crate::process::{HostAddr, ReadError};

/// The flag of a block in use (`HEAP_ENTRY_BUSY`).
const BUSY: u8 = 1;
/// Flags in the unused bytes of blocks of the front end, whose headers are others.
const FRONT_END: u8 = 0xC0;

/// Offsets in the structures, and lengths of them.
struct Layout {
    width: Width,
    // _HEAP_SEGMENT, with which _HEAP begins
    last_entry: usize,
    // _HEAP
    encoding: u64,
    // _HEAP_VIRTUAL_ALLOC_ENTRY
    committed: usize,
    virtual_len: usize,
}

const LAYOUTS: [Layout; 2] = [
    Layout { width: Width::Narrow, last_entry: 0x28, encoding: 0x50, committed: 0x10, virtual_len: 0x20 },
    Layout { width: Width::Wide, last_entry: 0x48, encoding: 0x88, committed: 0x20, virtual_len: 0x40 },
];

/// A decoded header: length in units, and bytes of them that the block does not use.
#[derive(Clone, Copy)]
struct Header {
    size: u64,
    unused: u8,
}

/// The header of a block in use, if it is one. Heaps without a key have plain headers.
fn decode(stored: u64, key: u64) -> Option<Header> {
    [key, 0].into_iter().map(|key| (stored ^ key).to_le_bytes()).find_map(|bytes| {
        let [low, high, flags, check, _, _, _, unused] = bytes;
        let is_header = low ^ high ^ flags == check && flags & BUSY != 0;
        is_header.then(|| Header { size: u16::from_le_bytes([low, high]).into(), unused })
    })
}

/// Adds the blocks of all heaps.
pub(super) fn search(search: &mut Search, allocations: &[Allocation]) -> Result<(), ReadError> {
    for layout in &LAYOUTS {
        let mut keys = Vec::new();
        for segment in allocations {
            let Some(key) = layout.key_of(search, segment) else { continue };
            if !keys.contains(&key) {
                keys.push(key);
            }
            let end = layout.width.number(&segment.start, layout.last_entry).map_or(segment.base, HostAddr);
            let unit = layout.width.unit() as u64;
            search.add_blocks(&segment.areas_until(end), layout.width, |stored| {
                let header = decode(stored, key)?;
                let is_short = header.unused & FRONT_END == 0;
                (header.size * unit).checked_sub(header.unused.into()).filter(|_| is_short)
            })?;
        }
        for allocation in allocations {
            layout.add_long(search, allocation, &keys);
        }
    }
    Ok(())
}

impl Layout {
    /// The key of the heap to which a segment belongs. None if the allocation is no segment.
    fn key_of(&self, search: &Search, segment: &Allocation) -> Option<u64> {
        let heap = segment.heap(self.width)?;
        let mut key = [0; 8];
        search.space.read_exact(HostAddr(heap).offset(self.encoding), &mut key).ok()?;
        Some(u64::from_le_bytes(key))
    }

    /// Adds the block of an allocation that consists of one.
    fn add_long(&self, search: &mut Search, allocation: &Allocation, keys: &[u64]) {
        let block = allocation.base.offset(self.virtual_len as u64);
        let Some(stored) = allocation.header(self.virtual_len - HEADER) else { return };
        let Some(committed) = self.width.number(&allocation.start, self.committed) else { return };
        for header in keys.iter().filter_map(|key| decode(stored, *key)) {
            if let Some(len) = committed.checked_sub(header.size) {
                search.add_block(block, len);
            }
        }
    }
}

#[cfg(test)]
#[path = "windows_tests.rs"]
mod tests;

//! The heaps of Wine since version 8 (`dlls/ntdll/heap.c`: `struct block`, `SUBHEAP`, `ARENA_LARGE`).
//!
//! A header is the 8 bytes before its block: length in units including the header (16 bits), unused bytes (16), distance to the beginning
//! of the allocation in 64 KiB (16), type (8), flags (8). An allocation begins with four units: in the last 8 bytes of them is the
//! header of its first block, or of its only block if that is long. The heap itself is at the beginning of the first one, with the signature
//! of Windows.

use super::{Allocation, HEADER, Search, Width};
use crate::process::ReadError;

/// `BLOCK_TYPE_USED`, `BLOCK_TYPE_FREE`, `BLOCK_TYPE_LARGE`.
const USED: u8 = b'u';
const FREE: u8 = b'F';
const LONG: u8 = b'L';
/// `BLOCK_FLAG_FREE`.
const IS_FREE: u8 = 1;

struct Header {
    size: u64,
    unused: u64,
    distance: u16,
    kind: u8,
    flags: u8,
}

impl Header {
    fn of(stored: u64) -> Self {
        let [size, size_high, unused, unused_high, distance, distance_high, kind, flags] =
            stored.to_le_bytes();
        Self {
            size: u16::from_le_bytes([size, size_high]).into(),
            unused: u16::from_le_bytes([unused, unused_high]).into(),
            distance: u16::from_le_bytes([distance, distance_high]),
            kind,
            flags,
        }
    }
}

/// The length of a block in use.
fn len_of(stored: u64, width: Width) -> Option<u64> {
    let header = Header::of(stored);
    let is_used = header.kind == USED && header.flags & IS_FREE == 0;
    (header.size * width.unit() as u64).checked_sub(HEADER as u64 + header.unused).filter(|_| is_used)
}

/// Adds the blocks of all heaps.
pub(super) fn search(search: &mut Search, allocations: &[Allocation]) -> Result<(), ReadError> {
    for width in Width::ALL {
        for allocation in allocations {
            add_blocks_of(search, allocation, width)?;
        }
    }
    Ok(())
}

fn add_blocks_of(search: &mut Search, allocation: &Allocation, width: Width) -> Result<(), ReadError> {
    let (pointer, first) = (width.pointer(), 4 * width.unit());
    let Some(header) = allocation.header(first - HEADER).map(Header::of) else { return Ok(()) };
    let is_first = |kinds: &[u8]| kinds.contains(&header.kind) && header.distance == 0;
    // Before the lengths stand `__pad` and, if the block is long, a list.
    let padding = if width == Width::Wide { 2 * pointer } else { pointer };
    let number = |at: usize| width.number(&allocation.start, at);
    if is_first(&[LONG]) {
        if let Some(len) = number(padding + 2 * pointer) {
            search.add_block(allocation.base.offset(first as u64), len);
        }
    } else if is_first(&[USED, FREE]) {
        let Some(committed) = number(padding + pointer) else { return Ok(()) };
        let end = allocation.base.offset(first as u64).offset(committed);
        search.add_blocks(&allocation.areas_until(end), width, |stored| len_of(stored, width))?;
    } else if allocation.heap(width) == Some(0) {
        search.add_blocks(&allocation.areas, width, |stored| len_of(stored, width))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "wine_tests.rs"]
mod tests;

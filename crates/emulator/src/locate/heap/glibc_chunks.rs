//! The chunks of a heap of glibc, by the chain that they form: each begins where the one before it ends, so their headers alone tell
//! where they are. Most of a heap is in long chunks, whose content is not read.
//!
//! The process runs meanwhile. A chunk that is freed or split just then leaves a header that was valid a moment ago, which leads on; any
//! other word there leads to none, or beyond the heap. What counts is a chain from the first byte of the heap to the last.

use super::HEADER;
use crate::locate::scan::AddressSpace;
use crate::process::{HostAddr, ReadError, Region};
use std::ops::Range;
use std::time::Instant;

/// The flags that the size word of a chunk in a heap may have in its lowest bits. The others are 0: sizes are multiples of 16.
pub(super) const FLAGS: u64 = 1 | 4;
pub(super) const ALIGNMENT: u64 = 16;
/// The shortest chunk (glibc, `malloc/malloc.c`, `MINSIZE`).
const SHORTEST: u64 = 32;
/// A longer heap is not followed: all its pages would be asked for at once.
const LONGEST_HEAP: u64 = 1 << 30;

pub(super) const PAGE: u64 = 4096;
/// The most that is read at once, where chunk follows chunk.
const LONGEST_READ: u64 = 64 * PAGE;

/// The blocks of those chunks for whose size word `len_of` gives a length, with it; None if the chain does not go through all of the heap.
///
/// # Errors
/// If the process ended or may not be read.
pub(super) fn chunks(
    space: &dyn AddressSpace,
    heap: &Region,
    until: Instant,
    len_of: impl Fn(u64) -> Option<u64>,
) -> Result<Option<Vec<(HostAddr, u64)>>, ReadError> {
    if heap.len > LONGEST_HEAP {
        return Ok(None);
    }
    let mut headers = Headers::new(space, heap);
    let mut wanted = Vec::new();
    let mut at = heap.start;
    while at < heap.end() {
        // The size word follows the 8 bytes that belong to the chunk before.
        let Some(word) = headers.word(at.offset(8), until)? else { return Ok(None) };
        let size = word & !FLAGS;
        if size < SHORTEST || !size.is_multiple_of(ALIGNMENT) || size > heap.end().0 - at.0 {
            return Ok(None);
        }
        if let Some(len) = len_of(word) {
            wanted.push((at.offset(8 + HEADER as u64), len));
        }
        at = at.offset(size);
    }
    Ok(Some(wanted))
}

/// Reads words at ascending addresses, in pages that were touched: a page at once, and more where one is read after the other.
struct Headers<'a> {
    space: &'a dyn AddressSpace,
    touched: Vec<Range<u64>>,
    start: u64,
    bytes: Vec<u8>,
}

impl<'a> Headers<'a> {
    fn new(space: &'a dyn AddressSpace, heap: &Region) -> Self {
        let touched = space.touched_ranges(heap).into_iter().map(|(start, len)| start.0..start.0 + len);
        Self { space, touched: touched.collect(), start: heap.start.0, bytes: Vec::new() }
    }

    fn word(&mut self, at: HostAddr, until: Instant) -> Result<Option<u64>, ReadError> {
        if let Some(word) = self.stored(at) {
            return Ok(Some(word));
        }
        let read = Instant::now() < until && self.read(at)?;
        Ok(self.stored(at).filter(|_| read))
    }

    fn stored(&self, at: HostAddr) -> Option<u64> {
        let offset = usize::try_from(at.0.checked_sub(self.start)?).ok()?;
        let word = self.bytes.get(offset..)?.first_chunk()?;
        Some(u64::from_le_bytes(*word))
    }

    /// Reads from the page of an address on. Returns whether the word there was read.
    fn read(&mut self, at: HostAddr) -> Result<bool, ReadError> {
        let start = at.0 / PAGE * PAGE;
        let follows = start == self.start + self.bytes.len() as u64;
        let len = if follows { (2 * self.bytes.len() as u64).clamp(PAGE, LONGEST_READ) } else { PAGE };
        let after = self.touched.partition_point(|range| range.end <= start);
        let Some(range) = self.touched.get(after).filter(|range| range.contains(&start)) else {
            return Ok(false);
        };
        let len = len.min(range.end - start);
        self.start = start;
        self.bytes.resize(usize::try_from(len).unwrap_or_default(), 0);
        match self.space.read_exact(HostAddr(start), &mut self.bytes) {
            Ok(()) => Ok(true),
            Err(error) if error.concerns_all_addresses() => Err(error),
            Err(_) => Ok(false),
        }
    }
}

#[cfg(test)]
#[path = "glibc_chunks_tests.rs"]
mod tests;

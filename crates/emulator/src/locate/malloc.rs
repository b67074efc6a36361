//! Heap blocks of exactly the size of a console's RAM, found by the size word that the C library stores before each block.
//!
//! glibc's malloc: the 8 bytes before a block contain its length, rounded up to 16 with those 8 bytes included, and three flags in the
//! lowest bits (1: the previous block is in use, 2: the block has its own mapping, 4: not from the main arena); blocks are
//! 16-byte aligned (glibc, `malloc/malloc.c`, `struct malloc_chunk`). For 64 KiB the word reads 0x10011, as measured in
//! BlastEm and MAME.
//!
//! Long blocks (initially from 128 KiB on, at most from 32 MiB on: `M_MMAP_THRESHOLD`, mallopt(3)) get their own mapping: the size is
//! rounded up to pages, flag 2 is set, and the block begins 16 bytes into the mapping.

use super::scan::{AddressSpace, Budget, ScanTotals, scan};
use crate::process::{HostAddr, ReadError, Region};

/// The most blocks returned. MAME has 31 of 64 KiB.
const MAX_BLOCKS: usize = 1024;
/// The flags that a block in the heap may have.
const FLAGS: u64 = 1 | 4;
/// The flag of a block with its own mapping.
const MAPPED: u64 = 2;
const HEADER: u64 = 8;
const ALIGNMENT: u64 = 16;
const PAGE: u64 = 4096;
/// The smallest length for which glibc may use a separate mapping.
const MAPPED_FROM: u32 = 128 * 1024;

/// The size word of a block of `len` bytes, without flags.
fn size_word(len: u32) -> u64 {
    (u64::from(len) + HEADER).next_multiple_of(ALIGNMENT)
}

/// The size word of a block with its own mapping; such a block cannot share its last 8 bytes with a next block.
fn mapped_size_word(len: u32) -> u64 {
    (u64::from(len) + 2 * HEADER).next_multiple_of(PAGE)
}

/// Blocks of exactly these lengths, in the main heap and at the beginnings of mappings. The heap is read once for all lengths.
///
/// # Errors
/// If the process ended or may not be read.
pub(super) fn blocks(
    space: &dyn AddressSpace,
    regions: &[Region],
    lengths: &[u32],
    budget: Budget,
) -> Result<(Vec<(HostAddr, u32)>, ScanTotals), ReadError> {
    let heap: Vec<&Region> =
        regions.iter().filter(|region| is_heap(region) && region.may_hold_data()).collect();
    let words: Vec<(u64, u32)> = lengths.iter().map(|len| (size_word(*len), *len)).collect();
    let mut found = Vec::new();
    let scanned = scan(space, &heap, 0, budget, |piece, at| {
        // Pages are aligned, so every piece begins at a multiple of 16, with size words at offset 8 of each 16 bytes.
        for (index, chunk) in piece.chunks_exact(16).enumerate() {
            let Some(value) = chunk.last_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes)) else {
                continue;
            };
            for (word, len) in &words {
                if value & !FLAGS == *word && found.len() < MAX_BLOCKS {
                    found.push((at.offset(16 * index as u64 + 16), *len));
                }
            }
        }
    })?;
    found.retain(|(block, len)| heap.iter().any(|region| region.contains(*block, (*len).into())));
    found.extend(mapped(space, regions, lengths));
    Ok((found, scanned))
}

/// Blocks at the beginning of a mapping. The system merges adjacent mappings, so a block may be missed here; the content search finds it.
fn mapped(space: &dyn AddressSpace, regions: &[Region], lengths: &[u32]) -> Vec<(HostAddr, u32)> {
    let mut found = Vec::new();
    for &len in lengths.iter().filter(|len| **len >= MAPPED_FROM) {
        let word = mapped_size_word(len);
        let anonymous =
            |region: &&Region| region.path.is_none() && region.len >= word && region.may_hold_data();
        for region in regions.iter().filter(anonymous) {
            let mut stored = [0; 8];
            let read = space.read_exact(region.start.offset(HEADER), &mut stored);
            if read.is_ok() && u64::from_le_bytes(stored) == word | MAPPED {
                found.push((region.start.offset(2 * HEADER), len));
            }
        }
    }
    found
}

fn is_heap(region: &Region) -> bool {
    region.path.as_ref().is_some_and(|path| path.as_os_str() == "[heap]")
}

#[cfg(test)]
#[path = "malloc_tests.rs"]
mod tests;

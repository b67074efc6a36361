//! Heap blocks of exactly the size of a console's RAM, by the size word that the C library keeps in front of each.
//!
//! glibc's malloc: 8 bytes before the block stand its length, rounded up to 16 with those 8 bytes included, and three flags in the
//! lowest bits (1 the block before is in use, 2 a mapping of its own, 4 not from the main arena); blocks are
//! 16-byte aligned (glibc, `malloc/malloc.c`, `struct malloc_chunk`). For 64 KiB the word reads 0x10011, as measured in
//! BlastEm and MAME.
//!
//! Long blocks (from 128 KiB on at first, from 32 MiB at last: `M_MMAP_THRESHOLD`, mallopt(3)) get a mapping of their own: the size is
//! rounded up to whole pages, flag 2 is set, and the block stands 16 bytes behind the mapping's beginning.

use super::scan::{Budget, Scanned, Space, scan};
use crate::process::{HostAddr, ReadError, Region};

/// Places kept at most. MAME has 31 blocks of 64 KiB.
const PLACES_MOST: usize = 1024;
/// The flags that may be set on a block in the heap.
const FLAGS: u64 = 1 | 4;
/// The one flag of a block with a mapping of its own.
const MAPPED: u64 = 2;
const HEADER: u64 = 8;
const ALIGNMENT: u64 = 16;
const PAGE: u64 = 4096;
/// Where glibc may begin to give a block a mapping of its own.
const MAPPED_FROM: u32 = 128 * 1024;

/// What the size word of a block for `len` bytes holds, without its flags.
fn size_word(len: u32) -> u64 {
    (u64::from(len) + HEADER).next_multiple_of(ALIGNMENT)
}

/// The same for a block with a mapping of its own, which has no block behind it to share its last 8 bytes with.
fn mapped_size_word(len: u32) -> u64 {
    (u64::from(len) + 2 * HEADER).next_multiple_of(PAGE)
}

/// Blocks made for exactly so many bytes, with that length: in the main heap, and at the beginnings of mappings. The heap is read once for
/// all lengths.
///
/// # Errors
/// When the process ended or refuses to be read.
pub(super) fn blocks(
    space: &dyn Space,
    regions: &[Region],
    lengths: &[u32],
    budget: Budget,
) -> Result<(Vec<(HostAddr, u32)>, Scanned), ReadError> {
    let heap: Vec<&Region> =
        regions.iter().filter(|region| is_heap(region) && region.may_hold_data()).collect();
    let words: Vec<(u64, u32)> = lengths.iter().map(|len| (size_word(*len), *len)).collect();
    let mut found = Vec::new();
    let scanned = scan(space, &heap, 0, budget, |piece, at| {
        // Pages are aligned, so every piece begins at a multiple of 16 and size words stand at 8 in each 16 bytes.
        for (index, chunk) in piece.chunks_exact(16).enumerate() {
            let Some(value) = chunk.last_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes)) else {
                continue;
            };
            for (word, len) in &words {
                if value & !FLAGS == *word && found.len() < PLACES_MOST {
                    found.push((at.offset(16 * index as u64 + 16), *len));
                }
            }
        }
    })?;
    found.retain(|(block, len)| heap.iter().any(|region| region.holds(*block, (*len).into())));
    found.extend(mapped(space, regions, lengths));
    Ok((found, scanned))
}

/// Blocks that stand at the beginning of a mapping. Mappings that touch are one to the system, so that a block may be missed
/// here, and is found by content.
fn mapped(space: &dyn Space, regions: &[Region], lengths: &[u32]) -> Vec<(HostAddr, u32)> {
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

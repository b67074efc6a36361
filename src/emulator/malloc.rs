//! Heap blocks of exactly the size of a console's RAM, by the size word that the C library keeps in front of each.
//!
//! glibc's malloc: 8 bytes before the block stand its length, rounded up to 16 with those 8 bytes included, and three flags in the
//! lowest bits (1 the block before is in use, 2 a mapping of its own, 4 not from the main arena); blocks are
//! 16-byte aligned (glibc, `malloc/malloc.c`, `struct malloc_chunk`). For 64 KiB the word reads 0x10011, as measured in
//! BlastEm and MAME.

use super::scan::{Budget, Scanned, Space, may_hold_ram, scan};
use crate::process::{HostAddr, ReadError, Region};

/// Places kept at most. MAME has 31 blocks of 64 KiB.
const PLACES_MOST: usize = 1024;
/// The flags that may be set. Flag 2 would be a mapping of its own, which 64 KiB are too short for.
const FLAGS: u64 = 1 | 4;
const HEADER: u64 = 8;
const ALIGNMENT: u64 = 16;

/// What the size word of a block for `len` bytes holds, without its flags.
fn size_word(len: u32) -> u64 {
    (u64::from(len) + HEADER).next_multiple_of(ALIGNMENT)
}

/// Blocks made for exactly `len` bytes in the main heap.
///
/// # Errors
/// When the process ended or refuses to be read.
pub(super) fn blocks(
    space: &dyn Space,
    regions: &[Region],
    len: u32,
    budget: Budget,
) -> Result<(Vec<HostAddr>, Scanned), ReadError> {
    let heap: Vec<&Region> =
        regions.iter().filter(|region| is_heap(region) && may_hold_ram(region)).collect();
    let word = size_word(len);
    let mut found = Vec::new();
    let scanned = scan(space, &heap, 0, budget, |piece, at| {
        // Pages are aligned, so every piece begins at a multiple of 16 and size words stand at 8 in each 16 bytes.
        for (index, chunk) in piece.chunks_exact(16).enumerate() {
            let Some(value) = chunk.last_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes)) else {
                continue;
            };
            if value & !FLAGS == word && found.len() < PLACES_MOST {
                found.push(at.offset(16 * index as u64 + 16));
            }
        }
    })?;
    let fits = |block: &HostAddr| heap.iter().any(|region| region.holds(*block, len.into()));
    found.retain(fits);
    Ok((found, scanned))
}

fn is_heap(region: &Region) -> bool {
    region.path.as_ref().is_some_and(|path| path.as_os_str() == "[heap]")
}

#[cfg(test)]
#[path = "malloc_tests.rs"]
mod tests;

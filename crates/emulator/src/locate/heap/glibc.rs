//! glibc's malloc: the 8 bytes before a block contain its length, rounded up to 16 with those 8 bytes included, and three flags in the
//! lowest bits (1: the previous block is in use, 2: the block has its own mapping, 4: not from the main arena); blocks are
//! 16-byte aligned (glibc, `malloc/malloc.c`, `struct malloc_chunk`). For 64 KiB the word reads 0x10011, as measured in
//! BlastEm and MAME.
//!
//! Long blocks (initially from 128 KiB on, at most from 32 MiB on: `M_MMAP_THRESHOLD`, mallopt(3)) get their own mapping: the size is
//! rounded up to pages, flag 2 is set, and the block begins 16 bytes into the mapping.

use super::glibc_chunks::{ALIGNMENT, FLAGS, PAGE, chunks};
use super::{HEADER, Search, Width};
use crate::process::{ReadError, Region};

/// The flag of a block with its own mapping.
const MAPPED: u64 = 2;
/// The smallest length for which glibc may use a separate mapping.
const MAPPED_FROM: u32 = 128 * 1024;

/// The size word of a block of `len` bytes, without flags.
fn size_word(len: u32) -> u64 {
    (u64::from(len) + HEADER as u64).next_multiple_of(ALIGNMENT)
}

/// The size word of a block with its own mapping; such a block cannot share its last 8 bytes with a next block.
fn mapped_size_word(len: u32) -> u64 {
    (u64::from(len) + 2 * HEADER as u64).next_multiple_of(PAGE)
}

/// Adds the blocks in the main heap and at the beginnings of mappings.
pub(super) fn search(search: &mut Search) -> Result<(), ReadError> {
    let is_searched = |region: &&Region| is_heap(region) && region.may_hold_data();
    let words: Vec<(u64, u32)> = search.lengths.iter().map(|len| (size_word(*len), *len)).collect();
    let len_of = |header: u64| {
        let (_, len) = words.iter().find(|(word, _)| header & !FLAGS == *word)?;
        Some(u64::from(*len))
    };
    for heap in search.regions.iter().filter(is_searched) {
        match chunks(search.space, heap, search.until, len_of)? {
            Some(wanted) => {
                wanted.into_iter().for_each(|(block, len)| search.add_block(block, len));
                search.scanned.bytes += heap.len;
            }
            // Another program's heap, or one in which not only the allocator takes memory: what looks like a header is taken for one.
            None => search.add_blocks(std::slice::from_ref(heap), Width::Wide, len_of)?,
        }
    }
    add_mapped(search);
    Ok(())
}

/// Adds blocks at the beginning of a mapping. The system merges adjacent mappings, so a block may be missed here; the content search finds
/// it.
fn add_mapped(search: &mut Search) {
    for &len in search.lengths.iter().filter(|len| **len >= MAPPED_FROM) {
        let word = mapped_size_word(len);
        let anonymous =
            |region: &&Region| region.path.is_none() && region.len >= word && region.may_hold_data();
        for region in search.regions.iter().filter(anonymous) {
            let mut stored = [0; 8];
            let read = search.space.read_exact(region.start.offset(HEADER as u64), &mut stored);
            if read.is_ok() && u64::from_le_bytes(stored) == word | MAPPED {
                search.add_block(region.start.offset(2 * HEADER as u64), len.into());
            }
        }
    }
}

fn is_heap(region: &Region) -> bool {
    region.path.as_ref().is_some_and(|path| path.as_os_str() == "[heap]")
}

#[cfg(test)]
#[path = "glibc_tests.rs"]
mod tests;

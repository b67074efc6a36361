//! Heap blocks of exactly the size of a console's RAM, found by the headers that allocators store before their blocks. Each allocator has
//! a file: the C library of Linux, Windows, Wine.

mod glibc;
mod glibc_chunks;
mod windows;
mod wine;

use super::scan::{AddressSpace, Budget, ScanTotals, scan};
use crate::process::{HostAddr, ReadError, Region};
use std::time::Instant;

/// The most blocks returned. MAME has 31 of 64 KiB.
const MAX_BLOCKS: usize = 1024;
/// The length of the part of a header that says how long its block is; the block follows it.
const HEADER: usize = 8;

/// How far apart headers are: blocks are aligned to two pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// A program of 32 bits.
    Narrow,
    /// A program of 64 bits.
    Wide,
}

impl Width {
    const ALL: [Self; 2] = [Self::Narrow, Self::Wide];

    fn pointer(self) -> usize {
        if self == Self::Narrow { 4 } else { 8 }
    }

    /// The unit in which allocators count, and to which they align blocks.
    fn unit(self) -> usize {
        2 * self.pointer()
    }

    /// A number of the length of a pointer in `bytes`.
    fn number(self, bytes: &[u8], at: usize) -> Option<u64> {
        let mut number = [0; 8];
        number[..self.pointer()].copy_from_slice(bytes.get(at..at + self.pointer())?);
        Some(u64::from_le_bytes(number))
    }
}

/// Blocks of exactly these lengths, with their lengths, in address order. Heaps are read once for all lengths.
///
/// # Errors
/// If the process ended or may not be read.
pub(super) fn blocks(
    space: &dyn AddressSpace,
    regions: &[Region],
    lengths: &[u32],
    budget: Budget,
) -> Result<(Vec<(HostAddr, u32)>, ScanTotals), ReadError> {
    let until = Instant::now() + budget.time;
    let scanned = ScanTotals::default();
    let mut search = Search { space, regions, lengths, budget, until, found: Vec::new(), scanned };
    if is_windows_program(regions) {
        let allocations = allocations(space, regions);
        windows::search(&mut search, &allocations)?;
        wine::search(&mut search, &allocations)?;
    } else {
        glibc::search(&mut search)?;
    }
    let Search { mut found, scanned, .. } = search;
    found.sort_unstable();
    found.dedup();
    Ok((found, scanned))
}

/// Whether a program has the library of Windows in which its heaps are, as all have on Windows and in Wine.
pub(super) fn is_windows_program(regions: &[Region]) -> bool {
    let is_ntdll = |name: String| name.eq_ignore_ascii_case("ntdll.dll");
    regions.iter().any(|region| region.file_name().is_some_and(is_ntdll))
}

struct Search<'a> {
    space: &'a dyn AddressSpace,
    regions: &'a [Region],
    lengths: &'a [u32],
    /// For all heaps together.
    budget: Budget,
    until: Instant,
    found: Vec<(HostAddr, u32)>,
    scanned: ScanTotals,
}

impl Search<'_> {
    /// Adds the blocks in `areas`, which begin at a page, whose header gives one of the lengths by `len_of`.
    fn add_blocks(
        &mut self,
        areas: &[Region],
        width: Width,
        len_of: impl Fn(u64) -> Option<u64>,
    ) -> Result<(), ReadError> {
        let areas: Vec<&Region> = areas.iter().collect();
        let budget = Budget {
            bytes: self.budget.bytes.saturating_sub(self.scanned.bytes),
            time: self.until.saturating_duration_since(Instant::now()),
        };
        let scanned = scan(self.space, &areas, 0, budget, |piece, at| {
            // Blocks are aligned, and a header ends where its block begins.
            for (index, unit) in piece.chunks_exact(width.unit()).enumerate() {
                let header = unit.last_chunk::<HEADER>().map(|bytes| u64::from_le_bytes(*bytes));
                if let Some(len) = header.and_then(&len_of) {
                    self.add_block(at.offset(((index + 1) * width.unit()) as u64), len);
                }
            }
        })?;
        self.scanned.bytes += scanned.bytes;
        self.scanned.skipped += scanned.skipped;
        self.scanned.timed_out |= scanned.timed_out;
        Ok(())
    }

    /// Adds a block if it has one of the lengths and is inside of a region.
    fn add_block(&mut self, block: HostAddr, len: u64) {
        if let Some(len) = self.lengths.iter().find(|wanted| u64::from(**wanted) == len)
            && self.found.len() < MAX_BLOCKS
            && self.regions.iter().any(|region| region.contains(block, (*len).into()))
        {
            self.found.push((block, *len));
        }
    }
}

/// Memory that a Windows program reserved at once, as heaps do.
struct Allocation {
    base: HostAddr,
    /// Its first bytes.
    start: [u8; Self::START],
    /// Its readable and writable memory; on Linux also what follows it.
    areas: Vec<Region>,
}

impl Allocation {
    /// As much as a heap is recognised by.
    const START: usize = 0x50;
    /// Windows and Wine reserve memory at multiples of this (`SYSTEM_INFO`, `dwAllocationGranularity`).
    const GRANULARITY: usize = 0x1_0000;
    /// The most that are looked at: a gigabyte of them, if each has the least size.
    const MOST: usize = 1 << 14;

    /// The heap to which the segment that begins here belongs (`_HEAP_SEGMENT`: `SegmentSignature`, `Heap`); 0 in Wine, whose heaps have
    /// the signature too.
    fn heap(&self, width: Width) -> Option<u64> {
        let pointer = if width == Width::Narrow { 0x18 } else { 0x28 };
        let is_segment = self.start[width.unit()..].first_chunk() == Some(&0xFFEE_FFEE_u32.to_le_bytes());
        width.number(&self.start, pointer).filter(|_| is_segment)
    }

    /// Its memory below an address.
    fn areas_until(&self, end: HostAddr) -> Vec<Region> {
        let below = self.areas.iter().filter(|area| area.start < end);
        below.map(|area| Region { len: area.len.min(end.0 - area.start.0), ..area.clone() }).collect()
    }

    /// A header, at an offset.
    fn header(&self, at: usize) -> Option<u64> {
        Width::Wide.number(&self.start, at)
    }
}

/// The private allocations of a Windows program. Windows lists them apart; on Linux, where Wine's are mappings, those that meet are one.
fn allocations(space: &dyn AddressSpace, regions: &[Region]) -> Vec<Allocation> {
    let private = |region: &&Region| region.path.is_none() && region.may_hold_data();
    let mut found: Vec<Allocation> = Vec::new();
    for region in regions.iter().filter(private) {
        if region.file_offset > 0 {
            // Another part of an allocation, if its beginning is in use.
            let base = HostAddr(region.start.0.wrapping_sub(region.file_offset));
            if let Some(allocation) = found.last_mut().filter(|last| last.base == base) {
                allocation.areas.push(region.clone());
            }
            continue;
        }
        let Some(first) = region.start.0.checked_next_multiple_of(Allocation::GRANULARITY as u64) else {
            continue;
        };
        let end = if cfg!(windows) { first.saturating_add(1) } else { region.end().0 };
        for base in (first..end).step_by(Allocation::GRANULARITY) {
            let mut start = [0; Allocation::START];
            if found.len() < Allocation::MOST && space.read_exact(HostAddr(base), &mut start).is_ok() {
                let area = Region { start: HostAddr(base), len: region.end().0 - base, ..region.clone() };
                found.push(Allocation { base: HostAddr(base), start, areas: vec![area] });
            }
        }
    }
    found
}

//! Pointer paths: from a static cell over pointers to a cell that moves.
//!
//! All cells that contain an address in the searched memory are collected, by that address. The search goes backward from the
//! target: a cell with an address a little below the target leads to it, a cell with an address a little below that cell leads to
//! that one, and so on until a cell is static. The caller defines what is static: all RAM of a console, the modules of a process.
//! Most paths found in one run are chance; follow them again in another run or after a reset.

use super::source::{Address, Source};
use nextscope_emulator::process::ReadError;
use nextscope_memory::console::Endian;
use nextscope_task::Progress;
use std::fmt;

const PIECE: usize = 1 << 20;

/// The format of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerKind {
    /// 4 or 8 bytes.
    pub wide: bool,
    /// The order of its bytes.
    pub order: Endian,
    /// The bits that are the address: a 68000 has 24 address lines and ignores the bits above.
    pub mask: u64,
    /// Pointers are at multiples of this.
    pub alignment: u64,
}

impl PointerKind {
    /// Of a program on this machine.
    pub const NATIVE: Self = Self { wide: true, order: Endian::Little, mask: u64::MAX, alignment: 8 };

    fn width(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    fn read(self, bytes: &[u8]) -> u64 {
        self.order.number(bytes) & self.mask
    }
}

/// The settings of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerSettings {
    /// The format of a pointer.
    pub kind: PointerKind,
    /// The largest offset after a pointer, in bytes.
    pub offset_most: u64,
    /// The most pointers in a path.
    pub depth: usize,
    /// The most paths, shortest first.
    pub most: usize,
}

/// A path: follow the pointer at `base`, add the first offset, follow the pointer there, and so on; the last offset leads to the
/// target.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PointerPath {
    /// The static cell.
    pub base: Address,
    /// The offset after each pointer in bytes; at least one.
    pub offsets: Vec<u64>,
}

/// Why a search failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PointerError {
    /// Memory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl PointerPath {
    /// Where the path leads now; None when a pointer cannot be read.
    pub fn follow(&self, source: &dyn Source, kind: PointerKind) -> Option<Address> {
        let mut at = self.base;
        for offset in &self.offsets {
            let mut bytes = [0; 8];
            let bytes = &mut bytes[..kind.width()];
            source.read(at, bytes).ok()?;
            at = Address(kind.read(bytes)).offset(*offset);
        }
        Some(at)
    }
}

impl fmt::Display for PointerPath {
    /// `[[0x1000] + 0x10] + 0x4`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.base.to_string();
        for offset in &self.offsets {
            text = format!("[{text}]");
            if *offset > 0 {
                text = format!("{text} + 0x{offset:X}");
            }
        }
        f.write_str(&text)
    }
}

/// All pointers in a memory, by their targets.
#[derive(Debug, Clone)]
pub struct PointerMap {
    /// (target, address), ascending.
    pointers: Vec<(Address, Address)>,
}

impl PointerMap {
    /// Reads a source and collects the cells that contain an address in it, or in the same RAM.
    pub fn new(source: &dyn Source, kind: PointerKind, progress: &Progress) -> Result<Self, PointerError> {
        let spans = source.spans()?;
        progress.begin(spans.iter().map(|span| span.len).sum());
        let range = source.pointer_range();
        let goals = range.as_ref().map_or(&spans[..], std::slice::from_ref);
        let inside = |value: u64| {
            let after = goals.partition_point(|span| span.start.0 <= value);
            after.checked_sub(1).is_some_and(|at| value - goals[at].start.0 < goals[at].len)
        };
        let (width, step) = (kind.width(), kind.alignment.max(1));
        let mut pointers = Vec::new();
        let mut buffer = Vec::new();
        for span in &spans {
            let mut done = 0;
            while done < span.len {
                if progress.is_cancelled() {
                    return Err(PointerError::Cancelled);
                }
                // The last pointer of a piece may extend into the next.
                let len = (PIECE as u64 + width as u64 - 1).min(span.len - done);
                let start = span.start.offset(done);
                buffer.resize(usize::try_from(len).unwrap_or(PIECE), 0);
                match source.read(start, &mut buffer) {
                    Ok(()) => {}
                    Err(error) if error.concerns_all_addresses() => return Err(error.into()),
                    Err(_) => buffer.fill(0), // it is gone by now
                }
                let first = start.0.next_multiple_of(step) - start.0;
                let end = (PIECE as u64).min(len);
                for at in (first..end).step_by(usize::try_from(step).unwrap_or(1)) {
                    let at_index = usize::try_from(at).unwrap_or(usize::MAX);
                    let Some(bytes) = buffer.get(at_index..at_index.saturating_add(width)) else { break };
                    let value = kind.read(bytes);
                    if value != 0 && inside(value) {
                        pointers.push((Address(value), start.offset(at)));
                    }
                }
                done += PIECE as u64;
                progress.add(len);
            }
        }
        pointers.sort_unstable();
        Ok(Self { pointers })
    }

    /// The paths to `target` from cells that are static, shortest first, then by offsets.
    pub fn paths(
        &self,
        target: Address,
        settings: &PointerSettings,
        is_static: &dyn Fn(Address) -> bool,
        progress: &Progress,
    ) -> Result<Vec<PointerPath>, PointerError> {
        let mut paths = Vec::new();
        // Cells, and the offsets from each to the target.
        let mut level = vec![(target, Vec::new())];
        for _ in 0..settings.depth {
            let mut next = Vec::new();
            for (goal, offsets) in &level {
                if progress.is_cancelled() {
                    return Err(PointerError::Cancelled);
                }
                let least = Address(goal.0.saturating_sub(settings.offset_most));
                let from = self.pointers.partition_point(|(to, _)| *to < least);
                // Nearest first: a structure usually starts shortly before its parts.
                let near = self.pointers[from..].iter().take_while(|(to, _)| to <= goal);
                for &(to, cell) in near.collect::<Vec<_>>().into_iter().rev() {
                    let mut offsets: Vec<u64> = offsets.clone();
                    offsets.insert(0, goal.0 - to.0);
                    if is_static(cell) {
                        paths.push(PointerPath { base: cell, offsets: offsets.clone() });
                    }
                    // As many as may still contribute to the result.
                    if next.len() < settings.most.saturating_mul(16) {
                        next.push((cell, offsets));
                    }
                }
            }
            if paths.len() >= settings.most {
                break;
            }
            level = next;
        }
        paths.sort_by(|one, other| {
            let key = |path: &PointerPath| (path.offsets.len(), path.offsets.iter().sum::<u64>());
            key(one).cmp(&key(other)).then_with(|| one.cmp(other))
        });
        paths.dedup();
        paths.truncate(settings.most);
        Ok(paths)
    }
}

/// The paths that lead to `target` in another run or after a reset.
pub fn still_lead(
    paths: &[PointerPath],
    source: &dyn Source,
    target: Address,
    kind: PointerKind,
) -> Vec<PointerPath> {
    paths.iter().filter(|path| path.follow(source, kind) == Some(target)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;

    const BASE: u64 = 0x0200_0000;
    const KIND: PointerKind =
        PointerKind { wide: false, order: Endian::Little, mask: u64::MAX, alignment: 4 };
    const SETTINGS: PointerSettings = PointerSettings { kind: KIND, offset_most: 0x100, depth: 3, most: 50 };

    /// 64 KiB in which 0x100 points to a block with a pointer at +0x20 to a block whose byte +0x44 is the target.
    fn memory(block: u64, inner: u64) -> ByteArray {
        let mut bytes = vec![0; 0x1_0000];
        let mut put = |at: u64, value: u64| {
            let at = usize::try_from(at - BASE).unwrap();
            bytes[at..at + 4].copy_from_slice(&u32::try_from(value).unwrap().to_le_bytes());
        };
        put(BASE + 0x100, block);
        put(block + 0x20, inner);
        put(BASE + 0x900, inner + 0x40); // happens to lead there too, this time
        ByteArray { base: HostAddr(BASE), bytes }
    }

    fn paths(memory: &ByteArray, target: Address) -> Vec<PointerPath> {
        let progress = Progress::default();
        let map = PointerMap::new(memory, KIND, &progress).unwrap();
        let still = |cell: Address| cell.0 < BASE + 0x1000;
        map.paths(target, &SETTINGS, &still, &progress).unwrap()
    }

    #[test]
    fn paths_are_found_and_chance_falls_away_in_the_next_run() {
        let (block, inner) = (BASE + 0x4000, BASE + 0x8010);
        let first = memory(block, inner);
        let target = Address(inner + 0x44);
        let found = paths(&first, target);
        let right = PointerPath { base: Address(BASE + 0x100), offsets: vec![0x20, 0x44] };
        let chance = PointerPath { base: Address(BASE + 0x900), offsets: vec![4] };
        assert_eq!(found, [chance, right.clone()]);
        assert_eq!(right.to_string(), "[[0x2000100] + 0x20] + 0x44");
        assert!(found.iter().all(|path| path.follow(&first, KIND) == Some(target)));

        let mut other = memory(BASE + 0x5000, BASE + 0x9000);
        other.bytes[0x900..0x904].copy_from_slice(&0x0200_7777u32.to_le_bytes());
        let left = still_lead(&found, &other, Address(BASE + 0x9044), KIND);
        assert_eq!(left, [right]);
    }

    #[test]
    fn a_mask_and_the_other_order_are_honoured() {
        let kind = PointerKind { wide: false, order: Endian::Big, mask: 0xFF_FFFF, alignment: 2 };
        let mut bytes = vec![0; 0x1_0000];
        bytes[0x12..0x16].copy_from_slice(&0xAAFF_8000u32.to_be_bytes());
        let ram = ByteArray { base: HostAddr(0xFF_0000), bytes };
        let progress = Progress::default();
        let map = PointerMap::new(&ram, kind, &progress).unwrap();
        let settings = PointerSettings { kind, ..SETTINGS };
        let found = map.paths(Address(0xFF_8008), &settings, &|_| true, &progress).unwrap();
        assert_eq!(found, [PointerPath { base: Address(0xFF_0012), offsets: vec![8] }]);
    }

    #[test]
    fn nothing_is_found_where_nothing_leads_and_a_cancelled_search_says_so() {
        let ram = ByteArray { base: HostAddr(BASE), bytes: vec![0; 0x1000] };
        assert!(paths(&ram, Address(BASE + 0x500)).is_empty());
        let progress = Progress::default();
        progress.cancel();
        assert!(matches!(PointerMap::new(&ram, KIND, &progress), Err(PointerError::Cancelled)));
    }

    #[test]
    fn pointers_across_two_pieces_are_seen() {
        let kind = PointerKind { alignment: 1, ..KIND };
        let mut bytes = vec![0; 2 * PIECE];
        bytes[PIECE - 2..PIECE + 2].copy_from_slice(&0x0200_0040u32.to_le_bytes());
        let ram = ByteArray { base: HostAddr(BASE), bytes };
        let map = PointerMap::new(&ram, kind, &Progress::default()).unwrap();
        assert_eq!(map.pointers.len(), 1);
        assert_eq!(map.pointers[0], (Address(BASE + 0x40), Address(BASE + PIECE as u64 - 2)));
    }
}

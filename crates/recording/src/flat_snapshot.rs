//! A snapshot as one run of bytes, and the differences from one to the next.

use super::coding::{ByteReader, write_number};
use nextscope_memory::console::{Domain, Snapshot};
use std::ops::Range;

/// Unchanged bytes between changed ones are written with them if there are at most this many: another span costs as much.
const GAP: usize = 3;

/// The most parts of a sample: those of a [`nextscope_memory::console::ReadPlan`] lie so far apart that there are never that many.
pub const MAX_PARTS: usize = 8192;

/// The limit for the total length of layout changes in a block, so that a few bytes of a file cannot cause much work.
pub const MAX_RELAYOUT: usize = 256 << 20;

/// The number of bytes compared at once.
const STRIDE: usize = 64;

/// The parts of a snapshot in the domain: offset and length of each.
pub type Layout = Vec<(usize, usize)>;

/// The parts of a snapshot, concatenated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlatSnapshot {
    pub layout: Layout,
    pub bytes: Vec<u8>,
}

impl FlatSnapshot {
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut flat = Self::default();
        for (offset, bytes) in snapshot.parts() {
            flat.layout.push((offset, bytes.len()));
            flat.bytes.extend_from_slice(bytes);
        }
        flat
    }

    /// Where each part begins in the bytes.
    pub fn starts(&self) -> Vec<usize> {
        let next = |next: &mut usize, (_, len): &(usize, usize)| Some(std::mem::replace(next, *next + len));
        self.layout.iter().scan(0, next).collect()
    }

    /// None if a snapshot of the domain cannot have this layout.
    pub fn snapshot(&self, domain: &'static Domain) -> Option<Snapshot> {
        let mut rest = ByteReader(&self.bytes);
        let parts: Option<Vec<(usize, Box<[u8]>)>> =
            self.layout.iter().map(|(offset, len)| Some((*offset, rest.bytes(*len)?.into()))).collect();
        Snapshot::from_parts(domain, parts?).ok()
    }

    /// The bytes in another layout, zeros where there were none.
    pub fn with_layout(&self, layout: &Layout) -> Self {
        let mut bytes = vec![0; layout.iter().map(|(_, len)| len).sum()];
        // Both are in ascending order: one pass over them.
        let (mut to, mut from) = (0, 0);
        let mut old = self.layout.iter().copied().peekable();
        for &(offset, len) in layout {
            while let Some(&(old_offset, old_len)) = old.peek() {
                let (start, end) = (offset.max(old_offset), (offset + len).min(old_offset + old_len));
                if start < end {
                    let source = &self.bytes[from + start - old_offset..from + end - old_offset];
                    bytes[to + start - offset..to + end - offset].copy_from_slice(source);
                }
                if old_offset + old_len > offset + len {
                    break; // it may continue in the next part
                }
                from += old_len;
                old.next();
            }
            to += len;
        }
        Self { layout: layout.clone(), bytes }
    }
}

/// Writes the differences between two runs of bytes of the same length: the number of spans, for each the distance from the previous one
/// and its length; and, separately, the XOR of the bytes in the spans.
pub fn write_changes(old: &[u8], new: &[u8], spans: &mut Vec<u8>, bits: &mut Vec<u8>) {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (number, (one, other)) in old.chunks(STRIDE).zip(new.chunks(STRIDE)).enumerate() {
        if one == other {
            continue;
        }
        for (at, (a, b)) in (number * STRIDE..).zip(one.iter().zip(other)) {
            match found.last_mut() {
                _ if a == b => {}
                Some((_, end)) if at <= *end + GAP => *end = at + 1,
                _ => found.push((at, at + 1)),
            }
        }
    }
    write_number(spans, found.len() as u64);
    let mut last = 0;
    for (start, end) in found {
        write_number(spans, (start - last) as u64);
        write_number(spans, (end - start) as u64);
        bits.extend(old[start..end].iter().zip(&new[start..end]).map(|(a, b)| a ^ b));
        last = end;
    }
}

/// Applies differences to the old bytes, and passes on where they are; None if they do not fit.
pub fn read_changes(
    bytes: &mut [u8],
    spans: &mut ByteReader<'_>,
    bits: &mut ByteReader<'_>,
    mut changed: impl FnMut(Range<usize>),
) -> Option<()> {
    let mut at = 0_usize;
    for _ in 0..spans.number()? {
        at = at.checked_add(spans.size()?)?;
        let end = at.checked_add(spans.size()?)?;
        let difference = bits.bytes(end - at)?;
        let target = bytes.get_mut(at..end)?;
        target.iter_mut().zip(difference).for_each(|(byte, bits)| *byte ^= bits);
        changed(at..end);
        at = end;
    }
    Some(())
}

pub fn write_layout(to: &mut Vec<u8>, layout: &Layout) {
    write_number(to, layout.len() as u64);
    let mut last = 0;
    for (offset, len) in layout {
        write_number(to, (offset - last) as u64);
        write_number(to, *len as u64);
        last = offset + len;
    }
}

/// Reads a layout; None if it does not fit the domain.
pub fn read_layout(from: &mut ByteReader<'_>, domain: &Domain) -> Option<Layout> {
    let mut layout = Layout::new();
    let mut last = 0_usize;
    let parts = from.size().filter(|parts| *parts <= MAX_PARTS)?;
    for number in 0..parts {
        let gap = from.size()?;
        let offset = last.checked_add(gap)?;
        let len = from.size()?;
        let end = offset.checked_add(len)?;
        let apart = number == 0 || gap > 0;
        if !apart || len == 0 || end > domain.len as usize {
            return None;
        }
        layout.push((offset, len));
        last = end;
    }
    Some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn differences_turn_the_old_bytes_into_the_new(
            old in prop::collection::vec(any::<u8>(), 0..500),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        ) {
            let mut new = old.clone();
            for (index, byte) in &changes {
                if !new.is_empty() {
                    let at = index.index(new.len());
                    new[at] = *byte;
                }
            }
            let (mut spans, mut bits) = (Vec::new(), Vec::new());
            write_changes(&old, &new, &mut spans, &mut bits);
            let (mut spans, mut bits) = (ByteReader(&spans), ByteReader(&bits));
            let mut result = old;
            prop_assert_eq!(read_changes(&mut result, &mut spans, &mut bits, |_| ()), Some(()));
            prop_assert_eq!(result, new);
            prop_assert!(spans.0.is_empty() && bits.0.is_empty());
        }

        #[test]
        fn a_layout_change_preserves_common_bytes(
            one in prop::collection::vec((1..9_usize, 1..9_usize), 0..6),
            other in prop::collection::vec((1..9_usize, 1..9_usize), 0..6),
        ) {
            let placed = |parts: &[(usize, usize)]| {
                let mut last = 0;
                parts.iter().map(|(gap, len)| { let at = last + gap; last = at + len; (at, *len) }).collect::<Layout>()
            };
            let (one, other) = (placed(&one), placed(&other));
            let byte = |at: usize| at.to_le_bytes()[0] + 1;
            let bytes: Vec<u8> = one.iter().flat_map(|(at, len)| (*at..at + len).map(byte)).collect();
            let flat = FlatSnapshot { layout: one.clone(), bytes };
            let in_both = |at: usize| one.iter().any(|(start, len)| (*start..start + len).contains(&at));
            let expected: Vec<u8> = other.iter()
                .flat_map(|(at, len)| (*at..at + len).map(|at| if in_both(at) { byte(at) } else { 0 }))
                .collect();
            prop_assert_eq!(flat.with_layout(&other).bytes, expected);
        }
    }
}

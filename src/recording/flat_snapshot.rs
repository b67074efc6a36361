//! A snapshot as one run of bytes, and what changed from one to the next.

use super::coding::{ByteReader, put_number};
use crate::console::{Domain, Snapshot};

/// Bytes that are alike but stand between changed ones in a row shorter than this are written with them: telling of another run
/// costs as much.
const GAP: usize = 3;

/// The most parts of a sample: those of a [`crate::console::ReadPlan`] lie so far apart that there are never so many.
pub const MOST_PARTS: usize = 8192;

/// The most bytes that are laid out anew within a block, so that a few bytes of a file never make much work.
pub const MOST_LAID_OUT: usize = 256 << 20;

/// How many bytes are compared at once.
const STRIDE: usize = 64;

/// Where the parts of a snapshot stand in the domain: offset and length of each.
pub type Layout = Vec<(usize, usize)>;

/// The parts of a snapshot, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlatSnapshot {
    pub layout: Layout,
    pub bytes: Vec<u8>,
}

impl FlatSnapshot {
    pub fn of(snapshot: &Snapshot) -> Self {
        let mut flat = Self::default();
        flat.take(snapshot);
        flat
    }

    /// The same in place of what it was.
    pub fn take(&mut self, snapshot: &Snapshot) {
        self.layout.clear();
        self.bytes.clear();
        for (offset, bytes) in snapshot.parts() {
            self.layout.push((offset, bytes.len()));
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// None when the layout is none that a snapshot of the domain can have.
    pub fn snapshot(&self, domain: &'static Domain) -> Option<Snapshot> {
        let mut rest = ByteReader(&self.bytes);
        let parts: Option<Vec<(usize, Box<[u8]>)>> =
            self.layout.iter().map(|(offset, len)| Some((*offset, rest.bytes(*len)?.into()))).collect();
        Snapshot::from_parts(domain, parts?).ok()
    }

    /// The same bytes in another layout, zeros where there were none.
    pub fn laid_out(&self, layout: &Layout) -> Self {
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
                    break; // it may go on in the next part
                }
                from += old_len;
                old.next();
            }
            to += len;
        }
        Self { layout: layout.clone(), bytes }
    }
}

/// Writes what changed between two runs of bytes of one length: how many spans, for each the bytes since the one before and its
/// length; and apart from that the bits that changed.
pub fn put_changes(old: &[u8], new: &[u8], spans: &mut Vec<u8>, bits: &mut Vec<u8>) {
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
    put_number(spans, found.len() as u64);
    let mut last = 0;
    for (start, end) in found {
        put_number(spans, (start - last) as u64);
        put_number(spans, (end - start) as u64);
        bits.extend(old[start..end].iter().zip(&new[start..end]).map(|(a, b)| a ^ b));
        last = end;
    }
}

/// Makes the new bytes of the old ones; None when what changed does not fit them.
pub fn take_changes(bytes: &mut [u8], spans: &mut ByteReader<'_>, bits: &mut ByteReader<'_>) -> Option<()> {
    let mut at = 0_usize;
    for _ in 0..spans.number()? {
        at = at.checked_add(spans.size()?)?;
        let end = at.checked_add(spans.size()?)?;
        let changed = bits.bytes(end - at)?;
        let place = bytes.get_mut(at..end)?;
        place.iter_mut().zip(changed).for_each(|(byte, bits)| *byte ^= bits);
        at = end;
    }
    Some(())
}

/// Writes a layout.
pub fn put_layout(to: &mut Vec<u8>, layout: &Layout) {
    put_number(to, layout.len() as u64);
    let mut last = 0;
    for (offset, len) in layout {
        put_number(to, (offset - last) as u64);
        put_number(to, *len as u64);
        last = offset + len;
    }
}

/// Reads a layout; None when it does not fit the domain.
pub fn take_layout(from: &mut ByteReader<'_>, domain: &Domain) -> Option<Layout> {
    let mut layout = Layout::new();
    let mut last = 0_usize;
    let parts = from.size().filter(|parts| *parts <= MOST_PARTS)?;
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
        fn changes_make_the_new_bytes_of_the_old(
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
            put_changes(&old, &new, &mut spans, &mut bits);
            let (mut spans, mut bits) = (ByteReader(&spans), ByteReader(&bits));
            let mut made = old;
            prop_assert_eq!(take_changes(&mut made, &mut spans, &mut bits), Some(()));
            prop_assert_eq!(made, new);
            prop_assert!(spans.0.is_empty() && bits.0.is_empty());
        }

        #[test]
        fn another_layout_keeps_the_bytes_that_both_have(
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
            let held = |at: usize| one.iter().any(|(start, len)| (*start..start + len).contains(&at));
            let expected: Vec<u8> = other.iter()
                .flat_map(|(at, len)| (*at..at + len).map(|at| if held(at) { byte(at) } else { 0 }))
                .collect();
            prop_assert_eq!(flat.laid_out(&other).bytes, expected);
        }
    }
}

//! Memory cut into blocks, and what a search saves of each.

use super::bits::{BLOCK, Bits};
use super::source::{Address, Span};
use super::value::{CellAddress, Part, ValueType};
use std::sync::Arc;

/// Where the blocks of a search are.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub ty: ValueType,
    /// Cells start at multiples of this power of two.
    pub alignment: u64,
    /// Each span with the number of its first block.
    spans: Vec<(Span, usize)>,
    pub blocks: usize,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct BlockSpan {
    pub address: Address,
    pub len: usize,
    /// Bytes after it, in the same span, that its last cells reach into.
    pub tail: usize,
}

impl Layout {
    pub fn new(ty: ValueType, alignment: u64, spans: &[Span]) -> Self {
        let mut blocks = 0;
        let spans: Vec<(Span, usize)> = spans
            .iter()
            .filter(|span| span.len > 0)
            .map(|span| {
                let first = blocks;
                blocks += usize::try_from(span.len.div_ceil(BLOCK as u64)).unwrap_or(0);
                (*span, first)
            })
            .collect();
        let bytes = spans.iter().map(|(span, _)| span.len).sum();
        Self { ty, alignment, spans, blocks, bytes }
    }

    /// Words of bits per block.
    pub fn words(&self) -> usize {
        self.ty.kind().cells_in_byte() * BLOCK / 64
    }

    fn span_of(&self, block: usize) -> Option<(Span, usize)> {
        let after = self.spans.partition_point(|(_, first)| *first <= block);
        let (span, first) = *self.spans.get(after.checked_sub(1)?)?;
        Some((span, block - first))
    }

    /// The span of a block; empty when there is no such block.
    pub fn at(&self, block: usize) -> BlockSpan {
        let Some((span, within)) = self.span_of(block) else {
            return BlockSpan { address: Address(0), len: 0, tail: 0 };
        };
        self.at_within(span, within)
    }

    fn at_within(&self, span: Span, within: usize) -> BlockSpan {
        let start = (within * BLOCK) as u64;
        let left = usize::try_from(span.len.saturating_sub(start)).unwrap_or(usize::MAX);
        let len = left.min(BLOCK);
        let tail = (left - len).min(self.ty.width() - 1);
        BlockSpan { address: span.start.offset(start), len, tail }
    }

    /// All blocks in order.
    pub fn all(&self) -> impl Iterator<Item = BlockSpan> {
        self.spans.iter().flat_map(move |(span, _)| {
            let blocks = usize::try_from(span.len.div_ceil(BLOCK as u64)).unwrap_or(0);
            (0..blocks).map(move |within| self.at_within(*span, within))
        })
    }

    /// How many blocks from this one on are in the same span.
    pub fn left_in_span(&self, block: usize) -> usize {
        self.span_of(block).map_or(0, |(span, within)| {
            usize::try_from(span.len.div_ceil(BLOCK as u64)).unwrap_or(0).saturating_sub(within)
        })
    }

    /// The block of a cell and its number there; None outside, or where no cell starts.
    pub fn find(&self, place: CellAddress) -> Option<(usize, u16)> {
        let after = self.spans.partition_point(|(span, _)| span.start <= place.address);
        let (span, first) = self.spans.get(after.checked_sub(1)?)?;
        let offset = place.address.0 - span.start.0;
        if offset >= span.len || !place.address.0.is_multiple_of(self.alignment) {
            return None;
        }
        let within = usize::try_from(offset / BLOCK as u64).ok()?;
        let at = self.at_within(*span, within);
        let byte = usize::try_from(offset % BLOCK as u64).ok()?;
        if byte + self.ty.width() > at.len + at.tail {
            return None;
        }
        let cell = match (self.ty.kind().cells_in_byte(), place.part) {
            (1, Part::Whole) => byte,
            (2, Part::Lower) => 2 * byte,
            (2, Part::Upper) => 2 * byte + 1,
            _ => return None,
        };
        Some((first + within, u16::try_from(cell).ok()?))
    }

    pub fn place(&self, at: BlockSpan, cell: u16) -> CellAddress {
        match (self.ty.kind().cells_in_byte(), cell % 2) {
            (1, _) => CellAddress { address: at.address.offset(cell.into()), part: Part::Whole },
            (_, 0) => CellAddress { address: at.address.offset(u64::from(cell) / 2), part: Part::Lower },
            _ => CellAddress { address: at.address.offset(u64::from(cell) / 2), part: Part::Upper },
        }
    }

    /// A bit for every cell of the block when `available` bytes from its start can be read.
    pub fn cells(&self, at: BlockSpan, available: usize, words: &mut [u64]) {
        let bytes = at.len.min((available + 1).saturating_sub(self.ty.width()));
        let cells = bytes * self.ty.kind().cells_in_byte();
        let halves = self.ty.kind().cells_in_byte() as u64;
        if self.alignment * halves <= 64 {
            words.fill(self.aligned(at.address)); // the same in every word
        } else {
            for (word, nth) in words.iter_mut().zip(0u64..) {
                *word = self.aligned(at.address.offset(nth * 64 / halves));
            }
        }
        if cells < 64 * words.len() {
            words[cells / 64] &= (1 << (cells % 64)) - 1;
            words[cells / 64 + 1..].fill(0);
        }
    }

    /// A word of bits from `address` on, set where cells may start.
    fn aligned(&self, address: Address) -> u64 {
        if self.alignment == 1 {
            return u64::MAX;
        }
        let halves = self.ty.kind().cells_in_byte() as u64;
        (0..64)
            .filter(|cell| (address.0.wrapping_add(cell / halves)).is_multiple_of(self.alignment))
            .fold(0, |word, cell| word | 1 << cell)
    }

    pub fn cell_count(&self, at: BlockSpan) -> usize {
        let bytes = at.len.min((at.len + at.tail + 1).saturating_sub(self.ty.width())) as u64;
        let before = at.address.0 % self.alignment;
        // Multiples of the alignment below the end less those below the start.
        let aligned = (before + bytes).div_ceil(self.alignment) - before.div_ceil(self.alignment);
        usize::try_from(aligned).unwrap_or(0) * self.ty.kind().cells_in_byte()
    }

    /// A bit for each phase, modulo eight, in which a cell of the block may start.
    pub fn phases(&self, at: BlockSpan) -> u8 {
        if self.alignment == 1 {
            return u8::MAX;
        }
        let mut phases = 0;
        for phase in 0..8u64 {
            let begins = |byte: u64| at.address.0.wrapping_add(byte).is_multiple_of(self.alignment);
            if (phase..phase + 8 * self.alignment).step_by(8).any(begins) {
                phases |= 1 << phase;
            }
        }
        // Lanes narrower than eight bytes have fewer phases.
        phases | phases >> 4 | (phases >> 2 | phases >> 6) & 3 | u8::from(phases != 0)
    }
}

#[derive(Debug, Clone)]
pub(super) struct SavedBytes {
    /// The offset in the block of the first byte.
    pub from: u16,
    pub bytes: Arc<[u8]>,
}

impl SavedBytes {
    /// The bytes from `offset` in the block on.
    pub fn at(&self, offset: usize) -> Option<&[u8]> {
        self.bytes.get(offset.checked_sub(self.from.into())?..)
    }

    /// A part of them, without a copy if it is all of them.
    pub fn part(&self, from: usize, to: usize) -> Option<Self> {
        let start = from.checked_sub(self.from.into())?;
        let bytes = self.bytes.get(start..start + (to - from))?;
        let from = u16::try_from(from).ok()?;
        let all = bytes.len() == self.bytes.len();
        Some(Self { from, bytes: if all { Arc::clone(&self.bytes) } else { bytes.into() } })
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub bits: Bits,
    /// The bytes at the last step; None when they are unknown.
    pub last: Option<SavedBytes>,
    /// The bytes at the first step, if saved.
    pub first: Option<SavedBytes>,
}

fn is_same(one: Option<&SavedBytes>, other: Option<&SavedBytes>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.from == other.from && Arc::ptr_eq(&one.bytes, &other.bytes),
        _ => false,
    }
}

impl Block {
    pub fn is_same(&self, other: &Self) -> bool {
        self.bits.is_same(&other.bits)
            && is_same(self.last.as_ref(), other.last.as_ref())
            && is_same(self.first.as_ref(), other.first.as_ref())
    }

    /// Saved bytes that `other` does not share.
    pub fn bytes_apart_from(&self, other: &Self) -> usize {
        let held = |saved: &Option<SavedBytes>| {
            let bytes = &saved.as_ref()?.bytes;
            let shared = [&other.last, &other.first];
            let shared = shared.into_iter().flatten().any(|saved| Arc::ptr_eq(&saved.bytes, bytes));
            (!shared).then_some((Arc::as_ptr(bytes), bytes.len()))
        };
        match (held(&self.last), held(&self.first)) {
            (Some((one, len)), Some((other, _))) if std::ptr::addr_eq(one, other) => len,
            (last, first) => last.map_or(0, |(_, len)| len) + first.map_or(0, |(_, len)| len),
        }
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.bits.memory() + self.bytes_apart_from(&Self::default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::count;
    use super::super::reference::places;
    use super::super::value::Kind;
    use super::*;
    use nextscope_memory::console::Endian;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_have_exactly_the_cells_that_fit(
            start in 0u64..70,
            len in 1u64..9000,
            kind in prop::sample::select(Kind::NUMBERS.to_vec()),
            power in 0u32..8,
        ) {
            let ty = ValueType::new(kind, Endian::Big).expect("a type");
            let layout = Layout::new(ty, 1 << power, &[Span { start: Address(start), len }]);
            let mut words = vec![0; layout.words()];
            let mut found = Vec::new();
            for (block, at) in layout.all().enumerate() {
                layout.cells(at, at.len + at.tail, &mut words);
                prop_assert_eq!(count(&words), layout.cell_count(at));
                for cell in super::super::bits::ones(&words) {
                    let place = layout.place(at, cell);
                    prop_assert_eq!(layout.find(place), Some((block, cell)));
                    let byte = usize::from(cell) / kind.cells_in_byte();
                    let lane = kind.width().next_power_of_two().max(if matches!(kind, Kind::Bcd { .. }) { 4 } else { 1 });
                    prop_assert!(layout.phases(at) >> (byte % lane) & 1 == 1);
                    found.push(place);
                }
            }
            let expected = places(ty, Address(start), usize::try_from(len).expect("small"), 1 << power);
            prop_assert_eq!(found, expected.map(|(_, place)| place).collect::<Vec<_>>());
        }
    }
}

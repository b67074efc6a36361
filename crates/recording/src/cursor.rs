//! A position in a recording, from which the next sample is cheap to read.

use super::Sample;
use super::block::BlockKind;
use super::coding::{ByteReader, unpack};
use super::content::{Block, Content, RecordingError};
use super::flat_snapshot::{FlatSnapshot, MAX_RELAYOUT, read_changes, read_layout};
use nextscope_memory::console::{Domain, Snapshot};
use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

/// Snapshots that are followed: a reader who compares a sample with the one before still has that one.
const FOLLOWED: usize = 2;
/// Changed ranges of a followed snapshot, at most.
const MAX_CHANGED: usize = 1024;

/// A position in a recording. Reading the next sample decodes its changes; a jump decodes one or two blocks.
#[derive(Debug, Default)]
pub struct Cursor {
    /// The complete sample on which differences are based, and the number of its block.
    base: Option<(usize, FlatSnapshot)>,
    open: Option<OpenBlock>,
}

#[derive(Debug)]
struct OpenBlock {
    number: usize,
    bytes: Vec<u8>,
    /// The unread rest of each of the three streams in `bytes`.
    numbers: Range<usize>,
    spans: Range<usize>,
    bits: Range<usize>,
    /// The number of samples of the block that were decoded; the last of them is `now`.
    read: u64,
    now: FlatSnapshot,
    frame: u64,
    counter: u64,
    elapsed: u64,
    /// The total length of all layout changes so far.
    relayout: usize,
    /// Where each part begins in the bytes of `now`.
    starts: Vec<usize>,
    /// The last snapshots of this layout, the oldest first.
    followed: VecDeque<Followed>,
}

/// A snapshot that was given to a reader. Once the reader has dropped it, it becomes a later one by the changes since then: RAM is not copied
/// for each sample.
#[derive(Debug)]
struct Followed {
    snapshot: Snapshot,
    /// What has changed since then, in the bytes of all parts.
    changed: Vec<Range<usize>>,
}

impl OpenBlock {
    fn new(number: usize, block: &Block, bytes: Vec<u8>, before: FlatSnapshot) -> Option<Self> {
        let mut reader = ByteReader(&bytes);
        let (numbers, spans) = (reader.size()?, reader.size()?);
        let start = bytes.len() - reader.0.len();
        let spans_start = start.checked_add(numbers)?;
        let bits_start = spans_start.checked_add(spans)?;
        if bits_start > bytes.len() {
            return None;
        }
        let end = bytes.len();
        Some(Self {
            starts: before.starts(),
            followed: VecDeque::new(),
            number,
            bytes,
            numbers: start..spans_start,
            spans: spans_start..bits_start,
            bits: bits_start..end,
            read: 0,
            now: before,
            frame: block.header.frame,
            counter: 0,
            elapsed: block.header.start,
            relayout: 0,
        })
    }

    fn next(&mut self, domain: &Domain) -> Option<()> {
        let mut numbers = ByteReader(&self.bytes[self.numbers.clone()]);
        let mut spans = ByteReader(&self.bytes[self.spans.clone()]);
        let mut bits = ByteReader(&self.bytes[self.bits.clone()]);
        self.frame = numbers.difference(self.frame)?;
        self.counter = numbers.difference(self.counter)?;
        self.elapsed = numbers.difference(self.elapsed)?;
        match numbers.number()? {
            0 => {}
            1 => {
                let layout = read_layout(&mut numbers, domain)?;
                self.relayout += layout.iter().map(|(_, len)| len).sum::<usize>();
                if self.relayout > MAX_RELAYOUT {
                    return None;
                }
                self.now = self.now.with_layout(&layout);
                self.starts = self.now.starts();
                self.followed.clear();
            }
            _ => return None,
        }
        read_changes(&mut self.now.bytes, &mut spans, &mut bits, |range| {
            self.followed.iter_mut().for_each(|followed| followed.changed.push(range.clone()));
        })?;
        self.followed.retain(|followed| followed.changed.len() <= MAX_CHANGED);
        self.numbers.start = self.numbers.end - numbers.0.len();
        self.spans.start = self.spans.end - spans.0.len();
        self.bits.start = self.bits.end - bits.0.len();
        self.read += 1;
        Some(())
    }

    /// The snapshot before the last one, with the bytes of `now`; None while somebody still has it.
    fn renewed(&mut self) -> Option<Snapshot> {
        let oldest = if self.followed.len() == FOLLOWED { self.followed.pop_front() } else { None };
        let Followed { mut snapshot, changed } = oldest?;
        for Range { mut start, end } in changed {
            let mut part = self.starts.partition_point(|first| *first <= start).checked_sub(1)?;
            while start < end {
                let bytes = snapshot.part_mut(part)?.get_mut(start - self.starts[part]..)?;
                let length = bytes.len().min(end - start);
                bytes[..length].copy_from_slice(self.now.bytes.get(start..start + length)?);
                (start, part) = (start + length, part + 1);
            }
        }
        Some(snapshot)
    }

    fn sample(&mut self, domain: &'static Domain) -> Option<Sample> {
        let snapshot = self.renewed().or_else(|| self.now.snapshot(domain))?;
        self.followed.push_back(Followed { snapshot: snapshot.clone(), changed: Vec::new() });
        Some(Sample {
            snapshot,
            frame: self.frame,
            counter: u32::try_from(self.counter).ok()?,
            elapsed: Duration::from_micros(self.elapsed),
        })
    }
}

impl Cursor {
    /// The sample with this number, from 0.
    ///
    /// # Errors
    /// [`RecordingError::NoSample`] past the end; [`RecordingError::Unreadable`] if its block has invalid content, and
    /// [`RecordingError::Io`] if the file can no longer be read.
    pub(super) fn sample(&mut self, content: &Content, index: u64) -> Result<Sample, RecordingError> {
        self.seek(content, index)?;
        let (number, block) = content.block_of(index)?;
        let domain = content.domain_of(block);
        let sample = self.open.as_mut().and_then(|open| open.sample(domain));
        sample.ok_or_else(|| content.unreadable(number))
    }

    /// The time of the sample with this number.
    pub(super) fn elapsed(&mut self, content: &Content, index: u64) -> Result<Duration, RecordingError> {
        self.seek(content, index)?;
        Ok(self.open.as_ref().map_or(Duration::ZERO, |open| Duration::from_micros(open.elapsed)))
    }

    /// The frame of the sample with this number.
    pub(super) fn frame(&mut self, content: &Content, index: u64) -> Result<u64, RecordingError> {
        self.seek(content, index)?;
        Ok(self.open.as_ref().map_or(0, |open| open.frame))
    }

    fn seek(&mut self, content: &Content, index: u64) -> Result<(), RecordingError> {
        let (number, block) = content.block_of(index)?;
        let domain = content.domain_of(block);
        let target = index - block.index + 1;
        let current = self.open.take().filter(|open| open.number == number && open.read <= target);
        let mut open = match current {
            Some(open) => open,
            None => self.begin(content, number)?,
        };
        while open.read < target {
            open.next(domain).ok_or_else(|| content.unreadable(number))?;
        }
        self.open = Some(open);
        Ok(())
    }

    fn begin(&mut self, content: &Content, number: usize) -> Result<OpenBlock, RecordingError> {
        let unreadable = || content.unreadable(number);
        let block = content.block(number).ok_or_else(unreadable)?;
        let before = match block.base {
            None => FlatSnapshot::default(),
            Some(base) => {
                if self.base.as_ref().is_none_or(|(current, _)| *current != base) {
                    let full = content.block(base).filter(|block| block.header.kind == BlockKind::Full);
                    let full = full.ok_or_else(unreadable)?;
                    let bytes = bytes_of(content, base, full)?;
                    let mut open =
                        OpenBlock::new(base, full, bytes, FlatSnapshot::default()).ok_or_else(unreadable)?;
                    open.next(content.domain_of(full)).ok_or_else(unreadable)?;
                    self.base = Some((base, open.now));
                }
                self.base.as_ref().map(|(_, flat)| flat.clone()).unwrap_or_default()
            }
        };
        OpenBlock::new(number, block, bytes_of(content, number, block)?, before).ok_or_else(unreadable)
    }
}

fn bytes_of(content: &Content, number: usize, block: &Block) -> Result<Vec<u8>, RecordingError> {
    let packed = content.packed(block)?.ok_or_else(|| content.unreadable(number))?;
    unpack(&packed, block.header.unpacked as usize).ok_or_else(|| content.unreadable(number))
}

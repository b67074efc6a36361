//! One place in a recording, from which the next sample is near.

use super::Sample;
use super::block::Kind;
use super::coding::{ByteReader, unpack};
use super::flat_snapshot::{FlatSnapshot, MOST_LAID_OUT, take_changes, take_layout};
use super::reader::{Block, Recording, RecordingError};
use crate::console::Domain;
use std::time::Duration;

/// A place in a recording. Going on by a sample costs what changed; going anywhere else, a block or two.
#[derive(Debug, Default)]
pub struct Cursor {
    /// The whole sample from which blocks count, and the number of its block.
    base: Option<(usize, FlatSnapshot)>,
    open: Option<OpenBlock>,
}

/// A block that is being read.
#[derive(Debug)]
struct OpenBlock {
    number: usize,
    bytes: Vec<u8>,
    /// Where in the bytes the rest of each of the three rows begins.
    numbers: std::ops::Range<usize>,
    spans: std::ops::Range<usize>,
    bits: std::ops::Range<usize>,
    /// Samples of the block that were read; the last of them is here.
    read: u64,
    now: FlatSnapshot,
    frame: u64,
    counter: u64,
    elapsed: u64,
    /// Bytes that were laid out anew so far.
    laid_out: usize,
}

impl OpenBlock {
    fn begin(number: usize, block: &Block, bytes: Vec<u8>, before: FlatSnapshot) -> Option<Self> {
        let mut front = ByteReader(&bytes);
        let (numbers, spans) = (front.size()?, front.size()?);
        let start = bytes.len() - front.0.len();
        let spans_start = start.checked_add(numbers)?;
        let bits_start = spans_start.checked_add(spans)?;
        if bits_start > bytes.len() {
            return None;
        }
        let end = bytes.len();
        Some(Self {
            number,
            bytes,
            numbers: start..spans_start,
            spans: spans_start..bits_start,
            bits: bits_start..end,
            read: 0,
            now: before,
            frame: block.head.frame,
            counter: 0,
            elapsed: block.head.begins,
            laid_out: 0,
        })
    }

    /// Goes on by a sample.
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
                let layout = take_layout(&mut numbers, domain)?;
                self.laid_out += layout.iter().map(|(_, len)| len).sum::<usize>();
                if self.laid_out > MOST_LAID_OUT {
                    return None;
                }
                self.now = self.now.laid_out(&layout);
            }
            _ => return None,
        }
        take_changes(&mut self.now.bytes, &mut spans, &mut bits)?;
        self.numbers.start = self.numbers.end - numbers.0.len();
        self.spans.start = self.spans.end - spans.0.len();
        self.bits.start = self.bits.end - bits.0.len();
        self.read += 1;
        Some(())
    }

    fn sample(&self, domain: &'static Domain) -> Option<Sample> {
        Some(Sample {
            snapshot: self.now.snapshot(domain)?,
            frame: self.frame,
            counter: u32::try_from(self.counter).ok()?,
            elapsed: Duration::from_micros(self.elapsed),
        })
    }
}

impl Cursor {
    /// The sample of that number, from 0.
    ///
    /// # Errors
    /// [`RecordingError::NoSample`] past the end; [`RecordingError::Unreadable`] when its block holds what no writer writes, and
    /// [`RecordingError::Io`] when the file cannot be read any more.
    pub fn sample(&mut self, recording: &Recording, index: u64) -> Result<Sample, RecordingError> {
        self.go(recording, index)?;
        let (number, block) = recording.block_of(index)?;
        let domain = recording.domain_of(block);
        let sample = self.open.as_ref().and_then(|open| open.sample(domain));
        sample.ok_or_else(|| recording.unreadable(number))
    }

    /// When the sample of that number was taken.
    ///
    /// # Errors
    /// See [`Self::sample`].
    pub fn elapsed(&mut self, recording: &Recording, index: u64) -> Result<Duration, RecordingError> {
        self.go(recording, index)?;
        Ok(self.open.as_ref().map_or(Duration::ZERO, |open| Duration::from_micros(open.elapsed)))
    }

    /// The frame of the sample of that number.
    pub(super) fn frame(&mut self, recording: &Recording, index: u64) -> Result<u64, RecordingError> {
        self.go(recording, index)?;
        Ok(self.open.as_ref().map_or(0, |open| open.frame))
    }

    fn go(&mut self, recording: &Recording, index: u64) -> Result<(), RecordingError> {
        let (number, block) = recording.block_of(index)?;
        let domain = recording.domain_of(block);
        let wanted = index - block.index + 1;
        let at_hand = self.open.take().filter(|open| open.number == number && open.read <= wanted);
        let mut open = match at_hand {
            Some(open) => open,
            None => self.begin(recording, number)?,
        };
        while open.read < wanted {
            open.next(domain).ok_or_else(|| recording.unreadable(number))?;
        }
        self.open = Some(open);
        Ok(())
    }

    fn begin(&mut self, recording: &Recording, number: usize) -> Result<OpenBlock, RecordingError> {
        let unreadable = || recording.unreadable(number);
        let block = recording.block(number).ok_or_else(unreadable)?;
        let before = match block.base {
            None => FlatSnapshot::default(),
            Some(base) => {
                if self.base.as_ref().is_none_or(|(held, _)| *held != base) {
                    let whole = recording.block(base).filter(|block| block.head.kind == Kind::Whole);
                    let whole = whole.ok_or_else(unreadable)?;
                    let bytes = bytes_of(recording, base, whole)?;
                    let mut open = OpenBlock::begin(base, whole, bytes, FlatSnapshot::default())
                        .ok_or_else(unreadable)?;
                    open.next(recording.domain_of(whole)).ok_or_else(unreadable)?;
                    self.base = Some((base, open.now));
                }
                self.base.as_ref().map(|(_, flat)| flat.clone()).unwrap_or_default()
            }
        };
        OpenBlock::begin(number, block, bytes_of(recording, number, block)?, before).ok_or_else(unreadable)
    }
}

fn bytes_of(recording: &Recording, number: usize, block: &Block) -> Result<Vec<u8>, RecordingError> {
    let packed = recording.packed(block)?.ok_or_else(|| recording.unreadable(number))?;
    unpack(&packed, block.head.unpacked as usize).ok_or_else(|| recording.unreadable(number))
}

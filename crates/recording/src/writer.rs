//! Writes recordings. Samples are buffered for at most a second, and a written block can be read without the blocks after it.

use super::block::{BlockHeader, BlockKind, MAGIC, MAX_SAMPLES, VERSION};
use super::coding::{write_difference, write_number};
use super::flat_snapshot::{FlatSnapshot, MAX_PARTS, MAX_RELAYOUT, write_changes, write_layout};
use super::{Event, Header, Sample};
use nextscope_memory::console::Domain;
use std::io::Write;
use std::time::Duration;

/// The longest duration of a block, which is what is lost if the process is killed.
pub const MAX_BLOCK_DURATION: Duration = Duration::from_secs(1);
/// A block ends with the sample that exceeds this many bytes.
const MAX_BLOCK_BYTES: usize = 8 << 20;
/// A complete sample is written again after this many blocks, which limits what one damaged block can cost.
const FULL_SAMPLE_INTERVAL: u32 = 30;
/// A block whose first sample changed by more than a fraction of 1/4 is written complete.
const FULL_SAMPLE_FRACTION: usize = 4;
/// The header is repeated after this time, so that damage to one copy does not make the recording unreadable.
const HEADER_INTERVAL: Duration = Duration::from_secs(600);
/// A recording longer than this has another header at its end.
const LONG: Duration = Duration::from_secs(60);

/// Writes a recording.
///
/// Everything before [`Self::flush`] stays readable whatever happens later; without it, everything but the last second.
#[derive(Debug)]
pub struct Writer<W: Write> {
    to: W,
    bytes: u64,
    samples: u64,
    /// Samples in written blocks.
    written: u64,
    connection: u16,
    header: Header,
    domain: &'static Domain,
    /// The time of the last header.
    header_written_at: Duration,
    /// The newest sample.
    last: FlatSnapshot,
    newest: Numbers,
    base: Option<Base>,
    block: Option<BlockBuilder>,
}

/// The numbers of a sample; times in microseconds.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    frame: u64,
    counter: u64,
    elapsed: u64,
}

/// The complete sample on which differences are based.
#[derive(Debug)]
struct Base {
    /// The offset of its block.
    at: u64,
    flat: FlatSnapshot,
    blocks: u32,
}

#[derive(Debug)]
struct BlockBuilder {
    header: BlockHeader,
    numbers: Vec<u8>,
    spans: Vec<u8>,
    bits: Vec<u8>,
    /// The first sample, if it is written complete.
    full: Option<FlatSnapshot>,
    /// The total length of layout changes.
    relayout: usize,
}

impl<W: Write> Writer<W> {
    /// Starts a recording.
    pub fn new(mut to: W, header: &Header) -> std::io::Result<Self> {
        let mut prefix = MAGIC.to_vec();
        prefix.extend(VERSION.to_le_bytes());
        to.write_all(&prefix)?;
        let mut writer = Self {
            to,
            bytes: prefix.len() as u64,
            samples: 0,
            written: 0,
            connection: 0,
            header: header.clone(),
            domain: header.domain(),
            header_written_at: Duration::ZERO,
            last: FlatSnapshot::default(),
            newest: Numbers::default(),
            base: None,
            block: None,
        };
        writer.write_headers()?;
        writer.to.flush()?;
        Ok(writer)
    }

    /// The output.
    pub fn to(&mut self) -> &mut W {
        &mut self.to
    }

    /// The number of bytes written so far, without the block in progress.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of samples added so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The number of samples in written blocks; after an error, of those that can be read.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Adds the next sample.
    ///
    /// # Errors
    /// If writing fails, or the sample is not of the header's console.
    pub fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        if sample.snapshot.domain() != self.domain {
            return Err(std::io::Error::other("the sample is of another console than the header"));
        }
        let micros = u64::try_from(sample.elapsed.as_micros()).unwrap_or(u64::MAX);
        let now = Numbers { frame: sample.frame, counter: sample.counter.into(), elapsed: micros };
        if now.elapsed < self.newest.elapsed {
            return Err(std::io::Error::other("the sample is older than the previous one"));
        }
        let mut flat = FlatSnapshot::of(&sample.snapshot);
        if flat.layout.len() > MAX_PARTS {
            return Err(std::io::Error::other("the sample has too many parts for a recording"));
        }
        let mut block = match self.block.take() {
            Some(block) => block,
            None => self.start_block(now, &flat),
        };
        let old =
            if self.last.layout == flat.layout { None } else { Some(self.last.with_layout(&flat.layout)) };
        write_difference(&mut block.numbers, self.newest.frame, now.frame);
        write_difference(&mut block.numbers, self.newest.counter, now.counter);
        write_difference(&mut block.numbers, self.newest.elapsed, now.elapsed);
        write_number(&mut block.numbers, u64::from(old.is_some()));
        if old.is_some() {
            write_layout(&mut block.numbers, &flat.layout);
            block.relayout += flat.bytes.len();
        }
        let old = old.as_ref().unwrap_or(&self.last);
        write_changes(&old.bytes, &flat.bytes, &mut block.spans, &mut block.bits);
        if block.header.kind == BlockKind::Full && block.header.samples == 0 {
            block.full = Some(flat.clone());
        }
        std::mem::swap(&mut self.last, &mut flat);
        self.newest = now;
        self.samples += 1;
        block.header.samples += 1;
        block.header.end = now.elapsed;
        let duration = Duration::from_micros(block.header.end - block.header.start);
        let size = block.numbers.len() + block.spans.len() + block.bits.len();
        let size = size.max(block.relayout / (MAX_RELAYOUT / 2 / MAX_BLOCK_BYTES));
        let full =
            duration >= MAX_BLOCK_DURATION || block.header.samples >= MAX_SAMPLES || size >= MAX_BLOCK_BYTES;
        self.block = Some(block);
        if full { self.flush() } else { Ok(()) }
    }

    fn start_block(&mut self, now: Numbers, flat: &FlatSnapshot) -> BlockBuilder {
        let differs_much = |base: &Base| {
            let (mut spans, mut bits) = (Vec::new(), Vec::new());
            let same = base.flat.layout == flat.layout;
            if same {
                write_changes(&base.flat.bytes, &flat.bytes, &mut spans, &mut bits);
            }
            !same || bits.len() > flat.bytes.len() / FULL_SAMPLE_FRACTION
        };
        self.base = self.base.take().filter(|base| base.blocks < FULL_SAMPLE_INTERVAL && !differs_much(base));
        let mut header =
            BlockHeader::without_samples(BlockKind::Full, self.connection, self.samples, now.elapsed);
        header.frame = now.frame;
        self.newest = Numbers { counter: 0, ..now };
        self.last = match &mut self.base {
            Some(base) => {
                (header.kind, header.base) = (BlockKind::Delta, base.at);
                base.blocks += 1;
                base.flat.clone()
            }
            None => FlatSnapshot::default(),
        };
        BlockBuilder {
            header,
            numbers: Vec::new(),
            spans: Vec::new(),
            bits: Vec::new(),
            full: None,
            relayout: 0,
        }
    }

    /// Writes an event that happened since the last sample.
    pub fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.flush()?;
        if let Event::Attached(header) = event {
            let next = self.connection.checked_add(1);
            let full = || std::io::Error::other("a recording cannot have more than 65,536 connections");
            self.connection = next.ok_or_else(full)?;
            self.header = Header::clone(header);
            self.domain = header.domain();
            self.base = None;
            self.write_headers()?;
        } else {
            self.write_block(BlockKind::Event, &serde_json::to_vec(event)?)?;
        }
        self.to.flush()
    }

    /// Adds an annotation: a kind, by which it is found again, and any bytes.
    ///
    /// # Errors
    /// If writing fails, or the annotation is longer than 32 MiB.
    pub fn annotate(&mut self, kind: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.flush()?;
        let mut text = Vec::with_capacity(kind.len() + bytes.len() + 2);
        write_number(&mut text, kind.len() as u64);
        text.extend(kind.as_bytes());
        text.extend(bytes);
        self.write_block(BlockKind::Annotation, &text)?;
        self.to.flush()
    }

    /// Writes the block in progress.
    pub fn flush(&mut self) -> std::io::Result<()> {
        let Some(block) = self.block.take() else { return Ok(()) };
        let mut bytes = Vec::with_capacity(block.numbers.len() + block.spans.len() + block.bits.len() + 16);
        write_number(&mut bytes, block.numbers.len() as u64);
        write_number(&mut bytes, block.spans.len() as u64);
        bytes.extend(&block.numbers);
        bytes.extend(&block.spans);
        bytes.extend(&block.bits);
        let at = self.bytes;
        self.write_bytes(&block.header.encode(&bytes)?)?;
        self.written = block.header.first + u64::from(block.header.samples);
        if let Some(flat) = block.full {
            self.base = Some(Base { at, flat, blocks: 0 });
        }
        if Duration::from_micros(block.header.end) >= self.header_written_at + HEADER_INTERVAL {
            self.write_header()?;
        }
        self.to.flush()
    }

    /// Finishes the recording.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.flush()?;
        if Duration::from_micros(self.newest.elapsed) >= self.header_written_at + LONG {
            self.write_header()?;
        }
        self.write_block(BlockKind::End, &[])?;
        self.to.flush()?;
        Ok(self.to)
    }

    /// Writes the header twice, so that damage to one copy does not make a short recording unreadable.
    fn write_headers(&mut self) -> std::io::Result<()> {
        self.write_header()?;
        self.write_header()
    }

    fn write_header(&mut self) -> std::io::Result<()> {
        self.header_written_at = Duration::from_micros(self.newest.elapsed);
        let text = serde_json::to_vec(&self.header)?;
        self.write_block(BlockKind::Header, &text)
    }

    fn write_block(&mut self, kind: BlockKind, bytes: &[u8]) -> std::io::Result<()> {
        let header = BlockHeader::without_samples(kind, self.connection, self.samples, self.newest.elapsed);
        self.write_bytes(&header.encode(bytes)?)
    }

    fn write_bytes(&mut self, block: &[u8]) -> std::io::Result<()> {
        self.to.write_all(block)?;
        self.bytes += block.len() as u64;
        Ok(())
    }
}

//! Writing: samples are gathered for a second at most, and each second's block can be read without what comes after it.

use super::block::{Head, Kind, MAGIC, MOST_SAMPLES, VERSION};
use super::coding::{put_difference, put_number};
use super::flat_snapshot::{FlatSnapshot, MOST_LAID_OUT, MOST_PARTS, put_changes, put_layout};
use super::{Event, Header, Sample};
use crate::console::Domain;
use std::io::Write;
use std::time::Duration;

/// The longest time that a block gathers: as much as a kill can cost.
pub const BLOCK_LASTS: Duration = Duration::from_secs(1);
/// It gathers no more than so many bytes, and the sample that goes past them.
const BLOCK_BYTES: usize = 8 << 20;
/// After so many blocks a sample is written whole again: as much as one damaged block can cost.
const WHOLE_EVERY: u32 = 30;
/// A block whose first sample has changed by more than this part of it is written whole at once.
const MUCH_CHANGED: usize = 4;
/// The header is written again after this time, so that one damaged place does not cost the recording.
const HEADER_EVERY: Duration = Duration::from_secs(600);
/// A recording that is longer than this has its header at the end too.
const LONG: Duration = Duration::from_secs(60);

/// Writes a recording.
///
/// What was written before [`Self::flush`] can be read, whatever comes later; so can, without it, all but the last second.
#[derive(Debug)]
pub struct Writer<W: Write> {
    to: W,
    bytes: u64,
    samples: u64,
    /// Samples of which the blocks are written.
    written: u64,
    connection: u16,
    header: Header,
    domain: &'static Domain,
    /// When the header was written last.
    told: Duration,
    /// The newest sample: RAM, frame, counter, microseconds.
    last: FlatSnapshot,
    newest: Numbers,
    base: Option<Base>,
    block: Option<BlockBuilder>,
}

/// What counts up from sample to sample.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    frame: u64,
    counter: u64,
    elapsed: u64,
}

/// The whole sample from which blocks count their changes.
#[derive(Debug)]
struct Base {
    /// Where its block stands.
    at: u64,
    flat: FlatSnapshot,
    blocks: u32,
}

/// A block that is being filled.
#[derive(Debug)]
struct BlockBuilder {
    head: Head,
    numbers: Vec<u8>,
    spans: Vec<u8>,
    bits: Vec<u8>,
    /// The first sample, when it is written whole.
    whole: Option<FlatSnapshot>,
    /// Bytes that were laid out anew.
    laid_out: usize,
}

impl<W: Write> Writer<W> {
    /// Begins a recording.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut to: W, header: &Header) -> std::io::Result<Self> {
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_le_bytes());
        to.write_all(&head)?;
        let mut writer = Self {
            to,
            bytes: head.len() as u64,
            samples: 0,
            written: 0,
            connection: 0,
            header: header.clone(),
            domain: header.domain(),
            told: Duration::ZERO,
            last: FlatSnapshot::default(),
            newest: Numbers::default(),
            base: None,
            block: None,
        };
        writer.put_headers()?;
        writer.to.flush()?;
        Ok(writer)
    }

    /// What it writes to.
    pub fn to(&mut self) -> &mut W {
        &mut self.to
    }

    /// Bytes written so far; what is being gathered is not among them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Samples taken so far.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Samples that are written: all but those that are being gathered. After an error, those that can be read.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The connection that samples belong to now.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Takes the next sample.
    ///
    /// # Errors
    /// When it cannot be written, or is not of the RAM that the header names.
    pub fn sample(&mut self, sample: &Sample) -> std::io::Result<()> {
        if sample.snapshot.domain() != self.domain {
            return Err(std::io::Error::other("a sample of another console's RAM than the header names"));
        }
        let micros = u64::try_from(sample.elapsed.as_micros()).unwrap_or(u64::MAX);
        let now = Numbers { frame: sample.frame, counter: sample.counter.into(), elapsed: micros };
        if now.elapsed < self.newest.elapsed {
            return Err(std::io::Error::other("a sample that is older than the one before it"));
        }
        let mut flat = FlatSnapshot::of(&sample.snapshot);
        if flat.layout.len() > MOST_PARTS {
            return Err(std::io::Error::other("a sample of more parts than a recording can hold"));
        }
        let mut block = match self.block.take() {
            Some(block) => block,
            None => self.begin(now, &flat),
        };
        let old = if self.last.layout == flat.layout { None } else { Some(self.last.laid_out(&flat.layout)) };
        put_difference(&mut block.numbers, self.newest.frame, now.frame);
        put_difference(&mut block.numbers, self.newest.counter, now.counter);
        put_difference(&mut block.numbers, self.newest.elapsed, now.elapsed);
        put_number(&mut block.numbers, u64::from(old.is_some()));
        if old.is_some() {
            put_layout(&mut block.numbers, &flat.layout);
            block.laid_out += flat.bytes.len();
        }
        let old = old.as_ref().unwrap_or(&self.last);
        put_changes(&old.bytes, &flat.bytes, &mut block.spans, &mut block.bits);
        if block.head.kind == Kind::Whole && block.head.samples == 0 {
            block.whole = Some(flat.clone());
        }
        std::mem::swap(&mut self.last, &mut flat);
        self.newest = now;
        self.samples += 1;
        block.head.samples += 1;
        block.head.ends = now.elapsed;
        let lasts = Duration::from_micros(block.head.ends - block.head.begins);
        let size = block.numbers.len() + block.spans.len() + block.bits.len();
        let size = size.max(block.laid_out / (MOST_LAID_OUT / 2 / BLOCK_BYTES));
        let full = lasts >= BLOCK_LASTS || block.head.samples >= MOST_SAMPLES || size >= BLOCK_BYTES;
        self.block = Some(block);
        if full { self.flush() } else { Ok(()) }
    }

    /// Begins a block whose first sample this is.
    fn begin(&mut self, now: Numbers, flat: &FlatSnapshot) -> BlockBuilder {
        let far = |base: &Base| {
            let (mut spans, mut bits) = (Vec::new(), Vec::new());
            let same = base.flat.layout == flat.layout;
            if same {
                put_changes(&base.flat.bytes, &flat.bytes, &mut spans, &mut bits);
            }
            !same || bits.len() > flat.bytes.len() / MUCH_CHANGED
        };
        self.base = self.base.take().filter(|base| base.blocks < WHOLE_EVERY && !far(base));
        let mut head = Head::plain(Kind::Whole, self.connection, self.samples, now.elapsed);
        head.frame = now.frame;
        self.newest = Numbers { counter: 0, ..now };
        self.last = match &mut self.base {
            Some(base) => {
                (head.kind, head.base) = (Kind::Changed, base.at);
                base.blocks += 1;
                base.flat.clone()
            }
            None => FlatSnapshot::default(),
        };
        BlockBuilder {
            head,
            numbers: Vec::new(),
            spans: Vec::new(),
            bits: Vec::new(),
            whole: None,
            laid_out: 0,
        }
    }

    /// Notes what happened since the last sample.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn event(&mut self, event: &Event) -> std::io::Result<()> {
        self.flush()?;
        if let Event::Attached(header) = event {
            let next = self.connection.checked_add(1);
            let full = || std::io::Error::other("a recording holds 65,536 connections and no more");
            self.connection = next.ok_or_else(full)?;
            self.header = Header::clone(header);
            self.domain = header.domain();
            self.base = None;
            self.put_headers()?;
        } else {
            self.put(Kind::Event, &serde_json::to_vec(event)?)?;
        }
        self.to.flush()
    }

    /// Adds what somebody has to say of the recording: a kind, by which it is found again, and any bytes.
    ///
    /// # Errors
    /// When it cannot be written, or has more than 32 MiB.
    pub fn annotate(&mut self, kind: &str, bytes: &[u8]) -> std::io::Result<()> {
        self.flush()?;
        let mut text = Vec::with_capacity(kind.len() + bytes.len() + 2);
        put_number(&mut text, kind.len() as u64);
        text.extend(kind.as_bytes());
        text.extend(bytes);
        self.put(Kind::Annotation, &text)?;
        self.to.flush()
    }

    /// Writes what was gathered.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> std::io::Result<()> {
        let Some(block) = self.block.take() else { return Ok(()) };
        let mut bytes = Vec::with_capacity(block.numbers.len() + block.spans.len() + block.bits.len() + 16);
        put_number(&mut bytes, block.numbers.len() as u64);
        put_number(&mut bytes, block.spans.len() as u64);
        bytes.extend(&block.numbers);
        bytes.extend(&block.spans);
        bytes.extend(&block.bits);
        let at = self.bytes;
        self.write(&block.head.with(&bytes)?)?;
        self.written = block.head.first + u64::from(block.head.samples);
        if let Some(flat) = block.whole {
            self.base = Some(Base { at, flat, blocks: 0 });
        }
        if Duration::from_micros(block.head.ends) >= self.told + HEADER_EVERY {
            self.put_header()?;
        }
        self.to.flush()
    }

    /// Ends the recording.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.flush()?;
        if Duration::from_micros(self.newest.elapsed) >= self.told + LONG {
            self.put_header()?;
        }
        self.put(Kind::End, &[])?;
        self.to.flush()?;
        Ok(self.to)
    }

    /// The header of a connection twice, so that one damaged place does not cost a short recording.
    fn put_headers(&mut self) -> std::io::Result<()> {
        self.put_header()?;
        self.put_header()
    }

    fn put_header(&mut self) -> std::io::Result<()> {
        self.told = Duration::from_micros(self.newest.elapsed);
        let text = serde_json::to_vec(&self.header)?;
        self.put(Kind::Header, &text)
    }

    fn put(&mut self, kind: Kind, bytes: &[u8]) -> std::io::Result<()> {
        let head = Head::plain(kind, self.connection, self.samples, self.newest.elapsed);
        self.write(&head.with(bytes)?)
    }

    fn write(&mut self, block: &[u8]) -> std::io::Result<()> {
        self.to.write_all(block)?;
        self.bytes += block.len() as u64;
        Ok(())
    }
}

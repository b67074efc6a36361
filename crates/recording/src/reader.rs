//! Reads recordings and reports damage.

mod scan;

use super::block::{BlockHeader, FILE_HEADER_LEN, HEADER_LEN, MAGIC, VERSION};
use super::coding::{ByteReader, checksum, unpack};
use super::cursor::Cursor;
use super::store::Store;
use super::{Event, Header, Sample};
use nextscope_memory::console::Domain;
use scan::Scan;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Whether a file begins like a recording.
pub fn is_recording(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    // Reading a pipe would consume its data.
    let regular = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    regular
        && std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && magic == MAGIC
}

/// Why a recording or a sample cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RecordingError {
    #[error("the file cannot be read: {0}")]
    Io(String),
    #[error("not a recording of nextscope")]
    NotARecording,
    #[error(
        "the recording has format {found}; this version of nextscope reads formats up to {known}: update nextscope"
    )]
    Newer { found: u32, known: u32 },
    #[error("the recording has no readable header{0}")]
    NoHeader(String),
    #[error("there is no sample {index}: the recording has {samples}")]
    NoSample { index: u64, samples: u64 },
    #[error("the block at byte {at} of the recording cannot be read: its {samples} samples are lost")]
    Unreadable { at: u64, samples: u32 },
}

impl From<std::io::Error> for RecordingError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Damage {
    /// Its offset in the file.
    pub at: u64,
    /// What is wrong, in a sentence.
    pub what: String,
    /// The number of missing samples; None at the end of a truncated file, where it is unknown.
    #[serde(rename = "missing_samples")]
    pub samples: Option<u64>,
    /// The longest time that they can cover, in seconds.
    #[serde(rename = "missing_seconds")]
    pub seconds: Option<f64>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.what)?;
        match (self.samples, self.seconds) {
            (Some(0), _) => write!(f, "; no sample is missing"),
            (Some(samples), Some(seconds)) => write!(f, "; {samples} samples are missing, {seconds:.2} s"),
            (Some(samples), None) => write!(f, "; {samples} samples are missing"),
            (None, _) => Ok(()),
        }
    }
}

/// A block of samples with a valid checksum.
#[derive(Debug, Clone)]
pub(super) struct Block {
    at: u64,
    pub header: BlockHeader,
    /// The index of its section.
    section: usize,
    /// The number of its first sample among the readable ones.
    pub index: u64,
    /// The block on whose first sample its differences are based.
    pub base: Option<usize>,
}

/// Samples of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The connection.
    pub header: Header,
    /// The number of its first sample.
    pub first: u64,
}

/// A recording.
///
/// The readable samples are numbered from 0, whatever is missing between them. The file stays open and is not in memory, except for about
/// 120 bytes per second of recording.
#[derive(Debug)]
pub struct Recording {
    store: Store,
    name: String,
    version: u32,
    blocks: Vec<Block>,
    sections: Vec<Section>,
    events: Vec<(u64, Event)>,
    annotations: Vec<(u64, BlockHeader)>,
    damage: Vec<Damage>,
    samples: u64,
    finished: bool,
    cursor: Mutex<Cursor>,
}

impl Recording {
    /// Opens a file. All of it is read once to find damage.
    ///
    /// # Errors
    /// [`RecordingError`] if nothing of it can be read; see [`Self::damage`] for partial damage.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let name = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Self::read(Store::open(path)?, name)
    }

    /// Opens bytes in memory, with a display name.
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self, RecordingError> {
        Self::read(Store::from_bytes(bytes), name.to_owned())
    }

    fn read(store: Store, name: String) -> Result<Self, RecordingError> {
        let header = store.read(0, FILE_HEADER_LEN)?.ok_or(RecordingError::NotARecording)?;
        let (magic, version) = header.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(RecordingError::NotARecording);
        }
        let version = version.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        match version {
            0 => return Err(RecordingError::NotARecording),
            1..=VERSION => {}
            found => return Err(RecordingError::Newer { found, known: VERSION }),
        }
        let mut scan = Scan::default();
        scan.run(&store)?;
        let recording = scan.recording(store, name, version);
        if recording.sections.is_empty() {
            let why = recording.damage.first().map_or_else(String::new, |damage| format!(" ({damage})"));
            return Err(RecordingError::NoHeader(why));
        }
        Ok(recording)
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version of the format.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The length of the file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.store.len()
    }

    /// The number of readable samples.
    pub fn len(&self) -> u64 {
        self.samples
    }

    /// Whether there is no readable sample.
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Whether the recording was finished.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The time from the beginning to the last sample.
    pub fn length(&self) -> Duration {
        self.blocks.last().map_or(Duration::ZERO, |block| Duration::from_micros(block.header.end))
    }

    /// The connections in order; at least one.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The first connection.
    pub fn header(&self) -> &Header {
        &self.sections[0].header
    }

    /// The index of the section that a sample belongs to.
    pub fn section_of(&self, index: u64) -> usize {
        self.block_of(index).map_or(self.sections.len() - 1, |(_, block)| block.section)
    }

    /// The events, each with the number of the sample after it. For new connections see [`Self::sections`].
    pub fn events(&self) -> &[(u64, Event)] {
        &self.events
    }

    /// The parts of the file that cannot be read.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The damage in a sentence, if there is any.
    pub fn damage_summary(&self) -> Option<String> {
        let first = self.damage.first()?;
        Some(match self.damage.len() {
            1 => first.to_string(),
            more => format!("{first}; and {} more", more - 1),
        })
    }

    /// The sample with this number, from 0. Reading in order is fastest.
    pub fn sample(&self, index: u64) -> Result<Sample, RecordingError> {
        self.cursor.lock().unwrap_or_else(PoisonError::into_inner).sample(self, index)
    }

    /// The number of the first sample at or after a frame, in the first connection that reached it.
    pub fn index_of_frame(&self, frame: u64) -> Option<u64> {
        let mut cursor = Cursor::default();
        for (number, block) in self.blocks.iter().enumerate() {
            let last = match self.blocks.get(number + 1) {
                // The next block begins later, so the sample is in this block or the first of the next.
                Some(next) if next.section == block.section => next.header.frame >= frame,
                _ => true,
            };
            if !last {
                continue;
            }
            let samples = block.index..block.index + u64::from(block.header.samples);
            let found = samples.clone().find(|index| cursor.frame(self, *index).is_ok_and(|at| at >= frame));
            let next = || self.blocks.get(number + 1).filter(|next| next.section == block.section);
            if let Some(found) = found.or_else(|| next().map(|_| samples.end)) {
                return Some(found);
            }
        }
        None
    }

    /// The number of the last sample at or before a time; the first sample if there is none.
    pub fn index_at(&self, elapsed: Duration) -> u64 {
        let after = self.blocks.partition_point(|block| Duration::from_micros(block.header.start) <= elapsed);
        let Some(block) = after.checked_sub(1).and_then(|number| self.blocks.get(number)) else { return 0 };
        let samples = block.index..block.index + u64::from(block.header.samples);
        let taken = |index: &u64| self.sample(*index).is_ok_and(|sample| sample.elapsed <= elapsed);
        samples.clone().take_while(taken).last().unwrap_or(samples.start)
    }

    /// The annotations of a kind, in order. Each is unpacked when the iterator reaches it.
    pub fn annotations(&self, kind: &str) -> impl Iterator<Item = Vec<u8>> {
        self.annotations.iter().filter_map(move |(at, header)| {
            let packed = self.store.read(at + HEADER_LEN as u64, header.stored as usize).ok()??;
            let bytes = unpack(&packed, header.unpacked as usize)?;
            let mut front = ByteReader(&bytes);
            let length = front.size()?;
            (front.bytes(length)? == kind.as_bytes()).then(|| front.0.to_vec())
        })
    }

    pub(super) fn block_of(&self, index: u64) -> Result<(usize, &Block), RecordingError> {
        let after = self.blocks.partition_point(|block| block.index <= index);
        let number = after.checked_sub(1).filter(|_| index < self.samples);
        let found = number.and_then(|number| Some((number, self.blocks.get(number)?)));
        found.ok_or(RecordingError::NoSample { index, samples: self.samples })
    }

    pub(super) fn block(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number)
    }

    pub(super) fn domain_of(&self, block: &Block) -> &'static Domain {
        self.sections[block.section].header.domain()
    }

    /// The packed content of a block; None if the file changed meanwhile.
    pub(super) fn packed(&self, block: &Block) -> Result<Option<Vec<u8>>, RecordingError> {
        let packed = self.store.read(block.at + HEADER_LEN as u64, block.header.stored as usize)?;
        Ok(packed.filter(|packed| checksum(packed) == block.header.checksum))
    }

    pub(super) fn unreadable(&self, number: usize) -> RecordingError {
        let (at, samples) = self.blocks.get(number).map_or((0, 0), |block| (block.at, block.header.samples));
        RecordingError::Unreadable { at, samples }
    }
}

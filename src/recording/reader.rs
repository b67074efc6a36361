//! Reading: what a file holds, and what of it cannot be read.

mod scan;

use super::block::{FILE_HEAD, HEAD, Head, MAGIC, VERSION};
use super::coding::{ByteReader, checksum, unpack};
use super::cursor::Cursor;
use super::store::Store;
use super::{Event, Header, Sample};
use crate::console::Domain;
use scan::Scan;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Whether a file begins as recordings do.
#[must_use]
pub fn is_recording(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    // Of a pipe nothing is taken.
    let regular = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    regular
        && std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && magic == MAGIC
}

/// Why a recording, or a sample of it, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Io(String),
    /// It begins as no recording does.
    #[error("this is no recording of nextscope: it does not begin as one")]
    NotARecording,
    /// A newer version of the program wrote it.
    #[error(
        "the recording has format {found}; this version of nextscope reads formats up to {known}: update it"
    )]
    Newer {
        /// The version in the file.
        found: u32,
        /// The newest version that is known here.
        known: u32,
    },
    /// Nothing in it tells what was recorded.
    #[error("no readable header is left in the recording, so that nothing tells of which RAM it is{0}")]
    NoHeader(String),
    /// There are not so many samples.
    #[error("there is no sample {index}: the recording has {samples}")]
    NoSample {
        /// The number asked for, from 0.
        index: u64,
        /// How many there are.
        samples: u64,
    },
    /// A block is whole but holds what no writer writes.
    #[error("the block at byte {at} of the recording cannot be read: its {samples} samples are lost")]
    Unreadable {
        /// Where it stands.
        at: u64,
        /// Samples in it.
        samples: u32,
    },
}

impl From<std::io::Error> for RecordingError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A place in a file that cannot be read.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Damage {
    /// Where it begins, in bytes from the file's beginning.
    pub at: u64,
    /// What is wrong there, in a sentence.
    pub what: String,
    /// Samples that are missing for it; None at the end of a file that breaks off, where nobody can tell.
    #[serde(rename = "missing_samples")]
    pub samples: Option<u64>,
    /// The time that they cover at most, in seconds.
    #[serde(rename = "missing_seconds")]
    pub seconds: Option<f64>,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.what)?;
        match (self.samples, self.seconds) {
            (Some(0), _) => write!(f, "; no sample is missing for it"),
            (Some(samples), Some(seconds)) => write!(f, "; {samples} samples are missing, {seconds:.2} s"),
            (Some(samples), None) => write!(f, "; {samples} samples are missing"),
            (None, _) => Ok(()),
        }
    }
}

/// A block of samples that can be read, as far as its checksum tells.
#[derive(Debug, Clone)]
pub(super) struct Block {
    at: u64,
    pub head: Head,
    /// Which of the headers it belongs to.
    section: usize,
    /// The number of its first sample among those that can be read.
    pub index: u64,
    /// The block from whose first sample its changes count.
    pub base: Option<usize>,
}

/// Samples of one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// What the connection was.
    pub header: Header,
    /// The number of its first sample.
    pub first: u64,
}

/// A recording that can be read.
///
/// Samples are numbered from 0 through those that can be read, whatever is missing between them. The file is held open and not in
/// memory: some 120 bytes for each second of it are.
#[derive(Debug)]
pub struct Recording {
    store: Store,
    name: String,
    version: u32,
    blocks: Vec<Block>,
    sections: Vec<Section>,
    events: Vec<(u64, Event)>,
    annotations: Vec<(u64, Head)>,
    damage: Vec<Damage>,
    samples: u64,
    ended: bool,
    cursor: Mutex<Cursor>,
}

impl Recording {
    /// Opens a file. All of it is read once, to know what of it is whole.
    ///
    /// # Errors
    /// [`RecordingError`] when nothing of it can be read; what is damaged otherwise is [`Self::damage`].
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let name = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        Self::read(Store::open(path)?, name)
    }

    /// The same of bytes in memory, under a name of your own.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self, RecordingError> {
        Self::read(Store::of(bytes), name.to_owned())
    }

    fn read(store: Store, name: String) -> Result<Self, RecordingError> {
        let head = store.read(0, FILE_HEAD)?.ok_or(RecordingError::NotARecording)?;
        let (magic, version) = head.split_at(MAGIC.len());
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
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version of its format.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The length of the file, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.store.len()
    }

    /// Samples that can be read.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.samples
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Whether it was ended, and did not break off.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// From its beginning to the last sample.
    #[must_use]
    pub fn length(&self) -> Duration {
        self.blocks.last().map_or(Duration::ZERO, |block| Duration::from_micros(block.head.ends))
    }

    /// The connections in it, in their order: at least one.
    #[must_use]
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The first connection.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.sections[0].header
    }

    /// The connection that a sample belongs to.
    #[must_use]
    pub fn section_of(&self, index: u64) -> usize {
        self.block_of(index).map_or(self.sections.len() - 1, |(_, block)| block.section)
    }

    /// What happened, each with the number of the sample before which it did. New connections are not among them: see
    /// [`Self::sections`].
    #[must_use]
    pub fn events(&self) -> &[(u64, Event)] {
        &self.events
    }

    /// What of the file cannot be read; empty when all can.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The damage in a sentence; None when there is none.
    #[must_use]
    pub fn damage_told(&self) -> Option<String> {
        let first = self.damage.first()?;
        Some(match self.damage.len() {
            1 => first.to_string(),
            more => format!("{first}; and {} further places", more - 1),
        })
    }

    /// The sample of that number, from 0. Samples one after another cost least.
    ///
    /// # Errors
    /// See [`Cursor::sample`].
    pub fn sample(&self, index: u64) -> Result<Sample, RecordingError> {
        self.cursor.lock().unwrap_or_else(PoisonError::into_inner).sample(self, index)
    }

    /// The number of the first sample in that frame or after it, in the first connection that came so far. None when none did.
    #[must_use]
    pub fn index_of_frame(&self, frame: u64) -> Option<u64> {
        let mut cursor = Cursor::default();
        for (number, block) in self.blocks.iter().enumerate() {
            let last = match self.blocks.get(number + 1) {
                // The next one begins later, so that it is in this block or the first of the next.
                Some(next) if next.section == block.section => next.head.frame >= frame,
                _ => true,
            };
            if !last {
                continue;
            }
            let samples = block.index..block.index + u64::from(block.head.samples);
            let found = samples.clone().find(|index| cursor.frame(self, *index).is_ok_and(|at| at >= frame));
            let next = || self.blocks.get(number + 1).filter(|next| next.section == block.section);
            if let Some(found) = found.or_else(|| next().map(|_| samples.end)) {
                return Some(found);
            }
        }
        None
    }

    /// The number of the last sample taken so long after the recording's beginning; the first, when none was yet.
    #[must_use]
    pub fn index_at(&self, elapsed: Duration) -> u64 {
        let after = self.blocks.partition_point(|block| Duration::from_micros(block.head.begins) <= elapsed);
        let Some(block) = after.checked_sub(1).and_then(|number| self.blocks.get(number)) else { return 0 };
        let samples = block.index..block.index + u64::from(block.head.samples);
        let taken = |index: &u64| self.sample(*index).is_ok_and(|sample| sample.elapsed <= elapsed);
        samples.clone().take_while(taken).last().unwrap_or(samples.start)
    }

    /// What was said of the recording, of one kind, in order. Each is unpacked when it is come to.
    pub fn annotations(&self, kind: &str) -> impl Iterator<Item = Vec<u8>> {
        self.annotations.iter().filter_map(move |(at, head)| {
            let packed = self.store.read(at + HEAD as u64, head.stored as usize).ok()??;
            let bytes = unpack(&packed, head.unpacked as usize)?;
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

    /// What a block holds, packed; None when the file changed meanwhile.
    pub(super) fn packed(&self, block: &Block) -> Result<Option<Vec<u8>>, RecordingError> {
        let packed = self.store.read(block.at + HEAD as u64, block.head.stored as usize)?;
        Ok(packed.filter(|packed| checksum(packed) == block.head.checksum))
    }

    pub(super) fn unreadable(&self, number: usize) -> RecordingError {
        let (at, samples) = self.blocks.get(number).map_or((0, 0), |block| (block.at, block.head.samples));
        RecordingError::Unreadable { at, samples }
    }
}

//! Reads recordings and reports damage.

mod scan;

use super::block::{BlockHeader, FILE_HEADER_LEN, HEADER_LEN, MAGIC, VERSION};
use super::coding::{ByteReader, unpack};
use super::content::{Block, Content, RecordingError, Section};
use super::cursor::Cursor;
use super::store::Store;
use super::{Event, Header, Sample};
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

/// A recording.
///
/// The readable samples are numbered from 0, whatever is missing between them. The file stays open and is not in memory, except for about
/// 120 bytes per second of recording.
#[derive(Debug)]
pub struct Recording {
    content: Content,
    name: String,
    version: u32,
    events: Vec<(u64, Event)>,
    annotations: Vec<(u64, BlockHeader)>,
    damage: Vec<Damage>,
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
        if recording.content.sections.is_empty() {
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
        self.content.store.len()
    }

    /// The number of readable samples.
    pub fn len(&self) -> u64 {
        self.content.samples
    }

    /// Whether there is no readable sample.
    pub fn is_empty(&self) -> bool {
        self.content.samples == 0
    }

    /// Whether the recording was finished.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The time from the beginning to the last sample.
    pub fn length(&self) -> Duration {
        self.content.blocks.last().map_or(Duration::ZERO, |block| Duration::from_micros(block.header.end))
    }

    /// The connections in order; at least one.
    pub fn sections(&self) -> &[Section] {
        &self.content.sections
    }

    /// The first connection.
    pub fn header(&self) -> &Header {
        &self.content.sections[0].header
    }

    /// The index of the section that a sample belongs to.
    pub fn section_of(&self, index: u64) -> usize {
        self.content.block_of(index).map_or(self.content.sections.len() - 1, |(_, block)| block.section)
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
        self.cursor.lock().unwrap_or_else(PoisonError::into_inner).sample(&self.content, index)
    }

    /// The same by a reader's own position, which is fast for several readers in turn.
    pub fn sample_at(&self, cursor: &mut Cursor, index: u64) -> Result<Sample, RecordingError> {
        cursor.sample(&self.content, index)
    }

    /// The time of the sample with this number.
    pub fn elapsed_at(&self, cursor: &mut Cursor, index: u64) -> Result<Duration, RecordingError> {
        cursor.elapsed(&self.content, index)
    }

    /// The number of the first sample at or after a frame, in the first connection that reached it.
    pub fn index_of_frame(&self, frame: u64) -> Option<u64> {
        let mut cursor = Cursor::default();
        for (number, block) in self.content.blocks.iter().enumerate() {
            let last = match self.content.blocks.get(number + 1) {
                // The next block begins later, so the sample is in this block or the first of the next.
                Some(next) if next.section == block.section => next.header.frame >= frame,
                _ => true,
            };
            if !last {
                continue;
            }
            let samples = block.index..block.index + u64::from(block.header.samples);
            let found =
                samples.clone().find(|index| cursor.frame(&self.content, *index).is_ok_and(|at| at >= frame));
            let next = || self.content.blocks.get(number + 1).filter(|next| next.section == block.section);
            if let Some(found) = found.or_else(|| next().map(|_| samples.end)) {
                return Some(found);
            }
        }
        None
    }

    /// The number of the last sample at or before a time; the first sample if there is none.
    pub fn index_at(&self, elapsed: Duration) -> u64 {
        let after =
            self.content.blocks.partition_point(|block| Duration::from_micros(block.header.start) <= elapsed);
        let Some(block) = after.checked_sub(1).and_then(|number| self.content.blocks.get(number)) else {
            return 0;
        };
        let samples = block.index..block.index + u64::from(block.header.samples);
        let taken = |index: &u64| self.sample(*index).is_ok_and(|sample| sample.elapsed <= elapsed);
        samples.clone().take_while(taken).last().unwrap_or(samples.start)
    }

    /// The annotations of a kind, in order. Each is unpacked when the iterator reaches it.
    pub fn annotations(&self, kind: &str) -> impl Iterator<Item = Vec<u8>> {
        self.annotations.iter().filter_map(move |(at, header)| {
            let packed = self.content.store.read(at + HEADER_LEN as u64, header.stored as usize).ok()??;
            let bytes = unpack(&packed, header.unpacked as usize)?;
            let mut front = ByteReader(&bytes);
            let length = front.size()?;
            (front.bytes(length)? == kind.as_bytes()).then(|| front.0.to_vec())
        })
    }
}

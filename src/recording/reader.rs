//! Reading: what a file holds, and what of it cannot be read.

use super::block::{FILE_HEAD, HEAD, Head, Kind, MAGIC, SYNC, VERSION};
use super::coding::{Front, checksum, unpack};
use super::cursor::Cursor;
use super::store::Store;
use super::{Event, Header, Sample};
use crate::console::Domain;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Headers and events are kept unpacked, but no more of them than this.
const MOST_TOLD: usize = 64 << 20;

/// Damaged places that are told of one by one.
const MOST_DAMAGE: usize = 1000;

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
    pub samples: Option<u64>,
    /// The time that they cover at most, in seconds.
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
            let mut front = Front(&bytes);
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

/// Going through a file from block to block.
#[derive(Debug, Default)]
struct Scan {
    blocks: Vec<Block>,
    /// The blocks by where they stand.
    places: BTreeMap<u64, usize>,
    /// The headers by the connection's number.
    headers: BTreeMap<u16, Header>,
    connections: Vec<u16>,
    events: Vec<(u64, Event)>,
    annotations: Vec<(u64, Head)>,
    damage: Vec<Damage>,
    damaged: usize,
    /// Samples that were written up to here, and when the last of them was taken.
    written: u64,
    newest: u64,
    /// Damage of which it is not known yet what is missing for it.
    open: Option<Damage>,
    told: usize,
    ended: bool,
}

impl Scan {
    fn run(&mut self, store: &Store) -> Result<(), RecordingError> {
        let mut at = FILE_HEAD as u64;
        while at < store.len() {
            let Some(bytes) = store.read(at, HEAD)? else {
                self.broken(
                    at,
                    "the file breaks off in the middle of a block's head: what came after it is missing",
                );
                break;
            };
            let head = <&[u8; HEAD]>::try_from(bytes.as_slice()).ok().and_then(Head::read);
            let Some(head) = head else {
                let next = self.next_block(store, at + 1)?;
                let what = match next {
                    Some(next) => format!("{} bytes are no block, or a block with a damaged head", next - at),
                    None => "from here on there is no block that can be read".to_owned(),
                };
                self.broken(at, &what);
                let Some(next) = next else { break };
                at = next;
                continue;
            };
            let Some(packed) = store.read(at + HEAD as u64, head.stored as usize)? else {
                self.cut(at, &head);
                break;
            };
            self.block(at, &head, &packed);
            at += HEAD as u64 + u64::from(head.stored);
        }
        if let Some(open) = self.open.take() {
            self.tell(open);
        } else if !self.ended {
            self.tell(Damage {
                at: store.len(),
                what: "the recording was not ended (the program was killed, or still records): up to a second that came after it is missing".into(),
                samples: None,
                seconds: None,
            });
        }
        Ok(())
    }

    /// The next place where a whole head stands.
    fn next_block(&self, store: &Store, mut from: u64) -> Result<Option<u64>, RecordingError> {
        while let Some(at) = store.find(&SYNC, from)? {
            let bytes = store.read(at, HEAD)?;
            let head =
                bytes.as_deref().and_then(|bytes| <&[u8; HEAD]>::try_from(bytes).ok()).and_then(Head::read);
            if head.is_some() {
                return Ok(Some(at));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Something is wrong, and what comes next tells what it cost.
    fn broken(&mut self, at: u64, what: &str) {
        if self.open.is_none() {
            self.open = Some(Damage { at, what: what.into(), samples: None, seconds: None });
        }
    }

    /// The file ends in the middle of a block of which the head is whole.
    fn cut(&mut self, at: u64, head: &Head) {
        self.account(head);
        let lasts = Duration::from_micros(head.ends - head.begins).as_secs_f64();
        let what = match head.samples {
            0 => "the file breaks off in the middle of a block: what came after it is missing".into(),
            samples => format!(
                "the file breaks off in the middle of a block of {samples} samples ({lasts:.2} s): they and what came after them are missing"
            ),
        };
        self.broken(at, &what);
    }

    /// Says what is missing before this block.
    fn account(&mut self, head: &Head) {
        let missing = head.first.saturating_sub(self.written);
        let seconds = Duration::from_micros(head.begins.saturating_sub(self.newest)).as_secs_f64();
        let open = self.open.take();
        if missing > 0 || open.is_some() {
            let at = self.places.last_key_value().map_or(FILE_HEAD as u64, |(at, _)| *at);
            let what = "blocks are missing after this one".to_owned();
            let damage = open.unwrap_or(Damage { at, what, samples: None, seconds: None });
            let seconds = (missing > 0).then_some(seconds);
            self.tell(Damage { samples: Some(missing), seconds, ..damage });
        }
        self.written = self.written.max(head.first);
    }

    fn tell(&mut self, damage: Damage) {
        self.damaged += 1;
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(damage);
        }
    }

    fn block(&mut self, at: u64, head: &Head, packed: &[u8]) {
        if checksum(packed) != head.checksum {
            if head.kind.has_samples() {
                self.broken(at, "a block of samples is damaged");
            } else {
                self.broken(at, "a block without samples (header, event, note) is damaged");
            }
            return;
        }
        if head.first < self.written {
            self.broken(at, "a block of samples that were there already");
            return;
        }
        self.account(head);
        let told = self.told + head.unpacked as usize;
        match head.kind {
            Kind::Header if self.headers.contains_key(&head.connection) => {}
            Kind::Header | Kind::Event if told > MOST_TOLD => {
                self.broken(at, "more headers and events than any recording has");
            }
            Kind::Header => {
                self.told = told;
                let text = unpack(packed, head.unpacked as usize);
                match text.and_then(|text| serde_json::from_slice(&text).ok()) {
                    Some(header) => _ = self.headers.insert(head.connection, header),
                    None => self.broken(at, "a header that says what this version does not understand"),
                }
            }
            Kind::Event => {
                self.told = told;
                let text = unpack(packed, head.unpacked as usize);
                match text.and_then(|text| serde_json::from_slice(&text).ok()) {
                    Some(event) => self.events.push((head.first, event)),
                    None => self.broken(at, "an event that this version does not understand"),
                }
            }
            Kind::Whole | Kind::Changed => self.samples(at, *head),
            Kind::Annotation => self.annotations.push((at, *head)),
            Kind::End => self.ended = true,
        }
    }

    fn samples(&mut self, at: u64, head: Head) {
        let base = match head.kind {
            Kind::Changed => {
                match self.places.get(&head.base) {
                    Some(base) if self.blocks[*base].head.kind == Kind::Whole => Some(*base),
                    _ => {
                        self.broken(at, "samples of which only the changes are left: the block with the whole one is damaged");
                        return;
                    }
                }
            }
            _ => None,
        };
        self.ended = false;
        self.written = head.first + u64::from(head.samples);
        self.newest = head.ends;
        self.places.insert(at, self.blocks.len());
        self.connections.push(head.connection);
        self.blocks.push(Block { at, head, section: 0, index: 0, base });
    }

    /// What was found, in order. Blocks of connections whose header is lost are left out.
    fn recording(mut self, store: Store, name: String, version: u32) -> Recording {
        let mut damage = std::mem::take(&mut self.damage);
        let mut sections: Vec<Section> = Vec::new();
        let mut numbers: BTreeMap<u16, usize> = BTreeMap::new();
        let mut kept: Vec<Option<usize>> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        let mut samples = 0;
        // A connection without samples is one all the same, when it is the only one.
        for (mut block, connection) in self.blocks.into_iter().zip(self.connections) {
            let base = match block.base.map(|base| kept.get(base).copied().flatten()) {
                Some(None) => None,
                Some(Some(base)) => Some(Some(base)),
                None => Some(None),
            };
            let section = match (numbers.get(&connection), self.headers.get(&connection)) {
                (Some(number), _) => Some(*number),
                (None, Some(header)) => {
                    sections.push(Section { header: header.clone(), first: samples });
                    numbers.insert(connection, sections.len() - 1);
                    Some(sections.len() - 1)
                }
                (None, None) => None,
            };
            let same_section =
                |base: &Option<usize>| base.is_none_or(|base| Some(blocks[base].section) == section);
            let (Some(section), Some(base)) = (section, base.filter(same_section)) else {
                damage.push(Damage {
                    at: block.at,
                    what: "samples of a connection whose header is damaged".into(),
                    samples: Some(block.head.samples.into()),
                    seconds: Some(Duration::from_micros(block.head.ends - block.head.begins).as_secs_f64()),
                });
                kept.push(None);
                continue;
            };
            (block.section, block.index, block.base) = (section, samples, base);
            samples += u64::from(block.head.samples);
            kept.push(Some(blocks.len()));
            blocks.push(block);
        }
        if sections.is_empty()
            && let Some(header) = self.headers.values().next()
        {
            sections.push(Section { header: header.clone(), first: 0 });
        }
        damage.sort_by_key(|damage| damage.at);
        damage.truncate(MOST_DAMAGE);
        // Events stand by the numbers of samples as they were written.
        let index = |written: u64| {
            let after = blocks.partition_point(|block| block.head.first < written);
            after.checked_sub(1).map_or(0, |number| {
                let block: &Block = &blocks[number];
                block.index + u64::from(block.head.samples).min(written - block.head.first)
            })
        };
        let events = self.events.into_iter().map(|(written, event)| (index(written), event)).collect();
        Recording {
            store,
            name,
            version,
            sections,
            events,
            annotations: self.annotations,
            damage,
            samples,
            ended: self.ended,
            cursor: Mutex::default(),
            blocks,
        }
    }
}

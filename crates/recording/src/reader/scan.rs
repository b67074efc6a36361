//! Scans a file for blocks and damage.
//!
//! A difference block names its base, the last complete block before it, by the offset at which that was written. Where bytes are missing
//! or added, the offset in the file is another, and can even be that of another complete block. The base is therefore accepted
//! - if no sample is missing between the two: then it is the last complete block, whatever the offset;
//! - otherwise if the offset is the one at which the last complete block was written. It is known as long as every damaged block had the
//!   length that its header states, and again after a block of the first kind.

use super::{Block, Content, Damage, Recording, RecordingError, Section};
use crate::block::{BlockHeader, BlockKind, FILE_HEADER_LEN, HEADER_LEN, SYNC};
use crate::coding::{checksum, unpack};
use crate::store::Store;
use crate::{Event, Header};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// The limit for unpacked headers and events in memory.
const MAX_TEXT: usize = 64 << 20;

/// The most damaged parts that are reported individually.
const MAX_DAMAGE: usize = 1000;

/// A block that begins with a complete sample.
#[derive(Debug)]
struct FullBlock {
    /// Its index.
    index: usize,
    connection: u16,
    /// The offset at which it was written, if known.
    written_at: Option<u64>,
    /// Whether every sample after it was read.
    complete_since: bool,
    /// Whether [`Scan::shift`] is still the one at this block.
    same_shift: bool,
}

#[derive(Debug, Default)]
pub(super) struct Scan {
    blocks: Vec<Block>,
    /// The last complete block.
    full: Option<FullBlock>,
    /// By how many bytes the next block is further in the file than it was written; None if that is not known.
    shift: Option<u64>,
    /// The headers by connection number.
    headers: BTreeMap<u16, Header>,
    connections: Vec<u16>,
    events: Vec<(u64, Event)>,
    annotations: Vec<(u64, BlockHeader)>,
    damage: Vec<Damage>,
    damaged: usize,
    /// The number of samples written so far, and the time of the last one.
    written: u64,
    last_time: u64,
    /// Damage whose extent is not known yet.
    pending: Option<Damage>,
    text_len: usize,
    finished: bool,
}

impl Scan {
    pub(super) fn run(&mut self, store: &Store) -> Result<(), RecordingError> {
        let mut at = FILE_HEADER_LEN as u64;
        self.shift = Some(0);
        while at < store.len() {
            let Some(bytes) = store.read(at, HEADER_LEN)? else {
                self.mark_damage(
                    at,
                    "the file is truncated inside a block header: everything after it is missing",
                );
                break;
            };
            let header = <&[u8; HEADER_LEN]>::try_from(bytes.as_slice()).ok().and_then(BlockHeader::parse);
            let Some(header) = header else {
                let next = self.next_block(store, at + 1)?;
                let what = match next {
                    Some(next) => {
                        format!("{} bytes are not a block, or a block with a damaged header", next - at)
                    }
                    None => "no readable block from here on".to_owned(),
                };
                self.mark_damage(at, &what);
                self.lose_shift();
                let Some(next) = next else { break };
                at = next;
                continue;
            };
            let Some(packed) = store.read(at + HEADER_LEN as u64, header.stored as usize)? else {
                self.mark_truncated(at, &header);
                break;
            };
            self.block(at, &header, &packed);
            at += HEADER_LEN as u64 + u64::from(header.stored);
        }
        if let Some(damage) = self.pending.take() {
            self.report(damage);
        } else if !self.finished {
            self.report(Damage {
                at: store.len(),
                what: "the recording was not finished (the program was killed, or is still recording): up to a second after it is missing".into(),
                samples: None,
                seconds: None,
            });
        }
        Ok(())
    }

    fn lose_shift(&mut self) {
        self.shift = None;
        if let Some(full) = &mut self.full {
            full.same_shift = false;
        }
    }

    fn next_block(&self, store: &Store, mut from: u64) -> Result<Option<u64>, RecordingError> {
        while let Some(at) = store.find(&SYNC, from)? {
            let bytes = store.read(at, HEADER_LEN)?;
            let header = bytes
                .as_deref()
                .and_then(|bytes| <&[u8; HEADER_LEN]>::try_from(bytes).ok())
                .and_then(BlockHeader::parse);
            if header.is_some() {
                return Ok(Some(at));
            }
            from = at + 1;
        }
        Ok(None)
    }

    /// Notes damage; the next block determines how much is missing.
    fn mark_damage(&mut self, at: u64, what: &str) {
        if self.pending.is_none() {
            self.pending = Some(Damage { at, what: what.into(), samples: None, seconds: None });
        }
    }

    /// The file ends inside a block with a valid header.
    fn mark_truncated(&mut self, at: u64, header: &BlockHeader) {
        self.account_missing(header);
        let duration = Duration::from_micros(header.end - header.start).as_secs_f64();
        let what = match header.samples {
            0 => "the file is truncated inside a block: everything after it is missing".into(),
            samples => format!(
                "the file is truncated inside a block of {samples} samples ({duration:.2} s): they and everything after them are missing"
            ),
        };
        self.mark_damage(at, &what);
    }

    /// Reports what is missing before this block.
    fn account_missing(&mut self, header: &BlockHeader) {
        let missing = header.first.saturating_sub(self.written);
        let seconds = Duration::from_micros(header.start.saturating_sub(self.last_time)).as_secs_f64();
        let pending = self.pending.take();
        if missing > 0
            && let Some(full) = &mut self.full
        {
            full.complete_since = false;
        }
        if missing > 0 || pending.is_some() {
            let at = self.blocks.last().map_or(FILE_HEADER_LEN as u64, |block| block.at);
            let what = "blocks are missing after this one".to_owned();
            let damage = pending.unwrap_or(Damage { at, what, samples: None, seconds: None });
            let seconds = (missing > 0).then_some(seconds);
            self.report(Damage { samples: Some(missing), seconds, ..damage });
        }
        self.written = self.written.max(header.first);
    }

    fn report(&mut self, damage: Damage) {
        self.damaged += 1;
        if self.damage.len() < MAX_DAMAGE {
            self.damage.push(damage);
        }
    }

    fn block(&mut self, at: u64, header: &BlockHeader, packed: &[u8]) {
        if checksum(packed) != header.checksum {
            if header.kind.has_samples() {
                self.mark_damage(at, "a block of samples is damaged");
            } else {
                self.mark_damage(at, "a block without samples (header, event, note) is damaged");
            }
            return;
        }
        if header.first < self.written {
            self.mark_damage(at, "a block of samples that were written already");
            return;
        }
        self.account_missing(header);
        let text_len = self.text_len + header.unpacked as usize;
        match header.kind {
            BlockKind::Header if self.headers.contains_key(&header.connection) => {}
            BlockKind::Header | BlockKind::Event if text_len > MAX_TEXT => {
                self.mark_damage(at, "too many headers and events");
            }
            BlockKind::Header => {
                self.text_len = text_len;
                let text = unpack(packed, header.unpacked as usize);
                match text.and_then(|text| serde_json::from_slice(&text).ok()) {
                    Some(parsed) => _ = self.headers.insert(header.connection, parsed),
                    None => self.mark_damage(at, "a header that this version cannot parse"),
                }
            }
            BlockKind::Event => {
                self.text_len = text_len;
                let text = unpack(packed, header.unpacked as usize);
                match text.and_then(|text| serde_json::from_slice(&text).ok()) {
                    Some(event) => self.events.push((header.first, event)),
                    None => self.mark_damage(at, "an event that this version cannot parse"),
                }
            }
            BlockKind::Full | BlockKind::Delta => self.samples(at, *header),
            BlockKind::Annotation => self.annotations.push((at, *header)),
            BlockKind::End => self.finished = true,
        }
    }

    fn samples(&mut self, at: u64, header: BlockHeader) {
        let index = self.blocks.len();
        let base = match header.kind {
            BlockKind::Delta => match self.base_of(&header) {
                Some(base) => Some(base),
                None => {
                    self.mark_damage(at, "samples whose base sample is in a damaged block");
                    return;
                }
            },
            _ => {
                self.full = Some(FullBlock {
                    index,
                    connection: header.connection,
                    written_at: self.shift.map(|shift| at.wrapping_sub(shift)),
                    complete_since: true,
                    same_shift: true,
                });
                None
            }
        };
        self.finished = false;
        self.written = header.first + u64::from(header.samples);
        self.last_time = header.end;
        self.connections.push(header.connection);
        self.blocks.push(Block { at, header, section: 0, index: 0, base });
    }

    /// The index of the block on which one with this header is based; see the top of the file.
    fn base_of(&mut self, header: &BlockHeader) -> Option<usize> {
        let full = self.full.as_mut().filter(|full| full.connection == header.connection)?;
        if full.complete_since {
            full.written_at = Some(header.base);
            if full.same_shift {
                self.shift = Some(self.blocks[full.index].at.wrapping_sub(header.base));
            }
        }
        (full.written_at == Some(header.base)).then_some(full.index)
    }

    /// Builds the recording. Blocks of connections without a readable header are left out.
    pub(super) fn recording(mut self, store: Store, name: String, version: u32) -> Recording {
        let mut damage = std::mem::take(&mut self.damage);
        let mut sections: Vec<Section> = Vec::new();
        let mut numbers: BTreeMap<u16, usize> = BTreeMap::new();
        let mut new_indices: Vec<Option<usize>> = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        let mut samples = 0;
        for (mut block, connection) in self.blocks.into_iter().zip(self.connections) {
            let base = match block.base.map(|base| new_indices.get(base).copied().flatten()) {
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
                    samples: Some(block.header.samples.into()),
                    seconds: Some(Duration::from_micros(block.header.end - block.header.start).as_secs_f64()),
                });
                new_indices.push(None);
                continue;
            };
            (block.section, block.index, block.base) = (section, samples, base);
            samples += u64::from(block.header.samples);
            new_indices.push(Some(blocks.len()));
            blocks.push(block);
        }
        // A recording without samples has one section all the same.
        if sections.is_empty()
            && let Some(header) = self.headers.values().next()
        {
            sections.push(Section { header: header.clone(), first: 0 });
        }
        damage.sort_by_key(|damage| damage.at);
        damage.truncate(MAX_DAMAGE);
        // Events refer to the numbers of samples as they were written.
        let index = |written: u64| {
            let after = blocks.partition_point(|block| block.header.first < written);
            after.checked_sub(1).map_or(0, |number| {
                let block: &Block = &blocks[number];
                block.index + u64::from(block.header.samples).min(written - block.header.first)
            })
        };
        let events = self.events.into_iter().map(|(written, event)| (index(written), event)).collect();
        Recording {
            content: Content { store, blocks, sections, samples },
            name,
            version,
            events,
            annotations: self.annotations,
            damage,
            finished: self.finished,
            cursor: Mutex::default(),
        }
    }
}

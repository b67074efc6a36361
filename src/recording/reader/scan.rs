//! Going through a file, and what is missing in it.

use super::{Block, Damage, Recording, RecordingError, Section};
use crate::recording::block::{FILE_HEAD, HEAD, Head, Kind, SYNC};
use crate::recording::coding::{checksum, unpack};
use crate::recording::store::Store;
use crate::recording::{Event, Header};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

/// Headers and events are kept unpacked, but no more of them than this.
const MOST_TOLD: usize = 64 << 20;

/// Damaged places that are told of one by one.
const MOST_DAMAGE: usize = 1000;

/// Going through a file from block to block.
#[derive(Debug, Default)]
pub(super) struct Scan {
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
    pub(super) fn run(&mut self, store: &Store) -> Result<(), RecordingError> {
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
    pub(super) fn recording(mut self, store: Store, name: String, version: u32) -> Recording {
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

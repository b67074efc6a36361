//! One step over all blocks: what is read, what is narrowed, what is kept.

use super::bits::{BLOCK, Bits, WORDS_MOST, count, ones};
use super::block::{At, Block, Kept, Layout, Progress};
use super::condition::Previous;
use super::heap::shared;
use super::kernel::{Judge, Then, View};
use super::search::{Outcome, SearchError};
use super::source::{Source, Span};
use super::sweep::Marks;
use super::track::Tracker;
use nextscope_emulator::process::ReadError;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks read at once: 256 KiB, which stay in the processor's cache while they are searched.
const PIECE_BLOCKS: usize = 64;

/// Room that every thread has for itself.
#[derive(Default)]
pub(super) struct Room {
    piece: Vec<u8>,
    marks: Marks,
}

thread_local! {
    pub(super) static ROOM: RefCell<Room> = RefCell::default();
}

/// Neighbouring blocks that are looked at together.
pub(super) struct Unit<'a> {
    pub first: usize,
    pub blocks: &'a mut [Block],
}

/// Blocks as they were, with their numbers.
pub(super) type Changed = Vec<(usize, Block)>;

/// What looking at a unit changed.
#[derive(Default)]
pub(super) struct Looked {
    pub record: Changed,
    pub gave_up: bool,
    pub outcome: Outcome,
}

/// Which step it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The very first, of which nothing earlier is recorded.
    First,
    /// A later one.
    Next,
    /// Only candidates are counted.
    Preview,
}

/// What a step looks for.
pub(super) struct Step<'a> {
    pub layout: &'a Layout,
    pub judge: &'a Judge,
    pub source: &'a dyn Source,
    pub tracker: Option<&'a Tracker>,
    pub progress: &'a Progress,
    pub keep_first: bool,
    pub mode: Mode,
    /// Bytes that are kept, and may be, for the blocks and the steps to be taken back together.
    pub held: &'a AtomicU64,
    pub held_most: u64,
}

/// The runs of blocks with candidates, cut into pieces that are read at once.
pub(super) fn units<'a>(layout: &Layout, blocks: &'a mut [Block]) -> Vec<Unit<'a>> {
    let mut units = Vec::new();
    let mut rest = blocks;
    let mut first = 0;
    let mut left_in_span = 0;
    loop {
        let dead = rest.iter().take_while(|block| block.bits.is_none()).count();
        let (_, live) = std::mem::take(&mut rest).split_at_mut(dead);
        first += dead;
        left_in_span = if dead < left_in_span { left_in_span - dead } else { layout.left_in_span(first) };
        let most = left_in_span.min(PIECE_BLOCKS);
        let len = live.iter().take(most).take_while(|block| !block.bits.is_none()).count();
        if len == 0 {
            return units;
        }
        let (unit, after) = live.split_at_mut(len);
        units.push(Unit { first, blocks: unit });
        rest = after;
        first += len;
        left_in_span -= len;
    }
}

impl Step<'_> {
    /// Looks at a unit. On an error, what it had changed so far comes with it.
    pub fn unit(&self, unit: &mut Unit<'_>, room: &mut Room) -> Result<Looked, (Changed, SearchError)> {
        let mut looked = Looked::default();
        if self.progress.is_cancelled() {
            return Err((looked.record, SearchError::Cancelled));
        }
        let start = self.layout.at(unit.first);
        let last = self.layout.at(unit.first + unit.blocks.len() - 1);
        let len = (unit.blocks.len() - 1) * BLOCK + last.len;
        let wanted = len + last.tail;
        let Room { piece, marks } = room;
        let whole = match self.source.held(start.address, wanted) {
            Some(bytes) => Some(bytes),
            None => {
                piece.resize(piece.len().max(wanted), 0);
                match self.source.read(start.address, &mut piece[..wanted]) {
                    Ok(()) => Some(&piece[..wanted]),
                    Err(error) if is_fatal(&error) => return Err((looked.record, error.into())),
                    Err(_) => None,
                }
            }
        };
        if let Some(bytes) = whole {
            looked.outcome.read += wanted as u64;
            for (nth, block) in unit.blocks.iter_mut().enumerate() {
                let at = self.layout.at(unit.first + nth);
                let now = &bytes[nth * BLOCK..nth * BLOCK + at.len + at.tail];
                self.look(unit.first + nth, at, (now, None), block, marks, &mut looked);
            }
        } else {
            self.one_after_another(unit, room, &mut looked)?;
        }
        self.progress.add(len as u64);
        Ok(looked)
    }

    /// A part of the memory cannot be read any more: what is left of it.
    fn one_after_another(
        &self,
        unit: &mut Unit<'_>,
        room: &mut Room,
        looked: &mut Looked,
    ) -> Result<(), (Changed, SearchError)> {
        let Room { piece, marks } = room;
        for (nth, block) in unit.blocks.iter_mut().enumerate() {
            let at = self.layout.at(unit.first + nth);
            let parts = match self.parts(at, piece) {
                Ok(parts) => parts,
                Err(error) => return Err((std::mem::take(&mut looked.record), error.into())),
            };
            looked.outcome.read += parts.iter().map(|part| part.len() as u64).sum::<u64>();
            let end = parts.last().map_or(0, |part| part.end);
            self.look(unit.first + nth, at, (&piece[..end], Some(&parts)), block, marks, looked);
        }
        Ok(())
    }

    /// Reads what can be read of a block: offsets in it. Between them there are zeros.
    fn parts(&self, at: At, piece: &mut [u8]) -> Result<Vec<Range<usize>>, ReadError> {
        let all = at.len + at.tail;
        // What follows the block may have gone with the block in which it lies.
        for len in [all, at.len] {
            match self.source.read(at.address, &mut piece[..len]) {
                Ok(()) => return Ok(std::iter::once(0..len).collect()),
                Err(error) if is_fatal(&error) => return Err(error),
                Err(_) => {}
            }
        }
        piece[..all].fill(0);
        let mut parts = Vec::new();
        for part in self.source.readable(Span { start: at.address, len: all as u64 }) {
            let start = usize::try_from(part.start.0 - at.address.0).unwrap_or(all);
            let range = start..start.saturating_add(usize::try_from(part.len).unwrap_or(all)).min(all);
            if self.source.read(part.start, &mut piece[range.clone()]).is_ok() {
                parts.push(range);
            }
        }
        Ok(parts)
    }

    /// Narrows the candidates of one block by its bytes, and by what of them could be read when that is not all.
    fn look(
        &self,
        nth: usize,
        at: At,
        (now, parts): (&[u8], Option<&[Range<usize>]>),
        block: &mut Block,
        marks: &mut Marks,
        looked: &mut Looked,
    ) {
        let used = self.layout.words();
        let (mut all, mut words) = ([0; WORDS_MOST], [0; WORDS_MOST]);
        let (all, words) = (&mut all[..used], &mut words[..used]);
        self.layout.cells(at, at.len + at.tail, all);
        block.bits.write(all, words);
        if let Some(parts) = parts {
            let mut readable = [0; WORDS_MOST];
            for part in parts {
                // Of the cells that end in the part or before it, those that begin in it.
                let (mut until, mut before) = ([0; WORDS_MOST], [0; WORDS_MOST]);
                self.layout.cells(at, part.end, &mut until[..used]);
                self.layout.cells(at, part.start + self.layout.ty.width() - 1, &mut before[..used]);
                let in_part = until.iter().zip(before).map(|(until, before)| until & !before);
                readable.iter_mut().zip(in_part).for_each(|(word, in_part)| *word |= in_part);
            }
            let had = count(words);
            words.iter_mut().zip(readable).for_each(|(word, readable)| *word &= readable);
            looked.outcome.unreadable += (had - count(words)) as u64;
        }
        self.narrow(at, now, block, marks, words);
        if self.mode == Mode::Preview {
            looked.outcome.left += count(words) as u64;
            return;
        }
        let bits = Bits::from_words(words, all);
        let new = if bits.is_none() { Block::default() } else { self.kept(bits, words, now, block) };
        if new.is_same(block) {
            return;
        }
        let mut old = std::mem::replace(block, new);
        if self.mode == Mode::First {
            return;
        }
        let bits = if block.bits.is_same(&old.bits) { 0 } else { block.bits.memory() };
        let added = (block.bytes_apart_from(&old) + bits) as u64;
        let held = self.held.fetch_add(added, Ordering::Relaxed) + added;
        let values = old.bytes_apart_from(block) as u64;
        if values > 0 && held > self.held_most {
            self.held.fetch_sub(values, Ordering::Relaxed);
            (old.last, old.first) = (None, None);
            looked.gave_up = true;
        }
        looked.record.push((nth, old));
    }

    fn narrow(&self, at: At, now: &[u8], block: &Block, marks: &mut Marks, words: &mut [u64]) {
        let kept = |kept: &'_ Option<Kept>| kept.clone();
        let earlier = match self.judge.condition().previous() {
            Some(Previous::LastSearch) => kept(&block.last),
            Some(Previous::First) => kept(&block.first),
            _ => None,
        };
        let before_change = |cell: u16| self.tracker?.before_last_change(self.layout.place(at, cell).address);
        let before_changes = self.tracker.and_then(|tracker| tracker.before_last_changes(at.address));
        let whole = self.tracker.and_then(|tracker| tracker.last_frame(at.address));
        let whole = whole.is_some_and(|bytes| bytes.len() >= now.len());
        let before_changes = before_changes.filter(|_| whole);
        let last_frame = |cell: u16| self.tracker?.last_frame(self.layout.place(at, cell).address);
        let frame = self.tracker.and_then(|tracker| tracker.last_frame(at.address));
        let then = match (self.judge.condition().previous(), &earlier, frame) {
            (Some(Previous::LastSearch | Previous::First), Some(kept), _) => {
                Then::Bytes(kept.from.into(), &kept.bytes)
            }
            (Some(Previous::LastFrame), _, Some(frame)) if frame.len() >= now.len() => Then::Bytes(0, frame),
            (Some(Previous::LastFrame), ..) => Then::Cells(&last_frame),
            (Some(Previous::LastChange), ..) => match &before_changes {
                Some(of) => Then::Phases(self.layout.ty.lane(), of),
                None => Then::Cells(&before_change),
            },
            _ => Then::Unknown,
        };
        let changes = |cell: u16| {
            let place = self.layout.place(at, cell);
            self.tracker.and_then(|tracker| tracker.changes(place)).unwrap_or(0)
        };
        let counts = self.tracker.and_then(|tracker| tracker.counts(at.address)).filter(|_| whole);
        let view = View { now, then, counts, changes: &changes, phases: self.layout.phases(at) };
        let few = matches!(block.bits, Bits::Few(_));
        self.judge.narrow(&view, few, marks, words);
    }

    /// The block as it is kept: where only a few candidates are left, only the bytes from the first to the last of them.
    fn kept(&self, bits: Bits, words: &[u64], now: &[u8], old: &Block) -> Block {
        let (mut from, mut to) = (0, now.len());
        if matches!(bits, Bits::Few(_)) {
            let halves = self.layout.ty.kind().cells_in_byte();
            let mut cells = ones(words).map(|cell| usize::from(cell) / halves);
            let first = cells.next().unwrap_or(0);
            from = first;
            to = cells.last().unwrap_or(first) + self.layout.ty.width();
        }
        let bytes = now.get(from..to).unwrap_or_default();
        let unchanged = old.last.as_ref().and_then(|last| last.part(from, to));
        let last = unchanged
            .filter(|last| *last.bytes == *bytes)
            .unwrap_or_else(|| Kept { from: u16::try_from(from).unwrap_or(0), bytes: shared(bytes) });
        let first = if !self.keep_first {
            None
        } else if self.mode == Mode::First {
            Some(last.clone())
        } else {
            old.first.as_ref().and_then(|first| {
                // As long as both are the same they share their bytes.
                let part = first.part(from, to)?;
                Some(if part.bytes == last.bytes { last.clone() } else { part })
            })
        };
        let bits = if bits == old.bits { old.bits.clone() } else { bits };
        Block { bits, last: Some(last), first }
    }
}

/// Whether an error ends a step; any other only leaves out what cannot be read.
fn is_fatal(error: &ReadError) -> bool {
    matches!(error, ReadError::Gone { .. } | ReadError::Refused(_))
}

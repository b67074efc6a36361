//! One step over all blocks: reading, narrowing, saving.

use super::bits::{BLOCK, Bits, WORDS_MOST, count, ones};
use super::block::{Block, BlockSpan, Layout, SavedBytes};
use super::condition::Previous;
use super::heap::shared;
use super::kernel::Marks;
use super::matcher::{BlockView, Matcher, PreviousValues};
use super::outcome::{Outcome, SearchError};
use super::source::{Source, Span};
use super::track::Tracker;
use nextscope_emulator::process::ReadError;
use nextscope_task::Progress;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks read at once: 256 KiB, which stay in the processor's cache.
const PIECE_BLOCKS: usize = 64;

#[derive(Default)]
pub(super) struct Buffers {
    piece: Vec<u8>,
    marks: Marks,
}

thread_local! {
    pub(super) static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// Neighbouring blocks that are read together.
pub(super) struct Batch<'a> {
    pub first: usize,
    pub blocks: &'a mut [Block],
}

/// Blocks before the step, with their numbers.
pub(super) type Changed = Vec<(usize, Block)>;

#[derive(Default)]
pub(super) struct BatchOutcome {
    pub record: Changed,
    pub dropped_values: bool,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    First,
    Next,
    /// Only counts the candidates.
    Preview,
}

pub(super) struct SearchPass<'a> {
    pub layout: &'a Layout,
    pub matcher: &'a Matcher,
    pub source: &'a dyn Source,
    pub tracker: Option<&'a Tracker>,
    pub progress: &'a Progress,
    pub keep_first: bool,
    pub mode: Mode,
    /// Bytes saved so far for blocks and undo, and their limit.
    pub saved: &'a AtomicU64,
    pub saved_most: u64,
}

/// The runs of blocks with candidates, cut into batches.
pub(super) fn batches<'a>(layout: &Layout, blocks: &'a mut [Block]) -> Vec<Batch<'a>> {
    let mut batches = Vec::new();
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
            return batches;
        }
        let (batch, after) = live.split_at_mut(len);
        batches.push(Batch { first, blocks: batch });
        rest = after;
        first += len;
        left_in_span -= len;
    }
}

impl SearchPass<'_> {
    /// Narrows a batch. An error includes what was changed so far.
    pub fn run(
        &self,
        batch: &mut Batch<'_>,
        room: &mut Buffers,
    ) -> Result<BatchOutcome, (Changed, SearchError)> {
        let mut batch_outcome = BatchOutcome::default();
        if self.progress.is_cancelled() {
            return Err((batch_outcome.record, SearchError::Cancelled));
        }
        let start = self.layout.at(batch.first);
        let last = self.layout.at(batch.first + batch.blocks.len() - 1);
        let len = (batch.blocks.len() - 1) * BLOCK + last.len;
        let needed = len + last.tail;
        let Buffers { piece, marks } = room;
        let whole = match self.source.slice(start.address, needed) {
            Some(bytes) => Some(bytes),
            None => {
                piece.resize(piece.len().max(needed), 0);
                match self.source.read(start.address, &mut piece[..needed]) {
                    Ok(()) => Some(&piece[..needed]),
                    Err(error) if error.concerns_all_addresses() => {
                        return Err((batch_outcome.record, error.into()));
                    }
                    Err(_) => None,
                }
            }
        };
        if let Some(bytes) = whole {
            batch_outcome.outcome.read += needed as u64;
            for (nth, block) in batch.blocks.iter_mut().enumerate() {
                let at = self.layout.at(batch.first + nth);
                let now = &bytes[nth * BLOCK..nth * BLOCK + at.len + at.tail];
                self.narrow_block(batch.first + nth, at, (now, None), block, marks, &mut batch_outcome);
            }
        } else {
            self.block_by_block(batch, room, &mut batch_outcome)?;
        }
        self.progress.add(len as u64);
        Ok(batch_outcome)
    }

    /// For a batch that can no longer be read in full.
    fn block_by_block(
        &self,
        batch: &mut Batch<'_>,
        room: &mut Buffers,
        batch_outcome: &mut BatchOutcome,
    ) -> Result<(), (Changed, SearchError)> {
        let Buffers { piece, marks } = room;
        for (nth, block) in batch.blocks.iter_mut().enumerate() {
            let at = self.layout.at(batch.first + nth);
            let parts = match self.parts(at, piece) {
                Ok(parts) => parts,
                Err(error) => return Err((std::mem::take(&mut batch_outcome.record), error.into())),
            };
            batch_outcome.outcome.read += parts.iter().map(|part| part.len() as u64).sum::<u64>();
            let end = parts.last().map_or(0, |part| part.end);
            self.narrow_block(
                batch.first + nth,
                at,
                (&piece[..end], Some(&parts)),
                block,
                marks,
                batch_outcome,
            );
        }
        Ok(())
    }

    /// Reads the readable parts of a block and returns their offsets. The bytes between them are zero.
    fn parts(&self, at: BlockSpan, piece: &mut [u8]) -> Result<Vec<Range<usize>>, ReadError> {
        let all = at.len + at.tail;
        // The bytes after the block belong to another block, which may be gone.
        for len in [all, at.len] {
            match self.source.read(at.address, &mut piece[..len]) {
                Ok(()) => return Ok(std::iter::once(0..len).collect()),
                Err(error) if error.concerns_all_addresses() => return Err(error),
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

    /// Narrows one block by its bytes; `parts` are those that could be read, when these are not all.
    fn narrow_block(
        &self,
        nth: usize,
        at: BlockSpan,
        (now, parts): (&[u8], Option<&[Range<usize>]>),
        block: &mut Block,
        marks: &mut Marks,
        batch_outcome: &mut BatchOutcome,
    ) {
        let used = self.layout.words();
        let (mut all, mut words) = ([0; WORDS_MOST], [0; WORDS_MOST]);
        let (all, words) = (&mut all[..used], &mut words[..used]);
        self.layout.cells(at, at.len + at.tail, all);
        block.bits.write(all, words);
        if let Some(parts) = parts {
            let mut readable = [0; WORDS_MOST];
            for part in parts {
                // Cells that start and end in the part.
                let (mut until, mut before) = ([0; WORDS_MOST], [0; WORDS_MOST]);
                self.layout.cells(at, part.end, &mut until[..used]);
                self.layout.cells(at, part.start + self.layout.ty.width() - 1, &mut before[..used]);
                let in_part = until.iter().zip(before).map(|(until, before)| until & !before);
                readable.iter_mut().zip(in_part).for_each(|(word, in_part)| *word |= in_part);
            }
            let had = count(words);
            words.iter_mut().zip(readable).for_each(|(word, readable)| *word &= readable);
            batch_outcome.outcome.unreadable += (had - count(words)) as u64;
        }
        self.narrow(at, now, block, marks, words);
        if self.mode == Mode::Preview {
            batch_outcome.outcome.left += count(words) as u64;
            return;
        }
        let bits = Bits::from_words(words, all);
        let new = if bits.is_none() { Block::default() } else { self.saved_block(bits, words, now, block) };
        if new.is_same(block) {
            return;
        }
        let mut old = std::mem::replace(block, new);
        if self.mode == Mode::First {
            return;
        }
        let bits = if block.bits.is_same(&old.bits) { 0 } else { block.bits.memory() };
        let added = (block.bytes_apart_from(&old) + bits) as u64;
        let saved = self.saved.fetch_add(added, Ordering::Relaxed) + added;
        let values = old.bytes_apart_from(block) as u64;
        if values > 0 && saved > self.saved_most {
            self.saved.fetch_sub(values, Ordering::Relaxed);
            (old.last, old.first) = (None, None);
            batch_outcome.dropped_values = true;
        }
        batch_outcome.record.push((nth, old));
    }

    fn narrow(&self, at: BlockSpan, now: &[u8], block: &Block, marks: &mut Marks, words: &mut [u64]) {
        let earlier = match self.matcher.condition().previous() {
            Some(Previous::LastSearch) => block.last.clone(),
            Some(Previous::First) => block.first.clone(),
            _ => None,
        };
        let before_change = |cell: u16| self.tracker?.before_last_change(self.layout.place(at, cell).address);
        let before_changes = self.tracker.and_then(|tracker| tracker.before_last_changes(at.address));
        let whole = self.tracker.and_then(|tracker| tracker.last_frame(at.address));
        let whole = whole.is_some_and(|bytes| bytes.len() >= now.len());
        let before_changes = before_changes.filter(|_| whole);
        let last_frame = |cell: u16| self.tracker?.last_frame(self.layout.place(at, cell).address);
        let frame = self.tracker.and_then(|tracker| tracker.last_frame(at.address));
        let previous = match (self.matcher.condition().previous(), &earlier, frame) {
            (Some(Previous::LastSearch | Previous::First), Some(saved), _) => {
                PreviousValues::Bytes(saved.from.into(), &saved.bytes)
            }
            (Some(Previous::LastFrame), _, Some(frame)) if frame.len() >= now.len() => {
                PreviousValues::Bytes(0, frame)
            }
            (Some(Previous::LastFrame), ..) => PreviousValues::Cells(&last_frame),
            (Some(Previous::LastChange), ..) => match &before_changes {
                Some(of) => PreviousValues::Phases(self.layout.ty.lane(), of),
                None => PreviousValues::Cells(&before_change),
            },
            _ => PreviousValues::Unknown,
        };
        let changes = |cell: u16| {
            let place = self.layout.place(at, cell);
            self.tracker.and_then(|tracker| tracker.changes(place)).unwrap_or(0)
        };
        let counts = self.tracker.and_then(|tracker| tracker.counts(at.address)).filter(|_| whole);
        let view = BlockView { now, previous, counts, changes: &changes, phases: self.layout.phases(at) };
        let few = matches!(block.bits, Bits::Few(_));
        self.matcher.narrow(&view, few, marks, words);
    }

    /// The block to save: of a few candidates, only the bytes from the first to the last.
    fn saved_block(&self, bits: Bits, words: &[u64], now: &[u8], old: &Block) -> Block {
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
            .unwrap_or_else(|| SavedBytes { from: u16::try_from(from).unwrap_or(0), bytes: shared(bytes) });
        let first = if !self.keep_first {
            None
        } else if self.mode == Mode::First {
            Some(last.clone())
        } else {
            old.first.as_ref().and_then(|first| {
                // Equal bytes are shared.
                let part = first.part(from, to)?;
                Some(if part.bytes == last.bytes { last.clone() } else { part })
            })
        };
        let bits = if bits == old.bits { old.bits.clone() } else { bits };
        Block { bits, last: Some(last), first }
    }
}

//! A search: narrowing, preview, undo and redo, and the rows that are left.

use super::bits::{BLOCK, Bits, WORDS_MOST, ones};
use super::block::{Block, BlockSpan, Layout, SavedBytes};
use super::condition::{Condition, ConditionError, Missing, Previous};
use super::history::Record;
use super::matcher::Matcher;
use super::outcome::{Outcome, SearchError};
use super::pass::{BUFFERS, Batch, BatchOutcome, Changed, Mode, SearchPass, batches};
use super::source::Source;
use super::track::{Tracker, TrackerError};
use super::value::{CellAddress, Kind, Value, ValueType};
use nextscope_task::Progress;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

/// Below this many bytes one thread is faster than several.
const ALONE: u64 = 512 * 1024;

/// The least room for values of earlier steps.
const HISTORY_LEAST: u64 = 64 << 20;

/// Up to this many bytes, first values are saved by default.
const FIRST_MOST: u64 = 64 << 20;

/// Blocks whose candidates are counted together.
const GROUP: usize = 64;

/// The settings of a search.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The type of the values.
    pub ty: ValueType,
    /// Cells start at multiples of this, a power of two from 1 (every byte) to 4096.
    pub alignment: u64,
    /// What is saved besides the candidates and the values of the last step.
    pub retention: Retention,
}

/// What a search saves for comparisons and undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Whether first values are saved for comparisons; None saves them up to 64 MiB of searched memory. Values equal to the last
    /// ones take no extra memory.
    pub first_values: Option<bool>,
    /// Bytes of memory beyond one copy of the searched bytes; None is an eighth of these, at least 64 MiB. When they are used up,
    /// values of the oldest steps are dropped; candidates never are. After undoing such a step, some previous values are unknown,
    /// and the next comparison with them matches.
    pub history_bytes: Option<u64>,
}

impl Settings {
    /// A cell may start at every byte; what is saved depends on the size.
    pub fn new(ty: ValueType) -> Self {
        Self { ty, alignment: 1, retention: Retention { first_values: None, history_bytes: None } }
    }
}

/// An undone or redone step.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoOutcome {
    /// The step's condition; None for cells removed by hand.
    pub condition: Option<Condition>,
    /// Candidates left.
    pub left: u64,
    /// Whether all previous values are known.
    pub values_known: bool,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The cell.
    pub cell: CellAddress,
    /// Its value at the last step.
    pub last: Option<Value>,
    /// Its value at the first step, if saved.
    pub first: Option<Value>,
}

/// A search.
#[derive(Debug, Clone)]
pub struct Search {
    settings: Settings,
    layout: Layout,
    blocks: Vec<Block>,
    /// Candidates before each group of blocks, and in all.
    before: Vec<u64>,
    undo: Vec<Record>,
    redo: Vec<Record>,
    keep_first: bool,
    history_most: u64,
}

impl Search {
    /// The first step, over the whole source.
    pub fn start(
        source: &dyn Source,
        settings: Settings,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Self, SearchError> {
        if !settings.alignment.is_power_of_two() || settings.alignment > BLOCK as u64 {
            return Err(SearchError::Alignment(settings.alignment));
        }
        let layout = Layout::new(settings.ty, settings.alignment, &source.spans()?);
        let all = Block { bits: Bits::All, ..Block::default() };
        let blocks = vec![all; layout.blocks];
        let keep_first = settings.retention.first_values.unwrap_or(layout.bytes <= FIRST_MOST);
        let history_most = settings.retention.history_bytes.unwrap_or(HISTORY_LEAST.max(layout.bytes / 8));
        let mut search = Self {
            settings,
            layout,
            blocks,
            before: Vec::new(),
            undo: Vec::new(),
            redo: Vec::new(),
            keep_first,
            history_most,
        };
        let matcher = search.matcher(source, condition, tracker, true)?;
        search.run(source, &matcher, tracker, progress, Mode::First)?;
        search.count();
        Ok(search)
    }

    /// The next step: keeps the matching candidates and saves their values. `tracker` must have sampled the frames that the
    /// condition refers to.
    ///
    /// # Errors
    /// [`SearchError`]; the search is unchanged.
    pub fn step(
        &mut self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Outcome, SearchError> {
        self.next_step(source, condition, tracker, progress, false)
    }

    /// A step at every frame: consecutive ones are undone as one.
    ///
    /// # Errors
    /// [`SearchError`]; the search is unchanged.
    pub fn auto_step(
        &mut self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Outcome, SearchError> {
        self.next_step(source, condition, tracker, progress, true)
    }

    fn next_step(
        &mut self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
        joined: bool,
    ) -> Result<Outcome, SearchError> {
        let matcher = self.matcher(source, condition, tracker, false)?;
        let before = self.len();
        self.make_room();
        let (record, mut outcome) = self.run(source, &matcher, tracker, progress, Mode::Next)?;
        self.redo.clear();
        self.count();
        outcome.left = self.len();
        outcome.gone = before - outcome.left;
        let record = Record { condition: Some(condition.clone()), joined, ..record };
        match self.undo.last_mut() {
            Some(last) if joined && last.joined && last.condition == record.condition => last.join(record),
            _ => self.undo.push(record),
        }
        Ok(outcome)
    }

    /// The result of a step without taking it.
    pub fn preview(
        &self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Outcome, SearchError> {
        let matcher = self.matcher(source, condition, tracker, false)?;
        let mut copy = self.without_history();
        copy.keep_first = false;
        let (_, mut outcome) = copy.run(source, &matcher, tracker, progress, Mode::Preview)?;
        outcome.gone = self.len() - outcome.left;
        Ok(outcome)
    }

    fn matcher(
        &self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        is_first: bool,
    ) -> Result<Matcher, SearchError> {
        let ty = self.settings.ty;
        condition.check(ty)?;
        if let Some(tracker) = tracker
            && tracker.ty() != ty
        {
            let (counted, searched) = (tracker.ty().kind(), ty.kind());
            return Err(SearchError::OtherCells { counted, searched });
        }
        let missing = match condition.previous() {
            Some(Previous::LastSearch | Previous::First) if is_first => Some(Missing::FirstSearch),
            Some(Previous::First) if !self.keep_first => Some(Missing::First),
            Some(Previous::LastFrame | Previous::LastChange)
                if tracker.is_none_or(|seen| seen.frames() == 0) =>
            {
                Some(Missing::Frames)
            }
            None if matches!(condition, Condition::Changes(..)) && tracker.is_none() => Some(Missing::Frames),
            _ => None,
        };
        if let Some(missing) = missing {
            return Err(ConditionError::NoPrevious(missing).into());
        }
        let Some(place) = condition.cell() else { return Ok(Matcher::new(ty, condition.clone())) };
        let mut bytes = vec![0; ty.width()];
        let address = place.address;
        source.read(address, &mut bytes).map_err(|error| SearchError::Cell { address, error })?;
        let value = ty.read(&bytes, place.part);
        let value = value.ok_or(SearchError::NoValue { address, kind: ty.kind() })?;
        Ok(Matcher::new(ty, condition.with_cell(&value)))
    }

    /// Narrows all blocks that have candidates, and records what they were.
    fn run(
        &mut self,
        source: &dyn Source,
        matcher: &Matcher,
        tracker: Option<&Tracker>,
        progress: &Progress,
        mode: Mode,
    ) -> Result<(Record, Outcome), SearchError> {
        let saved = AtomicU64::new(if mode == Mode::Next { self.saved_bytes() } else { 0 });
        let pass = SearchPass {
            layout: &self.layout,
            matcher,
            source,
            tracker,
            progress,
            keep_first: self.keep_first,
            mode,
            saved: &saved,
            saved_most: self.layout.bytes + self.history_most,
        };
        let mut batches = batches(&self.layout, &mut self.blocks);
        let blocks: usize = batches.iter().map(|batch| batch.blocks.len()).sum();
        let bytes = (blocks * BLOCK) as u64;
        progress.begin(bytes.min(self.layout.bytes));
        let narrow = |batch: &mut Batch<'_>| BUFFERS.with_borrow_mut(|buffers| pass.run(batch, buffers));
        let outcomes: Vec<Result<BatchOutcome, (Changed, SearchError)>> = if bytes <= ALONE {
            batches.iter_mut().map(narrow).collect()
        } else {
            batches.par_iter_mut().map(narrow).collect()
        };
        let mut record = Record::new();
        let mut outcome = Outcome::default();
        let mut failed = None;
        for result in outcomes {
            match result {
                Ok(outcomes) => {
                    record.blocks.extend(outcomes.record);
                    record.values_known &= !outcomes.dropped_values;
                    outcome.unreadable += outcomes.outcome.unreadable;
                    outcome.read += outcomes.outcome.read;
                    outcome.left += outcomes.outcome.left;
                }
                Err((changed, error)) => {
                    record.blocks.extend(changed);
                    failed = failed.or(Some(error));
                }
            }
        }
        record.blocks.shrink_to_fit();
        if let Some(error) = failed {
            for (block, old) in record.blocks {
                self.blocks[block] = old;
            }
            return Err(error);
        }
        record.memory = self.only_in(&record);
        Ok((record, outcome))
    }

    /// Bytes that a record does not share with the current blocks.
    fn only_in(&self, record: &Record) -> u64 {
        let bytes =
            |(nth, block): &(usize, Block)| block.bytes_apart_from(&self.blocks[*nth]) + block.bits.memory();
        record.blocks.iter().map(|changed| bytes(changed) as u64).sum()
    }

    /// Drops the values of the oldest records when there is little room for the next one.
    fn make_room(&mut self) {
        let mut held = self.saved_bytes();
        for record in &mut self.undo {
            if held <= self.layout.bytes + self.history_most / 2 {
                break;
            }
            held -= record.memory;
            record.drop_values();
            held += record.memory;
        }
    }

    /// Bytes of all candidates and values, now and for undo.
    fn saved_bytes(&self) -> u64 {
        let blocks: u64 = self.blocks.iter().map(|block| block.memory() as u64).sum();
        blocks + self.undo.iter().map(|record| record.memory).sum::<u64>()
    }

    fn count(&mut self) {
        let mut before = Vec::with_capacity(self.layout.blocks / GROUP + 2);
        let mut sum = 0;
        for ((nth, at), block) in self.layout.all().enumerate().zip(&self.blocks) {
            if nth.is_multiple_of(GROUP) {
                before.push(sum);
            }
            sum += block.bits.count(|| self.layout.cell_count(at)) as u64;
        }
        before.push(sum);
        self.before = before;
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Bytes searched by the first step.
    pub fn bytes(&self) -> u64 {
        self.layout.bytes
    }

    /// Whether the results can be read as values of another type: one of the same size, such as signed or in the other byte order.
    pub fn can_be_read_as(&self, ty: ValueType) -> bool {
        let old = self.settings.ty;
        let cells = |ty: ValueType| (ty.width(), ty.lane(), ty.kind().cells_in_byte());
        let bytes = |ty: ValueType| matches!(ty.kind(), Kind::Bytes { .. });
        cells(old) == cells(ty) && bytes(old) == bytes(ty)
    }

    /// Reads the same cells, and their values of earlier steps, as another type; returns whether [`Self::can_be_read_as`] allows it.
    pub fn read_as(&mut self, ty: ValueType) -> bool {
        let possible = self.can_be_read_as(ty);
        if possible {
            (self.settings.ty, self.layout.ty) = (ty, ty);
            if let Some(last) = self.undo.last_mut() {
                last.joined = false; // a condition of the new type is another one
            }
        }
        possible
    }

    /// A copy without undo steps, to display while the search continues. Blocks share their memory, so the copy is cheap.
    pub fn without_history(&self) -> Self {
        Self {
            settings: self.settings,
            layout: self.layout.clone(),
            blocks: self.blocks.clone(),
            before: self.before.clone(),
            undo: Vec::new(),
            redo: Vec::new(),
            keep_first: self.keep_first,
            history_most: self.history_most,
        }
    }

    /// Candidates left.
    pub fn len(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Steps that can be undone.
    pub fn undos(&self) -> usize {
        self.undo.len()
    }

    /// Steps that can be redone.
    pub fn redos(&self) -> usize {
        self.redo.len()
    }

    /// Undoes the last step; None when there is none.
    pub fn undo(&mut self) -> Option<UndoOutcome> {
        let record = self.undo.pop()?;
        let (undone, record) = self.swap(record);
        self.redo.push(record);
        Some(undone)
    }

    /// Redoes the step undone last, with its earlier results; None when there is none.
    pub fn redo(&mut self) -> Option<UndoOutcome> {
        let record = self.redo.pop()?;
        let (undone, record) = self.swap(record);
        self.undo.push(record);
        Some(undone)
    }

    fn swap(&mut self, mut record: Record) -> (UndoOutcome, Record) {
        let values_known = record.values_known;
        for (block, other) in &mut record.blocks {
            std::mem::swap(&mut self.blocks[*block], other);
        }
        (record.memory, record.values_known) = (self.only_in(&record), true);
        self.count();
        (UndoOutcome { condition: record.condition.clone(), left: self.len(), values_known }, record)
    }

    /// Removes single cells; undone like a step. Returns how many were removed.
    pub fn exclude(&mut self, places: &[CellAddress]) -> u64 {
        let before = self.len();
        let mut cells: Vec<(usize, u16)> =
            places.iter().filter_map(|place| self.layout.find(*place)).collect();
        cells.sort_unstable();
        let mut record = Record::new();
        for group in cells.chunk_by(|one, other| one.0 == other.0) {
            let nth = group[0].0;
            let at = self.layout.at(nth);
            let (mut all, mut words) = ([0; WORDS_MOST], [0; WORDS_MOST]);
            let (all, words) = (&mut all[..self.layout.words()], &mut words[..self.layout.words()]);
            self.layout.cells(at, at.len + at.tail, all);
            self.blocks[nth].bits.write(all, words);
            for (_, cell) in group {
                words[usize::from(*cell) / 64] &= !(1 << (cell % 64));
            }
            let bits = Bits::from_words(words, all);
            let new =
                if bits.is_none() { Block::default() } else { Block { bits, ..self.blocks[nth].clone() } };
            let old = std::mem::replace(&mut self.blocks[nth], new);
            record.memory += old.bytes_apart_from(&self.blocks[nth]) as u64 + old.bits.memory() as u64;
            record.blocks.push((nth, old));
        }
        self.count();
        if before != self.len() {
            self.undo.push(record);
            self.redo.clear();
        }
        before - self.len()
    }

    /// Whether a cell is a candidate.
    pub fn contains(&self, place: CellAddress) -> bool {
        let Some((nth, cell)) = self.layout.find(place) else { return false };
        let mut words = [0; WORDS_MOST];
        self.candidates(nth, &mut words);
        words[usize::from(cell) / 64] >> (cell % 64) & 1 == 1
    }

    /// Writes a bit for each candidate of a block.
    fn candidates(&self, block: usize, words: &mut [u64; WORDS_MOST]) -> BlockSpan {
        let at = self.layout.at(block);
        let mut all = [0; WORDS_MOST];
        let used = self.layout.words();
        self.layout.cells(at, at.len + at.tail, &mut all[..used]);
        self.blocks[block].bits.write(&all[..used], &mut words[..used]);
        at
    }

    /// A tracker of the candidates.
    ///
    /// # Errors
    /// [`TrackerError`] when there are too many, or they cannot be read.
    pub fn tracker(&self) -> Result<Tracker, TrackerError> {
        let addresses = || self.rows(0..self.len()).into_iter().map(|row| row.cell.address);
        Tracker::of_cells(self.len(), addresses, self.settings.ty)
    }

    /// The candidates with these numbers, by address.
    pub fn rows(&self, range: Range<u64>) -> Vec<Row> {
        let range = range.start..range.end.min(self.len());
        let mut rows = Vec::new();
        let group = self.before.partition_point(|before| *before <= range.start).saturating_sub(1);
        let Some(mut number) = self.before.get(group).copied() else { return rows };
        let mut words = [0; WORDS_MOST];
        for (nth, block) in self.blocks.iter().enumerate().skip(group * GROUP) {
            if number >= range.end {
                break;
            }
            let in_block = block.bits.count(|| self.layout.cell_count(self.layout.at(nth))) as u64;
            if number + in_block > range.start {
                let at = self.candidates(nth, &mut words);
                let skip = usize::try_from(range.start.saturating_sub(number)).unwrap_or(usize::MAX);
                let take = usize::try_from(range.end - number.max(range.start)).unwrap_or(usize::MAX);
                rows.extend(ones(&words).skip(skip).take(take).map(|cell| self.row(at, block, cell)));
            }
            number += in_block;
        }
        rows
    }

    fn row(&self, at: BlockSpan, block: &Block, cell: u16) -> Row {
        let place = self.layout.place(at, cell);
        let offset = usize::from(cell) / self.settings.ty.kind().cells_in_byte();
        let read =
            |saved: &Option<SavedBytes>| self.settings.ty.read(saved.as_ref()?.at(offset)?, place.part);
        Row { cell: place, last: read(&block.last), first: read(&block.first) }
    }

    /// Bytes of memory used, including undo steps.
    pub fn memory(&self) -> u64 {
        let list = (self.blocks.capacity() * size_of::<Block>()) as u64;
        let blocks: u64 = self.blocks.iter().map(|block| block.memory() as u64).sum();
        let records = self.undo.iter().chain(&self.redo);
        let held = records
            .map(|record| record.memory + (record.blocks.capacity() * size_of::<(usize, Block)>()) as u64);
        list + blocks + held.sum::<u64>()
    }
}

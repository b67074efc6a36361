//! One search from its first step to its last: narrowing, looking ahead, taking back, and the rows that are left.

use super::bits::{BLOCK, Bits, WORDS_MOST, ones};
use super::block::{At, Block, Kept, Layout, Progress};
use super::condition::{Condition, ConditionError, Missing, Previous};
use super::history::Record;
use super::kernel::Judge;
use super::source::{Address, Source};
use super::step::{Changed, Looked, Mode, ROOM, Step, Unit, units};
use super::track::Tracker;
use super::value::{Kind, Place, Value, ValueType};
use nextscope_emulator::process::ReadError;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicU64;

/// Below so many bytes one thread is quicker than several.
const ALONE: u64 = 512 * 1024;

/// What is kept of earlier steps, besides candidates, when the memory searched is small.
const HISTORY_LEAST: u64 = 64 << 20;

/// Bytes up to which first values are kept if nobody says otherwise.
const FIRST_MOST: u64 = 64 << 20;

/// Groups of blocks whose candidates are counted together.
const GROUP: usize = 64;

/// What a search goes by.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The type of the values.
    pub ty: ValueType,
    /// Cells begin at multiples of it: a power of two from 1 (every byte) to 4096.
    pub alignment: u64,
    /// What is kept besides the candidates and the values of the last step.
    pub keep: Keep,
}

/// What a search keeps for comparisons and for taking back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Whether the first values are kept for comparisons; None: when the memory searched is small (64 MiB). They cost memory
    /// only where they differ from the last ones.
    pub first: Option<bool>,
    /// Bytes that all that is kept may take beyond one copy of what is searched; None: an eighth of that, 64 MiB at least.
    /// When they are spent, values of earlier steps are given up, the oldest first. What the candidates were is always kept. Where values were given up, a step taken back leaves cells whose
    /// earlier value is unknown: the next comparison with it lets them pass.
    pub history: Option<u64>,
}

impl Settings {
    /// Every byte may begin a cell, and the usual is kept.
    #[must_use]
    pub fn new(ty: ValueType) -> Self {
        Self { ty, alignment: 1, keep: Keep { first: None, history: None } }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Candidates left.
    pub left: u64,
    /// Candidates that went.
    pub gone: u64,
    /// Of those that went, candidates in memory that can no longer be read.
    pub unreadable: u64,
    /// Bytes read.
    pub read: u64,
}

/// What a step would do.
pub type Preview = Outcome;

/// What was taken back, or done again.
#[derive(Debug, Clone, PartialEq)]
pub struct Undone {
    /// The step's condition; None for cells that were taken out by hand.
    pub condition: Option<Condition>,
    /// Candidates now.
    pub left: u64,
    /// Whether all earlier values are those of that time.
    pub values_kept: bool,
}

/// One result.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Where.
    pub place: Place,
    /// Its value at the last step.
    pub last: Option<Value>,
    /// Its value at the first step, where that was kept.
    pub first: Option<Value>,
}

/// Why a step was not made. The search is as it was before.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SearchError {
    /// The condition cannot be asked.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// The source is gone or refuses.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The cell to compare with cannot be read.
    #[error("the cell at {address} cannot be read: {error}")]
    Cell {
        /// Its address.
        address: Address,
        /// Why.
        error: ReadError,
    },
    /// The cell to compare with holds no value of the type.
    #[error("the cell at {address} holds no {kind} value")]
    NoValue {
        /// Its address.
        address: Address,
        /// The type's kind.
        kind: Kind,
    },
    /// An alignment that cannot be.
    #[error("an alignment of {0} bytes: powers of two up to 4096 are possible")]
    Alignment(u64),
    /// Changes were counted for another type.
    #[error("changes were counted for {counted} cells, the search is for {wanted} ones")]
    OtherCells {
        /// The kind counted for.
        counted: Kind,
        /// The kind of the search.
        wanted: Kind,
    },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
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
    /// The first step: goes over everything that the source has.
    ///
    /// # Errors
    /// [`SearchError`].
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
        let keep_first = settings.keep.first.unwrap_or(layout.bytes <= FIRST_MOST);
        let history_most = settings.keep.history.unwrap_or(HISTORY_LEAST.max(layout.bytes / 8));
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
        let judge = search.judge(source, condition, tracker, true)?;
        search.run(source, &judge, tracker, progress, Mode::First)?;
        search.count();
        Ok(search)
    }

    /// The next step: keeps the candidates that meet the condition, and their values for the step after it. `tracker` must
    /// have seen the frames that the condition asks of.
    ///
    /// # Errors
    /// [`SearchError`]; the candidates are then as they were.
    pub fn step(
        &mut self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Outcome, SearchError> {
        self.next_step(source, condition, tracker, progress, false)
    }

    /// The same every frame: steps that follow one another so are taken back as one.
    ///
    /// # Errors
    /// [`SearchError`]; the candidates are then as they were.
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
        let judge = self.judge(source, condition, tracker, false)?;
        let before = self.len();
        self.make_room();
        let (record, mut outcome) = self.run(source, &judge, tracker, progress, Mode::Next)?;
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

    /// What a step would do, without doing it.
    ///
    /// # Errors
    /// [`SearchError`].
    pub fn preview(
        &self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        progress: &Progress,
    ) -> Result<Preview, SearchError> {
        let judge = self.judge(source, condition, tracker, false)?;
        let mut copy = self.without_history();
        copy.keep_first = false;
        let (_, mut outcome) = copy.run(source, &judge, tracker, progress, Mode::Preview)?;
        outcome.gone = self.len() - outcome.left;
        Ok(outcome)
    }

    /// Makes the condition ready.
    fn judge(
        &self,
        source: &dyn Source,
        condition: &Condition,
        tracker: Option<&Tracker>,
        is_first: bool,
    ) -> Result<Judge, SearchError> {
        let ty = self.settings.ty;
        condition.check(ty)?;
        if let Some(tracker) = tracker
            && tracker.ty() != ty
        {
            let (counted, wanted) = (tracker.ty().kind(), ty.kind());
            return Err(SearchError::OtherCells { counted, wanted });
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
        let Some(place) = condition.cell() else { return Ok(Judge::new(ty, condition.clone())) };
        let mut bytes = vec![0; ty.width()];
        let address = place.address;
        source.read(address, &mut bytes).map_err(|error| SearchError::Cell { address, error })?;
        let value = ty.read(&bytes, place.part);
        let value = value.ok_or(SearchError::NoValue { address, kind: ty.kind() })?;
        Ok(Judge::new(ty, condition.with_cell(&value)))
    }

    /// Looks at all blocks that have candidates, and records what they were.
    fn run(
        &mut self,
        source: &dyn Source,
        judge: &Judge,
        tracker: Option<&Tracker>,
        progress: &Progress,
        mode: Mode,
    ) -> Result<(Record, Outcome), SearchError> {
        let held = AtomicU64::new(if mode == Mode::Next { self.held() } else { 0 });
        let step = Step {
            layout: &self.layout,
            judge,
            source,
            tracker,
            progress,
            keep_first: self.keep_first,
            mode,
            held: &held,
            held_most: self.layout.bytes + self.history_most,
        };
        let mut units = units(&self.layout, &mut self.blocks);
        let blocks: usize = units.iter().map(|unit| unit.blocks.len()).sum();
        let bytes = (blocks * BLOCK) as u64;
        progress.begin(bytes.min(self.layout.bytes));
        let look = |unit: &mut Unit<'_>| ROOM.with_borrow_mut(|room| step.unit(unit, room));
        let looked: Vec<Result<Looked, (Changed, SearchError)>> = if bytes <= ALONE {
            units.iter_mut().map(look).collect()
        } else {
            units.par_iter_mut().map(look).collect()
        };
        let mut record = Record::new();
        let mut outcome = Outcome::default();
        let mut failed = None;
        for unit in looked {
            match unit {
                Ok(looked) => {
                    record.blocks.extend(looked.record);
                    record.values_kept &= !looked.gave_up;
                    outcome.unreadable += looked.outcome.unreadable;
                    outcome.read += looked.outcome.read;
                    outcome.left += looked.outcome.left;
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

    /// Bytes that a record holds and the blocks as they are now do not.
    fn only_in(&self, record: &Record) -> u64 {
        let bytes =
            |(nth, block): &(usize, Block)| block.bytes_apart_from(&self.blocks[*nth]) + block.bits.memory();
        record.blocks.iter().map(|changed| bytes(changed) as u64).sum()
    }

    /// Gives up the values of the oldest records when there is little room for those of the next.
    fn make_room(&mut self) {
        let mut held = self.held();
        for record in &mut self.undo {
            if held <= self.layout.bytes + self.history_most / 2 {
                break;
            }
            held -= record.memory;
            record.give_up_values();
            held += record.memory;
        }
    }

    /// Bytes of all candidates and values that are kept, now and for steps to be taken back.
    fn held(&self) -> u64 {
        let blocks: u64 = self.blocks.iter().map(|block| block.memory() as u64).sum();
        blocks + self.undo.iter().map(|record| record.memory).sum::<u64>()
    }

    /// Counts the candidates.
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

    /// What the search goes by.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Bytes that were there to search at the beginning.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.layout.bytes
    }

    /// The candidates as they are, without the steps to be taken back: for a face that shows them while the search goes on. Blocks
    /// share their memory: a copy of the list of them costs little.
    #[must_use]
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
    #[must_use]
    pub fn len(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// Whether none is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Steps that can be taken back.
    #[must_use]
    pub fn undos(&self) -> usize {
        self.undo.len()
    }

    /// Steps that can be done again.
    #[must_use]
    pub fn redos(&self) -> usize {
        self.redo.len()
    }

    /// Takes the last step back: candidates and values are as before it. None when there is none.
    pub fn undo(&mut self) -> Option<Undone> {
        let record = self.undo.pop()?;
        let (undone, record) = self.swap(record);
        self.redo.push(record);
        Some(undone)
    }

    /// Does the step that was last taken back again, with what it found then.
    pub fn redo(&mut self) -> Option<Undone> {
        let record = self.redo.pop()?;
        let (undone, record) = self.swap(record);
        self.undo.push(record);
        Some(undone)
    }

    fn swap(&mut self, mut record: Record) -> (Undone, Record) {
        let values_kept = record.values_kept;
        for (block, other) in &mut record.blocks {
            std::mem::swap(&mut self.blocks[*block], other);
        }
        (record.memory, record.values_kept) = (self.only_in(&record), true);
        self.count();
        (Undone { condition: record.condition.clone(), left: self.len(), values_kept }, record)
    }

    /// Takes single cells out (those that are watched already); can be taken back like a step. How many went.
    pub fn exclude(&mut self, places: &[Place]) -> u64 {
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

    /// Whether a place is still a candidate.
    #[must_use]
    pub fn contains(&self, place: Place) -> bool {
        let Some((nth, cell)) = self.layout.find(place) else { return false };
        let mut words = [0; WORDS_MOST];
        self.candidates(nth, &mut words);
        words[usize::from(cell) / 64] >> (cell % 64) & 1 == 1
    }

    /// Writes a bit for each candidate of a block.
    fn candidates(&self, block: usize, words: &mut [u64; WORDS_MOST]) -> At {
        let at = self.layout.at(block);
        let mut all = [0; WORDS_MOST];
        let used = self.layout.words();
        self.layout.cells(at, at.len + at.tail, &mut all[..used]);
        self.blocks[block].bits.write(&all[..used], &mut words[..used]);
        at
    }

    /// The candidates with these numbers, in the order of their addresses. Only what is asked for is made.
    #[must_use]
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

    fn row(&self, at: At, block: &Block, cell: u16) -> Row {
        let place = self.layout.place(at, cell);
        let offset = usize::from(cell) / self.settings.ty.kind().cells_in_byte();
        let read = |kept: &Option<Kept>| self.settings.ty.read(kept.as_ref()?.at(offset)?, place.part);
        Row { place, last: read(&block.last), first: read(&block.first) }
    }

    /// Bytes of memory that the search takes, all steps that can be taken back included.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let list = (self.blocks.capacity() * size_of::<Block>()) as u64;
        let blocks: u64 = self.blocks.iter().map(|block| block.memory() as u64).sum();
        let records = self.undo.iter().chain(&self.redo);
        let held = records
            .map(|record| record.memory + (record.blocks.capacity() * size_of::<(usize, Block)>()) as u64);
        list + blocks + held.sum::<u64>()
    }
}

//! One search from its first step to its last: narrowing, looking ahead, taking back, and the rows that are left.

use super::bits::{BLOCK, Bits, WORDS_MOST, count, ones};
use super::block::{At, Block, Kept, Layout, Progress};
use super::condition::{Condition, ConditionError, Missing, Previous};
use super::kernel::{Judge, Then, View};
use super::source::{Address, Source};
use super::sweep::Marks;
use super::track::Tracker;
use super::value::{Kind, Place, Value, ValueType};
use crate::process::ReadError;
use rayon::prelude::*;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Blocks read at once: 256 KiB, which stay in the processor's cache while they are searched.
const PIECE_BLOCKS: usize = 64;

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
    /// Bytes that earlier steps may take for the values that stood then; None: an eighth of what is searched, 64 MiB at
    /// least. What the candidates were is always kept. Where values were given up, a step taken back leaves cells whose
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

/// One step as it can be taken back: the blocks that it changed, as they were.
#[derive(Debug, Clone)]
struct Record {
    condition: Option<Condition>,
    blocks: Vec<(usize, Block)>,
    /// Bytes that only this record holds.
    memory: u64,
    values_kept: bool,
    joined: bool,
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

/// Room that every thread has for itself.
#[derive(Default)]
struct Room {
    piece: Vec<u8>,
    marks: Marks,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Neighbouring blocks that are looked at together.
struct Unit<'a> {
    first: usize,
    blocks: &'a mut [Block],
}

/// What looking at a unit changed.
#[derive(Default)]
struct Looked {
    record: Vec<(usize, Block)>,
    gave_up: bool,
    outcome: Outcome,
}

/// Which step it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The very first, of which nothing earlier is recorded.
    First,
    /// A later one.
    Next,
    /// Only candidates are counted.
    Preview,
}

/// What a step looks for.
struct Step<'a> {
    layout: &'a Layout,
    judge: &'a Judge,
    source: &'a dyn Source,
    tracker: Option<&'a Tracker>,
    progress: &'a Progress,
    keep_first: bool,
    mode: Mode,
    /// Bytes that records hold, and may.
    history: &'a AtomicU64,
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
        // Blocks share their memory: a copy of the list of them costs little.
        let mut copy = Self {
            settings: self.settings,
            layout: self.layout.clone(),
            blocks: self.blocks.clone(),
            before: Vec::new(),
            undo: Vec::new(),
            redo: Vec::new(),
            keep_first: false,
            history_most: 0,
        };
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
        let held: u64 = self.undo.iter().map(|record| record.memory).sum();
        // What the candidates were is kept in any case; values get the room that is left.
        let bits: u64 = self.blocks.iter().map(|block| block.bits.memory() as u64).sum();
        let history = AtomicU64::new(held + bits);
        let step = Step {
            layout: &self.layout,
            judge,
            source,
            tracker,
            progress,
            keep_first: self.keep_first,
            mode,
            history: &history,
            history_most: self.history_most,
        };
        let mut units = units(&self.layout, &mut self.blocks);
        let blocks: usize = units.iter().map(|unit| unit.blocks.len()).sum();
        let bytes = (blocks * BLOCK) as u64;
        progress.begin(bytes.min(self.layout.bytes));
        let look = |unit: &mut Unit<'_>| ROOM.with_borrow_mut(|room| step.unit(unit, room));
        let looked: Vec<Result<Looked, (Vec<(usize, Block)>, SearchError)>> = if bytes <= ALONE {
            units.iter_mut().map(look).collect()
        } else {
            units.par_iter_mut().map(look).collect()
        };
        let mut record =
            Record { condition: None, blocks: Vec::new(), memory: 0, values_kept: true, joined: false };
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
        let bits_before: u64 = record.blocks.iter().map(|(_, block)| block.bits.memory() as u64).sum();
        record.memory = history.into_inner() - held - bits + bits_before;
        if let Some(error) = failed {
            for (block, old) in record.blocks {
                self.blocks[block] = old;
            }
            return Err(error);
        }
        Ok((record, outcome))
    }

    /// Gives up the values of the oldest records when there is little room for those of the next.
    fn make_room(&mut self) {
        let mut held: u64 = self.undo.iter().map(|record| record.memory).sum();
        for record in &mut self.undo {
            if held <= self.history_most / 2 {
                break;
            }
            held -= record.memory;
            record.give_up_values();
            held += record.memory;
        }
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
        let mut memory = 0;
        for (block, other) in &mut record.blocks {
            std::mem::swap(&mut self.blocks[*block], other);
            memory += other.bytes_apart_from(&self.blocks[*block]) as u64 + other.bits.memory() as u64;
        }
        (record.memory, record.values_kept) = (memory, true);
        self.count();
        (Undone { condition: record.condition.clone(), left: self.len(), values_kept }, record)
    }

    /// Takes single cells out (those that are watched already); can be taken back like a step. How many went.
    pub fn exclude(&mut self, places: &[Place]) -> u64 {
        let before = self.len();
        let mut cells: Vec<(usize, u16)> =
            places.iter().filter_map(|place| self.layout.find(*place)).collect();
        cells.sort_unstable();
        let mut record =
            Record { condition: None, blocks: Vec::new(), memory: 0, values_kept: true, joined: false };
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

impl Record {
    /// Adds a record that follows this one: what this one holds already is older and stays.
    fn join(&mut self, next: Self) {
        let had = self.blocks.len();
        for (nth, block) in next.blocks {
            if self.blocks[..had].binary_search_by_key(&nth, |(nth, _)| *nth).is_err() {
                self.memory += block.memory() as u64;
                self.blocks.push((nth, block));
            }
        }
        self.blocks.sort_unstable_by_key(|(nth, _)| *nth);
        self.values_kept &= next.values_kept;
    }

    fn give_up_values(&mut self) {
        let mut memory = 0;
        for (_, block) in &mut self.blocks {
            self.values_kept &= block.last.is_none() && block.first.is_none();
            (block.last, block.first) = (None, None);
            memory += block.bits.memory() as u64;
        }
        self.memory = memory;
    }
}

/// The runs of blocks with candidates, cut into pieces that are read at once.
fn units<'a>(layout: &Layout, blocks: &'a mut [Block]) -> Vec<Unit<'a>> {
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
    fn unit(
        &self,
        unit: &mut Unit<'_>,
        room: &mut Room,
    ) -> Result<Looked, (Vec<(usize, Block)>, SearchError)> {
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
                self.look(unit.first + nth, at, now, block, marks, &mut looked);
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
    ) -> Result<(), (Vec<(usize, Block)>, SearchError)> {
        let Room { piece, marks } = room;
        for (nth, block) in unit.blocks.iter_mut().enumerate() {
            let at = self.layout.at(unit.first + nth);
            let mut got = 0;
            // What follows the block may have gone with the block in which it lies.
            for len in [at.len + at.tail, at.len] {
                match self.source.read(at.address, &mut piece[..len]) {
                    Ok(()) => {
                        got = len;
                        break;
                    }
                    Err(error) if is_fatal(&error) => {
                        return Err((std::mem::take(&mut looked.record), error.into()));
                    }
                    Err(_) => {}
                }
            }
            looked.outcome.read += got as u64;
            self.look(unit.first + nth, at, &piece[..got], block, marks, looked);
        }
        Ok(())
    }

    /// Narrows the candidates of one block by its bytes.
    fn look(
        &self,
        nth: usize,
        at: At,
        now: &[u8],
        block: &mut Block,
        marks: &mut Marks,
        looked: &mut Looked,
    ) {
        let used = self.layout.words();
        let (mut all, mut words) = ([0; WORDS_MOST], [0; WORDS_MOST]);
        let (all, words) = (&mut all[..used], &mut words[..used]);
        self.layout.cells(at, at.len + at.tail, all);
        block.bits.write(all, words);
        if now.len() < at.len + at.tail {
            let mut readable = [0; WORDS_MOST];
            self.layout.cells(at, now.len(), &mut readable[..used]);
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
        let values = old.bytes_apart_from(block) as u64;
        let held = self.history.fetch_add(values, Ordering::Relaxed);
        if values > 0 && held + values > self.history_most {
            self.history.fetch_sub(values, Ordering::Relaxed);
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
        let last_frame = |cell: u16| self.tracker?.last_frame(self.layout.place(at, cell).address);
        let frame = self.tracker.and_then(|tracker| tracker.last_frame(at.address));
        let then = match (self.judge.condition().previous(), &earlier, frame) {
            (Some(Previous::LastSearch | Previous::First), Some(kept), _) => {
                Then::Bytes(kept.from.into(), &kept.bytes)
            }
            (Some(Previous::LastFrame), _, Some(frame)) if frame.len() >= now.len() => Then::Bytes(0, frame),
            (Some(Previous::LastFrame), ..) => Then::Cells(&last_frame),
            (Some(Previous::LastChange), ..) => Then::Cells(&before_change),
            _ => Then::Unknown,
        };
        let changes = |cell: u16| {
            let place = self.layout.place(at, cell);
            self.tracker.and_then(|tracker| tracker.changes(place)).unwrap_or(0)
        };
        let view = View { now, then, changes: &changes, phases: self.layout.phases(at) };
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
            .unwrap_or_else(|| Kept { from: u16::try_from(from).unwrap_or(0), bytes: bytes.into() });
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

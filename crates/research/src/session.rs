//! An interactive search, step by step, on memory that changes meanwhile. The window and the command line share it.

mod paths;
mod watches;

pub use paths::Paths;

use super::board::{BoardHit, BoardPattern, find_board};
use super::condition::{Condition, Previous};
use super::language::{Pause, Step};
use super::memory_source::{MemorySource, MemoryView};
use super::outcome::{Outcome, SearchError};
use super::pools::{FoundPool, find_pools};
use super::rng::{RngHit, Samples, SamplesError, find_generators};
use super::search::{Search, Settings, UndoOutcome};
use super::sequence::{SequenceHit, find_sequence};
use super::source::Address;
use super::source::SourceError;
use super::track::Tracker;
use super::value::{Kind, ValueType};
use super::watch::LeftOut;
use nextscope_file::{Overwrite, TEXT_LIMIT, read_text};
use nextscope_task::Progress;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A search session.
#[derive(Debug)]
pub struct Session {
    memory: MemorySource,
    settings: Settings,
    search: Option<Search>,
    /// The search that the last `new` discarded, with its settings.
    discarded: Option<(Search, Settings)>,
    tracker: Option<Tracker>,
    watched: watches::Watched,
    paths: Option<Paths>,
    /// Whether steps overwrite existing files, and the files that they wrote.
    overwrite: Overwrite,
    saved: Vec<PathBuf>,
}

/// The outcome of a step.
#[derive(Debug, Clone)]
pub enum StepOutcome {
    /// Nothing to report.
    Done,
    /// Candidates were narrowed down.
    Narrowed {
        /// The result.
        outcome: Outcome,
        /// The time taken.
        took: Duration,
    },
    /// The preview of a condition.
    Previewed {
        /// The result.
        outcome: Outcome,
        /// The time taken.
        took: Duration,
    },
    /// A step was undone or redone.
    Undone(UndoOutcome),
    /// Show this many results.
    Rows(u64),
    /// The pools found.
    Pools(Vec<FoundPool>),
    /// The sequences found.
    Sequences(Vec<SequenceHit>),
    /// The boards found.
    Boards(Vec<BoardHit>),
    /// The generators found.
    Generators(Vec<RngHit>),
    /// Show lines of the watch list.
    Watches {
        /// The first line to show.
        from: usize,
        /// The entries of a loaded file that were skipped.
        left_out: Vec<LeftOut>,
    },
    /// Show the pointer paths.
    Paths {
        /// How many were removed because they no longer lead to the target.
        gone: usize,
    },
    /// A file was written.
    Saved {
        /// The file.
        file: PathBuf,
        /// Its number of watches, separators or paths.
        lines: usize,
        /// The entries that its format does not support.
        left_out: Vec<LeftOut>,
    },
}

/// Why a step failed. Earlier results are unchanged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SessionError {
    /// The memory cannot be searched.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The step is invalid.
    #[error("{0}")]
    Invalid(String),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
impl SessionError {
    fn invalid(what: impl ToString) -> Self {
        Self::Invalid(what.to_string())
    }

    fn unreachable(what: impl ToString) -> Self {
        Self::Source(SourceError::Unreachable(what.to_string()))
    }

    fn no_search() -> Self {
        Self::invalid("no search yet; start with a condition, for example `unknown` for any value")
    }
}

impl From<SearchError> for SessionError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Cancelled => Self::Cancelled,
            SearchError::Read(error) => Self::unreachable(error),
            error => Self::invalid(error),
        }
    }
}

impl StepOutcome {
    /// Whether anything was found; None for steps that search nothing. For paths, ask the session.
    pub fn has_results(&self) -> Option<bool> {
        match self {
            Self::Done | Self::Rows(_) | Self::Previewed { .. } | Self::Paths { .. } => None,
            Self::Watches { .. } | Self::Saved { .. } => Some(true),
            Self::Narrowed { outcome, .. } => Some(outcome.left > 0),
            Self::Undone(undone) => Some(undone.left > 0),
            Self::Pools(found) => Some(!found.is_empty()),
            Self::Sequences(found) => Some(!found.is_empty()),
            Self::Boards(found) => Some(!found.is_empty()),
            Self::Generators(found) => Some(!found.is_empty()),
        }
    }
}

/// The type of a search for a pattern of this many bytes.
///
/// # Errors
/// [`SessionError::Invalid`] when there are too many.
pub fn type_of_pattern(len: u16, like: ValueType) -> Result<ValueType, SessionError> {
    ValueType::new(Kind::Bytes { len }, like.order()).map_err(SessionError::invalid)
}

impl Session {
    /// A session without a search.
    pub fn new(memory: MemorySource, settings: Settings) -> Self {
        let watched = watches::Watched::default();
        Self {
            memory,
            settings,
            search: None,
            discarded: None,
            tracker: None,
            watched,
            paths: None,
            overwrite: Overwrite::Refuse,
            saved: Vec::new(),
        }
    }

    /// Sets whether steps overwrite existing files.
    pub fn overwrite(&mut self, overwrite: Overwrite) {
        self.overwrite = overwrite;
    }

    /// The memory.
    pub fn memory(&self) -> &MemorySource {
        &self.memory
    }

    /// The settings of the search, or of the next one.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The candidates; None before the first step.
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// Whether `undo` restores the search that the last `new` discarded: nothing else is left to undo.
    pub fn can_restore(&self) -> bool {
        self.discarded.is_some() && self.search.as_ref().is_none_or(|search| search.undos() == 0)
    }

    /// The tracker, if changes are counted.
    pub fn tracker(&self) -> Option<&Tracker> {
        self.tracker.as_ref()
    }

    /// Continues the search in another memory: the same one after a restart of its emulator, or with more dumps. Candidates stay;
    /// counting of changes stops.
    pub fn move_to(&mut self, memory: MemorySource) {
        (self.memory, self.tracker) = (memory, None);
    }

    /// Stops counting changes.
    pub fn stop_tracking(&mut self) {
        self.tracker = None;
    }

    /// Takes a step. [`Progress::cancel`] cancels it: earlier results stay, as do those of the frames of an `auto` so far.
    pub fn step(&mut self, step: &Step, progress: &Progress) -> Result<StepOutcome, SessionError> {
        match step {
            Step::Narrow(condition) => self.narrow(condition, progress),
            Step::Match(pattern) => {
                if self.search.is_none() {
                    self.settings.ty = type_of_pattern(pattern.len(), self.settings.ty)?;
                }
                self.narrow(&Condition::Matches { pattern: pattern.clone(), not: false }, progress)
            }
            Step::Preview(condition) => self.preview(condition, progress),
            Step::Auto(frames, condition) => self.auto(*frames, condition, progress),
            Step::Wait(pause) => self.wait(*pause, progress),
            Step::Undo if self.can_restore() => {
                let (search, settings) = self.discarded.take().ok_or_else(SessionError::no_search)?;
                let undone = UndoOutcome { condition: None, left: search.len(), values_known: true };
                (self.search, self.settings, self.tracker) = (Some(search), settings, None);
                Ok(StepOutcome::Undone(undone))
            }
            Step::Undo | Step::Redo => {
                let search = self.search.as_mut().ok_or_else(SessionError::no_search)?;
                let (undone, what) = match step {
                    Step::Undo => (search.undo(), "undo"),
                    _ => (search.redo(), "redo"),
                };
                let none = || SessionError::invalid(format!("there is nothing to {what}"));
                Ok(StepOutcome::Undone(undone.ok_or_else(none)?))
            }
            Step::New => {
                if let Some(search) = self.search.take() {
                    self.discarded = Some((search, self.settings));
                }
                self.tracker = None;
                Ok(StepOutcome::Done)
            }
            Step::Type(ty) => {
                if let Some(search) = &mut self.search
                    && !search.read_as(*ty)
                {
                    let what = "a search keeps the size of its values; use `new` before `type`";
                    return Err(SessionError::invalid(what));
                }
                (self.settings.ty, self.tracker) = (*ty, None);
                Ok(StepOutcome::Done)
            }
            Step::Align(bytes) => {
                if self.search.is_some() {
                    let what = "a search keeps its alignment; use `new` before `align`";
                    return Err(SessionError::invalid(what));
                }
                self.settings.alignment = *bytes;
                Ok(StepOutcome::Done)
            }
            Step::Track => self.track(),
            Step::Rows(most) => match self.search {
                Some(_) => Ok(StepOutcome::Rows(*most)),
                None => Err(SessionError::no_search()),
            },
            Step::Drop(place) => self.exclude(&[*place]),
            Step::Pools | Step::PoolStates => {
                let found = find_pools(self.memory.view()?.source(), progress);
                check_cancelled(progress)?;
                let mut found = found.map_err(SessionError::unreachable)?;
                if *step == Step::PoolStates {
                    for pool in &mut found {
                        pool.find_states(progress).map_err(|_| SessionError::Cancelled)?;
                    }
                }
                Ok(StepOutcome::Pools(found))
            }
            Step::Sequence(pieces) => {
                let found = find_sequence(self.memory.view()?.source(), pieces, progress);
                check_cancelled(progress)?;
                found.map(StepOutcome::Sequences).map_err(SessionError::invalid)
            }
            Step::Board(file) => {
                let name = file.display();
                let text = read_text(file, TEXT_LIMIT)
                    .map_err(|error| SessionError::invalid(format!("cannot read {name}: {error}")))?;
                let painted = BoardPattern::from_text(&text)
                    .map_err(|error| SessionError::invalid(format!("{name}: {error}")))?;
                self.board(&painted, progress)
            }
            Step::Rng(frames) => self.generators(*frames, progress),
            Step::Watch(watch) => self.watch(watch),
            Step::Watches(None) => self.show_watches(),
            Step::Watches(Some(file)) => self.read_watches(file),
            Step::SaveWatches(file) => self.save_watches(file),
            Step::ExcludeWatched => self.exclude_watched(),
            Step::Pointers { target, depth, offset } => self.find_paths(*target, *depth, *offset, progress),
            Step::Paths(None) => self.show_paths(),
            Step::Paths(Some(file)) => self.read_paths(file),
            Step::SavePaths(file) => self.save_paths(file),
            Step::Recheck(target) => self.recheck(*target),
        }
    }

    /// Removes cells; one `undo` restores them.
    ///
    /// # Errors
    /// [`SessionError::Invalid`] before the first step.
    pub fn exclude(&mut self, places: &[super::value::CellAddress]) -> Result<StepOutcome, SessionError> {
        let search = self.search.as_mut().ok_or_else(SessionError::no_search)?;
        let gone = search.exclude(places);
        let outcome = Outcome { left: search.len(), gone, ..Outcome::default() };
        Ok(StepOutcome::Narrowed { outcome, took: Duration::ZERO })
    }

    /// Finds a board.
    pub fn board(&self, painted: &BoardPattern, progress: &Progress) -> Result<StepOutcome, SessionError> {
        let found = find_board(self.memory.view()?.source(), painted, progress);
        check_cancelled(progress)?;
        found.map(StepOutcome::Boards).map_err(SessionError::invalid)
    }

    fn narrow(&mut self, condition: &Condition, progress: &Progress) -> Result<StepOutcome, SessionError> {
        let view = self.memory.view()?;
        let (source, tracker) = (view.source(), self.tracker.as_ref());
        let start = Instant::now();
        let outcome = match &mut self.search {
            Some(search) => search.step(source, condition, tracker, progress)?,
            None => {
                let search = Search::start(source, self.settings, condition, tracker, progress)?;
                let outcome = Outcome { left: search.len(), read: search.bytes(), ..Outcome::default() };
                self.search = Some(search);
                outcome
            }
        };
        Ok(StepOutcome::Narrowed { outcome, took: start.elapsed() })
    }

    fn preview(&self, condition: &Condition, progress: &Progress) -> Result<StepOutcome, SessionError> {
        let search = self.search.as_ref().ok_or_else(SessionError::no_search)?;
        let view = self.memory.view()?;
        let start = Instant::now();
        let outcome = search.preview(view.source(), condition, self.tracker.as_ref(), progress)?;
        Ok(StepOutcome::Previewed { outcome, took: start.elapsed() })
    }

    fn track(&mut self) -> Result<StepOutcome, SessionError> {
        let view = self.memory.view()?;
        let tracker = match &self.search {
            Some(search) => search.tracker(),
            None => Tracker::of_source(view.source(), self.settings.ty),
        };
        let mut tracker = tracker.map_err(SessionError::invalid)?;
        tracker.frame(view.source()).map_err(SessionError::unreachable)?;
        self.tracker = Some(tracker);
        Ok(StepOutcome::Done)
    }

    fn wait(&mut self, pause: Pause, progress: &Progress) -> Result<StepOutcome, SessionError> {
        let (tracker, watched) = (&mut self.tracker, &mut self.watched);
        let completed = self.memory.wait(pause, progress, |memory, passed| {
            if tracker.is_some() || watched.is_any() {
                let view = memory.view()?;
                if let Some(tracker) = tracker {
                    tracker.frame(view.source()).map_err(SessionError::unreachable)?;
                }
                watched.frame(view.source(), passed);
            }
            Ok::<_, SessionError>(())
        })?;
        if completed { Ok(StepOutcome::Done) } else { Err(SessionError::Cancelled) }
    }

    fn auto(
        &mut self,
        frames: u32,
        condition: &Condition,
        progress: &Progress,
    ) -> Result<StepOutcome, SessionError> {
        let search = self.search.as_mut().ok_or_else(SessionError::no_search)?;
        let (tracker, watched) = (&mut self.tracker, &mut self.watched);
        let start = Instant::now();
        let before = search.len();
        let mut read = 0;
        let completed = self.memory.wait(Pause::Frames(frames), progress, |memory, passed| {
            let view = memory.view()?;
            watched.frame(view.source(), passed);
            let count = |tracker: &mut Option<Tracker>| match tracker {
                Some(tracker) => tracker.frame(view.source()).map_err(SessionError::unreachable),
                None => Ok(()),
            };
            // Once this frame is sampled, it is itself the last one.
            let with_last = condition.previous() == Some(Previous::LastFrame);
            if !with_last {
                count(tracker)?;
            }
            read += search.auto_step(view.source(), condition, tracker.as_ref(), progress)?.read;
            if with_last { count(tracker) } else { Ok(()) }
        })?;
        if !completed {
            return Err(SessionError::Cancelled);
        }
        let left = search.len();
        let outcome = Outcome { left, gone: before - left, read, ..Outcome::default() };
        Ok(StepOutcome::Narrowed { outcome, took: start.elapsed() })
    }

    /// Generators need samples of several frames.
    fn generators(&mut self, frames: u32, progress: &Progress) -> Result<StepOutcome, SessionError> {
        let mut samples = None;
        let mut frame = 0;
        sample(&self.memory, frame, &mut samples)?;
        while frame + 1 < u64::from(frames) {
            if self.memory.dump_number().is_some_and(|(at, all)| at == all) {
                break;
            }
            // In one wait: frames between two waits would not be counted.
            let left = u32::try_from(u64::from(frames) - 1 - frame).unwrap_or(u32::MAX);
            let completed = self.memory.wait(Pause::Frames(left), progress, |memory, passed| {
                frame += u64::from(passed);
                sample(memory, frame, &mut samples)
            })?;
            if !completed {
                return Err(SessionError::Cancelled);
            }
        }
        let Some(samples) = samples else { return Ok(StepOutcome::Generators(Vec::new())) };
        match find_generators(&samples, progress) {
            Err(SamplesError::Cancelled) => Err(SessionError::Cancelled),
            found => found.map(StepOutcome::Generators).map_err(SessionError::invalid),
        }
    }
}

fn sample(memory: &MemorySource, frame: u64, samples: &mut Option<Samples>) -> Result<(), SessionError> {
    let new_samples = |base: u64| move || Samples::new(Address(base));
    let result = match memory.view()? {
        MemoryView::Console(snapshot) => {
            let domain = snapshot.domain();
            let samples = samples.get_or_insert_with(new_samples(domain.base.0.into()));
            match snapshot.all() {
                [] => samples.push_parts(frame, domain.len as usize, snapshot.parts()),
                all => samples.push(frame, all),
            }
        }
        MemoryView::Bytes(bytes) => {
            samples.get_or_insert_with(new_samples(bytes.base.0)).push(frame, &bytes.bytes)
        }
        MemoryView::Process(_) => {
            let what = "generators are searched in a console's RAM or a dump, not in a process";
            return Err(SessionError::invalid(what));
        }
    };
    result.map_err(SessionError::invalid)
}

fn check_cancelled(progress: &Progress) -> Result<(), SessionError> {
    if progress.is_cancelled() { Err(SessionError::Cancelled) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::language::parse_step;
    use super::super::memory_source::Dump;
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;

    fn dumps(dumps: &[&[u8]]) -> MemorySource {
        let dump = |bytes: &&[u8]| Dump::Bytes(ByteArray { base: HostAddr(0), bytes: bytes.to_vec() });
        MemorySource::dumps(dumps.iter().map(dump).collect()).unwrap()
    }

    fn steps(session: &mut Session, steps: &[&str]) -> u64 {
        for step in steps {
            let step = parse_step(step, session.settings().ty).unwrap();
            session.step(&step, &Progress::default()).unwrap();
        }
        session.search().unwrap().len()
    }

    #[test]
    fn at_every_frame_the_last_frame_is_the_one_before() {
        for (condition, left) in [("changed since frame", 1), ("unchanged since frame", 2)] {
            let memory = dumps(&[&[5, 5, 5], &[5, 6, 5]]);
            let mut session = Session::new(memory, Settings::new(ValueType::default()));
            let auto = format!("auto 1 {condition}");
            assert_eq!(steps(&mut session, &["unknown", "track", &auto]), left, "{condition}");
        }
        // Counts are those with this frame.
        let mut session = Session::new(dumps(&[&[5, 5], &[5, 6]]), Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown", "track", "auto 1 changes = 1"]), 1);
    }

    #[test]
    fn what_new_discarded_is_restored_when_nothing_else_is_left_to_undo() {
        let memory = dumps(&[&[1, 2, 3], &[1, 7, 3]]);
        let mut session = Session::new(memory, Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown", "> 1"]), 2);
        session.step(&Step::New, &Progress::default()).unwrap();
        let undo = |session: &mut Session| {
            session.step(&Step::Undo, &Progress::default()).map(|_| session.search().map_or(0, Search::len))
        };
        assert_eq!(undo(&mut session).unwrap(), 2);
        // The steps of the restored search are undone as before; those of another search come first.
        assert_eq!(undo(&mut session).unwrap(), 3);
        assert!(undo(&mut session).is_err());
        session.step(&Step::New, &Progress::default()).unwrap();
        assert_eq!(steps(&mut session, &["type i16be", "unknown", "= 258"]), 1);
        assert_eq!((undo(&mut session).unwrap(), session.settings().ty.width()), (2, 2));
        assert_eq!((undo(&mut session).unwrap(), session.settings().ty.width()), (3, 1));
    }

    #[test]
    fn a_search_can_be_read_as_another_type_of_the_same_size() {
        let memory = dumps(&[&[0xFF, 0xFE, 5, 0], &[0xFF, 0xFF, 5, 0]]);
        let mut session = Session::new(memory, Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown", "type i8", "< 0"]), 2);
        assert_eq!(session.search().unwrap().rows(0..1)[0].first, Some(crate::Value::Integer(-1)));
        assert_eq!(steps(&mut session, &["type u8", "> 254"]), 1);
        let wider = parse_step("type u16", session.settings().ty).unwrap();
        assert!(session.step(&wider, &Progress::default()).is_err());
        assert_eq!(session.settings().ty.width(), 1);
        assert_eq!(steps(&mut session, &["new", "type u16be", "unknown", "type u16le", "= 5"]), 1);
    }

    #[test]
    fn a_search_goes_on_where_it_is_moved_to() {
        let mut session = Session::new(dumps(&[&[1, 2, 3]]), Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown"]), 3);
        session.move_to(dumps(&[&[1, 7, 3]]));
        assert_eq!(steps(&mut session, &["changed"]), 1);
    }
}

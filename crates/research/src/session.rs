//! A search as a person makes it, step by step, on something that changes meanwhile: the same for every face.

mod paths;
mod watched;

pub use paths::Paths;

use super::block::Progress;
use super::board::{BoardHit, Painted, find_board};
use super::condition::{Condition, Previous};
use super::ground::{Ground, GroundError, Look};
use super::language::{Pause, Step};
use super::pools::{FoundPool, find_pools};
use super::rng::{RngHit, Samples, SamplesError, find_generators};
use super::search::{Outcome, Search, SearchError, Settings, Undone};
use super::sequence::{SequenceHit, find_sequence};
use super::source::Address;
use super::track::Tracker;
use super::value::{Kind, ValueType};
use super::watch::LeftOut;
use nextscope_file::{Overwrite, TEXT_LIMIT, read_text};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A search under way.
#[derive(Debug)]
pub struct Session {
    ground: Ground,
    settings: Settings,
    search: Option<Search>,
    tracker: Option<Tracker>,
    watched: watched::Watched,
    paths: Option<Paths>,
    /// Whether steps replace files that exist, and the files that they wrote.
    overwrite: Overwrite,
    saved: Vec<PathBuf>,
}

/// What came of a step.
#[derive(Debug, Clone)]
pub enum Said {
    /// It is done, and there is nothing to tell.
    Done,
    /// Candidates were narrowed down.
    Narrowed {
        /// To how many.
        outcome: Outcome,
        /// How long it took.
        took: Duration,
    },
    /// How many a condition would leave.
    Previewed {
        /// What would be.
        outcome: Outcome,
        /// How long it took.
        took: Duration,
    },
    /// A step was taken back, or made again.
    Undone(Undone),
    /// So many results are wanted on the screen.
    Rows(u64),
    /// Where pools stand.
    Pools(Vec<FoundPool>),
    /// Where the sequence stands.
    Sequences(Vec<SequenceHit>),
    /// Where the board stands.
    Boards(Vec<BoardHit>),
    /// Which cells follow a generator.
    Generators(Vec<RngHit>),
    /// Lines of the watch list are wanted on the screen.
    Watches {
        /// The first of them: those behind it are new, or all.
        from: usize,
        /// What of a file that was read has no place in it.
        left_out: Vec<LeftOut>,
    },
    /// The pointer paths are wanted on the screen.
    Paths {
        /// How many no longer lead where they did.
        gone: usize,
    },
    /// A file was written.
    Saved {
        /// Which.
        file: PathBuf,
        /// Watches, separators or paths in it.
        lines: usize,
        /// What it cannot hold.
        left_out: Vec<LeftOut>,
    },
}

/// Why a step was not made. What was found before is kept.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SessionError {
    /// There is nothing to search.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// The step cannot be made.
    #[error("{0}")]
    Wrong(String),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

#[expect(clippy::needless_pass_by_value, reason = "handed to map_err")]
impl SessionError {
    fn wrong(what: impl ToString) -> Self {
        Self::Wrong(what.to_string())
    }

    fn unreachable(what: impl ToString) -> Self {
        Self::Ground(GroundError::Unreachable(what.to_string()))
    }

    fn nothing_yet() -> Self {
        Self::wrong("nothing was searched yet: begin with a condition, `unknown` for any value")
    }
}

impl From<SearchError> for SessionError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Cancelled => Self::Cancelled,
            SearchError::Read(error) => Self::unreachable(error),
            error => Self::wrong(error),
        }
    }
}

impl Said {
    /// Whether there is what was asked for; None for steps that ask for nothing. Paths are told by the session.
    #[must_use]
    pub fn found(&self) -> Option<bool> {
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

/// The type of a search for a pattern of so many bytes.
///
/// # Errors
/// [`SessionError::Wrong`] when there are too many.
pub fn type_of_pattern(len: u16, like: ValueType) -> Result<ValueType, SessionError> {
    ValueType::new(Kind::Bytes { len }, like.order()).map_err(SessionError::wrong)
}

impl Session {
    /// Nothing was searched yet.
    #[must_use]
    pub fn new(ground: Ground, settings: Settings) -> Self {
        let watched = watched::Watched::default();
        Self {
            ground,
            settings,
            search: None,
            tracker: None,
            watched,
            paths: None,
            overwrite: Overwrite::Refuse,
            saved: Vec::new(),
        }
    }

    /// Whether files that exist are replaced by steps that save, from now on.
    pub fn overwrite(&mut self, overwrite: Overwrite) {
        self.overwrite = overwrite;
    }

    /// What is searched.
    #[must_use]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// What the search goes by, or the next one will.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The candidates; None before the first step.
    #[must_use]
    pub fn search(&self) -> Option<&Search> {
        self.search.as_ref()
    }

    /// What counts changes, since it was asked to.
    #[must_use]
    pub fn tracker(&self) -> Option<&Tracker> {
        self.tracker.as_ref()
    }

    /// From now on this is searched: what was searched, after a restart of its emulator or with dumps added. Candidates stay as
    /// they are; changes are counted anew when asked.
    pub fn move_to(&mut self, ground: Ground) {
        (self.ground, self.tracker) = (ground, None);
    }

    /// Changes are no longer counted.
    pub fn stop_tracking(&mut self) {
        self.tracker = None;
    }

    /// Makes a step. Setting `progress.cancel` ends it early: what was found before it then stands, and of an `auto` what its frames
    /// left so far.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn step(&mut self, step: &Step, progress: &Progress) -> Result<Said, SessionError> {
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
            Step::Undo | Step::Redo => {
                let search = self.search.as_mut().ok_or_else(SessionError::nothing_yet)?;
                let (undone, what) = match step {
                    Step::Undo => (search.undo(), "undo"),
                    _ => (search.redo(), "redo"),
                };
                let none = || SessionError::wrong(format!("there is nothing to {what}"));
                Ok(Said::Undone(undone.ok_or_else(none)?))
            }
            Step::New => {
                (self.search, self.tracker) = (None, None);
                Ok(Said::Done)
            }
            Step::Type(ty) => {
                if self.search.is_some() {
                    return Err(SessionError::wrong("a search keeps its type; say `new` before `type`"));
                }
                (self.settings.ty, self.tracker) = (*ty, None);
                Ok(Said::Done)
            }
            Step::Align(bytes) => {
                if self.search.is_some() {
                    let what = "a search keeps its alignment; say `new` before `align`";
                    return Err(SessionError::wrong(what));
                }
                self.settings.alignment = *bytes;
                Ok(Said::Done)
            }
            Step::Track => self.track(),
            Step::Rows(most) => match self.search {
                Some(_) => Ok(Said::Rows(*most)),
                None => Err(SessionError::nothing_yet()),
            },
            Step::Drop(place) => self.exclude(&[*place]),
            Step::Pools | Step::PoolStates => {
                let found = find_pools(self.ground.look()?.source(), progress);
                ended(progress)?;
                let mut found = found.map_err(SessionError::unreachable)?;
                if *step == Step::PoolStates {
                    for pool in &mut found {
                        pool.find_states(progress).map_err(|_| SessionError::Cancelled)?;
                    }
                }
                Ok(Said::Pools(found))
            }
            Step::Sequence(pieces) => {
                let found = find_sequence(self.ground.look()?.source(), pieces, progress);
                ended(progress)?;
                found.map(Said::Sequences).map_err(SessionError::wrong)
            }
            Step::Board(file) => {
                let name = file.display();
                let text = read_text(file, TEXT_LIMIT)
                    .map_err(|error| SessionError::wrong(format!("cannot read {name}: {error}")))?;
                let painted = Painted::from_text(&text)
                    .map_err(|error| SessionError::wrong(format!("{name}: {error}")))?;
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

    /// Takes cells out by hand; they come back together with `undo`.
    ///
    /// # Errors
    /// [`SessionError::Wrong`] before the first step.
    pub fn exclude(&mut self, places: &[super::value::Place]) -> Result<Said, SessionError> {
        let search = self.search.as_mut().ok_or_else(SessionError::nothing_yet)?;
        let gone = search.exclude(places);
        let outcome = Outcome { left: search.len(), gone, ..Outcome::default() };
        Ok(Said::Narrowed { outcome, took: Duration::ZERO })
    }

    /// Where a board stands as it was painted.
    ///
    /// # Errors
    /// [`SessionError`].
    pub fn board(&self, painted: &Painted, progress: &Progress) -> Result<Said, SessionError> {
        let found = find_board(self.ground.look()?.source(), painted, progress);
        ended(progress)?;
        found.map(Said::Boards).map_err(SessionError::wrong)
    }

    fn narrow(&mut self, condition: &Condition, progress: &Progress) -> Result<Said, SessionError> {
        let look = self.ground.look()?;
        let (source, tracker) = (look.source(), self.tracker.as_ref());
        let began = Instant::now();
        let outcome = match &mut self.search {
            Some(search) => search.step(source, condition, tracker, progress)?,
            None => {
                let search = Search::start(source, self.settings, condition, tracker, progress)?;
                let outcome = Outcome { left: search.len(), read: search.bytes(), ..Outcome::default() };
                self.search = Some(search);
                outcome
            }
        };
        Ok(Said::Narrowed { outcome, took: began.elapsed() })
    }

    fn preview(&self, condition: &Condition, progress: &Progress) -> Result<Said, SessionError> {
        let search = self.search.as_ref().ok_or_else(SessionError::nothing_yet)?;
        let look = self.ground.look()?;
        let began = Instant::now();
        let outcome = search.preview(look.source(), condition, self.tracker.as_ref(), progress)?;
        Ok(Said::Previewed { outcome, took: began.elapsed() })
    }

    fn track(&mut self) -> Result<Said, SessionError> {
        let look = self.ground.look()?;
        let tracker = match &self.search {
            Some(search) => Tracker::candidates(search),
            None => Tracker::whole(look.source(), self.settings.ty),
        };
        let mut tracker = tracker.map_err(SessionError::wrong)?;
        tracker.frame(look.source()).map_err(SessionError::unreachable)?;
        self.tracker = Some(tracker);
        Ok(Said::Done)
    }

    fn wait(&mut self, pause: Pause, progress: &Progress) -> Result<Said, SessionError> {
        let (tracker, watched) = (&mut self.tracker, &mut self.watched);
        let whole = self.ground.wait(pause, &progress.cancel, |ground, passed| {
            if tracker.is_some() || watched.is_any() {
                let look = ground.look()?;
                if let Some(tracker) = tracker {
                    tracker.frame(look.source()).map_err(SessionError::unreachable)?;
                }
                watched.frame(look.source(), passed);
            }
            Ok::<_, SessionError>(())
        })?;
        if whole { Ok(Said::Done) } else { Err(SessionError::Cancelled) }
    }

    fn auto(
        &mut self,
        frames: u32,
        condition: &Condition,
        progress: &Progress,
    ) -> Result<Said, SessionError> {
        let search = self.search.as_mut().ok_or_else(SessionError::nothing_yet)?;
        let (tracker, watched) = (&mut self.tracker, &mut self.watched);
        let began = Instant::now();
        let before = search.len();
        let mut read = 0;
        let whole = self.ground.wait(Pause::Frames(frames), &progress.cancel, |ground, passed| {
            let look = ground.look()?;
            watched.frame(look.source(), passed);
            let count = |tracker: &mut Option<Tracker>| match tracker {
                Some(tracker) => tracker.frame(look.source()).map_err(SessionError::unreachable),
                None => Ok(()),
            };
            // Once this frame was counted it is itself the last one.
            let with_last = condition.previous() == Some(Previous::LastFrame);
            if !with_last {
                count(tracker)?;
            }
            read += search.auto_step(look.source(), condition, tracker.as_ref(), progress)?.read;
            if with_last { count(tracker) } else { Ok(()) }
        })?;
        if !whole {
            return Err(SessionError::Cancelled);
        }
        let left = search.len();
        let outcome = Outcome { left, gone: before - left, read, ..Outcome::default() };
        Ok(Said::Narrowed { outcome, took: began.elapsed() })
    }

    /// Generators need samples some frames apart.
    fn generators(&mut self, frames: u32, progress: &Progress) -> Result<Said, SessionError> {
        let mut samples = None;
        let mut frame = 0;
        progress.begin(frames.into());
        take(&self.ground, frame, &mut samples)?;
        progress.add(1);
        while frame + 1 < u64::from(frames) {
            if self.ground.dump_number().is_some_and(|(at, all)| at == all) {
                break;
            }
            // All in one: what passes between two waits is counted by neither.
            let left = u32::try_from(u64::from(frames) - 1 - frame).unwrap_or(u32::MAX);
            let whole = self.ground.wait(Pause::Frames(left), &progress.cancel, |ground, passed| {
                frame += u64::from(passed);
                progress.add(passed.into());
                take(ground, frame, &mut samples)
            })?;
            if !whole {
                return Err(SessionError::Cancelled);
            }
        }
        let Some(samples) = samples else { return Ok(Said::Generators(Vec::new())) };
        match find_generators(&samples, progress) {
            Err(SamplesError::Cancelled) => Err(SessionError::Cancelled),
            found => found.map(Said::Generators).map_err(SessionError::wrong),
        }
    }
}

fn take(ground: &Ground, frame: u64, samples: &mut Option<Samples>) -> Result<(), SessionError> {
    let begun = |base: u64| move || Samples::new(Address(base));
    let taken = match ground.look()? {
        Look::Console(snapshot) => {
            let domain = snapshot.domain();
            let samples = samples.get_or_insert_with(begun(domain.base.0.into()));
            match snapshot.all() {
                [] => samples.push_parts(frame, domain.len as usize, snapshot.parts()),
                all => samples.push(frame, all),
            }
        }
        Look::Bytes(bytes) => samples.get_or_insert_with(begun(bytes.base.0)).push(frame, &bytes.bytes),
        Look::Process(_) => {
            let what = "generators are searched in a console's RAM or a dump, not in a whole process";
            return Err(SessionError::wrong(what));
        }
    };
    taken.map_err(SessionError::wrong)
}

fn ended(progress: &Progress) -> Result<(), SessionError> {
    if progress.is_cancelled() { Err(SessionError::Cancelled) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::super::ground::Dump;
    use super::super::language::parse_step;
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;

    fn dumps(dumps: &[&[u8]]) -> Ground {
        let dump = |bytes: &&[u8]| Dump::Bytes(ByteArray { base: HostAddr(0), bytes: bytes.to_vec() });
        Ground::dumps(dumps.iter().map(dump).collect()).unwrap()
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
            let ground = dumps(&[&[5, 5, 5], &[5, 6, 5]]);
            let mut session = Session::new(ground, Settings::new(ValueType::default()));
            let auto = format!("auto 1 {condition}");
            assert_eq!(steps(&mut session, &["unknown", "track", &auto]), left, "{condition}");
        }
        // Counts are those with this frame.
        let mut session = Session::new(dumps(&[&[5, 5], &[5, 6]]), Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown", "track", "auto 1 changes = 1"]), 1);
    }

    #[test]
    fn a_search_goes_on_where_it_is_moved_to() {
        let mut session = Session::new(dumps(&[&[1, 2, 3]]), Settings::new(ValueType::default()));
        assert_eq!(steps(&mut session, &["unknown"]), 3);
        session.move_to(dumps(&[&[1, 7, 3]]));
        assert_eq!(steps(&mut session, &["changed"]), 1);
    }
}

//! What is searched over time: the RAM of a console in a running emulator, all memory of a process, a recording, or dumps one
//! after another.

use super::language::Pause;
use super::path_file::{Module, modules};
use super::source::{ProcessSource, Source};
use super::tape::{Partial, Tape};
use nextscope_emulator::locate::save_state::{StateRam, can_locate, locate, unpack};
use nextscope_emulator::locate::{
    DetectedGame, DetectionOutcome, LocateRamError, LocatedRam, RamQuery, detect, identify_ram, locate_ram,
};
use nextscope_emulator::process::{ByteArray, Pid, Process};
use nextscope_games::profile::{FrameCounter, Profile};
use nextscope_memory::console::{ConsoleId, Domain, Endian, ReadPlan, Snapshot, StorageOrder};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A frame where no cell counts them: 60 a second, as all these consoles have about.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// How often a frame counter is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A game whose counter stands for so long is paused: waiting for frames would take forever.
const PAUSED_AFTER: Duration = Duration::from_secs(2);

/// A game may begin so long after its emulator.
const BEGINS_WITHIN: Duration = Duration::from_secs(2);

/// What is searched.
#[derive(Debug)]
pub enum Ground {
    /// A console's RAM in an emulator.
    Console(Box<DetectedGame>),
    /// A console's RAM without a game that is known: where the emulator, or the user, says it is.
    Told(Box<LocatedRam>),
    /// A whole process.
    Process(Arc<Process>),
    /// What was recorded.
    Recording(Box<dyn Tape>),
    /// Dumps made one after another; the second is the one that is looked at.
    Dumps(Vec<Dump>, usize),
}

/// A dump.
#[derive(Debug, Clone)]
pub enum Dump {
    /// Of a console's RAM, by its addresses.
    Console(Snapshot),
    /// Of anything, by its offsets.
    Bytes(ByteArray),
}

/// One look at it.
#[derive(Debug)]
pub enum Look {
    /// The RAM of a console at one moment, or the parts of it that were recorded.
    Console(Snapshot),
    /// A process, read as it is when a search comes by.
    Process(ProcessSource),
    /// A dump by its offsets.
    Bytes(ByteArray),
}

/// Why there is nothing to look at.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GroundError {
    /// The process, the emulator or its memory cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// Frames were waited for, and none came.
    #[error("the game stands still: is it paused? `wait 1s` waits for time instead of frames")]
    Still,
    /// What was asked cannot be.
    #[error("{0}")]
    Wrong(String),
}

impl From<nextscope_emulator::process::ReadError> for GroundError {
    fn from(error: nextscope_emulator::process::ReadError) -> Self {
        Self::Unreachable(error.to_string())
    }
}

impl Look {
    /// What a search goes over.
    #[must_use]
    pub fn source(&self) -> &dyn Source {
        match self {
            Self::Console(snapshot) => snapshot,
            Self::Process(process) => process,
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl Ground {
    /// The console's RAM in an emulator in which a game runs that one of the profiles knows. One that was started just now is given
    /// two seconds to begin its game.
    ///
    /// # Errors
    /// [`GroundError`].
    pub fn console(pid: Pid, profiles: &[Arc<Profile>]) -> Result<Self, GroundError> {
        open(pid)?;
        let until = Instant::now() + BEGINS_WITHIN;
        loop {
            match detect(pid, profiles).outcome {
                DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => {
                    return Ok(Self::Console(found));
                }
                DetectionOutcome::Unreadable(error) => {
                    return Err(GroundError::Unreachable(error.to_string()));
                }
                _ if Instant::now() < until => std::thread::sleep(Duration::from_millis(100)),
                _ => {
                    let what = "no console's RAM with a known game was found in it; say which console runs in it (`--console`), or search all its memory (`--all-memory`)";
                    return Err(GroundError::Unreachable(what.into()));
                }
            }
        }
    }

    /// The RAM of a console in an emulator, whatever game runs: where the emulator itself tells that it is, or the user does.
    ///
    /// # Errors
    /// [`GroundError`].
    pub fn told(pid: Pid, asked: RamQuery) -> Result<Self, GroundError> {
        open(pid)?;
        locate_ram(pid, asked).map(|told| Self::Told(Box::new(told))).map_err(|error| match error {
            LocateRamError::Read(error) => error.into(),
            LocateRamError::Nowhere { .. } => GroundError::Unreachable(error.to_string()),
            _ => GroundError::Wrong(error.to_string()),
        })
    }

    /// All memory of a process, whatever it is.
    ///
    /// # Errors
    /// [`GroundError::Unreachable`].
    pub fn whole(pid: Pid) -> Result<Self, GroundError> {
        Ok(Self::Process(Arc::new(open(pid)?)))
    }

    /// A recording: where its tape stands, and from there on.
    ///
    /// # Errors
    /// Those of [`Tape::now`]; [`GroundError::Wrong`] when nothing of the RAM is in it.
    pub fn recording(tape: impl Tape + 'static) -> Result<Self, GroundError> {
        if tape.now()?.parts().next().is_none() {
            return Err(GroundError::Wrong("nothing of the RAM was recorded in this sample".into()));
        }
        Ok(Self::Recording(Box::new(tape)))
    }

    /// Dumps made one after another.
    ///
    /// # Errors
    /// [`GroundError::Wrong`] when there is none.
    pub fn dumps(dumps: Vec<Dump>) -> Result<Self, GroundError> {
        if dumps.is_empty() {
            return Err(GroundError::Wrong("there is no dump to search".into()));
        }
        Ok(Self::Dumps(dumps, 0))
    }

    /// What of the console's RAM is searched, when that is not all of it.
    #[must_use]
    pub fn partial(&self) -> Option<Partial> {
        match self {
            Self::Recording(tape) => Partial::of(&tape.now().ok()?),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => Partial::of(snapshot),
                Dump::Bytes(_) => None,
            },
            Self::Console(_) | Self::Told(_) | Self::Process(_) => None,
        }
    }

    /// How far in a row of dumps one is: the number of the one looked at, from 1, and of all; None elsewhere.
    #[must_use]
    pub fn dump_number(&self) -> Option<(usize, usize)> {
        match self {
            Self::Dumps(dumps, at) => Some((at + 1, dumps.len())),
            _ => None,
        }
    }

    /// The byte order of numbers in it.
    #[must_use]
    pub fn order(&self) -> Endian {
        self.domain().map_or(Endian::Little, |domain| domain.endian)
    }

    /// The console's RAM, where addresses are those of a console.
    #[must_use]
    pub fn domain(&self) -> Option<&'static Domain> {
        match self {
            Self::Console(found) => Some(found.ram.domain),
            Self::Told(told) => Some(told.ram.domain),
            Self::Process(_) => None,
            Self::Recording(tape) => tape.now().ok().map(|snapshot| snapshot.domain()),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => Some(snapshot.domain()),
                Dump::Bytes(_) => None,
            },
        }
    }

    /// The files that the process has mapped; none where it is not a process that is searched.
    ///
    /// # Errors
    /// [`GroundError::Unreachable`].
    pub fn modules(&self) -> Result<Vec<Module>, GroundError> {
        let Self::Process(process) = self else { return Ok(Vec::new()) };
        Ok(modules(&process.regions()?))
    }

    /// In words.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Console(found) => {
                format!("{} in {} ({})", found.ram.domain.name, found.identity.name, found.process.pid())
            }
            Self::Told(told) => {
                let by = told.method.map_or_else(|| "as you say".to_owned(), |method| method.to_string());
                let (domain, emulator) = (told.ram.domain.name, &told.identity.name);
                let (pid, base) = (told.process.pid(), told.ram.base);
                format!("{domain} in {emulator} ({pid}), at {base} ({by}), no known game")
            }
            Self::Process(process) => format!("all memory of process {}", process.pid()),
            Self::Recording(tape) => tape.name(),
            Self::Dumps(dumps, at) if dumps.len() > 1 => format!("dump {} of {}", at + 1, dumps.len()),
            Self::Dumps(..) => "the dump".into(),
        }
    }

    /// What it holds now.
    ///
    /// # Errors
    /// [`GroundError::Unreachable`].
    pub fn look(&self) -> Result<Look, GroundError> {
        Ok(match self {
            Self::Console(found) => Look::Console(found.ram.sample(&ReadPlan::full(found.ram.domain))?),
            Self::Told(told) => Look::Console(told.ram.sample(&ReadPlan::full(told.ram.domain))?),
            Self::Process(process) => Look::Process(ProcessSource::whole(Arc::clone(process))),
            Self::Recording(tape) => Look::Console(tape.now()?),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => Look::Console(snapshot.clone()),
                Dump::Bytes(bytes) => Look::Bytes(bytes.clone()),
            },
        })
    }

    /// Lets time pass; at every new frame `each` is called with the frames since the last call, one unless some were missed.
    /// False when `stop` was set meanwhile.
    ///
    /// # Errors
    /// Those of `each`; [`GroundError`] when there is no further dump, the console cannot be read, or frames are waited for and
    /// the game stands still.
    pub fn wait<E: From<GroundError>>(
        &mut self,
        pause: Pause,
        stop: &AtomicBool,
        mut each: impl FnMut(&Self, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        if let Self::Dumps(dumps, at) = self {
            if *at + 1 >= dumps.len() {
                let what = format!("there is no dump after number {}: give --dump once for each", *at + 1);
                return Err(GroundError::Wrong(what).into());
            }
            *at += 1;
            each(self, 1)?;
            return Ok(true);
        }
        if matches!(self, Self::Recording(_)) {
            return self.wait_recorded(pause, stop, each);
        }
        let (frames, until) = match pause {
            Pause::Frames(frames) => (Some(frames), None),
            Pause::Next => (Some(1), None),
            Pause::Seconds(seconds) => (None, Some(Instant::now() + Duration::from_secs_f64(seconds))),
        };
        let mut passed = 0;
        let cell = match self {
            Self::Console(found) => FrameCounter::of(&found.profile),
            _ => None,
        };
        let mut counted = self.counted(cell)?;
        let mut moved = Instant::now();
        while frames.is_none_or(|frames| passed < frames) && until.is_none_or(|until| Instant::now() < until)
        {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            std::thread::sleep(LOOK_EVERY);
            let now = self.counted(cell)?;
            let new = match (cell, now, counted) {
                // A jump (a reset, a loaded state) is one frame as well.
                (Some(cell), Some(now), Some(before)) => {
                    u32::try_from(cell.elapsed(before, now)).ok().filter(|frames| *frames <= 600).unwrap_or(1)
                }
                _ => u32::from(moved.elapsed() >= FRAME),
            };
            if new > 0 {
                (counted, moved) = (now, Instant::now());
                passed += new;
                each(self, new)?;
            } else if frames.is_some() && moved.elapsed() > PAUSED_AFTER {
                return Err(GroundError::Still.into());
            }
        }
        Ok(true)
    }

    /// [`Self::wait`] in what was recorded.
    fn wait_recorded<E: From<GroundError>>(
        &mut self,
        pause: Pause,
        stop: &AtomicBool,
        mut each: impl FnMut(&Self, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        let (mut passed, mut moved) = (0_u64, Instant::now());
        if let Self::Recording(tape) = self {
            tape.begin()?;
        }
        while let Self::Recording(tape) = self {
            let enough = match pause {
                Pause::Frames(frames) => passed >= u64::from(frames),
                Pause::Next => passed >= 1,
                Pause::Seconds(seconds) => tape.waited().as_secs_f64() >= seconds,
            };
            if enough {
                return Ok(true);
            }
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            match tape.next(LOOK_EVERY * 5)? {
                Some(0) => moved = Instant::now(),
                Some(frames) => {
                    (passed, moved) = (passed + u64::from(frames), Instant::now());
                    each(self, frames)?;
                }
                None if !matches!(pause, Pause::Seconds(_)) && moved.elapsed() > PAUSED_AFTER => {
                    return Err(GroundError::Still.into());
                }
                None => {}
            }
        }
        Ok(true)
    }

    /// What the game's own count of frames says, where there is one.
    fn counted(&self, counter: Option<FrameCounter>) -> Result<Option<u32>, GroundError> {
        let (Self::Console(found), Some(counter)) = (self, counter) else { return Ok(None) };
        Ok(Some(counter.now(&found.ram)?))
    }
}

fn open(pid: Pid) -> Result<Process, GroundError> {
    if nextscope_emulator::process::process_info(pid).is_none() {
        let what = format!("there is no process {pid}; `nextscope list` shows the emulators running now");
        return Err(GroundError::Unreachable(what));
    }
    Process::open(pid).map_err(|error| GroundError::Unreachable(error.to_string()))
}

impl Dump {
    /// A dump of that console's RAM; with `swapped`, in the order in which some emulators store it. When no console is named, it
    /// is whose game stands in it, else bytes by their offsets. Of a save state it is the RAM in it.
    ///
    /// # Errors
    /// [`GroundError::Wrong`].
    pub fn open(
        bytes: Vec<u8>,
        console: Option<ConsoleId>,
        swapped: bool,
        profiles: &[Arc<Profile>],
    ) -> Result<Self, GroundError> {
        Self::open_told(bytes, console, swapped, profiles).map(|(dump, _)| dump)
    }

    /// The same, and what the file is when it is a save state.
    ///
    /// # Errors
    /// [`GroundError::Wrong`].
    pub fn open_told(
        bytes: Vec<u8>,
        console: Option<ConsoleId>,
        swapped: bool,
        profiles: &[Arc<Profile>],
    ) -> Result<(Self, Option<SaveState>), GroundError> {
        let wrong = |what: String| GroundError::Wrong(what);
        let domain = console.map(ConsoleId::domain);
        if let Some((console, domain)) = console.zip(domain)
            && bytes.len() == domain.len as usize
        {
            let order = if swapped {
                let swapped = domain.orders.iter().find(|order| **order != StorageOrder::AsOnBus);
                let none = || wrong(format!("no emulator swaps the bytes of the {}", console.name()));
                *swapped.ok_or_else(none)?
            } else {
                StorageOrder::AsOnBus
            };
            let snapshot = Snapshot::from_stored(domain, order, bytes);
            return Ok((Self::Console(snapshot.map_err(|error| wrong(error.to_string()))?), None));
        }
        if domain.is_none()
            && let Some((snapshot, _)) = identify_ram(&bytes, profiles)
        {
            return Ok((Self::Console(snapshot), None));
        }
        let len = bytes.len();
        let asked = |profile: &&Arc<Profile>| domain.is_none_or(|asked| profile.console.domain() == asked);
        let profiles: Vec<Arc<Profile>> = profiles.iter().filter(asked).cloned().collect();
        let state = unpack(bytes).map_err(|error| wrong(error.to_string()))?;
        let found = locate(&state, &profiles).map_err(|error| wrong(error.to_string()))?;
        let found = found.filter(|found| domain.is_none_or(|asked| found.snapshot.domain() == asked));
        match (found, domain) {
            (Some(_), _) if swapped => Err(wrong(
                "it is a save state, in which the order of bytes is found: leave --swapped out".into(),
            )),
            (Some(found), _) => {
                let snapshot = found.snapshot.clone();
                Ok((Self::Console(snapshot), Some(SaveState { format: state.format(), found: Some(found) })))
            }
            (None, Some(domain)) => {
                let why = if state.formats.is_empty() {
                    "it holds no RAM in which a known game stands"
                } else if can_locate(&profiles) {
                    "the save state holds no RAM in which a known game stands"
                } else {
                    "where RAM begins in a save state is told by an anchor at an address, which no profile for it has: \
                     write out RAM as it is instead, in the emulator's debugger"
                };
                Err(wrong(format!(
                    "it has {len} bytes; a dump of {} has {}, and {why}",
                    domain.name, domain.len
                )))
            }
            (None, None) => {
                let format = (!state.formats.is_empty()).then(|| state.format());
                let told = format.map(|format| SaveState { format, found: None });
                Ok((Self::Bytes(Arc::unwrap_or_clone(state.bytes)), told))
            }
        }
    }
}

/// A save state that was opened as a dump.
#[derive(Debug, Clone)]
pub struct SaveState {
    /// Its formats in words, from the outside in.
    pub format: String,
    /// The RAM in it; None when no known game stands in it, so that what it unpacks to is looked at by its offsets.
    pub found: Option<StateRam>,
}

impl fmt::Display for SaveState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "{}: {found}", self.format),
            None => write!(
                f,
                "{}: no known game stands in it, addresses are offsets in what it unpacks to",
                self.format
            ),
        }
    }
}

//! The memory that a session searches over time: a console's RAM in an emulator, a process, a recording or a series of dumps.

use super::language::Pause;
use super::path_file::{Module, modules};
use super::recording_source::{PartialRam, RecordingSource};
use super::source::{ProcessSource, Source, SourceError};
use nextscope_emulator::locate::save_state::{StateRam, can_locate, locate, unpack};
use nextscope_emulator::locate::{
    DetectedGame, DetectionOutcome, LocateRamError, LocatedRam, RamQuery, detect, identify_ram, locate_ram,
};
use nextscope_emulator::process::{ByteArray, Pid, Process};
use nextscope_games::profile::{FrameCounter, Profile};
use nextscope_memory::console::{ConsoleId, Domain, Endian, ReadPlan, Snapshot, StorageOrder};
use nextscope_task::Progress;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A frame without a frame counter: all these consoles have about 60 a second.
const FRAME: Duration = Duration::from_nanos(16_666_667);
const POLL_EVERY: Duration = Duration::from_millis(2);
/// A game without a new frame for this long is paused.
const PAUSED_AFTER: Duration = Duration::from_secs(2);

/// How long a game may take to start after its emulator.
const STARTS_WITHIN: Duration = Duration::from_secs(2);

/// The memory to search.
#[derive(Debug)]
pub enum MemorySource {
    /// A console's RAM in an emulator.
    Console(Box<DetectedGame>),
    /// A console's RAM with any game, at the address that the emulator or the user names.
    AnyGame(Box<LocatedRam>),
    /// All memory of a process.
    Process(Arc<Process>),
    /// A recording.
    Recording(Box<dyn RecordingSource>),
    /// A series of dumps and the index of the current one.
    Dumps(Vec<Dump>, usize),
}

/// A dump.
#[derive(Debug, Clone)]
pub enum Dump {
    /// Of a console's RAM, by console addresses.
    Console(Snapshot),
    /// Of anything, by offsets.
    Bytes(ByteArray),
}

/// The memory at one moment.
#[derive(Debug)]
pub enum MemoryView {
    /// A console's RAM, or its recorded parts.
    Console(Snapshot),
    /// A process, read while it is searched.
    Process(ProcessSource),
    /// A dump, by offsets.
    Bytes(ByteArray),
}

impl MemoryView {
    /// The source to search.
    pub fn source(&self) -> &dyn Source {
        match self {
            Self::Console(snapshot) => snapshot,
            Self::Process(process) => process,
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl MemorySource {
    /// The console's RAM in an emulator that runs a game of one of the profiles. An emulator that has just started gets two
    /// seconds to start its game.
    pub fn console(pid: Pid, profiles: &[Arc<Profile>]) -> Result<Self, SourceError> {
        open(pid)?;
        let until = Instant::now() + STARTS_WITHIN;
        loop {
            match detect(pid, profiles).outcome {
                DetectionOutcome::Found(found) | DetectionOutcome::Paused(found) => {
                    return Ok(Self::Console(found));
                }
                DetectionOutcome::Unreadable(error) => {
                    return Err(SourceError::Unreachable(error.to_string()));
                }
                _ if Instant::now() < until => std::thread::sleep(Duration::from_millis(100)),
                _ => {
                    let what = "no known game found in this process; name its console (`--console`) or search all its memory (`--all-memory`)";
                    return Err(SourceError::Unreachable(what.into()));
                }
            }
        }
    }

    /// The console's RAM in an emulator with any game, at the address that the emulator or the user names.
    pub fn any_game(pid: Pid, query: RamQuery) -> Result<Self, SourceError> {
        open(pid)?;
        locate_ram(pid, query).map(|located| Self::AnyGame(Box::new(located))).map_err(|error| match error {
            LocateRamError::Read(error) => error.into(),
            LocateRamError::Nowhere { .. } => SourceError::Unreachable(error.to_string()),
            _ => SourceError::Invalid(error.to_string()),
        })
    }

    /// All memory of a process.
    pub fn process(pid: Pid) -> Result<Self, SourceError> {
        Ok(Self::Process(Arc::new(open(pid)?)))
    }

    /// A recording, from its position on.
    ///
    /// # Errors
    /// Those of [`RecordingSource::current`]; [`SourceError::Invalid`] when the sample contains no RAM.
    pub fn recording(recording: impl RecordingSource + 'static) -> Result<Self, SourceError> {
        if recording.current()?.parts().next().is_none() {
            return Err(SourceError::Invalid("this sample contains no RAM".into()));
        }
        Ok(Self::Recording(Box::new(recording)))
    }

    /// A series of dumps.
    ///
    /// # Errors
    /// [`SourceError::Invalid`] when there is none.
    pub fn dumps(dumps: Vec<Dump>) -> Result<Self, SourceError> {
        if dumps.is_empty() {
            return Err(SourceError::Invalid("there is no dump to search".into()));
        }
        Ok(Self::Dumps(dumps, 0))
    }

    /// The parts of the console's RAM that are searched, when these are not all of it.
    pub fn partial(&self) -> Option<PartialRam> {
        match self {
            Self::Recording(recording) => PartialRam::of(&recording.current().ok()?),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => PartialRam::of(snapshot),
                Dump::Bytes(_) => None,
            },
            Self::Console(_) | Self::AnyGame(_) | Self::Process(_) => None,
        }
    }

    /// The number of the current dump, from 1, and of all dumps; None for other memory.
    pub fn dump_number(&self) -> Option<(usize, usize)> {
        match self {
            Self::Dumps(dumps, at) => Some((at + 1, dumps.len())),
            _ => None,
        }
    }

    /// The byte order of numbers.
    pub fn order(&self) -> Endian {
        self.domain().map_or(Endian::Little, |domain| domain.endian)
    }

    /// The console's RAM, if addresses are a console's.
    pub fn domain(&self) -> Option<&'static Domain> {
        match self {
            Self::Console(found) => Some(found.ram.domain),
            Self::AnyGame(located) => Some(located.ram.domain),
            Self::Process(_) => None,
            Self::Recording(recording) => recording.current().ok().map(|snapshot| snapshot.domain()),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => Some(snapshot.domain()),
                Dump::Bytes(_) => None,
            },
        }
    }

    /// The files mapped by a searched process; none for other memory.
    pub fn modules(&self) -> Result<Vec<Module>, SourceError> {
        let Self::Process(process) = self else { return Ok(Vec::new()) };
        Ok(modules(&process.regions()?))
    }

    /// The name.
    pub fn name(&self) -> String {
        match self {
            Self::Console(found) => {
                format!("{} in {} ({})", found.ram.domain.name, found.identity.name, found.process.pid())
            }
            Self::AnyGame(located) => {
                let mut by =
                    located.method.map_or_else(|| "given by you".to_owned(), |method| method.to_string());
                if let Some(behaviour) = &located.behaviour {
                    by = format!("{by}, {behaviour}");
                }
                let (domain, emulator) = (located.ram.domain.name, &located.identity.name);
                let (pid, base) = (located.process.pid(), located.ram.base);
                format!("{domain} in {emulator} ({pid}), at {base} ({by}), no known game")
            }
            Self::Process(process) => format!("all memory of process {}", process.pid()),
            Self::Recording(recording) => recording.name(),
            Self::Dumps(dumps, at) if dumps.len() > 1 => format!("dump {} of {}", at + 1, dumps.len()),
            Self::Dumps(..) => "the dump".into(),
        }
    }

    /// The memory now.
    pub fn view(&self) -> Result<MemoryView, SourceError> {
        Ok(match self {
            Self::Console(found) => MemoryView::Console(found.ram.sample(&ReadPlan::full(found.ram.domain))?),
            Self::AnyGame(located) => {
                MemoryView::Console(located.ram.sample(&ReadPlan::full(located.ram.domain))?)
            }
            Self::Process(process) => MemoryView::Process(ProcessSource::all_memory(Arc::clone(process))),
            Self::Recording(recording) => MemoryView::Console(recording.current()?),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => MemoryView::Console(snapshot.clone()),
                Dump::Bytes(bytes) => MemoryView::Bytes(bytes.clone()),
            },
        })
    }

    /// Waits, and shows the share that is over. At every new frame `each` is called with the frames since the last call, one unless some were missed.
    /// False when cancelled.
    ///
    /// # Errors
    /// Those of `each`; [`SourceError`] when there is no further dump, the console cannot be read, or no frame comes.
    pub fn wait<E: From<SourceError>>(
        &mut self,
        pause: Pause,
        progress: &Progress,
        mut each: impl FnMut(&Self, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        if let Self::Dumps(dumps, at) = self {
            if *at + 1 >= dumps.len() {
                let what =
                    format!("there is no dump after number {}; pass --dump once for each file", *at + 1);
                return Err(SourceError::Invalid(what).into());
            }
            *at += 1;
            each(self, 1)?;
            return Ok(true);
        }
        if matches!(self, Self::Recording(_)) {
            return self.wait_recorded(pause, progress, each);
        }
        let (began, mut passed) = (Instant::now(), 0);
        let cell = match self {
            Self::Console(found) => FrameCounter::of(&found.profile),
            _ => None,
        };
        let mut counted = self.counted(cell)?;
        let mut moved = Instant::now();
        loop {
            pause.show_progress(passed, began.elapsed(), progress);
            if progress.is_complete() {
                break;
            }
            if progress.is_cancelled() {
                return Ok(false);
            }
            std::thread::sleep(POLL_EVERY);
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
                passed += u64::from(new);
                each(self, new)?;
            } else if pause.counts_frames() && moved.elapsed() > PAUSED_AFTER {
                return Err(SourceError::NoFrames.into());
            }
        }
        Ok(true)
    }

    /// [`Self::wait`] in a recording.
    fn wait_recorded<E: From<SourceError>>(
        &mut self,
        pause: Pause,
        progress: &Progress,
        mut each: impl FnMut(&Self, u32) -> Result<(), E>,
    ) -> Result<bool, E> {
        let (mut passed, mut moved) = (0_u64, Instant::now());
        if let Self::Recording(recording) = self {
            recording.begin_wait()?;
        }
        while let Self::Recording(recording) = self {
            pause.show_progress(passed, recording.time_waited(), progress);
            if progress.is_complete() {
                return Ok(true);
            }
            if progress.is_cancelled() {
                return Ok(false);
            }
            match recording.advance(POLL_EVERY * 5)? {
                Some(0) => moved = Instant::now(),
                Some(frames) => {
                    (passed, moved) = (passed + u64::from(frames), Instant::now());
                    each(self, frames)?;
                }
                None if pause.counts_frames() && moved.elapsed() > PAUSED_AFTER => {
                    return Err(SourceError::NoFrames.into());
                }
                None => {}
            }
        }
        Ok(true)
    }

    /// The game's frame counter, if it has one.
    fn counted(&self, counter: Option<FrameCounter>) -> Result<Option<u32>, SourceError> {
        let (Self::Console(found), Some(counter)) = (self, counter) else { return Ok(None) };
        Ok(Some(counter.now(&found.ram)?))
    }
}

impl Pause {
    const fn counts_frames(self) -> bool {
        !matches!(self, Self::Seconds(_))
    }

    /// Shows how much of it is over after `frames` and `time`.
    fn show_progress(self, frames: u64, time: Duration, progress: &Progress) {
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let (done, total) = match self {
            Self::Frames(total) => (frames, total.into()),
            Self::Next => (frames, 1),
            Self::Seconds(seconds) => (nanos(time), nanos(Duration::from_secs_f64(seconds))),
        };
        progress.set(done, total);
    }
}

fn open(pid: Pid) -> Result<Process, SourceError> {
    if nextscope_emulator::process::process_info(pid).is_none() {
        let what = format!("there is no process {pid}; `nextscope list` shows the emulators running now");
        return Err(SourceError::Unreachable(what));
    }
    Process::open(pid).map_err(|error| SourceError::Unreachable(error.to_string()))
}

impl Dump {
    /// A dump of this console's RAM, with `swapped` in the order in which some emulators store it. Without a console, the dump is
    /// identified by its game, else it is read by offsets. A save state is unpacked.
    pub fn open(
        bytes: Vec<u8>,
        console: Option<ConsoleId>,
        swapped: bool,
        profiles: &[Arc<Profile>],
    ) -> Result<Self, SourceError> {
        Self::open_with_state(bytes, console, swapped, profiles).map(|(dump, _)| dump)
    }

    /// The same, with the description of a save state.
    pub fn open_with_state(
        bytes: Vec<u8>,
        console: Option<ConsoleId>,
        swapped: bool,
        profiles: &[Arc<Profile>],
    ) -> Result<(Self, Option<SaveState>), SourceError> {
        let wrong = |what: String| SourceError::Invalid(what);
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
            (Some(_), _) if swapped => {
                Err(wrong("it is a save state, whose byte order is detected; leave out --swapped".into()))
            }
            (Some(found), _) => {
                let snapshot = found.snapshot.clone();
                Ok((Self::Console(snapshot), Some(SaveState { format: state.format(), found: Some(found) })))
            }
            (None, Some(domain)) => {
                let why = if state.formats.is_empty() {
                    "it contains no RAM of a known game"
                } else if can_locate(&profiles) {
                    "the save state contains no RAM of a known game"
                } else {
                    "RAM in a save state is located by an anchor at a fixed address, which no profile for it has; \
                     dump RAM in the emulator's debugger instead"
                };
                Err(wrong(format!(
                    "it has {len} bytes; a dump of {} has {}, and {why}",
                    domain.name, domain.len
                )))
            }
            (None, None) => {
                let format = (!state.formats.is_empty()).then(|| state.format());
                let state_found = format.map(|format| SaveState { format, found: None });
                Ok((Self::Bytes(Arc::unwrap_or_clone(state.bytes)), state_found))
            }
        }
    }
}

/// A save state that was opened as a dump.
#[derive(Debug, Clone)]
pub struct SaveState {
    /// Its formats, from the outside in.
    pub format: String,
    /// The RAM in it; None when no known game was found, so that the unpacked file is read by offsets.
    pub found: Option<StateRam>,
}

impl fmt::Display for SaveState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.found {
            Some(found) => write!(f, "{}: {found}", self.format),
            None => {
                write!(f, "{}: no known game found; addresses are offsets in the unpacked file", self.format)
            }
        }
    }
}

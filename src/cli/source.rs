//! Where `watch` and `verify` take their samples from, and what both of them need.

pub use super::stop::flag as stop_flag;

use super::{Failure, Global, files, output};
use crate::console::{ConsoleId, Snapshot, StorageOrder};
use crate::demo::DemoProcess;
use crate::emulator::save_state::{StateError, StateRam, locate, unpack};
use crate::emulator::{RamQuery, identify_ram, indistinguishable_profiles};
use crate::file::{DUMP_LIMIT, Overwrite};
use crate::game::GameId;
use crate::live::{Connection, Options, Order, Sampler, View, replay_profile};
use crate::process::{HostAddr, Launch, Pid, process_info};
use crate::profile::{Library, Origin, Profile, Watcher};
use crate::recording::{Recording, Sample, is_recording};
use crate::start::{LaunchEvent, LaunchedEmulator};
use clap::Args;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

#[derive(Debug, Default, Args)]
pub struct Source {
    /// Attach to this process
    #[arg(long, conflicts_with_all = ["paced", "dump"])]
    pub pid: Option<u32>,
    /// Start the embedded console and attach to it
    #[arg(long, group = "paced", conflicts_with = "dump")]
    pub demo: bool,
    /// Look at a recording instead of a process (`nextscope record` makes them)
    #[arg(long, value_name = "FILE", group = "paced", conflicts_with = "dump")]
    pub replay: Option<PathBuf>,
    /// Speed of the embedded console or of the recording, 1 is real time, 0 as fast as it goes
    #[arg(long, default_value_t = 1.0, requires = "paced")]
    pub speed: f64,
    /// Look at a dump of the console's whole RAM (2, 16 or 64 KiB, 1 or 4 MiB), or at a save state, instead of a process
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// The dump is a recording: look at this frame of it
    #[arg(long, value_name = "FRAME", requires = "dump")]
    pub frame: Option<u64>,
    /// Ticks per second at most; without it, as many as the game's speed needs
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// Save evidence of mismatches in this folder
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
    /// Stop after this many seconds
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Give up when no emulator with a known game is found for this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub wait: Option<f64>,
    /// Start this emulator and attach to it: a program may read what it started, also where reading is restricted
    #[arg(last = true, value_name = "EMULATOR", group = "launched", conflicts_with_all = ["pid", "paced", "dump"])]
    pub start: Vec<OsString>,
    /// Start the emulator that is remembered under this name (`nextscope start --list` shows them) and attach to it
    #[arg(long = "start", value_name = "NAME", group = "launched", conflicts_with_all = ["pid", "paced", "dump"])]
    pub remembered: Option<String>,
    /// Start it in a user namespace of its own: readable also where `ptrace_scope` is 2; sound or graphics may fail in it
    #[arg(long, requires = "launched")]
    pub in_namespace: bool,
    /// The folder in which it starts, when that is not ours.
    #[arg(skip)]
    pub folder: Option<PathBuf>,
}

/// How long a game is waited for in a process that was named, when --wait does not say.
const NAMED_PATIENCE: Duration = Duration::from_secs(5);

/// A running sampler and what must live as long as it.
pub struct Session {
    pub sampler: Sampler,
    pub stop: Arc<AtomicBool>,
    deadline: Option<Instant>,
    patience: Option<Duration>,
    waiting_since: Instant,
    pid: Option<Pid>,
    /// Whether the process was named by the user: one that cannot be read, or has no known game, is an error.
    named: bool,
    /// The profiles whenever they were edited, once they are followed.
    libraries: Option<(Watcher, Receiver<Arc<Library>>)>,
    _demo: Option<DemoProcess>,
    started: Option<LaunchedEmulator>,
}

pub fn profiles(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    Ok(library(global)?.profiles().to_vec())
}

/// The profiles, built-in and the user's; what is wrong with the user's is said on standard error.
pub fn library(global: &Global) -> anyhow::Result<Library> {
    if let Some(folder) = &global.profiles
        && !folder.is_dir()
    {
        let what = format!("{} is no folder; --profiles wants one with .toml files", folder.display());
        return Err(Failure::BadInput(what).into());
    }
    let library = Library::load(global.profiles.as_deref());
    let colored = std::io::stderr().is_terminal();
    for file in library.diagnostics() {
        output::say_styled(file.render(colored));
    }
    Ok(library)
}

/// What the command line says of the RAM in an emulator: where it begins, and how it is stored.
pub fn ram_asked(
    console: ConsoleId,
    at: Option<&str>,
    swapped: bool,
    unswapped: bool,
) -> Result<RamQuery, Failure> {
    let base = at.map(|text| hex_address(text).map(HostAddr));
    let orders = console.domain().orders;
    let order = match (swapped, unswapped) {
        (true, _) => {
            let swapped = orders.iter().find(|order| **order != StorageOrder::AsOnBus).copied();
            let none = || Failure::BadInput(format!("no emulator swaps the bytes of the {}", console.name()));
            Some(swapped.ok_or_else(none)?)
        }
        (_, true) => Some(StorageOrder::AsOnBus),
        _ => None,
    };
    Ok(RamQuery { console, base: base.transpose()?, order })
}

/// An address with 0x in front.
pub fn hex_address(text: &str) -> Result<u64, Failure> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| Failure::BadInput(format!("{text:?} is no address: it takes 0x and hex digits")))
}

pub fn no_process(pid: u32) -> Failure {
    // Without file descriptors the system seems to have no processes at all.
    if let Err(failure) = can_list() {
        return failure;
    }
    Failure::Unreachable(format!(
        "there is no process {pid}; `nextscope list` shows the emulators running now"
    ))
}

/// Whether the system's processes can be listed; why not, otherwise.
pub fn can_list() -> Result<(), Failure> {
    crate::process::can_list().map_err(|error| {
        Failure::Unreachable(format!("processes cannot be listed: {error}"))
            .with_hint("close programs, or raise the limit of open files: ulimit -n 1024")
    })
}

impl Session {
    pub fn start(global: &Global, source: &Source, patience: Option<Duration>) -> anyhow::Result<Self> {
        Self::start_recording(global, source, patience, None)
    }

    /// The same, and what is sampled goes into a file.
    pub fn start_recording(
        global: &Global,
        source: &Source,
        patience: Option<Duration>,
        record: Option<(PathBuf, Overwrite)>,
    ) -> anyhow::Result<Self> {
        // All arguments are checked before anything is started.
        let profiles = profiles(global)?;
        if source.rate.is_some_and(|rate| !(1.0..=100_000.0).contains(&rate)) {
            return Err(Failure::BadInput("--rate must be 1 to 100000 ticks per second".into()).into());
        }
        let (length, wait) = (seconds("--seconds", source.seconds)?, seconds("--wait", source.wait)?);
        let replay = source.replay.as_deref().map(recording).transpose()?;
        if let Some(pid) = source.pid.filter(|pid| process_info(Pid(*pid)).is_none()) {
            return Err(no_process(pid).into());
        }
        if replay.is_none() {
            can_list()?;
        }
        let launch = source.launch()?;
        let stop = stop_flag();
        let demo = source.demo.then(|| super::demo::spawn(source.speed)).transpose()?;
        let mut started = launch.map(|launch| super::start::begin(&launch)).transpose()?;
        let theirs = started.as_ref().map(LaunchedEmulator::pid);
        let pid = demo.as_ref().map(DemoProcess::pid).or(theirs).or(source.pid.map(Pid));
        let evidence = source.evidence.clone();
        let (record, overwrite) = record.unzip();
        let overwrite = overwrite.unwrap_or_default();
        let options = Options { pid, rate_hz: source.rate, profiles, evidence, record, overwrite, replay };
        let sampler = Sampler::start(options)?;
        if let Some(started) = &mut started {
            started.detach();
        }
        let now = Instant::now();
        Ok(Self {
            sampler,
            stop,
            // One that is too late for the clock never comes.
            deadline: length.and_then(|length| now.checked_add(length)),
            patience: wait.or(patience).or(source.pid.map(|_| NAMED_PATIENCE)),
            waiting_since: now,
            pid,
            named: source.pid.is_some(),
            libraries: None,
            _demo: demo,
            started,
        })
    }

    /// What is waited for while nothing is attached, in a sentence.
    pub fn waiting_for(&self, view: &View) -> String {
        match self.pid {
            Some(pid) if self.named => unreached_process(view, pid)
                .map_or_else(|| format!("Looking for a known game in process {pid} ..."), |(_, why)| why),
            Some(_) if self.started.is_none() => "Starting the embedded console ...".to_owned(),
            Some(_) => "Waiting for the emulator to run a known game ...".to_owned(),
            None => WAITING_FOR_ANY.to_owned(),
        }
    }

    /// From now on profiles that are edited meanwhile are taken up.
    pub fn follow_profiles(&mut self, global: &Global) {
        let (send, receive) = channel();
        let library = Library::load(global.profiles.as_deref());
        let deliver = move |library| {
            let _ = send.send(library); // the session is over
        };
        match Watcher::start(library, deliver) {
            Ok(watcher) => self.libraries = Some((watcher, receive)),
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// Whether to stop: asked to, or the time is over.
    pub fn over(&self) -> bool {
        if let Some((_, libraries)) = &self.libraries
            && let Some(library) = libraries.try_iter().last()
        {
            library.diagnostics().iter().for_each(|file| tracing::warn!("{}", file.render(false)));
            self.sampler.order(Order::Profiles(library.profiles().to_vec()));
        }
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Attaches to whichever process the emulator turns out to be. When it has ended, so does the session; with an error when nothing was
    /// ever reached.
    fn follow_started(&mut self, view: &View) -> Result<(), Failure> {
        let Some(started) = &mut self.started else { return Ok(()) };
        let Some(news) = started.poll() else { return Ok(()) };
        match news {
            LaunchEvent::Runs(pid) if self.pid == Some(pid) => {}
            LaunchEvent::Runs(pid) => {
                self.pid = Some(pid);
                self.sampler.order(Order::Attach(pid));
            }
            LaunchEvent::Ended { .. } => {
                let said = news.describe(started.program());
                if view.totals.attachments == 0 {
                    return Err(Failure::Unreachable(said));
                }
                tracing::info!("{said}");
                self.stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Ends with an error when nothing could be reached for longer than one is ready to wait.
    pub fn still_patient(&mut self, view: &View) -> Result<(), Failure> {
        self.follow_started(view)?;
        if matches!(view.connection, Connection::Live | Connection::Paused { .. }) {
            self.waiting_since = Instant::now();
            return Ok(());
        }
        let waited = self.waiting_since.elapsed();
        if let Some(pid) = self.pid
            && self.started.is_none()
            && process_info(pid).is_none()
            && view.target.is_none()
        {
            return Err(no_process(pid.0));
        }
        let named = self.pid.filter(|_| self.named && view.totals.attachments == 0);
        let process = named.and_then(|pid| unreached_process(view, pid));
        if let Some((true, why)) = process {
            return Err(Failure::Unreachable(why)); // it will not be readable later either
        }
        if self.patience.is_none_or(|patience| waited < patience) {
            return Ok(());
        }
        Err(Failure::Unreachable(process.map_or_else(|| unreached(view), |(_, why)| why)))
    }
}

/// What is waited for while no emulator is known.
pub const WAITING_FOR_ANY: &str =
    "Start an emulator with the game; it is attached automatically. Or try: nextscope demo";

/// A number of seconds from the command line.
fn seconds(option: &str, value: Option<f64>) -> Result<Option<Duration>, Failure> {
    let wrong = |_| Failure::BadInput(format!("{option} must be a number of seconds from 0 on"));
    value.map(Duration::try_from_secs_f64).transpose().map_err(wrong)
}

/// Why a process is not attached to, and whether that will stay so; None while nothing is known of it.
fn unreached_process(view: &View, pid: Pid) -> Option<(bool, String)> {
    use crate::live::RowState;
    let row = view.emulators.iter().find(|row| row.pid == pid)?;
    let name = output::plain(if row.identity.known { &row.identity.name } else { &row.program });
    let why = "`nextscope list --why --pid` tells what was tried";
    match &row.state {
        RowState::Refused(text) => Some((true, text.clone())),
        RowState::NoGame => Some((
            false,
            format!(
                "no known game runs in process {pid} ({name}); `nextscope profile list` shows those that are known"
            ),
        )),
        RowState::NotFound(_) => Some((
            false,
            format!("no console's RAM with a known game was found in process {pid} ({name}); {why} {pid}"),
        )),
        RowState::New | RowState::Attached | RowState::Candidate => None,
    }
}

impl Source {
    /// The emulator that is to be started, when one is.
    fn launch(&self) -> Result<Option<Launch>, Failure> {
        if let Some(name) = &self.remembered {
            return super::start::recall(name, self.in_namespace).map(Some);
        }
        Ok((!self.start.is_empty()).then(|| Launch {
            command: self.start.clone(),
            folder: self.folder.clone(),
            in_namespace: self.in_namespace,
        }))
    }
}

/// Why nothing was reached, for people.
fn unreached(view: &View) -> String {
    use crate::live::RowState;
    if matches!(view.connection, Connection::Choosing) {
        let pids: Vec<String> = view
            .emulators
            .iter()
            .filter(|row| matches!(row.state, RowState::Candidate))
            .map(|row| format!("--pid {} ({})", row.pid, output::plain(&row.identity.name)))
            .collect();
        return format!("several emulators run a known game; choose one: {}", pids.join(", "));
    }
    if let Connection::Lost { why, .. } = &view.connection {
        return format!("the connection was lost and did not come back: {why}");
    }
    let refused = view.emulators.iter().find_map(|row| match &row.state {
        RowState::Refused(text) if row.identity.known => Some(text.clone()),
        _ => None,
    });
    refused.unwrap_or_else(|| {
        match view.emulators.iter().filter(|row| row.identity.known).count() {
            0 => "no emulator is running; start one with a game, or try `nextscope demo`".to_owned(),
            1 => "no known game runs in the emulator that is running; `nextscope list --why` tells what was tried"
                .to_owned(),
            seen => format!(
                "no known game runs in any of the {seen} emulators running; `nextscope list --why` tells what was tried"
            ),
        }
    })
}

/// The profiles that `--profiles` names; none without it. They take the place of those in a recording.
pub fn given_profiles(global: &Global) -> anyhow::Result<Vec<Arc<Profile>>> {
    if global.profiles.is_none() {
        return Ok(Vec::new());
    }
    let library = library(global)?;
    let given = library.profiles().iter().filter(|profile| matches!(profile.origin, Origin::File(_)));
    Ok(given.cloned().collect())
}

/// A recording. What of it cannot be read is said on standard error.
pub fn recording(path: &Path) -> anyhow::Result<Arc<Recording>> {
    let opened = Recording::open(path);
    let recording = opened.map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))?;
    for damage in recording.damage() {
        output::warning(format_args!("{}: {damage}", path.display()));
    }
    Ok(Arc::new(recording))
}

/// What there is to say when a recording cannot be judged.
pub fn no_replay(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::BadInput(format!("{}: {error}", path.display()))
}

/// A frame in a recording, the first when none is named: the number of its sample, and the sample.
pub fn sample(path: &Path, recording: &Recording, frame: Option<u64>) -> Result<(u64, Sample), Failure> {
    let index = frame.map_or(Some(0), |frame| recording.index_of_frame(frame));
    let sample = index.and_then(|index| Some((index, recording.sample(index).ok()?)));
    let sample = sample.filter(|(_, sample)| frame.is_none_or(|frame| sample.frame == frame));
    let Some((index, sample)) = sample else {
        let frame = frame.map_or_else(|| "any frame".to_owned(), |frame| format!("frame {frame}"));
        let what = format!("{frame} is not in it; `nextscope replay` tells what is");
        return Err(no_replay(path, what));
    };
    Ok((index, sample))
}

/// Refuses RAM of another game than the one that is asked for.
pub fn is_game(path: &Path, profile: &Profile, game: GameId) -> Result<(), Failure> {
    if profile.game == game {
        return Ok(());
    }
    let (path, name, asked) = (path.display(), &profile.name, game.id());
    Err(Failure::BadInput(format!(
        "{path}: this is RAM of {name} ({}), not of {asked}; `nextscope watch --dump` tells what is known of it",
        profile.game.id()
    )))
}

/// What there is to say when a file with a frame has none.
pub fn no_frames(path: &Path) -> Failure {
    let what = format!("{} is no recording, so that it has no frames: leave --frame out", path.display());
    Failure::BadInput(what)
}

/// The RAM of a frame in a recording, the first when none is named, and the profile through which it is read.
fn moment(global: &Global, path: &Path, frame: Option<u64>) -> anyhow::Result<(Snapshot, Arc<Profile>)> {
    let recording = recording(path)?;
    let (index, sample) = sample(path, &recording, frame)?;
    let profile = replay_profile(&recording, recording.section_of(index), &given_profiles(global)?);
    Ok((sample.snapshot, profile.map_err(|error| no_replay(path, error))?))
}

/// What is uncertain about the RAM in a save state, on standard error.
pub fn tell_caution(path: &Path, caution: Option<&str>) {
    if let Some(caution) = caution {
        output::warning(format_args!("{}: {caution}", path.display()));
    }
}

/// The game whose RAM that of a dump is, in words; several when its content does not tell them apart.
pub fn possible_games(
    global: &Global,
    path: &Path,
    snapshot: &Snapshot,
    profile: &Arc<Profile>,
) -> anyhow::Result<String> {
    let mut names = vec![profile.name.clone()];
    if !is_recording(path) {
        let others = indistinguishable_profiles(snapshot, profile, library(global)?.profiles());
        names.extend(others.iter().map(|other| other.name.clone()));
    }
    Ok(names.join(" or "))
}

/// A RAM dump, the RAM in a save state, or that of a frame in a recording, and the profile whose anchors stand in it.
pub fn dump(
    global: &Global,
    path: &Path,
    frame: Option<u64>,
) -> anyhow::Result<Option<(Snapshot, Arc<Profile>)>> {
    if is_recording(path) {
        return moment(global, path, frame).map(Some);
    }
    if frame.is_some() {
        return Err(no_frames(path).into());
    }
    let library = library(global)?;
    let profiles = library.profiles();
    let bytes = files::read(path, DUMP_LIMIT)?;
    if let Some(known) = identify_ram(&bytes, profiles) {
        return Ok(Some(known));
    }
    let size = bytes.len();
    let wrong = |error: StateError| Failure::BadInput(format!("{}: {error}", path.display()));
    let state = unpack(bytes).map_err(wrong)?;
    let found = locate(&state, profiles).map_err(wrong)?;
    if let Some(StateRam { snapshot, profile: Some(profile), caution, .. }) = found {
        tell_caution(path, caution);
        return Ok(Some((snapshot, profile)));
    }
    let is_dump = |profile: &Arc<Profile>| profile.console.domain().len as usize == size;
    if !state.formats.is_empty() || profiles.iter().any(is_dump) {
        return Ok(None);
    }
    let mut known: Vec<String> = profiles
        .iter()
        .map(|profile| profile.console.domain())
        .map(|domain| format!("of {} has {}", domain.name, domain.len))
        .collect();
    known.sort();
    known.dedup();
    let what = format!(
        "{} has {size} bytes; a dump {}. It is no save state either in which RAM of a known game stands",
        path.display(),
        known.join(", one ")
    );
    Err(Failure::BadInput(what).into())
}

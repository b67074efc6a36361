//! A running sampler: what `watch`, `verify`, `record`, `serve` and `route` attach to, and for how long.

use super::arguments::{Global, parse_address, parse_seconds};
use super::exit::{Failure, bail_input};
use super::{interrupt, launch, library, ram_file};
use crate::console::{ConsoleId, StorageOrder};
use crate::demo::DemoProcess;
use crate::emulator::RamQuery;
use crate::file::Overwrite;
use crate::live::{Connection, Options, RowState, Sampler, SamplerCommand, View};
use crate::process::{HostAddr, Launch, Pid, process_info};
use crate::profile::{Library, Watcher};
use crate::start::{LaunchEvent, LaunchedEmulator};
use crate::text::sanitize_line;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
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
    /// Read a recording instead of a process (`nextscope record` creates them)
    #[arg(long, value_name = "FILE", group = "paced", conflicts_with = "dump")]
    pub replay: Option<PathBuf>,
    /// Speed of the embedded console or of the recording: 1 is real time, 0 as fast as possible
    #[arg(long, default_value_t = 1.0, requires = "paced")]
    pub speed: f64,
    /// Read a dump of the console's full RAM (2, 16 or 64 KiB, 1 or 4 MiB) or a save state instead of a process
    #[arg(long, value_name = "FILE")]
    pub dump: Option<PathBuf>,
    /// Frame to read, if the dump is a recording [default: the first]
    #[arg(long, value_name = "FRAME", requires = "dump")]
    pub frame: Option<u64>,
    /// Maximum samples per second [default: as many as the game needs]
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub rate: Option<f64>,
    /// Save evidence of mismatches in this folder
    #[arg(long, value_name = "DIR")]
    pub evidence: Option<PathBuf>,
    /// Stop after this many seconds; `record` counts them from when it attaches
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Exit with an error if no emulator with a known game is found for this many seconds
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub wait: Option<f64>,
    /// Start this emulator and attach to it: Nextscope may read what it started, even if ptrace is restricted
    #[arg(last = true, value_name = "EMULATOR", group = "launched", conflicts_with_all = ["pid", "paced", "dump"])]
    pub start: Vec<OsString>,
    /// Start the emulator saved under this name (`nextscope start --list` shows them) and attach to it
    #[arg(long = "start", value_name = "NAME", group = "launched", conflicts_with_all = ["pid", "paced", "dump"])]
    pub saved: Option<String>,
    /// Start it in its own user namespace: readable even if `ptrace_scope` is 2, but sound or graphics may fail
    #[arg(long, requires = "launched")]
    pub in_namespace: bool,
    /// The working folder of the emulator, if it is not the current one.
    #[arg(skip)]
    pub folder: Option<PathBuf>,
}

/// Default of --wait for a process given by --pid.
const PID_TIMEOUT: Duration = Duration::from_secs(5);

/// A running sampler, and what must live as long as it does.
pub struct Session {
    pub sampler: Sampler,
    pub interrupted: Arc<AtomicBool>,
    /// The length that --seconds gives.
    length: Option<Duration>,
    deadline: Option<Instant>,
    timeout: Option<Duration>,
    waiting_since: Instant,
    pid: Option<Pid>,
    /// Whether the pid is from the command line: an unreadable process, or one without a known game, is then an error.
    pid_given: bool,
    /// Profiles that the user edited meanwhile.
    libraries: Option<(Watcher, Receiver<Arc<Library>>)>,
    _demo: Option<DemoProcess>,
    started: Option<LaunchedEmulator>,
}

/// Where the RAM starts in an emulator, and how it is stored, as far as the command line says so.
pub fn ram_query(
    console: ConsoleId,
    at: Option<&str>,
    swapped: bool,
    unswapped: bool,
) -> Result<RamQuery, Failure> {
    let base = at.map(|text| parse_address(text).map(HostAddr));
    let orders = console.domain().orders;
    let order = match (swapped, unswapped) {
        (true, _) => {
            let swapped = orders.iter().find(|order| **order != StorageOrder::AsOnBus).copied();
            let none = || {
                Failure::BadInput(format!("--swapped: no emulator swaps the bytes of the {}", console.name()))
            };
            Some(swapped.ok_or_else(none)?)
        }
        (_, true) => Some(StorageOrder::AsOnBus),
        _ => None,
    };
    Ok(RamQuery { console, base: base.transpose()?, order })
}

pub fn no_process(pid: u32) -> Failure {
    // Without free file descriptors the list of processes is empty.
    if let Err(failure) = require_process_list() {
        return failure;
    }
    Failure::Unreachable(format!("no process {pid}; run `nextscope list` for the running emulators"))
}

pub fn require_process_list() -> Result<(), Failure> {
    crate::process::can_list().map_err(|error| {
        Failure::Unreachable(format!("cannot list processes: {error}"))
            .with_hint("close programs, or raise the limit of open files: ulimit -n 1024")
    })
}

impl Session {
    pub fn start(global: &Global, source: &Source, timeout: Option<Duration>) -> anyhow::Result<Self> {
        let mut session = Self::start_recording(global, source, timeout, None)?;
        session.start_clock();
        Ok(session)
    }

    /// Starts a session that records the samples to a file. A recording is as long as --seconds says, however long attaching takes:
    /// [`Self::start_clock`] starts the time limit.
    pub fn start_recording(
        global: &Global,
        source: &Source,
        timeout: Option<Duration>,
        record: Option<(PathBuf, Overwrite)>,
    ) -> anyhow::Result<Self> {
        // All arguments are checked before anything is started.
        let profiles = library::profiles(global)?;
        if source.rate.is_some_and(|rate| !(1.0..=100_000.0).contains(&rate)) {
            bail_input!("--rate must be 1 to 100000 samples per second");
        }
        let seconds =
            |option, value: Option<f64>| value.map(|value| parse_seconds(option, value)).transpose();
        let (length, wait) = (seconds("--seconds", source.seconds)?, seconds("--wait", source.wait)?);
        let replay = source.replay.as_deref().map(ram_file::recording).transpose()?;
        if let Some(pid) = source.pid.filter(|pid| process_info(Pid(*pid)).is_none()) {
            return Err(no_process(pid).into());
        }
        if replay.is_none() {
            require_process_list()?;
        }
        let launch = source.launch()?;
        let interrupted = interrupt::flag();
        let demo = source.demo.then(|| launch::demo(source.speed)).transpose()?;
        let mut started = launch.map(|launch| launch::emulator(&launch)).transpose()?;
        let launched = started.as_ref().map(LaunchedEmulator::pid);
        let pid = demo.as_ref().map(DemoProcess::pid).or(launched).or(source.pid.map(Pid));
        let evidence = source.evidence.clone();
        let (record, overwrite) = record.unzip();
        let overwrite = overwrite.unwrap_or_default();
        let options = Options { pid, rate_hz: source.rate, profiles, evidence, record, overwrite, replay };
        let sampler = Sampler::start(options)?;
        if let Some(started) = &mut started {
            started.detach();
        }
        Ok(Self {
            sampler,
            interrupted,
            length,
            deadline: None,
            timeout: wait.or(timeout).or(source.pid.map(|_| PID_TIMEOUT)),
            waiting_since: Instant::now(),
            pid,
            pid_given: source.pid.is_some(),
            libraries: None,
            _demo: demo,
            started,
        })
    }

    /// Starts the time limit of --seconds.
    pub fn start_clock(&mut self) {
        // A deadline beyond the range of the clock is never reached.
        self.deadline = self.length.and_then(|length| Instant::now().checked_add(length));
    }

    /// What to print while nothing is attached.
    pub fn waiting_for(&self, view: &View) -> String {
        match self.pid {
            Some(pid) if self.pid_given => unreached_process(view, pid)
                .map_or_else(|| format!("Searching process {pid} for a known game ..."), |(_, why)| why),
            Some(_) if self.started.is_none() => "Starting the embedded console ...".to_owned(),
            Some(_) => "Waiting for the emulator to run a known game ...".to_owned(),
            None => WAITING_FOR_ANY.to_owned(),
        }
    }

    /// Applies profiles that the user edits while the session runs.
    pub fn watch_profiles(&mut self, global: &Global) {
        let (send, receive) = channel();
        let library = Library::load(global.profiles.as_deref());
        let deliver = move |library| {
            let _ = send.send(library); // fails after the session has ended
        };
        match Watcher::start(library, deliver) {
            Ok(watcher) => self.libraries = Some((watcher, receive)),
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// Whether the session was interrupted or has reached its time limit.
    pub fn is_over(&self) -> bool {
        if let Some((_, libraries)) = &self.libraries
            && let Some(library) = libraries.try_iter().last()
        {
            library.diagnostics().iter().for_each(|file| tracing::warn!("{}", file.render(false)));
            self.sampler.send(SamplerCommand::Profiles(library.profiles().to_vec()));
        }
        self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Follows the emulator that was started: attaches to its process, and ends the session when it ends. That is an error if it was
    /// never attached.
    fn follow_started(&mut self, view: &View) -> Result<(), Failure> {
        let Some(started) = &mut self.started else { return Ok(()) };
        let Some(news) = started.poll() else { return Ok(()) };
        match news {
            LaunchEvent::Runs(pid) if self.pid == Some(pid) => {}
            LaunchEvent::Runs(pid) => {
                self.pid = Some(pid);
                self.sampler.send(SamplerCommand::Attach(pid));
            }
            LaunchEvent::Ended { .. } => {
                let message = news.describe(started.program());
                if view.totals.attachments == 0 {
                    return Err(Failure::Unreachable(message));
                }
                tracing::info!("{message}");
                self.interrupted.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Fails if nothing was attached for longer than the timeout.
    pub fn check_timeout(&mut self, view: &View) -> Result<(), Failure> {
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
        let given = self.pid.filter(|_| self.pid_given && view.totals.attachments == 0);
        let process = given.and_then(|pid| unreached_process(view, pid));
        if let Some((true, why)) = process {
            return Err(Failure::Unreachable(why)); // waiting does not make it readable
        }
        if self.timeout.is_none_or(|timeout| waited < timeout) {
            return Ok(());
        }
        Err(Failure::Unreachable(process.map_or_else(|| unreached(view), |(_, why)| why)))
    }
}

pub const WAITING_FOR_ANY: &str =
    "Start an emulator with the game: Nextscope attaches automatically. Or try: nextscope demo";

/// Why a process is not attached, and whether that is final; None before it was scanned.
fn unreached_process(view: &View, pid: Pid) -> Option<(bool, String)> {
    let row = view.emulators.iter().find(|row| row.pid == pid)?;
    let name = sanitize_line(if row.identity.known { &row.identity.name } else { &row.program });
    let why = format!("run `nextscope list --why --pid {pid}` for details");
    match &row.state {
        RowState::Refused(text) => Some((true, text.clone())),
        RowState::NoGame => Some((
            false,
            format!(
                "no known game in process {pid} ({name}); run `nextscope profile list` for the known ones"
            ),
        )),
        RowState::NotFound(_) => {
            Some((false, format!("no console RAM with a known game found in process {pid} ({name}); {why}")))
        }
        RowState::New | RowState::Attached | RowState::Candidate => None,
    }
}

impl Source {
    fn launch(&self) -> Result<Option<Launch>, Failure> {
        if let Some(name) = &self.saved {
            return launch::saved_command(name, self.in_namespace).map(Some);
        }
        Ok((!self.start.is_empty()).then(|| Launch {
            command: self.start.clone(),
            folder: self.folder.clone(),
            in_namespace: self.in_namespace,
        }))
    }
}

/// Why nothing is attached.
fn unreached(view: &View) -> String {
    if matches!(view.connection, Connection::Choosing) {
        let pids: Vec<String> = view
            .emulators
            .iter()
            .filter(|row| matches!(row.state, RowState::Candidate))
            .map(|row| format!("--pid {} ({})", row.pid, sanitize_line(&row.identity.name)))
            .collect();
        return format!("several emulators are running a known game; choose one: {}", pids.join(", "));
    }
    if let Connection::Lost { why, .. } = &view.connection {
        return format!("connection lost: {why}");
    }
    let refused = view.emulators.iter().find_map(|row| match &row.state {
        RowState::Refused(text) if row.identity.known => Some(text.clone()),
        _ => None,
    });
    refused.unwrap_or_else(|| match view.emulators.iter().filter(|row| row.identity.known).count() {
        0 => "no emulator is running; start one with a game, or try `nextscope demo`".to_owned(),
        1 => "no known game found in the running emulator; run `nextscope list --why` for details".to_owned(),
        running => format!(
            "no known game found in the {running} running emulators; run `nextscope list --why` for details"
        ),
    })
}

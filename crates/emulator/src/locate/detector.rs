//! The search from a process number to a report, with a cache of earlier searches.

use super::identify::{by_names, executable};
use super::liveness::Candidate;
use super::module_image::{ModuleImage, modules};
use super::retroarch_net::{Network, owns_port, port};
use super::scan::Budget;
use super::search::{Search, SearchContext, SearchOutcome, match_at_zero};
use super::{
    DetectedGame, DetectionAttempt, DetectionEvidence, DetectionMethod, DetectionOutcome, DetectionReport,
    EmulatorInfo, RamLocation, names,
};
use crate::process::{HostAddr, Memory, Pid, Process, ProcessInfo, ReadError, Region, process_info};
use nextscope_games::profile::Profile;
use nextscope_memory::console::StorageOrder;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long RAM is watched through the network, where each sample takes a frame.
const NETWORK_WATCH_TIME: Duration = Duration::from_millis(400);
/// After a content search that found nothing, the next one waits this many times as long as the search took, and twice as many after each further
/// one: the game may have been about to start.
const FIRST_PAUSE_FACTOR: u32 = 2;
/// The most that a search waits for, in times of the last one.
const LAST_PAUSE_FACTOR: u32 = 10;
/// A search without result is forgotten so long after the next one may begin.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(10);
/// The most locations remembered for one build.
const MAX_LOCATIONS_PER_BUILD: usize = 4;
/// The most builds and processes remembered.
const MAX_REMEMBERED: usize = 256;

/// Detects games, and remembers the locations found for each build and the processes searched without result.
#[derive(Debug, Default)]
pub struct Detector {
    locations: HashMap<String, Vec<RelativeLocation>>,
    /// The processes, by number and start time, whose content was searched without result.
    searched: HashMap<(Pid, u64), Searched>,
    without: Vec<DetectionMethod>,
}

/// What follows from a content search without result.
#[derive(Clone, Copy, Debug)]
struct Searched {
    /// When the next one may begin.
    again_at: Instant,
    /// What it may cost.
    budget: Budget,
    /// The times of the last one for which it waits.
    pause_factor: u32,
}

/// A location relative to the named mapping before it: the heap, or a module and the data that follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RelativeLocation {
    mapping: String,
    offset: u64,
    order: StorageOrder,
    len: u32,
}

/// One search without a cache.
pub fn detect(pid: Pid, profiles: &[Arc<Profile>]) -> DetectionReport {
    Detector::default().detect(pid, profiles)
}

struct ReportBuilder {
    pid: Pid,
    started: Instant,
    identity: EmulatorInfo,
    attempts: Vec<DetectionAttempt>,
}

impl ReportBuilder {
    /// Opens the process, or returns the report that it cannot be opened.
    fn open(pid: Pid) -> Result<(Self, Arc<Process>, ProcessInfo), Box<DetectionReport>> {
        let builder =
            Self { pid, started: Instant::now(), identity: EmulatorInfo::default(), attempts: Vec::new() };
        let process = match Process::open(pid) {
            Ok(process) => Arc::new(process),
            Err(error) => return Err(Box::new(builder.finish(DetectionOutcome::Unreadable(error)))),
        };
        match process_info(pid) {
            Some(info) => Ok((builder, process, info)),
            None => Err(Box::new(builder.finish(DetectionOutcome::Unreadable(ReadError::Gone { pid })))),
        }
    }

    fn finish(self, outcome: DetectionOutcome) -> DetectionReport {
        let Self { pid, started, identity, attempts } = self;
        DetectionReport { pid, identity, attempts, outcome, elapsed: started.elapsed() }
    }

    fn finish_search(self, outcome: SearchOutcome, process: &Arc<Process>) -> DetectionReport {
        let game = |candidate: Candidate, change: Option<String>| DetectedGame {
            process: Arc::clone(process),
            identity: self.identity.clone(),
            ram: candidate.ram,
            profile: candidate.profile,
            method: candidate.method,
            evidence: DetectionEvidence {
                anchors: candidate.anchors,
                liveness: change.unwrap_or_else(|| "nothing changes: the emulator is paused".into()),
            },
        };
        let outcome = match outcome {
            SearchOutcome::Found(candidate, change) => {
                DetectionOutcome::Found(Box::new(game(candidate, Some(change))))
            }
            SearchOutcome::Paused(candidate) => DetectionOutcome::Paused(Box::new(game(candidate, None))),
            SearchOutcome::Ambiguous(candidates) => DetectionOutcome::Ambiguous(
                candidates.into_iter().map(|(candidate, change)| game(candidate, change)).collect(),
            ),
            SearchOutcome::Nothing if self.identity.known => DetectionOutcome::NoGame,
            SearchOutcome::Nothing => DetectionOutcome::NotFound,
            SearchOutcome::Failed(error) => DetectionOutcome::Unreadable(error),
        };
        self.finish(outcome)
    }
}

impl Detector {
    /// A detector that leaves some methods out, to test the others.
    pub fn without(methods: impl IntoIterator<Item = DetectionMethod>) -> Self {
        Self { without: methods.into_iter().collect(), ..Self::default() }
    }

    /// Locates the console RAM of a process.
    pub fn detect(&mut self, pid: Pid, profiles: &[Arc<Profile>]) -> DetectionReport {
        let (mut builder, process, info) = match ReportBuilder::open(pid) {
            Ok(opened) => opened,
            Err(report) => return *report,
        };
        builder.identity = by_names(&info, &[]);
        let regions = match process.regions() {
            Ok(regions) => regions,
            Err(error) => return Self::unreadable(builder, &process, &info, profiles, error),
        };
        let modules = modules(&regions);
        builder.identity = by_names(&info, &modules);
        if let Err(error) = check_readable(&process, &regions) {
            return Self::unreadable(builder, &process, &info, profiles, error);
        }
        let executable = executable(&info, &regions, &modules);
        let image = executable.and_then(|module| ModuleImage::read(&*process, module.start).ok());
        builder.identity.build_id = image.and_then(|image| image.build_id(&*process));
        let build = build_key(&builder.identity, &info);

        let now = Instant::now();
        self.searched.retain(|_, searched| searched.again_at + FORGOTTEN_AFTER > now);
        let searched = self.searched.get(&(pid, info.started)).copied();
        let wait = searched.and_then(|searched| searched.again_at.checked_duration_since(now));
        let usual = if builder.identity.known { Budget::KNOWN } else { Budget::UNKNOWN };
        let budget = searched.map_or(usual, |searched| searched.budget);
        let mut search = Search::new(SearchContext {
            space: Arc::clone(&process) as _,
            regions: &regions,
            modules: &modules,
            executable,
            profiles,
            budget,
            remembered: self.remembered(&build, &regions),
            skip_content: wait.map(|wait| {
                format!(
                    "all memory was searched a moment ago without result; next search in {} ms",
                    wait.as_millis()
                )
            }),
            without: &self.without,
        });
        let outcome = search.run();
        builder.attempts = std::mem::take(&mut search.attempts);
        match &outcome {
            SearchOutcome::Found(candidate, _) => {
                self.searched.remove(&(pid, info.started));
                self.remember(build, candidate, &regions);
            }
            SearchOutcome::Nothing if search.searched_content => {
                if self.searched.len() >= MAX_REMEMBERED {
                    self.searched.clear();
                }
                let pause_factor = searched
                    .map_or(FIRST_PAUSE_FACTOR, |last| (2 * last.pause_factor).min(LAST_PAUSE_FACTOR));
                let again_at = Instant::now() + builder.started.elapsed() * pause_factor;
                let budget = if search.timed_out { budget.longer() } else { budget };
                self.searched.insert((pid, info.started), Searched { again_at, budget, pause_factor });
            }
            _ => {}
        }
        builder.finish_search(outcome, &process)
    }

    /// Locates the console RAM of a RetroArch through its network commands, even if the process itself is readable.
    pub fn detect_by_network(&mut self, pid: Pid, profiles: &[Arc<Profile>]) -> DetectionReport {
        let (mut builder, process, info) = match ReportBuilder::open(pid) {
            Ok(opened) => opened,
            Err(report) => return *report,
        };
        builder.identity = super::identify(&info, &process);
        let outcome = search_network(&mut builder, &info, profiles);
        builder.finish_search(outcome, &process)
    }

    /// If the process may not be read, a RetroArch can still be queried over the network.
    fn unreadable(
        mut builder: ReportBuilder,
        process: &Arc<Process>,
        info: &ProcessInfo,
        profiles: &[Arc<Profile>],
        error: ReadError,
    ) -> DetectionReport {
        let retroarch = builder.identity.name == names::RETROARCH;
        if !retroarch || !matches!(error, ReadError::Refused(_)) {
            return builder.finish(DetectionOutcome::Unreadable(error));
        }
        match search_network(&mut builder, info, profiles) {
            SearchOutcome::Nothing | SearchOutcome::Failed(_) => {
                builder.finish(DetectionOutcome::Unreadable(error))
            }
            outcome => builder.finish_search(outcome, process),
        }
    }

    fn remembered(&self, build: &str, regions: &[Region]) -> Vec<RamLocation> {
        let locations = self.locations.get(build).map_or(&[][..], Vec::as_slice);
        let absolute = |relative: &RelativeLocation| {
            let mapping =
                regions.iter().find(|region| name_of(region).as_deref() == Some(&relative.mapping))?;
            Some(RamLocation {
                base: mapping.start.offset(relative.offset),
                order: Some(relative.order),
                len: Some(relative.len),
            })
        };
        locations.iter().filter_map(absolute).collect()
    }

    fn remember(&mut self, build: String, candidate: &Candidate, regions: &[Region]) {
        // The faster methods need no cache.
        let slow = matches!(candidate.method, DetectionMethod::MallocChunk | DetectionMethod::ContentAnchor);
        if !slow || build.is_empty() {
            return;
        }
        let base = candidate.ram.base;
        let before = regions.iter().rev().filter(|region| region.start <= base).find_map(name_of);
        let Some(mapping) = before else { return };
        let first = regions.iter().find(|region| name_of(region).as_deref() == Some(mapping.as_str()));
        let Some(first) = first else { return };
        let offset = base.0 - first.start.0;
        let (order, len) = (candidate.ram.order, candidate.ram.domain.len);
        let relative = RelativeLocation { mapping, offset, order, len };
        if self.locations.len() >= MAX_REMEMBERED {
            self.locations.clear();
        }
        let locations = self.locations.entry(build).or_default();
        locations.retain(|known| *known != relative);
        locations.insert(0, relative);
        locations.truncate(MAX_LOCATIONS_PER_BUILD);
    }
}

/// Searches the core RAM of a RetroArch through its network commands.
fn search_network(
    builder: &mut ReportBuilder,
    info: &ProcessInfo,
    profiles: &[Arc<Profile>],
) -> SearchOutcome {
    let method = DetectionMethod::RetroArchNetwork;
    let port = port(info);
    let mut report = |message: String| builder.attempts.push(DetectionAttempt { method, message });
    if owns_port(info.pid, port) == Some(false) {
        report(format!(
            "this RetroArch does not own UDP port {port}: its network commands are off, or another RetroArch has the port"
        ));
        return SearchOutcome::Nothing;
    }
    let mut last = SearchOutcome::Nothing;
    let mut lengths: Vec<u32> = profiles.iter().map(|profile| profile.console.domain().len).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for len in lengths {
        let network = match Network::new(info.pid, port, len) {
            Ok(network) => network,
            Err(why) => {
                report(why);
                continue;
            }
        };
        let status = match network.status() {
            Ok(status) => status,
            Err(why) => {
                report(why);
                return SearchOutcome::Nothing;
            }
        };
        let mut probe = [0; 16];
        let same_len: Vec<Arc<Profile>> =
            profiles.iter().filter(|profile| profile.console.domain().len == len).cloned().collect();
        let read = network.read_exact(HostAddr(0), &mut probe);
        let memory: Arc<dyn Memory + Send + Sync> = Arc::new(network);
        let state = match (&status.core, status.playing) {
            (None, _) => "no game is loaded".to_owned(),
            (Some(core), true) => format!("{core} is running"),
            (Some(core), false) => format!("{core} is paused"),
        };
        last = match read {
            Ok(()) => match_at_zero(&memory, method, &same_len, NETWORK_WATCH_TIME),
            Err(error) => {
                report(format!("{state}; {error}"));
                continue;
            }
        };
        let outcome = match &last {
            SearchOutcome::Found(..) => "a known game runs there",
            SearchOutcome::Paused(_) => "a known game is there, but nothing changes",
            _ => "no known game there",
        };
        report(format!("{state}; {outcome}"));
        if matches!(last, SearchOutcome::Found(..) | SearchOutcome::Paused(_)) {
            return last;
        }
    }
    last
}

/// Whether memory may be read at all: reads the first byte of the first readable regions.
fn check_readable(process: &Process, regions: &[Region]) -> Result<(), ReadError> {
    let mut last = Ok(());
    for region in regions.iter().filter(|region| region.readable).take(4) {
        last = process.read_exact(region.start, &mut [0]);
        if last.as_ref().err().is_none_or(ReadError::concerns_all_addresses) {
            return last;
        }
    }
    last
}

/// Identifies a build: its build ID, or the executable's path.
fn build_key(identity: &EmulatorInfo, info: &ProcessInfo) -> String {
    let exe = || info.exe.as_ref().map(|exe| exe.display().to_string());
    identity.build_id.clone().or_else(exe).unwrap_or_default()
}

/// The name of a mapping that other mappings stay close to from run to run: the heap, or a file.
fn name_of(region: &Region) -> Option<String> {
    let path = region.path.as_ref()?.to_string_lossy();
    (path == "[heap]" || path.starts_with(['/', '\\'])).then(|| path.into_owned())
}

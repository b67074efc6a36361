//! The search from a process number to a report, with a memory of earlier searches.

use super::identity::{by_names, executable};
use super::image::{Image, modules};
use super::retroarch_net::{Network, owns_port, port};
use super::scan::Budget;
use super::search::{Ground, Search, Verdict, only_place};
use super::{Attempt, Found, Identity, Method, Outcome, Place, Proof, Report, names};
use crate::console::Memory;
use crate::process::{HostAddr, Pid, Process, ProcessInfo, ReadError, Region, process_info};
use crate::profile::Profile;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long RAM is watched through the network, where a look takes a frame.
const NETWORK_WATCH: Duration = Duration::from_millis(400);
/// Searching all memory of a process over and over may take this part of the time: one in so many.
const SEARCH_SHARE: u32 = 10;
/// Places remembered for one build.
const REMEMBERED_MOST: usize = 4;
/// Builds and processes remembered.
const KEPT_MOST: usize = 256;

/// Searches with what it remembers from earlier searches: places that proved right for a build, and how long it took
/// to search all memory of a process in vain.
#[derive(Debug, Default)]
pub struct Finder {
    places: HashMap<String, Vec<Relative>>,
    searched: HashMap<(Pid, u64), Searched>,
    without: Vec<Method>,
}

/// A place as a distance from the named mapping in front of it: the heap, a module and the data that follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Relative {
    near: String,
    distance: u64,
    order: crate::console::StorageOrder,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
struct Searched {
    again_at: Instant,
}

/// One search without memory of earlier ones.
#[must_use]
pub fn find(pid: Pid, profiles: &[Arc<Profile>]) -> Report {
    Finder::default().find(pid, profiles)
}

/// A report in the making.
struct Draft {
    pid: Pid,
    started: Instant,
    identity: Identity,
    attempts: Vec<Attempt>,
}

impl Draft {
    /// Opens the process; or the report that it cannot be.
    fn open(pid: Pid) -> Result<(Self, Arc<Process>, ProcessInfo), Box<Report>> {
        let draft =
            Self { pid, started: Instant::now(), identity: Identity::default(), attempts: Vec::new() };
        let process = match Process::open(pid) {
            Ok(process) => Arc::new(process),
            Err(error) => return Err(Box::new(draft.ends(Outcome::Unreadable(error)))),
        };
        match process_info(pid) {
            Some(info) => Ok((draft, process, info)),
            None => Err(Box::new(draft.ends(Outcome::Unreadable(ReadError::Gone { pid })))),
        }
    }

    fn ends(self, outcome: Outcome) -> Report {
        let Self { pid, started, identity, attempts } = self;
        Report { pid, identity, attempts, outcome, elapsed: started.elapsed() }
    }

    /// What a verdict means for the user.
    fn concludes(self, verdict: Verdict, process: &Arc<Process>) -> Report {
        let found = |candidate: super::prove::Candidate, moved: Option<String>| Found {
            process: Arc::clone(process),
            identity: self.identity.clone(),
            ram: candidate.ram,
            profile: candidate.profile,
            method: candidate.method,
            proof: Proof {
                anchors: candidate.anchors,
                moved: moved.unwrap_or_else(|| "nothing moves: the emulator is paused".into()),
            },
        };
        let outcome = match verdict {
            Verdict::Found(candidate, moved) => Outcome::Found(Box::new(found(candidate, Some(moved)))),
            Verdict::Paused(candidate) => Outcome::Paused(Box::new(found(candidate, None))),
            Verdict::Ambiguous(places) => Outcome::Ambiguous(
                places.into_iter().map(|(candidate, moved)| found(candidate, moved)).collect(),
            ),
            Verdict::Nothing if self.identity.known => Outcome::NoGame,
            Verdict::Nothing => Outcome::NotFound,
            Verdict::Failed(error) => Outcome::Unreadable(error),
        };
        self.ends(outcome)
    }
}

impl Finder {
    /// A finder that leaves some methods out, to see what the others find.
    #[must_use]
    pub fn without(methods: impl IntoIterator<Item = Method>) -> Self {
        Self { without: methods.into_iter().collect(), ..Self::default() }
    }

    /// Finds the console RAM of a process.
    pub fn find(&mut self, pid: Pid, profiles: &[Arc<Profile>]) -> Report {
        let (mut draft, process, info) = match Draft::open(pid) {
            Ok(opened) => opened,
            Err(report) => return *report,
        };
        draft.identity = by_names(&info, &[]);
        let regions = match process.regions() {
            Ok(regions) => regions,
            Err(error) => return Self::refused(draft, &process, &info, profiles, error),
        };
        let modules = modules(&regions);
        draft.identity = by_names(&info, &modules);
        if let Err(error) = readable(&process, &regions) {
            return Self::refused(draft, &process, &info, profiles, error);
        }
        let executable = executable(&info, &regions, &modules);
        let image = executable.and_then(|module| Image::read(&*process, module.start).ok());
        draft.identity.build_id = image.and_then(|image| image.build_id(&*process));
        let build = build_key(&draft.identity, &info);

        let now = Instant::now();
        self.searched.retain(|_, searched| searched.again_at > now);
        let wait = self.searched.get(&(pid, info.started)).map(|searched| searched.again_at - now);
        let mut search = Search::new(Ground {
            space: Arc::clone(&process) as _,
            regions: &regions,
            modules: &modules,
            executable,
            profiles,
            budget: if draft.identity.known { Budget::KNOWN } else { Budget::UNKNOWN },
            remembered: self.remembered(&build, &regions),
            no_content: wait.map(|wait| {
                format!("all memory was searched in vain a moment ago; again in {} ms", wait.as_millis())
            }),
            without: &self.without,
        });
        let verdict = search.run();
        draft.attempts = std::mem::take(&mut search.attempts);
        match &verdict {
            Verdict::Found(candidate, _) => self.remember(build, candidate, &regions),
            Verdict::Nothing if search.searched_content && self.searched.len() < KEPT_MOST => {
                let again_at = Instant::now() + draft.started.elapsed() * SEARCH_SHARE;
                self.searched.insert((pid, info.started), Searched { again_at });
            }
            _ => {}
        }
        draft.concludes(verdict, &process)
    }

    /// Finds the console RAM of a RetroArch through its network commands, whether or not it could be read itself.
    pub fn find_by_network(&mut self, pid: Pid, profiles: &[Arc<Profile>]) -> Report {
        let (mut draft, process, info) = match Draft::open(pid) {
            Ok(opened) => opened,
            Err(report) => return *report,
        };
        draft.identity = super::identify(&info, &process);
        let verdict = ask_network(&mut draft, &info, profiles);
        draft.concludes(verdict, &process)
    }

    /// The process may not be read: RetroArch can be asked instead.
    fn refused(
        mut draft: Draft,
        process: &Arc<Process>,
        info: &ProcessInfo,
        profiles: &[Arc<Profile>],
        error: ReadError,
    ) -> Report {
        let retroarch = draft.identity.name == names::RETROARCH;
        if !retroarch || !matches!(error, ReadError::Refused(_)) {
            return draft.ends(Outcome::Unreadable(error));
        }
        match ask_network(&mut draft, info, profiles) {
            Verdict::Nothing | Verdict::Failed(_) => draft.ends(Outcome::Unreadable(error)),
            verdict => draft.concludes(verdict, process),
        }
    }

    fn remembered(&self, build: &str, regions: &[Region]) -> Vec<Place> {
        let places = self.places.get(build).map_or(&[][..], Vec::as_slice);
        let place = |relative: &Relative| {
            let near = regions.iter().find(|region| name_of(region).as_deref() == Some(&relative.near))?;
            Some(Place {
                base: near.start.offset(relative.distance),
                order: Some(relative.order),
                len: Some(relative.len),
            })
        };
        places.iter().filter_map(place).collect()
    }

    fn remember(&mut self, build: String, candidate: &super::prove::Candidate, regions: &[Region]) {
        // The quicker methods need no memory.
        if !matches!(candidate.method, Method::MallocChunk | Method::ContentAnchor) || build.is_empty() {
            return;
        }
        let base = candidate.ram.base;
        let before = regions.iter().rev().filter(|region| region.start <= base).find_map(name_of);
        let Some(near) = before else { return };
        let first = regions.iter().find(|region| name_of(region).as_deref() == Some(near.as_str()));
        let Some(first) = first else { return };
        let distance = base.0 - first.start.0;
        let (order, len) = (candidate.ram.order, candidate.ram.domain.len);
        let relative = Relative { near, distance, order, len };
        if self.places.len() >= KEPT_MOST {
            self.places.clear();
        }
        let places = self.places.entry(build).or_default();
        places.retain(|known| *known != relative);
        places.insert(0, relative);
        places.truncate(REMEMBERED_MOST);
    }
}

/// Asks a RetroArch for its core's RAM.
fn ask_network(draft: &mut Draft, info: &ProcessInfo, profiles: &[Arc<Profile>]) -> Verdict {
    let method = Method::RetroArchNetwork;
    let port = port(info);
    let mut say = |said: String| draft.attempts.push(Attempt { method, said });
    if owns_port(info.pid, port) == Some(false) {
        say(format!(
            "UDP port {port} is not held by this RetroArch: its network commands are off, or another one has it"
        ));
        return Verdict::Nothing;
    }
    let mut last = Verdict::Nothing;
    let mut lengths: Vec<u32> = profiles.iter().map(|profile| profile.console.domain().len).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for len in lengths {
        let network = match Network::new(info.pid, port, len) {
            Ok(network) => network,
            Err(why) => {
                say(why);
                continue;
            }
        };
        let status = match network.status() {
            Ok(status) => status,
            Err(why) => {
                say(why);
                return Verdict::Nothing;
            }
        };
        let mut probe = [0; 16];
        let same_len: Vec<Arc<Profile>> =
            profiles.iter().filter(|profile| profile.console.domain().len == len).cloned().collect();
        let read = network.read_exact(HostAddr(0), &mut probe);
        let memory: Arc<dyn Memory + Send + Sync> = Arc::new(network);
        let state = match (&status.core, status.playing) {
            (None, _) => "no game is loaded".to_owned(),
            (Some(core), true) => format!("{core} runs"),
            (Some(core), false) => format!("{core} is paused"),
        };
        last = match read {
            Ok(()) => only_place(&memory, method, &same_len, NETWORK_WATCH),
            Err(error) => {
                say(format!("{state}; {error}"));
                continue;
            }
        };
        let outcome = match &last {
            Verdict::Found(..) => "the game runs there",
            Verdict::Paused(_) => "the game stands there, but nothing moves",
            _ => "no game that a profile knows stands there",
        };
        say(format!("{state}; {outcome}"));
        if matches!(last, Verdict::Found(..) | Verdict::Paused(_)) {
            return last;
        }
    }
    last
}

/// Whether memory may be read at all: the first byte of the first readable regions.
fn readable(process: &Process, regions: &[Region]) -> Result<(), ReadError> {
    let mut last = Ok(());
    for region in regions.iter().filter(|region| region.readable).take(4) {
        last = process.read_exact(region.start, &mut [0]);
        match &last {
            Ok(()) | Err(ReadError::Refused(_) | ReadError::Gone { .. }) => return last,
            Err(_) => {}
        }
    }
    last
}

/// What tells builds apart: the Build-ID, or the executable's path.
fn build_key(identity: &Identity, info: &ProcessInfo) -> String {
    let exe = || info.exe.as_ref().map(|exe| exe.display().to_string());
    identity.build_id.clone().or_else(exe).unwrap_or_default()
}

/// The name of a mapping that keeps its place among the others from run to run: the heap, or a file.
fn name_of(region: &Region) -> Option<String> {
    let path = region.path.as_ref()?.to_string_lossy();
    (path == "[heap]" || path.starts_with('/')).then(|| path.into_owned())
}

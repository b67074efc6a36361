//! The search in one process: each method proposes places, and what stands there decides.

use super::anchor::Wanted;
use super::image::{Image, Module};
use super::libretro::SystemRam;
use super::prove::{Candidate, WATCH, anchored, watch};
use super::scan::{Budget, Scanned, Space};
use super::shared::{Spot, longest_view, spot};
use super::{Attempt, Method, Place, known_builds, known_symbols, libretro, malloc, named_mapping};
use crate::console::{ConsoleId, Memory};
use crate::process::{HostAddr, ReadError, Region};
use crate::profile::Profile;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is searched: a live process, or a test's invention.
pub(super) struct Ground<'a> {
    pub space: Arc<dyn Space>,
    pub regions: &'a [Region],
    pub modules: &'a [Module],
    /// The executable among the modules.
    pub executable: Option<&'a Module>,
    pub profiles: &'a [Arc<Profile>],
    pub budget: Budget,
    /// Places that proved right in earlier runs of this build.
    pub remembered: Vec<Place>,
    /// Why all memory is not to be searched this time, when it is not.
    pub no_content: Option<String>,
    /// Methods that are not to be used.
    pub without: &'a [Method],
}

/// How a search ended.
pub(super) enum Verdict {
    Found(Candidate, String),
    Paused(Candidate),
    /// Several places; each with what moved there, if anything did.
    Ambiguous(Vec<(Candidate, Option<String>)>),
    Nothing,
    Failed(ReadError),
}

/// A search under way.
pub(super) struct Search<'a> {
    ground: Ground<'a>,
    memory: Arc<dyn Memory + Send + Sync>,
    tried: HashSet<Spot>,
    /// Until when modules are looked into: a program may have mapped any number of them, each made to take long.
    modules_until: Instant,
    /// Anchors stand there, nothing moves.
    still: Vec<Candidate>,
    pub attempts: Vec<Attempt>,
    /// Whether all memory was searched.
    pub searched_content: bool,
}

/// What a method came up with.
struct Proposal {
    places: Vec<Place>,
    said: String,
    /// Whether the method tells where RAM is beyond doubt, so that no other needs to be asked.
    decisive: bool,
}

impl Proposal {
    fn nothing(said: impl Into<String>) -> Self {
        Self { places: Vec::new(), said: said.into(), decisive: false }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The methods by which a process is searched, the most trusted first: what the emulator itself says, what is known of its build,
/// what only looks like RAM.
const ORDER: [Method; 7] = [
    Method::LibretroExport,
    Method::NamedMapping,
    Method::ExportedSymbol,
    Method::KnownBuild,
    Method::Remembered,
    Method::MallocChunk,
    Method::ContentAnchor,
];

impl<'a> Search<'a> {
    pub fn new(ground: Ground<'a>) -> Self {
        let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&ground.space) as _;
        let (tried, still, attempts) = (HashSet::new(), Vec::new(), Vec::new());
        let modules_until = Instant::now() + ground.budget.time;
        Self { ground, memory, tried, modules_until, still, attempts, searched_content: false }
    }

    pub fn run(&mut self) -> Verdict {
        if self.ground.profiles.is_empty() {
            return Verdict::Nothing;
        }
        for method in ORDER.into_iter().filter(|method| !self.ground.without.contains(method)) {
            let proposal = match method {
                Method::LibretroExport => Ok(self.exports()),
                Method::NamedMapping => Ok(self.named_mappings()),
                Method::ExportedSymbol => Ok(self.symbols()),
                Method::KnownBuild => Ok(self.known_builds()),
                Method::Remembered => Ok(self.remembered()),
                Method::MallocChunk => self.malloc_chunks(),
                _ => self.content(),
            };
            let proposal = match proposal {
                Ok(proposal) => proposal,
                Err(error) => {
                    self.attempts.push(Attempt { method, said: error.to_string() });
                    return Verdict::Failed(error);
                }
            };
            let decisive = proposal.decisive;
            if let Some(verdict) = self.judge(method, proposal) {
                return verdict;
            }
            if decisive {
                break;
            }
        }
        self.give_up()
    }

    /// Nothing moves anywhere: what the most trusted method found stands still.
    fn give_up(&mut self) -> Verdict {
        let mut still = std::mem::take(&mut self.still);
        if let Some(first) = still.first().map(|candidate| candidate.method) {
            still.retain(|candidate| candidate.method == first);
        }
        match still.len() {
            0 => Verdict::Nothing,
            1 => Verdict::Paused(still.remove(0)),
            _ => Verdict::Ambiguous(still.into_iter().map(|candidate| (candidate, None)).collect()),
        }
    }

    /// Holds the profiles against the places of a method; a verdict when they decide.
    fn judge(&mut self, method: Method, proposal: Proposal) -> Option<Verdict> {
        let Proposal { places, mut said, .. } = proposal;
        let proposed = places.len();
        let mut new = 0;
        let mut candidates = Vec::new();
        for mut place in places {
            place.base = longest_view(self.ground.regions, place.base);
            if self.tried.insert(spot(self.ground.regions, place.base)) {
                new += 1;
                candidates.extend(anchored(&self.memory, place, method, self.ground.profiles));
            }
        }
        if candidates.is_empty() {
            said += match (proposed, new) {
                (0, _) => "",
                (_, 0) => "; all of that was tried before",
                _ => "; no game that a profile knows stands there",
            };
            self.attempts.push(Attempt { method, said });
            return None;
        }
        let standing = candidates.len();
        // A place that stood still before gets another chance beside the new ones.
        candidates.append(&mut self.still);
        let moved = watch(&candidates, WATCH);
        let (alive, still): (Vec<_>, Vec<_>) =
            candidates.into_iter().zip(moved).partition(|(_, moved)| moved.is_some());
        said += &match (standing, alive.len()) {
            (_, 0) => format!(
                "; {} with the game's content, but nothing there moves",
                counted(standing, "place", "places")
            ),
            (1, 1) => "; the game runs there".to_owned(),
            (_, 1) => format!(
                "; {} with the game's content, of which one moves",
                counted(standing, "place", "places")
            ),
            (_, many) => format!("; the game's content moves at {many} places"),
        };
        self.attempts.push(Attempt { method, said });
        let mut alive = alive;
        match alive.len() {
            0 => {
                self.still = still.into_iter().map(|(candidate, _)| candidate).collect();
                self.still.sort_by_key(|candidate| candidate.method);
                None
            }
            1 => alive.pop().and_then(|(candidate, moved)| Some(Verdict::Found(candidate, moved?))),
            _ => Some(Verdict::Ambiguous(alive)),
        }
    }

    /// The lengths of the domains that profiles know, ascending.
    fn lengths(&self) -> Vec<u32> {
        let lengths = self.ground.profiles.iter().map(|profile| profile.console.domain().len);
        let mut lengths: Vec<u32> = lengths.collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// The longest domain that fits into so many bytes of RAM.
    fn fitting(&self, reported: u64) -> Option<u32> {
        self.lengths().into_iter().rev().find(|len| u64::from(*len) <= reported)
    }

    fn knows(&self, console: ConsoleId) -> bool {
        self.ground.profiles.iter().any(|profile| profile.console == console)
    }

    fn exports(&self) -> Proposal {
        let mut places = Vec::new();
        let mut said = Vec::new();
        let mut cores = 0;
        let mut left_out = 0;
        for module in self.ground.modules.iter().filter(|module| libretro::may_be_core(module)) {
            if self.modules_took_too_long() {
                left_out += 1;
                continue;
            }
            let Some(answer) = libretro::system_ram(&*self.memory, module) else { continue };
            cores += 1;
            let name = &module.name;
            match answer {
                Ok(SystemRam { base, len }) => {
                    match len.map(|len| self.fitting(len).ok_or(len)).transpose() {
                        Ok(len) => {
                            said.push(format!("{name} has its RAM at {base}"));
                            places.push(Place { base, order: None, len });
                        }
                        Err(len) => {
                            said.push(format!("{name} has {len} bytes of RAM, so it runs another console"));
                        }
                    }
                }
                Err(why) => said.push(format!("{name}: {why}")),
            }
        }
        if left_out > 0 {
            said.push(too_many(left_out));
        } else if cores == 0 {
            return Proposal::nothing("no libretro core is loaded");
        }
        // Readable RAM of a known place is where the game would be; a copy of it elsewhere is not meant.
        let decisive =
            left_out == 0 && places.len() == cores && places.iter().all(|place| self.reads(place.base));
        Proposal { places, said: said.join("; "), decisive }
    }

    fn modules_took_too_long(&self) -> bool {
        Instant::now() >= self.modules_until
    }

    fn reads(&self, base: HostAddr) -> bool {
        self.memory.read_exact(base, &mut [0; 16]).is_ok()
    }

    fn named_mappings(&self) -> Proposal {
        let named = named_mapping::places(self.ground.regions);
        if named.is_empty() {
            return Proposal::nothing("no mapping has a name that tells");
        }
        let said: Vec<String> =
            named.iter().map(|(name, place)| format!("{name} is mapped at {}", place.base)).collect();
        let places = named.into_iter().map(|(_, place)| place).collect();
        Proposal { places, said: said.join("; "), decisive: false }
    }

    fn symbols(&self) -> Proposal {
        let mut places = Vec::new();
        let mut said = Vec::new();
        let mut left_out = 0;
        for module in self.ground.modules {
            if self.modules_took_too_long() {
                left_out += usize::from(known_symbols::of(&module.name).next().is_some());
                continue;
            }
            for row in known_symbols::of(&module.name).filter(|row| self.knows(row.console)) {
                let (name, symbol) = (&module.name, &row.symbol);
                match row.place(&*self.memory, module) {
                    Some(place) => {
                        said.push(format!("by {symbol} of {name}, RAM is at {}", place.base));
                        places.push(place);
                    }
                    None => said.push(format!("{name} does not export {symbol}")),
                }
            }
        }
        if left_out > 0 {
            said.push(too_many(left_out));
        }
        if said.is_empty() {
            return Proposal::nothing("no module is loaded that is known to export its RAM");
        }
        Proposal { places, said: said.join("; "), decisive: false }
    }

    fn known_builds(&self) -> Proposal {
        let mut places = Vec::new();
        let mut said = Vec::new();
        let listed = |name: &str| libretro::is_core_name(name) || known_builds::is_library(name);
        let others = self.ground.modules.iter().filter(|module| listed(&module.name));
        let mut left_out = 0;
        // The executable first, whatever time is left.
        for (nth, module) in self.ground.executable.into_iter().chain(others).enumerate() {
            if nth > 0 && self.modules_took_too_long() {
                left_out += 1;
                continue;
            }
            let Ok(image) = Image::read(&*self.memory, module.start) else { continue };
            let Some(id) = image.build_id(&*self.memory) else { continue };
            for build in known_builds::of(&id).filter(|build| self.knows(build.console)) {
                let Some(place) = build.place(image.bias, &*self.memory) else {
                    said.push(format!("{} has no RAM yet", build.name));
                    continue;
                };
                places.push(place);
                said.push(format!("{} has its RAM at {}", build.name, place.base));
            }
        }
        if left_out > 0 {
            said.push(too_many(left_out));
        }
        if said.is_empty() {
            return Proposal::nothing("its Build-ID is not in the table");
        }
        Proposal { places, said: said.join("; "), decisive: false }
    }

    fn remembered(&self) -> Proposal {
        let places = self.ground.remembered.clone();
        if places.is_empty() {
            return Proposal::nothing("no earlier search found anything in this build");
        }
        let said = format!("{} from earlier searches", counted(places.len(), "place", "places"));
        Proposal { places, said, decisive: false }
    }

    fn malloc_chunks(&self) -> Result<Proposal, ReadError> {
        let (blocks, read) =
            malloc::blocks(&*self.ground.space, self.ground.regions, &self.lengths(), self.ground.budget)?;
        let places: Vec<Place> =
            blocks.into_iter().map(|(base, len)| Place { base, order: None, len: Some(len) }).collect();
        let said = format!("{} in {}", counted(places.len(), "block", "blocks"), amount(read, "heap"));
        Ok(Proposal { places, said, decisive: false })
    }

    fn content(&mut self) -> Result<Proposal, ReadError> {
        let wanted = Wanted::new(self.ground.profiles);
        if wanted.is_empty() {
            return Ok(Proposal::nothing("no profile has an anchor that can be searched for"));
        }
        if let Some(why) = &self.ground.no_content {
            return Ok(Proposal::nothing(why.clone()));
        }
        self.searched_content = true;
        let hits = wanted.search(&*self.ground.space, self.ground.regions, self.ground.budget)?;
        let said = format!(
            "{}, {} of its text, in {}",
            counted(hits.places.len(), "place looks like the game", "places look like the game"),
            counted(hits.seen, "occurrence", "occurrences"),
            amount(hits.scanned, "memory"),
        );
        Ok(Proposal { places: hits.places, said, decisive: false })
    }
}

fn too_many(left_out: usize) -> String {
    format!("{} more left out: too much for one search", counted(left_out, "module", "modules"))
}

fn amount(scanned: Scanned, of: &str) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let left_out = match scanned.left_out {
        0 => String::new(),
        bytes => format!(" ({} MiB more were left out: too much for one search)", mib(bytes)),
    };
    format!("{} MiB of {of}{left_out}", mib(scanned.bytes))
}

/// Tries the one place that a memory other than the process's own has: its beginning.
pub(super) fn only_place(
    memory: &Arc<dyn Memory + Send + Sync>,
    method: Method,
    profiles: &[Arc<Profile>],
    limit: Duration,
) -> Verdict {
    let place = Place { base: HostAddr(0), order: None, len: None };
    let Some(candidate) = anchored(memory, place, method, profiles) else { return Verdict::Nothing };
    let candidates = [candidate];
    let moved = watch(&candidates, limit).into_iter().flatten().next();
    let [candidate] = candidates;
    moved.map_or_else(|| Verdict::Paused(candidate.clone()), |moved| Verdict::Found(candidate.clone(), moved))
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "search_nds_tests.rs"]
mod nds_tests;

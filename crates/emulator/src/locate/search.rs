//! The search in one process: each method proposes locations, and their content decides.

use super::content_search::ContentSearch;
use super::libretro::SystemRam;
use super::liveness::{Candidate, WATCH_TIME, match_profiles, watch_liveness};
use super::module_image::{Module, ModuleImage};
use super::scan::{AddressSpace, Budget, ScanTotals};
use super::shared_memory::{CanonicalAddr, canonical_addr, longest_view};
use super::{
    DetectionAttempt, DetectionMethod, RamLocation, heap, known_builds, known_symbols, libretro,
    named_mapping,
};
use crate::process::{HostAddr, Memory, ReadError, Region};
use nextscope_games::profile::Profile;
use nextscope_memory::console::ConsoleId;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is searched: a live process, or the fake process of a test.
pub(super) struct SearchContext<'a> {
    pub space: Arc<dyn AddressSpace>,
    pub regions: &'a [Region],
    pub modules: &'a [Module],
    /// The executable among the modules.
    pub executable: Option<&'a Module>,
    pub profiles: &'a [Arc<Profile>],
    pub budget: Budget,
    /// Locations that earlier searches of this build found.
    pub remembered: Vec<RamLocation>,
    /// Why the content search is skipped this time, if it is.
    pub skip_content: Option<String>,
    pub without: &'a [DetectionMethod],
}

pub(super) enum SearchOutcome {
    Found(Candidate, String),
    Paused(Candidate),
    /// Several locations, each with the change observed there, if any.
    Ambiguous(Vec<(Candidate, Option<String>)>),
    Nothing,
    Failed(ReadError),
}

pub(super) struct Search<'a> {
    context: SearchContext<'a>,
    memory: Arc<dyn Memory + Send + Sync>,
    tried: HashSet<CanonicalAddr>,
    /// The deadline for reading modules: a hostile program may map any number of them, each made to take long.
    modules_until: Instant,
    /// Candidates whose anchors match, but which do not change.
    paused: Vec<Candidate>,
    pub attempts: Vec<DetectionAttempt>,
    pub searched_content: bool,
    /// Whether memory was left out because the time was over.
    pub timed_out: bool,
}

/// What a method proposes.
struct Proposal {
    locations: Vec<RamLocation>,
    message: String,
    /// Whether the method locates RAM beyond doubt, so that the other methods can be skipped.
    decisive: bool,
}

impl Proposal {
    fn nothing(message: impl Into<String>) -> Self {
        Self { locations: Vec::new(), message: message.into(), decisive: false }
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

/// The methods, the most trusted first: what the emulator itself exposes, what is known of its build, what only looks like RAM.
const ORDER: [DetectionMethod; 7] = [
    DetectionMethod::LibretroExport,
    DetectionMethod::NamedMapping,
    DetectionMethod::ExportedSymbol,
    DetectionMethod::KnownBuild,
    DetectionMethod::Remembered,
    DetectionMethod::MallocChunk,
    DetectionMethod::ContentAnchor,
];

impl<'a> Search<'a> {
    pub fn new(context: SearchContext<'a>) -> Self {
        let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&context.space) as _;
        let (tried, paused, attempts) = (HashSet::new(), Vec::new(), Vec::new());
        let modules_until = Instant::now() + context.budget.time;
        let (searched_content, timed_out) = (false, false);
        Self { context, memory, tried, modules_until, paused, attempts, searched_content, timed_out }
    }

    pub fn run(&mut self) -> SearchOutcome {
        if self.context.profiles.is_empty() {
            return SearchOutcome::Nothing;
        }
        for method in ORDER.into_iter().filter(|method| !self.context.without.contains(method)) {
            let proposal = match method {
                DetectionMethod::LibretroExport => Ok(self.exports()),
                DetectionMethod::NamedMapping => Ok(self.named_mappings()),
                DetectionMethod::ExportedSymbol => Ok(self.symbols()),
                DetectionMethod::KnownBuild => Ok(self.known_builds()),
                DetectionMethod::Remembered => Ok(self.remembered()),
                DetectionMethod::MallocChunk => self.heap_blocks(),
                _ => self.content(),
            };
            let proposal = match proposal {
                Ok(proposal) => proposal,
                Err(error) => {
                    self.attempts.push(DetectionAttempt { method, message: error.to_string() });
                    return SearchOutcome::Failed(error);
                }
            };
            let decisive = proposal.decisive;
            if let Some(outcome) = self.evaluate(method, proposal) {
                return outcome;
            }
            if decisive {
                break;
            }
        }
        self.conclude_paused()
    }

    /// No candidate is live: those of the most trusted method are paused.
    fn conclude_paused(&mut self) -> SearchOutcome {
        let mut paused = std::mem::take(&mut self.paused);
        if let Some(first) = paused.first().map(|candidate| candidate.method) {
            paused.retain(|candidate| candidate.method == first);
        }
        match paused.len() {
            0 => SearchOutcome::Nothing,
            1 => SearchOutcome::Paused(paused.remove(0)),
            _ => SearchOutcome::Ambiguous(paused.into_iter().map(|candidate| (candidate, None)).collect()),
        }
    }

    /// Matches the profiles against the locations of a method; returns the outcome if they decide it.
    fn evaluate(&mut self, method: DetectionMethod, proposal: Proposal) -> Option<SearchOutcome> {
        let Proposal { locations, mut message, .. } = proposal;
        let proposed = locations.len();
        let mut new = 0;
        let mut candidates = Vec::new();
        for mut location in locations {
            location.base = longest_view(self.context.regions, location.base);
            if self.tried.insert(canonical_addr(self.context.regions, location.base)) {
                new += 1;
                candidates.extend(match_profiles(&self.memory, location, method, self.context.profiles));
            }
        }
        if candidates.is_empty() {
            message += match (proposed, new) {
                (0, _) => "",
                (_, 0) => "; already tried",
                _ => "; no known game there",
            };
            self.attempts.push(DetectionAttempt { method, message });
            return None;
        }
        let matching = candidates.len();
        // A candidate that was paused before is watched again beside the new ones.
        candidates.append(&mut self.paused);
        let changes = watch_liveness(&candidates, WATCH_TIME);
        let (mut live, paused): (Vec<_>, Vec<_>) =
            candidates.into_iter().zip(changes).partition(|(_, change)| change.is_some());
        let with_content = || counted(matching, "location", "locations");
        message += &match (matching, live.len()) {
            (_, 0) => format!("; {} with the game's content, but nothing there changes", with_content()),
            (1, 1) => "; the game runs there".to_owned(),
            (_, 1) => format!("; {} with the game's content, one of them live", with_content()),
            (_, many) => format!("; the game's content changes at {many} locations"),
        };
        self.attempts.push(DetectionAttempt { method, message });
        match live.len() {
            0 => {
                self.paused = paused.into_iter().map(|(candidate, _)| candidate).collect();
                self.paused.sort_by_key(|candidate| candidate.method);
                None
            }
            1 => live.pop().and_then(|(candidate, change)| Some(SearchOutcome::Found(candidate, change?))),
            _ => Some(SearchOutcome::Ambiguous(live)),
        }
    }

    /// The lengths of the domains that profiles use, ascending.
    fn lengths(&self) -> Vec<u32> {
        let lengths = self.context.profiles.iter().map(|profile| profile.console.domain().len);
        let mut lengths: Vec<u32> = lengths.collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    }

    /// The longest domain that fits into RAM of the reported length.
    fn fitting(&self, reported: u64) -> Option<u32> {
        self.lengths().into_iter().rev().find(|len| u64::from(*len) <= reported)
    }

    fn knows(&self, console: ConsoleId) -> bool {
        self.context.profiles.iter().any(|profile| profile.console == console)
    }

    fn exports(&self) -> Proposal {
        let mut locations = Vec::new();
        let mut messages = Vec::new();
        let mut cores = 0;
        let mut skipped = 0;
        for module in self.context.modules.iter().filter(|module| libretro::may_be_core(module)) {
            if self.modules_took_too_long() {
                skipped += 1;
                continue;
            }
            let Some(answer) = libretro::exported_ram(&*self.memory, module.start, &module.name) else {
                continue;
            };
            cores += 1;
            let name = &module.name;
            match answer {
                Ok(SystemRam { base, len }) => {
                    match len.map(|len| self.fitting(len).ok_or(len)).transpose() {
                        Ok(len) => {
                            messages.push(format!("{name} has its RAM at {base}"));
                            locations.push(RamLocation { base, order: None, len });
                        }
                        Err(len) => {
                            messages
                                .push(format!("{name} has {len} bytes of RAM, so it runs another console"));
                        }
                    }
                }
                Err(why) => messages.push(format!("{name}: {why}")),
            }
        }
        if skipped > 0 {
            messages.push(skipped_modules(skipped));
        } else if cores == 0 {
            return Proposal::nothing("no libretro core is loaded");
        }
        // The game would be in the RAM that the core exports; a copy elsewhere is irrelevant.
        let decisive = skipped == 0
            && locations.len() == cores
            && locations.iter().all(|location| self.reads(location.base));
        Proposal { locations, message: messages.join("; "), decisive }
    }

    fn modules_took_too_long(&self) -> bool {
        Instant::now() >= self.modules_until
    }

    fn reads(&self, base: HostAddr) -> bool {
        self.memory.read_exact(base, &mut [0; 16]).is_ok()
    }

    fn named_mappings(&self) -> Proposal {
        let named = named_mapping::locations(self.context.regions);
        if named.is_empty() {
            return Proposal::nothing("no mapping has a known name");
        }
        let messages: Vec<String> =
            named.iter().map(|(name, location)| format!("{name} is mapped at {}", location.base)).collect();
        let locations = named.into_iter().map(|(_, location)| location).collect();
        Proposal { locations, message: messages.join("; "), decisive: false }
    }

    fn symbols(&self) -> Proposal {
        let mut locations = Vec::new();
        let mut messages = Vec::new();
        let mut skipped = 0;
        for module in self.context.modules {
            if self.modules_took_too_long() {
                skipped += usize::from(known_symbols::of(&module.name).next().is_some());
                continue;
            }
            for row in known_symbols::of(&module.name).filter(|row| self.knows(row.console)) {
                let (name, symbol) = (&module.name, &row.symbol);
                match row.location(&*self.memory, module) {
                    Some(location) => {
                        messages.push(format!("{symbol} of {name}: RAM is at {}", location.base));
                        locations.push(location);
                    }
                    None => messages.push(format!("{name} does not export {symbol}")),
                }
            }
        }
        if skipped > 0 {
            messages.push(skipped_modules(skipped));
        }
        if messages.is_empty() {
            return Proposal::nothing("no loaded module is known to export its RAM");
        }
        Proposal { locations, message: messages.join("; "), decisive: false }
    }

    fn known_builds(&self) -> Proposal {
        let mut locations = Vec::new();
        let mut messages = Vec::new();
        let listed = |name: &str| libretro::is_core_name(name) || known_builds::is_library(name);
        let others = self.context.modules.iter().filter(|module| listed(&module.name));
        let mut skipped = 0;
        // The executable is always read, whatever time is left.
        for (nth, module) in self.context.executable.into_iter().chain(others).enumerate() {
            if nth > 0 && self.modules_took_too_long() {
                skipped += 1;
                continue;
            }
            let Ok(image) = ModuleImage::read(&*self.memory, module.start) else { continue };
            let Some(id) = image.build_id(&*self.memory) else { continue };
            for build in known_builds::of(&id).filter(|build| self.knows(build.console)) {
                let Some(location) = build.location(image.bias, &*self.memory) else {
                    messages.push(format!("{} has not allocated RAM yet", build.name));
                    continue;
                };
                locations.push(location);
                messages.push(format!("{} has its RAM at {}", build.name, location.base));
            }
        }
        if skipped > 0 {
            messages.push(skipped_modules(skipped));
        }
        if messages.is_empty() {
            return Proposal::nothing("its build ID is not in the table");
        }
        Proposal { locations, message: messages.join("; "), decisive: false }
    }

    fn remembered(&self) -> Proposal {
        let locations = self.context.remembered.clone();
        if locations.is_empty() {
            return Proposal::nothing("no earlier search found RAM in this build");
        }
        let message = format!("{} from earlier searches", counted(locations.len(), "location", "locations"));
        Proposal { locations, message, decisive: false }
    }

    fn heap_blocks(&mut self) -> Result<Proposal, ReadError> {
        let context = &self.context;
        // The heaps of a Windows program may be most of its memory.
        if let Some(why) = context.skip_content.as_ref().filter(|_| heap::is_windows_program(context.regions))
        {
            return Ok(Proposal::nothing(why.clone()));
        }
        let (blocks, read) = heap::blocks(&*context.space, context.regions, &self.lengths(), context.budget)?;
        self.timed_out |= read.timed_out;
        let locations: Vec<RamLocation> =
            blocks.into_iter().map(|(base, len)| RamLocation { base, order: None, len: Some(len) }).collect();
        let message = format!("{} in {}", counted(locations.len(), "block", "blocks"), amount(read, "heap"));
        Ok(Proposal { locations, message, decisive: false })
    }

    fn content(&mut self) -> Result<Proposal, ReadError> {
        let search = ContentSearch::new(self.context.profiles);
        if search.is_empty() {
            return Ok(Proposal::nothing("no profile has an anchor that can be searched for"));
        }
        if let Some(why) = &self.context.skip_content {
            return Ok(Proposal::nothing(why.clone()));
        }
        self.searched_content = true;
        let hits = search.search(&*self.context.space, self.context.regions, self.context.budget)?;
        self.timed_out |= hits.scanned.timed_out;
        let message = format!(
            "{}, {} of its text, in {}",
            counted(hits.locations.len(), "location looks like the game", "locations look like the game"),
            counted(hits.occurrences, "occurrence", "occurrences"),
            amount(hits.scanned, "memory"),
        );
        Ok(Proposal { locations: hits.locations, message, decisive: false })
    }
}

fn skipped_modules(count: usize) -> String {
    format!("{} skipped: time limit reached", counted(count, "module", "modules"))
}

fn amount(scanned: ScanTotals, of: &str) -> String {
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let skipped = match scanned.skipped {
        0 => String::new(),
        bytes => format!(" ({} MiB skipped: search limit reached)", mib(bytes)),
    };
    format!("{} MiB of {of}{skipped}", mib(scanned.bytes))
}

/// Tries address 0 of a memory that contains nothing but RAM.
pub(super) fn match_at_zero(
    memory: &Arc<dyn Memory + Send + Sync>,
    method: DetectionMethod,
    profiles: &[Arc<Profile>],
    limit: Duration,
) -> SearchOutcome {
    let location = RamLocation { base: HostAddr(0), order: None, len: None };
    let Some(candidate) = match_profiles(memory, location, method, profiles) else {
        return SearchOutcome::Nothing;
    };
    let change = watch_liveness(std::slice::from_ref(&candidate), limit).into_iter().flatten().next();
    match change {
        Some(change) => SearchOutcome::Found(candidate, change),
        None => SearchOutcome::Paused(candidate),
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "search_nds_tests.rs"]
mod nds_tests;

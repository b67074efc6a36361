//! Locates a console's RAM without a game that a profile knows, for the console that the user names: where the emulator itself exposes it
//! (its export, its symbol, the name of its mapping, its build ID), or else the only heap block of the right size that behaves as work
//! RAM. Blocks that merely have the right size are listed and never chosen.

use super::identify::{by_names, executable};
use super::libretro::SystemRam;
use super::module_image::{Module, ModuleImage, modules};
use super::scan::Budget;
use super::shared_memory::{CanonicalAddr, canonical_addr, longest_view};
use super::work_ram::{CARRY_TIME, CountingBlock, WATCH_TIME, counting_blocks, order_of};
use super::{
    DetectionMethod, EmulatorInfo, RamLocation, heap, known_builds, known_symbols, libretro, named_mapping,
};
use crate::process::{HostAddr, Memory, Pid, Process, ReadError, Region, process_info};
use nextscope_memory::console::{ConsoleId, Ram, StorageOrder};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most blocks that are listed.
const MAX_LISTED: usize = 64; // MAME has 31 of 64 KiB

/// A console's RAM, located by the emulator's own data or by the user.
#[derive(Clone, Debug)]
pub struct LocatedRam {
    /// The process, opened.
    pub process: Arc<Process>,
    /// Which emulator it is.
    pub identity: EmulatorInfo,
    /// The RAM.
    pub ram: Ram,
    /// The method that located it; None if the user gave the address.
    pub method: Option<DetectionMethod>,
    /// What it was seen to do, in words, if that is why it was chosen.
    pub behaviour: Option<String>,
}

/// The RAM to locate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RamQuery {
    /// The console that runs in the emulator.
    pub console: ConsoleId,
    /// The address of its RAM, if known.
    pub base: Option<HostAddr>,
    /// The byte order, if known.
    pub order: Option<StorageOrder>,
}

/// Why RAM was not located.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LocateRamError {
    /// The process cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{name} does not expose the address of the {console}'s RAM; {}", describe_blocks(blocks))]
    Nowhere { name: String, console: &'static str, blocks: Vec<HostAddr> },
    #[error(
        "the {console}'s RAM may be at several addresses: {}; choose one with --ram-address",
        list(places)
    )]
    Several { console: &'static str, places: Vec<HostAddr> },
    #[error(
        "RAM is at {base}, but the byte order of the {console}'s RAM there is unknown: add --swapped (as in most emulators) or --unswapped"
    )]
    Order { base: HostAddr, console: &'static str },
    #[error("no emulator stores the {0}'s RAM in that byte order")]
    NoSuchOrder(&'static str),
}

fn list(places: &[HostAddr]) -> String {
    places.iter().take(MAX_LISTED).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn describe_blocks(blocks: &[HostAddr]) -> String {
    match blocks {
        [] => "its heap has no block of that size either; give the address with --ram-address, or search all its memory (--all-memory)".into(),
        _ => format!(
            "its heap has {} of that size, and no byte in them counted frames within a second: {}; let the game run and try again, try one with --ram-address, or search all its memory (--all-memory)",
            if blocks.len() == 1 { "1 block".into() } else { format!("{} blocks", blocks.len()) },
            list(blocks)
        ),
    }
}

/// Locates the RAM of the console that the user names. Where only the size of heap blocks is known, they are watched: a
/// second, and up to five more if the byte order is not clear.
pub fn locate_ram(pid: Pid, query: RamQuery) -> Result<LocatedRam, LocateRamError> {
    let process = Opened::new(pid, query)?;
    match process.exposed() {
        Err(LocateRamError::Nowhere { name, console, blocks }) if !blocks.is_empty() => {
            let len = query.console.domain().len;
            match counting_blocks(&*process.process, &blocks, len, WATCH_TIME)?[..] {
                [] => Err(LocateRamError::Nowhere { name, console, blocks }),
                [block] => process.behaving(block, blocks.len()),
                ref several => {
                    let places = several.iter().map(|block| block.base).collect();
                    Err(LocateRamError::Several { console, places })
                }
            }
        }
        located => located,
    }
}

/// A process, its memory, and what is to be located in it.
struct Opened {
    process: Arc<Process>,
    identity: EmulatorInfo,
    regions: Vec<Region>,
    modules: Vec<Module>,
    executable: Option<Module>,
    query: RamQuery,
}

impl Opened {
    fn new(pid: Pid, query: RamQuery) -> Result<Self, LocateRamError> {
        let process = Arc::new(Process::open(pid)?);
        let info = process_info(pid).ok_or(ReadError::Gone { pid })?;
        let regions = process.regions()?;
        let modules = modules(&regions);
        let identity = by_names(&info, &modules);
        if query.order.is_some_and(|order| !query.console.domain().orders.contains(&order)) {
            return Err(LocateRamError::NoSuchOrder(query.console.name()));
        }
        let executable = executable(&info, &regions, &modules).cloned();
        Ok(Self { process, identity, regions, modules, executable, query })
    }

    /// The RAM where the user says it is, or where the emulator exposes it.
    fn exposed(&self) -> Result<LocatedRam, LocateRamError> {
        if let Some(base) = self.query.base {
            return self.located(base, None, None);
        }
        let (console, len) = (self.query.console, self.query.console.domain().len);
        let mut locations = Locations { regions: &self.regions, found: BTreeMap::new() };
        locations.add_exports(&*self.process, &self.modules, len);
        for (_, location) in named_mapping::locations(&self.regions) {
            locations.add(DetectionMethod::NamedMapping, location, len);
        }
        locations.add_tables(&*self.process, &self.modules, self.executable.as_ref(), console);
        match locations.found.values().collect::<Vec<_>>()[..] {
            [] => {
                let (blocks, _) = heap::blocks(&*self.process, &self.regions, &[len], Budget::KNOWN)?;
                let blocks = blocks.into_iter().map(|(base, _)| base).collect();
                let name = self.identity.name.clone();
                Err(LocateRamError::Nowhere { name, console: console.name(), blocks })
            }
            [(method, location)] => self.located(location.base, location.order, Some(*method)),
            ref several => {
                let places = several.iter().map(|(_, location)| location.base).collect();
                Err(LocateRamError::Several { console: console.name(), places })
            }
        }
    }

    /// The RAM in the only one of `count` heap blocks that behaves as work RAM.
    fn behaving(&self, block: CountingBlock, count: usize) -> Result<LocatedRam, LocateRamError> {
        let domain = self.query.console.domain();
        let order = match self.known_order() {
            None => order_of(&self.ram(block.base, domain.orders[0]), block, CARRY_TIME)?,
            known => known,
        };
        let mut located = self.located(block.base, order, Some(DetectionMethod::MallocChunk))?;
        let (offset, changes) = (located.ram.order.host_offset(block.offset), block.changes);
        let counter = domain.base.offset(u32::try_from(offset).unwrap_or(0));
        let among = if count == 1 {
            "the only one".into()
        } else {
            format!("the only one of {count} that counts frames")
        };
        located.behaviour =
            Some(format!("{among}: the byte at {counter} went on {changes} times in a second"));
        Ok(located)
    }

    /// The byte order, if the user gives it or only one is possible.
    fn known_order(&self) -> Option<StorageOrder> {
        let only = match self.query.console.domain().orders {
            [only] => Some(*only),
            _ => None,
        };
        self.query.order.or(only)
    }

    fn ram(&self, base: HostAddr, order: StorageOrder) -> Ram {
        let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&self.process) as _;
        Ram { memory, domain: self.query.console.domain(), base, order }
    }

    fn located(
        &self,
        base: HostAddr,
        order: Option<StorageOrder>,
        method: Option<DetectionMethod>,
    ) -> Result<LocatedRam, LocateRamError> {
        let console = self.query.console.name();
        let order = self.known_order().or(order).ok_or(LocateRamError::Order { base, console })?;
        let ram = self.ram(base, order);
        ram.snapshot()?;
        let (process, identity) = (Arc::clone(&self.process), self.identity.clone());
        Ok(LocatedRam { process, identity, ram, method, behaviour: None })
    }
}

/// All candidates for the console's RAM, in every possible byte order: the addresses that the emulator exposes, or else the heap blocks of
/// its size. For callers that choose by the content.
///
/// # Errors
/// [`LocateRamError`], if there is no candidate.
pub fn ram_candidates(pid: Pid, query: RamQuery) -> Result<Vec<LocatedRam>, LocateRamError> {
    let process = Opened::new(pid, query)?;
    let (places, method) = match process.exposed() {
        Ok(located) => return Ok(vec![located]),
        Err(LocateRamError::Order { base, .. }) => (vec![base], None),
        Err(LocateRamError::Several { places, .. }) => (places, None),
        Err(LocateRamError::Nowhere { blocks, .. }) if !blocks.is_empty() => {
            (blocks, Some(DetectionMethod::MallocChunk))
        }
        Err(error) => return Err(error),
    };
    let orders = query.order.map_or_else(|| query.console.domain().orders.to_vec(), |order| vec![order]);
    let mut rams = Vec::new();
    for base in places {
        for order in &orders {
            match process.located(base, Some(*order), method) {
                Ok(located) => rams.push(located),
                Err(LocateRamError::Read(ReadError::Gone { pid })) => {
                    return Err(ReadError::Gone { pid }.into());
                }
                Err(_) => {} // one of many candidates cannot be read
            }
        }
    }
    Ok(rams)
}

/// The locations that were found, one for each piece of memory.
struct Locations<'a> {
    regions: &'a [Region],
    found: BTreeMap<CanonicalAddr, (DetectionMethod, RamLocation)>,
}

impl Locations<'_> {
    /// If two methods find the same location, the byte order comes from the one that knows it.
    fn add(&mut self, method: DetectionMethod, mut location: RamLocation, len: u32) {
        if location.len.is_some_and(|known| known != len) {
            return;
        }
        location.base = longest_view(self.regions, location.base);
        let entry = self.found.entry(canonical_addr(self.regions, location.base));
        let known = entry.or_insert((method, location));
        known.1.order = known.1.order.or(location.order);
    }

    fn add_exports(&mut self, memory: &dyn Memory, modules: &[Module], len: u32) {
        for module in modules.iter().filter(|module| libretro::may_be_core(module)) {
            // A core whose RAM has another length runs another console.
            if let Some(Ok(SystemRam { base, len: exported })) =
                libretro::exported_ram(memory, module.start, &module.name)
                && exported.is_none_or(|exported| exported == u64::from(len))
            {
                let location = RamLocation { base, order: None, len: Some(len) };
                self.add(DetectionMethod::LibretroExport, location, len);
            }
        }
    }

    fn add_tables(
        &mut self,
        memory: &dyn Memory,
        modules: &[Module],
        executable: Option<&Module>,
        console: ConsoleId,
    ) {
        let len = console.domain().len;
        for module in modules {
            for row in known_symbols::of(&module.name).filter(|row| row.console == console) {
                if let Some(location) = row.location(memory, module) {
                    self.add(DetectionMethod::ExportedSymbol, location, len);
                }
            }
        }
        let listed = |name: &str| libretro::is_core_name(name) || known_builds::is_library(name);
        let others = modules.iter().filter(|module| listed(&module.name));
        for module in executable.into_iter().chain(others) {
            let Ok(image) = ModuleImage::read(memory, module.start) else { continue };
            let Some(id) = image.build_id(memory) else { continue };
            for build in known_builds::of(&id).filter(|build| build.console == console) {
                if let Some(location) = build.location(image.bias, memory) {
                    self.add(DetectionMethod::KnownBuild, location, len);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_found_by_two_methods_is_listed_once_with_the_known_byte_order() {
        let mut locations = Locations { regions: &[], found: BTreeMap::new() };
        let location = |base, order, len| RamLocation { base: HostAddr(base), order, len };
        locations.add(DetectionMethod::LibretroExport, location(0x7000, None, Some(65536)), 65536);
        let swapped = Some(StorageOrder::SwappedWords);
        locations.add(DetectionMethod::KnownBuild, location(0x7000, swapped, None), 65536);
        locations.add(DetectionMethod::KnownBuild, location(0x9000, None, Some(4096)), 65536);
        let all: Vec<_> = locations.found.values().collect();
        assert_eq!(all, [&(DetectionMethod::LibretroExport, location(0x7000, swapped, Some(65536)))]);
    }
}

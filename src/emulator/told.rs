//! A console's RAM without a game that a profile knows. What else proves a place, a game's content, is not there: so only what the
//! emulator itself tells counts (its export, its symbol, the name of its mapping, its Build-ID), with the console that the user says
//! runs in it. Blocks that only have the right size are told, not taken.

use super::identity::{by_names, executable};
use super::image::{Image, modules};
use super::libretro::SystemRam;
use super::scan::Budget;
use super::shared::{Spot, longest_view, spot};
use super::{Identity, Method, Place, known_builds, known_symbols, libretro, malloc, named_mapping};
use crate::console::{ConsoleId, Memory, Ram, StorageOrder};
use crate::process::{HostAddr, Pid, Process, ReadError, Region, process_info};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Blocks of the right size that are told at most.
const BLOCKS_TOLD: usize = 64; // MAME has 31 of 64 KiB

/// A console's RAM, by the emulator's word or the user's.
#[derive(Clone, Debug)]
pub struct ToldRam {
    /// The process, opened.
    pub process: Arc<Process>,
    /// Which emulator it is.
    pub identity: Identity,
    /// The RAM.
    pub ram: Ram,
    /// The method that told it; None when the user did.
    pub method: Option<Method>,
}

/// What the user says of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RamAsked {
    /// The console that runs in the emulator.
    pub console: ConsoleId,
    /// Where its RAM is, when that is known.
    pub base: Option<HostAddr>,
    /// How its bytes are stored, when that is known.
    pub order: Option<StorageOrder>,
}

/// Why RAM was not located.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TellError {
    /// The process cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Nothing tells where it is.
    #[error("{name} does not tell where it keeps the {console}'s RAM; {}", blocks_told(blocks))]
    Nowhere {
        /// The emulator.
        name: String,
        /// The console.
        console: &'static str,
        /// Blocks of its size, of which one may be it.
        blocks: Vec<HostAddr>,
    },
    /// Several things tell, and not the same.
    #[error("several places are told for the {console}'s RAM: {}; name one with --at", list(places))]
    Several {
        /// The console.
        console: &'static str,
        /// The places.
        places: Vec<HostAddr>,
    },
    /// The order of its bytes is not known.
    #[error(
        "RAM is at {base}, but nothing tells how the {console}'s bytes are stored there: say --swapped (as most emulators do) or --unswapped"
    )]
    Order {
        /// Where it is.
        base: HostAddr,
        /// The console.
        console: &'static str,
    },
    /// No emulator stores it so.
    #[error("no emulator stores the bytes of the {0}'s RAM in that order")]
    NoSuchOrder(&'static str),
}

fn list(places: &[HostAddr]) -> String {
    places.iter().take(BLOCKS_TOLD).map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn blocks_told(blocks: &[HostAddr]) -> String {
    match blocks {
        [] => "no block of its heap has that size either; say where it is with --at, or search all its memory (--whole)".into(),
        _ => format!(
            "its heap has {} of that size, of which one may be it: {}; try one with --at, or search all its memory (--whole)",
            if blocks.len() == 1 { "1 block".into() } else { format!("{} blocks", blocks.len()) },
            list(blocks)
        ),
    }
}

/// Locates the RAM of the console that the user says runs in the process.
///
/// # Errors
/// [`TellError`].
pub fn told_ram(pid: Pid, asked: RamAsked) -> Result<ToldRam, TellError> {
    let process = Arc::new(Process::open(pid)?);
    let info = process_info(pid).ok_or(ReadError::Gone { pid })?;
    let regions = process.regions()?;
    let modules = modules(&regions);
    let identity = by_names(&info, &modules);
    let (domain, console) = (asked.console.domain(), asked.console.name());
    if asked.order.is_some_and(|order| !domain.orders.contains(&order)) {
        return Err(TellError::NoSuchOrder(console));
    }
    let (base, order, method) = match asked.base {
        Some(base) => (base, None, None),
        None => {
            let mut told = Told { regions: &regions, places: BTreeMap::new() };
            told.by_exports(&*process, &modules, domain.len);
            for (_, place) in named_mapping::places(&regions) {
                told.add(Method::NamedMapping, place, domain.len);
            }
            let executable = executable(&info, &regions, &modules);
            told.by_tables(&*process, &modules, executable, asked.console);
            match told.places.values().collect::<Vec<_>>()[..] {
                [] => {
                    let budget = Budget::KNOWN;
                    let (blocks, _) = malloc::blocks(&*process, &regions, &[domain.len], budget)?;
                    let blocks = blocks.into_iter().map(|(base, _)| base).collect();
                    return Err(TellError::Nowhere { name: identity.name, console, blocks });
                }
                [(method, place)] => (place.base, place.order, Some(*method)),
                ref several => {
                    let places = several.iter().map(|(_, place)| place.base).collect();
                    return Err(TellError::Several { console, places });
                }
            }
        }
    };
    let only = match domain.orders {
        [only] => Some(*only),
        _ => None,
    };
    let order = asked.order.or(order).or(only).ok_or(TellError::Order { base, console })?;
    let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&process) as _;
    let ram = Ram { memory, domain, base, order };
    ram.snapshot()?;
    Ok(ToldRam { process, identity, ram, method })
}

/// Every place at which the console's RAM may be, in every order in which it may be stored there: where something tells, or the user says;
/// else the blocks of its size in the heap. For who can tell by the content which one it is.
///
/// # Errors
/// [`TellError`], when there is no such place.
pub fn possible_rams(pid: Pid, asked: RamAsked) -> Result<Vec<ToldRam>, TellError> {
    let (places, method) = match told_ram(pid, asked) {
        Ok(told) => return Ok(vec![told]),
        Err(TellError::Order { base, .. }) => (vec![base], None),
        Err(TellError::Several { places, .. }) => (places, None),
        Err(TellError::Nowhere { blocks, .. }) if !blocks.is_empty() => (blocks, Some(Method::MallocChunk)),
        Err(error) => return Err(error),
    };
    let orders = asked.order.map_or_else(|| asked.console.domain().orders.to_vec(), |order| vec![order]);
    let mut rams = Vec::new();
    for base in places {
        for order in &orders {
            let asked = RamAsked { base: Some(base), order: Some(*order), ..asked };
            match told_ram(pid, asked) {
                Ok(told) => rams.push(ToldRam { method, ..told }),
                Err(TellError::Read(ReadError::Gone { pid })) => return Err(ReadError::Gone { pid }.into()),
                Err(_) => {} // one place of many that cannot be read
            }
        }
    }
    Ok(rams)
}

/// Places that are told, one for each piece of memory.
struct Told<'a> {
    regions: &'a [Region],
    places: BTreeMap<Spot, (Method, Place)>,
}

impl Told<'_> {
    /// Of one told twice, the order is taken from whichever knows it.
    fn add(&mut self, method: Method, mut place: Place, len: u32) {
        if place.len.is_some_and(|told| told != len) {
            return;
        }
        place.base = longest_view(self.regions, place.base);
        let known = self.places.entry(spot(self.regions, place.base)).or_insert((method, place));
        known.1.order = known.1.order.or(place.order);
    }

    fn by_exports(&mut self, memory: &dyn Memory, modules: &[super::image::Module], len: u32) {
        for module in modules.iter().filter(|module| libretro::may_be_core(module)) {
            // A core of which the RAM has another length runs another console.
            if let Some(Ok(SystemRam { base, len: told })) = libretro::system_ram(memory, module)
                && told.is_none_or(|told| told == u64::from(len))
            {
                self.add(Method::LibretroExport, Place { base, order: None, len: Some(len) }, len);
            }
        }
    }

    fn by_tables(
        &mut self,
        memory: &dyn Memory,
        modules: &[super::image::Module],
        executable: Option<&super::image::Module>,
        console: ConsoleId,
    ) {
        let len = console.domain().len;
        for module in modules {
            for row in known_symbols::of(&module.name).filter(|row| row.console == console) {
                if let Some(place) = row.place(memory, module) {
                    self.add(Method::ExportedSymbol, place, len);
                }
            }
        }
        let listed = |name: &str| libretro::is_core_name(name) || known_builds::is_library(name);
        let others = modules.iter().filter(|module| listed(&module.name));
        for module in executable.into_iter().chain(others) {
            let Ok(image) = Image::read(memory, module.start) else { continue };
            let Some(id) = image.build_id(memory) else { continue };
            for build in known_builds::of(&id).filter(|build| build.console == console) {
                if let Some(place) = build.place(image.bias, memory) {
                    self.add(Method::KnownBuild, place, len);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_told_twice_is_one_and_keeps_the_order_that_one_knows() {
        let mut told = Told { regions: &[], places: BTreeMap::new() };
        let place = |base, order, len| Place { base: HostAddr(base), order, len };
        told.add(Method::LibretroExport, place(0x7000, None, Some(65536)), 65536);
        told.add(Method::KnownBuild, place(0x7000, Some(StorageOrder::SwappedWords), None), 65536);
        told.add(Method::KnownBuild, place(0x9000, None, Some(4096)), 65536);
        let all: Vec<_> = told.places.values().collect();
        let wanted = place(0x7000, Some(StorageOrder::SwappedWords), Some(65536));
        assert_eq!(all, [&(Method::LibretroExport, wanted)]);
    }
}

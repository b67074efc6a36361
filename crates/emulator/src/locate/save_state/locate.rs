//! Locates RAM in an unpacked save state.

use super::{StateError, UnpackedState};
use crate::locate::anchors::{cells_identify_location, cells_match_at, matching_anchors};
use crate::locate::content_search::ContentSearch;
use crate::locate::liveness::match_profiles;
use crate::locate::scan::{AddressSpace, Budget};
use crate::locate::{DetectionMethod, RamLocation};
use crate::process::{ByteArray, HostAddr, Memory, Region};
use nextscope_games::profile::Profile;
use nextscope_memory::console::{Snapshot, StorageOrder};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// No limit: a file is short.
const UNLIMITED: Budget = Budget { bytes: u64::MAX, time: Duration::from_secs(3600) };
/// The longest file in which RAM without fixed text is tried at every offset.
const MAX_EXHAUSTIVE: usize = 1 << 20;

/// RAM that was found in a save state.
#[derive(Debug, Clone)]
pub struct StateRam {
    /// All of it, in bus order.
    pub snapshot: Snapshot,
    /// The profile whose anchors match; None if only the format locates the RAM.
    pub profile: Option<Arc<Profile>>,
    /// Its offset in the unpacked bytes.
    pub at: usize,
    /// Its byte order.
    pub order: StorageOrder,
    /// The anchors that match, in words.
    pub anchors: Vec<String>,
    /// What is uncertain about it, in a sentence.
    pub caution: Option<&'static str>,
}

/// BizHawk's waterbox saves only the pages written since the core started (its `memory_block/mod.rs`), and the state does not list all of
/// them.
const PAGES_LEFT_OUT: &str = "BizHawk omits memory that was never written from this core's states: bytes far from the known addresses \
    may be shifted; File, Export in its hex editor writes all of RAM";

impl fmt::Display for StateRam {
    /// `68K RAM at 0x10, swapped in 16-bit words (Puyo Puyo Tsu (Mega Drive, Japan): ...)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at 0x{:X}, {}", self.snapshot.domain().name, self.at, self.order)?;
        match &self.profile {
            Some(profile) => write!(f, " ({}: {})", profile.name, self.anchors.join(", ")),
            None => f.write_str(" (no known game; located by the format)"),
        }
    }
}

impl AddressSpace for ByteArray {
    fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        vec![(region.start, region.len)]
    }
}

/// Whether one of the profiles can locate RAM in a file whose format does not.
pub fn can_locate(profiles: &[Arc<Profile>]) -> bool {
    !ContentSearch::unaligned(profiles).is_empty()
        || profiles.iter().any(|profile| cells_identify_location(profile))
}

/// Finds the RAM of a game that one of the profiles knows, if there is one.
pub fn locate(state: &UnpackedState, profiles: &[Arc<Profile>]) -> Result<Option<StateRam>, StateError> {
    if let Some(found) = at_fixed_offset(state, profiles) {
        return Ok(Some(found));
    }
    let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&state.bytes) as _;
    let mut found: Vec<StateRam> = Vec::new();
    for location in locations(&state.bytes, profiles) {
        let Some(candidate) = match_profiles(&memory, location, DetectionMethod::ContentAnchor, profiles)
        else {
            continue;
        };
        let Ok(snapshot) = candidate.ram.snapshot() else { continue };
        found.push(StateRam {
            snapshot,
            at: usize::try_from(candidate.ram.base.0).unwrap_or(0),
            order: candidate.ram.order,
            profile: Some(candidate.profile),
            anchors: candidate.anchors,
            caution: state.pages_left_out.then_some(PAGES_LEFT_OUT),
        });
    }
    if found.len() < 2 {
        return Ok(found.pop());
    }
    Err(StateError::Ambiguous {
        format: state.format(),
        places: found.iter().map(ToString::to_string).collect(),
    })
}

fn at_fixed_offset(state: &UnpackedState, profiles: &[Arc<Profile>]) -> Option<StateRam> {
    let (console, at) = state.fixed_offset?;
    let domain = console.domain();
    let stored = state.bytes.bytes.get(at..)?.get(..domain.len as usize)?;
    let order = StorageOrder::AsOnBus;
    let snapshot = Snapshot::from_stored(domain, order, stored.to_vec()).ok()?;
    let fitting = profiles.iter().filter(|profile| profile.console == console);
    let known = fitting
        .map(|profile| (Arc::clone(profile), matching_anchors(&snapshot, profile)))
        .find(|(_, anchors)| !anchors.is_empty());
    let (profile, anchors) = known.unzip();
    Some(StateRam { snapshot, profile, at, order, anchors: anchors.unwrap_or_default(), caution: None })
}

/// The possible locations of the profiles' RAM.
fn locations(array: &ByteArray, profiles: &[Arc<Profile>]) -> Vec<RamLocation> {
    let region = Region::data(array.base, array.bytes.len() as u64, None);
    // A byte array is always readable.
    let hits = ContentSearch::unaligned(profiles).search(array, &[region], UNLIMITED);
    let hits = hits.map(|hits| hits.locations).unwrap_or_default();
    let mut listed: BTreeSet<(u64, u8, u32)> = BTreeSet::new();
    let key = |found: &RamLocation| {
        (found.base.0, found.order.map_or(0, |order| order as u8), found.len.unwrap_or(0))
    };
    let mut all: Vec<RamLocation> = hits.into_iter().filter(|found| listed.insert(key(found))).collect();
    if array.bytes.len() > MAX_EXHAUSTIVE {
        return all;
    }
    for profile in profiles.iter().filter(|profile| cells_identify_location(profile)) {
        let domain = profile.console.domain();
        for (at, ram) in array.bytes.windows(domain.len as usize).enumerate() {
            if cells_match_at(ram, profile) {
                let order = Some(StorageOrder::AsOnBus);
                let location = RamLocation { base: HostAddr(at as u64), order, len: Some(domain.len) };
                all.extend(Some(location).filter(|found| listed.insert(key(found))));
            }
        }
    }
    all
}

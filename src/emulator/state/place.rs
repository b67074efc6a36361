//! Where RAM stands in an unpacked save state.

use super::{StateError, Unpacked};
use crate::console::{ByteArray, Memory, Snapshot, StorageOrder};
use crate::emulator::anchor::Wanted;
use crate::emulator::proof::{anchors_stand, cells_stand_at, cells_tell_the_place};
use crate::emulator::prove::anchored;
use crate::emulator::scan::{Budget, Space};
use crate::emulator::{Method, Place};
use crate::process::{HostAddr, Region};
use crate::profile::Profile;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// All of the file is searched, however long that takes: it is short.
const ALL: Budget = Budget { bytes: u64::MAX, time: Duration::from_secs(3600) };
/// A short RAM that has no text is tried at every offset of a file of that length at most.
const TRIED_MOST: usize = 1 << 20;

/// RAM that was found in a save state.
#[derive(Debug, Clone)]
pub struct Located {
    /// All of it, in the order of the bus.
    pub snapshot: Snapshot,
    /// The profile of which anchors stand there; None when only the format says that it is RAM.
    pub profile: Option<Arc<Profile>>,
    /// Where it begins in the unpacked bytes.
    pub at: usize,
    /// In which order it is stored.
    pub order: StorageOrder,
    /// What stands there, in words.
    pub anchors: Vec<String>,
    /// What is uncertain about it, in a sentence.
    pub caution: Option<&'static str>,
}

/// BizHawk's waterbox saves the pages that were written since the core began (its `memory_block/mod.rs`), and which those are is not
/// told for all of them.
const PAGES_LEFT_OUT: &str = "BizHawk leaves memory out of this core's states that was never written: what stands far from the \
    known addresses may be shifted; File, Export in its hex editor writes RAM as it is";

impl fmt::Display for Located {
    /// `68K RAM at 0x10, swapped in 16-bit words (Puyo Puyo Tsu (Mega Drive, Japan): ...)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at 0x{:X}, {}", self.snapshot.domain().name, self.at, self.order)?;
        match &self.profile {
            Some(profile) => write!(f, " ({}: {})", profile.name, self.anchors.join(", ")),
            None => f.write_str(" (no known game; the format says where it is)"),
        }
    }
}

impl Space for ByteArray {
    fn touched(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        vec![(region.start, region.len)]
    }
}

/// Whether one of the profiles has an anchor at an address, by which RAM is found in a file that does not say where it begins.
#[must_use]
pub fn tell_the_place(profiles: &[Arc<Profile>]) -> bool {
    !Wanted::at_any_byte(profiles).is_empty() || profiles.iter().any(|profile| cells_tell_the_place(profile))
}

/// Finds the RAM of a game that one of the profiles knows. None when there is none.
///
/// # Errors
/// [`StateError::Ambiguous`].
pub fn locate(state: &Unpacked, profiles: &[Arc<Profile>]) -> Result<Option<Located>, StateError> {
    if let Some(found) = fixed(state, profiles) {
        return Ok(Some(found));
    }
    let memory: Arc<dyn Memory + Send + Sync> = Arc::clone(&state.bytes) as _;
    let mut found: Vec<Located> = Vec::new();
    for place in places(&state.bytes, profiles) {
        let Some(candidate) = anchored(&memory, place, Method::ContentAnchor, profiles) else { continue };
        let Ok(snapshot) = candidate.ram.snapshot() else { continue };
        found.push(Located {
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

/// RAM where the format says that it is.
fn fixed(state: &Unpacked, profiles: &[Arc<Profile>]) -> Option<Located> {
    let (console, at) = state.fixed?;
    let domain = console.domain();
    let stored = state.bytes.bytes.get(at..)?.get(..domain.len as usize)?;
    let order = StorageOrder::AsOnBus;
    let snapshot = Snapshot::from_stored(domain, order, stored.to_vec()).ok()?;
    let fitting = profiles.iter().filter(|profile| profile.console == console);
    let known = fitting
        .map(|profile| (Arc::clone(profile), anchors_stand(&snapshot, profile)))
        .find(|(_, anchors)| !anchors.is_empty());
    let (profile, anchors) = known.unzip();
    Some(Located { snapshot, profile, at, order, anchors: anchors.unwrap_or_default(), caution: None })
}

/// Where the RAM of one of the profiles may begin.
fn places(array: &ByteArray, profiles: &[Arc<Profile>]) -> Vec<Place> {
    let region = Region::data(array.base, array.bytes.len() as u64, None);
    let wanted = Wanted::at_any_byte(profiles);
    // Bytes of our own are always readable.
    let hits = wanted.search(array, &[region], ALL).map(|hits| hits.places).unwrap_or_default();
    let mut places: BTreeSet<(u64, u8, u32)> = BTreeSet::new();
    let key =
        |place: &Place| (place.base.0, place.order.map_or(0, |order| order as u8), place.len.unwrap_or(0));
    let mut all: Vec<Place> = hits.into_iter().filter(|place| places.insert(key(place))).collect();
    if array.bytes.len() > TRIED_MOST {
        return all;
    }
    for profile in profiles.iter().filter(|profile| cells_tell_the_place(profile)) {
        let domain = profile.console.domain();
        for (at, ram) in array.bytes.windows(domain.len as usize).enumerate() {
            if cells_stand_at(ram, profile) {
                let order = Some(StorageOrder::AsOnBus);
                let place = Place { base: HostAddr(at as u64), order, len: Some(domain.len) };
                all.extend(Some(place).filter(|place| places.insert(key(place))));
            }
        }
    }
    all
}

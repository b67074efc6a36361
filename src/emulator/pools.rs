//! Finding Puyo Puyo Tsu's pools by their structure alone: three times 256 bytes of which each is one of five
//! colours, and the colour set that they are made of at its distance from them.

use super::scan::Space;
use crate::console::{Domain, StorageOrder};
use crate::game::puyo_tsu::{POOL_LEN, Pool, looks_generated, reachable_color_sets};
use crate::process::HostAddr;
use crate::profile::Profile;
use std::collections::HashSet;

/// What two pieces of memory that are looked at one after the other must share, so that no probe is missed.
pub(super) const OVERLAP: usize = PROBE;
/// Memory is looked at every so often. Two pools next to each other (story mode leaves the third alone) are longer
/// than this and a probe.
const STRIDE: usize = 384;
/// Bytes looked at.
const PROBE: usize = 64;
/// Suspicious spots kept at most.
const SPOTS_MOST: usize = 1 << 13;

/// Where a profile has the pools and the colour set, as offsets in its domain.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub domain: &'static Domain,
    pools: [u64; 3],
    color_set: u64,
}

/// The colours that pools hold: 0, 1, 3, 4, 5 (reference 1.4), a bit for each.
const COLORS: u32 = 0b11_1011;

/// Notes where `piece` looks like the inside of a pool.
pub(super) fn suspicious(piece: &[u8], at: HostAddr, spots: &mut Vec<HostAddr>) {
    // Probes stand at multiples of the stride in the address space, whatever the pieces.
    let first = at.0.next_multiple_of(STRIDE as u64) - at.0;
    let Ok(first) = usize::try_from(first) else { return };
    for start in (first..piece.len()).step_by(STRIDE) {
        let Some(probe) = piece.get(start..start + PROBE) else { break };
        let seen = probe
            .iter()
            .fold(0_u32, |seen, byte| seen | 1_u32.checked_shl((*byte).into()).unwrap_or(1 << 31));
        // Only colours, and three of them: the fewest that a pool is made of is two, but then nobody plays.
        if seen & !COLORS == 0 && seen.count_ones() >= 3 && spots.len() < SPOTS_MOST {
            spots.push(at.offset(start as u64));
        }
    }
}

impl Layout {
    pub fn of(profile: &Profile) -> Option<Self> {
        let domain = profile.console.domain();
        let offset = |field: &str| Some(domain.offset_of(profile.field(field)?.address)? as u64);
        let pools = [offset("pool_3")?, offset("pool_4")?, offset("pool_5")?];
        Some(Self { domain, pools, color_set: offset("color_set")? })
    }

    /// Where the domain begins, for the suspicious spots that are really inside pools.
    pub fn bases(
        &self,
        space: &dyn Space,
        spots: &[HostAddr],
        alignment: u64,
    ) -> impl Iterator<Item = (HostAddr, StorageOrder)> {
        let mut found = Vec::new();
        let mut stored = vec![0; self.domain.len as usize];
        let (Some(lowest), Some(highest)) = (self.pools.iter().min(), self.pools.iter().max()) else {
            return found.into_iter();
        };
        let length = highest + POOL_LEN as u64 - lowest;
        let sets = reachable_color_sets();
        let mut near = Near { start: 0, bytes: Vec::new() };
        let mut tried = HashSet::new();
        let step = usize::try_from(alignment).unwrap_or(1);
        for spot in spots {
            // The probe lies somewhere in the pools, so the domain begins at one of these addresses.
            let last = spot.0.saturating_sub(*lowest);
            let first = last.saturating_sub(length).next_multiple_of(alignment);
            for base in (first..=last).step_by(step).filter(|base| tried.insert(*base)).collect::<Vec<_>>() {
                let order = self.color_set_at(space, &mut near, base, sets);
                if let Some(order) = order
                    && space.read_exact(HostAddr(base), &mut stored).is_ok()
                    && self.pools_stand(&stored, order)
                {
                    found.push((HostAddr(base), order));
                }
            }
        }
        found.into_iter()
    }

    /// In which order a colour set stands where it must when the domain begins at `base`.
    fn color_set_at(
        &self,
        space: &dyn Space,
        near: &mut Near,
        base: u64,
        sets: &[[u8; 8]],
    ) -> Option<StorageOrder> {
        let inside = usize::from(self.color_set % 2 == 1);
        let stored = near.get(space, base.checked_add(self.color_set & !1)?)?;
        StorageOrder::OF_16_BIT_BUS.into_iter().find(|order| {
            let mut bytes = stored;
            order.reorder(&mut bytes);
            let set: Option<[u8; 8]> = bytes.get(inside..inside + 8).and_then(|set| set.try_into().ok());
            set.is_some_and(|set| sets.binary_search(&set).is_ok())
        })
    }

    fn pools_stand(&self, stored: &[u8], order: StorageOrder) -> bool {
        let mut bytes = stored.to_vec();
        order.reorder(&mut bytes);
        let at = |offset: u64, len: usize| bytes.get(usize::try_from(offset).ok()?..)?.get(..len);
        let pool = |offset| -> Option<Pool> { at(offset, POOL_LEN)?.try_into().ok() };
        let whole = || {
            let pools = [pool(self.pools[0])?, pool(self.pools[1])?, pool(self.pools[2])?];
            looks_generated(at(self.color_set, 8)?.try_into().ok()?, &pools)
        };
        whole().is_some()
    }
}

/// Memory read a little ahead: colour sets are looked for at hundreds of neighbouring addresses.
struct Near {
    start: u64,
    bytes: Vec<u8>,
}

impl Near {
    fn get(&mut self, space: &dyn Space, addr: u64) -> Option<[u8; 10]> {
        let held = |near: &Self| {
            let at = usize::try_from(addr.checked_sub(near.start)?).ok()?;
            near.bytes.get(at..at.checked_add(10)?)?.try_into().ok()
        };
        if let Some(found) = held(self) {
            return Some(found);
        }
        self.start = addr;
        // Near the end of a mapping less is readable.
        for len in [1024, 10] {
            self.bytes.resize(len, 0);
            if space.read_exact(HostAddr(addr), &mut self.bytes).is_ok() {
                return held(self);
            }
        }
        self.bytes.clear();
        None
    }
}

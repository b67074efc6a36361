//! Finds pools by their structure: three times 256 bytes, each one of a few colours, and the colour set they are made of at a fixed
//! distance.

use super::scan::AddressSpace;
use crate::process::HostAddr;
use nextscope_games::games::{FieldCheck, PoolLayout};
use nextscope_games::profile::Profile;
use nextscope_memory::console::{Domain, StorageOrder};
use std::collections::HashSet;

/// Bytes that consecutive pieces of memory must share so that no probe is missed.
pub(super) const OVERLAP: usize = PROBE;
/// The distance between probes. Two adjacent pools (story mode leaves the third unchanged) are longer than this plus a probe.
const STRIDE: usize = 384;
const PROBE: usize = 64;
const MAX_HITS: usize = 1 << 13;

/// Where a profile has the pools and the colour set, as offsets in its domain.
pub(super) struct Layout {
    pub domain: &'static Domain,
    pools: [u64; 3],
    color_set: u64,
    pool_len: usize,
    rules: PoolLayout,
    check: FieldCheck,
}

/// Adds the probes of `piece` that look like part of a pool with these colours.
pub(super) fn find_probes(piece: &[u8], colors: u32, at: HostAddr, hits: &mut Vec<HostAddr>) {
    // Probes are at multiples of the stride in the address space, independent of the pieces.
    let first = at.0.next_multiple_of(STRIDE as u64) - at.0;
    let Ok(first) = usize::try_from(first) else { return };
    for start in (first..piece.len()).step_by(STRIDE) {
        let Some(probe) = piece.get(start..start + PROBE) else { break };
        let found = probe
            .iter()
            .fold(0_u32, |colors, byte| colors | 1_u32.checked_shl((*byte).into()).unwrap_or(1 << 31));
        // Only colours, and at least three: pools of two exist only while nobody plays.
        if found & !colors == 0 && found.count_ones() >= 3 && hits.len() < MAX_HITS {
            hits.push(at.offset(start as u64));
        }
    }
}

impl Layout {
    pub fn of(profile: &Profile) -> Option<Self> {
        let domain = profile.console.domain();
        let offset = |field: &str| Some(domain.offset_of(profile.field(field)?.address)? as u64);
        let anchors = profile.game.anchors();
        let (rules, check) = (anchors.pool_layout?, anchors.pools?);
        let [first, second, third] = rules.pools;
        let pool_len = profile.field(first)?.len();
        let pools = [offset(first)?, offset(second)?, offset(third)?];
        Some(Self { domain, pools, color_set: offset(rules.color_set)?, pool_len, rules, check })
    }

    /// Whether both look for the same pools.
    pub fn equals(&self, other: &Self) -> bool {
        let key = |layout: &Self| (layout.domain.len, layout.pools, layout.color_set, layout.rules.colors);
        key(self) == key(other)
    }

    pub fn colors(&self) -> u32 {
        self.rules.colors
    }

    /// The domain's base and byte order for each hit that really lies inside a pool.
    pub fn bases(
        &self,
        space: &dyn AddressSpace,
        hits: &[HostAddr],
        alignment: u64,
    ) -> impl Iterator<Item = (HostAddr, StorageOrder)> {
        let mut found = Vec::new();
        let mut stored = vec![0; self.domain.len as usize];
        let (Some(lowest), Some(highest)) = (self.pools.iter().min(), self.pools.iter().max()) else {
            return found.into_iter();
        };
        let length = highest + self.pool_len as u64 - lowest;
        let sets = (self.rules.color_sets)();
        let mut buffer = ReadAhead { start: 0, bytes: Vec::new() };
        let mut tried = HashSet::new();
        let step = usize::try_from(alignment).unwrap_or(1);
        for hit in hits {
            // The hit is anywhere in the pools, so the domain begins at one of these addresses.
            let last = hit.0.saturating_sub(*lowest);
            let first = last.saturating_sub(length).next_multiple_of(alignment);
            for base in (first..=last).step_by(step).filter(|base| tried.insert(*base)).collect::<Vec<_>>() {
                let order = self.color_set_at(space, &mut buffer, base, sets);
                if let Some(order) = order
                    && space.read_exact(HostAddr(base), &mut stored).is_ok()
                    && self.pools_match(&stored, order)
                {
                    found.push((HostAddr(base), order));
                }
            }
        }
        found.into_iter()
    }

    /// The byte order in which there is a colour set at its offset from `base`.
    fn color_set_at(
        &self,
        space: &dyn AddressSpace,
        buffer: &mut ReadAhead,
        base: u64,
        sets: &[[u8; 8]],
    ) -> Option<StorageOrder> {
        let inside = usize::from(self.color_set % 2 == 1);
        let stored = buffer.get(space, base.checked_add(self.color_set & !1)?)?;
        StorageOrder::OF_16_BIT_BUS.into_iter().find(|order| {
            let mut bytes = stored;
            order.reorder(&mut bytes);
            let set: Option<[u8; 8]> = bytes.get(inside..inside + 8).and_then(|set| set.try_into().ok());
            set.is_some_and(|set| sets.binary_search(&set).is_ok())
        })
    }

    fn pools_match(&self, stored: &[u8], order: StorageOrder) -> bool {
        let mut bytes = stored.to_vec();
        order.reorder(&mut bytes);
        let field = |name: &str| {
            let known = self.rules.pools.iter().zip(self.pools).find(|(pool, _)| **pool == name);
            let known = known.map(|(_, offset)| (offset, self.pool_len));
            let (offset, len) = known.or((name == self.rules.color_set).then_some((self.color_set, 8)))?;
            bytes.get(usize::try_from(offset).ok()?..)?.get(..len)
        };
        (self.check)(&field) == Some(true)
    }
}

/// A read-ahead buffer: colour sets are checked at hundreds of neighbouring addresses.
struct ReadAhead {
    start: u64,
    bytes: Vec<u8>,
}

impl ReadAhead {
    fn get(&mut self, space: &dyn AddressSpace, addr: u64) -> Option<[u8; 10]> {
        let buffered = |buffer: &Self| {
            let at = usize::try_from(addr.checked_sub(buffer.start)?).ok()?;
            buffer.bytes.get(at..at.checked_add(10)?)?.try_into().ok()
        };
        if let Some(found) = buffered(self) {
            return Some(found);
        }
        self.start = addr;
        // Near the end of a mapping less is readable.
        for len in [1024, 10] {
            self.bytes.resize(len, 0);
            if space.read_exact(HostAddr(addr), &mut self.bytes).is_ok() {
                return buffered(self);
            }
        }
        self.bytes.clear();
        None
    }
}

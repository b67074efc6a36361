//! Content search: finds the profile's anchors anywhere in memory, in any byte order. Works in unknown emulators.

use super::pools;
use super::scan::{AddressSpace, Budget, ScanTotals, scan};
use super::twins;
use super::{RamLocation, nds_cartridge};
use crate::process::{HostAddr, ReadError, Region};
use memchr::memmem::Finder;
use nextscope_games::profile::{Anchor, Profile};
use nextscope_memory::console::{ConsoleAddr, Domain, StorageOrder, nds_header};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The most locations returned: text that occurs thousands of times identifies nothing.
const MAX_LOCATIONS: usize = 512;
/// A shorter needle would match everywhere.
const MIN_NEEDLE: usize = 4;

/// Bytes at a known offset in RAM, as an emulator stores them.
struct Needle {
    order: StorageOrder,
    finder: Finder<'static>,
    len: usize,
    /// Their offset in the domain, and the offset of a second copy if there must be one.
    offsets: Vec<u64>,
    domain: &'static Domain,
    /// The game code, if the needle is that of a Nintendo DS header: four letters are weak evidence, so checksums are verified.
    nds_game_code: Option<String>,
}

/// The content to search for, from the profiles' anchors.
pub(super) struct ContentSearch {
    needles: Vec<Needle>,
    pools: Vec<pools::Layout>,
    twins: Vec<twins::Layout>,
    /// The alignment of RAM.
    alignment: u64,
}

/// In a process RAM begins at an even address: as 16-bit words, or by the allocator's alignment.
const PROCESS_ALIGNMENT: u64 = 2;

pub(super) struct ContentHits {
    pub locations: Vec<RamLocation>,
    pub scanned: ScanTotals,
    /// Occurrences of the text, including those outside RAM (the game's ROM contains it too).
    pub occurrences: usize,
}

impl ContentSearch {
    pub fn new(profiles: &[Arc<Profile>]) -> Self {
        Self::with_alignment(profiles, PROCESS_ALIGNMENT)
    }

    /// For a file, where RAM may begin at any byte.
    pub fn unaligned(profiles: &[Arc<Profile>]) -> Self {
        Self::with_alignment(profiles, 1)
    }

    fn with_alignment(profiles: &[Arc<Profile>], alignment: u64) -> Self {
        let mut search = Self { needles: Vec::new(), pools: Vec::new(), twins: Vec::new(), alignment };
        for profile in profiles {
            let domain = profile.console.domain();
            for anchor in &profile.anchors {
                match anchor {
                    Anchor::ChecksummedPair { first, second, magic, magic_offset, .. } => {
                        let at = [first.offset(*magic_offset), second.offset(*magic_offset)];
                        search.add_text(domain, &at, magic.as_bytes());
                    }
                    Anchor::Bytes { address, bytes } => search.add_text(domain, &[*address], bytes),
                    Anchor::NdsHeader { game_code } => search.add_header(domain, game_code),
                    // Matched in blocks of the right size only: these anchors have no fixed text.
                    Anchor::PlausibleFields => search.twins.extend(twins::Layout::of(profile)),
                    Anchor::PieceBuffer { .. } | Anchor::RngPair { .. } | Anchor::PlayfieldLayout => {}
                    Anchor::Pools => search.pools.extend(pools::Layout::of(profile)),
                }
            }
        }
        search.pools.dedup_by(|one, other| one.equals(other));
        search.twins.dedup_by(|one, other| one.equals(other));
        search
    }

    /// Adds the game code in RAM's copy of the cartridge header.
    fn add_header(&mut self, domain: &'static Domain, game_code: &str) {
        let Some(copy) = domain.offset_of(nds_header::COPY) else { return };
        let known = self.needles.iter().any(|needle| needle.nds_game_code.as_deref() == Some(game_code));
        if game_code.len() >= MIN_NEEDLE && !known {
            self.needles.push(Needle {
                order: StorageOrder::AsOnBus,
                len: game_code.len(),
                finder: Finder::new(game_code).into_owned(),
                offsets: vec![(copy + nds_header::GAME_CODE) as u64],
                domain,
                nds_game_code: Some(game_code.to_owned()),
            });
        }
    }

    fn add_text(&mut self, domain: &'static Domain, at: &[ConsoleAddr], text: &[u8]) {
        let Some(offsets) = at.iter().map(|at| domain.offset_of(*at)).collect::<Option<Vec<_>>>() else {
            return;
        };
        let Some(&first) = offsets.first() else { return };
        for &order in domain.orders {
            let mut stored = text.to_vec();
            let mut skipped = 0;
            let word = order.word();
            if word > 1 {
                // Complete words only: the other half of a partial word is unknown.
                skipped = first.next_multiple_of(word) - first;
                stored.drain(..skipped.min(stored.len()));
                stored.truncate(stored.len() / word * word);
                order.reorder(&mut stored);
            }
            let uniform = stored.iter().all(|byte| Some(byte) == stored.first());
            let same_parity = offsets.iter().all(|offset| offset % word == first % word);
            let known = self.needles.iter().any(|needle| {
                needle.order == order
                    && needle.nds_game_code.is_none()
                    && needle.finder.needle() == stored
                    && needle.offsets[0] == (first + skipped) as u64
            });
            if stored.len() >= MIN_NEEDLE && !uniform && same_parity && !known {
                self.needles.push(Needle {
                    order,
                    len: stored.len(),
                    finder: Finder::new(&stored).into_owned(),
                    offsets: offsets.iter().map(|offset| (offset + skipped) as u64).collect(),
                    domain,
                    nds_game_code: None,
                });
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.needles.is_empty() && self.pools.is_empty() && self.twins.is_empty()
    }

    /// Searches all memory that may contain RAM.
    ///
    /// # Errors
    /// If the process ended or may not be read.
    pub fn search(
        &self,
        space: &dyn AddressSpace,
        regions: &[Region],
        budget: Budget,
    ) -> Result<ContentHits, ReadError> {
        let order = search_order(regions);
        let needles = self.needles.iter().map(|needle| needle.len);
        let overlap = needles.chain(self.twins.iter().map(twins::Layout::overlap)).max().unwrap_or(1);
        let overlap = overlap.max(pools::OVERLAP) - 1;
        let mut hits: BTreeSet<(usize, HostAddr)> = BTreeSet::new();
        let mut probes = Vec::new();
        let colors = self.pools.iter().fold(0, |all, layout| all | layout.colors());
        let mut blocks: Vec<twins::Hits> = self.twins.iter().map(|_| twins::Hits::default()).collect();
        let scanned = scan(space, &order, overlap, budget, |piece, at| {
            let used = in_use(piece, overlap);
            let (piece, at) = (&piece[used.clone()], at.offset(used.start as u64));
            for (index, needle) in self.needles.iter().enumerate() {
                for found in needle.finder.find_iter(piece) {
                    if hits.len() < MAX_LOCATIONS * 16 {
                        hits.insert((index, at.offset(found as u64)));
                    }
                }
            }
            if !self.pools.is_empty() {
                pools::find_probes(piece, colors, at, &mut probes);
            }
            for (layout, hits) in self.twins.iter().zip(&mut blocks) {
                layout.find(piece, at, self.alignment, hits);
            }
        })?;
        let mut locations = BTreeSet::new();
        for (index, needle) in self.needles.iter().enumerate() {
            let hits = hits.range((index, HostAddr(0))..=(index, HostAddr(u64::MAX))).map(|(_, hit)| *hit);
            let mut bases: Vec<HostAddr> =
                hits.clone().flat_map(|hit| needle.bases(space, hit, self.alignment)).collect();
            if needle.nds_game_code.is_some() {
                nds_cartridge::retain_loaded(space, needle.domain, hits, &mut bases);
            }
            locations.extend(bases.into_iter().map(|base| (base, needle.order as u8, needle.domain.len)));
        }
        for (layout, hits) in self.twins.iter().zip(blocks) {
            let bases = hits.bases.into_iter().filter(|(base, _)| ends_readable(space, *base, layout.domain));
            locations.extend(bases.map(|(base, order)| (base, order as u8, layout.domain.len)));
        }
        if locations.is_empty() {
            for layout in &self.pools {
                let len = layout.domain.len;
                locations.extend(
                    layout
                        .bases(space, &probes, self.alignment)
                        .map(|(base, order)| (base, order as u8, len)),
                );
            }
        }
        let order = |number: u8| StorageOrder::ALL.into_iter().find(|order| *order as u8 == number);
        let locations = locations.into_iter().take(MAX_LOCATIONS).map(|(base, number, len)| RamLocation {
            base,
            order: order(number),
            len: Some(len),
        });
        Ok(ContentHits { locations: locations.collect(), scanned, occurrences: hits.len() })
    }
}

impl Needle {
    /// The possible bases of the domain for an occurrence of this needle at `hit`.
    fn bases(
        &self,
        space: &dyn AddressSpace,
        hit: HostAddr,
        alignment: u64,
    ) -> impl Iterator<Item = HostAddr> {
        let bases = self.offsets.iter().filter_map(move |offset| hit.0.checked_sub(*offset));
        bases.map(HostAddr).filter(move |&base| {
            base.0 % alignment == 0
                && self.matches_at_all_offsets(space, base)
                && ends_readable(space, base, self.domain)
                && self.nds_game_code.as_ref().is_none_or(|game_code| {
                    // The game file in the emulator's memory has the same header, but no RAM before it.
                    nds_header::matches_at(space, base, self.domain, game_code)
                })
        })
    }

    fn matches_at_all_offsets(&self, space: &dyn AddressSpace, base: HostAddr) -> bool {
        let mut found = vec![0; self.len];
        self.offsets.iter().all(|offset| {
            space.read_exact(base.offset(*offset), &mut found).is_ok() && found == self.finder.needle()
        })
    }
}

/// The part of `piece` outside of which all is zero, and so much before and after it: nothing that is searched for consists of zeros alone.
/// Programs have stacks and tables of which they never use the most.
fn in_use(piece: &[u8], margin: usize) -> Range<usize> {
    const BLOCK: usize = 1024;
    let is_used = |block: &[u8]| block.iter().fold(0, |all, byte| all | byte) != 0;
    let mut blocks = piece.chunks(BLOCK);
    let Some(first) = blocks.position(is_used) else { return 0..0 };
    let last = blocks.rposition(is_used).map_or(first, |after| first + 1 + after);
    (first * BLOCK).saturating_sub(margin)..((last + 1) * BLOCK + margin).min(piece.len())
}

/// Whether the last byte of a domain that begins at `base` can be read.
fn ends_readable(space: &dyn AddressSpace, base: HostAddr, domain: &Domain) -> bool {
    space.read_exact(base.offset(u64::from(domain.len) - 1), &mut [0]).is_ok()
}

/// The regions to search: the heap and the modules' data first, then other memory, small before large, so that an exhausted budget
/// leaves out one large block instead of many small ones.
fn search_order(regions: &[Region]) -> Vec<&Region> {
    let mut order: Vec<&Region> = regions.iter().filter(|region| region.may_hold_data()).collect();
    let named = |region: &Region| region.path.is_some();
    order.sort_by_key(|region| (!named(region), region.len, region.start));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_zero_and_further_away_than_the_margin() {
        assert_eq!(in_use(&[0; 5000], 10), 0..0);
        assert_eq!(in_use(&[], 10), 0..0);
        assert_eq!(in_use(&[1; 5000], 10), 0..5000);
        for at in [0, 1023, 1024, 5000, 9999] {
            for other in [0, 2047, 2048, 9999] {
                for margin in [0, 7, 3000] {
                    let mut piece = vec![0; 10_000];
                    (piece[at], piece[other]) = (1, 1);
                    let used = in_use(&piece, margin);
                    let (low, high) = (at.min(other), at.max(other));
                    assert!(used.start <= low.saturating_sub(margin), "{at}, {other}, {margin}: {used:?}");
                    assert!(
                        used.end > high && used.end >= (high + margin).min(10_000),
                        "{at}, {other}: {used:?}"
                    );
                    assert!(
                        used.len() <= high - low + 2 * (1024 + margin),
                        "{at}, {other}, {margin}: {used:?}"
                    );
                }
            }
        }
    }
}

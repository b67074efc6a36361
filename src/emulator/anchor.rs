//! Content: the profile's anchors, wherever they stand in memory and in either byte order. This finds RAM in an
//! emulator that nobody has seen before.

use super::pools;
use super::scan::{Budget, Scanned, Space, scan};
use super::{Place, card};
use crate::console::{ConsoleAddr, Domain, StorageOrder, nds_header};
use crate::process::{HostAddr, ReadError, Region};
use crate::profile::{Anchor, Profile};
use memchr::memmem::Finder;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Places kept at most: text that stands in thousands of places proves nothing.
const PLACES_MOST: usize = 512;
/// A needle shorter than this would be found everywhere.
const NEEDLE_LEAST: usize = 4;

/// Bytes that stand at a known offset in RAM, as an emulator stores them.
struct Needle {
    order: StorageOrder,
    finder: Finder<'static>,
    len: usize,
    /// Offsets in the domain at which they stand; the second is where a copy must stand too.
    offsets: Vec<u64>,
    domain: &'static Domain,
    /// The game code, when the text is that of a Nintendo DS header: four letters prove little, checksums do.
    header_of: Option<String>,
}

/// What content the profiles' anchors let one search for.
pub(super) struct Wanted {
    needles: Vec<Needle>,
    pools: Vec<pools::Layout>,
    /// RAM begins at multiples of it.
    alignment: u64,
}

/// RAM kept as words stands at an even address, RAM kept as bytes is allocated at one too.
const IN_A_PROCESS: u64 = 2;

/// Where content stands.
pub(super) struct Hits {
    pub places: Vec<Place>,
    pub scanned: Scanned,
    /// Times that searched text was seen, also where it is not in RAM (the game's ROM holds it too).
    pub seen: usize,
}

impl Wanted {
    pub fn new(profiles: &[Arc<Profile>]) -> Self {
        Self::aligned(profiles, IN_A_PROCESS)
    }

    /// The same in a file, where RAM may begin anywhere.
    pub fn at_any_byte(profiles: &[Arc<Profile>]) -> Self {
        Self::aligned(profiles, 1)
    }

    fn aligned(profiles: &[Arc<Profile>], alignment: u64) -> Self {
        let mut wanted = Self { needles: Vec::new(), pools: Vec::new(), alignment };
        for profile in profiles {
            let domain = profile.console.domain();
            for anchor in &profile.anchors {
                match anchor {
                    Anchor::ChecksummedPair { first, second, magic, magic_offset, .. } => {
                        let at = [first.offset(*magic_offset), second.offset(*magic_offset)];
                        wanted.add_text(domain, &at, magic.as_bytes());
                    }
                    Anchor::Bytes { address, bytes } => wanted.add_text(domain, &[*address], bytes),
                    Anchor::NdsHeader { game_code } => wanted.add_header(domain, game_code),
                    // Found in blocks of the right size only: nothing says where RAM begins.
                    Anchor::PlausibleFields
                    | Anchor::PieceBuffer { .. }
                    | Anchor::RngPair { .. }
                    | Anchor::PlayfieldLayout => {}
                    Anchor::Pools => wanted.pools.extend(pools::Layout::of(profile)),
                }
            }
        }
        wanted.pools.dedup();
        wanted
    }

    /// The game code in the copy of the header that stands in RAM.
    fn add_header(&mut self, domain: &'static Domain, game_code: &str) {
        let Some(copy) = domain.offset_of(nds_header::COPY) else { return };
        let known = self.needles.iter().any(|needle| needle.header_of.as_deref() == Some(game_code));
        if game_code.len() >= NEEDLE_LEAST && !known {
            self.needles.push(Needle {
                order: StorageOrder::AsOnBus,
                len: game_code.len(),
                finder: Finder::new(game_code).into_owned(),
                offsets: vec![(copy + nds_header::GAME_CODE) as u64],
                domain,
                header_of: Some(game_code.to_owned()),
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
                // Whole words only: the rest of half a word is not known.
                skipped = first.next_multiple_of(word) - first;
                stored.drain(..skipped.min(stored.len()));
                stored.truncate(stored.len() / word * word);
                order.reorder(&mut stored);
            }
            let dull = stored.iter().all(|byte| Some(byte) == stored.first());
            let same_parity = offsets.iter().all(|offset| offset % word == first % word);
            let known = self.needles.iter().any(|needle| {
                needle.order == order
                    && needle.header_of.is_none()
                    && needle.finder.needle() == stored
                    && needle.offsets[0] == (first + skipped) as u64
            });
            if stored.len() >= NEEDLE_LEAST && !dull && same_parity && !known {
                self.needles.push(Needle {
                    order,
                    len: stored.len(),
                    finder: Finder::new(&stored).into_owned(),
                    offsets: offsets.iter().map(|offset| (offset + skipped) as u64).collect(),
                    domain,
                    header_of: None,
                });
            }
        }
    }

    /// Whether there is anything to search for.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty() && self.pools.is_empty()
    }

    /// Searches all memory that may hold RAM.
    ///
    /// # Errors
    /// When the process ended or refuses to be read.
    pub fn search(&self, space: &dyn Space, regions: &[Region], budget: Budget) -> Result<Hits, ReadError> {
        let order = likely_first(regions);
        let overlap = self.needles.iter().map(|needle| needle.len).max().unwrap_or(1).max(pools::OVERLAP) - 1;
        let mut hits: BTreeSet<(usize, HostAddr)> = BTreeSet::new();
        let mut runs = Vec::new();
        let scanned = scan(space, &order, overlap, budget, |piece, at| {
            for (index, needle) in self.needles.iter().enumerate() {
                for found in needle.finder.find_iter(piece) {
                    if hits.len() < PLACES_MOST * 16 {
                        hits.insert((index, at.offset(found as u64)));
                    }
                }
            }
            if !self.pools.is_empty() {
                pools::suspicious(piece, at, &mut runs);
            }
        })?;
        let mut places = BTreeSet::new();
        for (index, needle) in self.needles.iter().enumerate() {
            let hits = hits.range((index, HostAddr(0))..=(index, HostAddr(u64::MAX))).map(|(_, hit)| *hit);
            let mut bases: Vec<HostAddr> =
                hits.clone().flat_map(|hit| needle.bases(space, hit, self.alignment)).collect();
            if needle.header_of.is_some() {
                card::loaded_from_it(space, needle.domain, hits, &mut bases);
            }
            places.extend(bases.into_iter().map(|base| (base, needle.order as u8, needle.domain.len)));
        }
        if places.is_empty() {
            for layout in &self.pools {
                let len = layout.domain.len;
                places.extend(
                    layout.bases(space, &runs, self.alignment).map(|(base, order)| (base, order as u8, len)),
                );
            }
        }
        let order = |number: u8| StorageOrder::ALL.into_iter().find(|order| *order as u8 == number);
        let places = places.into_iter().take(PLACES_MOST).map(|(base, number, len)| Place {
            base,
            order: order(number),
            len: Some(len),
        });
        Ok(Hits { places: places.collect(), scanned, seen: hits.len() })
    }
}

impl Needle {
    /// Where the domain begins when the text seen at `hit` is this needle's, at any of its offsets.
    fn bases(&self, space: &dyn Space, hit: HostAddr, alignment: u64) -> impl Iterator<Item = HostAddr> {
        let bases = self.offsets.iter().filter_map(move |offset| hit.0.checked_sub(*offset));
        bases.map(HostAddr).filter(move |&base| {
            base.0 % alignment == 0
                && self.stands_everywhere(space, base)
                && {
                    let last = base.offset(u64::from(self.domain.len) - 1);
                    space.read_exact(last, &mut [0]).is_ok()
                }
                && self.header_of.as_ref().is_none_or(|game_code| {
                    // The game's file in the emulator's memory has the same header, but no RAM in front of it.
                    nds_header::stands_at(space, base, self.domain, game_code)
                })
        })
    }

    fn stands_everywhere(&self, space: &dyn Space, base: HostAddr) -> bool {
        let mut found = vec![0; self.len];
        self.offsets.iter().all(|offset| {
            space.read_exact(base.offset(*offset), &mut found).is_ok() && found == self.finder.needle()
        })
    }
}

/// The regions worth searching: the heap and the modules' own data, then other memory, small before large, so that
/// a budget that runs out has left out one large block and not many small ones.
fn likely_first(regions: &[Region]) -> Vec<&Region> {
    let mut order: Vec<&Region> = regions.iter().filter(|region| region.may_hold_data()).collect();
    let named = |region: &Region| region.path.is_some();
    order.sort_by_key(|region| (!named(region), region.len, region.start));
    order
}

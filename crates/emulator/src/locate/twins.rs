//! Finds RAM by a block that a game holds twice: equal content at a fixed distance, which passes the game's own check.
//!
//! Most equal memory at that distance is blank or periodic, so only windows with varied content are examined further.

use crate::process::HostAddr;
use nextscope_games::games::TwinBlocks;
use nextscope_games::profile::Profile;
use nextscope_memory::console::{Domain, StorageOrder};
use std::ops::RangeInclusive;

/// The distance between windows. A block contains at least one of them completely.
const STRIDE: usize = 32;
/// Bytes that are compared first.
const WINDOW: usize = 32;
/// Matching windows that are examined in one search: memory full of copies identifies nothing.
const MAX_WINDOWS: usize = 1 << 14;

/// What a search has found so far.
#[derive(Default)]
pub(super) struct Hits {
    /// Windows that were examined.
    windows: usize,
    /// The bases of the domain, and its byte order.
    pub bases: Vec<(HostAddr, StorageOrder)>,
}

/// Where a profile has its two blocks.
pub(super) struct Layout {
    pub domain: &'static Domain,
    /// The offset of the first block in the domain.
    first: u64,
    /// From the first to the second.
    distance: usize,
    len: usize,
    is_valid: fn(&[u8]) -> bool,
}

impl Layout {
    pub fn of(profile: &Profile) -> Option<Self> {
        let TwinBlocks { fields, is_valid } = profile.game.anchors().twins?;
        let domain = profile.console.domain();
        let [first, second] = fields.map(|field| profile.field(field));
        let len = first?.len().min(second?.len());
        let offset = |address| domain.offset_of(address).map(|offset| offset as u64);
        let (first, second) = (offset(first?.address)?, offset(second?.address)?);
        let distance = usize::try_from(second.checked_sub(first)?).ok()?;
        (len >= STRIDE + WINDOW).then_some(Self { domain, first, distance, len, is_valid })
    }

    /// Whether both look for the same blocks.
    pub fn equals(&self, other: &Self) -> bool {
        let key = |layout: &Self| (layout.domain.len, layout.first, layout.distance, layout.len);
        key(self) == key(other)
    }

    /// Bytes that consecutive pieces of memory must share so that both blocks are in one of them.
    pub fn overlap(&self) -> usize {
        self.distance + self.len
    }

    /// Adds those for the blocks in `piece`, in any byte order.
    pub fn find(&self, piece: &[u8], at: HostAddr, alignment: u64, hits: &mut Hits) {
        // Windows are at multiples of the stride in the address space, independent of the pieces.
        let Ok(start) = usize::try_from(at.0.next_multiple_of(STRIDE as u64) - at.0) else { return };
        let copies = piece.get(self.distance..).filter(|copies| copies.len() >= self.len);
        let Some(copies) = copies else { return };
        let pairs = (start..copies.len()).step_by(STRIDE).filter_map(|offset| {
            let window = piece.get(offset..offset + WINDOW)?;
            (window == copies.get(offset..offset + WINDOW)? && varies(window)).then_some(offset)
        });
        for window in pairs {
            hits.windows += 1;
            if hits.windows > MAX_WINDOWS {
                return;
            }
            for block in self.blocks_with(window, copies.len()) {
                let base = at.offset(block as u64).0.checked_sub(self.first);
                let Some(base) = base.filter(|base| base.is_multiple_of(alignment)) else { continue };
                let (one, other) = (&piece[block..block + self.len], &copies[block..block + self.len]);
                if one == other {
                    hits.bases.extend(self.orders(one).map(|order| (HostAddr(base), order)));
                }
            }
        }
    }

    /// The possible starts of a block that contains this window.
    fn blocks_with(&self, window: usize, len: usize) -> RangeInclusive<usize> {
        let last = window.min(len - self.len);
        (window + WINDOW).saturating_sub(self.len)..=last
    }

    /// The byte orders in which the block is valid.
    fn orders(&self, stored: &[u8]) -> impl Iterator<Item = StorageOrder> {
        let usable = |order: &&StorageOrder| {
            let word = order.word().max(1);
            self.first.is_multiple_of(word as u64) && self.len.is_multiple_of(word)
        };
        self.domain.orders.iter().filter(usable).copied().filter(|order| {
            let mut block = stored.to_vec();
            order.reorder(&mut block);
            (self.is_valid)(&block)
        })
    }
}

/// Whether the window is neither blank nor made of one repeated 32-bit or 64-bit word.
fn varies(window: &[u8]) -> bool {
    window.iter().zip(&window[8..]).any(|(one, next)| one != next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_games::profile::built_in_profiles;

    fn layout() -> Layout {
        let profile = built_in_profiles().into_iter().find(|profile| profile.id == "mean-bean-genesis");
        Layout::of(&profile.unwrap()).unwrap()
    }

    /// A valid block, which ends in noise that is different for each `seed`.
    fn block(seed: u8) -> Vec<u8> {
        use nextscope_games::games::mean_bean::{OPTIONS_LEN, options_checksum};
        let mut block = vec![0; OPTIONS_LEN];
        let mut noise = seed;
        for byte in &mut block[2 + usize::from(seed) % 96..] {
            noise = noise.wrapping_mul(77).wrapping_add(41);
            *byte = noise;
        }
        let sum = options_checksum(&block[2..]).to_be_bytes();
        block[..2].copy_from_slice(&sum);
        block
    }

    #[test]
    fn blocks_at_every_alignment_and_in_both_orders_are_found() {
        let layout = layout();
        for (at, seed) in (0_usize..70).map(|number| number * 2).zip(1..) {
            for order in layout.domain.orders {
                let start = 0x1_0000 + at;
                let mut memory = vec![0x20; 0x1_1000];
                let mut stored = block(seed);
                order.reorder(&mut stored);
                for start in [start, start + layout.distance] {
                    memory[start..start + layout.len].copy_from_slice(&stored);
                }
                let address = HostAddr(0x7000_0000_0000);
                let find = |memory: &[u8]| {
                    let mut hits = Hits::default();
                    layout.find(memory, address, 2, &mut hits);
                    hits.bases.dedup();
                    hits.bases
                };
                let base = HostAddr(address.0 + start as u64 - layout.first);
                assert_eq!(find(&memory), [(base, *order)], "at {start:#x}, seed {seed}");
                // In a piece that ends before the copy does, it is not found.
                for end in [0, layout.distance, layout.distance + 40, start + layout.overlap() - 1] {
                    assert_eq!(find(&memory[..end]), []);
                }
                assert_eq!(find(&memory[memory.len() - layout.distance - 40..]), []);
                // A copy that differs, or a block with another checksum, is not one.
                memory[start + layout.distance + 90] ^= 1;
                assert_eq!(find(&memory), []);
            }
        }
    }

    #[test]
    fn blank_and_periodic_memory_is_not_examined() {
        let layout = layout();
        for memory in [vec![7; 1 << 16], [1, 2, 3, 4, 5, 6, 7, 8].repeat(1 << 13)] {
            let mut hits = Hits::default();
            layout.find(&memory, HostAddr(0x1000), 2, &mut hits);
            assert_eq!((hits.windows, hits.bases), (0, vec![]));
        }
    }
}

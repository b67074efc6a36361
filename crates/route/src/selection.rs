//! Which boards of a layer are retained.

use nextscope_boards::puyo::Placement;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// A candidate board for the next layer.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub value: i32,
    /// The result of the path so far (points; for garbage goals including the all clear bonus, in points) and its frames: all that matters
    /// later besides the board.
    pub credit: u32,
    pub frames: u32,
    /// The parent's index in its layer and, in the lowest bits, the placement.
    pub origin: u32,
    pub hash: u64,
}

/// Bits of [`Child::origin`] for the placement; the bits above must be able to represent [`super::planning::MAX_WIDTH`].
pub(super) const PLACEMENT_BITS: u32 = 5;
const _: () = assert!(Placement::ALL.len() <= 1 << PLACEMENT_BITS);
const _: () = assert!(super::planning::MAX_WIDTH <= 1 << (u32::BITS - PLACEMENT_BITS));

impl Child {
    pub fn parent(&self) -> u32 {
        self.origin >> PLACEMENT_BITS
    }

    pub fn placement(&self) -> u8 {
        (self.origin & ((1 << PLACEMENT_BITS) - 1)) as u8
    }

    /// Sort key: the better one first; no two are equal.
    pub fn order(&self) -> (Reverse<i32>, u64, u32) {
        (Reverse(self.value), self.hash, self.origin)
    }

    /// Selects one of two paths to the same board.
    fn or_same_board(self, other: Self, paths: SameBoard) -> Self {
        if paths != SameBoard::MostPoints {
            return if self.order() < other.order() { self } else { other };
        }
        let rank = |child: &Self| (Reverse(child.credit), child.origin);
        let best = if rank(&self) < rank(&other) { self } else { other };
        Self { value: self.value.max(other.value), ..best }
    }
}

pub(super) fn truncate_best(children: &mut Vec<Child>, most: usize) {
    if children.len() > most {
        children.select_nth_unstable_by_key(most, Child::order);
        children.truncate(most);
    }
}

/// Which of several paths to the same board are retained.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SameBoard {
    /// The one with the most points: waste on the path no longer matters.
    MostPoints,
    /// The one with the best value, which contains the cost of its frames.
    BestValue,
    /// All that no other one beats in both points and frames.
    EachTradeoff,
}

/// The selection for a layer.
pub(super) struct Selection {
    /// Best first.
    pub children: Vec<Child>,
    /// Boards were dropped because of the width.
    pub cut: bool,
    /// Among paths to the same board, the retained one is the best in every respect.
    pub lossless: bool,
}

/// Selects the best children of all threads.
pub(super) fn select(parts: Vec<Vec<Child>>, width: usize, paths: SameBoard) -> Selection {
    let mut children: Vec<Child> = Vec::new();
    for part in parts {
        if children.is_empty() {
            children = part;
        } else {
            children.extend_from_slice(&part);
        }
    }
    if paths == SameBoard::EachTradeoff {
        return select_tradeoffs(children, width);
    }
    let all = children.len();
    truncate_best(&mut children, 2 * width);
    let mut cut = children.len() < all;
    let mut places: HashMap<u64, usize, BuildHasherDefault<IdentityHasher>> = HashMap::default();
    let mut selected: Vec<Child> = Vec::with_capacity(children.len());
    // Among all paths to each board, the most points and the fewest frames.
    let mut best: Vec<(u32, u32)> = Vec::with_capacity(children.len());
    for child in children {
        match places.entry(child.hash) {
            Entry::Occupied(place) => {
                let place = *place.get();
                selected[place] = selected[place].or_same_board(child, paths);
                best[place] = (best[place].0.max(child.credit), best[place].1.min(child.frames));
            }
            Entry::Vacant(place) => {
                place.insert(selected.len());
                selected.push(child);
                best.push((child.credit, child.frames));
            }
        }
    }
    let lossless = selected.iter().zip(&best).all(|(child, best)| (child.credit, child.frames) == *best);
    cut |= selected.len() > width;
    truncate_best(&mut selected, width);
    selected.sort_unstable_by_key(Child::order);
    Selection { children: selected, cut, lossless }
}

/// Selects the best of those children that no other path to the same board beats in both points and frames. A second path to a board is
/// selected only where there is room after all boards.
fn select_tradeoffs(mut children: Vec<Child>, width: usize) -> Selection {
    children.sort_unstable_by_key(|child| (child.hash, child.frames, Reverse(child.credit), child.origin));
    let mut most: Option<(u64, u32)> = None;
    children.retain(|child| {
        let is_better = most.is_none_or(|(hash, credit)| hash != child.hash || child.credit > credit);
        if is_better {
            most = Some((child.hash, child.credit));
        }
        is_better
    });
    let cut = children.len() > width;
    if cut {
        let mut ranked: Vec<(usize, Child)> = Vec::with_capacity(children.len());
        for paths in children.chunk_by_mut(|one, other| one.hash == other.hash) {
            paths.sort_unstable_by_key(Child::order);
            ranked.extend(paths.iter().copied().enumerate());
        }
        ranked.sort_unstable_by_key(|(nth, child)| (*nth, child.order()));
        children = ranked.into_iter().take(width).map(|(_, child)| child).collect();
    }
    children.sort_unstable_by_key(Child::order);
    Selection { children, cut, lossless: true }
}

/// A hasher for keys that are already hashes.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

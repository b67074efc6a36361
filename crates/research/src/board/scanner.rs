//! Scanning for a board: a few pairs of cells are compared at many offsets at once, then each candidate in full.
//!
//! Most memory repeats one byte and has no two unlike cells; in the rest, cells that must be equal seldom are.

use super::{BoardPattern, MASKS};
use crate::sequence::Shape;
use std::ops::Range;

/// Offsets compared at once.
const LANES: usize = 64;
/// Offsets for which all orders of cells are tried, so that their bytes stay in the cache.
const STRIP: usize = 1024;
/// Pairs of equal cells that are compared.
const ALIKE_MOST: usize = 4;

/// Bytes from a cell to its right neighbour and to the one below.
pub(super) type Strides = (isize, isize);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hit {
    /// The offset of the cell at the top left.
    pub start: usize,
    pub strides: Strides,
    pub mask: u8,
    pub codes: Vec<(u8, u8)>,
}

/// A board prepared for all orders of cells.
pub(super) struct BoardScanner {
    shape: Shape,
    width: isize,
    orders: Vec<Order>,
    /// Bytes that cells may lie before and after the one at the top left.
    pub before: usize,
    pub after: usize,
}

/// An order of cells, with the offsets of the compared cells from the one at the top left.
struct Order {
    strides: Strides,
    lowest: isize,
    highest: isize,
    unlike: [isize; 2],
    alike: Vec<[isize; 2]>,
}

impl BoardScanner {
    /// The board must have two kinds of cells or more.
    pub fn new(painted: &BoardPattern, strides: &[Strides]) -> Self {
        let shape = Shape::of(&painted.cells);
        let width = painted.width.cast_signed();
        let mut kinds: Vec<Vec<isize>> = vec![Vec::new(); shape.kinds];
        for (place, kind) in shape.places() {
            kinds[kind].push(place);
        }
        let unlike = [0, 1].map(|kind| kinds.get(kind).map_or(0, |places| places[0]));
        // One pair of each kind in turn: pairs of different kinds exclude more.
        let most = kinds.iter().map(Vec::len).max().unwrap_or(0);
        let nth_of_each = |nth| kinds.iter().filter_map(move |places| Some([places[0], *places.get(nth)?]));
        let alike: Vec<[isize; 2]> = (1..most).flat_map(nth_of_each).take(ALIKE_MOST).collect();
        let order = |strides: &Strides| {
            let offset = |place| offset(width, *strides, place);
            let all = || shape.places().map(|(place, _)| offset(place));
            Order {
                strides: *strides,
                lowest: all().min().unwrap_or(0),
                highest: all().max().unwrap_or(0),
                unlike: unlike.map(offset),
                alike: alike.iter().map(|pair| pair.map(offset)).collect(),
            }
        };
        let orders: Vec<Order> = strides.iter().map(order).collect();
        let before = orders.iter().map(|order| order.lowest.min(0).unsigned_abs()).max().unwrap_or(0);
        let after = orders.iter().map(|order| order.highest.max(0).unsigned_abs()).max().unwrap_or(0);
        Self { shape, width, orders, before, after }
    }

    /// Boards in `bytes` whose cell at the top left is at one of `starts`, by start, then by strides. After `most` results some
    /// may be missing.
    pub fn scan(&self, bytes: &[u8], starts: Range<usize>, most: usize) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut from = starts.start;
        while from < starts.end && hits.len() <= most {
            let strip = from..starts.end.min(from + STRIP);
            from = strip.end;
            let end = bytes.len().min(strip.end + self.after);
            let around = &bytes[strip.start.saturating_sub(self.before)..end];
            if around.len() < 2 || around[1..] == around[..around.len() - 1] {
                continue; // one repeated byte: no unlike cells
            }
            let first = hits.len();
            for order in &self.orders {
                self.strip(order, bytes, strip.clone(), &mut hits);
            }
            hits[first..].sort_by_key(|hit| hit.start);
        }
        hits
    }

    fn strip(&self, order: &Order, bytes: &[u8], strip: Range<usize>, hits: &mut Vec<Hit>) {
        for at in strip.clone().step_by(LANES) {
            let all = at..strip.end.min(at + LANES);
            match lanes(order, bytes, at).filter(|_| all.len() == LANES) {
                Some(may) if may == [false; LANES] => {}
                Some(may) => {
                    let places = all.zip(may).filter(|(_, may)| *may);
                    hits.extend(places.filter_map(|(start, _)| self.at(order.strides, bytes, start)));
                }
                None => hits.extend(all.filter_map(|start| self.at(order.strides, bytes, start))),
            }
        }
    }

    /// The board at this offset, with the widest mask that matches.
    fn at(&self, strides: Strides, bytes: &[u8], start: usize) -> Option<Hit> {
        MASKS.into_iter().find_map(|mask| {
            let cell = |place| {
                let at = start.checked_add_signed(offset(self.width, strides, place))?;
                Some(bytes.get(at)? & mask)
            };
            Some(Hit { start, strides, mask, codes: self.shape.codes_by(cell)? })
        })
    }
}

/// From the cell at the top left to the one at `place` of the picture.
fn offset(width: isize, (right, down): Strides, place: isize) -> isize {
    place / width * down + place % width * right
}

/// The offsets from `at` on where unlike cells differ and equal ones do not, in the bits of one mask. None when some cells would
/// lie outside.
#[inline]
fn lanes(order: &Order, bytes: &[u8], at: usize) -> Option<[bool; LANES]> {
    at.checked_add_signed(order.lowest)?;
    bytes.get(..at.checked_add_signed(order.highest)? + LANES)?;
    let run = |offset: isize| bytes[at.wrapping_add_signed(offset)..].first_chunk::<LANES>();
    let mut unlike = [0; LANES];
    differences(run(order.unlike[0])?, run(order.unlike[1])?, &mut unlike);
    if unlike == [0; LANES] {
        return Some([false; LANES]);
    }
    let mut alike = [0; LANES];
    for [one, other] in &order.alike {
        differences(run(*one)?, run(*other)?, &mut alike);
    }
    let mut may = [false; LANES];
    for ((may, unlike), alike) in may.iter_mut().zip(unlike).zip(alike) {
        // Written out for all masks: a loop over them is not vectorized.
        let under = |mask: u8| (alike & mask == 0) & (unlike & mask != 0);
        *may = under(MASKS[0]) | under(MASKS[1]) | under(MASKS[2]);
    }
    Some(may)
}

/// Adds the bits in which the bytes differ.
#[inline]
fn differences(one: &[u8; LANES], other: &[u8; LANES], bits: &mut [u8; LANES]) {
    for ((bits, one), other) in bits.iter_mut().zip(one).zip(other) {
        *bits |= one ^ other;
    }
}

#[cfg(test)]
mod tests {
    use super::super::strides;
    use super::*;
    use proptest::prelude::*;

    /// Every offset, order and mask in turn.
    fn plain(painted: &BoardPattern, strides: &[Strides], bytes: &[u8], starts: Range<usize>) -> Vec<Hit> {
        let shape = Shape::of(&painted.cells);
        let width = painted.width.cast_signed();
        let mut hits = Vec::new();
        for start in starts {
            for (right, down) in strides {
                let found = MASKS.iter().find_map(|mask| {
                    let cell = |place: isize| {
                        let offset = place / width * down + place % width * right;
                        Some(bytes.get(start.checked_add_signed(offset)?)? & mask)
                    };
                    Some((*mask, shape.codes_by(cell)?))
                });
                if let Some((mask, codes)) = found {
                    hits.push(Hit { start, strides: (*right, *down), mask, codes });
                }
            }
        }
        hits
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        /// Memory of few values, so that it contains boards by chance, with stretches of one value and a planted board.
        #[test]
        fn the_sieve_lets_through_what_the_plain_version_finds_and_nothing_else(
            width in 1usize..7,
            height in 1usize..7,
            letters in prop::collection::vec(prop::option::weighted(0.8, 0u8..3), 36),
            bytes in prop::collection::vec(prop::sample::select(vec![0u8, 0, 0, 1, 2, 0x10, 0x21, 0x80]), 1500..2600),
            blank in 0usize..1500,
            first in 0usize..300,
            cut in 0usize..300,
            planted: prop::sample::Index,
            start in 200usize..1300,
        ) {
            let cells = letters.chunks(width).take(height).map(<[_]>::to_vec).collect::<Vec<_>>();
            prop_assume!(cells.iter().all(|row| row.len() == width));
            let Ok(painted) = BoardPattern::new(&cells) else { return Ok(()) };
            let strides = strides(painted.width, painted.height());
            let mut bytes = bytes;
            let end = bytes.len().min(blank + 1200);
            bytes[blank.min(end)..end].fill(0);
            let order = strides[planted.index(strides.len())];
            for (place, letter) in painted.cells.iter().enumerate() {
                let at = start.checked_add_signed(offset(width.cast_signed(), order, place.cast_signed()));
                if let (Some(letter), Some(at)) = (letter, at) && at < bytes.len() {
                    bytes[at] = 0x40 | letter << 4 | bytes[at] & 0x0F;
                }
            }
            let starts = first.min(bytes.len())..bytes.len() - cut;
            let scanner = BoardScanner::new(&painted, &strides);
            prop_assert_eq!(scanner.scan(&bytes, starts.clone(), usize::MAX), plain(&painted, &strides, &bytes, starts));
        }
    }
}

//! The positions that the first pieces of a game can lead to, computed once for all seeds: which piece a draw deals in each of them, and
//! where it leads. A search over all seeds then needs a draw and two comparisons for a known piece, six for an unknown one.

use crate::games::bounded::{Bounded, DealHistory, Limits};
use crate::games::piece::Piece;
use crate::seeds::pieces::game::skipped;
use crate::seeds::pieces::scan::low;
use nextscope_boards::SplitMix64;
use std::collections::HashMap;

/// The most positions: as many as fit into the second cache of a core.
const MAX_POSITIONS: usize = 4096;
/// In place of a position that was not computed.
const BEYOND: u32 = u32::MAX;

/// A position, and what the next draw of 32 bits makes of it.
struct Position {
    history: DealHistory,
    /// A draw deals the piece whose index is the number of these that are not above it.
    bounds: [u64; 6],
    /// The position after each piece; [`BEYOND`] if it was not computed. Not read for pieces other than the given one.
    after: [u32; 7],
}

impl Position {
    fn new(history: DealHistory) -> Self {
        let weights = history.weights().map(u64::from);
        let sum: u64 = weights.iter().sum();
        let mut below = 0;
        let bounds = std::array::from_fn(|piece| {
            below += weights[piece];
            // The draws for which (draw * sum) >> 32 is below this: see `SplitMix64::below`.
            (below << 32).div_ceil(sum)
        });
        Self { history, bounds, after: [BEYOND; 7] }
    }

    /// The index of the piece that a draw deals.
    fn piece(&self, draw: u64) -> usize {
        self.bounds.iter().filter(|bound| **bound <= draw).count()
    }

    /// Whether a draw deals the piece with this index.
    fn deals(&self, piece: usize, draw: u64) -> bool {
        let from = piece.checked_sub(1).map_or(0, |piece| self.bounds[piece]);
        let to = self.bounds.get(piece).copied().unwrap_or(u64::MAX);
        (from..to).contains(&draw)
    }
}

/// The positions of all games that begin with the given pieces.
pub(super) struct DealTree {
    limits: Limits,
    /// The number of the first given piece, from 1.
    first: u32,
    /// The pieces by index, from the first of the game on; None for an unknown one.
    pieces: Vec<Option<usize>>,
    positions: Vec<Position>,
}

impl DealTree {
    /// With these pieces from number `first` on, None for an unknown one.
    pub fn new(limits: Limits, first: u32, given: &[Option<Piece>]) -> Self {
        let unknown = (1..first).map(|_| None);
        let pieces: Vec<Option<Piece>> = unknown.chain(given.iter().copied()).collect();
        let mut positions = vec![Position::new(DealHistory::new(limits))];
        let mut computed = 0;
        for piece in &pieces {
            let all = positions.len();
            let Some((rows, mut after)) = after_each(&positions[computed..], *piece, all) else { break };
            for (position, row) in positions[computed..].iter_mut().zip(rows) {
                position.after = row;
            }
            positions.append(&mut after);
            computed = all;
        }
        Self {
            limits,
            first,
            pieces: pieces.iter().map(|piece| piece.map(Piece::index)).collect(),
            positions,
        }
    }

    /// The dealer of a seed before the first given piece; or how many of the given pieces it deals, if that is known at once.
    #[inline]
    pub fn dealer(&self, seed: u32) -> Result<Bounded, usize> {
        match self.first_difference(seed) {
            Some(place) => Err(place + 1 - self.first as usize),
            None => Ok(skipped(Bounded::new(seed, self.limits), self.first)),
        }
    }

    /// How many of the pieces the game of this seed deals; None if it may deal all: the positions after that were not computed, or there are no
    /// more pieces.
    #[inline]
    fn first_difference(&self, seed: u32) -> Option<usize> {
        let (mut rng, mut position) = (SplitMix64(seed.into()), self.positions.first()?);
        for (place, piece) in self.pieces.iter().enumerate() {
            let draw = u64::from(rng.draw());
            let piece = match piece {
                Some(piece) if !position.deals(*piece, draw) => return Some(place),
                Some(piece) => *piece,
                None => position.piece(draw),
            };
            position = self.positions.get(position.after[piece] as usize)?;
        }
        None
    }
}

/// After each of these positions: for each piece, the number of the position after it, from `number` on; and the new positions. Only for this
/// piece, if it is known. None if there are too many.
fn after_each(
    positions: &[Position],
    piece: Option<Piece>,
    number: usize,
) -> Option<(Vec<[u32; 7]>, Vec<Position>)> {
    let (mut known, mut rows, mut after) = (HashMap::new(), Vec::new(), Vec::new());
    for position in positions {
        let mut row = [BEYOND; 7];
        for (next, history) in position.history.followers(piece) {
            row[next.index()] = *known.entry(history).or_insert_with(|| {
                after.push(Position::new(history));
                low((number + after.len() - 1) as u64)
            });
        }
        rows.push(row);
        if number + after.len() > MAX_POSITIONS {
            return None;
        }
    }
    Some((rows, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::piece::Dealer;
    use crate::seeds::pieces::scan::scan_all;
    use nextscope_task::Progress;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_tree_finds_what_the_dealer_finds(
            drought in 6u8..16, flood in 1u8..3, snakes in prop::option::of(2u8..5), memory in 0u8..4,
            seed in 0u32..4096, first in 1u32..7, known: [bool; 7],
        ) {
            let limits = Limits { drought, flood, snakes, memory };
            let mut dealer = skipped(Bounded::new(seed, limits), first);
            let given = known.map(|known| Some(dealer.deal()).filter(|_| known));
            let plain = |start| Ok(skipped(Bounded::new(low(start), limits), first));
            let tree = DealTree::new(limits, first, &given);
            let fast = |start| tree.dealer(low(start));
            let expected = scan_all(4096, plain, &given, &Progress::default());
            prop_assert!(expected.as_ref().is_some_and(|scan| scan.stored.contains(&seed.into())));
            prop_assert_eq!(scan_all(4096, fast, &given, &Progress::default()), expected);
        }
    }

    #[test]
    fn more_unknown_pieces_than_positions_fit_are_left_to_the_dealer() {
        let few = DealTree::new(Limits::default(), 3, &[Some(Piece::J)]);
        let many = DealTree::new(Limits::default(), 13, &[Some(Piece::J)]);
        assert!(many.positions.len() <= MAX_POSITIONS && many.positions.len() > few.positions.len());
        let mut differ = 0;
        for seed in 0..1000 {
            let third = Bounded::new(seed, Limits::default()).deal_many(3)[2];
            assert_eq!(few.first_difference(seed), (third != Piece::J).then_some(2), "{seed}");
            assert_eq!(many.first_difference(seed), None, "{seed}");
            differ += usize::from(third != Piece::J);
        }
        assert!((700..950).contains(&differ), "{differ}");
    }
}

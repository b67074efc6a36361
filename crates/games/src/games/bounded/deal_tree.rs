//! The positions that the first pieces of a game can lead to, computed once for all seeds: which piece a draw deals in each of them, and
//! where it leads. A search over all seeds then needs a draw and six comparisons for a piece.

use crate::games::bounded::{Bounded, DealHistory};
use crate::games::piece::{Dealer, Piece};
use crate::games::uniform::Uniform;
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
    /// The position after each piece; [`BEYOND`] if it was not computed. For a piece other than the given one it is any position: the search
    /// gives the seed up.
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
        Self { history, bounds, after: [0; 7] }
    }
}

/// The positions of all games that begin with the given pieces.
pub(super) struct DealTree(Vec<Position>);

impl DealTree {
    /// From the start, with these pieces, None for an unknown one.
    pub fn new(start: DealHistory, given: impl IntoIterator<Item = Option<Piece>>) -> Self {
        let mut positions = vec![Position::new(start)];
        let mut computed = 0;
        for piece in given {
            let all = positions.len();
            let mut known = HashMap::new();
            let mut rows = Vec::new();
            let mut after = Vec::new();
            for position in &positions[computed..] {
                let mut row = [0; 7];
                for (next, history) in position.history.followers(piece) {
                    row[next.index()] = *known.entry(history).or_insert_with(|| {
                        after.push(Position::new(history));
                        low((all + after.len() - 1) as u64)
                    });
                }
                rows.push(row);
                if all + after.len() > MAX_POSITIONS {
                    break;
                }
            }
            if all + after.len() > MAX_POSITIONS {
                positions[computed..].iter_mut().for_each(|position| position.after = [BEYOND; 7]);
                break;
            }
            for (position, row) in positions[computed..].iter_mut().zip(rows) {
                position.after = row;
            }
            positions.append(&mut after);
            computed = all;
        }
        Self(positions)
    }

    /// The dealer of a seed.
    pub fn dealer(&self, seed: u32) -> TreeDealer<'_> {
        TreeDealer { tree: self, rng: SplitMix64(seed.into()), place: Place::Computed(0) }
    }
}

/// Deals as [`Bounded`] does, for as long as it deals the given pieces and one more.
#[derive(Clone, Copy)]
pub(super) struct TreeDealer<'a> {
    tree: &'a DealTree,
    rng: SplitMix64,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    Computed(u32),
    Beyond(DealHistory),
}

impl Dealer for TreeDealer<'_> {
    #[inline]
    fn deal(&mut self) -> Piece {
        match self.place {
            Place::Computed(number) => {
                let position = &self.tree.0[number as usize];
                let draw = u64::from(self.rng.draw());
                let piece = Piece::ALL[position.bounds.iter().filter(|bound| **bound <= draw).count()];
                self.place = match position.after[piece.index()] {
                    BEYOND => Place::Beyond(position.history.after(piece)),
                    after => Place::Computed(after),
                };
                piece
            }
            Place::Beyond(history) => {
                let mut dealer = Bounded { rng: Uniform::SplitMix64(self.rng.0), history };
                let piece = dealer.deal();
                self.place = Place::Beyond(dealer.history);
                self.rng.draw();
                piece
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::bounded::Limits;
    use crate::seeds::pieces::game::skipped;
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
            let before = (1..first).map(|_| None);
            let tree = DealTree::new(DealHistory::new(limits), before.chain(given));
            let fast = |start| Ok(skipped(tree.dealer(low(start)), first));
            let expected = scan_all(4096, plain, &given, &Progress::default());
            prop_assert!(expected.as_ref().is_some_and(|scan| scan.stored.contains(&seed.into())));
            prop_assert_eq!(scan_all(4096, fast, &given, &Progress::default()), expected);
        }
    }

    #[test]
    fn more_unknown_pieces_than_positions_fit_are_dealt_one_by_one() {
        let start = DealHistory::new(Limits::default());
        let few = DealTree::new(start, [None; 3]);
        assert!(few.0.iter().all(|position| !position.after.contains(&BEYOND)));
        let many = DealTree::new(start, [None; 12]);
        assert!(many.0.len() <= MAX_POSITIONS && many.0.iter().any(|position| position.after == [BEYOND; 7]));
        for seed in 0..1000 {
            let mut plain = Bounded::new(seed, Limits::default());
            assert_eq!(many.dealer(seed).deal_many(12), plain.deal_many(12), "{seed}");
        }
    }
}

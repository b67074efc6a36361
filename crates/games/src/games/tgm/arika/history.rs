//! The history of the last four pieces, which all three games avoid, and the draws that use it.

use crate::games::piece::{Chances, Piece};
use crate::games::tgm::arika::State;

/// The pieces in the order of Arika's numbers 0 to 6 (reference 3.3).
pub const PIECES: [Piece; 7] = [Piece::I, Piece::Z, Piece::S, Piece::J, Piece::L, Piece::O, Piece::T];

/// The last four pieces, newest first. Empty before the first piece.
///
/// One byte per piece, the newest lowest, with one bit set per piece: a membership test takes two shifts, and the oldest
/// piece drops out at the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct History(u32);

impl History {
    /// The chance of each piece: up to `passes` checked draws of seven, then one draw that is accepted unconditionally (reference 3.4).
    pub fn chances(self, passes: i32) -> Chances {
        let held = Piece::ALL.map(|piece| self.contains(piece));
        let fails = held.iter().filter(|&&held| held).count() as f64 / 7.0;
        let forced = fails.powi(passes) / 7.0;
        // 1/7 in the first pass, and in each later pass that is reached.
        let chosen = (0..passes).map(|pass| fails.powi(pass)).sum::<f64>() / 7.0;
        held.map(|held| if held { forced } else { chosen + forced })
    }

    /// No piece has been dealt.
    pub const EMPTY: Self = Self(0);

    /// A history of these four pieces, newest first.
    pub const fn new(newest_first: [Piece; 4]) -> Self {
        let [a, b, c, d] = newest_first;
        Self(1 << a.index() | 1 << (b.index() + 8) | 1 << (c.index() + 16) | 1 << (d.index() + 24))
    }

    /// Whether no piece has been dealt.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the history contains the piece.
    pub const fn contains(self, piece: Piece) -> bool {
        let both = self.0 | self.0 >> 16;
        (both | both >> 8) >> piece.index() & 1 == 1
    }

    /// The history after dealing `piece`.
    #[must_use]
    pub const fn then(self, piece: Piece) -> Self {
        Self(self.0 << 8 | 1 << piece.index())
    }

    /// The four pieces, newest first; None before the first piece.
    pub fn pieces(self) -> Option<[Piece; 4]> {
        let at = |place: u32| Piece::ALL.get((self.0 >> (8 * place) & 0xFF).trailing_zeros() as usize);
        Some([*at(0)?, *at(1)?, *at(2)?, *at(3)?])
    }
}

/// The first piece of a game: redrawn until it is not S, Z or O (reference 3.3).
pub fn first_piece(rng: &mut State) -> Piece {
    loop {
        let piece = one_of_seven(rng);
        if is_first_piece(piece) {
            return piece;
        }
    }
}

/// Whether a game can start with this piece.
pub const fn is_first_piece(piece: Piece) -> bool {
    !matches!(piece, Piece::S | Piece::Z | Piece::O)
}

/// One draw of seven.
pub fn one_of_seven(rng: &mut State) -> Piece {
    PIECES[(rng.draw() % 7) as usize]
}

/// Draws a piece in at most `passes` passes. A pass draws once, and draws again if that piece is in the history; the next pass
/// overwrites the result of the second draw with its own first draw. So only the last pass's second draw counts, and it is
/// dealt unconditionally (reference 3.4).
pub fn by_passes(rng: &mut State, history: History, passes: u32) -> Piece {
    let mut piece = one_of_seven(rng);
    for pass in 1..=passes {
        if !history.contains(piece) {
            return piece;
        }
        piece = one_of_seven(rng);
        if pass < passes {
            piece = one_of_seven(rng);
        }
    }
    piece
}

/// All (state, history) pairs from which [`by_passes`] deals the newest piece of this history and ends in this state. The piece
/// that dropped out of the history and the number of draws are unknown, so there can be several. `start` is the history after the first piece.
pub fn before(
    rng: State,
    history: History,
    passes: u32,
    start: fn(Piece) -> History,
) -> Vec<(State, History)> {
    let Some([dealt, a, b, c]) = history.pieces() else { return Vec::new() };
    let draws = (0..passes).map(|failed| 2 * failed + 1).chain([2 * passes]);
    let befores =
        draws.flat_map(|draws| Piece::ALL.map(|oldest| (rng.back(draws), History::new([a, b, c, oldest]))));
    let leads_here = |&(state, older): &(State, History)| {
        let mut state = state;
        by_passes(&mut state, older, passes) == dealt && state == rng
    };
    let mut all: Vec<_> = befores.filter(leads_here).collect();
    if history == start(dealt) {
        // The game may start here, with any number of rejected draws before the last.
        let drawn = |state: State| PIECES[(state.value() % 7) as usize];
        let mut state = rng;
        while if state == rng { drawn(state) == dealt } else { !is_first_piece(drawn(state)) } {
            state = state.previous();
            all.push((state, History::EMPTY));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_contains_the_last_four_pieces() {
        let history = History::new([Piece::T, Piece::Z, Piece::S, Piece::S]);
        assert_eq!(history.pieces(), Some([Piece::T, Piece::Z, Piece::S, Piece::S]));
        let held = |history: History| {
            Piece::ALL.into_iter().filter(|&piece| history.contains(piece)).collect::<Vec<_>>()
        };
        assert_eq!(held(history), [Piece::S, Piece::T, Piece::Z]);
        let later = history.then(Piece::I).then(Piece::I).then(Piece::J);
        assert_eq!(later.pieces(), Some([Piece::J, Piece::I, Piece::I, Piece::T]));
        assert_eq!(held(later), [Piece::I, Piece::J, Piece::T]);
        assert!(History::EMPTY.is_empty() && History::EMPTY.pieces().is_none());
        assert!(held(History::EMPTY).is_empty());
    }
}

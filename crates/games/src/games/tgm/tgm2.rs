//! TAP, Tetris: The Absolute: The Grand Master 2 PLUS (Arika, 2000): a history of four pieces and six tries to deal another.

use crate::games::GameId;
use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::tgm::arika::{History, State, before, by_passes, first_piece};

/// The id of the game.
pub const ID: GameId = GameId::new("tgm2");

/// Passes of two draws. Sources say five or six; recordings of the attract mode match six passes, and no seed with five
/// (reference 3.4).
const PASSES: u32 = 6;

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tgm2 {
    /// The generator.
    pub rng: State,
    /// The last four pieces.
    pub history: History,
}

impl Tgm2 {
    /// The dealer before the first piece of a game.
    pub const fn new(seed: u32) -> Self {
        Self { rng: State(seed), history: History::EMPTY }
    }

    /// The history after the first piece, which replaces the newest of Z, Z, S, S (reference 3.4). The document has
    /// S, Z, S after it, with which no seed deals the second recorded game.
    fn after_first(first: Piece) -> History {
        History::new([first, Piece::Z, Piece::S, Piece::S])
    }

    /// All dealers that become this one by dealing one piece.
    pub fn previous(self) -> Vec<Self> {
        let all = before(self.rng, self.history, PASSES, Self::after_first);
        all.into_iter().map(|(rng, history)| Self { rng, history }).collect()
    }
}

impl Dealer for Tgm2 {
    fn deal(&mut self) -> Piece {
        if self.history.is_empty() {
            let first = first_piece(&mut self.rng);
            self.history = Self::after_first(first);
            return first;
        }
        let piece = by_passes(&mut self.rng, self.history, PASSES);
        self.history = self.history.then(piece);
        piece
    }
}

impl GameDealer for Tgm2 {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some(self.history.chances(6))
    }
}

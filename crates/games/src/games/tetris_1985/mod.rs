//! The first Tetris (Pajitnov, 1985): one draw per piece, without memory. The generator of the Electronika 60 is not
//! documented (reference 3.1), so a known generator replaces it.

mod definition;
mod seeds;

pub(super) use definition::GAME;

use crate::games::GameId;
use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::uniform::Uniform;

/// The id of the game.
pub const ID: GameId = GameId::new("tetris-1985");

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tetris1985 {
    /// The generator.
    pub rng: Uniform,
}

impl Tetris1985 {
    /// The dealer before the first piece of a game.
    pub const fn new(rng: Uniform) -> Self {
        Self { rng }
    }

    /// The dealer before the last dealt piece.
    #[must_use]
    pub const fn previous(self) -> Self {
        Self { rng: self.rng.previous() }
    }
}

impl Dealer for Tetris1985 {
    fn deal(&mut self) -> Piece {
        Piece::ALL[self.rng.below(7) as usize]
    }
}

impl GameDealer for Tetris1985 {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some([1.0 / 7.0; 7])
    }
}

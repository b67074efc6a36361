//! Tetris Worlds (2001), the "Random Generator": all seven pieces in random order, then all seven again. Its generator and
//! its way to shuffle are not published (reference 3.7), so a named generator takes its place, and the bag is shuffled from
//! its end on (Durstenfeld), from which the document's code takes its pieces.

use super::piece::{Dealer, Piece};
use super::pieces::Variants;
use super::uniform::{self, Uniform};

/// The generators, and the rule of TGM-ACE for the first piece.
pub const VARIANTS: Variants = {
    let [splitmix, xorshift, arika] = uniform::VARIANTS else { panic!("three generators") };
    &[
        *splitmix,
        *xorshift,
        *arika,
        ("tgm-ace", "SplitMix64; the first piece is drawn until it is not S, Z or O, as TGM-ACE begins"),
    ]
};

/// What deals the pieces of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TetrisWorlds {
    /// The generator.
    pub rng: Uniform,
    /// The pieces that are left come first.
    bag: [Piece; 7],
    left: u8,
    /// The first piece of the game is still to come, and must not be S, Z or O.
    choosy: bool,
}

impl TetrisWorlds {
    /// Before the first piece of a game.
    #[must_use]
    pub const fn new(rng: Uniform, tgm_ace: bool) -> Self {
        Self { rng, bag: Piece::ALL, left: 0, choosy: tgm_ace }
    }

    /// The pieces that are left in the bag; none when the next piece comes from a new one.
    #[must_use]
    pub fn bag(&self) -> &[Piece] {
        &self.bag[..usize::from(self.left)]
    }
}

impl Dealer for TetrisWorlds {
    fn deal(&mut self) -> Piece {
        if self.left == 0 {
            (self.bag, self.left) = (Piece::ALL, 7);
        }
        // A shuffle from the end settles the last piece first: drawing as pieces are dealt gives the same as shuffling
        // before. The last of a bag takes no draw.
        if self.left > 1 {
            loop {
                let chosen = self.rng.below(self.left.into()) as usize;
                if !self.choosy || !matches!(self.bag[chosen], Piece::S | Piece::Z | Piece::O) {
                    self.bag.swap(chosen, usize::from(self.left) - 1);
                    break;
                }
            }
            self.choosy = false;
        }
        self.left -= 1;
        self.bag[usize::from(self.left)]
    }
}

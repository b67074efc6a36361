//! What all games of the Tetris family share: the seven pieces, and a source that deals them one after another.

use serde::Serialize;
use std::fmt;

/// One of the seven pieces of four squares, in the order of the alphabet: the order of `Piece::ALL` and of every table here.
/// Games number them in their own ways; each model brings its codes to these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[repr(u8)]
pub enum Piece {
    /// The straight one.
    I,
    /// The bar with a square above its left end.
    J,
    /// The bar with a square above its right end.
    L,
    /// The square.
    O,
    /// The snake that rises to the right.
    S,
    /// The bar with a square in its middle.
    T,
    /// The snake that falls to the right.
    Z,
}

impl Piece {
    /// All of them.
    pub const ALL: [Self; 7] = [Self::I, Self::J, Self::L, Self::O, Self::S, Self::T, Self::Z];

    /// Its place in [`Piece::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its letter, as every player writes it.
    #[must_use]
    pub const fn letter(self) -> char {
        ['I', 'J', 'L', 'O', 'S', 'T', 'Z'][self as usize]
    }

    /// The piece of that letter, in either case.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter.to_ascii_uppercase())
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A randomizer that deals pieces without end: a small value, and all that the next pieces depend on.
pub trait Dealer {
    /// Deals the next piece.
    fn deal(&mut self) -> Piece;

    /// Deals that many.
    fn deal_many(&mut self, count: usize) -> Vec<Piece> {
        std::iter::repeat_with(|| self.deal()).take(count).collect()
    }
}

/// Pieces as letters, without spaces: "JTOLS".
#[must_use]
pub fn letters(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.letter()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_pieces_are_one_to_one() {
        for (place, piece) in Piece::ALL.into_iter().enumerate() {
            assert_eq!(piece.index(), place);
            assert_eq!(Piece::from_letter(piece.letter().to_ascii_lowercase()), Some(piece));
            assert_eq!(piece.to_string(), piece.letter().to_string());
        }
        assert_eq!(Piece::from_letter('X'), None);
        assert_eq!(letters(&Piece::ALL), "IJLOSTZ");
    }
}

//! The seven pieces of the Tetris family.

use serde::Serialize;
use std::fmt;

/// One of the seven tetrominoes, in alphabetical order: the order of `Piece::ALL` and of every table here.
/// Games number them differently; each model maps its codes to these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[repr(u8)]
pub enum Piece {
    /// The straight piece.
    I,
    /// The bar with a block above its left end.
    J,
    /// The bar with a block above its right end.
    L,
    /// The square.
    O,
    /// The skew piece that rises to the right.
    S,
    /// The bar with a block in its middle.
    T,
    /// The skew piece that falls to the right.
    Z,
}

impl Piece {
    /// All seven pieces.
    pub const ALL: [Self; 7] = [Self::I, Self::J, Self::L, Self::O, Self::S, Self::T, Self::Z];

    /// The index in [`Piece::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The standard letter.
    pub const fn letter(self) -> char {
        ['I', 'J', 'L', 'O', 'S', 'T', 'Z'][self as usize]
    }

    /// The piece with this letter, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter.to_ascii_uppercase())
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
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
    }
}

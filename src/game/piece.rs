//! What all games of the Tetris family share: the seven pieces, and a source that deals them one after another.

use serde::Serialize;
use std::any::Any;
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

/// The chance of each piece to be the next, in the order of [`Piece::ALL`].
pub type Chances = [f64; 7];

/// What the chances of a randomizer are given by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// The pieces dealt so far: the figure is exact.
    Pieces,
    /// The pool as well, which a player can see only in part: the true figure is this or more.
    Pool,
}

/// The dealer of a game, with what is said of all of them.
pub trait GameDealer: Dealer + Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The state of the generator: 0x and all its digits.
    fn state_after(&self) -> String;

    /// What the rule itself says of the next piece, were the bits of the generator ideal: the chances of a player who knows the rule and
    /// the pieces dealt so far, but not the state. None where they are not modelled.
    fn chances(&self) -> Option<Chances>;

    /// By what the chances are given; None where there are none.
    fn known_by(&self) -> Option<Known> {
        self.chances().map(|_| Known::Pieces)
    }
}

/// [`GameDealer`] without the type of the game.
trait ErasedDealer: fmt::Debug + Send + Sync {
    fn deal(&mut self) -> Piece;
    fn state_after(&self) -> String;
    fn chances(&self) -> Option<Chances>;
    fn known_by(&self) -> Option<Known>;
    fn boxed(&self) -> Box<dyn ErasedDealer>;
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &dyn ErasedDealer) -> bool;
}

impl<T: GameDealer> ErasedDealer for T {
    fn deal(&mut self) -> Piece {
        Dealer::deal(self)
    }

    fn state_after(&self) -> String {
        GameDealer::state_after(self)
    }

    fn chances(&self) -> Option<Chances> {
        GameDealer::chances(self)
    }

    fn known_by(&self) -> Option<Known> {
        GameDealer::known_by(self)
    }

    fn boxed(&self) -> Box<dyn ErasedDealer> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn equals(&self, other: &dyn ErasedDealer) -> bool {
        other.as_any().downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

/// The dealer of any game.
#[derive(Debug)]
pub struct AnyDealer(Box<dyn ErasedDealer>);

impl<T: GameDealer> From<T> for AnyDealer {
    fn from(dealer: T) -> Self {
        Self(Box::new(dealer))
    }
}

impl Clone for AnyDealer {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

impl PartialEq for AnyDealer {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(other.0.as_ref())
    }
}

impl Dealer for AnyDealer {
    fn deal(&mut self) -> Piece {
        self.0.deal()
    }
}

impl AnyDealer {
    /// As [`GameDealer::state_after`].
    #[must_use]
    pub fn state_after(&self) -> String {
        self.0.state_after()
    }

    /// As [`GameDealer::chances`].
    #[must_use]
    pub fn chances(&self) -> Option<Chances> {
        self.0.chances()
    }

    /// As [`GameDealer::known_by`].
    #[must_use]
    pub fn known_by(&self) -> Option<Known> {
        self.0.known_by()
    }

    /// The game's own type, when it is of that game.
    #[must_use]
    pub fn get<T: GameDealer>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }
}

/// The chances when each of so many results is as likely.
pub(super) fn of_results(count: u32, piece: impl Fn(u32) -> Option<Piece>) -> Chances {
    let mut chances = [0.0; 7];
    for piece in (0..count).filter_map(piece) {
        chances[piece.index()] += 1.0 / f64::from(count);
    }
    chances
}

/// The chances when each of these pieces is as likely.
#[expect(clippy::cast_precision_loss, reason = "a few pieces")]
pub(super) fn shares(pieces: &[Piece]) -> Chances {
    let mut chances = [0.0; 7];
    for piece in pieces {
        chances[piece.index()] += 1.0 / pieces.len() as f64;
    }
    chances
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

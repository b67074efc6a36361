//! Shared by all games of the Tetris family: the seven pieces, and the trait for randomizers that deal them.

pub use nextscope_boards::Piece;
use serde::Serialize;
use std::any::Any;
use std::fmt;

/// A randomizer that deals pieces without end: a small value with everything that the next pieces depend on.
pub trait Dealer {
    /// Deals the next piece.
    fn deal(&mut self) -> Piece;

    /// Deals `count` pieces.
    fn deal_many(&mut self, count: usize) -> Vec<Piece> {
        std::iter::repeat_with(|| self.deal()).take(count).collect()
    }
}

/// The chance of each piece to be dealt next, in the order of [`Piece::ALL`].
pub type Chances = [f64; 7];

/// What the chances of a randomizer are based on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChanceBasis {
    /// The pieces dealt so far: the entropy is exact.
    Pieces,
    /// The pieces and the pool, of which a player can see only a part: the true entropy is this or more.
    Pool,
}

/// The dealer of a game, with the properties shared by all of them.
pub trait GameDealer: Dealer + Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The state of the generator: 0x and all digits.
    fn state_after(&self) -> String;

    /// The chances of the next piece if the generator's bits were ideal, for a player who knows the rule and
    /// the pieces dealt so far, but not the state. None if they are not modelled.
    fn chances(&self) -> Option<Chances>;

    /// What the chances are based on; None if there are no chances.
    fn chance_basis(&self) -> Option<ChanceBasis> {
        self.chances().map(|_| ChanceBasis::Pieces)
    }

    /// Why the pieces that were dealt mean nothing; None if they do, as of all built-in games.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// [`GameDealer`] as an object-safe trait.
trait ErasedDealer: fmt::Debug + Send + Sync {
    fn deal(&mut self) -> Piece;
    fn state_after(&self) -> String;
    fn chances(&self) -> Option<Chances>;
    fn chance_basis(&self) -> Option<ChanceBasis>;
    fn trouble(&self) -> Option<String>;
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

    fn chance_basis(&self) -> Option<ChanceBasis> {
        GameDealer::chance_basis(self)
    }

    fn trouble(&self) -> Option<String> {
        GameDealer::trouble(self)
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
    pub fn state_after(&self) -> String {
        self.0.state_after()
    }

    /// As [`GameDealer::chances`].
    pub fn chances(&self) -> Option<Chances> {
        self.0.chances()
    }

    /// As [`GameDealer::chance_basis`].
    pub fn chance_basis(&self) -> Option<ChanceBasis> {
        self.0.chance_basis()
    }

    /// As [`GameDealer::trouble`].
    pub fn trouble(&self) -> Option<String> {
        self.0.trouble()
    }

    /// The concrete dealer, if it is of type `T`.
    pub fn get<T: GameDealer>(&self) -> Option<&T> {
        self.0.as_any().downcast_ref()
    }
}

/// The chances if each of `count` results is equally likely.
pub(crate) fn of_results(count: u32, piece: impl Fn(u32) -> Option<Piece>) -> Chances {
    let mut chances = [0.0; 7];
    for piece in (0..count).filter_map(piece) {
        chances[piece.index()] += 1.0 / f64::from(count);
    }
    chances
}

/// The chances if each of these pieces is equally likely.
#[expect(clippy::cast_precision_loss, reason = "a few pieces")]
pub(crate) fn shares(pieces: &[Piece]) -> Chances {
    let mut chances = [0.0; 7];
    for piece in pieces {
        chances[piece.index()] += 1.0 / pieces.len() as f64;
    }
    chances
}

/// The letters of pieces, without spaces: "JTOLS".
pub fn letters(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.letter()).collect()
}

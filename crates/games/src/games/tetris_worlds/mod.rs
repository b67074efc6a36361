//! Tetris Worlds (2001), the "Random Generator": all seven pieces in random order, then all seven again. Its generator and
//! its shuffle are not published (reference 3.7), so a known generator replaces it, and the bag is shuffled from
//! its end (Durstenfeld), where the document's code takes its pieces.

mod definition;
mod seeds;

pub(super) use definition::GAME;

use crate::games::GameId;
use crate::games::piece::{Chances, Dealer, GameDealer, Piece, shares};
use crate::games::pieces::Variants;
use crate::games::uniform::{self, Uniform};

/// The id of the game.
pub const ID: GameId = GameId::new("tetris-worlds");

/// The generators, and TGM-ACE's rule for the first piece.
pub const VARIANTS: Variants = {
    let [splitmix, xorshift, arika] = uniform::VARIANTS else { panic!("three generators") };
    &[
        *splitmix,
        *xorshift,
        *arika,
        ("tgm-ace", "SplitMix64; the first piece is redrawn until it is not S, Z or O, as in TGM-ACE"),
        (
            "bag-14",
            "SplitMix64; a bag of 14, two of each piece; bag-N for any multiple of 7 up to 70 (alias bag:N)",
        ),
    ]
};

/// The names of all bags larger than seven.
const BAGS: [&str; 9] =
    ["bag-14", "bag-21", "bag-28", "bag-35", "bag-42", "bag-49", "bag-56", "bag-63", "bag-70"];

/// The variant of a larger bag, written "bag-14" or "bag:14".
pub fn bag_variant(name: &str) -> Option<&'static str> {
    let size = name.strip_prefix("bag-").or_else(|| name.strip_prefix("bag:"))?;
    BAGS.into_iter().find(|bag| bag.strip_prefix("bag-") == Some(size))
}

/// Copies of each piece in a bag of that variant: one except for the larger bags.
pub fn copies(variant: &str) -> u8 {
    let place = BAGS.iter().position(|bag| *bag == variant);
    place.map_or(1, |place| u8::try_from(place + 2).unwrap_or(1))
}

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TetrisWorlds {
    /// The generator.
    pub rng: Uniform,
    /// The remaining pieces come first.
    bag: [Piece; 7],
    left: u8,
    /// The first piece of the game is not dealt yet and must not be S, Z or O.
    choosy: bool,
}

impl TetrisWorlds {
    /// The dealer before the first piece of a game.
    pub const fn new(rng: Uniform, tgm_ace: bool) -> Self {
        Self { rng, bag: Piece::ALL, left: 0, choosy: tgm_ace }
    }

    /// The remaining pieces of the bag; empty if the next piece comes from a new bag.
    pub fn bag(&self) -> &[Piece] {
        &self.bag[..usize::from(self.left)]
    }
}

impl Dealer for TetrisWorlds {
    fn deal(&mut self) -> Piece {
        if self.left == 0 {
            (self.bag, self.left) = (Piece::ALL, 7);
        }
        // A shuffle from the end fixes the last piece first: drawing while dealing gives the same order as shuffling
        // in advance. The last piece of a bag takes no draw.
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

impl GameDealer for TetrisWorlds {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some(match self.bag() {
            [] => [1.0 / 7.0; 7],
            left => shares(left),
        })
    }
}

/// Deals from a bag with several of each piece: no known game does, but "The history of Tetris randomizers" mentions a bag of 14.
/// Each draw takes one of the remaining pieces, all equally likely.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bag {
    /// The generator.
    pub rng: Uniform,
    copies: u8,
    left: [u8; 7],
}

impl Bag {
    /// The dealer before the first piece of a game, with `copies` (at least 1) of each piece in a bag.
    pub const fn new(rng: Uniform, copies: u8) -> Self {
        let copies = if copies == 0 { 1 } else { copies };
        Self { rng, copies, left: [0; 7] }
    }

    /// The remaining count of each piece, by [`Piece::index`].
    pub fn left(&self) -> [u8; 7] {
        if self.left == [0; 7] { [self.copies; 7] } else { self.left }
    }
}

impl Dealer for Bag {
    fn deal(&mut self) -> Piece {
        self.left = self.left();
        let all: u32 = self.left.iter().map(|&left| u32::from(left)).sum();
        // The last piece of a bag takes no draw, as in a bag of seven.
        let mut drawn = if all > 1 { self.rng.below(all) } else { 0 };
        for piece in Piece::ALL {
            let left = &mut self.left[piece.index()];
            if drawn < u32::from(*left) {
                *left -= 1;
                return piece;
            }
            drawn -= u32::from(*left);
        }
        Piece::I // unreachable: the number drawn is below the sum
    }
}

impl GameDealer for Bag {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        let left = self.left().map(f64::from);
        let all: f64 = left.iter().sum();
        Some(left.map(|left| left / all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_bag_contains_as_many_of_each_piece_as_its_name_says() {
        for (variant, copies) in [("bag-14", 2), ("bag-35", 5), ("bag-70", 10)] {
            assert_eq!((bag_variant(variant), self::copies(variant)), (Some(variant), copies));
            let mut bag = Bag::new(Uniform::SplitMix64(3), copies);
            for _ in 0..20 {
                let dealt = bag.deal_many(7 * usize::from(copies));
                assert!(Piece::ALL.iter().all(|piece| {
                    dealt.iter().filter(|dealt| *dealt == piece).count() == usize::from(copies)
                }));
            }
        }
        assert_eq!(bag_variant("bag:14"), Some("bag-14"));
        for unknown in ["bag-7", "bag-15", "bag-77", "bag", "14-bag"] {
            assert_eq!(bag_variant(unknown), None, "{unknown}");
        }
        assert_eq!(copies("tgm-ace"), 1);
    }
}

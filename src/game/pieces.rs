//! The games that deal single pieces: a line for each game in every list, and one dealer for them all.

use super::bloxeed;
use super::bounded::{self, Bounded, Limits};
use super::flash_point;
use super::piece::{Dealer, Piece};
use super::sega::{Routine, State as SegaState};
use super::sega_tetris::{self, Sequence};
use super::tetris_1985::Tetris1985;
use super::tetris_nes::{Pick, Randomizer, State as NesState};
use super::tetris_worlds::{self, Bag, TetrisWorlds};
use super::tgm1::{self, Tgm1};
use super::tgm2::Tgm2;
use super::tgm3::{self, DocumentPool, Tgm3};
use super::uniform::{self, Uniform};
use std::fmt;

/// A game that deals single pieces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PieceGame {
    /// The first Tetris (Pajitnov, 1985).
    Tetris1985,
    /// Tetris of Nintendo for the NES (1989).
    TetrisNes,
    /// Tetris: The Grand Master (Arika, 1998).
    Tgm1,
    /// Tetris: The Absolute: The Grand Master 2 PLUS, TAP (Arika, 2000).
    Tgm2,
    /// Tetris: The Grand Master 3, Terror-Instinct (Arika, 2005).
    Tgm3,
    /// Tetris Worlds (2001) and most games since: a bag of seven.
    TetrisWorlds,
    /// Tetris of Sega (System 16, 1988).
    SegaTetris,
    /// Flash Point (Sega, 1989).
    FlashPoint,
    /// Bloxeed (Sega, 1989).
    Bloxeed,
    /// A randomizer of our own with hard limits on droughts and floods.
    Bounded,
}

/// What a game is started with besides a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PieceOptions {
    /// Steps of the generator before each pick (`tetris-nes`, whose generator runs in every frame).
    pub steps: u32,
    /// Limits in place of those of the variant (`bounded`).
    pub limits: Option<Limits>,
}

impl Default for PieceOptions {
    fn default() -> Self {
        Self { steps: 1, limits: None }
    }
}

/// A list of readings as (name, meaning), the default first.
pub type Variants = &'static [(&'static str, &'static str)];

impl PieceGame {
    /// All games with a model, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[
        Self::Tetris1985,
        Self::TetrisNes,
        Self::Tgm1,
        Self::Tgm2,
        Self::TetrisWorlds,
        Self::Tgm3,
        Self::SegaTetris,
        Self::FlashPoint,
        Self::Bloxeed,
        Self::Bounded,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Tetris1985 => "tetris-1985",
            Self::TetrisNes => "tetris-nes",
            Self::Tgm1 => "tgm1",
            Self::Tgm2 => "tgm2",
            Self::Tgm3 => "tgm3",
            Self::TetrisWorlds => "tetris-worlds",
            Self::SegaTetris => "sega-tetris",
            Self::FlashPoint => "flash-point",
            Self::Bloxeed => "bloxeed",
            Self::Bounded => "bounded",
        }
    }

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tetris1985 => "Tetris (1985)",
            Self::TetrisNes => "Tetris (NES)",
            Self::Tgm1 => "Tetris: The Grand Master",
            Self::Tgm2 => "TGM2 PLUS (TAP)",
            Self::Tgm3 => "TGM3 Terror-Instinct",
            Self::TetrisWorlds => "Tetris Worlds",
            Self::SegaTetris => "Sega Tetris",
            Self::FlashPoint => "Flash Point",
            Self::Bloxeed => "Bloxeed",
            Self::Bounded => "Bounded (our own)",
        }
    }

    /// What it is, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Tetris1985 => "The first Tetris: each piece by one draw of a named generator",
            Self::TetrisNes => "Tetris for the NES (1989)",
            Self::Tgm1 => "Tetris: The Grand Master",
            Self::Tgm2 => "TAP, Tetris: The Absolute: The Grand Master 2 PLUS",
            Self::Tgm3 => "Tetris: The Grand Master 3, Terror-Instinct",
            Self::TetrisWorlds => "Tetris Worlds: bags of seven",
            Self::SegaTetris => "Tetris of Sega (System 16)",
            Self::FlashPoint => "Flash Point (System 16)",
            Self::Bloxeed => "Bloxeed (System 16)",
            Self::Bounded => "Our own randomizer with limits on droughts and floods",
        }
    }

    /// The game of that command-line name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.id() == id)
    }

    /// Where sources disagree or leave something open: the readings as (name, meaning), the default first.
    #[must_use]
    pub const fn variants(self) -> Variants {
        match self {
            Self::Tetris1985 => uniform::VARIANTS,
            Self::TetrisNes => Pick::CHOICES,
            Self::Tgm1 => tgm1::VARIANTS,
            Self::Tgm3 => tgm3::VARIANTS,
            Self::TetrisWorlds => tetris_worlds::VARIANTS,
            Self::SegaTetris => sega_tetris::PIECE_VARIANTS,
            Self::FlashPoint => flash_point::PIECE_VARIANTS,
            Self::Bloxeed => bloxeed::PIECE_VARIANTS,
            Self::Bounded => bounded::VARIANTS,
            _ => &[("game", "the game's own; sources agree")],
        }
    }

    /// The variant of that name; an empty name is the default.
    #[must_use]
    pub fn variant(self, name: &str) -> Option<&'static str> {
        let mut names = self.variants().iter().map(|&(name, _)| name);
        if self == Self::TetrisWorlds
            && let Some(bag) = tetris_worlds::bag_variant(name)
        {
            return Some(bag);
        }
        if self == Self::Bloxeed
            && let Some(reading) = bloxeed::variant(name)
        {
            return Some(reading);
        }
        if name.is_empty() { names.next() } else { names.find(|&known| known == name) }
    }

    /// The dealer of a game that begins with that seed; None for a variant that does not exist, and for a
    /// seed that is too large for the game.
    #[must_use]
    pub fn dealer(self, variant: &str, seed: u32, options: PieceOptions) -> Option<AnyDealer> {
        let variant = self.variant(variant)?;
        Some(match self {
            Self::Tetris1985 => Tetris1985::new(Uniform::of_variant(variant, seed)).into(),
            Self::TetrisNes => {
                let state = NesState(u16::try_from(seed).ok()?);
                Randomizer::new(state, options.steps, Pick::from_id(variant)?).into()
            }
            Self::Tgm1 => Tgm1::of_variant(variant, seed).into(),
            Self::Tgm2 => Tgm2::new(seed).into(),
            Self::Tgm3 if variant == "document" => DocumentPool::new(seed).into(),
            Self::Tgm3 => Tgm3::new(seed).into(),
            Self::TetrisWorlds if tetris_worlds::copies(variant) > 1 => {
                Bag::new(Uniform::of_variant(variant, seed), tetris_worlds::copies(variant)).into()
            }
            Self::TetrisWorlds => {
                TetrisWorlds::new(Uniform::of_variant(variant, seed), variant == "tgm-ace").into()
            }
            Self::SegaTetris => Sequence::new(Routine::TETRIS, SegaState(seed)).into(),
            Self::FlashPoint => Sequence::new(flash_point::routine(variant), SegaState(seed)).into(),
            Self::Bloxeed => bloxeed::Game::new(bloxeed::Reading::from_id(variant), SegaState(seed)).into(),
            Self::Bounded => {
                Bounded::new(seed, options.limits.unwrap_or_else(|| Limits::of_variant(variant))).into()
            }
        })
    }
}

impl fmt::Display for PieceGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// One dealer for all games: a line for each, with what its state is.
macro_rules! dealers {
    ($($(#[$doc:meta])* $name:ident($type:ty): |$dealer:ident| $state:expr;)*) => {
        /// A dealer of any of the games.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum AnyDealer {
            $($(#[$doc])* $name($type),)*
        }

        impl Dealer for AnyDealer {
            fn deal(&mut self) -> Piece {
                match self {
                    $(Self::$name(dealer) => dealer.deal(),)*
                }
            }
        }

        impl AnyDealer {
            /// The state of the generator as it is written: 0x and all its digits.
            #[must_use]
            pub fn state_after(&self) -> String {
                match self {
                    $(Self::$name($dealer) => $state.to_string(),)*
                }
            }
        }

        $(impl From<$type> for AnyDealer {
            fn from(dealer: $type) -> Self {
                Self::$name(dealer)
            }
        })*
    };
}

dealers! {
    /// The first Tetris.
    Tetris1985(Tetris1985): |dealer| dealer.rng;
    /// Tetris for the NES.
    TetrisNes(Randomizer): |dealer| dealer.spawner.state;
    /// Tetris: The Grand Master.
    Tgm1(Tgm1): |dealer| dealer.rng;
    /// TAP.
    Tgm2(Tgm2): |dealer| dealer.rng;
    /// Terror-Instinct.
    Tgm3(Tgm3): |dealer| dealer.rng;
    /// Terror-Instinct as the document has it.
    Tgm3Document(DocumentPool): |dealer| dealer.rng;
    /// Tetris Worlds.
    TetrisWorlds(TetrisWorlds): |dealer| dealer.rng;
    /// A bag of more than seven.
    Bag(Bag): |dealer| dealer.rng;
    /// Sega Tetris and Flash Point: the state after all pieces of the game were drawn.
    Sega(Sequence): |dealer| dealer.state_after();
    /// Bloxeed: the state of the pieces' generator.
    Bloxeed(bloxeed::Game): |dealer| dealer.pieces;
    /// Our own.
    Bounded(Bounded): |dealer| dealer.rng;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::piece::letters;

    #[test]
    fn every_game_and_variant_deals_and_is_found_by_its_name() {
        for &game in PieceGame::ALL {
            assert_eq!(PieceGame::from_id(game.id()), Some(game));
            assert_eq!(game.variant(""), Some(game.variants()[0].0));
            for (variant, meaning) in game.variants() {
                assert!(!meaning.is_empty());
                let mut dealer = game.dealer(variant, 1, PieceOptions::default()).unwrap();
                let mut again = dealer;
                let pieces = dealer.deal_many(100);
                assert_eq!(letters(&pieces), letters(&again.deal_many(100)), "{game} {variant}");
                assert_eq!(dealer, again);
                assert!(dealer.state_after().starts_with("0x"));
                assert!(Piece::ALL.iter().all(|piece| pieces.contains(piece)), "{game} {variant}");
            }
            assert!(game.dealer("no such variant", 0, PieceOptions::default()).is_none());
        }
        assert_eq!(PieceGame::from_id("puyo-tsu"), None);
    }
}

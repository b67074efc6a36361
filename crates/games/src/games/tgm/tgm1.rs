//! Tetris: The Grand Master (Arika, 1998): a history of four pieces and four tries to deal another.

use crate::games::GameId;
use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::pieces::Variants;
use crate::games::tgm::arika::{History, State, before, by_passes, first_piece};

/// The id of the game.
pub const ID: GameId = GameId::new("tgm1");

/// The readings of the four "tries": no recording of the game decides between them (reference 3.5).
pub const VARIANTS: Variants = &[
    ("4-passes", "four passes of two draws, the second of the last pass accepted unconditionally, as in TAP"),
    ("3-passes", "three passes of two draws"),
    (
        "document",
        "the document's code, with Arika's generator for Math.random: four single draws, history S, Z, S",
    ),
];

/// The reading that a dealer follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Reading {
    /// Four passes of two draws.
    #[default]
    FourPasses,
    /// Three passes of two draws.
    ThreePasses,
    /// The document's code.
    Document,
}

impl Reading {
    /// The reading with that name; the default for any other name.
    pub fn from_id(id: &str) -> Self {
        match id {
            "3-passes" => Self::ThreePasses,
            "document" => Self::Document,
            _ => Self::FourPasses,
        }
    }
}

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tgm1 {
    /// The generator.
    pub rng: State,
    /// The last four pieces.
    pub history: History,
    /// The reading.
    pub reading: Reading,
}

impl Tgm1 {
    /// The dealer before the first piece of a game.
    pub const fn new(seed: u32, reading: Reading) -> Self {
        Self { rng: State(seed), history: History::EMPTY, reading }
    }

    /// The dealer of a variant; the default for an unknown name.
    pub fn of_variant(variant: &str, seed: u32) -> Self {
        Self::new(seed, Reading::from_id(variant))
    }

    /// The history after the first piece, which replaces the newest of Z, Z, Z, Z (reference 3.5).
    fn after_first(first: Piece) -> History {
        History::new([first, Piece::Z, Piece::Z, Piece::Z])
    }

    /// All dealers that become this one by dealing one piece. Not available for the document's code, which gives none.
    pub fn previous(self) -> Vec<Self> {
        let passes = match self.reading {
            Reading::FourPasses => 4,
            Reading::ThreePasses => 3,
            Reading::Document => return Vec::new(),
        };
        let all = before(self.rng, self.history, passes, Self::after_first);
        all.into_iter().map(|(rng, history)| Self { rng, history, ..self }).collect()
    }

    fn deal_as_documented(&mut self) -> Piece {
        if self.history.is_empty() {
            // Seed document 002: `["I", "J", "L", "T"][Math.floor(Math.random() * 4)]`, history S, Z, S, first.
            let first = [Piece::I, Piece::J, Piece::L, Piece::T][(self.rng.draw() % 4) as usize];
            self.history = History::new([first, Piece::S, Piece::Z, Piece::S]);
            return first;
        }
        let mut piece = Piece::I;
        for _ in 0..4 {
            piece = Piece::ALL[(self.rng.draw() % 7) as usize];
            if !self.history.contains(piece) {
                break;
            }
        }
        self.history = self.history.then(piece);
        piece
    }
}

impl Dealer for Tgm1 {
    fn deal(&mut self) -> Piece {
        let passes = match self.reading {
            Reading::FourPasses => 4,
            Reading::ThreePasses => 3,
            Reading::Document => return self.deal_as_documented(),
        };
        if self.history.is_empty() {
            let first = first_piece(&mut self.rng);
            self.history = Self::after_first(first);
            return first;
        }
        let piece = by_passes(&mut self.rng, self.history, passes);
        self.history = self.history.then(piece);
        piece
    }
}

impl GameDealer for Tgm1 {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        let passes = match self.reading {
            Reading::FourPasses => 4,
            // Four single draws, the last accepted unconditionally: three checked draws and one more.
            Reading::ThreePasses | Reading::Document => 3,
        };
        Some(self.history.chances(passes))
    }
}

//! The rules of a game of single pieces: how it deals, what its seeds are, how its starts are searched.

use crate::games::GameId;
use crate::games::piece::{AnyDealer, Dealer, Piece};
use crate::games::pieces::{Limits, PieceOptions, Variants};
use crate::seeds::pieces::answer::Answer;
use crate::seeds::pieces::rule::Broken;
use crate::seeds::pieces::scan::{Scan, low};
use crate::seeds::pieces::steps::Steps;
use nextscope_task::Progress;
use std::fmt;
use std::hash::{Hash, Hasher};

/// How a game deals single pieces. Part of its [definition](crate::games::GameDefinition).
pub struct PieceRules {
    /// A one-line description.
    pub about: &'static str,
    /// The readings as (name, description), the default first.
    pub variants: Variants,
    /// Parses unlisted variants such as "bag-14".
    pub more_variants: fn(&str) -> Option<&'static str>,
    /// The dealer of a variant and seed; None for a seed that is too large for the game.
    pub dealer: fn(&'static str, u32, PieceOptions) -> Option<AnyDealer>,
    /// The game with human timing, if its pieces depend on when they are picked; the seed determines the timing.
    pub human_timed: Option<fn(&'static str, u32) -> Option<AnyDealer>>,
    /// The bits of a seed: 16 or 32.
    pub seed_bits: u32,
    /// Maps any number to a possible seed.
    pub usable_seed: fn(u32) -> u32,
    /// The message for a seed that the game never has.
    pub seed_note: fn(u32) -> Option<String>,
    /// The command options that this game has and not all others.
    pub options: &'static [PieceOption],
    /// The limits of a variant, for a game whose limits on droughts and repetitions can be chosen.
    pub limits: Option<fn(&str) -> Limits>,
    /// The seed of the next game.
    pub next_seed: fn(&'static str, u32, Between) -> u32,
    /// The piece seed, if the game derives one from its own seed.
    pub piece_seed: Option<fn(&'static str, u32) -> String>,
    /// Whether a search can start in the middle of a game: its memory is four pieces.
    pub from_middle: bool,
    /// How its starts are numbered and searched.
    pub search: &'static dyn PieceSearch,
    /// Seed document 002's rating of the default variant out of five: puzzle, flood prevention, drought prevention.
    pub rating: Option<[u8; 3]>,
    /// Whether the statistics include it by default.
    pub in_lab: bool,
}

/// An option of `generate` or `find` that only some games have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceOption {
    /// The long option name.
    pub name: &'static str,
    /// What the games with this option have in common, as the end of a sentence.
    pub why: &'static str,
}

/// Events between two games that advance the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Between {
    /// Whether the bonus monkey is shown, which draws once.
    pub monkey: bool,
    /// The number of items drawn, one draw each.
    pub items: u32,
}

/// The position of the first given piece in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GamePosition {
    /// The piece with this number, from 1.
    Piece(u32),
    /// Somewhere in the middle of the game.
    Unknown,
}

/// Observed pieces of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceQuery {
    /// The game.
    pub game: PieceGame,
    /// The reading, one of the game's variants.
    pub variant: &'static str,
    /// The position of the first piece.
    pub at: GamePosition,
    /// The pieces, None for an unknown one.
    pub pieces: Vec<Option<Piece>>,
    /// For a game with limits: those that replace those of the variant.
    pub limits: Option<Limits>,
    /// For `tetris-nes`: steps of the generator before each of the pieces.
    pub steps: Vec<Steps>,
    /// For `tetris-nes`: steps before all further given pieces and before the coming ones; 1 by default.
    pub later: Steps,
}

/// Why a question cannot be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The game's memory reaches further back than the given pieces.
    #[error(
        "{0} can only be searched from a known piece number: its next pieces depend on all pieces before them; give the number of the first piece"
    )]
    NoMiddle(&'static str),
    /// The history is unknown.
    #[error("from the middle of a game, the first four pieces must be known: they are the game's history")]
    HistoryUnknown,
}

/// How the different starts of a game are numbered and searched.
pub trait PieceSearch: Sync {
    /// The number of different starts; by default all seeds of the game.
    fn starts(&self, query: &PieceQuery) -> u64 {
        1 << query.game.rules().seed_bits
    }

    /// The number of seeds that deal the same as one start because they differ only in bits that no piece depends on.
    fn seeds_each(&self, _question: &PieceQuery) -> u64 {
        1
    }

    /// The state of a start as text; by default its number.
    fn state(&self, query: &PieceQuery, start: u64) -> String {
        let digits = query.game.rules().seed_bits as usize / 4;
        format!("0x{start:0digits$X}")
    }

    /// The dealer of a start, after the last given piece; by default the dealer of the seed with this number.
    fn dealer_after(&self, query: &PieceQuery, start: u64) -> Option<AnyDealer> {
        dealer_of_seed(query, low(start))
    }

    /// Tries all starts. `Ok(None)` if cancelled.
    ///
    /// # Errors
    /// If the question cannot be searched.
    fn search(&self, query: &PieceQuery, progress: &Progress) -> Result<Option<Scan>, QueryError>;

    /// The answer for ranges of steps between picks, for a game with the option `gaps`. None if cancelled.
    fn search_open_gaps(&self, _question: &PieceQuery, _progress: &Progress) -> Option<Answer> {
        None
    }

    /// The first piece that the dealing rule forbids, whatever the generator; None if it forbids none.
    fn broken(&self, _question: &PieceQuery) -> Option<Broken> {
        None
    }

    /// State, spawn count and previous piece of a start, for a game that counts its picks.
    fn parts(&self, _question: &PieceQuery, _start: u64) -> Option<(String, u8, Option<Piece>)> {
        None
    }
}

/// A game that deals single pieces.
#[derive(Clone, Copy)]
pub struct PieceGame {
    game: GameId,
    name: &'static str,
    rules: &'static PieceRules,
}

impl PieceGame {
    pub(crate) const fn new(game: GameId, name: &'static str, rules: &'static PieceRules) -> Self {
        Self { game, name, rules }
    }

    /// The game whose limits can be chosen.
    pub fn with_limits() -> Option<Self> {
        Self::ALL.iter().copied().find(|game| game.rules.limits.is_some())
    }

    /// The id of the game.
    pub const fn game(self) -> GameId {
        self.game
    }

    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        self.game.id()
    }

    /// The display name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// How the game deals.
    pub const fn rules(self) -> &'static PieceRules {
        self.rules
    }

    /// The readings as (name, description), the default first.
    pub const fn variants(self) -> Variants {
        self.rules.variants
    }

    /// The variant with that name; an empty name is the default.
    pub fn variant(self, name: &str) -> Option<&'static str> {
        let mut names = self.variants().iter().map(|&(name, _)| name);
        if name.is_empty() {
            return names.next();
        }
        (self.rules.more_variants)(name).or_else(|| names.find(|&known| known == name))
    }

    /// Whether commands and panels offer that option for the game.
    pub fn has_option(self, name: &str) -> bool {
        self.rules.options.iter().any(|option| option.name == name)
    }

    /// The dealer of a game with that seed; None for an unknown variant, and for a seed that is too large for the
    /// game.
    pub fn dealer(self, variant: &str, seed: u32, options: PieceOptions) -> Option<AnyDealer> {
        (self.rules.dealer)(self.variant(variant)?, seed, options)
    }
}

impl PartialEq for PieceGame {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game
    }
}

impl Eq for PieceGame {}

impl Hash for PieceGame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
    }
}

impl fmt::Debug for PieceGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl fmt::Display for PieceGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// The dealer before piece number `first`, from 1.
pub fn skipped<D: Dealer>(mut dealer: D, first: u32) -> D {
    for _ in 1..first {
        dealer.deal();
    }
    dealer
}

/// The number, from 1, of the first given piece.
pub fn first_piece(query: &PieceQuery) -> u32 {
    if let GamePosition::Piece(first) = query.at { first } else { 1 }
}

/// The dealer of a game with this seed, after the last given piece.
pub fn dealer_of_seed(query: &PieceQuery, seed: u32) -> Option<AnyDealer> {
    let options = PieceOptions { limits: query.limits, ..PieceOptions::default() };
    let dealer = query.game.dealer(query.variant, seed, options)?;
    Some(after_all(query, skipped(dealer, first_piece(query))))
}

/// The dealer after the last given piece.
pub fn after_all(query: &PieceQuery, mut dealer: AnyDealer) -> AnyDealer {
    for _ in &query.pieces {
        dealer.deal();
    }
    dealer
}

//! What a game of single pieces says of itself: how it deals, what its seeds are, how its starts are tried.

use super::question::{Question, Reject};
use super::rule::Broken;
use super::scan::{Progress, Scan};
use super::spaces::{dealer_of_seed, low};
use crate::game::GameId;
use crate::game::piece::{AnyDealer, Piece};
use crate::game::pieces::{PieceOptions, Variants};
use std::fmt;
use std::hash::{Hash, Hasher};

/// How a game deals single pieces. Its [definition](crate::games::Definition) has it.
pub struct PieceRules {
    /// What it is, in a line.
    pub about: &'static str,
    /// The readings of it as (name, meaning), the default first.
    pub variants: Variants,
    /// Further readings, by names that are not listed: "bag-14".
    pub more_variants: fn(&str) -> Option<&'static str>,
    /// The dealer of a variant that begins with a seed; None for a seed that is too large for the game.
    pub dealer: fn(&'static str, u32, PieceOptions) -> Option<AnyDealer>,
    /// The game as somebody plays it, where its pieces depend on when they are asked for; the seed decides on that.
    pub played: Option<fn(&'static str, u32) -> Option<AnyDealer>>,
    /// The bits of a seed: 16 or 32.
    pub seed_bits: u32,
    /// A seed that the game can have, from any number.
    pub usable_seed: fn(u32) -> u32,
    /// What to say of a seed that the game never has.
    pub seed_note: fn(u32) -> Option<String>,
    /// The options of commands that this game has and not every one.
    pub options: &'static [PieceOption],
    /// The seed that the game after one of this seed begins with.
    pub next_seed: fn(&'static str, u32, Between) -> u32,
    /// The seed of the pieces, where a game makes it of its own seed.
    pub piece_seed: Option<fn(&'static str, u32) -> String>,
    /// Whether it can be searched from the middle of a game: four pieces are its memory.
    pub from_middle: bool,
    /// How its starts are numbered and tried.
    pub search: &'static dyn PieceSearch,
    /// Seed document 002's rating of the default variant out of five: puzzle, flood prevention, drought prevention.
    pub rating: Option<[u8; 3]>,
    /// Whether it is among those that the lab measures at first.
    pub in_lab: bool,
}

/// The rules of most games; a definition names what is different.
pub(crate) const USUAL: PieceRules = PieceRules {
    about: "",
    variants: &[("game", "the game's own; sources agree")],
    more_variants: |_| None,
    dealer: |_, _, _| None,
    played: None,
    seed_bits: 32,
    usable_seed: |number| number,
    seed_note: |_| None,
    options: &[],
    next_seed: |_, seed, _| seed,
    piece_seed: None,
    from_middle: false,
    search: &super::spaces::Seeds,
    rating: None,
    in_lab: false,
};

/// An option of `generate` or `find` that not every game has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceOption {
    /// Its long name.
    pub name: &'static str,
    /// What the games have that it is for, as the end of a sentence.
    pub why: &'static str,
}

/// What happens between a game and the next one, where that changes the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Between {
    /// Whether the monkey is shown, which draws once.
    pub monkey: bool,
    /// Items drawn, each of which draws once.
    pub items: u32,
}

/// How the different starts of a game are numbered and tried.
pub trait PieceSearch: Sync {
    /// Different starts of the game; all its seeds, unless it says otherwise.
    fn starts(&self, question: &Question) -> u64 {
        1 << question.game.rules().seed_bits
    }

    /// How many seeds play the same as a start because they differ only in what no piece depends on.
    fn seeds_each(&self, _question: &Question) -> u64 {
        1
    }

    /// The state of a start, as people write it; its number, unless the game says otherwise.
    fn state(&self, question: &Question, start: u64) -> String {
        let digits = question.game.rules().seed_bits as usize / 4;
        format!("0x{start:0digits$X}")
    }

    /// The dealer of a start, after the last piece that is given; of the seed with its number, unless the game says otherwise.
    fn dealer_after(&self, question: &Question, start: u64) -> Option<AnyDealer> {
        dealer_of_seed(question, low(start))
    }

    /// Tries all starts. `Ok(None)` when it was cancelled.
    ///
    /// # Errors
    /// When the question cannot be searched for.
    fn search(&self, question: &Question, progress: &Progress) -> Result<Option<Scan>, Reject>;

    /// The first of the pieces that the dealing rule forbids, whatever the generator; None where it forbids none.
    fn broken(&self, _question: &Question) -> Option<Broken> {
        None
    }

    /// State, count of picks, and the piece before, of a start of a game that counts its picks.
    fn parts(&self, _question: &Question, _start: u64) -> Option<(String, u8, Option<Piece>)> {
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

    /// Which game it is.
    #[must_use]
    pub const fn game(self) -> GameId {
        self.game
    }

    /// The name on the command line.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.game.id()
    }

    /// The name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// How it deals.
    #[must_use]
    pub const fn rules(self) -> &'static PieceRules {
        self.rules
    }

    /// The readings of it as (name, meaning), the default first.
    #[must_use]
    pub const fn variants(self) -> Variants {
        self.rules.variants
    }

    /// The variant of that name; an empty name is the default.
    #[must_use]
    pub fn variant(self, name: &str) -> Option<&'static str> {
        let mut names = self.variants().iter().map(|&(name, _)| name);
        if name.is_empty() {
            return names.next();
        }
        (self.rules.more_variants)(name).or_else(|| names.find(|&known| known == name))
    }

    /// Whether commands and panels offer that option for it.
    #[must_use]
    pub fn has_option(self, name: &str) -> bool {
        self.rules.options.iter().any(|option| option.name == name)
    }

    /// The dealer of a game that begins with that seed; None for a variant that does not exist, and for a seed that is too large for the
    /// game.
    #[must_use]
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

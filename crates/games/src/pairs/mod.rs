//! Games that deal pairs: what commands and panels need to know of one, whichever it is.

pub mod interactive;
mod observed;
mod stream;

pub(crate) use stream::StateStream;

pub use observed::{PartialPair, PieceError, parse_pieces};

use crate::games::{GAMES, GameId};
use crate::live::ObserveError;
use crate::options::{OptionSpec, OptionValues};
use crate::profile::Profile;
use interactive::InteractiveSearch;
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Pair, Pool};
use nextscope_memory::console::Snapshot;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// How a game deals pairs. Part of its [definition](crate::games::GameDefinition).
pub struct PairRules {
    /// A short name, for lists in the window.
    pub short_name: &'static str,
    /// The name in saved settings of the window.
    pub saved_name: &'static str,
    /// What a list of sources of pairs calls a seed of the game.
    pub source_name: &'static str,
    /// The bits of a seed.
    pub seed_bits: u32,
    /// A seed of the game from the text that a user gives.
    pub parse_seed: fn(&str) -> Result<u32, String>,
    /// What the window calls a seed.
    pub seed_label: &'static str,
    /// What its seeds are, for the help.
    pub seed_help: &'static str,
    /// A seed as it is displayed.
    pub seed_text: fn(u32) -> String,
    /// The command `generate`.
    pub generate: GenerateCommand,
    /// The command `find`.
    pub find: FindCommand,
    /// The search of the Seeds panel that follows the input pair by pair.
    pub interactive: Option<InteractiveSearch>,
    /// The command `stats`, if the statistics are the game's own.
    pub stats: Option<StatsCommand>,
    /// The options that decide what a seed deals, for the planner.
    pub deal_options: &'static [OptionSpec],
    /// The dealer with these options; `group` is the number of puyos that form a group, if it is not the game's own.
    pub dealer: fn(&OptionValues, Option<u32>) -> PairDealer,
    /// The seed in RAM that the next round is generated from, if it changes while the player waits for the round.
    pub seed_in_ram: Option<fn(&Snapshot, &Profile) -> Option<u32>>,
    /// Controls of the window for those options.
    pub controls: &'static [Control],
    /// The seed that the window suggests.
    pub first_seed: u32,
    /// The three pools of a seed with the usual options, if the game has pools.
    pub pools: Option<PoolsOfSeed>,
}

/// The three pools of a seed; None for a seed that is too large.
pub type PoolsOfSeed = fn(u32) -> Option<[Pool; 3]>;

/// Makes a search from options.
pub type PrepareSearch = fn(&OptionValues, Format) -> Result<Box<dyn PairSearch>, FindError>;

/// Deals the pairs of a seed by their numbers from 0: fewer if the game deals fewer, none for an invalid seed.
pub type PairDealer = Box<dyn Fn(u32, Range<u32>) -> Vec<Pair> + Send + Sync>;

/// The command `generate` of a game.
pub struct GenerateCommand {
    /// A one-line description.
    pub about: &'static str,
    /// The options, in the order of the help.
    pub options: &'static [OptionSpec],
    /// The output in parts: text with its line ends.
    pub run: fn(&OptionValues, Format) -> Result<Parts, String>,
}

/// Output in parts.
pub type Parts = Box<dyn Iterator<Item = String>>;

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// JSON, an object on each line.
    Json,
    /// Comma-separated values.
    Csv,
}

/// The command `stats` of a game.
pub struct StatsCommand {
    /// The options, in the order of the help.
    pub options: &'static [OptionSpec],
    /// The output.
    pub run: fn(&OptionValues, Format) -> Result<String, String>,
}

/// The command `find` of a game.
pub struct FindCommand {
    /// A one-line description.
    pub about: &'static str,
    /// How the command is used, a line for each way; none if the list of options says enough.
    pub usage: &'static [&'static str],
    /// The options, in the order of the help.
    pub options: &'static [OptionSpec],
    /// Whether the Seeds panel makes a form of the options. The search must be quick.
    pub form: bool,
    /// Checks the options.
    pub prepare: PrepareSearch,
}

/// Why there is no search.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The options are wrong.
    #[error("{0}")]
    BadInput(String),
    /// Nothing can be searched, which is an answer.
    #[error("{0}")]
    Negative(String),
    /// The RAM of the game cannot be read.
    #[error(transparent)]
    Ram(#[from] ObserveError),
}

/// A search for the seeds that deal something, with its progress. One thread runs it, another may watch it.
pub trait PairSearch: Send + Sync {
    /// Whether it takes so little time that nobody watches it.
    fn is_quick(&self) -> bool {
        true
    }

    /// The finished share, 0 to 1.
    fn share(&self) -> f64 {
        0.0
    }

    /// Requests the end: with what was found until then, or without a result.
    fn end(&self, _with_result: bool) {}

    /// What was found since the last call, as output, if results are printed as they are found.
    fn found(&self) -> Vec<String> {
        Vec::new()
    }

    /// Searches. None if it was ended without a result.
    fn run(&self) -> Option<FindOutcome>;
}

/// The result of a search, as output.
#[derive(Debug, Clone, Default)]
pub struct FindOutcome {
    /// The output.
    pub output: String,
    /// What is not part of the output but should be known.
    pub note: Option<String>,
    /// The number of seeds found.
    pub count: usize,
    /// Whether it was ended early.
    pub stopped: bool,
}

impl FindOutcome {
    /// The result that no game can match, with the output for people and for programs.
    pub(crate) fn impossible(format: Format, why: &dyn fmt::Display, text: String, json: String) -> Self {
        let note = (format == Format::Csv).then(|| format!("no seed produces this: {why}"));
        let output = match format {
            Format::Json => json,
            Format::Csv => String::new(),
            Format::Text => text,
        };
        Self { output, note, ..Self::default() }
    }
}

/// A result that is known at once.
impl PairSearch for FindOutcome {
    fn run(&self) -> Option<FindOutcome> {
        Some(self.clone())
    }
}

/// A control of the window: the user chooses one of a few values of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// The option.
    pub option: &'static str,
    /// The label; empty if the choices say enough.
    pub label: &'static str,
    /// The choices: the value, empty for an option that is not given, and its label.
    pub choices: &'static [(&'static str, &'static str)],
    /// The choice at the start.
    pub first: &'static str,
    /// What the choice means.
    pub meaning: &'static str,
    /// An option that makes this one meaningless when it is given.
    pub unless: Option<&'static str>,
}

impl PairRules {
    /// The values of the planner's options for these choices of the window, a value for each option. Missing choices are
    /// those at the start.
    pub fn chosen(&self, choices: &BTreeMap<String, String>) -> OptionValues {
        let mut values = OptionValues::new(self.deal_options, 0);
        for control in self.controls {
            let option = self.deal_options.iter().find(|option| option.name == control.option);
            let chosen = option.zip(Some(control.chosen(choices)).filter(|chosen| !chosen.is_empty()));
            if let Some((option, value)) =
                chosen.and_then(|(option, chosen)| Some((option, option.parse(chosen)?)))
            {
                values.set(option.name, value);
            }
        }
        values
    }
}

impl Control {
    /// The chosen value.
    pub fn chosen<'a>(&self, choices: &'a BTreeMap<String, String>) -> &'a str {
        let known = |value: &&String| self.choices.iter().any(|(known, _)| known == *value);
        choices.get(self.option).filter(known).map_or(self.first, String::as_str)
    }

    /// Whether the choice means something beside the others.
    pub fn is_shown(&self, rules: &PairRules, choices: &BTreeMap<String, String>) -> bool {
        let other = rules.controls.iter().find(|control| Some(control.option) == self.unless);
        other.is_none_or(|other| other.chosen(choices).is_empty())
    }
}

/// A game that deals pairs.
#[derive(Clone, Copy)]
pub struct PairGame {
    game: GameId,
    rules: &'static PairRules,
}

impl PairGame {
    /// The games that deal pairs, in display order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        GAMES.iter().filter_map(|game| Some(Self { game: game.id, rules: game.pairs.as_ref()? }))
    }

    /// The games with pools.
    pub fn with_pools() -> impl Iterator<Item = Self> + Clone {
        Self::all().filter(|game| game.rules.pools.is_some())
    }

    /// The games with boards, for which routes are planned, with the rules of the boards.
    pub fn with_boards() -> impl DoubleEndedIterator<Item = (Self, Rules)> + Clone {
        Self::all().filter_map(|game| Some((game, game.game.boards()?)))
    }

    /// The games with an interactive search, those with the fewest seeds first.
    pub fn with_search() -> Vec<Self> {
        let mut games: Vec<_> = Self::all().filter(|game| game.rules.interactive.is_some()).collect();
        games.sort_by_key(|game| game.rules.seed_bits);
        games
    }

    /// The game with that name in saved settings.
    pub fn from_saved_name(name: &str) -> Option<Self> {
        Self::all().find(|game| game.rules.saved_name == name)
    }

    /// The game with that id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::all().find(|game| game.id() == id)
    }

    /// The id of the game.
    pub const fn game(self) -> GameId {
        self.game
    }

    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        self.game.id()
    }

    /// How the game deals.
    pub const fn rules(self) -> &'static PairRules {
        self.rules
    }

    /// The largest seed.
    pub fn largest_seed(self) -> u32 {
        u32::MAX >> 32_u32.saturating_sub(self.rules.seed_bits)
    }
}

impl PartialEq for PairGame {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game
    }
}

impl Eq for PairGame {}

impl Hash for PairGame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
    }
}

impl fmt::Debug for PairGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

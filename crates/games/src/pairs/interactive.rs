//! Searches that follow the user's input pair by pair: what the Seeds panel needs to know of one, whichever game it is for.

use crate::live::{ComputedRound, Observation, Player, Pool, Prediction, PredictionView};
use crate::options::{OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::{Format, PartialPair};
use nextscope_boards::Pair;
use nextscope_task::Progress;
use std::sync::Arc;

/// The interactive search of a game.
pub struct InteractiveSearch {
    /// The options, in the rows of their form. The panel saves their values by their names, so an option that two games share is the same in
    /// both.
    pub fields: &'static [&'static [SearchField]],
    /// The options as text, for the list of recent searches.
    pub summary: fn(&OptionValues) -> String,
    /// Checks the input. The error says in a sentence why no seed can match it.
    pub prepare: fn(&SearchInput) -> Result<Preparation, String>,
    /// What the running game has dealt in this round to the first player who has pairs; None for another game and before a round.
    pub dealt: fn(&Observation, &Prediction) -> Option<SearchInput>,
}

/// An option in the form of a search: a flag, a number or a text.
#[derive(Debug, Clone, Copy)]
pub struct SearchField {
    /// The option. Its help says what it means; it is empty if label and words say enough.
    pub option: OptionSpec,
    /// The label; empty if the words say enough.
    pub label: &'static str,
    /// The words between which the user chooses, for a flag that is not a check box: not given, given.
    pub words: Option<[&'static str; 2]>,
    /// When it means something.
    pub applies: Applies,
}

/// When an option of a search means something, and so is shown.
#[derive(Debug, Clone, Copy)]
pub enum Applies {
    /// In every search.
    Always,
    /// If this flag is given.
    With(&'static str),
    /// Unless this flag is given.
    Without(&'static str),
}

impl Applies {
    /// Whether it does; `given` says which flags are given.
    pub fn applies(self, given: impl FnOnce(&str) -> bool) -> bool {
        match self {
            Self::Always => true,
            Self::With(flag) => given(flag),
            Self::Without(flag) => !given(flag),
        }
    }
}

impl SearchField {
    pub(crate) const fn new(option: OptionSpec, label: &'static str) -> Self {
        Self { option, label, words: None, applies: Applies::Always }
    }
}

/// The number in the round of the first pair that was entered.
pub const FIRST_PAIR: SearchField = SearchField::new(
    OptionSpec::new(
        "at",
        OptionKind::Number(1, 100_000),
        "Number of the first entered pair in the round, if you missed earlier ones",
    )
    .default("1"),
    "First pair number",
);

/// Whether the orientation of the pairs is unknown.
pub const UNORDERED: SearchField = SearchField::new(
    OptionSpec::new("unordered", OptionKind::Flag, "Match each pair in both orders"),
    "Unknown order within pairs",
);

/// Whether colours are only names.
pub(crate) const RELABEL: SearchField = SearchField::new(
    OptionSpec::new("relabel", OptionKind::Flag, "Match any consistent renaming of the colours"),
    "Ignore actual colours (relabel)",
);

/// The mode, for games with pools of the story and of versus.
pub(crate) const STORY: SearchField = SearchField {
    words: Some(["Versus", "Story"]),
    ..SearchField::new(OptionSpec::new("story", OptionKind::Flag, ""), "")
};

/// The player's level in versus.
pub(crate) const LEVEL: SearchField = SearchField {
    applies: Applies::Without("story"),
    ..SearchField::new(
        OptionSpec::new("level", OptionKind::Number(1, 5), "Player level selects the pool").default("3"),
        "Level",
    )
};

/// What the user entered.
#[derive(Debug, Clone, Default)]
pub struct SearchInput {
    /// The values of the options.
    pub options: OptionValues,
    /// The pairs.
    pub pairs: Vec<PartialPair>,
}

impl SearchInput {
    /// Pairs that were dealt from the start of a round on.
    pub(crate) fn dealt(
        options: impl IntoIterator<Item = (&'static str, OptionValue)>,
        pairs: impl Iterator<Item = Pair>,
    ) -> Self {
        let mut values = OptionValues::default();
        for (name, value) in options {
            values.set(name, value);
        }
        Self { options: values, pairs: pairs.map(PartialPair::from).collect() }
    }

    /// The number in the round of the first pair, from 0.
    pub(crate) fn first(&self) -> u32 {
        self.options.number(FIRST_PAIR.option.name).map_or(0, |number| number.saturating_sub(1))
    }

    /// Whether the orientation of the pairs is unknown.
    pub(crate) fn unordered(&self) -> bool {
        self.options.has(UNORDERED.option.name)
    }
}

/// What can be done with the input.
pub enum Preparation {
    /// The input restricts nothing: what to enter.
    Incomplete(&'static str),
    /// A search of milliseconds, which follows every change.
    Quick(RunSearch),
    /// A search that the user starts. Once it is complete, more pairs are searched for among its seeds only.
    Long(RunSearch, Estimate),
}

/// Searches among all seeds, or among these. None if it was cancelled.
pub type RunSearch = Box<dyn FnOnce(Option<Vec<u32>>, &Progress) -> Option<Arc<dyn SearchAnswer>> + Send>;

/// The expected result of a long search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// "About 1,000".
    pub count: String,
    /// "of 4,294,967,296 states expected (estimate)".
    pub of_what: String,
    /// Whether the search is worthwhile yet.
    pub advice: String,
}

/// The result of a search.
pub trait SearchAnswer: Send + Sync {
    /// What is always shown of it.
    fn view(&self) -> &AnswerView;

    /// A row of the list.
    fn row(&self, number: usize) -> Option<AnswerRow>;

    /// The round of a row.
    fn round(&self, number: usize) -> Option<ComputedRound>;

    /// The result as the command line prints it.
    fn report(&self, format: Format) -> String;

    /// The seeds, for a narrower search.
    fn seeds(&self) -> Vec<u32>;
}

/// What is always shown of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerView {
    /// The number of matching seeds.
    pub count: usize,
    /// "of 65,536 games match".
    pub of_what: String,
    /// Whether no match is missing, so that a narrower search can be among these.
    pub complete: bool,
    /// Why no seed matches.
    pub no_match: Option<String>,
    /// A remark, such as what to enter next.
    pub remark: String,
    /// The number of the next pair, from 0.
    pub next: u32,
    /// The next pairs, as far as they are certain.
    pub certain: Vec<PartialPair>,
    /// Why they are certain.
    pub certain_why: String,
    /// What ends the certainty.
    pub certain_until: String,
    /// The pairs that may come next, the likeliest first, with the number of seeds that deal them. None are given where pairs are certain.
    pub chances: Vec<(PartialPair, u32)>,
    /// ", with your colour names".
    pub chances_note: &'static str,
    /// The heading of the list.
    pub heading: &'static str,
    /// The number of rows.
    pub rows: usize,
    /// What a row is: "seed".
    pub row_name: &'static str,
    /// The result in the list of recent searches; empty if the search is not worth listing.
    pub summary: String,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRow {
    /// The columns of text.
    pub text: Vec<String>,
    /// The next pairs.
    pub pairs: Vec<PartialPair>,
}

/// The most certain pairs.
pub(crate) const CERTAIN: u32 = 24;
/// Next pairs in a row.
pub(crate) const ROW_PAIRS: u32 = 24;
/// Next pairs of a computed round.
const ROUND_PAIRS: u32 = 64;
/// The most seeds in a report.
pub(crate) const REPORTED: usize = 1000;

/// A round of a game with pools of 128 pairs, as the Predict panel shows it. `pair` and `pool_position` are of a pair by its number from 0;
/// `next` is the first that the user did not enter.
pub(crate) fn computed_round(
    what: String,
    pools: Vec<Pool>,
    player: Player,
    next: u32,
    pair: impl Fn(u32) -> Option<Pair>,
    pool_position: impl Fn(u32) -> (usize, usize),
) -> ComputedRound {
    let last = next.checked_sub(1);
    let pool_position = last.map(pool_position);
    let position = pool_position.map_or_else(
        || "Start of the round".into(),
        |(_, at)| format!("Last entered: pair {next} of the round, position {} of 128", at + 1),
    );
    let player = Player {
        current: last.and_then(&pair),
        pairs: (next..next.saturating_add(ROUND_PAIRS)).filter_map(&pair).collect(),
        names: &["next", "second"],
        dealt: u16::try_from(next).ok(),
        position,
        pool_position,
        ..player
    };
    ComputedRound {
        what,
        shown: PredictionView { players: vec![player], pools, ..PredictionView::default() },
    }
}

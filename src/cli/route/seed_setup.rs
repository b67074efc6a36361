//! What a search over many seeds deals: everything that decides the start of each seed. It is saved in the checkpoint file.

use super::waiting::RecordedState;
use crate::cli::boards::{default_game, rules};
use crate::cli::exit::Failure;
use crate::cli::games::only_built_in;
use crate::options::{OptionSpec, OptionValue, OptionValues};
use crate::pairs::PairGame;
use crate::puyo::{Rules, field_from_rows};
use crate::route::Start;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Pairs to use.
pub const PAIR_COUNTS: RangeInclusive<i64> = 1..=1000;
/// Numbers of the first pair.
pub const PAIR_NUMBERS: RangeInclusive<i64> = 1..=1_000_000;
/// Sizes of a group.
pub const GROUPS: RangeInclusive<i64> = 2..=6;
/// Points per garbage puyo.
pub const TARGET_POINTS: RangeInclusive<i64> = 1..=10_000;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedSetup {
    pub game: String,
    /// The game's options, with their defaults.
    pub options: BTreeMap<String, String>,
    pub pairs: u32,
    /// The number of the first pair, from 1.
    pub from: u32,
    /// Rows of the board.
    pub board: Vec<String>,
    /// The size of a group, if it is not the game's own.
    pub group: Option<u32>,
    pub target_points: u32,
    /// The states of a recording, whose indices are the seeds.
    pub states: Option<Vec<RecordedState>>,
}

/// The options of a game as text.
pub fn options_text(game: PairGame, values: &OptionValues) -> BTreeMap<String, String> {
    let text = |option: &OptionSpec| match values.get(option.name)? {
        OptionValue::Flag => Some(String::new()),
        OptionValue::Number(number) => Some(number.to_string()),
        OptionValue::Text(text) => Some(text.clone()),
        OptionValue::File(_) | OptionValue::Dump(_) | OptionValue::Profile(_) => None,
    };
    let options = game.rules().deal_options.iter();
    options.filter_map(|option| Some((option.name.to_owned(), text(option)?))).collect()
}

/// The rules of a game, with this size of a group if it is given.
pub fn rules_of(game: &str, group: Option<u32>) -> Result<Rules, Failure> {
    let why = format!(
        "a [randomizer] says what is dealt, and not how it falls and pops; `nextscope route {} --pieces PAIRS` plans for its pairs by \
         the rules of a built-in game",
        default_game()
    );
    only_built_in("route", game, &why)?;
    let rules = rules(game)?;
    Ok(Rules { group: group.unwrap_or(rules.group), ..rules })
}

impl SeedSetup {
    /// Reads the setup in a checkpoint file; a message if it is invalid.
    pub fn from_map(map: &Map<String, Value>) -> Result<Self, String> {
        let mut setup: Self =
            serde_json::from_value(Value::Object(map.clone())).map_err(|error| error.to_string())?;
        let in_range = PAIR_COUNTS.contains(&setup.pairs.into())
            && PAIR_NUMBERS.contains(&setup.from.into())
            && setup.group.is_none_or(|group| GROUPS.contains(&group.into()))
            && TARGET_POINTS.contains(&setup.target_points.into());
        if !in_range {
            return Err("a number in its setup is out of range".into());
        }
        let game = setup.pair_game()?;
        for state in setup.states.iter_mut().flatten() {
            state.name = (game.rules().seed_text)(state.state);
        }
        Ok(setup)
    }

    pub fn to_map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    fn pair_game(&self) -> Result<PairGame, String> {
        PairGame::from_id(&self.game).ok_or_else(|| format!("no game {:?} deals pairs", self.game))
    }

    /// All seeds that there are.
    pub fn all_seeds(&self) -> Result<RangeInclusive<u32>, String> {
        let last = match &self.states {
            Some(states) => states.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()),
            None => Some(self.pair_game()?.largest_seed()),
        };
        last.map(|last| 0..=last).ok_or_else(|| "its number of states is invalid".into())
    }

    /// The start for each seed.
    pub fn start(&self) -> Result<impl Fn(u32) -> Option<Start> + Sync + '_, String> {
        let game = self.pair_game()?;
        let mut values = OptionValues::new(game.rules().deal_options, 0);
        for (name, text) in &self.options {
            let option = game.rules().deal_options.iter().find(|option| option.name == name);
            let invalid = || format!("the option {name} {text:?} is invalid");
            let option = option.ok_or_else(invalid)?;
            values.set(option.name, option.parse(text).ok_or_else(invalid)?);
        }
        let rules = rules_of(&self.game, self.group).map_err(|error| error.to_string())?;
        let field = field_from_rows(&self.board).map_err(|error| format!("the board: {error}"))?;
        let deal = (game.rules().dealer)(&values, self.group);
        let numbers = self.from - 1..self.from - 1 + self.pairs;
        let target_points = self.target_points;
        Ok(move |seed: u32| {
            let seed = match &self.states {
                Some(states) => states.get(seed as usize)?.state,
                None => seed,
            };
            Some(Start { field, pairs: deal(seed, numbers.clone()), rules, target_points })
        })
    }

    pub fn state(&self, seed: u32) -> Option<&RecordedState> {
        self.states.as_ref()?.get(seed as usize)
    }
}

//! The options of `route` that decide what a seed deals: those of every game of pairs.

use crate::cli::pair_games::{argument, value};
use crate::options::{OptionSpec, OptionValue, OptionValues};
use crate::pairs::{PairDealer, PairGame};
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The values given for any game.
#[derive(Debug)]
pub struct DealOptions(Vec<(&'static str, OptionValue)>);

/// The options in the order of the help, each with the games that have it. Games with the same option agree on its values.
fn options() -> Vec<(&'static OptionSpec, Vec<&'static str>)> {
    let mut all: Vec<(&OptionSpec, Vec<&str>)> = Vec::new();
    for game in PairGame::all().rev() {
        for option in game.rules().deal_options {
            match all.iter_mut().find(|(known, _)| known.name == option.name) {
                Some((_, games)) => games.push(game.id()),
                None => all.push((option, vec![game.id()])),
            }
        }
    }
    all
}

impl DealOptions {
    pub fn dealer(&self, game: PairGame, group: Option<u32>) -> PairDealer {
        let rules = game.rules();
        let mut values = OptionValues::new(rules.deal_options, 0);
        for (name, value) in &self.0 {
            values.set(name, value.clone());
        }
        (rules.dealer)(&values, group)
    }
}

impl Args for DealOptions {
    fn augment_args(command: Command) -> Command {
        options().into_iter().fold(command, |command, (option, games)| {
            command.arg(argument(option).help(format!("{}: {}", games.join(", "), option.help)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DealOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |(option, _): (&'static OptionSpec, _)| Some((option.name, value(option, matches)?));
        Ok(Self(options().into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

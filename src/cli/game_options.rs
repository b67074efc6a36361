//! Options of a command for several games: those that each game of pairs states as data.

use crate::cli::described_games::{argument, value};
use crate::options::{OptionSpec, OptionValue, OptionValues};
use crate::pairs::{PairDealer, PairGame};
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use std::marker::PhantomData;

/// A command whose options depend on the game.
pub trait GameOptions {
    fn options(game: PairGame) -> &'static [OptionSpec];
}

/// `route`: the options that decide what a seed deals.
#[derive(Debug)]
pub struct Deal;

impl GameOptions for Deal {
    fn options(game: PairGame) -> &'static [OptionSpec] {
        game.rules().deal_options
    }
}

/// `stats` of the games with statistics of their own.
#[derive(Debug)]
pub struct OwnStats;

impl GameOptions for OwnStats {
    fn options(game: PairGame) -> &'static [OptionSpec] {
        game.rules().stats.as_ref().map_or(&[], |stats| stats.options)
    }
}

/// The values given for any game.
#[derive(Debug)]
pub struct Given<C> {
    values: Vec<(&'static str, OptionValue)>,
    command: PhantomData<C>,
}

/// The options in the order of the help. Games with the same option agree on its values, but not on what they mean.
fn options<C: GameOptions>() -> Vec<(&'static OptionSpec, Vec<Meaning>)> {
    let mut all: Vec<(&OptionSpec, Vec<Meaning>)> = Vec::new();
    for game in PairGame::all().rev() {
        for option in C::options(game) {
            let at = all.iter().position(|(known, _)| known.name == option.name).unwrap_or_else(|| {
                all.push((option, Vec::new()));
                all.len() - 1
            });
            let meanings = &mut all[at].1;
            match meanings.iter_mut().find(|meaning| meaning.help == option.help) {
                Some(meaning) => meaning.games.push(game.id()),
                None => meanings.push(Meaning { help: option.help, games: vec![game.id()] }),
            }
        }
    }
    all
}

/// The help of an option, and the games for which it is that.
struct Meaning {
    help: &'static str,
    games: Vec<&'static str>,
}

impl<C: GameOptions> Given<C> {
    /// The values of a game's options.
    pub fn values(&self, game: PairGame) -> OptionValues {
        let mut values = OptionValues::new(C::options(game), 0);
        for (name, value) in &self.values {
            values.set(name, value.clone());
        }
        values
    }

    /// The first option that was given.
    pub fn first(&self) -> Option<&'static str> {
        self.values.first().map(|(name, _)| *name)
    }
}

impl Given<Deal> {
    pub fn dealer(&self, game: PairGame, group: Option<u32>) -> PairDealer {
        (game.rules().dealer)(&self.values(game), group)
    }
}

impl<C: GameOptions> Args for Given<C> {
    fn augment_args(command: Command) -> Command {
        options::<C>().into_iter().fold(command, |command, (option, meanings)| {
            let help = |meaning: &Meaning| format!("{}: {}", meaning.games.join(", "), meaning.help);
            command.arg(argument(option).help(meanings.iter().map(help).collect::<Vec<_>>().join(". ")))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: GameOptions> FromArgMatches for Given<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let given = |(option, _): (&'static OptionSpec, _)| {
            let on_command_line =
                matches.value_source(option.name) == Some(clap::parser::ValueSource::CommandLine);
            on_command_line.then(|| Some((option.name, value(option, matches)?))).flatten()
        };
        Ok(Self { values: options::<C>().into_iter().filter_map(given).collect(), command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

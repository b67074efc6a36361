//! The games that state the options of a command as data, as its subcommands.

use super::arguments::{Global, random_number};
use super::{files, library, ram_file};
use crate::file::TEXT_LIMIT;
use crate::games::{GAMES, GameId};
use crate::options::{NamedBytes, NamedRam, OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::Format;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches, Subcommand, value_parser};
use std::marker::PhantomData;
use std::path::PathBuf;

/// A command that games describe.
pub trait DescribedCommand {
    const NAME: &'static str;

    /// What the game says of it; None for a game that does not.
    fn of(game: GameId) -> Option<Described>;
}

/// The description of a command for one game.
#[derive(Debug, Clone, Copy)]
pub struct Described {
    pub about: &'static str,
    pub options: &'static [OptionSpec],
    /// How the command is used, a line for each way; none if the list of options says enough.
    pub usage: &'static [&'static str],
}

/// The games with the command, in display order.
fn games<C: DescribedCommand>() -> impl Iterator<Item = (GameId, Described)> {
    GAMES.iter().filter_map(|game| Some((game.id, C::of(game.id)?)))
}

fn from_id<C: DescribedCommand>(id: &str) -> Option<(GameId, Described)> {
    games::<C>().find(|(game, _)| game.id() == id)
}

/// A game, with what was given on the command line.
#[derive(Debug)]
pub struct Chosen<C> {
    pub game: GameId,
    options: &'static [OptionSpec],
    given: Vec<(&'static str, Given)>,
    frame: Option<u64>,
    command: PhantomData<C>,
}

#[derive(Debug)]
enum Given {
    Value(OptionValue),
    File(PathBuf),
    Dump(PathBuf),
    Profile(String),
}

/// The argument of an option.
pub fn argument(option: &OptionSpec) -> Arg {
    let mut argument = Arg::new(option.name).long(option.name).help(option.help);
    argument = match option.kind {
        OptionKind::Flag => argument.action(ArgAction::SetTrue),
        OptionKind::Number(least, most) => {
            argument.value_parser(value_parser!(u32).range(i64::from(least)..=i64::from(most)))
        }
        OptionKind::Choice(words) => argument.value_parser(PossibleValuesParser::new(words)),
        OptionKind::Text | OptionKind::Board(_) | OptionKind::Profile => argument,
        OptionKind::Seed => argument.allow_negative_numbers(true),
        OptionKind::File | OptionKind::Dump => argument.value_parser(value_parser!(PathBuf)),
        OptionKind::Frame => argument.value_parser(value_parser!(u64)),
    };
    if option.kind != OptionKind::Flag {
        argument = argument.value_name(option.value_name);
    }
    if let Some(value) = option.default {
        argument = argument.default_value(value);
    }
    if let Some(other) = option.requires {
        argument = argument.requires(other);
    }
    if !option.required_unless.is_empty() {
        argument = argument.required_unless_present_any(option.required_unless);
    }
    argument.conflicts_with_all(option.conflicts_with)
}

/// The value of an option that is no file or profile.
pub fn value(option: &OptionSpec, matches: &ArgMatches) -> Option<OptionValue> {
    match option.kind {
        OptionKind::Flag => matches.get_flag(option.name).then_some(OptionValue::Flag),
        OptionKind::Number(..) => matches.get_one(option.name).copied().map(OptionValue::Number),
        OptionKind::Choice(_) | OptionKind::Text | OptionKind::Seed | OptionKind::Board(_) => {
            matches.get_one(option.name).cloned().map(OptionValue::Text)
        }
        OptionKind::File | OptionKind::Dump | OptionKind::Frame | OptionKind::Profile => None,
    }
}

fn command<C: DescribedCommand>(game: GameId, described: Described) -> Command {
    let Described { about, options, usage } = described;
    let command = Command::new(game.id()).about(about);
    let ways = usage.iter().map(|way| format!("nextscope {} {} {way}", C::NAME, game.id()));
    let usage = ways.collect::<Vec<_>>().join("\n       ");
    let command = if usage.is_empty() { command } else { command.override_usage(usage) };
    command.args(options.iter().map(argument))
}

impl<C: DescribedCommand> Chosen<C> {
    /// The format of the output.
    pub fn format(&self, global: &Global) -> Format {
        match self.given.iter().any(|(name, _)| *name == "csv") {
            _ if global.json => Format::Json,
            true => Format::Csv,
            false => Format::Text,
        }
    }

    /// The values of the options. Reads files.
    pub fn values(&self, global: &Global) -> anyhow::Result<OptionValues> {
        let mut values = OptionValues::new(self.options, random_number());
        for (name, given) in &self.given {
            let value = match given {
                Given::Value(value) => value.clone(),
                Given::File(path) => {
                    let bytes = files::read(path, TEXT_LIMIT)?;
                    OptionValue::File(NamedBytes { name: path.display().to_string(), bytes })
                }
                Given::Dump(path) => {
                    let found = ram_file::open(global, path, self.frame)?;
                    if let Some((_, profile)) = &found {
                        ram_file::require_game(path, profile, self.game)?;
                    }
                    OptionValue::Dump(NamedRam { name: path.display().to_string(), found })
                }
                Given::Profile(name) => OptionValue::Profile(library::known_or_file(global, name)?),
            };
            values.set(name, value);
        }
        Ok(values)
    }
}

impl<C: DescribedCommand> Subcommand for Chosen<C> {
    fn augment_subcommands(parent: Command) -> Command {
        games::<C>()
            .fold(parent, |parent, (game, described)| parent.subcommand(command::<C>(game, described)))
    }

    fn augment_subcommands_for_update(parent: Command) -> Command {
        Self::augment_subcommands(parent)
    }

    fn has_subcommand(name: &str) -> bool {
        from_id::<C>(name).is_some()
    }
}

impl<C: DescribedCommand> FromArgMatches for Chosen<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let known = |(name, matches)| Some((from_id::<C>(name)?, matches));
        let ((game, described), matches): (_, &ArgMatches) = matches
            .subcommand()
            .and_then(known)
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "missing game"))?;
        let given = |option: &'static OptionSpec| {
            let path = || matches.get_one::<PathBuf>(option.name).cloned();
            let given = match option.kind {
                OptionKind::File => path().map(Given::File),
                OptionKind::Dump => path().map(Given::Dump),
                OptionKind::Profile => matches.get_one(option.name).cloned().map(Given::Profile),
                _ => value(option, matches).map(Given::Value),
            };
            Some((option.name, given?))
        };
        let options = described.options;
        let frame = options.iter().find(|option| option.kind == OptionKind::Frame);
        let frame = frame.and_then(|option| matches.get_one(option.name).copied());
        let given = options.iter().filter_map(given).collect();
        Ok(Self { game, options, given, frame, command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

//! The games of pairs as subcommands, with the options that each states as data.

use super::arguments::{Global, random_number};
use super::{files, ram_file};
use crate::file::TEXT_LIMIT;
use crate::options::{NamedBytes, NamedRam, OptionKind, OptionSpec, OptionValue, OptionValues};
use crate::pairs::{Format, PairGame};
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches, Subcommand, value_parser};
use std::marker::PhantomData;
use std::path::PathBuf;

/// A command that each game of pairs describes.
pub trait PairCommand {
    fn about(game: PairGame) -> &'static str;
    fn options(game: PairGame) -> &'static [OptionSpec];
    /// How the command is used, a line for each way.
    fn usage(_: PairGame) -> &'static [&'static str] {
        &[]
    }
    const NAME: &'static str;
}

/// A game of pairs, with what was given on the command line.
#[derive(Debug)]
pub struct Chosen<C> {
    pub game: PairGame,
    given: Vec<(&'static str, Given)>,
    frame: Option<u64>,
    command: PhantomData<C>,
}

#[derive(Debug)]
enum Given {
    Value(OptionValue),
    File(PathBuf),
    Dump(PathBuf),
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
        OptionKind::Text | OptionKind::Board(_) => argument,
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

/// The value of an option that is no file.
pub fn value(option: &OptionSpec, matches: &ArgMatches) -> Option<OptionValue> {
    match option.kind {
        OptionKind::Flag => matches.get_flag(option.name).then_some(OptionValue::Flag),
        OptionKind::Number(..) => matches.get_one(option.name).copied().map(OptionValue::Number),
        OptionKind::Choice(_) | OptionKind::Text | OptionKind::Seed | OptionKind::Board(_) => {
            matches.get_one(option.name).cloned().map(OptionValue::Text)
        }
        OptionKind::File | OptionKind::Dump | OptionKind::Frame => None,
    }
}

fn command<C: PairCommand>(game: PairGame) -> Command {
    let command = Command::new(game.id()).about(C::about(game));
    let ways = C::usage(game).iter().map(|way| format!("nextscope {} {} {way}", C::NAME, game.id()));
    let usage = ways.collect::<Vec<_>>().join("\n       ");
    let command = if usage.is_empty() { command } else { command.override_usage(usage) };
    command.args(C::options(game).iter().map(argument))
}

impl<C: PairCommand> Chosen<C> {
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
        let mut values = OptionValues::new(C::options(self.game), random_number());
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
                        ram_file::require_game(path, profile, self.game.game())?;
                    }
                    OptionValue::Dump(NamedRam { name: path.display().to_string(), found })
                }
            };
            values.set(name, value);
        }
        Ok(values)
    }
}

impl<C: PairCommand> Subcommand for Chosen<C> {
    fn augment_subcommands(parent: Command) -> Command {
        PairGame::all().fold(parent, |parent, game| parent.subcommand(command::<C>(game)))
    }

    fn augment_subcommands_for_update(parent: Command) -> Command {
        Self::augment_subcommands(parent)
    }

    fn has_subcommand(name: &str) -> bool {
        PairGame::from_id(name).is_some()
    }
}

impl<C: PairCommand> FromArgMatches for Chosen<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let known = |(name, matches)| Some((PairGame::from_id(name)?, matches));
        let (game, matches): (_, &ArgMatches) = matches
            .subcommand()
            .and_then(known)
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "missing game"))?;
        let given = |option: &'static OptionSpec| {
            let path = || matches.get_one::<PathBuf>(option.name).cloned();
            let given = match option.kind {
                OptionKind::File => path().map(Given::File),
                OptionKind::Dump => path().map(Given::Dump),
                _ => value(option, matches).map(Given::Value),
            };
            Some((option.name, given?))
        };
        let frame = C::options(game).iter().find(|option| option.kind == OptionKind::Frame);
        let frame = frame.and_then(|option| matches.get_one(option.name).copied());
        let given = C::options(game).iter().filter_map(given).collect();
        Ok(Self { game, given, frame, command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

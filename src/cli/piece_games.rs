//! The games of single pieces as subcommands; each accepts only the options that apply to it.

use crate::seeds::pieces::{PieceGame, PieceOption};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// The options that only some games have, each once.
fn special_options() -> impl Iterator<Item = &'static PieceOption> {
    let all = || PieceGame::ALL.iter().flat_map(|game| game.rules().options);
    let is_first =
        move |(at, option): &(usize, &PieceOption)| !all().take(*at).any(|one| one.name == option.name);
    all().enumerate().filter(is_first).map(|(_, option)| option)
}

fn unavailable(option: &PieceOption, game: PieceGame) -> Error {
    let known = PieceGame::ALL.iter().filter(|game| game.has_option(option.name));
    let known: Vec<&str> = known.map(|game| game.id()).collect();
    let PieceOption { name, why } = option;
    Error::raw(
        ErrorKind::UnknownArgument,
        format!("--{name} is not available for {game}: only for {}, {why}", known.join(", ")),
    )
}

/// A game of single pieces, with the arguments of the command.
#[derive(Debug)]
pub struct Chosen<A> {
    pub game: PieceGame,
    pub arguments: A,
}

fn command<A: Args>(game: PieceGame) -> Command {
    let mut command = A::augment_args(Command::new(game.id())).about(game.rules().about);
    if command.get_arguments().any(|argument| argument.get_id() == "variant") {
        let variants = game.variants().iter().map(|(name, meaning)| format!("  {name}: {meaning}\n"));
        command =
            command.after_help(format!("Variants, the default first:\n{}", variants.collect::<String>()));
    }
    special_options().filter(|option| !game.has_option(option.name)).fold(command, |command, option| {
        if command.get_arguments().any(|argument| argument.get_id() == option.name) {
            command.mut_arg(option.name, |argument| argument.hide(true))
        } else {
            command
        }
    })
}

impl<A: Args> Subcommand for Chosen<A> {
    fn augment_subcommands(parent: Command) -> Command {
        PieceGame::ALL.iter().fold(parent, |parent, &game| parent.subcommand(command::<A>(game)))
    }

    fn augment_subcommands_for_update(parent: Command) -> Command {
        Self::augment_subcommands(parent)
    }

    fn has_subcommand(name: &str) -> bool {
        PieceGame::from_id(name).is_some()
    }
}

impl<A: Args> FromArgMatches for Chosen<A> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let known = |(name, matches)| Some((PieceGame::from_id(name)?, matches));
        let (game, matches): (_, &ArgMatches) = matches
            .subcommand()
            .and_then(known)
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "missing game"))?;
        let given = |option| {
            matches.try_contains_id(option).is_ok_and(|given| given)
                && matches.value_source(option) == Some(ValueSource::CommandLine)
        };
        if let Some(option) =
            special_options().find(|option| !game.has_option(option.name) && given(option.name))
        {
            return Err(unavailable(option, game));
        }
        Ok(Self { game, arguments: A::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

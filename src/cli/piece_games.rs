//! The games of single pieces as subcommands: one list for all commands, and to each game only the options that it knows.

use crate::seeds::pieces::{PieceGame, PieceOption};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// The options that not every game has, each once.
fn special_options() -> impl Iterator<Item = &'static PieceOption> {
    let all = || PieceGame::ALL.iter().flat_map(|game| game.rules().options);
    all()
        .enumerate()
        .filter(move |(at, option)| !all().take(*at).any(|one| one.name == option.name))
        .map(|(_, one)| one)
}

fn refusal(option: &PieceOption, game: PieceGame) -> Error {
    let known = PieceGame::ALL.iter().filter(|game| game.has_option(option.name));
    let known: Vec<&str> = known.map(|game| game.id()).collect();
    let PieceOption { name, why } = option;
    Error::raw(
        ErrorKind::UnknownArgument,
        format!("{game} takes no --{name}: that is for {}, {why}", known.join(", ")),
    )
}

/// A game of single pieces, with the arguments of the command.
#[derive(Debug)]
pub struct Chosen<A> {
    /// The game.
    pub game: PieceGame,
    /// What is asked of it.
    pub arguments: A,
}

fn command<A: Args>(game: PieceGame) -> Command {
    let mut command = A::augment_args(Command::new(game.id())).about(game.rules().about);
    if command.get_arguments().any(|argument| argument.get_id() == "variant") {
        let variants = game.variants().iter().map(|(name, meaning)| format!("  {name}: {meaning}\n"));
        command =
            command.after_help(format!("Variants, the default first:\n{}", variants.collect::<String>()));
    }
    special_options().filter(|special| !game.has_option(special.name)).fold(command, |command, special| {
        if command.get_arguments().any(|argument| argument.get_id() == special.name) {
            command.mut_arg(special.name, |argument| argument.hide(true))
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
            .ok_or_else(|| Error::raw(ErrorKind::MissingSubcommand, "no game is named"))?;
        let given = |option| {
            matches.try_contains_id(option).is_ok_and(|given| given)
                && matches.value_source(option) == Some(ValueSource::CommandLine)
        };
        if let Some(special) =
            special_options().find(|special| !game.has_option(special.name) && given(special.name))
        {
            return Err(refusal(special, game));
        }
        Ok(Self { game, arguments: A::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

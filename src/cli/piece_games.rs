//! The games of single pieces as subcommands; each accepts only the options that apply to it.

use crate::game::pieces::PieceGame;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// An option that only some games have.
struct GameOption {
    /// The long name.
    name: &'static str,
    games: &'static [PieceGame],
    /// Why only these games have it.
    why: &'static str,
}

const GAME_OPTIONS: &[GameOption] = &[
    GameOption { name: "steps", games: NES, why: "whose generator advances every frame" },
    GameOption { name: "gaps", games: NES, why: "whose generator advances every frame" },
    GameOption {
        name: "games",
        games: SEGA,
        why: "where each game continues from the state of the last one",
    },
    GameOption {
        name: "monkey",
        games: &[PieceGame::SegaTetris, PieceGame::FlashPoint],
        why: "where a monkey between games takes a random number",
    },
    GameOption {
        name: "items",
        games: &[PieceGame::Bloxeed],
        why: "whose items use the generator that seeds the next game",
    },
    GameOption {
        name: "continued",
        games: &[PieceGame::Bloxeed],
        why: "which deals the same pieces again after a continue",
    },
];
const NES: &[PieceGame] = &[PieceGame::TetrisNes];
const SEGA: &[PieceGame] = &[PieceGame::SegaTetris, PieceGame::FlashPoint, PieceGame::Bloxeed];

impl GameOption {
    fn is_unavailable_in(&self, game: PieceGame) -> bool {
        !self.games.contains(&game)
    }

    fn error(&self, game: PieceGame) -> Error {
        let known: Vec<&str> = self.games.iter().map(|game| game.id()).collect();
        let (option, known, why) = (self.name, known.join(", "), self.why);
        Error::raw(
            ErrorKind::UnknownArgument,
            format!("--{option} is not available for {game}: only for {known}, {why}"),
        )
    }
}

/// A game of single pieces, with the arguments of the command.
#[derive(Debug)]
pub struct Chosen<A> {
    pub game: PieceGame,
    pub arguments: A,
}

fn command<A: Args>(game: PieceGame) -> Command {
    let mut command = A::augment_args(Command::new(game.id())).about(game.about());
    if command.get_arguments().any(|argument| argument.get_id() == "variant") {
        let variants = game.variants().iter().map(|(name, meaning)| format!("  {name}: {meaning}\n"));
        command =
            command.after_help(format!("Variants, the default first:\n{}", variants.collect::<String>()));
    }
    GAME_OPTIONS.iter().filter(|option| option.is_unavailable_in(game)).fold(command, |command, option| {
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
            GAME_OPTIONS.iter().find(|option| option.is_unavailable_in(game) && given(option.name))
        {
            return Err(option.error(game));
        }
        Ok(Self { game, arguments: A::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

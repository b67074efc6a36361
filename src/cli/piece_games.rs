//! The games of single pieces as subcommands: one list for all commands, and to each game only the options that it knows.

use crate::game::pieces::PieceGame;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};

/// An option that not every game has.
struct Special {
    /// Its long name.
    option: &'static str,
    games: &'static [PieceGame],
    /// What these games have, and the others have not.
    why: &'static str,
}

const SPECIALS: &[Special] = &[
    Special { option: "steps", games: NES, why: "whose generator runs in every frame" },
    Special { option: "gaps", games: NES, why: "whose generator runs in every frame" },
    Special {
        option: "games",
        games: SEGA,
        why: "where a game goes on from the state that the last one left",
    },
    Special {
        option: "monkey",
        games: &[PieceGame::SegaTetris, PieceGame::FlashPoint],
        why: "where a monkey is drawn",
    },
    Special {
        option: "items",
        games: &[PieceGame::Bloxeed],
        why: "whose items draw from the same generator",
    },
    Special {
        option: "continued",
        games: &[PieceGame::Bloxeed],
        why: "which gives who continues the same pieces again",
    },
];
const NES: &[PieceGame] = &[PieceGame::TetrisNes];
const SEGA: &[PieceGame] = &[PieceGame::SegaTetris, PieceGame::FlashPoint, PieceGame::Bloxeed];

impl Special {
    fn is_unknown_to(&self, game: PieceGame) -> bool {
        !self.games.contains(&game)
    }

    fn refusal(&self, game: PieceGame) -> Error {
        let known: Vec<&str> = self.games.iter().map(|game| game.id()).collect();
        let (option, known, why) = (self.option, known.join(", "), self.why);
        Error::raw(
            ErrorKind::UnknownArgument,
            format!("{game} takes no --{option}: that is for {known}, {why}"),
        )
    }
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
    let mut command = A::augment_args(Command::new(game.id())).about(game.about());
    if command.get_arguments().any(|argument| argument.get_id() == "variant") {
        let variants = game.variants().iter().map(|(name, meaning)| format!("  {name}: {meaning}\n"));
        command =
            command.after_help(format!("Variants, the default first:\n{}", variants.collect::<String>()));
    }
    SPECIALS.iter().filter(|special| special.is_unknown_to(game)).fold(command, |command, special| {
        if command.get_arguments().any(|argument| argument.get_id() == special.option) {
            command.mut_arg(special.option, |argument| argument.hide(true))
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
            SPECIALS.iter().find(|special| special.is_unknown_to(game) && given(special.option))
        {
            return Err(special.refusal(game));
        }
        Ok(Self { game, arguments: A::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

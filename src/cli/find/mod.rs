//! `find GAME`: the seed or state from observed pieces. One file for the games that state their options as data, one for the others.

mod described;
mod pieces;

use crate::cli::arguments::Global;
use crate::cli::described_games;
use crate::cli::exit::Exit;
use crate::cli::games::unknown_game;
use crate::cli::piece_games::Chosen;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "GAME", subcommand_help_heading = "Games", disable_help_subcommand = true)]
pub enum Game {
    #[command(flatten)]
    Described(described_games::Chosen<described::Find>),
    #[command(flatten)]
    Pieces(Chosen<pieces::Arguments>),
    /// Not a game: reported with a suggestion.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

pub fn run(global: &Global, game: &Game) -> anyhow::Result<Exit> {
    match game {
        Game::Described(chosen) => described::run(global, chosen),
        Game::Pieces(chosen) => pieces::run(global, chosen.game, &chosen.arguments),
        Game::Unknown(words) => Err(unknown_game(words).into()),
    }
}

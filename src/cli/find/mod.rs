//! `find GAME`: the seed from what was seen. One file per game.

mod puyo_20th;

use super::generate::unknown_game;
use super::{Exit, Global};
use clap::Subcommand;

/// The games.
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "GAME", subcommand_help_heading = "Games", disable_help_subcommand = true)]
pub enum Game {
    /// Puyo Puyo!! 20th Anniversary: which of the 65,536 games deals these pairs, and which pairs come next
    #[command(name = "puyo-20th")]
    Puyo20th(puyo_20th::Arguments),
    /// Anything else.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

pub fn run(global: &Global, game: &Game) -> anyhow::Result<Exit> {
    match game {
        Game::Puyo20th(arguments) => puyo_20th::run(global, arguments),
        Game::Unknown(words) => Err(unknown_game(words).into()),
    }
}

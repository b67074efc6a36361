//! `generate GAME`: what a seed deals. One file per game.

mod pieces;
mod puyo_20th;
mod puyo_tsu;

pub use puyo_tsu::Mode;

use crate::cli::arguments::Global;
use crate::cli::exit::Exit;
use crate::cli::games::unknown_game;
use crate::cli::piece_games::Chosen;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "GAME", subcommand_help_heading = "Games", disable_help_subcommand = true)]
pub enum Game {
    /// Puyo Puyo Tsu: colour set, pools, pairs as dealt
    #[command(name = "puyo-tsu")]
    PuyoTsu(puyo_tsu::Arguments),
    /// Puyo Puyo!! 20th Anniversary: colour map, pools, pairs, for one seed or all
    #[command(name = "puyo-20th")]
    Puyo20th(puyo_20th::Arguments),
    #[command(flatten)]
    Pieces(Chosen<pieces::Arguments>),
    /// Not a game: reported with a suggestion.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

pub fn run(global: &Global, game: &Game) -> anyhow::Result<Exit> {
    match game {
        Game::PuyoTsu(arguments) => puyo_tsu::run(global, arguments),
        Game::Puyo20th(arguments) => puyo_20th::run(global, arguments),
        Game::Pieces(chosen) => pieces::run(global, chosen.game, &chosen.arguments),
        Game::Unknown(words) => Err(unknown_game(words).into()),
    }
}

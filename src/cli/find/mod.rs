//! `find GAME`: the states that give what was seen.

mod puyo_tsu;

use super::{Exit, Global};
use clap::Subcommand;

/// The games whose states can be found.
#[derive(Debug, Subcommand)]
pub enum Game {
    /// Puyo Puyo Tsu: every 32-bit state before a round that gives these pools or pairs
    #[command(name = "puyo-tsu")]
    PuyoTsu(puyo_tsu::Arguments),
}

pub fn run(global: &Global, game: &Game) -> anyhow::Result<Exit> {
    match game {
        Game::PuyoTsu(arguments) => puyo_tsu::run(global, arguments),
    }
}

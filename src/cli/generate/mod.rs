//! `generate GAME`: what a seed gives, without any emulator. One file per game.

pub(super) mod pieces;
mod puyo_20th;
mod puyo_tsu;

pub use crate::seeds::text::parse_number;
pub use puyo_tsu::Mode;

use super::piece_games::Chosen;
use super::{Exit, Failure, Global, suggest};
use crate::game::GameId;
use crate::seeds::pieces::PieceGame;
use clap::Subcommand;

/// The games.
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
    /// Anything else.
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

/// The failure of a name that is no game's.
pub fn unknown_game(words: &[String]) -> Failure {
    let modelled = GameId::ALL.iter().filter(|game| game.has_predictor());
    let mut known: Vec<&str> = modelled.map(|game| game.id()).collect();
    for game in PieceGame::ALL {
        if !known.contains(&game.id()) {
            known.push(game.id());
        }
    }
    let name = words.first().map_or("", String::as_str);
    suggest::unknown(format!("no model of {name:?}"), "game", name, &known)
}

/// A number that nobody knows before; its lowest bits are as random as the others.
pub fn random_number() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    // The keys of the standard library's hash tables come from the system's random numbers.
    let number = std::collections::hash_map::RandomState::new().build_hasher().finish();
    (number >> 32) as u32
}

/// A 32-bit number as people write it: 0x35879DE2, $35879DE2 or decimal.
pub fn parse_state(text: &str) -> Result<u32, Failure> {
    parse_number(text).ok_or_else(|| {
        Failure::BadInput(format!("invalid state {text:?}: expected 0x0 to 0xFFFFFFFF, or 0 to 4294967295"))
    })
}

//! `find GAME`: the seed or state from what was seen. One file per game.

mod pieces;
mod puyo_20th;
mod puyo_tsu;

use super::generate::unknown_game;
use super::{Exit, Global};
use crate::game::pieces::PieceGame;
use clap::Subcommand;

/// The games.
#[derive(Debug, Subcommand)]
#[command(subcommand_value_name = "GAME", subcommand_help_heading = "Games", disable_help_subcommand = true)]
pub enum Game {
    /// Puyo Puyo Tsu: every 32-bit state before a round that gives these pools or pairs
    #[command(name = "puyo-tsu")]
    PuyoTsu(puyo_tsu::Arguments),
    /// Puyo Puyo!! 20th Anniversary: which of the 65,536 games deals these pairs, and which pairs come next
    #[command(name = "puyo-20th")]
    Puyo20th(puyo_20th::Arguments),
    /// The first Tetris: each piece by one draw of a named generator
    #[command(name = "tetris-1985")]
    Tetris1985(pieces::Arguments),
    /// Tetris for the NES (1989)
    #[command(name = "tetris-nes")]
    TetrisNes(pieces::Arguments),
    /// Tetris: The Grand Master
    #[command(name = "tgm1")]
    Tgm1(pieces::Arguments),
    /// TAP, Tetris: The Absolute: The Grand Master 2 PLUS
    #[command(name = "tgm2")]
    Tgm2(pieces::Arguments),
    /// Tetris: The Grand Master 3, Terror-Instinct
    #[command(name = "tgm3")]
    Tgm3(pieces::Arguments),
    /// Tetris Worlds: bags of seven
    #[command(name = "tetris-worlds")]
    TetrisWorlds(pieces::Arguments),
    /// Tetris of Sega (System 16)
    #[command(name = "sega-tetris")]
    SegaTetris(pieces::Arguments),
    /// Flash Point (System 16)
    #[command(name = "flash-point")]
    FlashPoint(pieces::Arguments),
    /// Bloxeed (System 16)
    #[command(name = "bloxeed")]
    Bloxeed(pieces::Arguments),
    /// Our own randomizer with limits on droughts and floods
    #[command(name = "bounded")]
    Bounded(pieces::Arguments),
    /// Anything else.
    #[command(external_subcommand)]
    Unknown(Vec<String>),
}

pub fn run(global: &Global, game: &Game) -> anyhow::Result<Exit> {
    match game {
        Game::PuyoTsu(arguments) => puyo_tsu::run(global, arguments),
        Game::Puyo20th(arguments) => puyo_20th::run(global, arguments),
        Game::Tetris1985(arguments) => pieces::run(global, PieceGame::Tetris1985, arguments),
        Game::TetrisNes(arguments) => pieces::run(global, PieceGame::TetrisNes, arguments),
        Game::Tgm1(arguments) => pieces::run(global, PieceGame::Tgm1, arguments),
        Game::Tgm2(arguments) => pieces::run(global, PieceGame::Tgm2, arguments),
        Game::Tgm3(arguments) => pieces::run(global, PieceGame::Tgm3, arguments),
        Game::TetrisWorlds(arguments) => pieces::run(global, PieceGame::TetrisWorlds, arguments),
        Game::SegaTetris(arguments) => pieces::run(global, PieceGame::SegaTetris, arguments),
        Game::FlashPoint(arguments) => pieces::run(global, PieceGame::FlashPoint, arguments),
        Game::Bloxeed(arguments) => pieces::run(global, PieceGame::Bloxeed, arguments),
        Game::Bounded(arguments) => pieces::run(global, PieceGame::Bounded, arguments),
        Game::Unknown(words) => Err(unknown_game(words).into()),
    }
}

//! The ratings of seed document 002, out of five. They are its author's opinion, not measured; the figures stand beside them.

use crate::game::pieces::PieceGame;
use serde::Serialize;

/// How the document rates a randomizer, out of five.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Rating {
    /// "Puzzle factor".
    pub puzzle: u8,
    /// "Flood prevention".
    pub flood_prevention: u8,
    /// "Drought prevention".
    pub drought_prevention: u8,
}

/// The document's rating of a game; None of those it does not name.
#[must_use]
pub const fn rating(game: PieceGame) -> Option<Rating> {
    let [puzzle, flood_prevention, drought_prevention] = match game {
        PieceGame::Tetris1985 => [4, 0, 0],
        PieceGame::TetrisNes => [5, 2, 0],
        PieceGame::Tgm1 => [4, 4, 2],
        PieceGame::TetrisWorlds => [3, 3, 4],
        PieceGame::Tgm3 => [4, 4, 4],
        _ => return None,
    };
    Some(Rating { puzzle, flood_prevention, drought_prevention })
}

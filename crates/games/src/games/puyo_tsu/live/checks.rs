//! The checks of the game.

use crate::live::CheckId;

impl CheckId {
    /// The colour set is one that the game can draw.
    pub const COLOR_SET: Self =
        Self::new("color-set", "Colour set", "The colour set is one that the game can draw.");
    /// Which rule deals the first three pairs.
    pub const DEALING: Self =
        Self::new("dealing", "First three pairs", "Which rule deals the first three pairs.");
    /// Player 1's board and score match the model after each pair.
    pub const BOARD_P1: Self = Self::new(
        "board-p1",
        "Board, player 1",
        "Player 1's board and score match the model after each pair.",
    );
    /// Player 2's board and score match the model after each pair.
    pub const BOARD_P2: Self = Self::new(
        "board-p2",
        "Board, player 2",
        "Player 2's board and score match the model after each pair.",
    );
    /// Player 1's pairs take as many frames as the profile says.
    pub const TIMES_P1: Self = Self::new(
        "times-p1",
        "Times, player 1",
        "Player 1's pairs take as many frames as the profile's [frames] says.",
    );
    /// Player 2's pairs take as many frames as the profile says.
    pub const TIMES_P2: Self = Self::new(
        "times-p2",
        "Times, player 2",
        "Player 2's pairs take as many frames as the profile's [frames] says.",
    );
}

pub(crate) const CHECKS: &[CheckId] = &[
    CheckId::COLOR_SET,
    CheckId::POOL_COUNTS,
    CheckId::POOL_COPIES,
    CheckId::GENERATION,
    CheckId::QUEUE_P1,
    CheckId::QUEUE_P2,
    CheckId::DEALING,
    CheckId::BOARD_P1,
    CheckId::BOARD_P2,
    CheckId::TIMES_P1,
    CheckId::TIMES_P2,
];

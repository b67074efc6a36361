//! RAM fields of the Grand Master games, and the codes of pieces and states in them.
//!
//! Source: reference 3.8 (an overlay for MAME and a patch of it, both public); for generator and history a public
//! script that records and replays games of TAP in MAME.

use crate::games::piece::Piece;
use crate::games::{FieldSpec, VariantSpec, field};

/// Pieces in the order of the games' numbers 0 to 6 (reference 3.3). The cells of current and next piece contain
/// 2 to 8 (reference 3.8), the history 0 to 6.
pub const NUMBERS: [Piece; 7] = [Piece::I, Piece::Z, Piece::S, Piece::J, Piece::L, Piece::O, Piece::T];
const FIRST_CODE: u8 = 2;

/// The piece of a code in the cells of current and next piece.
pub fn piece(code: u8) -> Option<Piece> {
    NUMBERS.get(usize::from(code.checked_sub(FIRST_CODE)?)).copied()
}

/// The piece of a number in the history.
pub fn piece_of_number(number: u8) -> Option<Piece> {
    NUMBERS.get(usize::from(number)).copied()
}

/// A piece's number in the history.
pub fn number(piece: Piece) -> u8 {
    // The table contains every piece.
    (0u8..).zip(NUMBERS).find(|(_, numbered)| *numbered == piece).map_or(0, |(number, _)| number)
}

/// A piece's code in the cells of current and next piece.
pub fn code(piece: Piece) -> u8 {
    number(piece) + FIRST_CODE
}

/// The phases of the player's state byte (reference 3.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The game is about to start: the first piece is drawn and shown as the next one.
    Start,
    /// A piece is in play.
    Active,
    /// The piece was placed and the next one has not spawned: locking, line clear, entry delay.
    Between,
    /// No game: title, game over, results.
    Idle,
}

/// The observed values of the byte (reference 3.8).
const STATES: [(u8, Phase); 11] = [
    (0, Phase::Idle),
    (1, Phase::Start),
    (2, Phase::Active),
    (3, Phase::Between),
    (4, Phase::Between),
    (5, Phase::Between),
    (7, Phase::Idle),
    (10, Phase::Idle),
    (11, Phase::Idle),
    (13, Phase::Idle),
    (71, Phase::Idle),
];

/// The phase of a state byte; None for a value that was never observed.
pub fn phase(state: u8) -> Option<Phase> {
    STATES.into_iter().find(|(value, _)| *value == state).map(|(_, phase)| phase)
}

/// Whether these cells are possible in a game, running or over: a known state, pieces, a rotation.
pub fn plausible(state: u8, current: u8, next: u8, rotation: u8) -> bool {
    let Some(phase) = phase(state) else { return false };
    // Before the first piece there is no current one.
    let current = piece(current).is_some() || phase == Phase::Start;
    current && piece(next).is_some() && rotation < 4
}

/// Without this field, a piece that was not sampled cannot be distinguished from a fault.
const TIMER: FieldSpec = field(
    "timer",
    2,
    false,
    "frames of the game's clock, used to detect pieces that were not sampled and loaded states",
);

/// The fields of the first game.
pub const TGM1_FIELDS: &[FieldSpec] = &[
    field("state", 1, true, "player 1: 1 start, 2 a piece is in play, 3-5 between pieces"),
    field("current", 1, true, "player 1: code of the piece in play, 2 to 8"),
    field("next", 1, true, "player 1: code of the next piece, 2 to 8"),
    field("rotation", 1, true, "player 1: rotation of the piece in play, 0 to 3"),
    field("level", 2, false, "player 1: level, 0 to 999"),
    TIMER,
];

/// The fields of the second game.
pub const TGM2_FIELDS: &[FieldSpec] = &[
    field("state", 1, true, "player 1: 1 start, 2 a piece is in play, 3-5 between pieces"),
    field("current", 1, true, "player 1: code of the piece in play, 2 to 8"),
    field("next", 1, true, "player 1: code of the next piece, 2 to 8"),
    field("rotation", 1, true, "player 1: rotation of the piece in play, 0 to 3"),
    field("level", 2, false, "player 1: level, 0 to 999"),
    TIMER,
    field("rng_state", 4, false, "state of the random number generator"),
    field("history", 4, false, "the last four pieces drawn, newest first, 0 to 6"),
];

/// The points on which the sources disagree about the first game.
pub const TGM1_VARIANTS: &[VariantSpec] = &[VariantSpec { name: "passes", choices: super::tgm1::VARIANTS }];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_numbers_and_pieces_are_one_to_one() {
        for one in Piece::ALL {
            assert_eq!(piece(code(one)), Some(one));
            assert_eq!(piece_of_number(number(one)), Some(one));
        }
        assert_eq!([0, 1, 9, 255].map(piece), [None; 4]);
        assert_eq!(piece_of_number(7), None);
        assert_eq!([2, 3, 4, 5, 6, 7, 8].map(piece), NUMBERS.map(Some));
    }

    #[test]
    fn zeros_and_other_ram_are_rejected() {
        assert!(!plausible(0, 0, 0, 0));
        assert!(!plausible(2, 0, 3, 0), "a piece in play must be valid");
        assert!(!plausible(6, 2, 3, 0), "an unknown state");
        assert!(!plausible(2, 2, 9, 0));
        assert!(!plausible(2, 2, 3, 4));
        assert!(plausible(1, 0, 8, 0));
        assert!(plausible(5, 8, 2, 3));
    }
}

//! The request of the single-piece search, as entered; saved in the history.

use crate::games::piece::Piece;
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::{parse_pieces, piece_letters};
use serde::{Deserialize, Serialize};

/// Maximum number of the first piece, and of frames between pieces.
pub const LAST_FIRST: u32 = 1000;
pub const MAX_STEPS: u32 = 32_767;

/// The input, in the names of the command line. The names of the fields are saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PieceRequest {
    /// The game: "tgm2".
    pub game: String,
    pub variant: String,
    /// Number of the first entered piece, from 1.
    pub at: u32,
    /// From the middle of a game: that number is unknown.
    pub middle: bool,
    /// Minimum and maximum frames between pieces (NES).
    pub steps: [u32; 2],
    /// The pieces, "JTOLS?".
    pub pieces: String,
}

impl Default for PieceRequest {
    fn default() -> Self {
        Self {
            game: String::new(),
            variant: String::new(),
            at: 1,
            middle: false,
            steps: [1; 2],
            pieces: String::new(),
        }
    }
}

impl PieceRequest {
    /// The game and its variant, if this version supports them.
    pub fn known(&self) -> Option<(PieceGame, &'static str)> {
        let game = PieceGame::from_id(&self.game)?;
        Some((game, game.variant(&self.variant)?))
    }

    /// The pieces; empty if invalid.
    pub fn read(&self) -> Vec<Option<Piece>> {
        parse_pieces(&self.pieces).unwrap_or_default()
    }

    /// Clamps saved values to their valid ranges; None if the game is unknown.
    pub fn repaired(mut self) -> Option<Self> {
        self.known()?;
        self.at = self.at.clamp(1, LAST_FIRST);
        let [least, most] = self.steps.map(|steps| steps.min(MAX_STEPS));
        self.steps = [least, most.max(least)];
        self.pieces = piece_letters(&self.read());
        (!self.pieces.is_empty()).then_some(self)
    }

    pub fn same_but_pieces(&self, other: &Self) -> bool {
        Self { pieces: String::new(), ..self.clone() } == Self { pieces: String::new(), ..other.clone() }
    }

    /// Whether every match of this request also matches `wider`: the same pieces and possibly more.
    pub fn narrows(&self, wider: &Self) -> bool {
        let (mine, theirs) = (self.read(), wider.read());
        let agrees = |(mine, theirs): (&Option<Piece>, &Option<Piece>)| theirs.is_none() || mine == theirs;
        self.same_but_pieces(wider) && mine.len() >= theirs.len() && mine.iter().zip(&theirs).all(agrees)
    }

    /// The game and its options as text.
    pub fn summary(&self) -> String {
        let Some((game, variant)) = self.known() else { return self.game.clone() };
        let mut text = game.name().to_owned();
        if game.variant("") != Some(variant) {
            text += &format!(", {variant}");
        }
        if self.middle {
            text += ", from mid-game";
        } else if self.at > 1 {
            text += &format!(", from piece {}", self.at);
        }
        match self.steps {
            _ if !game.has_option("steps") => {}
            [1, 1] => {}
            [least, most] if least == most => text += &format!(", {least} frames between pieces"),
            [least, most] => text += &format!(", {least} to {most} frames between pieces"),
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(pieces: &str) -> PieceRequest {
        PieceRequest { game: "tgm2".into(), pieces: pieces.into(), ..PieceRequest::default() }
    }

    #[test]
    fn more_pieces_narrow_and_other_ones_do_not() {
        assert!(request("JTOL").narrows(&request("JTO")));
        assert!(request("JTOL").narrows(&request("J?O")));
        assert!(!request("JTO").narrows(&request("JTOL")));
        assert!(!request("JTSL").narrows(&request("JTO")));
        let middle = PieceRequest { middle: true, ..request("JTOL") };
        assert!(!middle.narrows(&request("JTO")));
    }

    #[test]
    fn invalid_values_of_another_version_are_corrected_or_left_out() {
        let odd = PieceRequest { at: 0, steps: [99_999, 3], ..request("jt o,l") };
        assert_eq!(odd.repaired(), Some(PieceRequest { steps: [MAX_STEPS; 2], ..request("JTOL") }));
        assert_eq!(request("JX").repaired(), None);
        assert_eq!(PieceRequest { game: "tgm9".into(), ..request("J") }.repaired(), None);
        assert_eq!(PieceRequest { variant: "none".into(), ..request("J") }.repaired(), None);
    }

    #[test]
    fn the_summary_names_what_is_not_usual() {
        assert_eq!(request("J").summary(), "TGM2 PLUS (TAP)");
        let nes = PieceRequest { game: "tetris-nes".into(), at: 3, steps: [20; 2], ..request("J") };
        assert_eq!(nes.summary(), "Tetris (NES), from piece 3, 20 frames between pieces");
        let range = PieceRequest { steps: [20, 24], ..nes };
        assert_eq!(range.summary(), "Tetris (NES), from piece 3, 20 to 24 frames between pieces");
        let three =
            PieceRequest { game: "tgm1".into(), variant: "3-passes".into(), middle: true, ..request("J") };
        assert_eq!(three.summary(), "Tetris: The Grand Master, 3-passes, from mid-game");
    }
}

//! What is asked of a game of single pieces, as it was entered: kept in the history.

use super::single::{LAST_FIRST, MOST_STEPS};
use crate::game::piece::Piece;
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::{parse_pieces, piece_letters};
use serde::{Deserialize, Serialize};

/// Everything that is entered, in the names of the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SingleAsked {
    /// The game: "tgm2".
    pub game: String,
    /// Its variant.
    pub variant: String,
    /// The number of the first piece entered, from 1.
    pub at: u32,
    /// From the middle of a game: that number is not known.
    pub middle: bool,
    /// Frames between two picks, the fewest and the most (NES).
    pub steps: [u32; 2],
    /// The pieces, "JTOLS?".
    pub pieces: String,
}

impl Default for SingleAsked {
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

impl SingleAsked {
    /// The game and its variant; None when this version does not know them.
    #[must_use]
    pub fn known(&self) -> Option<(PieceGame, &'static str)> {
        let game = PieceGame::from_id(&self.game)?;
        Some((game, game.variant(&self.variant)?))
    }

    /// The pieces; none when they cannot be read.
    #[must_use]
    pub fn read(&self) -> Vec<Option<Piece>> {
        parse_pieces(&self.pieces).unwrap_or_default()
    }

    /// What was kept, with what cannot be put right; None when nothing is left of it.
    #[must_use]
    pub fn repaired(mut self) -> Option<Self> {
        self.known()?;
        self.at = self.at.clamp(1, LAST_FIRST);
        let [least, most] = self.steps.map(|steps| steps.min(MOST_STEPS));
        self.steps = [least, most.max(least)];
        self.pieces = piece_letters(&self.read());
        (!self.pieces.is_empty()).then_some(self)
    }

    /// Whether everything but the pieces is the same.
    #[must_use]
    pub fn same_but_pieces(&self, other: &Self) -> bool {
        Self { pieces: String::new(), ..self.clone() } == Self { pieces: String::new(), ..other.clone() }
    }

    /// Whether every game that shows this also shows `wider`: the same pieces, and perhaps more.
    #[must_use]
    pub fn narrows(&self, wider: &Self) -> bool {
        let (mine, theirs) = (self.read(), wider.read());
        let agrees = |(mine, theirs): (&Option<Piece>, &Option<Piece>)| theirs.is_none() || mine == theirs;
        self.same_but_pieces(wider) && mine.len() >= theirs.len() && mine.iter().zip(&theirs).all(agrees)
    }

    /// The game and what was chosen for it, in few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let Some((game, variant)) = self.known() else { return self.game.clone() };
        let mut words = game.name().to_owned();
        if game.variant("") != Some(variant) {
            words += &format!(", {variant}");
        }
        if self.middle {
            words += ", from the middle of a game";
        } else if self.at > 1 {
            words += &format!(", from piece {}", self.at);
        }
        match self.steps {
            _ if !game.has_option("steps") => {}
            [1, 1] => {}
            [least, most] if least == most => words += &format!(", {least} frames between picks"),
            [least, most] => words += &format!(", {least} to {most} frames between picks"),
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(pieces: &str) -> SingleAsked {
        SingleAsked { game: "tgm2".into(), pieces: pieces.into(), ..SingleAsked::default() }
    }

    #[test]
    fn more_pieces_narrow_and_other_ones_do_not() {
        assert!(asked("JTOL").narrows(&asked("JTO")));
        assert!(asked("JTOL").narrows(&asked("J?O")));
        assert!(!asked("JTO").narrows(&asked("JTOL")));
        assert!(!asked("JTSL").narrows(&asked("JTO")));
        let middle = SingleAsked { middle: true, ..asked("JTOL") };
        assert!(!middle.narrows(&asked("JTO")));
    }

    #[test]
    fn what_another_version_kept_is_put_right_or_left_out() {
        let odd = SingleAsked { at: 0, steps: [99_999, 3], ..asked("jt o,l") };
        assert_eq!(odd.repaired(), Some(SingleAsked { steps: [MOST_STEPS; 2], ..asked("JTOL") }));
        assert_eq!(asked("JX").repaired(), None);
        assert_eq!(SingleAsked { game: "tgm9".into(), ..asked("J") }.repaired(), None);
        assert_eq!(SingleAsked { variant: "none".into(), ..asked("J") }.repaired(), None);
    }

    #[test]
    fn the_summary_names_what_is_not_usual() {
        assert_eq!(asked("J").summary(), "TGM2 PLUS (TAP)");
        let nes = SingleAsked { game: "tetris-nes".into(), at: 3, steps: [20; 2], ..asked("J") };
        assert_eq!(nes.summary(), "Tetris (NES), from piece 3, 20 frames between picks");
        let range = SingleAsked { steps: [20, 24], ..nes };
        assert_eq!(range.summary(), "Tetris (NES), from piece 3, 20 to 24 frames between picks");
        let three =
            SingleAsked { game: "tgm1".into(), variant: "3-passes".into(), middle: true, ..asked("J") };
        assert_eq!(three.summary(), "Tetris: The Grand Master, 3-passes, from the middle of a game");
    }
}

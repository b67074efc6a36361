//! The request of the pair search, as entered; saved in the history.

use crate::games::puyo_20th::seeds::{PartialPair, PieceError, parse_pieces};
use nextscope_boards::Color;
use serde::{Deserialize, Serialize};

/// The searched game. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Game {
    #[default]
    Anniversary,
    Tsu,
}

impl Game {
    /// Both in display order.
    pub const ALL: [Self; 2] = [Self::Anniversary, Self::Tsu];

    pub fn name(self) -> &'static str {
        match self {
            Self::Anniversary => crate::games::puyo_20th::ID.name(),
            Self::Tsu => crate::games::puyo_tsu::ID.name(),
        }
    }
}

/// Maximum number of the first pair.
pub const LAST_FIRST: u32 = 100_000;

/// The input. The names of the fields are saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PairRequest {
    pub game: Game,
    /// Colours of 20th Anniversary, 3 to 5.
    pub colors: u8,
    /// Match any renaming of colours (20th).
    pub relabel: bool,
    /// Unknown order within pairs.
    pub unordered: bool,
    /// Number of the first entered pair, from 1.
    pub at: u32,
    /// The level, 1 to 5 (Tsu).
    pub level: u8,
    /// Story instead of versus (Tsu).
    pub story: bool,
    /// The colour set in hexadecimal; empty if unknown (Tsu).
    pub color_set: String,
    /// The puyos, "BG GG ?Y"; the last may lack its partner.
    pub(super) pieces: String,
}

impl Default for PairRequest {
    fn default() -> Self {
        Self {
            game: Game::default(),
            colors: 4,
            relabel: false,
            unordered: false,
            at: 1,
            level: 3,
            story: false,
            color_set: String::new(),
            pieces: String::new(),
        }
    }
}

impl PairRequest {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.colors = self.colors.clamp(3, 5);
        self.level = self.level.clamp(1, 5);
        self.at = self.at.clamp(1, LAST_FIRST);
        if read(&self.pieces).is_err() {
            self.pieces.clear();
        }
        self
    }

    /// The puyos in order: axis, child, axis, child; None is unknown.
    pub fn puyos(&self) -> Vec<Option<Color>> {
        self.pieces.chars().filter(|c| !c.is_whitespace()).map(Color::from_letter).collect()
    }

    pub fn set_puyos(&mut self, puyos: &[Option<Color>]) {
        let letter = |puyo: &Option<Color>| puyo.map_or('?', Color::letter);
        let pairs = puyos.chunks(2).map(|pair| pair.iter().map(letter).collect::<String>());
        self.pieces = pairs.collect::<Vec<_>>().join(" ");
    }

    pub fn pieces(&self) -> &str {
        &self.pieces
    }

    /// Parses the puyos.
    ///
    /// # Errors
    /// The invalid letter, or the word with a single puyo before the end.
    pub fn read(&mut self, text: &str) -> Result<(), PieceError> {
        self.set_puyos(&read(text)?);
        Ok(())
    }

    /// The pairs; a missing last child is unknown.
    pub fn seen(&self) -> Vec<PartialPair> {
        let pair = |pair: &[Option<Color>]| PartialPair {
            axis: pair.first().copied().flatten(),
            child: pair.get(1).copied().flatten(),
        };
        self.puyos().chunks(2).map(pair).collect()
    }

    /// Number of the first entered pair, from 0.
    pub fn first(&self) -> u32 {
        self.at.saturating_sub(1)
    }

    pub fn same_but_pieces(&self, other: &Self) -> bool {
        Self { pieces: String::new(), ..self.clone() } == Self { pieces: String::new(), ..other.clone() }
    }

    /// Whether every match of this request also matches `wider`: the same puyos and possibly more.
    pub fn narrows(&self, wider: &Self) -> bool {
        let (mine, theirs) = (self.puyos(), wider.puyos());
        let agrees = |(mine, theirs): (&Option<Color>, &Option<Color>)| theirs.is_none() || mine == theirs;
        self.same_but_pieces(wider) && mine.len() >= theirs.len() && mine.iter().zip(&theirs).all(agrees)
    }

    /// The game and its options as text.
    pub fn summary(&self) -> String {
        let mut text = match self.game {
            Game::Anniversary => format!("20th, {} colours", self.colors),
            Game::Tsu if self.story => "Tsu, story".into(),
            Game::Tsu => format!("Tsu, level {}", self.level),
        };
        if self.relabel && self.game == Game::Anniversary {
            text += ", relabelled";
        }
        if self.unordered {
            text += ", any order";
        }
        if self.at > 1 {
            text += &format!(", from pair {}", self.at);
        }
        text
    }
}

/// Parses puyos; the last may lack its partner.
fn read(text: &str) -> Result<Vec<Option<Color>>, PieceError> {
    let flat = |pairs: Vec<PartialPair>| pairs.into_iter().flat_map(|pair| [pair.axis, pair.child]);
    match parse_pieces(text) {
        Ok(pairs) => Ok(flat(pairs).collect()),
        Err(error @ PieceError::Sign { .. }) => Err(error),
        Err(error @ PieceError::Odd { .. }) => {
            // Add an unknown partner for the last puyo.
            let pairs = parse_pieces(&format!("{}?", text.trim_end())).map_err(|_| error)?;
            let mut puyos: Vec<_> = flat(pairs).collect();
            puyos.pop();
            Ok(puyos)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> PairRequest {
        let mut request = PairRequest::default();
        request.read(text).unwrap();
        request
    }

    #[test]
    fn text_and_puyos_are_the_same_thing() {
        for (text, pieces) in [("bg,GG ?y", "BG GG ?Y"), ("BGG", "BG G"), ("", ""), ("BG G ", "BG G")] {
            assert_eq!(request(text).pieces(), pieces);
            let mut again = PairRequest::default();
            again.set_puyos(&request(text).puyos());
            assert_eq!(again, request(text));
        }
        let half = request("BG G").seen();
        assert_eq!(half.iter().map(|seen| seen.letters()).collect::<Vec<_>>(), ["BG", "G?"]);
        let mut request = request("BG");
        assert!(request.read("BX").is_err() && request.read("B GG").is_err());
        assert_eq!(request.pieces(), "BG", "what could not be read changed nothing");
    }

    #[test]
    fn more_puyos_narrow_and_other_ones_do_not() {
        assert!(request("BG GR").narrows(&request("BG G")));
        assert!(request("BG GR").narrows(&request("B? GR")));
        assert!(!request("BG G").narrows(&request("BG GR")));
        assert!(!request("BG RG").narrows(&request("BG GR")));
        let level = PairRequest { level: 5, ..request("BG GR") };
        assert!(!level.narrows(&request("BG")));
    }

    #[test]
    fn what_another_version_kept_is_put_right() {
        let odd = PairRequest { colors: 9, level: 0, at: 0, pieces: "B! G".into(), ..PairRequest::default() }
            .repaired();
        assert_eq!(odd, PairRequest { colors: 5, level: 1, ..PairRequest::default() });
    }
}

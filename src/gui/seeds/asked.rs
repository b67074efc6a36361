//! What the panel asks of the games, as it was entered: kept in the history.

use crate::game::puyo::Color;
use crate::seeds::puyo_20th::{PieceError, Seen, parse_pieces};
use serde::{Deserialize, Serialize};

/// The game that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Game {
    /// Puyo Puyo!! 20th Anniversary.
    #[default]
    Anniversary,
    /// Puyo Puyo Tsu.
    Tsu,
}

impl Game {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Anniversary, Self::Tsu];

    /// The game's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anniversary => crate::game::puyo_20th::ID.name(),
            Self::Tsu => crate::game::puyo_tsu::ID.name(),
        }
    }
}

/// The greatest number that the first pair can have.
pub const LAST_FIRST: u32 = 100_000;

/// Everything that is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The game.
    pub game: Game,
    /// Colours of a game of Puyo Puyo!! 20th Anniversary, 3 to 5.
    pub colors: u8,
    /// The colours are only names (20th).
    pub relabel: bool,
    /// The order in a pair is not known.
    pub unordered: bool,
    /// The number of the first pair entered, from 1.
    pub at: u32,
    /// The level, 1 to 5 (Tsu).
    pub level: u8,
    /// Story instead of versus (Tsu).
    pub story: bool,
    /// The colour set in hexadecimal digits, empty when it is not known (Tsu).
    pub color_set: String,
    /// The puyos, "BG GG ?Y"; the last may still lack its partner.
    pub(super) pieces: String,
}

impl Default for Asked {
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

impl Asked {
    /// What was kept, with what cannot be put right.
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

    /// The puyos one after another, None for one that was not seen: axis, child, axis, child.
    #[must_use]
    pub fn puyos(&self) -> Vec<Option<Color>> {
        self.pieces.chars().filter(|c| !c.is_whitespace()).map(Color::from_letter).collect()
    }

    /// Enters these puyos instead.
    pub fn set_puyos(&mut self, puyos: &[Option<Color>]) {
        let letter = |puyo: &Option<Color>| puyo.map_or('?', Color::letter);
        let pairs = puyos.chunks(2).map(|pair| pair.iter().map(letter).collect::<String>());
        self.pieces = pairs.collect::<Vec<_>>().join(" ");
    }

    /// The puyos as they are written.
    #[must_use]
    pub fn pieces(&self) -> &str {
        &self.pieces
    }

    /// Takes the puyos from text.
    ///
    /// # Errors
    /// With the sign that is no colour, or the word that leaves a puyo alone before the end.
    pub fn read(&mut self, text: &str) -> Result<(), PieceError> {
        self.set_puyos(&read(text)?);
        Ok(())
    }

    /// The pairs; of the last the child may still be missing, which counts as not seen.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        let pair = |pair: &[Option<Color>]| Seen {
            axis: pair.first().copied().flatten(),
            child: pair.get(1).copied().flatten(),
        };
        self.puyos().chunks(2).map(pair).collect()
    }

    /// The number of the first pair entered, from 0.
    #[must_use]
    pub fn first(&self) -> u32 {
        self.at.saturating_sub(1)
    }

    /// Whether everything but the puyos is the same.
    #[must_use]
    pub fn same_but_pieces(&self, other: &Self) -> bool {
        Self { pieces: String::new(), ..self.clone() } == Self { pieces: String::new(), ..other.clone() }
    }

    /// Whether every game that shows this also shows `wider`: the same puyos, and perhaps more.
    #[must_use]
    pub fn narrows(&self, wider: &Self) -> bool {
        let (mine, theirs) = (self.puyos(), wider.puyos());
        let agrees = |(mine, theirs): (&Option<Color>, &Option<Color>)| theirs.is_none() || mine == theirs;
        self.same_but_pieces(wider) && mine.len() >= theirs.len() && mine.iter().zip(&theirs).all(agrees)
    }

    /// The game and what was chosen for it, in few words.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut words = match self.game {
            Game::Anniversary => format!("20th, {} colours", self.colors),
            Game::Tsu if self.story => "Tsu, story".into(),
            Game::Tsu => format!("Tsu, level {}", self.level),
        };
        if self.relabel && self.game == Game::Anniversary {
            words += ", names only";
        }
        if self.unordered {
            words += ", any order";
        }
        if self.at > 1 {
            words += &format!(", from pair {}", self.at);
        }
        words
    }
}

/// Puyos from text; the last may lack its partner.
fn read(text: &str) -> Result<Vec<Option<Color>>, PieceError> {
    let flat = |pairs: Vec<Seen>| pairs.into_iter().flat_map(|pair| [pair.axis, pair.child]);
    match parse_pieces(text) {
        Ok(pairs) => Ok(flat(pairs).collect()),
        Err(error @ PieceError::Sign { .. }) => Err(error),
        Err(error @ PieceError::Odd { .. }) => {
            // The partner of the last one is still to come.
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

    fn asked(text: &str) -> Asked {
        let mut asked = Asked::default();
        asked.read(text).unwrap();
        asked
    }

    #[test]
    fn text_and_puyos_are_the_same_thing() {
        for (text, pieces) in [("bg,GG ?y", "BG GG ?Y"), ("BGG", "BG G"), ("", ""), ("BG G ", "BG G")] {
            assert_eq!(asked(text).pieces(), pieces);
            let mut again = Asked::default();
            again.set_puyos(&asked(text).puyos());
            assert_eq!(again, asked(text));
        }
        let half = asked("BG G").seen();
        assert_eq!(half.iter().map(|seen| seen.letters()).collect::<Vec<_>>(), ["BG", "G?"]);
        let mut asked = asked("BG");
        assert!(asked.read("BX").is_err() && asked.read("B GG").is_err());
        assert_eq!(asked.pieces(), "BG", "what could not be read changed nothing");
    }

    #[test]
    fn more_puyos_narrow_and_other_ones_do_not() {
        assert!(asked("BG GR").narrows(&asked("BG G")));
        assert!(asked("BG GR").narrows(&asked("B? GR")));
        assert!(!asked("BG G").narrows(&asked("BG GR")));
        assert!(!asked("BG RG").narrows(&asked("BG GR")));
        let level = Asked { level: 5, ..asked("BG GR") };
        assert!(!level.narrows(&asked("BG")));
    }

    #[test]
    fn what_another_version_kept_is_put_right() {
        let odd = Asked { colors: 9, level: 0, at: 0, pieces: "B! G".into(), ..Asked::default() }.repaired();
        assert_eq!(odd, Asked { colors: 5, level: 1, ..Asked::default() });
    }
}

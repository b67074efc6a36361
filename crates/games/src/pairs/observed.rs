//! Pairs as far as they were observed, and their notation.

use nextscope_boards::{Color, Pair};

/// An observed pair; None for a puyo of unknown colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct PartialPair {
    /// The axis, or either puyo if the orientation is not known.
    pub axis: Option<Color>,
    /// The child, or the other puyo.
    pub child: Option<Color>,
}

impl From<Pair> for PartialPair {
    fn from(pair: Pair) -> Self {
        Self { axis: Some(pair.axis), child: Some(pair.child) }
    }
}

impl PartialPair {
    /// The known colours.
    pub fn known(self) -> impl Iterator<Item = Color> {
        self.axis.into_iter().chain(self.child)
    }

    /// The letters, "R?".
    pub fn letters(self) -> String {
        [self.axis, self.child].into_iter().map(|color| color.map_or('?', Color::letter)).collect()
    }
}

/// Text that is not a list of pairs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PieceError {
    #[error("{sign:?} in {word:?} is not a colour: use R, G, B, Y, P, or ? for an unknown puyo")]
    Sign { sign: char, word: String },
    #[error(
        "{word:?} has an odd number of puyos: give pairs, axis and child, as in \"BG GG ?Y BB\"; use ? for an unknown \
        puyo, as in \"{word}?\""
    )]
    Odd { word: String },
}

/// Parses pairs: "BG GG ?Y BB", also with commas, in lower case, or without spaces.
///
/// # Errors
///
/// [`PieceError`] with the word that cannot be parsed.
pub fn parse_pieces(text: &str) -> Result<Vec<PartialPair>, PieceError> {
    let mut pairs = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
        let color = |sign: char| match (sign, Color::from_letter(sign)) {
            ('?', _) => Ok(None),
            (_, Some(color)) => Ok(Some(color)),
            (sign, None) => Err(PieceError::Sign { sign, word: word.into() }),
        };
        let puyos: Vec<Option<Color>> = word.chars().map(color).collect::<Result<_, _>>()?;
        let (in_twos, rest) = puyos.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(PieceError::Odd { word: word.into() });
        }
        pairs.extend(in_twos.iter().map(|&[axis, child]| PartialPair { axis, child }));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_parsed_in_all_notations() {
        let pairs = parse_pieces("BG GG,?Y  bb").unwrap();
        assert_eq!(pairs, parse_pieces("BGGG?YBB").unwrap());
        let letters: Vec<String> = pairs.into_iter().map(PartialPair::letters).collect();
        assert_eq!(letters, ["BG", "GG", "?Y", "BB"]);
        assert_eq!(parse_pieces(" , ").unwrap(), []);
        assert_eq!(parse_pieces("BG GX"), Err(PieceError::Sign { sign: 'X', word: "GX".into() }));
        assert_eq!(parse_pieces("BG G"), Err(PieceError::Odd { word: "G".into() }));
    }
}

//! Pairs of a plan as letters.

use nextscope_boards::Pair;
use nextscope_games::pairs::{PieceError, parse_pieces};

/// Why letters are not a list of known pairs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LettersError {
    /// The text is empty.
    #[error("no pairs given: write pairs such as RR RG BY, the axis first")]
    Nothing,
    /// An invalid character, or half a pair.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// A colour is unknown.
    #[error("pair {0} has an unknown colour: a route needs all colours")]
    Unknown(usize),
}

/// Parses pairs, two letters each, the axis first: `RR RG BY`.
pub fn pairs_from_letters(text: &str) -> Result<Vec<Pair>, LettersError> {
    let observed = parse_pieces(text)?;
    if observed.is_empty() {
        return Err(LettersError::Nothing);
    }
    let known = (1..).zip(observed).map(|(number, observed)| match (observed.axis, observed.child) {
        (Some(axis), Some(child)) => Ok(Pair { axis, child }),
        _ => Err(LettersError::Unknown(number)),
    });
    known.collect()
}

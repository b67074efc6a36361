//! A mismatch of single pieces as two rows.

use super::PredictedPieces;
use crate::games::piece::Piece;
use crate::live::Mismatch;

/// The expected and the actual pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceRow {
    /// The number of the first in its game, from 1; None when unknown.
    pub first: Option<u64>,
    /// The model's pieces.
    pub expected: Vec<Piece>,
    /// The emulator's pieces, which may be fewer. None for a code that is not a piece.
    pub actual: Vec<Option<Piece>>,
}

impl PieceRow {
    /// The pieces of a mismatch; None when it has none.
    pub(super) fn of(mismatch: &Mismatch) -> Option<Self> {
        if mismatch.one_of {
            return None; // the expected pieces are alternatives, not a sequence
        }
        let pieces = |text: &str| -> Option<Vec<Option<Piece>>> {
            let piece = |letter: char| match letter {
                'I' | 'J' | 'L' | 'O' | 'S' | 'T' | 'Z' => Some(Piece::from_letter(letter)),
                '?' => Some(None),
                _ => None,
            };
            text.chars().map(piece).collect()
        };
        let expected: Option<Vec<Piece>> = pieces(&mismatch.expected)?.into_iter().collect();
        let (expected, actual) = (expected?, pieces(&mismatch.actual)?);
        let alike = !expected.is_empty() && expected.len() == actual.len();
        let first = mismatch.index.map(|index| u64::from(index) + 1);
        alike.then_some(Self { first, expected, actual })
    }

    /// The row extended by the predicted pieces around it: the next piece, the one expected after it, and those that follow. For
    /// games that draw one piece ahead of the one in play.
    pub(super) fn among(self, predicted: &[PredictedPieces]) -> Self {
        let [PredictedPieces { items, .. }] = predicted else { return self };
        let items: Option<Vec<Piece>> =
            items.iter().map(|item| item.parse().ok().and_then(Piece::from_letter)).collect();
        match (self.expected.as_slice(), self.actual.as_slice(), items) {
            ([expected], [actual], Some(items)) if items.get(1) == Some(expected) => Self {
                first: self.first.map(|first| first.saturating_sub(1)),
                actual: vec![items.first().copied(), *actual],
                expected: items,
            },
            _ => self,
        }
    }

    /// Whether the piece at this index differs from the expected one.
    pub fn differs(&self, place: usize) -> bool {
        let expected = self.expected.get(place).copied();
        self.actual.get(place).is_some_and(|actual| *actual != expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::CheckId;

    fn mismatch(expected: &str, actual: &str, one_of: bool) -> Mismatch {
        Mismatch {
            check: CheckId::DEALT_PIECE,
            what: String::new(),
            expected: expected.into(),
            actual: actual.into(),
            field: "next_piece".into(),
            index: Some(0),
            frame: 1,
            round: 1,
            evidence: None,
            one_of,
        }
    }

    /// An NES game that started with S and Z, where T or J were possible.
    #[test]
    fn alternatives_are_not_a_row_even_with_the_same_length() {
        assert_eq!(PieceRow::of(&mismatch("TJ", "SZ", true)), None);
        let row = PieceRow::of(&mismatch("TJ", "SZ", false)).unwrap();
        assert_eq!(
            (row.expected, row.actual),
            (vec![Piece::T, Piece::J], vec![Some(Piece::S), Some(Piece::Z)])
        );
    }
}

//! A mismatch of single pieces, as two rows.

use super::Coming;
use crate::game::piece::Piece;
use crate::live::Mismatch;

/// Pieces that were expected, and those that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceRow {
    /// The number of the first in its game, from 1; None when nobody knows.
    pub first: Option<u64>,
    /// What the model deals.
    pub expected: Vec<Piece>,
    /// What the emulator held; what comes after those is not known. None for what is no piece.
    pub actual: Vec<Option<Piece>>,
}

impl PieceRow {
    /// The pieces that a mismatch tells, when it tells some.
    pub(super) fn of(mismatch: &Mismatch) -> Option<Self> {
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

    /// The same among the pieces round it, where those were foretold: the piece shown as the next one, the one that was expected to
    /// be drawn after it, and those to come then. So it is where a game shows one piece more than is in play, and all is known.
    pub(super) fn among(self, foretold: &[Coming]) -> Self {
        let [Coming { items, .. }] = foretold else { return self };
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

    /// Whether the piece at this place of the row is another one than expected.
    #[must_use]
    pub fn differs(&self, place: usize) -> bool {
        let expected = self.expected.get(place).copied();
        self.actual.get(place).is_some_and(|actual| *actual != expected)
    }
}

//! A pair that has not landed yet.

use super::Field;

/// The position of a falling pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FallingPair {
    /// The axis's column, from 0 at the left.
    pub column: usize,
    /// The axis's row, from 0 at the floor.
    pub row: usize,
    /// Quarter turns clockwise of the child from above the axis, 0 to 3.
    pub turns: usize,
}

impl FallingPair {
    /// The cells of axis and child; one left of the board or below it is outside every board.
    pub fn cells(self) -> [(usize, usize); 2] {
        let Self { column, row, turns } = self;
        let child = match turns {
            0 => (column, row + 1),
            1 => (column + 1, row),
            2 => (column, row.wrapping_sub(1)),
            _ => (column.wrapping_sub(1), row),
        };
        [(column, row), child]
    }

    /// Whether both cells are inside the board and free.
    pub fn fits(self, field: &Field) -> bool {
        self.cells().into_iter().all(|(column, row)| field.is_free(column, row))
    }

    /// Whether it cannot fall any further.
    pub fn rests(self, field: &Field) -> bool {
        self.row.checked_sub(1).is_none_or(|row| !Self { row, ..self }.fits(field))
    }
}

//! A board as three bit planes.

use crate::Color;
use std::fmt;

/// Columns of a board, counted from the left, 0 to 5.
pub const COLUMNS: usize = 6;
/// Rows of a board, counted from the floor, 0 to 13: twelve visible ones, and two hidden ones above them (reference 1.5).
pub const ROWS: usize = 14;
/// Visible rows. Only puyos in them pop.
pub const VISIBLE_ROWS: usize = 12;

/// The bits of all visible cells.
pub(super) const VISIBLE: u128 = in_all_columns(0x0FFF);

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty,
    /// Garbage, which is cleared when a puyo pops next to it.
    Ojama,
    /// A hard block, which becomes garbage first.
    Hard,
    /// A puyo of one of the five colours.
    Puyo(Color),
}

/// Cells by their code in the planes: codes with a common bit come last, so that two planes distinguish four of the colours.
const BY_CODE: [Cell; 8] = [
    Cell::Empty,
    Cell::Ojama,
    Cell::Hard,
    Cell::Puyo(Color::PURPLE),
    Cell::Puyo(Color::RED),
    Cell::Puyo(Color::GREEN),
    Cell::Puyo(Color::BLUE),
    Cell::Puyo(Color::YELLOW),
];

impl Cell {
    fn code(self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Ojama => 1,
            Self::Hard => 2,
            Self::Puyo(Color::PURPLE) => 3,
            Self::Puyo(Color::RED) => 4,
            Self::Puyo(Color::BLUE) => 6,
            Self::Puyo(Color::YELLOW) => 7,
            // Tsu has two greens; pools contain only one of them.
            Self::Puyo(_) => 5,
        }
    }

    /// The letter in texts; a dot for an empty cell.
    pub fn letter(self) -> char {
        match self {
            Self::Empty => '.',
            Self::Ojama => 'O',
            Self::Hard => 'H',
            Self::Puyo(color) => color.letter(),
        }
    }

    /// The cell with this letter, in either case; `.`, `_` and a space for an empty one.
    pub fn from_letter(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            '.' | '_' | ' ' => Some(Self::Empty),
            'O' => Some(Self::Ojama),
            'H' => Some(Self::Hard),
            other => Color::from_letter(other).map(Self::Puyo),
        }
    }
}

/// A board. Column c is in the sixteen bits from 16 (c + 1) on, its lowest cell in the lowest of them; the bits left and
/// right of the columns stay empty, so that a shift of all planes moves every cell to its neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Field {
    pub(super) planes: [u128; 3],
}

const fn in_all_columns(rows: u16) -> u128 {
    let (mut all, mut column) = (0, 0);
    while column < COLUMNS {
        all |= (rows as u128) << (16 * (column + 1));
        column += 1;
    }
    all
}

/// The bit of a cell; 0 outside the board.
pub(super) fn bit(column: usize, row: usize) -> u128 {
    if column < COLUMNS && row < ROWS { 1 << (16 * (column + 1) + row) } else { 0 }
}

impl Field {
    /// The content of a cell; empty outside the board.
    pub fn get(&self, column: usize, row: usize) -> Cell {
        let bit = bit(column, row);
        let code = (0..3).fold(0, |code, nth| code | usize::from(self.planes[nth] & bit != 0) << nth);
        BY_CODE[code]
    }

    /// Sets the content of a cell; no effect outside the board.
    pub fn set(&mut self, column: usize, row: usize, cell: Cell) {
        let (bit, code) = (bit(column, row), cell.code());
        for (nth, plane) in self.planes.iter_mut().enumerate() {
            if code >> nth & 1 == 1 {
                *plane |= bit;
            } else {
                *plane &= !bit;
            }
        }
    }

    /// A bit for every cell that is not empty.
    pub(super) fn occupied(&self) -> u128 {
        self.planes[0] | self.planes[1] | self.planes[2]
    }

    /// Whether the board is empty: all clear.
    pub fn is_empty(&self) -> bool {
        self.occupied() == 0
    }

    /// The number of cells that are not empty.
    pub fn count(&self) -> u32 {
        self.occupied().count_ones()
    }

    /// The row above the highest occupied cell of a column, 0 to 14.
    pub fn height(&self, column: usize) -> usize {
        let column = (self.occupied() >> (16 * (column.min(COLUMNS) + 1))) & 0xFFFF;
        (128 - column.leading_zeros()) as usize
    }

    /// Drops a cell onto a column; false if the column is full and the cell is lost.
    pub fn drop(&mut self, column: usize, cell: Cell) -> bool {
        let row = self.height(column);
        self.set(column, row, cell);
        column < COLUMNS && row < ROWS
    }

    /// Whether a cell is on the board and empty.
    pub fn is_free(&self, column: usize, row: usize) -> bool {
        column < COLUMNS && row < ROWS && self.get(column, row) == Cell::Empty
    }

    /// Whether another board is this one, possibly with garbage on top.
    pub fn is_below_garbage_of(&self, later: &Self) -> bool {
        (0..COLUMNS).all(|column| {
            let (old, new) = (self.height(column), later.height(column));
            new >= old
                && (0..old).all(|row| self.get(column, row) == later.get(column, row))
                && (old..new).all(|row| matches!(later.get(column, row), Cell::Ojama | Cell::Hard))
        })
    }

    /// Lets everything that floats fall.
    pub fn settle(&mut self) {
        let occupied = self.occupied();
        // Nothing falls into the empty cells above the highest one.
        let below_top = (1..=COLUMNS).map(|column| 16 * column).fold(0, |below_top, floor| {
            let height = 128 - (occupied >> floor & 0xFFFF).leading_zeros();
            below_top | ((1 << height) - 1) << floor
        });
        self.remove_cells(below_top & !occupied);
    }

    /// Removes cells; the cells above them fall.
    pub(super) fn remove_cells(&mut self, gone: u128) {
        for floor in (1..=COLUMNS).map(|column| 16 * column) {
            let mut left = gone >> floor & 0xFFFF;
            while left != 0 {
                let row = 127 - left.leading_zeros(); // from the top, so that the rows below do not shift
                left &= !(1 << row);
                let cell = 1u128 << floor << row;
                let above = (0xFFFF << floor) & !(cell | (cell - 1));
                for plane in &mut self.planes {
                    *plane = *plane & !(above | cell) | (*plane & above) >> 1;
                }
            }
        }
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field({})", super::text::to_rows(self).join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settling_is_the_removal_of_all_empty_cells() {
        let mut random = 1_u64;
        for _ in 0..1000 {
            let mut field = Field::default();
            for nth in 0..COLUMNS * ROWS {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if random >> 60 < 9 {
                    field.set(nth % COLUMNS, nth / COLUMNS, BY_CODE[(random >> 40 & 7) as usize]);
                }
            }
            let mut other = field;
            field.settle();
            other.remove_cells(in_all_columns(0x3FFF) & !other.occupied());
            assert_eq!(field, other);
        }
    }

    #[test]
    fn cells_are_stored_and_fall() {
        let mut field = Field::default();
        for (nth, cell) in BY_CODE.into_iter().enumerate().skip(1) {
            assert_eq!(cell.code(), nth);
            field.set(nth % COLUMNS, nth, cell);
            assert_eq!(field.get(nth % COLUMNS, nth), cell);
        }
        assert_eq!(field.height(1), 8, "a red puyo is in row 7");
        field.settle();
        assert_eq!((field.get(1, 0), field.get(1, 1)), (Cell::Ojama, Cell::Puyo(Color::YELLOW)));
        assert_eq!((field.get(0, 0), field.height(0), field.count()), (Cell::Puyo(Color::BLUE), 1, 7));
        for _ in 0..ROWS - 1 {
            assert!(field.drop(0, Cell::Ojama));
        }
        assert!(!field.drop(0, Cell::Ojama), "the column is full");
        assert!(!field.drop(COLUMNS, Cell::Ojama));
        assert_eq!(field.count(), 7 + 13);
        assert_eq!(Cell::Puyo(Color(2)).code(), Cell::Puyo(Color::GREEN).code(), "both greens");
    }
}

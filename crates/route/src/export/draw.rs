//! The layout of an image, in pixels, shared by all image formats.

use super::super::Step;
use nextscope_boards::puyo::reference::CellPosition;
use nextscope_boards::puyo::{COLUMNS, Field, Rotation, Rules};

/// A marker around a puyo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The axis of the placed pair: a solid ring.
    Axis,
    /// Its child: a dashed ring.
    Child,
    /// A popping puyo: a diamond.
    Pop,
    /// Garbage in a column that the game draws, shown in one of the possible columns: a dashed ring.
    Drawn,
}

/// Side of a cell, in pixels.
pub(super) const CELL: u32 = 28;
/// Radius of a puyo, in pixels.
pub(super) const RADIUS: u32 = 12;
/// Margin around a board, in pixels.
pub(super) const MARGIN: u32 = 10;
/// Height of a line of text, in pixels.
pub(super) const TEXT_LINE: u32 = 20;
/// Lines of text below a board.
pub(super) const TEXT_LINES: u32 = 2;
/// Boards per row.
const ACROSS: u32 = 8;
pub(super) const VISIBLE_ROWS: u32 = 12;
/// The cell that ends the game if occupied (reference 1.5: pairs appear at column 2, row 2 of RAM).
pub(super) const LOSING: CellPosition = (2, 11);

/// The size of a board with its text, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Size {
    pub(super) rows: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Size {
    pub(super) fn of(rules: Rules) -> Self {
        let rows = pixels(rules.rows);
        let width = pixels(COLUMNS) * CELL + 2 * MARGIN;
        Self { rows, width, height: rows * CELL + 2 * MARGIN + TEXT_LINES * TEXT_LINE }
    }

    /// The upper left corner of a cell.
    pub(super) fn corner(self, (column, row): CellPosition) -> (u32, u32) {
        (MARGIN + pixels(column) * CELL, MARGIN + (self.rows - 1).saturating_sub(pixels(row)) * CELL)
    }

    /// The centre of a cell.
    pub(super) fn middle(self, at: CellPosition) -> (u32, u32) {
        let (left, top) = self.corner(at);
        (left + CELL / 2, top + CELL / 2)
    }

    /// The top of the visible rows.
    pub(super) fn visible(self) -> u32 {
        MARGIN + (self.rows - VISIBLE_ROWS) * CELL
    }

    /// The baseline of a line of text.
    pub(super) fn text(self, line: u32) -> u32 {
        MARGIN + self.rows * CELL + 8 + line * TEXT_LINE
    }

    /// The positions of this many boards in a grid, and the size of the grid.
    pub(super) fn grid(self, boards: usize) -> (Vec<(u32, u32)>, (u32, u32)) {
        let boards = pixels(boards).max(1);
        let across = boards.min(ACROSS);
        let places = (0..boards).map(|nth| (nth % across * self.width, nth / across * self.height)).collect();
        (places, (across * self.width, boards.div_ceil(across) * self.height))
    }
}

/// Converts a count of cells or boards to the pixel type.
pub(super) fn pixels(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The cells of a placed pair; a puyo that was lost is omitted.
pub(super) fn placed(before: &Field, step: &Step, rules: Rules) -> Vec<(CellPosition, Mark)> {
    let (axis, child) = (step.placement.column(), step.placement.child_column());
    let rotation = step.placement.rotation();
    let at = |column: usize, above: bool| (column, before.height(column) + usize::from(above));
    let marks = [
        (at(axis, rotation == Rotation::Down), Mark::Axis),
        (at(child, rotation == Rotation::Up), Mark::Child),
    ];
    marks.into_iter().filter(|((_, row), _)| *row < rules.rows).collect()
}

/// The highest garbage of each column with a drawn puyo.
pub(super) fn fallen(step: &Step, rules: Rules) -> Vec<(CellPosition, Mark)> {
    let garbage = step.garbage;
    let rows = ((garbage.fell + garbage.waiting).min(rules.garbage.most) / pixels(COLUMNS)) as usize;
    let grown = |column: &usize| step.after.height(*column) > step.popped.height(*column) + rows;
    let columns = (0..COLUMNS).filter(|column| garbage.drawn > 0 && grown(column));
    columns.map(|column| ((column, step.after.height(column) - 1), Mark::Drawn)).collect()
}

//! What is on a picture, in pixels, whatever the picture is made of.

use super::super::Step;
use super::animation::Scene;
use crate::puyo::{COLUMNS, Field, Rotation, Rules};

/// A cell's column and row.
pub(super) type At = (usize, usize);

/// Something drawn round a puyo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// The axis of the pair that was put down: a whole ring.
    Axis,
    /// Its child: a ring with gaps.
    Child,
    /// It pops now: a square on its corner.
    Pop,
}

/// Pixels of a cell's side.
pub(super) const CELL: u32 = 28;
/// Pixels of a puyo's radius.
pub(super) const RADIUS: u32 = 12;
/// Pixels round a board.
pub(super) const MARGIN: u32 = 10;
/// Pixels of a line of text.
pub(super) const TEXT_LINE: u32 = 20;
/// Lines of text below a board.
pub(super) const TEXT_LINES: u32 = 2;
/// Boards side by side.
const ACROSS: u32 = 8;
/// Rows that are seen.
pub(super) const ROWS_SEEN: u32 = 12;
/// The cell that loses the game (reference 1.5: pairs appear at column 2, row 2 of RAM).
pub(super) const LOSING: At = (2, 11);

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
    pub(super) fn corner(self, (column, row): At) -> (u32, u32) {
        (MARGIN + pixels(column) * CELL, MARGIN + (self.rows - 1).saturating_sub(pixels(row)) * CELL)
    }

    /// The middle of a cell.
    pub(super) fn middle(self, at: At) -> (u32, u32) {
        let (left, top) = self.corner(at);
        (left + CELL / 2, top + CELL / 2)
    }

    /// Where the rows that are seen begin, from the top.
    pub(super) fn seen(self) -> u32 {
        MARGIN + (self.rows - ROWS_SEEN) * CELL
    }

    /// Where a line of text stands, from the top.
    pub(super) fn text(self, line: u32) -> u32 {
        MARGIN + self.rows * CELL + 8 + line * TEXT_LINE
    }

    /// Where so many boards stand side by side and below each other, and how large the whole is.
    pub(super) fn grid(self, boards: usize) -> (Vec<(u32, u32)>, (u32, u32)) {
        let boards = pixels(boards).max(1);
        let across = boards.min(ACROSS);
        let places = (0..boards).map(|nth| (nth % across * self.width, nth / across * self.height)).collect();
        (places, (across * self.width, boards.div_ceil(across) * self.height))
    }
}

/// A number of cells or boards as pixels are counted.
pub(super) fn pixels(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Where a pair came to stand on a board; a puyo that was lost is left out.
pub(super) fn placed(before: &Field, step: &Step, rules: Rules) -> Vec<(At, Mark)> {
    let (axis, child) = (step.placement.column(), step.placement.child_column());
    let rotation = step.placement.rotation();
    let at = |column: usize, above: bool| (column, before.height(column) + usize::from(above));
    let marks = [
        (at(axis, rotation == Rotation::Down), Mark::Axis),
        (at(child, rotation == Rotation::Up), Mark::Child),
    ];
    marks.into_iter().filter(|((_, row), _)| *row < rules.rows).collect()
}

/// The two lines of text below a scene.
pub(super) fn lines(scene: &Scene) -> [&str; TEXT_LINES as usize] {
    [&scene.title, &scene.told]
}

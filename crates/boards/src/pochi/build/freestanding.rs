//! Enumerates all freestanding structures: adjacent columns from the floor, with the needle in one cell.

use super::{Search, Shape};
use crate::pochi::field::{GridCell, HEIGHT, WIDTH};
use crate::pochi::sets::bit;

/// Structures between two reports.
const REPORT_INTERVAL: u64 = 1 << 16;

/// Columns from the floor, by their heights.
pub(super) type Heights = [u8; WIDTH as usize];

/// The cell of a column, counted from the floor.
pub(super) fn cell(column: u8, height: u8) -> u128 {
    bit(GridCell::new(column, HEIGHT - 1 - height))
}

/// The columns with the needle in one of their cells.
pub(super) fn shape(heights: &Heights, needle: (u8, u8)) -> Shape {
    let needle = cell(needle.0, needle.1);
    let columns = (0u8..).zip(heights);
    let cells = columns.flat_map(|(column, height)| (0..*height).map(move |above| cell(column, above)));
    Shape { blocks: cells.fold(0, |all, cell| all | cell) & !needle, needle }
}

/// Enumerates all structures. Returns whether the enumeration was completed, so that the best is proven.
pub(super) fn all(search: &mut Search<'_>, most: u64) -> bool {
    let cells = search.task.blocks + 1;
    let mut all = FreestandingSearch {
        search,
        heights: Heights::default(),
        since_report: 0,
        left: most,
        best: (Shape::default(), 0),
    };
    let is_whole = most > 0 && all.column(0, cells);
    // A stopped enumeration has reported already.
    is_whole && all.report_progress()
}

struct FreestandingSearch<'a, 'b> {
    search: &'a mut Search<'b>,
    heights: Heights,
    /// Structures since the last report.
    since_report: u64,
    /// Structures that may still be tried after it.
    left: u64,
    best: (Shape, u32),
}

impl FreestandingSearch<'_, '_> {
    /// All heights of the columns from this one on, with at most `cells` cells. An empty column ends the structure, because waves
    /// cannot pass it. Returns false if stopped.
    fn column(&mut self, column: u8, cells: u32) -> bool {
        if column > 0 && !self.needles(column) {
            return false;
        }
        if column == WIDTH {
            return true;
        }
        for height in 1..=HEIGHT {
            let Some(rest) = cells.checked_sub(height.into()) else { break };
            self.heights[usize::from(column)] = height;
            if !self.column(column + 1, rest) {
                return false;
            }
        }
        self.heights[usize::from(column)] = 0;
        true
    }

    /// All needle positions in the first `columns` columns.
    fn needles(&mut self, columns: u8) -> bool {
        for column in 0..columns {
            let height = self.heights[usize::from(column)];
            let lowest = if self.search.task.limits.open { height - 1 } else { 0 };
            for above in lowest..height {
                let shape = shape(&self.heights, (column, above));
                let value = self.search.task.value(shape);
                if value > self.best.1 {
                    self.best = (shape, value);
                }
                self.since_report += 1;
                if self.since_report == REPORT_INTERVAL.min(self.left)
                    && (!self.report_progress() || self.left == 0)
                {
                    return false;
                }
            }
        }
        true
    }

    /// Reports progress. Returns whether to continue.
    fn report_progress(&mut self) -> bool {
        let since_report = std::mem::take(&mut self.since_report);
        self.left = self.left.saturating_sub(since_report);
        self.search.report(since_report, self.best.0, self.best.1)
    }
}

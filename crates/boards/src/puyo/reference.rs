//! The reference simulator, cell by cell and step by step: used for display, and as the oracle of the fast version.

use super::field::{COLUMNS, Cell, Field, ROWS, VISIBLE_ROWS};
use super::rules::Rules;
use crate::Color;

/// A cell's column and row.
pub type CellPosition = (usize, usize);

/// A group of connected puyos of one colour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Their colour.
    pub color: Color,
    /// The cells, in the order in which they were found.
    pub cells: Vec<CellPosition>,
}

/// One step of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The board with the groups, after everything has fallen.
    pub before: Field,
    /// The groups that pop.
    pub groups: Vec<Group>,
    /// Garbage and hard blocks beside them.
    pub beside: Vec<CellPosition>,
    /// Points.
    pub points: u32,
}

impl Step {
    /// The most rows that anything falls after the step.
    pub fn rows_fallen(&self) -> usize {
        let popped = self.groups.iter().flat_map(|group| &group.cells);
        let beside = self.beside.iter().filter(|(column, row)| self.before.get(*column, *row) != Cell::Hard);
        let gone: Vec<CellPosition> = popped.chain(beside).copied().collect();
        let fallen = |column: usize| {
            let stays =
                |row: &usize| self.before.get(column, *row) != Cell::Empty && !gone.contains(&(column, *row));
            // The highest puyo falls furthest.
            let highest = (0..ROWS).rev().find(stays)?;
            Some(gone.iter().filter(|(of, row)| *of == column && *row < highest).count())
        };
        (0..COLUMNS).filter_map(fallen).max().unwrap_or(0)
    }
}

/// Plays a chain to its end; `field` is then the remaining board.
pub fn fire(field: &mut Field, rules: Rules) -> Vec<Step> {
    let mut steps = Vec::new();
    fall(field);
    loop {
        let groups = popping(field, rules);
        if groups.is_empty() {
            return steps;
        }
        let before = *field;
        let beside = beside(field, &groups);
        let mut colors: Vec<Color> = groups.iter().map(|group| group.color).collect();
        colors.sort_unstable_by_key(|color| color.0);
        colors.dedup();
        let sizes = groups.iter().map(|group| count(&group.cells));
        let puyos = sizes.clone().sum();
        let bonus = sizes.map(|size| rules.group_bonus(size)).sum();
        let step = u32::try_from(steps.len() + 1).unwrap_or(u32::MAX);
        let points = rules.points(puyos, step, u32::try_from(colors.len()).unwrap_or(0), bonus);
        for (column, row) in groups.iter().flat_map(|group| &group.cells) {
            field.set(*column, *row, Cell::Empty);
        }
        for (column, row) in &beside {
            let left = if field.get(*column, *row) == Cell::Hard { Cell::Ojama } else { Cell::Empty };
            field.set(*column, *row, left);
        }
        fall(field);
        steps.push(Step { before, groups, beside, points });
    }
}

fn count(cells: &[CellPosition]) -> u32 {
    u32::try_from(cells.len()).unwrap_or(u32::MAX)
}

/// The groups on a board that are large enough to pop.
pub fn popping(field: &Field, rules: Rules) -> Vec<Group> {
    let mut visited = [[false; VISIBLE_ROWS]; COLUMNS];
    let mut groups = Vec::new();
    for column in 0..COLUMNS {
        for row in 0..VISIBLE_ROWS {
            let Cell::Puyo(color) = field.get(column, row) else { continue };
            if visited[column][row] {
                continue;
            }
            visited[column][row] = true;
            let mut cells = vec![(column, row)];
            let mut next = 0;
            while let Some(&at) = cells.get(next) {
                next += 1;
                for (column, row) in neighbours(at) {
                    if !visited[column][row] && field.get(column, row) == Cell::Puyo(color) {
                        visited[column][row] = true;
                        cells.push((column, row));
                    }
                }
            }
            if count(&cells) >= rules.group {
                groups.push(Group { color, cells });
            }
        }
    }
    groups
}

/// The visible neighbours of a cell.
fn neighbours((column, row): CellPosition) -> impl Iterator<Item = CellPosition> {
    let beside =
        [(column.wrapping_sub(1), row), (column + 1, row), (column, row.wrapping_sub(1)), (column, row + 1)];
    beside.into_iter().filter(|(column, row)| *column < COLUMNS && *row < VISIBLE_ROWS)
}

fn beside(field: &Field, groups: &[Group]) -> Vec<CellPosition> {
    let mut found = Vec::new();
    for at in groups.iter().flat_map(|group| &group.cells).flat_map(|at| neighbours(*at)) {
        if matches!(field.get(at.0, at.1), Cell::Ojama | Cell::Hard) && !found.contains(&at) {
            found.push(at);
        }
    }
    found
}

/// Lets everything that floats fall, column by column.
fn fall(field: &mut Field) {
    let mut fallen = Field::default();
    for column in 0..COLUMNS {
        let cells = (0..ROWS).map(|row| field.get(column, row));
        for (row, cell) in cells.filter(|cell| *cell != Cell::Empty).enumerate() {
            fallen.set(column, row, cell);
        }
    }
    *field = fallen;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puyo::field_from_rows;

    #[test]
    fn a_step_knows_the_longest_fall() {
        let rows = ["B.....", "G.H...", "RROB..", "RRRBBY"];
        let mut field = field_from_rows(&rows).expect("a board");
        let steps = fire(&mut field, Rules::TSU);
        assert_eq!(steps.len(), 1);
        // The two in the first column fall 2 rows, the hard block falls 2 rows.
        assert_eq!(steps[0].rows_fallen(), 2);
        let mut flat = field_from_rows(&["RRRR.."]).expect("a board");
        assert_eq!(fire(&mut flat, Rules::TSU)[0].rows_fallen(), 0);
    }
}

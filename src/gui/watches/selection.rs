//! The selected lines of the list: a click selects one, Ctrl adds or removes a line, Shift selects up to it.

use std::collections::BTreeSet;

/// How a click or a key changes the selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extend {
    /// Select only this line.
    Only,
    /// Add or remove this line.
    Toggle,
    /// Select all lines from the anchor to this one.
    To,
    /// Move the cursor to it, and select nothing.
    Cursor,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    lines: BTreeSet<usize>,
    /// The line from which Shift extends.
    anchor: usize,
    /// The line that the arrows move from.
    cursor: Option<usize>,
}

impl Selection {
    /// These lines; the cursor is on the last one.
    pub fn of(lines: impl IntoIterator<Item = usize>) -> Self {
        let lines: BTreeSet<usize> = lines.into_iter().collect();
        Self { anchor: lines.first().copied().unwrap_or_default(), cursor: lines.last().copied(), lines }
    }

    pub fn change(&mut self, line: usize, extend: Extend) {
        match extend {
            Extend::Only => *self = Self::of([line]),
            Extend::Toggle => {
                if !self.lines.remove(&line) {
                    self.lines.insert(line);
                }
                self.anchor = line;
            }
            Extend::To => {
                self.anchor = if self.lines.is_empty() { line } else { self.anchor };
                self.lines = (self.anchor.min(line)..=self.anchor.max(line)).collect();
            }
            Extend::Cursor => {}
        }
        self.cursor = Some(line);
    }

    /// Ascending.
    pub fn lines(&self) -> Vec<usize> {
        self.lines.iter().copied().collect()
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn contains(&self, line: usize) -> bool {
        self.lines.contains(&line)
    }

    /// The only selected line.
    pub fn only(&self) -> Option<usize> {
        if self.len() == 1 { self.last() } else { None }
    }

    /// The last selected line, after which lines are added.
    pub fn last(&self) -> Option<usize> {
        self.lines.last().copied()
    }

    pub fn cursor(&self) -> Option<usize> {
        self.cursor
    }

    /// Forgets lines that the list does not have any more.
    pub fn limit(&mut self, count: usize) {
        self.lines.retain(|line| *line < count);
        self.cursor = self.cursor.filter(|line| *line < count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctrl_and_shift_select_lines_as_in_other_lists() {
        let mut selection = Selection::default();
        selection.change(3, Extend::To);
        assert_eq!(selection.lines(), [3], "without an anchor");
        selection.change(5, Extend::To);
        assert_eq!(selection.lines(), [3, 4, 5]);
        selection.change(1, Extend::To);
        assert_eq!((selection.lines(), selection.cursor()), (vec![1, 2, 3], Some(1)), "from the same anchor");
        selection.change(2, Extend::Toggle);
        assert_eq!(selection.lines(), [1, 3]);
        selection.change(4, Extend::To);
        assert_eq!(selection.lines(), [2, 3, 4], "from the line that Ctrl changed last");
        selection.change(6, Extend::Cursor);
        assert_eq!((selection.lines(), selection.cursor()), (vec![2, 3, 4], Some(6)));
        selection.change(7, Extend::Only);
        assert_eq!((selection.only(), selection.last()), (Some(7), Some(7)));
        selection.change(7, Extend::Toggle);
        assert_eq!((selection.len(), selection.only()), (0, None));
        selection = Selection::of([2, 8, 9]);
        selection.limit(9);
        assert_eq!((selection.lines(), selection.cursor()), (vec![2, 8], None));
    }
}

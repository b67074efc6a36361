//! What rows, keys and menus of the list request.

use super::selection::Extend;
use super::sort::SortBy;
use super::types::TypeChange;
use crate::research::watch::{Display, Entry};

#[derive(Debug)]
pub enum RowAction {
    Select(usize, Extend),
    Edit(usize, Box<Entry>),
    /// An action on the selected lines.
    Do(SelectedAction),
    /// Sorts the list by a column.
    Sort(SortBy),
}

/// An action on the selected lines.
#[derive(Debug, Clone)]
pub enum SelectedAction {
    Duplicate,
    Remove,
    Up,
    Down,
    Copy,
    Cut,
    /// Inserts the lines of a text after the selected ones.
    Paste(String),
    /// Changes the only selected line.
    Edit(Box<Entry>),
    SetType(TypeChange),
    SetFormat(Display),
}

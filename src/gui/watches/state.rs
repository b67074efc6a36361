//! The state of the watches panel.

use super::editing::{Editing, Highlights};
use super::files::{FileResult, Files};
use super::follow::{Follower, Shared};
use super::paths::Paths;
use super::row::NewRow;
use super::selection::Selection;
use super::sort::SortBy;
use crate::gui::sorting::Sort;
use crate::research::watch::Entry;
use crate::research::{Address, CellAddress};
use std::sync::Arc;

/// A watch as marked in the memory panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchMark {
    /// The address of its first byte.
    pub address: Address,
    /// Length in bytes.
    pub len: usize,
    /// Its name.
    pub name: String,
}

/// The watch list for other panels.
#[derive(Debug, Clone, Default)]
pub struct Marked {
    pub(super) revision: u64,
    /// The cells.
    pub places: Arc<[CellAddress]>,
    /// The cells with lengths and names.
    pub marks: Arc<[WatchMark]>,
}

#[derive(Default)]
pub struct WatchesPanel {
    pub(super) shared: Arc<Shared>,
    pub(super) follower: Follower,
    pub(super) new: NewRow,
    pub(super) editing: Option<Editing>,
    pub(super) result: Option<FileResult>,
    pub(super) selected: Selection,
    pub(super) scroll_to: Option<usize>,
    pub(super) undo: Vec<(&'static str, Vec<Entry>)>,
    pub(super) files: Files,
    pub(super) paths: Paths,
    pub(super) highlights: Highlights,
    pub(super) marked: Marked,
    pub(super) saved_revision: u64,
    /// The order of the list, until it is edited.
    pub(super) sorted: Option<Sort<SortBy>>,
    pub(super) sorted_revision: u64,
}

//! The state of the memory panel.

use super::layout::Group;
use super::marks::Marks;
use super::selection::Selection;
use crate::console::Snapshot;
use std::time::{Duration, Instant};

/// How long a changed byte is highlighted.
pub const HIGHLIGHT_TIME: Duration = Duration::from_millis(700);

#[derive(Debug, Default)]
pub struct MemoryPanel {
    pub(super) go_to: String,
    pub(super) wrong: Option<String>,
    pub(super) focus_go_to: bool,
    pub(super) group: Group,
    pub(super) selection: Selection,
    pub(super) scroll_to: Option<usize>,
    pub(super) previous: Option<Snapshot>,
    pub(super) changed: Vec<(usize, Instant)>,
    pub(super) marks: Marks,
}

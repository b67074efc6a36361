//! Cells that are being edited, and values that are highlighted after a change.

use super::follow::Shared;
use eframe::egui::Id;
use std::time::{Duration, Instant};

/// How long a changed value is highlighted.
pub const HIGHLIGHT_TIME: Duration = Duration::from_millis(700);

/// An editable cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    Label,
    Address,
    Notes,
}

impl Cell {
    pub fn name(self) -> &'static str {
        match self {
            Self::Label => "Label",
            Self::Address => "Address",
            Self::Notes => "Notes",
        }
    }
}

/// The id of a cell's text field.
pub fn cell_id(at: (usize, Cell)) -> Id {
    Id::unique(("watch", at))
}

/// A cell being edited.
#[derive(Debug)]
pub struct Editing {
    pub at: (usize, Cell),
    pub text: String,
    /// Why the text is invalid.
    pub wrong: Option<String>,
}

/// When each value last changed, as observed by the window.
#[derive(Debug, Default)]
pub struct Highlights {
    revision: u64,
    changes: Vec<(u64, Option<Instant>)>,
}

impl Highlights {
    /// Reads the change counts; returns whether anything is highlighted.
    pub fn update(&mut self, shared: &Shared, now: Instant) -> bool {
        let revision = shared.revision();
        let counts: Vec<u64> = shared.read(|list| {
            (0..list.entries().len())
                .map(|line| list.state(line).map_or(0, |sampled| sampled.changes))
                .collect()
        });
        if self.revision != revision || self.changes.len() != counts.len() {
            self.revision = revision;
            self.changes = counts.into_iter().map(|count| (count, None)).collect();
            return false;
        }
        for (known, count) in self.changes.iter_mut().zip(counts) {
            if count > known.0 {
                known.1 = Some(now);
            }
            known.0 = count;
            known.1 = known.1.filter(|at| now.saturating_duration_since(*at) < HIGHLIGHT_TIME);
        }
        self.changes.iter().any(|(_, at)| at.is_some())
    }

    pub fn is_highlighted(&self, line: usize) -> bool {
        self.changes.get(line).is_some_and(|(_, at)| at.is_some())
    }
}

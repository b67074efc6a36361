//! The selected bytes.

use crate::console::Snapshot;
use crate::gui::watches::of_bytes;
use crate::research::ValueType;
use std::ops::Range;

/// The cursor and the anchor of the selection.
#[derive(Debug, Default)]
pub struct Selection {
    cursor: usize,
    anchor: Option<usize>,
    /// The type that the user chose for this number of bytes.
    pub ty: Option<(usize, ValueType)>,
}

impl Selection {
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The selected bytes; at least the one at the cursor.
    pub fn range(&self) -> Range<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..anchor.max(self.cursor) + 1
    }

    pub fn set(&mut self, range: Range<usize>) {
        // The cursor is at the first byte, where reading starts.
        self.cursor = range.start;
        self.anchor = (range.len() > 1).then(|| range.end - 1);
    }

    /// Moves the cursor; with `extend` it extends the selection.
    pub fn move_to(&mut self, offset: usize, extend: bool) {
        self.anchor = extend.then(|| self.anchor.unwrap_or(self.cursor));
        self.cursor = offset;
    }

    /// Starts a selection with the pointer.
    pub fn start_drag(&mut self, offset: usize) {
        (self.cursor, self.anchor) = (offset, Some(offset));
    }

    pub fn ty(&self, snapshot: &Snapshot) -> ValueType {
        let len = self.range().len();
        let chosen = self.ty.filter(|(of, _)| *of == len).map(|(_, ty)| ty);
        chosen.unwrap_or_else(|| of_bytes(len, snapshot.domain().endian))
    }
}

//! Bytes that are selected, and what can be done with them.

use super::MemoryPanel;
use crate::console::Snapshot;
use crate::gui::scene::{Ask, Scene};
use crate::gui::watches::{choose_type, draft_of_bytes, of_bytes, to_field};
use crate::research::watch::Watch;
use crate::research::{Address, ValueType};
use eframe::egui::{Button, Ui};
use std::ops::Range;

/// Watches that are made of one selection at most.
const AT_ONCE: usize = 64;

/// The cursor, and what is selected from where it was to where it is.
#[derive(Debug, Default)]
pub struct Selection {
    cursor: usize,
    anchor: Option<usize>,
    /// The type that the user chose for so many bytes.
    ty: Option<(usize, ValueType)>,
}

impl Selection {
    /// The byte under the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The selected bytes; at least the one under the cursor.
    pub fn range(&self) -> Range<usize> {
        let anchor = self.anchor.unwrap_or(self.cursor);
        anchor.min(self.cursor)..anchor.max(self.cursor) + 1
    }

    /// Selects these bytes.
    pub fn set(&mut self, range: Range<usize>) {
        // The cursor stands on the first, where one begins to read.
        self.cursor = range.start;
        self.anchor = (range.len() > 1).then(|| range.end - 1);
    }

    /// Moves the cursor; with `extend`, what lies between stays selected.
    pub fn move_to(&mut self, offset: usize, extend: bool) {
        self.anchor = extend.then(|| self.anchor.unwrap_or(self.cursor));
        self.cursor = offset;
    }

    /// Where a selection by the mouse begins.
    pub fn begin(&mut self, offset: usize) {
        (self.cursor, self.anchor) = (offset, Some(offset));
    }

    fn ty(&self, snapshot: &Snapshot) -> ValueType {
        let len = self.range().len();
        let chosen = self.ty.filter(|(of, _)| *of == len).map(|(_, ty)| ty);
        chosen.unwrap_or_else(|| of_bytes(len, snapshot.domain().endian))
    }
}

impl MemoryPanel {
    /// What can be done with the selected bytes.
    pub(super) fn selection_tools(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, snapshot: &Snapshot) {
        let range = self.selection.range();
        let mut ty = self.selection.ty(snapshot);
        ui.horizontal_wrapped(|ui| {
            let bytes = if range.len() == 1 { "1 byte".into() } else { format!("{} bytes", range.len()) };
            ui.label(format!("{bytes} selected"))
                .on_hover_text("Drag, click with Shift, or move with Shift and the arrows to select more");
            if choose_type(ui, "selection", "Type of the selected bytes", &mut ty) {
                self.selection.ty = Some((range.len(), ty));
            }
            let watches = self.watches(snapshot, &range, ty);
            let text = match watches.len() {
                0 | 1 => "Watch these bytes".to_owned(),
                count => format!("Watch {count} values"),
            };
            let button = ui.add_enabled(!watches.is_empty(), Button::new(text));
            if button.on_disabled_hover_text("They run past the end of the RAM").clicked() {
                scene.asked.push(Ask::Watch(watches));
            }
            let field = ui.add_enabled(scene.view.target.is_some(), Button::new("Bytes to profile…"));
            if field.on_hover_text("Names these bytes in your copy of the profile").clicked() {
                let domain = snapshot.domain();
                let whole = if range.len() == ty.width() { ty } else { of_bytes(range.len(), domain.endian) };
                let draft = draft_of_bytes(domain.address_at(range.start), to_field(whole, domain.endian));
                scene.asked.push(Ask::AddField(Box::new(draft)));
            }
        });
    }

    /// A watch for each value that stands in the selected bytes, named after the field of the profile that it is in.
    fn watches(&self, snapshot: &Snapshot, range: &Range<usize>, ty: ValueType) -> Vec<Watch> {
        let domain = snapshot.domain();
        let width = ty.width();
        let whole = range.len().is_multiple_of(width);
        let count = if whole { (range.len() / width).min(AT_ONCE) } else { 1 };
        let watch = |number: usize| {
            let offset = range.start + number * width;
            let address = Address(domain.address_at(offset).0.into());
            (offset + width <= domain.len as usize)
                .then(|| Watch { label: self.label_at(snapshot, offset), ..Watch::new(address, ty) })
        };
        (0..count).filter_map(watch).collect()
    }

    fn label_at(&self, snapshot: &Snapshot, offset: usize) -> String {
        let Some(field) = self.marks.field_at(offset) else { return String::new() };
        let start = field.address_in(snapshot).ok().and_then(|at| snapshot.domain().offset_of(at));
        match start.map_or(0, |start| offset.saturating_sub(start)) {
            0 => field.name.clone(),
            within => format!("{} + {within}", field.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_where_the_cursor_was_and_where_it_is_gets_selected() {
        let mut selection = Selection::default();
        selection.move_to(20, false);
        assert_eq!(selection.range(), 20..21);
        selection.move_to(18, true);
        selection.move_to(17, true);
        assert_eq!(selection.range(), 17..21);
        selection.move_to(23, true);
        assert_eq!(selection.range(), 20..24);
        selection.move_to(5, false);
        assert_eq!(selection.range(), 5..6);
        selection.set(8..12);
        assert_eq!((selection.range(), selection.cursor()), (8..12, 8));
        selection.begin(40);
        selection.move_to(42, true);
        assert_eq!(selection.range(), 40..43);
    }
}

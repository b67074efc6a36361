//! Actions on the selected bytes.

use super::state::MemoryPanel;
use crate::console::Snapshot;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::gui::watches::{choose_type, draft_of_bytes, of_bytes, to_field};
use crate::research::watch::Watch;
use crate::research::{Address, ValueType};
use crate::text::counted;
use eframe::egui::{Button, Ui};
use std::ops::Range;

/// Maximum number of watches from one selection.
const MAX_WATCHES: usize = 64;

impl MemoryPanel {
    pub(super) fn selection_tools(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, snapshot: &Snapshot) {
        let range = self.selection.range();
        let mut ty = self.selection.ty(snapshot);
        ui.horizontal_wrapped(|ui| {
            let bytes = counted(range.len() as u64, "byte");
            ui.label(format!("{bytes} selected"))
                .on_hover_text("Drag, Shift+click or Shift+arrow keys select more");
            if choose_type(ui, "selection", "Type of the selected bytes", &mut ty) {
                self.selection.ty = Some((range.len(), ty));
            }
            let watches = self.watches(snapshot, &range, ty);
            let text = match watches.len() {
                0 | 1 => "Watch these bytes".to_owned(),
                count => format!("Watch {count} values"),
            };
            let button = ui.add_enabled(!watches.is_empty(), Button::new(text));
            if button.on_disabled_hover_text("The selection exceeds the end of the RAM").clicked() {
                cx.actions.push(UiAction::AddWatches(watches));
            }
            let field = ui.add_enabled(cx.view.target.is_some(), Button::new("Add bytes to profile…"));
            if field.on_hover_text("Add a field for these bytes to your copy of the profile").clicked() {
                self.add_to_profile(cx, snapshot, ty);
            }
        });
    }

    /// Opens the dialog that adds the selected bytes to the profile.
    pub(super) fn add_to_profile(&self, cx: &mut UiContext<'_>, snapshot: &Snapshot, ty: ValueType) {
        let (range, domain) = (self.selection.range(), snapshot.domain());
        let whole = if range.len() == ty.width() { ty } else { of_bytes(range.len(), domain.endian) };
        let draft = draft_of_bytes(domain.address_at(range.start), to_field(whole, domain.endian));
        cx.actions.push(UiAction::AddField(Box::new(draft)));
    }

    /// A watch for each selected value, named after its profile field.
    pub(super) fn watches(&self, snapshot: &Snapshot, range: &Range<usize>, ty: ValueType) -> Vec<Watch> {
        let domain = snapshot.domain();
        let width = ty.width();
        let whole = range.len().is_multiple_of(width);
        let count = if whole { (range.len() / width).min(MAX_WATCHES) } else { 1 };
        let watch = |number: usize| {
            let offset = range.start + number * width;
            let address = Address(domain.address_at(offset).0.into());
            (offset + width <= domain.len as usize).then(|| Watch {
                label: self.marks.name_at(offset).unwrap_or_default(),
                ..Watch::new(address, ty)
            })
        };
        (0..count).filter_map(watch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::selection::Selection;

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
        selection.start_drag(40);
        selection.move_to(42, true);
        assert_eq!(selection.range(), 40..43);
    }
}

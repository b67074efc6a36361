//! The context menu of a line.

use super::cell::{bytes_of, select_bytes};
use super::field::draft;
use super::selected::SelectedAction;
use crate::gui::row_menu;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::CellAddress;
use crate::research::watch::{Entry, WatchState};
use eframe::egui::Ui;

/// Draws it; `(line, count)` are the line and the number of all lines.
pub fn show(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    (line, count): (usize, usize),
    entry: &Entry,
    sampled: &WatchState,
) -> Option<SelectedAction> {
    let mut act = None;
    if let Entry::Watch(watch) = entry {
        if row_menu::item(ui, "Show in memory", "", bytes_of(cx, watch).is_some()) {
            select_bytes(cx, watch);
        }
        let draft = draft(cx, watch);
        if row_menu::item(ui, "Add this watch to the profile…", "", draft.is_some())
            && let Some(draft) = draft
        {
            cx.actions.push(UiAction::AddField(Box::new(draft)));
        }
        ui.separator();
        if row_menu::item(ui, "Copy address", "", true) {
            let place = CellAddress { address: watch.address, part: watch.part };
            cx.copy(place.to_string(), "address");
        }
        let value = sampled.value.as_ref().map(|value| watch.show(value));
        if row_menu::item(ui, "Copy value", "", value.is_some())
            && let Some(value) = value
        {
            cx.copy(value, "value");
        }
        ui.separator();
    }
    for (text, possible, does) in [
        ("Duplicate line", true, SelectedAction::Duplicate),
        ("Move up", line > 0, SelectedAction::Up),
        ("Move down", line + 1 < count, SelectedAction::Down),
        ("Remove line", true, SelectedAction::Remove),
    ] {
        if row_menu::item(ui, text, "", possible) {
            act = Some(does);
        }
    }
    act
}

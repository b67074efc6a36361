//! The context menu of a line: it is about all selected lines if the line is one of them.

use super::cell::{bytes_of, select_bytes};
use super::field::draft;
use super::row_action::SelectedAction;
use super::state::WatchesPanel;
use crate::gui::row_menu;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::CellAddress;
use crate::research::watch::{Entry, Watch, WatchState};
use eframe::egui::Ui;

/// Draws it; `(line, count)` are the line and the number of all lines.
pub fn show(
    ui: &mut Ui,
    panel: &WatchesPanel,
    cx: &mut UiContext<'_>,
    (line, count): (usize, usize),
) -> Option<SelectedAction> {
    let lines = if panel.selected.contains(line) { panel.selected.lines() } else { vec![line] };
    let watches: Vec<(Watch, WatchState)> = panel.shared.read(|list| {
        let watch = |line: &usize| match list.entries().get(*line)? {
            Entry::Watch(watch) => Some((watch.clone(), list.state(*line)?.clone())),
            Entry::Separator(_) => None,
        };
        lines.iter().filter_map(watch).collect()
    });
    let several = lines.len() > 1;
    if let ([(watch, _)], false) = (watches.as_slice(), several) {
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
    }
    if !watches.is_empty() {
        let (addresses, values) = match several {
            true => ("Copy addresses", "Copy values"),
            false => ("Copy address", "Copy value"),
        };
        if row_menu::item(ui, addresses, "", true) {
            let place = |(watch, _): &(Watch, WatchState)| {
                CellAddress { address: watch.address, part: watch.part }.to_string()
            };
            cx.copy(watches.iter().map(place).collect::<Vec<_>>().join("\n"), "address");
        }
        let value = |(watch, state): &(Watch, WatchState)| Some(watch.show(state.value.as_ref()?));
        let known = watches.iter().any(|watch| value(watch).is_some());
        if row_menu::item(ui, values, "", known) {
            let value = |watch| value(watch).unwrap_or_default();
            cx.copy(watches.iter().map(value).collect::<Vec<_>>().join("\n"), "value");
        }
    }
    let (first, last) = (lines.first().copied().unwrap_or(line), lines.last().copied().unwrap_or(line));
    let text = |verb: &str, one: &str| match several {
        true => format!("{verb} {} lines", lines.len()),
        false => one.to_owned(),
    };
    let mut act = None;
    for (text, keys, possible, does) in [
        (text("Copy", "Copy line"), "Ctrl+C", true, SelectedAction::Copy),
        (text("Cut", "Cut line"), "Ctrl+X", true, SelectedAction::Cut),
        (text("Duplicate", "Duplicate line"), "", true, SelectedAction::Duplicate),
        ("Move up".into(), "Alt+Up", first > 0, SelectedAction::Up),
        ("Move down".into(), "Alt+Down", last + 1 < count, SelectedAction::Down),
        (text("Remove", "Remove line"), "Delete", true, SelectedAction::Remove),
    ] {
        if row_menu::item(ui, &text, keys, possible) {
            act = Some(does);
        }
    }
    act
}

//! Details of the selected line: actions, number format, history and pointer paths.

use super::cell::marked_name;
use super::cell::show_bytes;
use super::field::{NAME_HINT, draft};
use super::row_action::SelectedAction;
use super::state::WatchesPanel;
use super::{paths, plot, types};
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::watch::{Display, Entry, Watch, WatchState};
use crate::research::{Kind, NumberFormat, Value, ValueType};
use eframe::egui::{Button, ComboBox, DragValue, RichText, ScrollArea, Ui};

/// The number formats.
const FORMATS: [(Display, &str); 6] = [
    (Display::As(NumberFormat::Decimal), "Decimal"),
    (Display::As(NumberFormat::Hexadecimal), "Hexadecimal"),
    (Display::As(NumberFormat::Binary), "Binary"),
    (Display::Fixed { fraction_bits: 4 }, "Fixed point, 4 bits"),
    (Display::Fixed { fraction_bits: 8 }, "Fixed point, 8 bits"),
    (Display::Fixed { fraction_bits: 16 }, "Fixed point, 16 bits"),
];

/// Height of the plot in points.
const PLOT_HEIGHT: f32 = 120.0;

/// A plotted value in the watch's format.
fn shown(watch: &Watch, value: f64) -> String {
    if watch.ty.kind().is_float() {
        return watch.show(&Value::Float(value));
    }
    #[expect(clippy::cast_possible_truncation, reason = "it was a whole number of 64 bits")]
    let value = value as i128;
    watch.show(&Value::Integer(value))
}

pub fn show(
    ui: &mut Ui,
    panel: &mut WatchesPanel,
    cx: &mut UiContext<'_>,
    (line, entry, sampled): (usize, &Entry, &WatchState),
) -> Option<SelectedAction> {
    let mut act = None;
    ui.horizontal_wrapped(|ui| {
        act = buttons(ui, panel, &[line]);
        if let Entry::Watch(watch) = entry {
            ui.separator();
            show_bytes(ui, cx, watch);
            let draft = draft(cx, watch);
            let add = ui.add_enabled(draft.is_some(), Button::new("Add to profile…"));
            let add = add.on_hover_text(NAME_HINT).on_disabled_hover_text("Not in the RAM of a known game");
            if let (true, Some(draft)) = (add.clicked(), draft) {
                cx.actions.push(UiAction::AddField(Box::new(draft)));
            }
        }
    });
    let Entry::Watch(watch) = entry else { return act };
    ScrollArea::vertical().id_salt("chosen watch").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            if let Some(watch) = formats(ui, watch) {
                act = Some(SelectedAction::Edit(Box::new(Entry::Watch(watch))));
            }
        });
        let name = marked_name(watch);
        if matches!(watch.ty.kind(), Kind::Bytes { .. }) {
            ui.weak("Bytes have no plot");
        } else {
            let what = (name.as_str(), sampled, panel.shared.frame());
            plot::plot(ui, &cx.look, what, PLOT_HEIGHT, &|value| shown(watch, value));
        }
        paths::show(ui, &mut panel.paths, cx, watch);
    });
    act
}

/// The actions on all selected lines.
fn buttons(ui: &mut Ui, panel: &WatchesPanel, lines: &[usize]) -> Option<SelectedAction> {
    let mut act = None;
    let count = panel.shared.read(|list| list.entries().len());
    let first = lines.first().copied().unwrap_or_default();
    let last = lines.last().copied().unwrap_or_default();
    let what = if lines.len() > 1 { "the selected lines" } else { "the line" };
    let buttons = [
        ("Duplicate", format!("Duplicate {what}"), true, SelectedAction::Duplicate),
        ("Remove", format!("Remove {what} (Delete); can be undone"), true, SelectedAction::Remove),
        (
            "Copy",
            format!("Copy {what} (Ctrl+C); Ctrl+V inserts them, also in a text editor"),
            true,
            SelectedAction::Copy,
        ),
        ("Up", format!("Move {what} up (Alt+Up)"), first > 0, SelectedAction::Up),
        ("Down", format!("Move {what} down (Alt+Down)"), last + 1 < count, SelectedAction::Down),
    ];
    for (text, hint, enabled, does) in buttons {
        if ui.add_enabled(enabled, Button::new(text)).on_hover_text(hint).clicked() {
            act = Some(does);
        }
    }
    act
}

/// What can be done with several lines at once.
pub fn show_several(ui: &mut Ui, panel: &WatchesPanel) -> Option<SelectedAction> {
    let lines = panel.selected.lines();
    let watches: Vec<Watch> = panel
        .selected_entries()
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Watch(watch) => Some(watch),
            Entry::Separator(_) => None,
        })
        .collect();
    let mut act = None;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{} lines selected", lines.len())).strong());
        act = buttons(ui, panel, &lines);
        if watches.is_empty() {
            return;
        }
        ui.separator();
        ui.label("Type");
        let types: Vec<ValueType> = watches.iter().map(|watch| watch.ty).collect();
        if let Some(change) = types::choose_for_all(ui, "Type of all selected watches", &types) {
            act = Some(SelectedAction::SetType(change));
        }
        ui.label("Format");
        let first = watches[0].display;
        let same = watches.iter().all(|watch| watch.display == first);
        let mut display = same.then_some(first);
        format_list(ui, &mut display, "Format of all selected watches");
        if let Some(display) = display.filter(|display| !same || *display != first) {
            act = Some(SelectedAction::SetFormat(display));
        }
    });
    act
}

/// A list of the number formats; None if several watches differ.
fn format_list(ui: &mut Ui, display: &mut Option<Display>, name: &str) {
    let known = |display| FORMATS.iter().find(|(format, _)| *format == display).map(|(_, name)| *name);
    let text = match *display {
        Some(Display::Fixed { fraction_bits }) => format!("Fixed point, {fraction_bits} bits"),
        Some(display) => known(display).unwrap_or_default().to_owned(),
        None => "Mixed".to_owned(),
    };
    let list = ComboBox::from_id_salt(name).selected_text(text).width(130.0);
    let list = list.show_ui(ui, |ui| {
        for (format, name) in FORMATS {
            ui.selectable_value(display, Some(format), name);
        }
    });
    list.response.accessible_name(name);
}

/// Type and number format.
fn formats(ui: &mut Ui, watch: &Watch) -> Option<Watch> {
    let mut new = watch.clone();
    ui.label("Type");
    types::choose(ui, "chosen", "Type of the selected watch", &mut new.ty);
    if let Kind::Bytes { mut len } = new.ty.kind() {
        let label = ui.label("Bytes");
        ui.add(DragValue::new(&mut len).range(1..=256)).labelled_by(label.id);
        new.ty = ValueType::new(Kind::Bytes { len }, new.ty.order()).unwrap_or(new.ty);
    }
    ui.label("Format");
    let mut display = Some(new.display);
    format_list(ui, &mut display, "Format of the selected watch");
    new.display = display.unwrap_or(new.display);
    (new != *watch).then_some(new)
}

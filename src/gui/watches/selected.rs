//! Details of the selected line: actions, number format, history and pointer paths.

use super::cell::marked_name;
use super::cell::show_bytes;
use super::field::{NAME_HINT, draft};
use super::state::WatchesPanel;
use super::{paths, plot, types};
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::watch::{Display, Entry, Watch, WatchState};
use crate::research::{Kind, NumberFormat, Value, ValueType};
use eframe::egui::{Button, ComboBox, DragValue, ScrollArea, Ui};

#[derive(Debug, Clone)]
pub enum SelectedAction {
    Duplicate,
    Remove,
    Up,
    Down,
    Edit(Box<Entry>),
}

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
    let count = panel.shared.read(|list| list.entries().len());
    ui.horizontal_wrapped(|ui| {
        let buttons = [
            ("Duplicate", "Duplicate the line", true, SelectedAction::Duplicate),
            ("Remove", "Remove the line; can be undone", true, SelectedAction::Remove),
            ("Up", "Move the line up", line > 0, SelectedAction::Up),
            ("Down", "Move the line down", line + 1 < count, SelectedAction::Down),
        ];
        for (text, hint, enabled, does) in buttons {
            if ui.add_enabled(enabled, Button::new(text)).on_hover_text(hint).clicked() {
                act = Some(does);
            }
        }
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
    let known = FORMATS.iter().find(|(display, _)| *display == new.display).map(|(_, name)| *name);
    let text = match new.display {
        Display::Fixed { fraction_bits } => format!("Fixed point, {fraction_bits} bits"),
        Display::As(_) => known.unwrap_or_default().to_owned(),
    };
    ComboBox::from_id_salt("way of showing")
        .selected_text(text)
        .width(130.0)
        .show_ui(ui, |ui| {
            for (display, name) in FORMATS {
                ui.selectable_value(&mut new.display, display, name);
            }
        })
        .response
        .accessible_name("Format of the selected watch");
    (new != *watch).then_some(new)
}

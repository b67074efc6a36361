//! The chosen line: what can be done with it, how its value is shown, and what it held over time.

use super::field::{NAME_HINT, draft};
use super::table::show_bytes;
use super::{WatchesPanel, marked_name, paths, plot, types};
use crate::gui::scene::{Ask, Scene};
use crate::research::watch::{Display, Entry, Watch, WatchState};
use crate::research::{Kind, NumberFormat, Value, ValueType};
use eframe::egui::{Button, ComboBox, DragValue, ScrollArea, Ui};

/// What is asked for of the chosen line.
#[derive(Debug, Clone)]
pub enum ChosenAct {
    Duplicate,
    Remove,
    Up,
    Down,
    Edit(Box<Entry>),
}

/// Ways to show a value.
const WAYS: [(Display, &str); 6] = [
    (Display::As(NumberFormat::Decimal), "Decimal"),
    (Display::As(NumberFormat::Hexadecimal), "Hexadecimal"),
    (Display::As(NumberFormat::Binary), "Binary"),
    (Display::Fixed { fraction_bits: 4 }, "Fixed point, 4 bits"),
    (Display::Fixed { fraction_bits: 8 }, "Fixed point, 8 bits"),
    (Display::Fixed { fraction_bits: 16 }, "Fixed point, 16 bits"),
];

/// Height of the plot in points.
const PLOT_HEIGHT: f32 = 120.0;

/// A value of the plot as the watch shows it.
fn shown(watch: &Watch, value: f64) -> String {
    if watch.ty.kind().is_float() {
        return watch.show(&Value::Float(value));
    }
    #[expect(clippy::cast_possible_truncation, reason = "it was a whole number of 64 bits")]
    let value = value as i128;
    watch.show(&Value::Integer(value))
}

/// Draws it.
pub fn show(
    ui: &mut Ui,
    panel: &mut WatchesPanel,
    scene: &mut Scene<'_>,
    (line, entry, seen): (usize, &Entry, &WatchState),
) -> Option<ChosenAct> {
    let mut act = None;
    let count = panel.shared.read(|list| list.entries().len());
    ui.horizontal_wrapped(|ui| {
        let buttons = [
            ("Duplicate", "A second line of the same", true, ChosenAct::Duplicate),
            ("Remove", "Takes the line out; that can be undone", true, ChosenAct::Remove),
            ("Up", "Moves the line up", line > 0, ChosenAct::Up),
            ("Down", "Moves the line down", line + 1 < count, ChosenAct::Down),
        ];
        for (text, hint, enabled, does) in buttons {
            if ui.add_enabled(enabled, Button::new(text)).on_hover_text(hint).clicked() {
                act = Some(does);
            }
        }
        if let Entry::Watch(watch) = entry {
            ui.separator();
            show_bytes(ui, scene, watch);
            let draft = draft(scene, watch);
            let add = ui.add_enabled(draft.is_some(), Button::new("Add to profile…"));
            let add =
                add.on_hover_text(NAME_HINT).on_disabled_hover_text("It is not in the RAM of a known game");
            if let (true, Some(draft)) = (add.clicked(), draft) {
                scene.asked.push(Ask::AddField(Box::new(draft)));
            }
        }
    });
    let Entry::Watch(watch) = entry else { return act };
    ScrollArea::vertical().id_salt("chosen watch").auto_shrink([false, false]).show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            if let Some(watch) = ways(ui, watch) {
                act = Some(ChosenAct::Edit(Box::new(Entry::Watch(watch))));
            }
        });
        let name = marked_name(watch);
        if matches!(watch.ty.kind(), Kind::Bytes { .. }) {
            ui.weak("Bytes have no plot");
        } else {
            let what = (name.as_str(), seen, panel.shared.frame());
            plot::plot(ui, &scene.look, what, PLOT_HEIGHT, &|value| shown(watch, value));
        }
        paths::show(ui, &mut panel.paths, scene, watch);
    });
    act
}

/// Type and way of showing.
fn ways(ui: &mut Ui, watch: &Watch) -> Option<Watch> {
    let mut new = watch.clone();
    ui.label("Type");
    types::choose(ui, "chosen", "Type of the chosen watch", &mut new.ty);
    if let Kind::Bytes { mut len } = new.ty.kind() {
        let label = ui.label("Bytes");
        ui.add(DragValue::new(&mut len).range(1..=256)).labelled_by(label.id);
        new.ty = ValueType::new(Kind::Bytes { len }, new.ty.order()).unwrap_or(new.ty);
    }
    ui.label("shown as");
    let known = WAYS.iter().find(|(display, _)| *display == new.display).map(|(_, name)| *name);
    let text = match new.display {
        Display::Fixed { fraction_bits } => format!("Fixed point, {fraction_bits} bits"),
        Display::As(_) => known.unwrap_or_default().to_owned(),
    };
    ComboBox::from_id_salt("way of showing")
        .selected_text(text)
        .width(130.0)
        .show_ui(ui, |ui| {
            for (display, name) in WAYS {
                ui.selectable_value(&mut new.display, display, name);
            }
        })
        .response
        .accessible_name("Way of showing the chosen watch");
    (new != *watch).then_some(new)
}

//! Examples of seed document 003 with their values.

use super::state::State;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::card;
use crate::pochi::{Example, Ruleset, gallery};
use eframe::egui::{Button, RichText, Role, Ui, WidgetInfo};

pub fn show(ui: &mut Ui, cx: &UiContext<'_>, state: &mut State) {
    ui.weak(
        "Reconstructed from the document's text, because its drawings are missing. Undo restores your field.",
    );
    for example in gallery() {
        card(ui, cx.look.tokens, |ui| {
            ui.horizontal_wrapped(|ui| {
                let button = ui.add(Button::new(RichText::new(example.name).strong()));
                let label = format!("Open {}", example.name);
                button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
                if button.on_hover_text("Open it in the field").clicked() {
                    state.open_field(example.field(), Some(example.ignition()));
                }
                ui.label(format!("MVS {}, PS2 {}", example.mvs, example.ps2));
                ui.weak(stated(example));
            });
            ui.label(example.note);
        });
    }
}

/// Which values the document states.
fn stated(example: &Example) -> &'static str {
    match example.stated {
        [] => "both computed",
        [Ruleset::Mvs] => "MVS stated, PS2 computed",
        [Ruleset::Ps2] => "PS2 stated, MVS computed",
        _ => "both stated",
    }
}

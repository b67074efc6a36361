//! The examples of seed document 003: what it says of each, and a button that opens it.

use super::state::State;
use crate::gui::scene::Scene;
use crate::gui::widgets::card;
use crate::pochi::{Example, Ruleset, gallery};
use eframe::egui::{Button, RichText, Role, Ui, WidgetInfo};

/// Draws the list.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, state: &mut State) {
    ui.weak("Reconstructed from the text, as its drawings are not there. Undo brings back what was painted.");
    for example in gallery() {
        card(ui, scene.look.tokens, |ui| {
            ui.horizontal_wrapped(|ui| {
                let button = ui.add(Button::new(RichText::new(example.name).strong()));
                let label = format!("Open {}", example.name);
                button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
                if button.on_hover_text("Opens it in the field").clicked() {
                    state.open(example.field(), Some(example.ignition()));
                }
                ui.label(format!("MVS {}, PS2 {}", example.mvs, example.ps2));
                ui.weak(stated(example));
            });
            ui.label(example.note);
        });
    }
}

/// Which of the values the document itself states.
fn stated(example: &Example) -> &'static str {
    match example.stated {
        [] => "both by the rules",
        [Ruleset::Mvs] => "MVS stated, PS2 by the rules",
        [Ruleset::Ps2] => "PS2 stated, MVS by the rules",
        _ => "both stated",
    }
}

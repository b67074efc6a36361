//! The buttons beside the field.

use super::grid::{Tool, body};
use super::state::State;
use crate::gui::puyo::paint_puyo;
use crate::gui::scene::Scene;
use crate::gui::theme::Tone;
use crate::pochi::Color;
use eframe::egui::{Button, Role, Ui, WidgetInfo, pos2, vec2};

/// How wide the buttons are, in points.
pub const WIDTH: f32 = 64.0;
/// How high they are.
const HEIGHT: f32 = 22.0;

/// Draws them. `tool` is what the mouse does in the field.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, tool: &mut Tool, state: &mut State) {
    ui.spacing_mut().item_spacing.y = 3.0;
    for color in Color::ALL {
        let chosen = *tool == Tool::Block(color);
        let response = ui.add(Button::selectable(chosen, "").min_size(vec2(WIDTH, HEIGHT)));
        let name = format!("Paint {color}");
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, &name));
        let at = pos2(response.rect.center().x, response.rect.center().y);
        paint_puyo(ui.painter(), at, HEIGHT - 4.0, body(color), &scene.look, Tone::Live);
        let hint = format!("{name}: click or drag in the field, or press {} there", color.letter());
        if response.on_hover_text(hint).clicked() {
            *tool = Tool::Block(color);
        }
    }
    let tools = [
        (
            Tool::Empty,
            "Empty",
            "Empties cells; the right mouse button does so with any tool (Delete, Backspace or a dot)",
        ),
        (Tool::Needle, "Needle", "Puts the needle anywhere (N)"),
        (Tool::Ignite, "Ignite", "Names up to four blocks that ignite, instead of a needle (I)"),
    ];
    for (other, name, hint) in tools {
        let button = Button::selectable(*tool == other, name).min_size(vec2(WIDTH, HEIGHT));
        if ui.add(button).on_hover_text(hint).clicked() {
            *tool = other;
        }
    }
    ui.add_space(4.0);
    let (before, after) = state.ends();
    let button = |ui: &mut Ui, name: &str, enabled, hint: &str| {
        let button = Button::new(name).min_size(vec2(WIDTH, HEIGHT));
        ui.add_enabled(enabled, button).on_hover_text(hint).clicked()
    };
    if button(ui, "Undo", before, "Takes the last stroke back, as the Research menu does") {
        state.undo();
    }
    if button(ui, "Redo", after, "Makes it again, as the Research menu does") {
        state.redo();
    }
    let blocks = state.now().field.blocks() > 0;
    if button(ui, "Fall", blocks, "Blocks fall as far as they can (F)") {
        state.fall();
    }
    let clear = blocks || state.now().ignition.is_some();
    if button(ui, "Clear", clear, "An empty field of the game's size, without a needle (C)") {
        state.clear();
    }
}

//! The tool buttons beside the field.

use super::grid::{Tool, body};
use super::state::State;
use crate::gui::puyo::paint_puyo;
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use crate::pochi::Color;
use eframe::egui::{Button, Role, Ui, WidgetInfo, pos2, vec2};

/// Width of a button in points.
pub const WIDTH: f32 = 64.0;
/// Height of a button in points.
const HEIGHT: f32 = 22.0;

/// Draws the buttons. `tool` is the pointer tool.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, tool: &mut Tool, state: &mut State) {
    ui.spacing_mut().item_spacing.y = 3.0;
    for color in Color::ALL {
        let chosen = *tool == Tool::Block(color);
        let response = ui.add(Button::selectable(chosen, "").min_size(vec2(WIDTH, HEIGHT)));
        let name = format!("Paint {color}");
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, &name));
        let at = pos2(response.rect.center().x, response.rect.center().y);
        paint_puyo(ui.painter(), at, HEIGHT - 4.0, body(color), &cx.look, Tone::Live);
        let hint = format!("{name}: click or drag in the field, or press {}", color.letter());
        if response.on_hover_text(hint).clicked() {
            *tool = Tool::Block(color);
        }
    }
    let tools = [
        (
            Tool::Empty,
            "Erase",
            "Erase cells; the right mouse button erases with any tool (Delete, Backspace or dot)",
        ),
        (Tool::Needle, "Needle", "Place the needle (N)"),
        (Tool::Ignite, "Ignite", "Select up to four blocks to ignite, instead of a needle (I)"),
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
    if button(ui, "Undo", before, "Undo the last stroke") {
        state.undo();
    }
    if button(ui, "Redo", after, "Redo the stroke") {
        state.redo();
    }
    let blocks = state.now().field.blocks() > 0;
    if button(ui, "Fall", blocks, "Drop all blocks (F)") {
        state.fall();
    }
    let clear = blocks || state.now().ignition.is_some();
    if button(ui, "Clear", clear, "Clear the field (C)") {
        state.clear();
    }
}

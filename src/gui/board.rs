//! A board, drawn as the game draws it: rows from the floor up, a line under the two that are hidden.

use super::puyo::paint_puyo;
use super::theme::{Look, Tone};
use crate::game::puyo::Color;
use crate::puyo::{COLUMNS, Cell, Field, ROWS, to_rows};
use eframe::egui::{Rect, Response, Role, Sense, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};

/// Rows that are seen.
const SEEN: usize = 12;
/// The codes by which garbage and hard blocks are drawn (reference 1.4).
const OJAMA: Color = Color(6);
const HARD: Color = Color(7);

#[expect(clippy::cast_precision_loss, reason = "a column or a row")]
fn points(cells: usize, diameter: f32) -> f32 {
    cells as f32 * diameter
}

/// The space that a board takes whose puyos have this diameter, in points.
#[must_use]
pub fn board_size(diameter: f32) -> Vec2 {
    vec2(points(COLUMNS, diameter), points(ROWS, diameter))
}

/// A board in words, for screen readers and tooltips: its rows, the top one first.
#[must_use]
pub fn describe(field: &Field) -> String {
    if field.is_empty() { "empty".into() } else { to_rows(field).join(" ") }
}

/// A board as a widget. `what` comes before the description: "player 1, board".
pub fn board(ui: &mut Ui, field: &Field, diameter: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(board_size(diameter), Sense::hover());
    if ui.is_rect_visible(rect) {
        paint_board(ui, rect, field, diameter, look, tone);
    }
    let old = if tone == Tone::Grey { "old, " } else { "" };
    let label = format!("{old}{what}: {}", describe(field));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_ui(|ui| {
        ui.label(format!("{old}{what}"));
        for row in to_rows(field) {
            ui.monospace(row);
        }
    })
}

fn paint_board(ui: &Ui, rect: Rect, field: &Field, diameter: f32, look: &Look, tone: Tone) {
    let painter = ui.painter();
    painter.rect_filled(rect, 2.0, look.tokens.panel);
    painter.rect_stroke(rect, 2.0, (1.0, look.tokens.line), StrokeKind::Outside);
    let hidden = rect.bottom() - points(SEEN, diameter);
    painter.hline(rect.x_range(), hidden, (1.0, look.tokens.line));
    for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
        let color = match field.get(column, row) {
            Cell::Empty => continue,
            Cell::Ojama => OJAMA,
            Cell::Hard => HARD,
            Cell::Puyo(color) => color,
        };
        let left_bottom = rect.left_bottom() + vec2(points(column, diameter), -points(row, diameter));
        let center = pos2(left_bottom.x + diameter / 2.0, left_bottom.y - diameter / 2.0);
        paint_puyo(painter, center, diameter, color, look, tone);
    }
}

//! A board of any size: cells with a colour, drawn as discs where they belong to the board and as squares where they fell.

use super::puyo::paint_puyo;
use super::theme::{Look, Tone};
use crate::live::Grid;
use eframe::egui::{
    Align2, FontId, Painter, Rect, Response, Role, Sense, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use nextscope_boards::Color;

#[expect(clippy::cast_precision_loss, reason = "a number of cells")]
fn points(cells: usize, diameter: f32) -> f32 {
    cells as f32 * diameter
}

/// A board as a widget, with its caption above it. `what` precedes the description.
pub fn grid(ui: &mut Ui, grid: &Grid, diameter: f32, what: &str, look: &Look, tone: Tone) -> Response {
    ui.vertical(|ui| {
        ui.weak(&grid.caption);
        let size = vec2(points(grid.columns, diameter), points(grid.row_count(), diameter));
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let what = format!("{}{what}, {}", tone.label_prefix(), grid.caption);
        let label = format!("{what}: {}", grid.rows().join(" "));
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
        if ui.is_rect_visible(rect) {
            paint(ui.painter(), rect, grid, diameter, look, tone);
        }
        response.on_hover_ui(|ui| {
            ui.label(what);
            for row in grid.rows() {
                ui.monospace(row);
            }
        })
    })
    .inner
}

fn paint(painter: &Painter, rect: Rect, grid: &Grid, diameter: f32, look: &Look, tone: Tone) {
    painter.rect_filled(rect, 2.0, look.tokens.panel);
    painter.rect_stroke(rect, 2.0, (1.0, look.tokens.line), StrokeKind::Outside);
    for (at, item) in grid.cells.iter().enumerate() {
        let Some(item) = item else { continue };
        let (column, row) = (at % grid.columns, at / grid.columns);
        let center = pos2(rect.left() + points(column, diameter), rect.top() + points(row, diameter))
            + Vec2::splat(diameter / 2.0);
        if item.fixed {
            paint_puyo(painter, center, diameter, item.color, look, tone);
        } else {
            paint_square(
                painter,
                Rect::from_center_size(center, Vec2::splat(diameter - 1.5)),
                item.color,
                look,
                tone,
            );
        }
    }
}

fn paint_square(painter: &Painter, rect: Rect, color: Color, look: &Look, tone: Tone) {
    let body = look.puyo(color, tone);
    painter.rect(rect, 2.0, body, look.outline(body), StrokeKind::Inside);
    if look.letters {
        let font = FontId::proportional(rect.height() * 0.7);
        let letter = color.letter().to_ascii_lowercase();
        painter.text(rect.center(), Align2::CENTER_CENTER, letter, font, Look::ink_on(body));
    }
}

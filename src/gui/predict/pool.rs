//! A full pool as a strip of pairs, with the players' positions in it.

use crate::gui::puyo;
use crate::gui::theme::{Look, Tone};
use crate::gui::ui_context::UiContext;
use eframe::egui::{self, Align2, FontId, Pos2, Rect, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};
use nextscope_boards::{Pair, PoolId};

/// Pool pairs per row.
const COLUMNS: usize = 16;
/// Pool rows.
const ROWS: usize = 8;
/// Size of a pool cell, and width of the row number, in points.
const CELL: Vec2 = vec2(22.0, 31.0);
const MARGIN: f32 = 30.0;
#[expect(clippy::cast_precision_loss, reason = "16")]
fn columns() -> f32 {
    COLUMNS as f32
}

/// The width of a strip of this scale.
pub fn width(scale: f32) -> f32 {
    MARGIN + CELL.x * scale * columns()
}

/// All 128 pairs in 8 rows of 16, with a marker at each player's position.
pub fn strip(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (pool, pairs): (PoolId, &[Pair]),
    here: &[(&str, Option<usize>)],
    scale: f32,
    tone: Tone,
) {
    let cell_size = CELL * scale;
    let pair = |number: usize| pairs.get(number).copied().unwrap_or(Pair::from_bytes(0xFF, 0xFF));
    let look = cx.look;
    let size = vec2(MARGIN + cell_size.x * columns(), cell_size.y);
    let spacing = ui.spacing().item_spacing;
    ui.spacing_mut().item_spacing.y = 0.0;
    for row in 0..ROWS {
        let first = row * COLUMNS;
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| {
            let letters: Vec<String> =
                (first..first + COLUMNS).map(|number| pair(number).letters()).collect();
            let label = format!("{pool}, pairs {} to {}: {}", first + 1, first + COLUMNS, letters.join(" "));
            WidgetInfo::labeled(Role::Image, true, &label)
        });
        let cell_rect = |column: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a column number")]
            let x = rect.left() + MARGIN + column as f32 * cell_size.x;
            Rect::from_min_size(pos2(x, rect.top()), cell_size)
        };
        if ui.is_rect_visible(rect) {
            let painter = ui.painter();
            let label = (first + 1).to_string();
            let at = pos2(rect.left() + MARGIN - 8.0, rect.center().y);
            painter.text(at, Align2::RIGHT_CENTER, label, FontId::proportional(11.0), look.tokens.muted);
            for column in 0..COLUMNS {
                puyo::paint_pair(painter, cell_rect(column).shrink(1.5), pair(first + column), &look, tone);
            }
        }
        for (player, (title, at)) in here.iter().enumerate() {
            if let Some(at) = at.filter(|at| at / COLUMNS == row) {
                let label = format!("{title} is at position {} of 128 in the {pool}", at + 1);
                mark(ui, cx, cell_rect(at % COLUMNS), player, &label);
            }
        }
        if let Some(pointer) = response.hover_pos()
            && let Some(column) = (0..COLUMNS).find(|column| cell_rect(*column).contains(pointer))
        {
            let number = first + column;
            let at = here.iter().filter(|(_, at)| *at == Some(number));
            let at: Vec<String> =
                at.map(|(title, _)| format!(", {} is here", title.to_lowercase())).collect();
            let text = format!(
                "{pool}, position {} of 128: {}{}",
                number + 1,
                puyo::describe(pair(number)),
                at.concat()
            );
            response.on_hover_text_at_pointer(text);
        }
    }
    ui.spacing_mut().item_spacing = spacing;
}

/// A marker around a player's position, with the player's number.
fn mark(ui: &Ui, cx: &UiContext<'_>, cell: Rect, player: usize, label: &str) {
    let color = cx.look.tokens.players[player % 2];
    let painter = ui.painter();
    let frame = cell.shrink(if player == 0 { 0.0 } else { 1.5 });
    painter.rect_stroke(frame, 3.0, (2.0, color), egui::StrokeKind::Inside);
    let corner: Pos2 = if player == 0 { cell.left_top() } else { cell.right_top() };
    painter.circle_filled(corner, 6.5, color);
    let ink = Look::ink_on(color);
    painter.text(corner, Align2::CENTER_CENTER, (player + 1).to_string(), FontId::proportional(10.0), ink);
    let id = ui.scope_id().with(("position", player));
    let response = ui.interact(Rect::from_center_size(corner, vec2(10.0, 10.0)), id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, label));
}

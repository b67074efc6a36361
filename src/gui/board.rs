//! A Puyo board: rows from the floor up, a line below the hidden rows, a cross at the losing cell, with optional highlights.

use super::puyo::{paint_ghost, paint_puyo};
use super::theme::{Look, Tone, faded};
use crate::puyo::reference::CellPosition;
use crate::puyo::{COLUMNS, Cell, Field, ROWS, to_rows};
use eframe::egui::{
    Painter, Pos2, Rect, Response, Role, Sense, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use nextscope_boards::Color;

/// Visible rows.
const VISIBLE_ROWS: usize = 12;
/// The losing cell: a pair cannot appear if it is occupied. Column and row (reference 1.5).
const LOSING_CELL: CellPosition = (2, 11);
/// Color codes of garbage and hard blocks (reference 1.4).
const OJAMA: Color = Color(6);
const HARD: Color = Color(7);

/// A board with highlights.
#[derive(Debug, Clone, Copy)]
pub struct BoardView<'a> {
    pub field: &'a Field,
    pub rows: usize,
    /// Cells with a ring: the placed pair.
    pub placed: &'a [CellPosition],
    /// Cells with a frame: popping groups.
    pub popping: &'a [CellPosition],
    /// Planned puyos.
    pub ghosts: &'a [(CellPosition, Color)],
}

impl<'a> BoardView<'a> {
    /// A board without highlights.
    pub fn of(field: &'a Field, rows: usize) -> Self {
        Self { field, rows, placed: &[], popping: &[], ghosts: &[] }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a column or a row")]
fn points(cells: usize, diameter: f32) -> f32 {
    cells as f32 * diameter
}

/// The size of a board with this number of rows and puyo diameter, in points.
pub fn size(rows: usize, diameter: f32) -> Vec2 {
    vec2(points(COLUMNS, diameter), points(rows, diameter))
}

pub fn board_size(diameter: f32) -> Vec2 {
    size(ROWS, diameter)
}

/// A board as text, for screen readers and tooltips: its rows from the top.
pub fn describe(field: &Field) -> String {
    if field.is_empty() { "empty".into() } else { to_rows(field).join(" ") }
}

/// A board as a widget. `what` precedes the description: "player 1, board".
pub fn board(ui: &mut Ui, field: &Field, diameter: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let prefix = tone.label_prefix();
    let what = format!("{prefix}{what}");
    let response =
        highlighted(ui, &BoardView::of(field, ROWS), diameter, &what, look, (tone, Sense::hover()));
    response.on_hover_ui(|ui| {
        ui.label(what);
        for row in to_rows(field) {
            ui.monospace(row);
        }
    })
}

/// A board with highlights, without a tooltip.
pub fn highlighted(
    ui: &mut Ui,
    view: &BoardView<'_>,
    diameter: f32,
    what: &str,
    look: &Look,
    (tone, sense): (Tone, Sense),
) -> Response {
    let (rect, response) = ui.allocate_exact_size(size(view.rows, diameter), sense);
    let label = format!("{what}: {}", describe(view.field));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    if ui.is_rect_visible(rect) {
        paint(ui.painter(), rect, view, diameter, look, tone);
    }
    response
}

fn center(rect: Rect, diameter: f32, (column, row): CellPosition) -> Pos2 {
    let (x, y) = (points(column, diameter), points(row, diameter));
    pos2(rect.left() + x + diameter / 2.0, rect.bottom() - y - diameter / 2.0)
}

fn paint(painter: &Painter, rect: Rect, view: &BoardView<'_>, diameter: f32, look: &Look, tone: Tone) {
    let tokens = look.tokens;
    let hidden = rect.bottom() - points(VISIBLE_ROWS, diameter);
    painter.rect_filled(rect, 2.0, tokens.card);
    painter.rect_filled(rect.with_max_y(hidden), 2.0, tokens.panel);
    painter.rect_stroke(rect, 2.0, (1.0, tokens.line), StrokeKind::Outside);
    painter.hline(rect.x_range(), hidden, (1.0, tokens.line));
    let cross = center(rect, diameter, LOSING_CELL);
    let arm = diameter * 0.26;
    for side in [vec2(arm, arm), vec2(arm, -arm)] {
        painter.line_segment([cross - side, cross + side], (diameter * 0.1, faded(tokens.bad, 0.55)));
    }
    for at in (0..COLUMNS).flat_map(|column| (0..view.rows).map(move |row| (column, row))) {
        let color = match view.field.get(at.0, at.1) {
            Cell::Empty => continue,
            Cell::Ojama => OJAMA,
            Cell::Hard => HARD,
            Cell::Puyo(color) => color,
        };
        paint_puyo(painter, center(rect, diameter, at), diameter, color, look, tone);
    }
    for at in view.popping {
        let cell = Rect::from_center_size(center(rect, diameter, *at), Vec2::splat(diameter - 1.0));
        painter.rect_stroke(cell, 4.0, (2.0, tokens.caution), StrokeKind::Inside);
    }
    for at in view.placed {
        painter.circle_stroke(center(rect, diameter, *at), diameter / 2.0 - 1.0, (2.5, tokens.accent));
    }
    for (at, color) in view.ghosts {
        paint_ghost(painter, center(rect, diameter, *at), diameter, *color, look);
    }
}

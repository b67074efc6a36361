//! A board, with what is to be looked at on it.

use crate::game::puyo::Color;
use crate::gui::puyo::{paint_ghost, paint_puyo};
use crate::gui::theme::{Look, Tone, faded};
use crate::puyo::plain::At;
use crate::puyo::{COLUMNS, Cell, Field, to_rows};
use eframe::egui::{
    Painter, Pos2, Rect, Response, Role, Sense, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// Rows that are seen.
const SEEN: usize = 12;
/// Where a player must not be stopped: column and row of the cell in which pairs appear.
const LOSES: At = (2, 11);
/// Space round the cells, in points.
const EDGE: f32 = 4.0;

/// What is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The board.
    pub field: &'a Field,
    /// Rows, 13 or 14.
    pub rows: usize,
    /// Cells with a ring: the pair that was put down.
    pub placed: &'a [At],
    /// Cells with a frame: the groups that pop.
    pub popping: &'a [At],
    /// Puyos that are not there yet.
    pub ghosts: &'a [(At, Color)],
}

impl<'a> Drawn<'a> {
    /// A board and nothing else.
    #[must_use]
    pub fn of(field: &'a Field, rows: usize) -> Self {
        Self { field, rows, placed: &[], popping: &[], ghosts: &[] }
    }
}

/// The colour by which a cell is drawn; None for an empty one.
fn color(cell: Cell) -> Option<Color> {
    match cell {
        Cell::Empty => None,
        Cell::Ojama => Some(Color(6)),
        Cell::Hard => Some(Color(7)),
        Cell::Puyo(color) => Some(color),
    }
}

/// The space that a board takes whose puyos have this diameter, in points.
#[must_use]
pub fn size(rows: usize, diameter: f32) -> Vec2 {
    #[expect(clippy::cast_precision_loss, reason = "6 and 14")]
    let cells = vec2(COLUMNS as f32, rows as f32);
    cells * diameter + Vec2::splat(2.0 * EDGE)
}

/// A board as a widget. The label is `what`, and the rows from the top, each as letters.
pub fn show(
    ui: &mut Ui,
    drawn: &Drawn<'_>,
    diameter: f32,
    what: &str,
    look: &Look,
    (tone, sense): (Tone, Sense),
) -> Response {
    let (rect, response) = ui.allocate_exact_size(size(drawn.rows, diameter), sense);
    let label = format!("{what}: {}", to_rows(drawn.field).join("/"));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    if ui.is_rect_visible(rect) {
        paint(ui.painter(), rect, drawn, diameter, look, tone);
    }
    response
}

fn center(rect: Rect, diameter: f32, (column, row): At) -> Pos2 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
    pos2(rect.left() + EDGE + x * diameter, rect.bottom() - EDGE - y * diameter)
}

fn paint(painter: &Painter, rect: Rect, drawn: &Drawn<'_>, diameter: f32, look: &Look, tone: Tone) {
    let tokens = look.tokens;
    painter.rect(rect, 5.0, tokens.card, (1.0, tokens.line), StrokeKind::Inside);
    // The hidden rows stand above a line.
    let line = center(rect, diameter, (0, SEEN)).y + diameter / 2.0;
    let hidden = Rect::from_min_max(rect.min, pos2(rect.right(), line)).shrink2(vec2(1.0, 1.0));
    painter.rect_filled(hidden, 4.0, tokens.panel);
    painter.hline(rect.x_range().shrink(1.0), line, (1.0, tokens.line));
    let cross = center(rect, diameter, LOSES);
    let arm = diameter * 0.26;
    for side in [vec2(arm, arm), vec2(arm, -arm)] {
        painter.line_segment([cross - side, cross + side], (2.0, faded(tokens.bad, 0.55)));
    }
    for column in 0..COLUMNS {
        for row in 0..drawn.rows {
            let Some(color) = color(drawn.field.get(column, row)) else { continue };
            paint_puyo(painter, center(rect, diameter, (column, row)), diameter, color, look, tone);
        }
    }
    for at in drawn.popping {
        let cell = Rect::from_center_size(center(rect, diameter, *at), Vec2::splat(diameter - 1.0));
        painter.rect_stroke(cell, 4.0, (2.0, tokens.caution), StrokeKind::Inside);
    }
    for at in drawn.placed {
        painter.circle_stroke(center(rect, diameter, *at), diameter / 2.0 - 1.0, (2.5, tokens.accent));
    }
    for (at, color) in drawn.ghosts {
        paint_ghost(painter, center(rect, diameter, *at), diameter, *color, look);
    }
}

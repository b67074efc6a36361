//! Single pieces: four squares and a letter.

use super::theme::{Look, Tone};
use crate::game::piece::Piece;
use eframe::egui::{
    Align2, FontId, Painter, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, epaint, pos2, vec2,
};

/// The squares of a piece, as (column, row) of a box of 4 by 2. J, L and T come with their tip down on the NES and on many other
/// machines; they are drawn tip up, as they are drawn where pieces are written about.
const fn squares(piece: Piece) -> [(u8, u8); 4] {
    match piece {
        Piece::I => [(0, 0), (1, 0), (2, 0), (3, 0)],
        Piece::J => [(0, 0), (0, 1), (1, 1), (2, 1)],
        Piece::L => [(2, 0), (0, 1), (1, 1), (2, 1)],
        Piece::O => [(0, 0), (1, 0), (0, 1), (1, 1)],
        Piece::S => [(1, 0), (2, 0), (0, 1), (1, 1)],
        Piece::T => [(1, 0), (0, 1), (1, 1), (2, 1)],
        Piece::Z => [(0, 0), (1, 0), (1, 1), (2, 1)],
    }
}

/// Columns and rows that a piece takes.
fn extent(piece: Piece) -> Vec2 {
    match piece {
        Piece::I => vec2(4.0, 1.0),
        Piece::O => vec2(2.0, 2.0),
        _ => vec2(3.0, 2.0),
    }
}

/// The space for any piece whose squares have this side, in points: a letter has its place below it.
#[must_use]
pub fn piece_size(side: f32) -> Vec2 {
    vec2(4.0 * side, 3.4 * side)
}

/// A piece as a widget. `what` comes before its name: "player 1, next".
pub fn piece(ui: &mut Ui, piece: Piece, side: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(piece_size(side), Sense::hover());
    if ui.is_rect_visible(rect) {
        paint(ui.painter(), rect, piece, side, look, tone);
    }
    let old = if tone == Tone::Grey { "old, " } else { "" };
    let label = format!("{old}{what}: piece {piece}");
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

/// Draws a piece and its letter into `rect`.
pub fn paint(painter: &Painter, rect: Rect, piece: Piece, side: f32, look: &Look, tone: Tone) {
    let body = look.piece(piece, tone);
    let size = extent(piece) * side;
    let middle = pos2(rect.center().x, rect.top() + side);
    let corner = middle - size / 2.0;
    for (column, row) in squares(piece) {
        let at = corner + vec2(f32::from(column), f32::from(row)) * side;
        let square = Rect::from_min_size(at, Vec2::splat(side)).shrink(0.5);
        painter.rect(square, side * 0.12, body, look.outline(body), epaint::StrokeKind::Inside);
    }
    if look.letters {
        let at = pos2(rect.center().x, rect.bottom() - side * 0.6);
        painter.text(
            at,
            Align2::CENTER_CENTER,
            piece.letter(),
            FontId::proportional(side * 1.1),
            look.tokens.text,
        );
    }
}

/// A piece in little: its letter on its colour. `what` is the whole label.
pub fn chip(ui: &mut Ui, piece: Piece, side: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    if ui.is_rect_visible(rect) {
        let body = look.piece(piece, tone);
        ui.painter().rect(rect, side * 0.2, body, look.outline(body), epaint::StrokeKind::Inside);
        let font = FontId::proportional(side * 0.8);
        // Without its letter a chip would be told by its colour alone.
        ui.painter().text(rect.center(), Align2::CENTER_CENTER, piece.letter(), font, Look::ink_on(body));
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, what));
    response.on_hover_text(what)
}

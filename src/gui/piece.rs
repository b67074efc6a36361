//! Tetris pieces: four squares and a letter.

use super::theme::{Look, Tone};
use crate::games::piece::Piece;
use eframe::egui::{
    Align, Align2, FontId, Layout, Painter, Rect, Response, RichText, Role, Sense, Ui, Vec2, WidgetInfo,
    epaint, pos2, vec2,
};

/// The squares of a piece as (column, row) in a box of 4 by 2. J, L and T are drawn tip up, the usual notation, although
/// the NES and other games deal them tip down.
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

fn extent(piece: Piece) -> Vec2 {
    match piece {
        Piece::I => vec2(4.0, 1.0),
        Piece::O => vec2(2.0, 2.0),
        _ => vec2(3.0, 2.0),
    }
}

/// The size of any piece with squares of this side, in points, including the letter below.
pub fn piece_size(side: f32) -> Vec2 {
    vec2(4.0 * side, 3.4 * side)
}

/// A piece as a widget. `what` precedes its name: "player 1, next".
pub fn piece(ui: &mut Ui, piece: Piece, side: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(piece_size(side), Sense::hover());
    if ui.is_rect_visible(rect) {
        paint(ui.painter(), rect, piece, side, look, tone);
    }
    let prefix = tone.label_prefix();
    let label = format!("{prefix}{what}: piece {piece}");
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

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

/// A button that enters a piece; None is unknown.
pub fn button(ui: &mut Ui, entered: Option<Piece>, side: f32, look: &Look) -> Response {
    let size = piece_size(side) + Vec2::splat(4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let label =
        entered.map_or_else(|| "Enter unknown piece (?)".into(), |piece| format!("Enter piece {piece}"));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &label));
    if response.hovered() || response.has_focus() {
        ui.painter().rect_stroke(rect, 4.0, (2.0, look.tokens.accent), epaint::StrokeKind::Inside);
    }
    match entered {
        Some(entered) => {
            let inner = Rect::from_center_size(rect.center(), piece_size(side));
            paint(ui.painter(), inner, entered, side, look, Tone::Live);
        }
        None => {
            let font = FontId::proportional(2.0 * side);
            ui.painter().text(rect.center(), Align2::CENTER_CENTER, "?", font, look.tokens.muted);
        }
    }
    response.on_hover_text(label)
}

/// A small piece: its letter on its colour. `what` is the complete label.
pub fn chip(ui: &mut Ui, piece: Piece, side: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    if ui.is_rect_visible(rect) {
        paint_chip(ui.painter(), rect, piece, look, tone);
    }
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, what));
    response.on_hover_text(what)
}

pub fn paint_chip(painter: &Painter, rect: Rect, piece: Piece, look: &Look, tone: Tone) {
    let (side, body) = (rect.width(), look.piece(piece, tone));
    painter.rect(rect, side * 0.2, body, look.outline(body), epaint::StrokeKind::Inside);
    let font = FontId::proportional(side * 0.8);
    // The letter is always drawn: a chip has no shape.
    painter.text(rect.center(), Align2::CENTER_CENTER, piece.letter(), font, Look::ink_on(body));
}

/// A probability: "12.5 %".
pub fn percent(chance: f32) -> String {
    format!("{:.1} %", 100.0 * chance)
}

/// The probability of each piece in the order of `Piece::ALL`: piece, bar, percentage. `what` makes the label.
pub fn chances(
    ui: &mut Ui,
    each: [f32; 7],
    side: f32,
    what: impl Fn(Piece, &str) -> String,
    look: &Look,
    tone: Tone,
) {
    let most = each.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    let space = vec2(piece_size(side).x + 16.0, piece_size(side).y + 28.0);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(8.0, 6.0);
        for (coming, chance) in Piece::ALL.into_iter().zip(each) {
            ui.allocate_ui_with_layout(space, Layout::top_down(Align::Center), |ui| {
                ui.set_width(space.x);
                ui.spacing_mut().item_spacing.y = 2.0;
                let text = percent(chance);
                piece(ui, coming, side, &what(coming, &text), look, tone);
                let (bar, _) = ui.allocate_exact_size(vec2(space.x - 4.0, 5.0), Sense::hover());
                ui.painter().rect_filled(bar, 2.0, look.tokens.line);
                let filled = Rect::from_min_size(bar.min, vec2(bar.width() * chance / most, bar.height()));
                ui.painter().rect_filled(filled, 2.0, look.tokens.accent);
                ui.label(RichText::new(text).small());
            });
        }
    });
}

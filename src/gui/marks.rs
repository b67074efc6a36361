//! Icons before a word, so that colour alone carries no meaning. They are painted, because fonts differ in their symbols.

use eframe::egui::{Align2, Color32, FontId, Painter, Rect, Response, Sense, Shape, Stroke, Ui, Vec2, vec2};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Verified.
    Tick,
    /// Mismatch or error.
    Cross,
    /// Unknown, or a question to the user.
    Question,
    /// Nothing there.
    Ring,
    /// Live.
    Disc,
    /// Paused.
    Bars,
    /// Attention.
    Warning,
    /// Ready to start.
    Play,
}

/// Side of an icon in points.
const SIDE: f32 = 14.0;

/// Draws an icon at text height. Screen readers skip it, because the word after it has the same meaning.
pub fn mark(ui: &mut Ui, mark: Mark, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(SIDE), Sense::hover());
    paint(ui.painter(), rect, mark, color);
    response
}

pub fn paint(painter: &Painter, rect: Rect, mark: Mark, color: Color32) {
    let center = rect.center();
    let unit = rect.width() / SIDE;
    let at = |x: f32, y: f32| center + vec2(x, y) * unit;
    let stroke = Stroke::new(2.0 * unit, color);
    match mark {
        Mark::Tick => {
            painter.line(vec![at(-4.5, 0.5), at(-1.5, 3.5), at(4.5, -3.5)], stroke);
        }
        Mark::Cross => {
            painter.line_segment([at(-3.8, -3.8), at(3.8, 3.8)], stroke);
            painter.line_segment([at(-3.8, 3.8), at(3.8, -3.8)], stroke);
        }
        Mark::Question => {
            painter.circle_stroke(center, 5.6 * unit, Stroke::new(1.3 * unit, color));
            painter.text(center, Align2::CENTER_CENTER, "?", FontId::proportional(10.0 * unit), color);
        }
        Mark::Ring => {
            painter.circle_stroke(center, 4.0 * unit, Stroke::new(1.5 * unit, color));
        }
        Mark::Disc => {
            painter.circle_filled(center, 4.6 * unit, color);
        }
        Mark::Bars => {
            painter.line_segment([at(-2.5, -4.5), at(-2.5, 4.5)], Stroke::new(2.6 * unit, color));
            painter.line_segment([at(2.5, -4.5), at(2.5, 4.5)], Stroke::new(2.6 * unit, color));
        }
        Mark::Warning => {
            let corners = vec![at(0.0, -5.5), at(6.0, 5.0), at(-6.0, 5.0)];
            painter.add(Shape::closed_line(corners, Stroke::new(1.4 * unit, color)));
            painter.line_segment([at(0.0, -2.0), at(0.0, 1.5)], Stroke::new(1.5 * unit, color));
            painter.circle_filled(at(0.0, 3.3), unit, color);
        }
        Mark::Play => {
            painter.add(Shape::convex_polygon(
                vec![at(-3.5, -4.8), at(5.0, 0.0), at(-3.5, 4.8)],
                color,
                Stroke::NONE,
            ));
        }
    }
}

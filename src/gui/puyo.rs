//! Puyos and pairs, drawn as the game draws them: the axis below, the child above.

use super::theme::{INK_LIGHT, Look, Tone, faded};
use eframe::egui::{
    Align2, FontId, Painter, Pos2, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, epaint, pos2, vec2,
};
use nextscope_boards::{Color, Pair};

/// Diameter in points from which a puyo has eyes beside its letter.
const EYES_FROM: f32 = 25.0;

/// A pair as text, for screen readers and tooltips.
pub fn describe(pair: Pair) -> String {
    format!("axis {}, child {}", pair.axis.name(), pair.child.name())
}

/// The size of a pair whose puyos have this diameter, in points.
pub fn pair_size(diameter: f32) -> Vec2 {
    vec2(diameter, 2.0 * diameter)
}

/// Draws a pair as a widget.
type DrawPair = fn(&mut Ui, Pair, f32, &str, &Look, Tone) -> Response;

/// Draws pairs as the game shows the next one: horizontal or vertical.
pub fn drawn_pair(lying: bool) -> DrawPair {
    if lying { lying_pair } else { pair }
}

/// A pair as a widget. `what` precedes the description: "player 1, next".
pub fn pair(ui: &mut Ui, pair: Pair, diameter: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(pair_size(diameter), Sense::hover());
    if ui.is_rect_visible(rect) {
        paint_pair(ui.painter(), rect, pair, look, tone);
    }
    let prefix = tone.label_prefix();
    let label = format!("{prefix}{what}: {}", describe(pair));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

/// A pair that lies, as a widget: the axis on the left, the child on the right.
pub fn lying_pair(ui: &mut Ui, pair: Pair, diameter: f32, what: &str, look: &Look, tone: Tone) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(2.0 * diameter, diameter), Sense::hover());
    if ui.is_rect_visible(rect) {
        for (color, side) in [(pair.axis, -0.5), (pair.child, 0.5)] {
            paint_puyo(ui.painter(), rect.center() + vec2(side * diameter, 0.0), diameter, color, look, tone);
        }
    }
    let label =
        format!("{}{what}: left {}, right {}", tone.label_prefix(), pair.axis.name(), pair.child.name());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

/// Draws a pair as large as fits into `rect`.
pub fn paint_pair(painter: &Painter, rect: Rect, pair: Pair, look: &Look, tone: Tone) {
    let diameter = rect.width().min(rect.height() / 2.0);
    let x = rect.center().x;
    let axis = pos2(x, rect.center().y + diameter / 2.0);
    let child = pos2(x, rect.center().y - diameter / 2.0);
    paint_puyo(painter, child, diameter, pair.child, look, tone);
    paint_puyo(painter, axis, diameter, pair.axis, look, tone);
}

pub fn paint_puyo(painter: &Painter, center: Pos2, diameter: f32, color: Color, look: &Look, tone: Tone) {
    let radius = diameter / 2.0 - 0.75;
    let body = look.puyo(color, tone);
    let outline = look.outline(body);
    let ink = Look::ink_on(body);
    if color.0 == 7 {
        let square = Rect::from_center_size(center, Vec2::splat(radius * 1.8));
        painter.rect(square, 2.0, body, outline, epaint::StrokeKind::Inside);
    } else {
        // Discs without an outline come from the font texture, two triangles each; an outlined circle takes about a hundred,
        // and the window shows seven hundred puyos.
        painter.circle_filled(center, radius, outline.color);
        painter.circle_filled(center, radius - outline.width, body);
    }
    let eyes = diameter >= EYES_FROM || !look.letters;
    if eyes {
        painter.circle_filled(center + vec2(-0.42, -0.52) * radius, radius * 0.16, Look::shine(body));
        let height = if look.letters { -0.30 } else { -0.05 };
        for side in [-0.34, 0.34] {
            let eye = center + vec2(side, height) * radius;
            painter.circle_filled(eye, radius * 0.25, outline.color);
            painter.circle_filled(eye, radius * 0.21, INK_LIGHT);
            let pupil = eye + vec2(-side * 0.2, 0.05) * radius;
            painter.circle_filled(pupil, radius * 0.11, super::theme::INK_DARK);
        }
    }
    if look.letters {
        let (size, below) = if eyes { (diameter * 0.42, 0.42) } else { (diameter * 0.72, 0.0) };
        let at = center + vec2(0.0, below * radius);
        painter.text(at, Align2::CENTER_CENTER, color.letter(), FontId::proportional(size), ink);
    }
}

/// A button that enters a colour; None is unknown.
pub fn button(ui: &mut Ui, color: Option<Color>, diameter: f32, look: &Look) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(diameter + 2.0), Sense::click());
    let letter = color.map_or('?', Color::letter);
    let label = format!("Enter {} ({letter})", color.map_or("unknown colour", Color::name));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &label));
    if response.hovered() || response.has_focus() {
        let stroke = (2.0, look.tokens.accent);
        ui.painter().rect_stroke(rect, diameter / 2.0, stroke, epaint::StrokeKind::Outside);
    }
    paint_pattern(ui.painter(), rect.center(), diameter, color, look);
    response.on_hover_text(label)
}

/// Draws a puyo of a search pattern; None is unknown and drawn as a ring.
pub fn paint_pattern(painter: &Painter, center: Pos2, diameter: f32, color: Option<Color>, look: &Look) {
    if let Some(color) = color {
        paint_puyo(painter, center, diameter, color, look, Tone::Live);
        return;
    }
    painter.circle_stroke(center, diameter / 2.0 - 1.5, (1.5, look.tokens.muted));
    let font = FontId::proportional(diameter * 0.6);
    painter.text(center, Align2::CENTER_CENTER, "?", font, look.tokens.muted);
}

/// Draws a pair of a search pattern, whose puyos may be unknown.
pub fn paint_pattern_pair(
    painter: &Painter,
    rect: Rect,
    axis: Option<Color>,
    child: Option<Color>,
    look: &Look,
) {
    let diameter = rect.width().min(rect.height() / 2.0);
    let up = vec2(0.0, diameter / 2.0);
    paint_pattern(painter, rect.center() - up, diameter, child, look);
    paint_pattern(painter, rect.center() + up, diameter, axis, look);
}

/// Draws the outline of a puyo that will be placed here.
pub fn paint_ghost(painter: &Painter, center: Pos2, diameter: f32, color: Color, look: &Look) {
    let body = look.puyo(color, Tone::Live);
    let radius = diameter / 2.0 - 2.0;
    painter.circle_filled(center, radius, faded(body, 0.22));
    painter.circle_stroke(center, radius, (2.5, body));
    let font = FontId::proportional(diameter * 0.6);
    painter.text(center, Align2::CENTER_CENTER, color.letter(), font, look.tokens.text);
}

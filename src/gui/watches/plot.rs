//! History plots of a watch: a sparkline in its row, and a plot of the selected watch.

use crate::gui::theme::Look;
use crate::research::watch::WatchState;
use crate::text::counted;
use eframe::egui::{Align2, Painter, Pos2, Rect, Role, Sense, Stroke, TextStyle, Ui, WidgetInfo, pos2, vec2};

/// Frames in a sparkline: about ten seconds.
const FRAMES: u64 = 600;

/// The frames to show. Without animations the plot moves only for new values.
fn frames(sampled: &WatchState, now: u64, motion: bool) -> (u64, u64) {
    let first = sampled.history.front().map_or(now, |(frame, _)| *frame);
    let last = sampled.history.back().map_or(now, |(frame, _)| *frame);
    if motion { (now.saturating_sub(FRAMES).max(first), now.max(last)) } else { (first, last.max(first + 1)) }
}

/// The corners of the line: a value lasts until the next one.
fn corners(sampled: &WatchState, first: u64, last: u64) -> Vec<(u64, f64)> {
    let mut corners: Vec<(u64, f64)> = Vec::new();
    for &(frame, value) in sampled.history.iter().filter(|(frame, value)| *frame <= last && value.is_finite())
    {
        let at = frame.max(first);
        match corners.last().copied() {
            // Before the first shown frame, only the last value matters.
            Some((_, _)) if at == first => corners.clear(),
            Some((_, before)) => corners.push((at, before)),
            None => {}
        }
        corners.push((at, value));
    }
    if let Some(&(at, value)) = corners.last()
        && at < last
    {
        corners.push((last, value));
    }
    corners
}

fn range(corners: &[(u64, f64)]) -> (f64, f64) {
    let values = corners.iter().map(|(_, value)| *value);
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[expect(clippy::cast_possible_truncation, reason = "points on the screen")]
fn share(part: f64, total: f64) -> f32 {
    if total > 0.0 { (part / total) as f32 } else { 0.5 }
}

#[expect(clippy::cast_precision_loss, reason = "frames of a session")]
fn number(frame: u64) -> f64 {
    frame as f64
}

/// The accessible label.
fn label(name: &str, sampled: &WatchState, corners: &[(u64, f64)]) -> String {
    if sampled.history.is_empty() {
        return format!("History of {name}: empty");
    }
    let (low, high) = range(corners);
    format!("History of {name}: {}, from {low} to {high}", counted(sampled.history.len() as u64, "value"))
}

/// The position of a corner in `rect`.
struct Scale {
    rect: Rect,
    frames: (u64, u64),
    values: (f64, f64),
}

impl Scale {
    fn new(rect: Rect, frames: (u64, u64), corners: &[(u64, f64)]) -> Self {
        Self { rect, frames, values: range(corners) }
    }

    fn at(&self, (frame, value): (u64, f64)) -> Pos2 {
        let (first, last) = self.frames;
        let x = share(number(frame.saturating_sub(first)), number(last - first));
        let y = share(value - self.values.0, self.values.1 - self.values.0);
        pos2(self.rect.left() + x * self.rect.width(), self.rect.bottom() - y * self.rect.height())
    }

    /// Separate segments: in a polyline, short steps would merge.
    fn line(&self, painter: &Painter, corners: &[(u64, f64)], stroke: Stroke) {
        for two in corners.windows(2) {
            painter.line_segment([self.at(two[0]), self.at(two[1])], stroke);
        }
    }
}

pub fn spark(ui: &mut Ui, look: &Look, name: &str, sampled: &WatchState, now: u64) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let (first, last) = frames(sampled, now, look.motion);
    let corners = corners(sampled, first, last);
    let label = label(name, sampled, &corners);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    let scale = Scale::new(rect.shrink2(vec2(1.0, 3.0)), (first, last), &corners);
    scale.line(ui.painter(), &corners, Stroke::new(1.2, look.tokens.series[0]));
    response.on_hover_text(label);
}

/// The plot of the selected watch; `show` formats values as the watch does.
pub fn plot(
    ui: &mut Ui,
    look: &Look,
    (name, sampled, now): (&str, &WatchState, u64),
    height: f32,
    show: &dyn Fn(f64) -> String,
) {
    let tokens = look.tokens;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let first = sampled.history.front().map_or(now, |(frame, _)| *frame);
    let last = if look.motion { now } else { first };
    let last = last.max(sampled.history.back().map_or(now, |(frame, _)| *frame)).max(first + 1);
    let corners = corners(sampled, first, last);
    let label = format!("Plot, {}", label(name, sampled, &corners));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, tokens.card);
    if corners.is_empty() {
        return;
    }
    let font = TextStyle::Small.resolve(ui.style());
    let inside = Rect::from_min_max(rect.min + vec2(82.0, 10.0), rect.max - vec2(10.0, 20.0));
    let scale = Scale::new(inside, (first, last), &corners);
    let (low, high) = scale.values;
    let mut lines = vec![low, high];
    lines.dedup();
    for value in lines {
        let y = scale.at((first, value)).y;
        painter.hline(inside.x_range(), y, (1.0, tokens.line));
        let at = pos2(inside.left() - 6.0, y);
        painter.text(at, Align2::RIGHT_CENTER, show(value), font.clone(), tokens.muted);
    }
    let below = inside.bottom() + 5.0;
    let text = |x, align, text: String| painter.text(pos2(x, below), align, text, font.clone(), tokens.muted);
    text(inside.left(), Align2::LEFT_TOP, format!("frame {first}"));
    text(inside.right(), Align2::RIGHT_TOP, format!("frame {last}"));
    scale.line(&painter, &corners, Stroke::new(1.8, tokens.series[0]));
    let Some(pointer) = response.hover_pos().filter(|at| inside.x_range().contains(at.x)) else { return };
    let part = f64::from((pointer.x - inside.left()) / inside.width());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame between two others")]
    let frame = first + (part * number(last - first)) as u64;
    let value_at = sampled.history.iter().rev().find(|(at, _)| *at <= frame);
    if let Some((_, value)) = value_at {
        painter.vline(pointer.x, inside.y_range(), (1.0, tokens.muted));
        response.on_hover_text_at_pointer(format!("frame {frame}: {}", show(*value)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_one() {
        let sampled =
            WatchState { history: [(10, 1.0), (20, 3.0), (25, 2.0)].into(), ..WatchState::default() };
        assert_eq!(
            corners(&sampled, 10, 30),
            [(10, 1.0), (20, 1.0), (20, 3.0), (25, 3.0), (25, 2.0), (30, 2.0)]
        );
        assert_eq!(
            corners(&sampled, 22, 30),
            [(22, 3.0), (25, 3.0), (25, 2.0), (30, 2.0)],
            "from the left edge on"
        );
        assert_eq!(corners(&sampled, 40, 50), [(40, 2.0), (50, 2.0)]);
        assert_eq!(corners(&WatchState::default(), 0, 9), []);
        assert_eq!(range(&corners(&sampled, 10, 30)), (1.0, 3.0));
    }

    #[test]
    fn without_motion_the_line_rests_between_values() {
        let sampled = WatchState { history: [(10, 1.0), (20, 3.0)].into(), ..WatchState::default() };
        assert_eq!(frames(&sampled, 500, false), (10, 20));
        assert_eq!(frames(&sampled, 501, false), (10, 20));
        assert_eq!(frames(&sampled, 500, true), (10, 500));
        assert_eq!(frames(&sampled, 5000, true), (4400, 5000));
    }
}

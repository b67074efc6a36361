//! What a watch held over time: a small line in its row, and a plot of the chosen one.

use crate::gui::theme::Look;
use crate::research::watch::Seen;
use eframe::egui::{Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_plot::{HoverPosition, Line, Plot, PlotPoints};

/// Frames that the small line shows: ten seconds of most consoles.
const FRAMES: u64 = 600;

/// Which frames are shown. Where nothing may move, the line stands until there is a new value.
fn frames(seen: &Seen, now: u64, motion: bool) -> (u64, u64) {
    let first = seen.history.front().map_or(now, |(frame, _)| *frame);
    let last = seen.history.back().map_or(now, |(frame, _)| *frame);
    if motion { (now.saturating_sub(FRAMES).max(first), now.max(last)) } else { (first, last.max(first + 1)) }
}

/// The corners of the line: a value holds until the next one.
fn corners(seen: &Seen, first: u64, last: u64) -> Vec<(u64, f64)> {
    let mut corners: Vec<(u64, f64)> = Vec::new();
    for &(frame, value) in seen.history.iter().filter(|(frame, value)| *frame <= last && value.is_finite()) {
        let at = frame.max(first);
        match corners.last().copied() {
            // What it held before the first frame shown is forgotten, but for the last of it.
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
fn share(part: f64, whole: f64) -> f32 {
    if whole > 0.0 { (part / whole) as f32 } else { 0.5 }
}

#[expect(clippy::cast_precision_loss, reason = "frames of a session")]
fn number(frame: u64) -> f64 {
    frame as f64
}

/// In words, for those who do not see it.
fn told(name: &str, seen: &Seen, corners: &[(u64, f64)]) -> String {
    if seen.history.is_empty() {
        return format!("History of {name}: none");
    }
    let (low, high) = range(corners);
    format!("History of {name}: {} values kept, from {low} to {high} in sight", seen.history.len())
}

/// The small line.
pub fn spark(ui: &mut Ui, look: &Look, name: &str, seen: &Seen, now: u64) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let (first, last) = frames(seen, now, look.motion);
    let corners = corners(seen, first, last);
    let told = told(name, seen, &corners);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &told));
    let (low, high) = range(&corners);
    let inside = rect.shrink2(vec2(1.0, 3.0));
    let point = |&(frame, value): &(u64, f64)| {
        let x = share(number(frame - first), number(last - first));
        pos2(
            inside.left() + x * inside.width(),
            inside.bottom() - share(value - low, high - low) * inside.height(),
        )
    };
    let points: Vec<_> = corners.iter().map(point).collect();
    if points.len() > 1 {
        ui.painter().line(points, (1.2, look.tokens.series[0]));
    }
    response.on_hover_text(told);
}

/// The plot of the chosen watch.
pub fn plot(ui: &mut Ui, look: &Look, name: &str, seen: &Seen, now: u64, height: f32) {
    let first = seen.history.front().map_or(now, |(frame, _)| *frame);
    let last = if look.motion { now } else { first };
    let last = last.max(seen.history.back().map_or(now, |(frame, _)| *frame));
    let corners = corners(seen, first, last);
    let points: PlotPoints<'_> = corners.iter().map(|(frame, value)| [number(*frame), *value]).collect();
    let shown = Plot::new("history of the chosen watch")
        .height(height)
        .allow_scroll(false)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_boxed_zoom(false)
        .x_axis_label("frames since the game was found")
        .label_formatter(|hovered| match hovered {
            HoverPosition::NearDataPoint { position, .. } => {
                Some(format!("frame {:.0}: {}", position.x, position.y))
            }
            HoverPosition::Elsewhere { .. } => None,
        })
        .show(ui, |plot| plot.line(Line::new(name, points).color(look.tokens.series[0]).width(1.8)));
    let told = format!("Plot, {}", told(name, seen, &corners));
    shown.response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &told));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_holds_until_the_next_one() {
        let seen = Seen { history: [(10, 1.0), (20, 3.0), (25, 2.0)].into(), ..Seen::default() };
        assert_eq!(
            corners(&seen, 10, 30),
            [(10, 1.0), (20, 1.0), (20, 3.0), (25, 3.0), (25, 2.0), (30, 2.0)]
        );
        assert_eq!(
            corners(&seen, 22, 30),
            [(22, 3.0), (25, 3.0), (25, 2.0), (30, 2.0)],
            "from the left edge on"
        );
        assert_eq!(corners(&seen, 40, 50), [(40, 2.0), (50, 2.0)]);
        assert_eq!(corners(&Seen::default(), 0, 9), []);
        assert_eq!(range(&corners(&seen, 10, 30)), (1.0, 3.0));
    }

    #[test]
    fn where_nothing_may_move_the_line_stands_between_values() {
        let seen = Seen { history: [(10, 1.0), (20, 3.0)].into(), ..Seen::default() };
        assert_eq!(frames(&seen, 500, false), (10, 20));
        assert_eq!(frames(&seen, 501, false), (10, 20));
        assert_eq!(frames(&seen, 500, true), (10, 500));
        assert_eq!(frames(&seen, 5000, true), (4400, 5000));
    }
}

//! The history of a search as bars, as high as the logarithm of the number of candidates left.

use super::engine::HistoryStep;
use super::words::cells;
use crate::gui::theme::{Tokens, faded};
use eframe::egui::{Rect, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Height of the strip, in points.
const HEIGHT: f32 = 34.0;
/// Width of a bar with its gap.
const STEP: f32 = 14.0;

/// Below this width it starts a new line.
const LEAST: f32 = 140.0;

/// Draws it; returns the clicked step.
pub fn show(ui: &mut Ui, tokens: &Tokens, steps: &[HistoryStep], at: usize) -> Option<usize> {
    let beside = ui.available_size_before_wrap().x;
    let width = if beside < LEAST { ui.available_width() } else { beside };
    let (rect, _) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
    ui.painter().rect_filled(rect, 3.0, tokens.card);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bars side by side")]
    let fit = ((width / STEP) as usize).max(1);
    // Only the newest steps fit; undone steps are at the end.
    let skip = steps.len().saturating_sub(fit);
    let most = steps.iter().map(|step| height(step.left)).fold(1.0, f32::max);
    let mut chosen = None;
    for (number, step) in steps.iter().enumerate().skip(skip) {
        #[expect(clippy::cast_precision_loss, reason = "a bar in sight")]
        let left = rect.left() + 3.0 + (number - skip) as f32 * STEP;
        let place = Rect::from_min_size(pos2(left, rect.top()), vec2(STEP - 3.0, HEIGHT));
        let id = ui.scope_id().with(("step", number));
        let response = ui.interact(place, id, Sense::CLICK | Sense::HOVER);
        let high = (HEIGHT - 6.0) * height(step.left) / most;
        let bar =
            Rect::from_min_max(pos2(left, rect.bottom() - 2.0 - high.max(1.5)), place.max - vec2(0.0, 2.0));
        let color = if number == at { tokens.accent } else { tokens.muted };
        let color = if number > at { faded(color, 0.35) } else { color };
        ui.painter().rect_filled(bar, 1.0, color);
        if response.hovered() {
            ui.painter().rect_stroke(place, 2.0, (1.0, tokens.accent), StrokeKind::Inside);
        }
        let back = if number > at { ", undone" } else { "" };
        let label = format!("Step {}: {}, {} left{back}", number + 1, step.what, cells(step.left));
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, number == at, &label));
        if response.on_hover_text(&label).clicked() {
            chosen = Some(number);
        }
    }
    chosen
}

/// The relative height of a bar; 0 for no cells.
#[expect(clippy::cast_precision_loss, reason = "a logarithm")]
fn height(left: u64) -> f32 {
    (left as f32 + 1.0).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_follow_the_logarithm() {
        assert!(height(0).abs() < 1e-6);
        assert!((height(1) - 1.0).abs() < 1e-6);
        assert!((height(65_535) - 16.0).abs() < 1e-4);
    }
}

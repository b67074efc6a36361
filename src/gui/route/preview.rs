//! The pairs and the board that a plan would start from.

use super::live::LiveStart;
use super::request::RouteSettings;
use super::result::paint_pair;
use crate::gui::board::{BoardView, highlighted};
use crate::gui::puyo::describe;
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use eframe::egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use nextscope_boards::Pair;

/// Diameter of the puyos of the pairs and of the board, in points.
const PAIR: f32 = 14.0;
const BOARD: f32 = 15.0;
/// Gap between two pairs, in points.
const GAP: f32 = 7.0;
/// Maximum number of lines of pairs.
const MAX_LINES: usize = 2;

/// The pairs to place, in their order. `first` is the number of the first one in its round, from 0.
pub fn pairs(ui: &mut Ui, cx: &UiContext<'_>, first: u32, pairs: &[Pair]) {
    let step = 2.0 * PAIR + GAP;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pairs side by side")]
    let across = ((ui.available_width() / step) as usize).max(1);
    let shown = pairs.len().min(across * MAX_LINES);
    let lines = shown.div_ceil(across).max(1);
    let along = |count: usize, each: f32| {
        #[expect(clippy::cast_precision_loss, reason = "a few pairs")]
        let count = count as f32;
        count * each
    };
    let size = vec2(along(shown.min(across), step), along(lines, PAIR + 4.0));
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let letters: Vec<String> = pairs.iter().map(|pair| pair.letters()).collect();
    let label = format!("Next pairs, from pair {}: {}", first + 1, letters.join(" "));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    for (nth, pair) in pairs.iter().take(shown).enumerate() {
        let corner = rect.min + vec2(along(nth % across, step), along(nth / across, PAIR + 4.0));
        paint_pair(ui, cx, *pair, corner, PAIR);
    }
    let hovered = response.hover_pos().and_then(|at| {
        let inside = |nth: &usize| {
            let corner = rect.min + vec2(along(nth % across, step), along(nth / across, PAIR + 4.0));
            Rect::from_min_size(pos2(corner.x, corner.y), vec2(step, PAIR + 4.0)).contains(at)
        };
        (0..shown).find(inside)
    });
    let text = match hovered.and_then(|nth| Some((nth, pairs.get(nth)?))) {
        Some((nth, pair)) => format!("Pair {}: {}", first as usize + nth + 1, describe(*pair)),
        None => label,
    };
    response.on_hover_text(text);
    if shown < pairs.len() {
        ui.weak(format!("and {} more", pairs.len() - shown));
    }
}

/// The board at the start.
pub fn board(ui: &mut Ui, cx: &UiContext<'_>, settings: &RouteSettings, live: Option<&LiveStart>) {
    let Ok(field) = settings.field(live) else { return };
    let rows = settings.rules(live).rows;
    ui.add_space(4.0);
    ui.strong("Board at the start");
    let view = BoardView::of(&field, rows);
    highlighted(ui, &view, BOARD, "Board at the start", &cx.look, (Tone::Live, Sense::hover()));
}

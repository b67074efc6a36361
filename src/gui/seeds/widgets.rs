//! Widgets shared by the searches for pairs and for pieces.

use crate::gui::marks::{Mark, mark};
use crate::gui::puyo;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::banner;
use crate::pairs::PartialPair;
use crate::seeds::text::grouped;
use eframe::egui::{Align, Layout, Response, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo};
use nextscope_boards::Color;

/// Height of a row of the list, in points.
pub const ROW: f32 = 30.0;

const COPIES: [(&str, &str); 3] =
    [("Copy table", "result as table"), ("Copy JSON", "result as JSON"), ("Copy CSV", "result as CSV")];

pub fn headline(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    count: u64,
    of_what: &str,
    texts: Option<[Text<'_>; 3]>,
) {
    large(ui, cx, &grouped(count), of_what, texts);
}

/// A large number with its unit, and the copy buttons.
pub fn large(ui: &mut Ui, cx: &mut UiContext<'_>, count: &str, of_what: &str, texts: Option<[Text<'_>; 3]>) {
    let response = ui.horizontal(|ui| {
        ui.label(RichText::new(count).size(30.0).strong().color(cx.look.tokens.text));
        ui.label(RichText::new(of_what).size(15.0));
        let Some(texts) = texts else { return };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for ((name, what), text) in COPIES.into_iter().zip(texts).rev() {
                if ui.button(name).on_hover_text("Same output as `nextscope find`").clicked() {
                    cx.copy(text(), what);
                }
            }
        });
    });
    let label = format!("{count} {of_what}");
    response.response.widget_info(|| WidgetInfo::labeled(Role::Status, true, &label));
}

pub type Text<'a> = &'a dyn Fn() -> String;

pub fn no_match(ui: &mut Ui, cx: &UiContext<'_>, why: &str) {
    let tokens = cx.look.tokens;
    banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, &format!("No seed produces this sequence: {why}"));
}

/// The heading of certain pairs, with the reason.
pub fn certain_heading(ui: &mut Ui, cx: &UiContext<'_>, why: &str) {
    let good = cx.look.tokens.good;
    ui.horizontal_wrapped(|ui| {
        mark(ui, Mark::Tick, good);
        ui.label(RichText::new("Certain").strong().color(good));
        ui.label(why);
    });
}

/// Rows of equal height; only visible ones are drawn.
pub fn list(ui: &mut Ui, count: usize, mut row: impl FnMut(&mut Ui, usize)) {
    let height = (ui.clip_rect().bottom() - ui.cursor().top() - 4.0).clamp(3.0 * ROW, 12.0 * ROW);
    ui.spacing_mut().item_spacing.y = 1.0;
    ScrollArea::vertical().id_salt("games").max_height(height).auto_shrink([false, true]).show_rows(
        ui,
        ROW,
        count,
        |ui, rows| rows.for_each(|number| row(ui, number)),
    );
}

/// A pair widget; its puyos may be unknown.
pub fn pair(ui: &mut Ui, cx: &UiContext<'_>, pair: PartialPair, diameter: f32, what: &str) -> Response {
    let (rect, response) = ui.allocate_exact_size(puyo::pair_size(diameter), Sense::hover());
    if ui.is_rect_visible(rect) {
        puyo::paint_pattern_pair(ui.painter(), rect, pair.axis, pair.child, &cx.look);
    }
    let name = |color: Option<Color>| color.map_or("unknown", Color::name);
    let label = format!("{what}: axis {}, child {}", name(pair.axis), name(pair.child));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
    response.on_hover_text(label)
}

pub fn heading(ui: &mut Ui, text: &str) {
    ui.label(RichText::new(text).strong());
}

//! The planned route: a board with its timeline, and the table of steps.

use super::follow_panel::{self, FollowPanel};
use super::placement_text::placement_text;
use super::timeline::{Go, Timeline};
use crate::gui::board::{self, BoardView, highlighted};
use crate::gui::puyo::{describe, paint_puyo};
use crate::gui::theme::Tone;
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::{Step, steps};
use crate::route::{EXAMPLE, Route};
use crate::seeds::text::grouped;
use crate::text::{capitalized, counted};
use eframe::egui::{
    Align, Button, Event, EventFilter, Key, Label, Layout, Modifiers, Pos2, Response, RichText, Role,
    ScrollArea, Sense, Slider, StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column, TableBuilder};
use nextscope_boards::Pair;

/// Height of a table row and diameter of its puyos, in points.
const ROW: f32 = 22.0;
const SMALL: f32 = 17.0;
/// Minimum width of the table, in points: its last column has the inputs of a pair, or under attack the garbage.
const TABLE: f32 = 470.0;
const TABLE_UNDER_ATTACK: f32 = 770.0;
/// Limits of the diameter of the board's puyos.
const MIN_DIAMETER: f32 = 13.0;
const MAX_DIAMETER: f32 = 26.0;

/// The score of a route in a sentence.
pub fn totals(route: &Route) -> String {
    let pairs = route.steps.len();
    let pairs = counted(pairs as u64, "pair");
    let chain = match route.chain {
        0 => "no chain".into(),
        chain => format!("longest chain {chain}"),
    };
    let clear = if route.steps.iter().any(|step| step.popped.is_empty()) { ", all clear" } else { "" };
    format!(
        "{pairs}, {chain}, {} points, {} garbage{clear}",
        grouped(route.score.into()),
        grouped(route.garbage().into())
    )
}

/// Draws the route. `followed` is a player who follows it.
pub fn show(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    route: &Route,
    player: &mut Timeline,
    followed: Option<&FollowPanel>,
) {
    if let Some(wait) = player.tick(cx.now, cx.look.motion) {
        ui.ctx().request_repaint_after(wait);
    }
    let rows = route.rules.rows;
    let diameter = diameter(ui, rows);
    let column = |ui: &mut Ui, width: f32, add: &mut dyn FnMut(&mut Ui)| {
        ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
            ui.set_width(width);
            add(ui);
        });
    };
    ui.horizontal_top(|ui| {
        if let Some(followed) = followed.filter(|followed| followed.shows_board()) {
            column(ui, follow_panel::WIDTH, &mut |ui| {
                follow_panel::show(ui, cx, Some(route), followed, diameter);
            });
            ui.separator();
        }
        let width = board::size(rows, diameter).x.max(176.0);
        column(ui, width, &mut |ui| scrubber(ui, cx, route, player, diameter));
        // Beside two boards the table may be wider than the rest of the panel.
        ScrollArea::horizontal().id_salt("table of the route").show(ui, |ui| {
            ui.vertical(|ui| {
                let least = if route.attacks.is_empty() { TABLE } else { TABLE_UNDER_ATTACK };
                ui.set_width(ui.available_width().max(least));
                table(ui, cx, route, player, followed.and_then(FollowPanel::step));
            });
        });
    });
}

/// The puyo diameter at which a board of this height fits the remaining space.
pub fn diameter(ui: &Ui, rows: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "13 or 14")]
    let rows = rows as f32;
    ((ui.available_height() - 92.0) / rows).clamp(MIN_DIAMETER, MAX_DIAMETER)
}

/// The board at the current timeline step, with the player controls.
fn scrubber(ui: &mut Ui, cx: &UiContext<'_>, route: &Route, player: &mut Timeline, diameter: f32) {
    let mut go = None;
    match steps(ui, player.ends(), player.plays(), ("the route, chains step by step", Some("Space"))) {
        Some(Step::First) => go = Some(Go::First),
        Some(Step::Back) => go = Some(Go::Back),
        Some(Step::Forward) => go = Some(Go::Forward),
        Some(Step::Last) => go = Some(Go::Last),
        Some(Step::TogglePlay) => player.toggle(cx.now),
        None => {}
    }
    let Some(step) = player.current() else { return };
    let mut pair_count = step.pair_count;
    ui.spacing_mut().slider_width = (ui.available_width() - 48.0).max(80.0);
    let slider = ui.add(Slider::new(&mut pair_count, 0..=route.steps.len()));
    slider.widget_info(|| {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let at = step.pair_count as f64;
        WidgetInfo::slider(true, at, "Placed pairs")
    });
    if slider.changed() && pair_count != step.pair_count {
        go = Some(Go::Step(pair_count));
    }
    let title = ui.label(RichText::new(&step.text).strong());
    if step.is_example {
        title.on_hover_text(capitalized(EXAMPLE));
    }
    let drawn = BoardView {
        placed: &step.placed,
        popping: &step.popping,
        ..BoardView::of(&step.field, route.rules.rows)
    };
    let what = format!("Board, {}", step.text);
    let area = highlighted(ui, &drawn, diameter, &what, &cx.look, (Tone::Live, Sense::click()));
    let area = area.on_hover_text("Click, then use the arrow keys to step and Space to play");
    if area.clicked() {
        area.request_focus();
    }
    if area.has_focus() {
        ui.painter().rect_stroke(area.rect, 5.0, (1.5, cx.look.tokens.accent), StrokeKind::Inside);
        match keys(ui, &area) {
            Some(Pressed::Go(to)) => go = Some(to),
            Some(Pressed::Play) => player.toggle(cx.now),
            None => {}
        }
    }
    if let Some(to) = go {
        player.go(to);
        ui.ctx().request_repaint();
    }
}

enum Pressed {
    Go(Go),
    Play,
}

/// Keys of the focused board.
fn keys(ui: &Ui, area: &Response) -> Option<Pressed> {
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(area.id, filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let keys = [
        (Key::ArrowLeft, Pressed::Go(Go::Back)),
        (Key::ArrowRight, Pressed::Go(Go::Forward)),
        (Key::Home, Pressed::Go(Go::First)),
        (Key::End, Pressed::Go(Go::Last)),
        (Key::Space, Pressed::Play),
    ];
    let found = keys.into_iter().find_map(|(key, does)| pressed(key).then_some(does));
    if found.is_some() {
        // Space must not be typed elsewhere.
        ui.input_mut(|input| input.events.retain(|event| !matches!(event, Event::Text(_))));
    }
    found
}

/// The steps of the route as a table.
fn table(ui: &mut Ui, cx: &UiContext<'_>, route: &Route, player: &mut Timeline, current: Option<usize>) {
    let at = player.current().map_or(0, |step| step.pair_count);
    let text = ui.text_style_height(&TextStyle::Body) + 4.0;
    let height = (ui.available_height() - text - 8.0).max(160.0);
    let mut go = None;
    ui.spacing_mut().item_spacing.x = 6.0;
    let mut table = TableBuilder::new(ui)
        .id_salt("steps of the route")
        .striped(true)
        .sense(Sense::click())
        .auto_shrink([false, true])
        .max_scroll_height(height)
        .cell_layout(Layout::left_to_right(Align::Center))
        .column(Column::exact(34.0))
        .column(Column::exact(2.0 * SMALL + 6.0))
        .column(Column::exact(54.0))
        .column(Column::exact(48.0))
        .column(Column::exact(44.0))
        .column(Column::exact(64.0));
    let is_attacked = !route.attacks.is_empty();
    if is_attacked {
        table = table.column(Column::exact(80.0).clip(true)).column(Column::exact(60.0));
    }
    table = table.column(Column::remainder().at_least(60.0).clip(true));
    if let Some(row) = player.newly_shown() {
        table = table.scroll_to_row(row, None).animate_scrolling(false);
    }
    table
        .header(text, |mut header| {
            let titles = ["#", "Pair", "Column", "Child", "Chain", "Points", "Inputs"];
            let more: &[&str] = if is_attacked { &["Board", "Garbage"] } else { &[] };
            for title in titles.iter().chain(more) {
                header.col(|ui| {
                    ui.weak(*title);
                });
            }
        })
        .body(|body| {
            body.rows(ROW, route.steps.len(), |mut row| {
                let row_index = row.index();
                let number = row_index + 1;
                let Some(step) = route.steps.get(row.index()) else { return };
                row.set_selected(number == at);
                let certain = route.certainty(row_index);
                let is_example = !(certain.landed && certain.after);
                let garbage = if is_attacked { step.garbage.to_string() } else { String::new() };
                row.col(|ui| {
                    let now = current == Some(row_index);
                    let text = RichText::new(number.to_string());
                    let text = if now { text.strong().underline() } else { text };
                    let response = ui.add(Button::selectable(number == at, text));
                    let mut label =
                        format!("Pair {number}: {}, {}", describe(step.pair), placement_text(step.placement));
                    if !garbage.is_empty() {
                        label += &format!("; garbage: {garbage}");
                    }
                    if is_example {
                        label += "; example board";
                    }
                    response.widget_info(|| WidgetInfo::selected(Role::Button, true, number == at, &label));
                    if response.on_hover_text(label.as_str()).clicked() {
                        go = Some(Go::Step(number));
                    }
                });
                row.col(|ui| pair(ui, cx, step.pair));
                row.col(|ui| {
                    ui.label((step.placement.column() + 1).to_string());
                });
                row.col(|ui| {
                    ui.label(step.placement.rotation().name());
                });
                row.col(|ui| {
                    if step.fired.chain > 0 {
                        ui.label(RichText::new(step.fired.chain.to_string()).strong());
                    }
                });
                row.col(|ui| {
                    if step.fired.score > 0 {
                        ui.label(grouped(step.fired.score.into()));
                    }
                });
                row.col(|ui| {
                    ui.label(RichText::new(player.inputs(row_index)).monospace());
                });
                if is_attacked {
                    row.col(|ui| {
                        if is_example {
                            ui.label("example").on_hover_text(capitalized(EXAMPLE));
                        }
                    });
                    row.col(|ui| {
                        ui.add(Label::new(&garbage).truncate());
                    });
                }
                if row.response().clicked() {
                    go = Some(Go::Step(number));
                }
            });
        });
    if let Some(to) = go {
        player.go(to);
        ui.ctx().request_repaint(); // the board was drawn before the click
    }
}

/// A pair on one line, axis first.
fn pair(ui: &mut Ui, cx: &UiContext<'_>, pair: Pair) {
    let (rect, _) = ui.allocate_exact_size(vec2(2.0 * SMALL + 2.0, SMALL), Sense::hover());
    paint_pair(ui, cx, pair, rect.min, SMALL);
}

/// Paints a pair beside `corner`, axis first.
pub fn paint_pair(ui: &Ui, cx: &UiContext<'_>, pair: Pair, corner: Pos2, diameter: f32) {
    let y = corner.y + diameter / 2.0;
    for (x, color) in [(diameter / 2.0, pair.axis), (1.5 * diameter + 2.0, pair.child)] {
        paint_puyo(ui.painter(), pos2(corner.x + x, y), diameter, color, &cx.look, Tone::Live);
    }
}

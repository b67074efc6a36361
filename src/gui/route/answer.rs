//! The route that was found: one moment of it on a board, and all its steps as a table.

use super::led::{self, Led};
use super::moments::{Go, Player};
use super::words;
use crate::game::puyo::Pair;
use crate::gui::board::{self, Drawn, marked};
use crate::gui::puyo::{describe, paint_puyo};
use crate::gui::scene::Scene;
use crate::gui::theme::Tone;
use crate::gui::widgets::{Step, steps};
use crate::route::Route;
use crate::seeds::text::grouped;
use eframe::egui::{
    Align, Button, Event, EventFilter, Key, Layout, Modifiers, Response, RichText, Role, Sense, Slider,
    StrokeKind, TextStyle, Ui, WidgetInfo, pos2, vec2,
};
use egui_extras::{Column, TableBuilder};

/// The height of a row of the table, and the diameter of its puyos, in points.
const ROW: f32 = 22.0;
const SMALL: f32 = 17.0;
/// The diameters that the board's puyos can have.
const LEAST: f32 = 13.0;
const MOST: f32 = 26.0;

/// What the route is worth, in a sentence.
#[must_use]
pub fn totals(route: &Route) -> String {
    let pairs = route.steps.len();
    let pairs = if pairs == 1 { "1 pair".into() } else { format!("{pairs} pairs") };
    let chain = match route.chain {
        0 => "no chain".into(),
        chain => format!("longest chain {chain}"),
    };
    let clear = if route.steps.iter().any(|step| step.after.is_empty()) { ", all clear" } else { "" };
    format!(
        "{pairs}, {chain}, {} points, {} garbage{clear}",
        grouped(route.score.into()),
        grouped(route.garbage().into())
    )
}

/// Draws the route. `led` is a player who is led through it.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, route: &Route, player: &mut Player, led: Option<&Led>) {
    if let Some(wait) = player.tick(scene.now, scene.look.motion) {
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
        if let Some(led) = led.filter(|led| led.shows_board()) {
            column(ui, led::WIDTH, &mut |ui| led::show(ui, scene, Some(route), led, diameter));
            ui.separator();
        }
        let width = board::size(rows, diameter).x.max(176.0);
        column(ui, width, &mut |ui| scrubber(ui, scene, route, player, diameter));
        ui.vertical(|ui| table(ui, scene, route, player, led.and_then(Led::step)));
    });
}

/// The diameter of the puyos of a board of so many rows that fits the height that is left.
#[must_use]
pub fn diameter(ui: &Ui, rows: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "13 or 14")]
    let rows = rows as f32;
    ((ui.available_height() - 92.0) / rows).clamp(LEAST, MOST)
}

/// The board at the moment that is chosen, and what chooses it.
fn scrubber(ui: &mut Ui, scene: &Scene<'_>, route: &Route, player: &mut Player, diameter: f32) {
    let mut go = None;
    match steps(ui, player.ends(), player.plays(), ("the route, chains step by step", Some("Space"))) {
        Some(Step::First) => go = Some(Go::First),
        Some(Step::Back) => go = Some(Go::Back),
        Some(Step::On) => go = Some(Go::On),
        Some(Step::Last) => go = Some(Go::Last),
        Some(Step::Toggle) => player.toggle(scene.now),
        None => {}
    }
    let Some(moment) = player.moment() else { return };
    let mut step = moment.step;
    ui.spacing_mut().slider_width = (ui.available_width() - 48.0).max(80.0);
    let slider = ui.add(Slider::new(&mut step, 0..=route.steps.len()));
    slider.widget_info(|| {
        #[expect(clippy::cast_precision_loss, reason = "a small number")]
        let at = moment.step as f64;
        WidgetInfo::slider(true, at, "Pairs put down")
    });
    if slider.changed() && step != moment.step {
        go = Some(Go::Step(step));
    }
    ui.label(RichText::new(&moment.words).strong());
    let drawn = Drawn {
        placed: &moment.placed,
        popping: &moment.popping,
        ..Drawn::of(&moment.field, route.rules.rows)
    };
    let what = format!("Board, {}", moment.words);
    let area = marked(ui, &drawn, diameter, &what, &scene.look, (Tone::Live, Sense::click()));
    let area = area.on_hover_text("Click it, then the arrow keys go from step to step, Space plays");
    if area.clicked() {
        area.request_focus();
    }
    if area.has_focus() {
        ui.painter().rect_stroke(area.rect, 5.0, (1.5, scene.look.tokens.accent), StrokeKind::Inside);
        match keys(ui, &area) {
            Some(Pressed::Go(to)) => go = Some(to),
            Some(Pressed::Play) => player.toggle(scene.now),
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

/// The keys of the board.
fn keys(ui: &Ui, area: &Response) -> Option<Pressed> {
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(area.id, filter));
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    let keys = [
        (Key::ArrowLeft, Pressed::Go(Go::Back)),
        (Key::ArrowRight, Pressed::Go(Go::On)),
        (Key::Home, Pressed::Go(Go::First)),
        (Key::End, Pressed::Go(Go::Last)),
        (Key::Space, Pressed::Play),
    ];
    let found = keys.into_iter().find_map(|(key, does)| pressed(key).then_some(does));
    if found.is_some() {
        // The space is none that is typed.
        ui.input_mut(|input| input.events.retain(|event| !matches!(event, Event::Text(_))));
    }
    found
}

/// The steps of the route.
fn table(ui: &mut Ui, scene: &Scene<'_>, route: &Route, player: &mut Player, current: Option<usize>) {
    let at = player.moment().map_or(0, |moment| moment.step);
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
        .column(Column::exact(64.0))
        .column(Column::remainder().at_least(60.0).clip(true));
    if let Some(row) = player.newly_shown() {
        table = table.scroll_to_row(row, None).animate_scrolling(false);
    }
    table
        .header(text, |mut header| {
            for title in ["#", "Pair", "Column", "Child", "Chain", "Points", "Inputs"] {
                header.col(|ui| {
                    ui.weak(title);
                });
            }
        })
        .body(|body| {
            body.rows(ROW, route.steps.len(), |mut row| {
                let row_index = row.index();
                let number = row_index + 1;
                let Some(step) = route.steps.get(row.index()) else { return };
                row.set_selected(number == at);
                row.col(|ui| {
                    let now = current == Some(row_index);
                    let text = RichText::new(number.to_string());
                    let text = if now { text.strong().underline() } else { text };
                    let response = ui.add(Button::selectable(number == at, text));
                    let label = format!(
                        "Pair {number}: {}, {}",
                        describe(step.pair),
                        words::placement(step.placement)
                    );
                    response.widget_info(|| WidgetInfo::selected(Role::Button, true, number == at, &label));
                    if response.on_hover_text(label.as_str()).clicked() {
                        go = Some(Go::Step(number));
                    }
                });
                row.col(|ui| pair(ui, scene, step.pair));
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
                if row.response().clicked() {
                    go = Some(Go::Step(number));
                }
            });
        });
    if let Some(to) = go {
        player.go(to);
        ui.ctx().request_repaint(); // the board was drawn before the click was read
    }
}

/// A pair on one line, the axis first.
fn pair(ui: &mut Ui, scene: &Scene<'_>, pair: Pair) {
    let (rect, _) = ui.allocate_exact_size(vec2(2.0 * SMALL + 2.0, SMALL), Sense::hover());
    let y = rect.center().y;
    for (x, color) in [(rect.left() + SMALL / 2.0, pair.axis), (rect.right() - SMALL / 2.0, pair.child)] {
        paint_puyo(ui.painter(), pos2(x, y), SMALL, color, &scene.look, Tone::Live);
    }
}

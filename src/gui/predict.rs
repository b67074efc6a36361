//! The prediction of paired games: both players' next pairs, the full pool, and the round that would start now.

use super::attach::first_step;
use super::board::{self, board_size};
use super::commands::Command;
use super::grid::grid;
use super::layout::Pane;
use super::marks::Mark;
use super::predict_pieces;
use super::puyo;
use super::theme::{Look, Tone};
use super::ui_context::{UiAction, UiContext};
use super::verify::verdict_line;
use super::widgets::{banner, card, stale_banner};
use crate::games::Unit;
use crate::live::{ComputedRound, FollowUpRound, Grid, Observation, Player, PredictionView, Start};
use crate::text::counted;
use eframe::egui::scroll_area::ScrollBarVisibility;
use eframe::egui::{
    Align, Align2, FontId, Label, Layout, Pos2, Rect, RichText, Role, ScrollArea, Sense, TextEdit, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
use nextscope_boards::{Pair, PoolId};

/// A scroll area whose bar does not come and go: with the height, which depends on the width that it leaves, it would do so
/// with every frame.
fn steady_area() -> ScrollArea {
    ScrollArea::vertical()
        .auto_shrink([false, false])
        .scroll_bar_visibility(ScrollBarVisibility::AlwaysVisible)
}

/// Pool pairs per row.
const COLUMNS: usize = 16;
/// Pool rows.
const ROWS: usize = 8;
/// Size of a pool cell, and width of the row number, in points.
const CELL: Vec2 = vec2(22.0, 32.0);
const MARGIN: f32 = 30.0;
/// Minimum width of the current pair and the queue beside a board, in points.
const PAIRS_WIDTH: f32 = 206.0;

#[expect(clippy::cast_precision_loss, reason = "16")]
fn columns() -> f32 {
    COLUMNS as f32
}

#[derive(Debug, Default)]
pub struct PredictPanel {
    /// The selected pool; None follows player 1.
    pool: Option<PoolId>,
    /// A round computed from a seed; None shows the emulator.
    round: Option<Box<ComputedRound>>,
    /// The state whose round is waited for, as written.
    awaited: String,
}

impl PredictPanel {
    /// Shows a computed round; None returns to the emulator.
    pub fn show_round(&mut self, round: Option<Box<ComputedRound>>) {
        self.pool = None;
        self.round = round;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        if let Some(round) = self.round.take() {
            self.computed(ui, cx, &round);
            self.round = Some(round);
            return;
        }
        let view = cx.view;
        let Some(data) = &view.data else {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| first_step(ui, cx));
            return;
        };
        let rows = if ui.available_height() > 620.0 { 2 } else { 1 };
        steady_area().show(ui, |ui| {
            stale_banner(ui, cx);
            if cx.status == super::ui_context::ConnectionStatus::Choosing {
                first_step(ui, cx);
                return;
            }
            let observation = match &data.observation {
                Ok(observation) => observation,
                Err(why) => {
                    ui.heading("Profile mismatch");
                    ui.label(why);
                    return;
                }
            };
            let tone = cx.status.tone();
            if tone == Tone::Grey {
                ui.multiply_opacity(0.75);
            }
            wait_for_start(ui, cx, &mut self.awaited, observation);
            verdict_line(ui, cx);
            match data.view() {
                Some(shown) => self.forecast(ui, cx, shown, rows, tone),
                None => before_first_round(ui, cx, observation),
            }
        });
    }

    /// A computed round: its data do not age and are never labelled live.
    fn computed(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, round: &ComputedRound) {
        let tokens = cx.look.tokens;
        let text = format!("Offline: showing {}", round.what);
        banner(ui, tokens.caution_fill, tokens.caution, Mark::Warning, &text);
        ui.horizontal_wrapped(|ui| {
            if ui.button("Back to seeds").clicked() {
                cx.run(Command::Show(Pane::Seeds));
            }
            if ui.button("Show emulator").clicked() {
                cx.actions.push(UiAction::ShowRound(None));
            }
        });
        let rows = if ui.available_height() > 560.0 { 2 } else { 1 };
        steady_area().show(ui, |ui| {
            self.forecast(ui, cx, &round.shown, rows, Tone::Live);
        });
    }

    fn forecast(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        shown: &PredictionView,
        rows: usize,
        tone: Tone,
    ) {
        if let Some(note) = &shown.note {
            ui.label(note);
        }
        for (number, player) in shown.pieces.iter().enumerate() {
            predict_pieces::player_card(ui, cx, player, number, tone);
        }
        if let Some(found) = &shown.found {
            predict_pieces::located(ui, cx, found);
        }
        if shown.players.is_empty() {
            follow_ups(ui, cx, &shown.follow_ups, tone);
            return;
        }
        let width = ui.available_width();
        if width > 520.0 && shown.players.len() > 1 {
            // Up to three players fit side by side above the pool.
            let (across, gaps) = if shown.players.len() == 3 && width > 640.0 { (3, 2.0) } else { (2, 1.0) };
            let each = (width - gaps * ui.spacing().item_spacing.x) / (gaps + 1.0);
            for (row, players) in shown.players.chunks(across).enumerate() {
                ui.horizontal_top(|ui| {
                    for (column, player) in players.iter().enumerate() {
                        ui.allocate_ui_with_layout(vec2(each, 0.0), Layout::top_down(Align::Min), |ui| {
                            let left = shown.colors_left_caption(player);
                            player_card(ui, cx, (player, left), across * row + column, rows, tone);
                        });
                    }
                });
            }
        } else {
            for (number, player) in shown.players.iter().enumerate() {
                let left = shown.colors_left_caption(player);
                player_card(ui, cx, (player, left), number, rows, tone);
            }
        }
        ui.add_space(2.0);
        follow_ups(ui, cx, &shown.follow_ups, tone);
        if shown.pools.is_empty() {
            return;
        }
        let strip_width = MARGIN + CELL.x * columns();
        if ui.available_width() > strip_width + 230.0 {
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(strip_width);
                    self.pool(ui, cx, shown, tone);
                });
                ui.vertical(|ui| if_now(ui, cx, shown.start.as_ref(), 16.0));
            });
        } else {
            self.pool(ui, cx, shown, tone);
            ui.add_space(4.0);
            if_now(ui, cx, shown.start.as_ref(), 16.0);
        }
    }

    fn pool(&mut self, ui: &mut Ui, cx: &UiContext<'_>, shown: &PredictionView, tone: Tone) {
        let followed = shown.players.iter().find_map(|player| player.pool);
        let followed = followed.and_then(|pool| shown.pools.get(pool)).map(|pool| pool.id);
        // The game may have other pools than the one attached before, or the same one for both players.
        let known = PoolId::ALL.into_iter().filter(|id| shown.pools.iter().any(|pool| pool.id == *id));
        let chosen = self.pool.filter(|id| known.clone().any(|known| known == *id));
        let id = chosen.or(followed).or_else(|| known.clone().next()).unwrap_or(PoolId::Three);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(format!("Full {id}")).strong());
            ui.spacing_mut().item_spacing.x = 2.0;
            let first = shown.players.first().map_or("First", |player| player.title.as_str());
            let choices = [(first, None)].into_iter();
            let pools = known.clone().map(|pool| (["3", "4", "5"][pool.index()], Some(pool)));
            for (name, pool) in choices.chain(pools) {
                let meaning = match pool {
                    None => "Pool of player 1".to_owned(),
                    Some(pool) => format!("Show the {pool}"),
                };
                if ui.selectable_label(chosen == pool, name).on_hover_text(meaning).clicked() {
                    self.pool = pool;
                }
            }
        });
        let Some((index, pool)) = shown.pools.iter().enumerate().find(|(_, pool)| pool.id == id) else {
            return;
        };
        let here: Vec<(&str, Option<usize>)> = shown
            .players
            .iter()
            .map(|player| {
                let at = player.pool_position.filter(|(pool, _)| *pool == index).map(|(_, at)| at);
                (player.title.as_str(), at)
            })
            .collect();
        strip(ui, cx, id, &pool.pairs, &here, tone);
    }
}

fn before_first_round(ui: &mut Ui, cx: &mut UiContext<'_>, observation: &Observation) {
    let target = cx.view.target.as_ref();
    if target.is_some_and(|target| !target.profile.game.has_predictor()) {
        ui.heading("No prediction available");
        for board in observation.boards() {
            ui.label(RichText::new(format!("{}, field at {}", board.title, board.address)).strong());
            match board.rows() {
                Ok(rows) => ui.monospace(rows.join("\n")),
                Err(why) => ui.label(why),
            };
        }
    } else {
        let (heading, why) = match cx.view.unit() {
            Unit::Pairs => ("No round yet", "The pools in RAM are empty. Pairs appear when a round starts"),
            Unit::Capsules => ("No round yet", "Capsules appear when a round starts"),
            Unit::Pieces => ("No game in progress", "Pieces appear when a game starts"),
        };
        ui.heading(heading);
        ui.label(why);
        ui.add_space(4.0);
        if_now(ui, cx, observation.first_start().as_ref(), 26.0);
        ui.add_space(4.0);
    }
    ui.weak(observation.without_prediction());
    if let Some(target) = &cx.view.target {
        ui.weak(format!("Attached to {}, {}", target.identity.name, target.profile.name));
    }
}

fn player_card(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    (coming, left): (&Player, Option<String>),
    number: usize,
    rows: usize,
    tone: Tone,
) {
    let look = cx.look;
    let who = coming.title.to_lowercase();
    card(ui, cx.look.tokens, |ui| {
        ui.horizontal_wrapped(|ui| {
            let color = look.tokens.players[number % look.tokens.players.len()];
            ui.label(RichText::new(&coming.title).strong().size(15.0).color(color));
            for caption in &coming.captions {
                ui.weak(caption);
            }
        });
        if let Some(left) = left {
            ui.weak(&left).on_hover_text("Puyos left in the pool, by colour");
        }
        let Some(board) = &coming.board else {
            pairs(ui, cx, coming, &who, rows, tone);
            grids(ui, cx, &coming.boards, &who, tone);
            return;
        };
        let board = match board {
            Ok(board) => board,
            Err(why) => {
                pairs(ui, cx, coming, &who, rows, tone);
                ui.weak(why);
                return;
            }
        };
        // The board gets the space beside the pairs, up to their height.
        let diameter = ((ui.available_width() - PAIRS_WIDTH) / 6.0).clamp(8.0, 11.0);
        let beside = board_size(diameter).x + ui.spacing().item_spacing.x;
        ui.horizontal_top(|ui| {
            let width = ui.available_width() - beside;
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                pairs(ui, cx, coming, &who, rows, tone);
                match board.caption() {
                    Some(caption) => ui.label(RichText::new(caption).strong()),
                    None => ui.weak("Nothing pops"),
                };
            });
            board::board(ui, &board.field, diameter, &format!("{who}, board"), &look, tone);
        });
    });
}

/// The current pair and the queue.
fn pairs(ui: &mut Ui, cx: &UiContext<'_>, coming: &Player, who: &str, rows: usize, tone: Tone) {
    let large = (ui.available_width() / 9.0).clamp(20.0, 34.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let current = coming.current.map(|pair| ("now", pair));
        let queue = coming.names.iter().copied().zip(coming.pairs.iter().copied());
        for (name, pair) in current.into_iter().chain(queue) {
            ui.vertical(|ui| {
                ui.set_width(pair_width(coming.lying, large).max(46.0));
                ui.add(Label::new(RichText::new(name).weak()).extend());
                puyo::drawn_pair(coming.lying)(ui, pair, large, &format!("{who}, {name}"), &cx.look, tone);
            });
        }
        if coming.current.is_none() && coming.dealt.is_some() {
            ui.weak("No pair dealt yet");
        }
    });
    ui.add_space(2.0);
    then(ui, cx, coming, who, rows, tone);
    ui.weak(&coming.position);
}

/// The pairs after the queue: one row, or two in a tall panel.
fn then(ui: &mut Ui, cx: &UiContext<'_>, coming: &Player, who: &str, rows: usize, tone: Tone) {
    const SMALL: f32 = 18.0;
    const GAP: f32 = 4.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let a_row = (((ui.available_width() + GAP) / (pair_width(coming.lying, SMALL) + GAP)) as usize).max(1);
    let rest: Vec<(usize, Pair)> =
        coming.pairs.iter().copied().enumerate().skip(coming.names.len()).collect();
    for row in rest.chunks(a_row).take(rows) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (ahead, pair) in row {
                let what = format!("{who}, {} ahead", ahead + 1);
                puyo::drawn_pair(coming.lying)(ui, *pair, SMALL, &what, &cx.look, tone);
            }
        });
    }
}

fn pair_width(lying: bool, diameter: f32) -> f32 {
    if lying { 2.0 * diameter } else { diameter }
}

/// Boards side by side.
fn grids(ui: &mut Ui, cx: &UiContext<'_>, all: &[Grid], who: &str, tone: Tone) {
    const CELL: f32 = 13.0;
    if all.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for one in all {
            grid(ui, one, CELL, who, &cx.look, tone);
        }
    });
}

/// The rounds that follow: pairs and boards.
fn follow_ups(ui: &mut Ui, cx: &UiContext<'_>, rounds: &[FollowUpRound], tone: Tone) {
    const SMALL: f32 = 14.0;
    for round in rounds {
        card(ui, cx.look.tokens, |ui| {
            ui.label(RichText::new(&round.caption).strong());
            let who = round.caption.to_lowercase();
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for (number, pair) in round.pairs.iter().enumerate() {
                    if ui.available_width() < 2.0 * SMALL {
                        break;
                    }
                    let what = format!("{who}, pair {}", number + 1);
                    puyo::drawn_pair(round.lying)(ui, *pair, SMALL, &what, &cx.look, tone);
                }
            });
            grids(ui, cx, &round.boards, &who, tone);
        });
    }
}

/// All 128 pairs in 8 rows of 16, with a marker at each player's position.
fn strip(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    pool: PoolId,
    pairs: &[Pair],
    here: &[(&str, Option<usize>)],
    tone: Tone,
) {
    let pair = |number: usize| pairs.get(number).copied().unwrap_or(Pair::from_bytes(0xFF, 0xFF));
    let look = cx.look;
    let size = vec2(MARGIN + CELL.x * columns(), CELL.y);
    let spacing = ui.spacing().item_spacing;
    ui.spacing_mut().item_spacing.y = 0.0;
    for row in 0..ROWS {
        let first = row * COLUMNS;
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| {
            let letters: Vec<String> =
                (first..first + COLUMNS).map(|number| pair(number).letters()).collect();
            let label = format!("{pool}, pairs {} to {}: {}", first + 1, first + COLUMNS, letters.join(" "));
            WidgetInfo::labeled(Role::Image, true, &label)
        });
        let cell_rect = |column: usize| {
            #[expect(clippy::cast_precision_loss, reason = "a column number")]
            let x = rect.left() + MARGIN + column as f32 * CELL.x;
            Rect::from_min_size(pos2(x, rect.top()), CELL)
        };
        if ui.is_rect_visible(rect) {
            let painter = ui.painter();
            let label = (first + 1).to_string();
            let at = pos2(rect.left() + MARGIN - 8.0, rect.center().y);
            painter.text(at, Align2::RIGHT_CENTER, label, FontId::proportional(11.0), look.tokens.muted);
            for column in 0..COLUMNS {
                puyo::paint_pair(painter, cell_rect(column).shrink(1.5), pair(first + column), &look, tone);
            }
        }
        for (player, (title, at)) in here.iter().enumerate() {
            if let Some(at) = at.filter(|at| at / COLUMNS == row) {
                let label = format!("{title} is at position {} of 128 in the {pool}", at + 1);
                mark(ui, cx, cell_rect(at % COLUMNS), player, &label);
            }
        }
        if let Some(pointer) = response.hover_pos()
            && let Some(column) = (0..COLUMNS).find(|column| cell_rect(*column).contains(pointer))
        {
            let number = first + column;
            let at = here.iter().filter(|(_, at)| *at == Some(number));
            let at: Vec<String> =
                at.map(|(title, _)| format!(", {} is here", title.to_lowercase())).collect();
            let text = format!(
                "{pool}, position {} of 128: {}{}",
                number + 1,
                puyo::describe(pair(number)),
                at.concat()
            );
            response.on_hover_text_at_pointer(text);
        }
    }
    ui.spacing_mut().item_spacing = spacing;
}

/// A marker around a player's position, with the player's number.
fn mark(ui: &Ui, cx: &UiContext<'_>, cell: Rect, player: usize, label: &str) {
    let color = cx.look.tokens.players[player % 2];
    let painter = ui.painter();
    let frame = cell.shrink(if player == 0 { 0.0 } else { 1.5 });
    painter.rect_stroke(frame, 3.0, (2.0, color), egui::StrokeKind::Inside);
    let corner: Pos2 = if player == 0 { cell.left_top() } else { cell.right_top() };
    painter.circle_filled(corner, 6.5, color);
    let ink = Look::ink_on(color);
    painter.text(corner, Align2::CENTER_CENTER, (player + 1).to_string(), FontId::proportional(10.0), ink);
    let id = ui.scope_id().with(("position", player));
    let response = ui.interact(Rect::from_center_size(corner, vec2(10.0, 10.0)), id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, label));
}

/// A countdown to the frame in which Start makes the chosen round, in games where it depends on that frame.
fn wait_for_start(ui: &mut Ui, cx: &UiContext<'_>, awaited: &mut String, observation: &Observation) {
    let Some(frames) = observation.frames_until(awaited) else { return };
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Wait for the round of state");
        let field = TextEdit::singleline(awaited).hint_text("0x8988").desired_width(90.0);
        ui.add(field).labelled_by(label.id).on_hover_text(
            "A state that `find` or `stats --rank` lists, or one of those below. The frames until Start has to be pressed are counted down",
        );
        match frames {
            _ if awaited.is_empty() => {}
            Ok(frames) => {
                #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
                let seconds = frames as f64 / 60.0;
                let text = format!("Start in {} ({seconds:.1} s)", counted(frames, "frame"));
                ui.label(RichText::new(text).strong().size(18.0));
            }
            Err(wrong) => {
                ui.colored_label(cx.look.tokens.bad, wrong);
            }
        }
    });
}

/// The first pairs of a round that would start now, by pool, in puyos of this diameter.
fn if_now(ui: &mut Ui, cx: &UiContext<'_>, start: Option<&Start>, diameter: f32) {
    let Some(start) = start else { return };
    let tone = cx.status.tone();
    let look = cx.look;
    card(ui, look.tokens, |ui| {
        ui.label(RichText::new("If a round started now").strong());
        ui.weak(&start.caption);
        for (pool, pairs) in &start.pools {
            ui.weak(pool.to_string());
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for (deal, pair) in pairs.iter().enumerate() {
                    if ui.available_width() < diameter {
                        break;
                    }
                    let what = format!("if a round started now, {pool}, pair {}", deal + 1);
                    puyo::pair(ui, *pair, diameter, &what, &look, tone);
                }
            });
        }
    });
}

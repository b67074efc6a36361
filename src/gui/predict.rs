//! The prediction of paired games: both players' next pairs, the full pool, and the round that would start now.

mod pool;

use super::attach::first_step;
use super::board::{self, board_size};
use super::commands::Command;
use super::grid::grid;
use super::layout::Pane;
use super::marks::Mark;
use super::predict_pieces;
use super::puyo;
use super::theme::Tone;
use super::ui_context::{UiAction, UiContext};
use super::verify::verdict_line;
use super::widgets::{banner, card, stale_banner, steady_area};
use crate::games::Unit;
use crate::live::{ComputedRound, FollowUpRound, Grid, Observation, Player, PredictionView, Start};
use crate::text::counted;
use eframe::egui::{
    Align, Label, Layout, RichText, Role, ScrollArea, Sense, TextEdit, Ui, Vec2, WidgetInfo, vec2,
};
use nextscope_boards::{Pair, PoolId};

/// Minimum width of the current pair and the queue beside a board, in points.
const PAIRS_WIDTH: f32 = 206.0;
/// The panel size for which the other sizes are; in a larger panel everything grows.
const BASE: Vec2 = vec2(690.0, 540.0);
/// The most by which everything grows.
const MAX_SCALE: f32 = 2.2;

/// How much larger than usual everything is drawn in the space of `ui`.
fn scale(ui: &Ui) -> f32 {
    let space = ui.available_size() / BASE;
    space.min_elem().clamp(1.0, MAX_SCALE)
}

/// How large a panel draws its content.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// Rows of pairs after the queue.
    rows: usize,
    /// Factor for everything that is drawn.
    scale: f32,
}

impl Size {
    /// For the space of `ui`; there is a second row of pairs from this height.
    fn of(ui: &Ui, two_rows_from: f32) -> Self {
        let scale = scale(ui);
        Self { rows: if ui.available_height() > two_rows_from * scale { 2 } else { 1 }, scale }
    }
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
        let size = Size::of(ui, 620.0);
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
                Some(shown) => self.forecast(ui, cx, shown, size, tone),
                None => before_first_round(ui, cx, observation, size.scale),
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
        let size = Size::of(ui, 560.0);
        steady_area().show(ui, |ui| {
            self.forecast(ui, cx, &round.shown, size, Tone::Live);
        });
    }

    fn forecast(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        shown: &PredictionView,
        size: Size,
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
                            player_card(ui, cx, (player, shown), across * row + column, size, tone);
                        });
                    }
                });
            }
        } else {
            for (number, player) in shown.players.iter().enumerate() {
                player_card(ui, cx, (player, shown), number, size, tone);
            }
        }
        ui.add_space(2.0);
        follow_ups(ui, cx, &shown.follow_ups, tone);
        if shown.pools.is_empty() {
            return;
        }
        let strip_width = pool::width(size.scale);
        let diameter = 16.0 * size.scale;
        if ui.available_width() > strip_width + 230.0 {
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(strip_width);
                    self.pool(ui, cx, shown, size.scale, tone);
                });
                ui.vertical(|ui| if_now(ui, cx, shown.start.as_ref(), diameter));
            });
        } else {
            let scale = size.scale.min(ui.available_width() / pool::width(1.0)).max(1.0);
            self.pool(ui, cx, shown, scale, tone);
            ui.add_space(4.0);
            if_now(ui, cx, shown.start.as_ref(), diameter);
        }
    }

    fn pool(&mut self, ui: &mut Ui, cx: &UiContext<'_>, shown: &PredictionView, scale: f32, tone: Tone) {
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
        pool::strip(ui, cx, (id, &pool.pairs), &here, scale, tone);
    }
}

fn before_first_round(ui: &mut Ui, cx: &mut UiContext<'_>, observation: &Observation, scale: f32) {
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
        if_now(ui, cx, observation.first_start().as_ref(), 32.0 * scale);
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
    (coming, shown): (&Player, &PredictionView),
    number: usize,
    size: Size,
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
        colors_left(ui, cx, shown, coming, tone);
        let Some(board) = &coming.board else {
            pairs(ui, cx, coming, &who, size, tone);
            grids(ui, cx, &coming.boards, (&who, size.scale), tone);
            return;
        };
        let board = match board {
            Ok(board) => board,
            Err(why) => {
                pairs(ui, cx, coming, &who, size, tone);
                ui.weak(why);
                return;
            }
        };
        // The board gets the space beside the pairs, up to their height.
        let space = (ui.available_width() - PAIRS_WIDTH * size.scale) / 6.0;
        let diameter = space.clamp(8.0, 12.0 * size.scale);
        let beside = board_size(diameter).x + ui.spacing().item_spacing.x;
        ui.horizontal_top(|ui| {
            let width = ui.available_width() - beside;
            ui.allocate_ui_with_layout(vec2(width, 0.0), Layout::top_down(Align::Min), |ui| {
                ui.set_width(width);
                pairs(ui, cx, coming, &who, size, tone);
                match board.caption() {
                    Some(caption) => ui.label(RichText::new(caption).strong()),
                    None => ui.weak("Nothing pops"),
                };
            });
            board::board(ui, &board.field, diameter, &format!("{who}, board"), &look, tone);
        });
    });
}

/// The puyos left in the pool, by colour.
fn colors_left(ui: &mut Ui, cx: &UiContext<'_>, shown: &PredictionView, player: &Player, tone: Tone) {
    const DIAMETER: f32 = 15.0;
    let (Some((colors, pairs)), Some(caption)) =
        (shown.colors_left(player), shown.colors_left_caption(player))
    else {
        return;
    };
    let response = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (color, count) in colors {
            let (rect, _) = ui.allocate_exact_size(Vec2::splat(DIAMETER), Sense::hover());
            puyo::paint_puyo(ui.painter(), rect.center(), DIAMETER, color, &cx.look, tone);
            ui.label(count.to_string());
            ui.add_space(5.0);
        }
        ui.weak(format!("in {} left", counted(pairs as u64, "pair")));
    });
    let id = response.response.id.with("left");
    let response = ui.interact(response.response.rect, id, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &caption));
    response.on_hover_text(caption);
}

/// The current pair and the queue.
fn pairs(ui: &mut Ui, cx: &UiContext<'_>, coming: &Player, who: &str, size: Size, tone: Tone) {
    let large = (ui.available_width() / 7.0).clamp(20.0, 34.0 * size.scale);
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
    then(ui, cx, coming, who, size, tone);
    ui.weak(&coming.position);
}

/// The pairs after the queue: one row, or two in a tall panel.
fn then(ui: &mut Ui, cx: &UiContext<'_>, coming: &Player, who: &str, size: Size, tone: Tone) {
    const GAP: f32 = 4.0;
    let small = 18.0 * size.scale;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let a_row = (((ui.available_width() + GAP) / (pair_width(coming.lying, small) + GAP)) as usize).max(1);
    let rest: Vec<(usize, Pair)> =
        coming.pairs.iter().copied().enumerate().skip(coming.names.len()).collect();
    for row in rest.chunks(a_row).take(size.rows) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (ahead, pair) in row {
                let what = format!("{who}, {} ahead", ahead + 1);
                puyo::drawn_pair(coming.lying)(ui, *pair, small, &what, &cx.look, tone);
            }
        });
    }
}

fn pair_width(lying: bool, diameter: f32) -> f32 {
    if lying { 2.0 * diameter } else { diameter }
}

/// Boards side by side.
fn grids(ui: &mut Ui, cx: &UiContext<'_>, all: &[Grid], (who, scale): (&str, f32), tone: Tone) {
    const CELL: f32 = 13.0;
    if all.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        for one in all {
            grid(ui, one, CELL * scale, who, &cx.look, tone);
        }
    });
}

/// The rounds that follow: pairs and boards.
fn follow_ups(ui: &mut Ui, cx: &UiContext<'_>, rounds: &[FollowUpRound], tone: Tone) {
    const SMALL: f32 = 14.0;
    let unit = cx.view.unit().singular();
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
                    let what = format!("{who}, {unit} {}", number + 1);
                    puyo::drawn_pair(round.lying)(ui, *pair, SMALL, &what, &cx.look, tone);
                }
            });
            grids(ui, cx, &round.boards, (&who, 1.0), tone);
        });
    }
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

//! What comes next: both players' pairs, the whole pool, and what a round that began now would deal.

use super::attach::first_step;
use super::puyo;
use super::scene::Scene;
use super::theme::Tone;
use super::widgets::{card, stale_banner};
use crate::game::puyo_tsu::{Dealing, Pair, PoolId, pool_pair};
use crate::live::{Forecast, Observation, PlayerForecast};
use eframe::egui::{
    Align, Align2, FontId, Label, Layout, Pos2, Rect, RichText, Role, ScrollArea, Sense, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};

/// Pairs in a row of the pool.
const COLUMNS: usize = 16;
/// Rows of the pool.
const ROWS: usize = 8;
/// Pairs shown of a round that would begin now.
const PREVIEW: usize = 12;
/// The space of a pair in the pool, and that of the number before a row, in points.
const CELL: Vec2 = vec2(22.0, 32.0);
const MARGIN: f32 = 30.0;

#[expect(clippy::cast_precision_loss, reason = "16")]
fn columns() -> f32 {
    COLUMNS as f32
}

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct PredictPanel {
    /// The pool that is shown; None follows player 1.
    pool: Option<PoolId>,
}

impl PredictPanel {
    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>) {
        let view = scene.view;
        let Some(data) = &view.data else {
            ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| first_step(ui, scene));
            return;
        };
        let rows = if ui.available_height() > 620.0 { 2 } else { 1 };
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            stale_banner(ui, scene);
            if scene.standing == super::scene::Standing::Choosing {
                first_step(ui, scene);
                return;
            }
            let observation = match &data.observation {
                Ok(observation) => observation,
                Err(why) => {
                    ui.heading("The profile does not fit");
                    ui.label(why);
                    return;
                }
            };
            let tone = scene.standing.tone();
            if tone == Tone::Grey {
                ui.multiply_opacity(0.75);
            }
            match &data.forecast {
                Some(forecast) => self.forecast(ui, scene, observation, forecast, rows),
                None => before_first_round(ui, scene, observation),
            }
        });
    }

    fn forecast(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        observation: &Observation,
        forecast: &Forecast,
        rows: usize,
    ) {
        if observation.setup.mode & 3 > 1 {
            ui.label(format!(
                "Mode {} is not modelled: pairs are shown as the pools hold them, unverified",
                observation.setup.mode
            ));
        }
        let width = ui.available_width();
        if width > 520.0 {
            let half = (width - ui.spacing().item_spacing.x) / 2.0;
            ui.horizontal_top(|ui| {
                for player in 0..2 {
                    ui.allocate_ui_with_layout(vec2(half, 0.0), Layout::top_down(Align::Min), |ui| {
                        player_card(ui, scene, observation.dealing, &forecast.players[player], player, rows);
                    });
                }
            });
        } else {
            for player in 0..2 {
                player_card(ui, scene, observation.dealing, &forecast.players[player], player, rows);
            }
        }
        ui.add_space(2.0);
        let strip_width = MARGIN + CELL.x * columns();
        if ui.available_width() > strip_width + 230.0 {
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| {
                    ui.set_width(strip_width);
                    self.pool(ui, scene, observation, forecast);
                });
                ui.vertical(|ui| if_now(ui, scene, forecast));
            });
        } else {
            self.pool(ui, scene, observation, forecast);
            ui.add_space(4.0);
            if_now(ui, scene, forecast);
        }
    }

    fn pool(&mut self, ui: &mut Ui, scene: &Scene<'_>, observation: &Observation, forecast: &Forecast) {
        let followed = forecast.players[0].pool.or(forecast.players[1].pool).unwrap_or(PoolId::Three);
        let shown = self.pool.unwrap_or(followed);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(format!("Whole {shown}")).strong());
            ui.spacing_mut().item_spacing.x = 2.0;
            let choices = [("Player 1", None)].into_iter();
            let pools = PoolId::ALL.map(|pool| (["3", "4", "5"][pool.index()], Some(pool)));
            for (name, pool) in choices.chain(pools) {
                let meaning = match pool {
                    None => "The pool that player 1 draws from".to_owned(),
                    Some(pool) => format!("The {pool}"),
                };
                if ui.selectable_label(self.pool == pool, name).on_hover_text(meaning).clicked() {
                    self.pool = pool;
                }
            }
        });
        let bytes = &observation.pools[shown.index()];
        let pair = |number: usize| Pair::from_bytes(bytes[2 * number], bytes[2 * number + 1]);
        let here =
            [0, 1].map(|player: usize| stands_in(observation.dealing, &forecast.players[player], shown));
        strip(ui, scene, shown, pair, here);
    }
}

fn before_first_round(ui: &mut Ui, scene: &mut Scene<'_>, observation: &Observation) {
    ui.heading("No round was generated yet");
    ui.label("The pools in RAM are empty; pairs appear as soon as a round begins");
    ui.weak(format!("State of the generator: {}", state(observation.state.0)));
    if let Some(target) = &scene.view.target {
        ui.weak(format!("Attached to {}, {}", target.identity.name, target.profile.name));
    }
}

fn state(value: u32) -> String {
    format!("0x{value:08X}")
}

/// What player number `player` gets, in a box.
fn player_card(
    ui: &mut Ui,
    scene: &Scene<'_>,
    dealing: Dealing,
    coming: &PlayerForecast,
    player: usize,
    rows: usize,
) {
    let tone = scene.standing.tone();
    let look = scene.look;
    let number = player + 1;
    card(ui, scene.look.tokens, |ui| {
        ui.horizontal_wrapped(|ui| {
            let color = look.tokens.players[player];
            ui.label(RichText::new(format!("Player {number}")).strong().size(15.0).color(color));
            ui.weak(format!("level {}", u32::from(coming.level.0) + 1));
            ui.weak(
                coming.pool.map_or_else(|| "a level that is not modelled".into(), |pool| pool.to_string()),
            );
        });
        let large = (ui.available_width() / 9.0).clamp(20.0, 34.0);
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let current = coming.current.map(|pair| ("now", pair));
            let named = ["next", "second", "hidden"];
            let queue = named.into_iter().zip(coming.pairs.iter().copied());
            for (name, pair) in current.into_iter().chain(queue) {
                ui.vertical(|ui| {
                    ui.set_width(large.max(46.0));
                    ui.add(Label::new(RichText::new(name).weak()).extend());
                    puyo::pair(ui, pair, large, &format!("player {number}, {name}"), &look, tone);
                });
            }
            if coming.current.is_none() {
                ui.weak("No pair dealt yet");
            }
        });
        ui.add_space(2.0);
        then(ui, scene, coming, number, rows);
        ui.weak(position(dealing, coming));
    });
}

/// The pairs after the queue: as many as fit into a row, or into two in a high panel.
fn then(ui: &mut Ui, scene: &Scene<'_>, coming: &PlayerForecast, number: usize, rows: usize) {
    const SMALL: f32 = 18.0;
    const GAP: f32 = 4.0;
    let tone = scene.standing.tone();
    ui.weak("then");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let a_row = (((ui.available_width() + GAP) / (SMALL + GAP)) as usize).max(1);
    let rest: Vec<(usize, Pair)> = coming.pairs.iter().copied().enumerate().skip(3).collect();
    for row in rest.chunks(a_row).take(rows) {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = GAP;
            for (ahead, pair) in row {
                let what = format!("player {number}, {} ahead", ahead + 1);
                puyo::pair(ui, *pair, SMALL, &what, &scene.look, tone);
            }
        });
    }
}

/// "Pair 23 of the round, position 23 of 128": of the pair in play, counted from 1.
fn position(dealing: Dealing, coming: &PlayerForecast) -> String {
    let Some(last) = coming.pairs_dealt.checked_sub(1) else {
        return "Before the first pair of the round".into();
    };
    let at = pool_pair(last.into()) + 1;
    let pool = pool_of(dealing, coming, last.into());
    // The pool of the level is named above.
    let pool = pool.filter(|_| pool != coming.pool).map_or_else(String::new, |pool| format!(", {pool}"));
    format!("Pair {} of the round, position {at} of 128{pool}", coming.pairs_dealt)
}

/// The pool from which the pair with this number (from 0) was dealt; whether the first three come from the 3-colour
/// pool whatever the level is the profile's choice, and one of the checks.
fn pool_of(dealing: Dealing, coming: &PlayerForecast, deal_index: u32) -> Option<PoolId> {
    let before_menu = deal_index < 3 && dealing == Dealing::FirstThreeFromPool3;
    if before_menu { Some(PoolId::Three) } else { coming.pool }
}

/// Where in `pool` the player's pair in play stands (0 to 127), when it came from there.
fn stands_in(dealing: Dealing, coming: &PlayerForecast, pool: PoolId) -> Option<usize> {
    let last: u32 = coming.pairs_dealt.checked_sub(1)?.into();
    (pool_of(dealing, coming, last) == Some(pool)).then(|| pool_pair(last))
}

/// All 128 pairs in 8 rows of 16, with a mark where each player stands.
fn strip(
    ui: &mut Ui,
    scene: &Scene<'_>,
    pool: PoolId,
    pair: impl Fn(usize) -> Pair,
    here: [Option<usize>; 2],
) {
    let tone = scene.standing.tone();
    let look = scene.look;
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
        for (player, at) in here.iter().enumerate() {
            if let Some(at) = at.filter(|at| at / COLUMNS == row) {
                mark(ui, scene, cell_rect(at % COLUMNS), player, at, pool);
            }
        }
        if let Some(pointer) = response.hover_pos()
            && let Some(column) = (0..COLUMNS).find(|column| cell_rect(*column).contains(pointer))
        {
            let number = first + column;
            let at = here.iter().enumerate().filter(|(_, at)| **at == Some(number));
            let at: Vec<String> = at.map(|(player, _)| format!(", player {} is here", player + 1)).collect();
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

/// A frame round the cell where a player stands, with the player's number on a corner.
fn mark(ui: &Ui, scene: &Scene<'_>, cell: Rect, player: usize, at: usize, pool: PoolId) {
    let color = scene.look.tokens.players[player];
    let painter = ui.painter();
    let frame = cell.shrink(if player == 0 { 0.0 } else { 1.5 });
    painter.rect_stroke(frame, 3.0, (2.0, color), egui::StrokeKind::Inside);
    let corner: Pos2 = if player == 0 { cell.left_top() } else { cell.right_top() };
    painter.circle_filled(corner, 6.5, color);
    let ink = super::theme::Look::ink_on(color);
    painter.text(corner, Align2::CENTER_CENTER, (player + 1).to_string(), FontId::proportional(10.0), ink);
    let id = ui.scope_id().with(("stands", player));
    let response = ui.interact(Rect::from_center_size(corner, vec2(10.0, 10.0)), id, Sense::hover());
    let label = format!("Player {} stands at position {} of 128 in the {pool}", player + 1, at + 1);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &label));
}

/// What a round that began now would deal, pool by pool.
fn if_now(ui: &mut Ui, scene: &Scene<'_>, forecast: &Forecast) {
    let tone = scene.standing.tone();
    let look = scene.look;
    let round = &forecast.if_now;
    card(ui, look.tokens, |ui| {
        ui.label(RichText::new("If a round began now").strong());
        let mode = if forecast.setup.is_versus() { "versus" } else { "story" };
        ui.weak(format!("{mode}, generator state {}", state(round.before.0)));
        for pool in PoolId::ALL {
            let Some(bytes) = round.pool(pool) else { continue };
            ui.weak(pool.to_string());
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for deal in 0..PREVIEW {
                    if ui.available_width() < 16.0 {
                        break;
                    }
                    let number = pool_pair(u32::try_from(deal).unwrap_or(0));
                    let pair = Pair::from_bytes(bytes[2 * number], bytes[2 * number + 1]);
                    let what = format!("if a round began now, {pool}, pair {}", deal + 1);
                    puyo::pair(ui, pair, 16.0, &what, &look, tone);
                }
            });
        }
    });
}

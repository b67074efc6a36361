//! Guides a player along a route: shows where to place the current pair on the current board. See the states in `follow.rs`.

use super::engine::Effort;
use super::follow::{Advice, Planned};
use super::live::{LiveStart, live_start};
use super::placement_text::placement_text;
use super::replan::rest;
use super::state::RoutePanel;
use super::timeline::added;
use crate::gui::board::{BoardView, highlighted};
use crate::gui::marks::{Mark, mark};
use crate::gui::theme::Tokens;
use crate::gui::ui_context::UiContext;
use crate::puyo::reference::CellPosition;
use crate::puyo::{Cell, Field};
use crate::route::{PairInputs, Route, find_inputs};
use eframe::egui::{Color32, RichText, Sense, Ui};
use nextscope_boards::Color;
use std::time::Duration;

/// Planning time after a wrong placement: the next pair is already in play.
const REPLAN_TIME: Duration = Duration::from_secs(1);
/// Width of the part with the player's board, in points.
pub const WIDTH: f32 = 178.0;

/// The followed player and the state.
#[derive(Debug)]
pub struct FollowPanel {
    /// None while unknown.
    live: Option<LiveStart>,
    advice: Advice,
    player: usize,
    /// Whether a replan for the player is running, and why.
    replanning: Option<String>,
    /// Whether a replan is still being improved; its first route is followed meanwhile.
    improving: bool,
}

impl FollowPanel {
    /// The step (from 0) to make now.
    pub fn step(&self) -> Option<usize> {
        match self.advice {
            Advice::Place(step) => Some(step),
            _ => None,
        }
    }

    pub fn is_outdated(&self) -> bool {
        self.advice.is_outdated()
    }

    /// Whether a replan is running, so that the old route is useless.
    pub fn is_replanned(&self) -> bool {
        self.replanning.is_some()
    }

    /// Whether the player's board is shown.
    pub fn shows_board(&self) -> bool {
        let hidden = match self.advice {
            Advice::NotLive | Advice::EarlierRound => true,
            Advice::Planning => !self.is_replanned(),
            _ => false,
        };
        self.live.is_some() && !hidden
    }

    /// The message of the state, as in the table in `follow.rs`; `reason` is why the route was planned again.
    fn message(&self, tokens: &Tokens, reason: Option<&str>) -> Option<(Mark, Color32, String)> {
        let plain = |sign, text: &str| Some((sign, tokens.muted, text.to_owned()));
        let again = |word: &str, why: &str| Some((Mark::Warning, tokens.caution, format!("{word}: {why}")));
        match (self.advice, &self.replanning) {
            (Advice::EarlierRound, _) => {
                let text = "This route was for an earlier round. Plan again for this one";
                Some((Mark::Warning, tokens.caution, text.into()))
            }
            (_, Some(why)) => again("Replanning", why),
            (Advice::Place(_) | Advice::Wait, None) => {
                again(if self.improving { "Replanning" } else { "Replanned" }, reason?)
            }
            (Advice::OtherBoard, None) => {
                let text = "This route starts on another board. Plan again";
                Some((Mark::Warning, tokens.caution, text.into()))
            }
            (Advice::Done, None) => {
                plain(Mark::Tick, "All pairs of the route are placed. Plan again for the next pairs")
            }
            (Advice::NotLive, None) => {
                plain(Mark::Ring, &format!("Player {} is not in a round", self.player + 1))
            }
            (Advice::Planning | Advice::Elsewhere(_) | Advice::Garbage, None) => None,
        }
    }
}

impl RoutePanel {
    /// Follows the player for whose game the route was planned.
    pub(super) fn follow_player(&mut self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<FollowPanel> {
        let player = self.plan.as_ref()?.request.player?;
        let followed = if self.follow.off { None } else { self.followed(cx, player) };
        let tokens = cx.look.tokens;
        ui.horizontal_wrapped(|ui| {
            let mut on = !self.follow.off;
            ui.checkbox(&mut on, "Follow along").on_hover_text(
                "Show where to place the current pair, and replan after a different placement",
            );
            self.follow.off = !on;
            let reason = self.follow.reason.as_deref();
            if let Some((sign, color, text)) =
                followed.as_ref().and_then(|followed| followed.message(tokens, reason))
            {
                mark(ui, sign, color);
                ui.colored_label(color, text);
            }
        });
        if let Some(FollowPanel { live: Some(live), advice, .. }) = &followed {
            if advice.why_replan().is_some() {
                self.replan(ui, live);
            } else if *advice == Advice::EarlierRound
                && let (Some(run), true) = (&self.run, self.plan.as_ref().is_some_and(|plan| plan.again))
            {
                run.cancel(); // its result is not needed any more
            }
        }
        followed.filter(|_| !self.follow.off)
    }

    fn followed(&mut self, cx: &UiContext<'_>, player: usize) -> Option<FollowPanel> {
        let plan = self.plan.as_ref()?;
        let Some(live) = live_start(cx, Some(player)) else {
            let advice = Advice::NotLive;
            return Some(FollowPanel { live: None, advice, player, replanning: None, improving: false });
        };
        let request = &plan.request;
        let planned =
            Planned { pairs: &request.start.pairs, first: request.first, route: plan.route.as_deref() };
        let frame = cx.view.data.as_ref().map_or(0, |data| data.frame);
        let advice = self.follow.update(planned, &live, frame);
        let improving = plan.again && self.run.is_some();
        let runs = advice == Advice::Planning && improving;
        let replanning = self.follow.reason.clone().filter(|_| runs || advice.why_replan().is_some());
        Some(FollowPanel { live: Some(live), advice, player, replanning, improving })
    }

    /// Replans from the player's current board unless a planner is running.
    fn replan(&mut self, ui: &Ui, live: &LiveStart) {
        if let Some(run) = &self.run {
            run.cancel();
            return;
        }
        let Some(plan) = &self.plan else { return };
        let Some(route) = &plan.route else { return };
        let request = rest(plan.request.clone(), route, live);
        let effort = Effort { time: REPLAN_TIME.min(plan.effort.time), ..plan.effort };
        self.start(ui.ctx(), request, effort, true);
    }
}

/// Draws the current step and the player's board with rings at the placement.
pub fn show(ui: &mut Ui, cx: &UiContext<'_>, route: Option<&Route>, followed: &FollowPanel, diameter: f32) {
    let FollowPanel { live: Some(live), player, .. } = followed else { return };
    let look = &cx.look;
    let tone = cx.status.tone();
    let steps = route.map_or(&[][..], |route| &route.steps);
    let start = route.map_or_else(Field::default, |route| route.start);
    let step = followed.step().and_then(|at| steps.get(at));
    let before = followed.step().and_then(|at| steps.get(at.checked_sub(1)?));
    let before = before.map_or(start, |step| step.after);
    match (followed.advice, step) {
        (Advice::Place(at), Some(step)) => {
            let text = format!("Pair {}: {}", live.number + 1, placement_text(step.placement));
            ui.label(RichText::new(text).strong().size(17.0));
            // A board that cannot be read may have other columns of garbage than the example.
            let is_known = live.board.is_some() || route.is_some_and(|route| route.certainty(at).inputs);
            let way = find_inputs(&before, step.placement).filter(|_| is_known);
            let buttons = way.map_or_else(String::new, |way| format!("; buttons {}", buttons(&way)));
            let chain = match step.fired.chain {
                0 => String::new(),
                chain => format!("; fires a chain of {chain}, {} points", step.fired.score),
            };
            let garbage = match step.garbage.to_string() {
                nothing if nothing.is_empty() => nothing,
                garbage => format!("; garbage: {garbage}"),
            };
            ui.label(format!("Step {} of {}{buttons}{chain}{garbage}", at + 1, steps.len()));
        }
        (Advice::Wait, _) => {
            ui.label(RichText::new("Wait for the next pair").size(15.0));
        }
        _ => {}
    }
    let ghosts: Vec<(CellPosition, Color)> = step.map_or_else(Vec::new, |step| {
        let cells = added(&before, &step.landed).into_iter();
        let puyo = |at: CellPosition| match step.landed.get(at.0, at.1) {
            Cell::Puyo(color) => Some((at, color)),
            _ => None,
        };
        cells.filter_map(puyo).collect()
    });
    let field = live.board.unwrap_or(before);
    let drawn = BoardView { ghosts: &ghosts, ..BoardView::of(&field, live.rules.rows) };
    let what = format!("Player {}, current board", player + 1);
    highlighted(ui, &drawn, diameter, &what, look, (tone, Sense::hover()));
}

/// "L L B, then Down".
fn buttons(way: &PairInputs) -> String {
    let taps: Vec<String> = way.taps.iter().map(|tap| tap.letter().to_string()).collect();
    if taps.is_empty() { "Down".into() } else { format!("{}, then Down", taps.join(" ")) }
}

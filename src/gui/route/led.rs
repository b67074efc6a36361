//! Leading a player through a route: where the pair in play belongs, on the board of now. The states are those of `follow.rs`.

use super::engine::Effort;
use super::follow::{Advice, Planned};
use super::live::LiveStart;
use super::moments::added;
use super::{REPLAN, RoutePanel, seen, words};
use crate::game::puyo::Color;
use crate::gui::board::{Drawn, marked};
use crate::gui::marks::{Mark, mark};
use crate::gui::scene::Scene;
use crate::gui::theme::Tokens;
use crate::puyo::plain::At;
use crate::puyo::{Cell, Field};
use crate::route::{Carried, Goal, Route, Start, carry};
use eframe::egui::{Color32, RichText, Sense, Ui};

/// How wide the part with the player's board is, in points.
pub const WIDTH: f32 = 178.0;

/// A player who is followed, and the state of that.
#[derive(Debug)]
pub struct Led {
    /// What is seen of the player; None while nobody knows.
    live: Option<LiveStart>,
    advice: Advice,
    player: usize,
    /// Whether another route is being planned for the player, and why.
    replanning: Option<String>,
}

impl Led {
    /// The step (from 0) that is to be made now.
    #[must_use]
    pub fn step(&self) -> Option<usize> {
        match self.advice {
            Advice::Place(step) => Some(step),
            _ => None,
        }
    }

    /// Whether the route is none for what is played now.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.advice.is_outdated()
    }

    /// Whether another route is being planned: the one before is of no use any more.
    #[must_use]
    pub fn is_replanned(&self) -> bool {
        self.replanning.is_some()
    }

    /// Whether the player's board is shown.
    #[must_use]
    pub fn shows_board(&self) -> bool {
        let hidden = match self.advice {
            Advice::NotLive | Advice::EarlierRound => true,
            Advice::Planning => !self.is_replanned(),
            _ => false,
        };
        self.live.is_some() && !hidden
    }

    /// What is to be said of the state, as in the table in `follow.rs`; `reason` is why the route was planned again.
    fn message(&self, tokens: &Tokens, reason: Option<&str>) -> Option<(Mark, Color32, String)> {
        let plain = |sign, text: &str| Some((sign, tokens.muted, text.to_owned()));
        let again = |word: &str, why: &str| Some((Mark::Warning, tokens.caution, format!("{word}: {why}")));
        match (self.advice, &self.replanning) {
            (Advice::EarlierRound, _) => {
                let text = "This route was for an earlier round. Plan again for this one";
                Some((Mark::Warning, tokens.caution, text.into()))
            }
            (_, Some(why)) => again("Replanning", why),
            (Advice::Place(_) | Advice::Wait, None) => again("Replanned", reason?),
            (Advice::OtherBoard, None) => {
                let text = "The board is not the one that this route begins on. Plan again";
                Some((Mark::Warning, tokens.caution, text.into()))
            }
            (Advice::Done, None) => {
                plain(Mark::Tick, "All pairs of the route are placed. Plan again for the pairs that follow")
            }
            (Advice::NotLive, None) => {
                plain(Mark::Ring, &format!("Player {} is not in a round", self.player + 1))
            }
            (Advice::Planning | Advice::Elsewhere(_) | Advice::Garbage, None) => None,
        }
    }
}

impl RoutePanel {
    /// Follows the player whose game the route was made for.
    pub(super) fn lead(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<Led> {
        let player = self.plan.as_ref()?.question.player?;
        let led = if self.follow.off { None } else { self.led(scene, player) };
        let tokens = scene.look.tokens;
        ui.horizontal_wrapped(|ui| {
            let mut on = !self.follow.off;
            ui.checkbox(&mut on, "Follow along").on_hover_text(
                "Shows where the pair in play belongs, and plans again when it was put elsewhere",
            );
            self.follow.off = !on;
            let reason = self.follow.reason.as_deref();
            if let Some((sign, color, text)) = led.as_ref().and_then(|led| led.message(tokens, reason)) {
                mark(ui, sign, color);
                ui.colored_label(color, text);
            }
        });
        if let Some(Led { live: Some(live), advice, .. }) = &led {
            if advice.why_replan().is_some() {
                self.replan(ui, live);
            } else if *advice == Advice::EarlierRound
                && let (Some(run), true) = (&self.run, self.plan.as_ref().is_some_and(|plan| plan.again))
            {
                run.cancel(); // nobody waits for it any more
            }
        }
        led.filter(|_| !self.follow.off)
    }

    fn led(&mut self, scene: &Scene<'_>, player: usize) -> Option<Led> {
        let plan = self.plan.as_ref()?;
        let Some(live) = seen(scene, Some(player)) else {
            return Some(Led { live: None, advice: Advice::NotLive, player, replanning: None });
        };
        let question = &plan.question;
        let planned =
            Planned { pairs: &question.start.pairs, first: question.first, route: plan.route.as_deref() };
        let frame = scene.view.data.as_ref().map_or(0, |data| data.frame);
        let advice = self.follow.look(planned, &live, frame);
        let runs = advice == Advice::Planning && plan.again && self.run.is_some();
        let replanning = self.follow.reason.clone().filter(|_| runs || advice.why_replan().is_some());
        Some(Led { live: Some(live), advice, player, replanning })
    }

    /// Plans again from where the player is now, as soon as no other planning runs.
    fn replan(&mut self, ui: &Ui, live: &LiveStart) {
        if let Some(run) = &self.run {
            run.cancel();
            return;
        }
        let Some(plan) = &self.plan else { return };
        let mut question = plan.question.clone();
        let done = live.number.saturating_sub(question.first) as usize;
        let left = question.start.pairs.len().saturating_sub(done).max(1);
        // What the steps before the last have brought; what the last one did is not known.
        let steps = plan.route.iter().flat_map(|route| &route.steps);
        let score = steps.take(done.saturating_sub(1)).map(|step| step.fired.score).sum();
        question.goal = remaining(question.goal, score, question.start.target_points);
        question.first = live.number;
        question.start = Start {
            field: live.board.unwrap_or_default(),
            pairs: live.pairs.iter().copied().take(left).collect(),
            ..question.start
        };
        let effort = Effort { time: REPLAN.min(plan.effort.time), ..plan.effort };
        self.start(ui.ctx(), question, effort, true);
    }
}

/// What is left to do of a goal when so many points are made.
fn remaining(goal: Goal, score: u32, target_points: u32) -> Goal {
    match goal {
        Goal::Points(points) => Goal::Points(points.saturating_sub(score).max(1)),
        Goal::Garbage(garbage) => Goal::Garbage(garbage.saturating_sub(score / target_points.max(1)).max(1)),
        other => other,
    }
}

/// Draws what there is to do, and the player's board with rings where the pair in play belongs.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, route: Option<&Route>, led: &Led, diameter: f32) {
    let Led { live: Some(live), player, .. } = led else { return };
    let look = &scene.look;
    let tone = scene.standing.tone();
    let steps = route.map_or(&[][..], |route| &route.steps);
    let start = route.map_or_else(Field::default, |route| route.start);
    let step = led.step().and_then(|at| steps.get(at));
    let before = led.step().and_then(|at| steps.get(at.checked_sub(1)?));
    let before = before.map_or(start, |step| step.after);
    match (led.advice, step) {
        (Advice::Place(at), Some(step)) => {
            let text = format!("Pair {}: {}", live.number + 1, words::placement(step.placement));
            ui.label(RichText::new(text).strong().size(17.0));
            let way = carry(&before, step.placement);
            let buttons = way.map_or_else(String::new, |way| format!("; buttons {}", buttons(&way)));
            let chain = match step.fired.chain {
                0 => String::new(),
                chain => format!("; fires a chain of {chain}, {} points", step.fired.score),
            };
            ui.label(format!("Step {} of {}{buttons}{chain}", at + 1, steps.len()));
        }
        (Advice::Wait, _) => {
            ui.label(RichText::new("Wait: the next pair is not there yet").size(15.0));
        }
        _ => {}
    }
    let ghosts: Vec<(At, Color)> = step.map_or_else(Vec::new, |step| {
        let cells = added(&before, &step.landed).into_iter();
        let puyo = |at: At| match step.landed.get(at.0, at.1) {
            Cell::Puyo(color) => Some((at, color)),
            _ => None,
        };
        cells.filter_map(puyo).collect()
    });
    let field = live.board.unwrap_or(before);
    let drawn = Drawn { ghosts: &ghosts, ..Drawn::of(&field, live.rules.rows) };
    let what = format!("Player {}, board now", player + 1);
    marked(ui, &drawn, diameter, &what, look, (tone, Sense::hover()));
}

/// "L L B, then Down".
fn buttons(way: &Carried) -> String {
    let taps: Vec<String> = way.taps.iter().map(|tap| tap.letter().to_string()).collect();
    if taps.is_empty() { "Down".into() } else { format!("{}, then Down", taps.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reached_counts_when_it_is_planned_anew() {
        assert_eq!(remaining(Goal::Points(1000), 640, 70), Goal::Points(360));
        assert_eq!(remaining(Goal::Points(1000), 2000, 70), Goal::Points(1));
        assert_eq!(remaining(Goal::Garbage(30), 700, 70), Goal::Garbage(20));
        assert_eq!(remaining(Goal::AllClear, 700, 70), Goal::AllClear);
    }
}

//! Leading a player through a route: where the pair in play belongs, on the board as it stands.

use super::engine::Effort;
use super::follow::Advice;
use super::live::LiveStart;
use super::moments::added;
use super::{REPLAN, RoutePanel, seen, words};
use crate::game::puyo::Color;
use crate::gui::board::{Drawn, marked};
use crate::gui::marks::{Mark, mark};
use crate::gui::scene::Scene;
use crate::puyo::Cell;
use crate::puyo::plain::At;
use crate::route::{Carried, Goal, Route, Start, carry};
use eframe::egui::{RichText, Sense, Ui};
use std::sync::Arc;

/// How wide the part with the player's board is, in points.
pub const WIDTH: f32 = 178.0;

/// How the player stands, and what there is to do.
#[derive(Debug)]
pub struct Led {
    live: LiveStart,
    advice: Advice,
    player: usize,
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
}

impl RoutePanel {
    /// Looks after the player whose game the route was made for.
    pub(super) fn lead(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<Led> {
        let plan = self.plan.as_ref()?;
        let (first, player) = (plan.question.first, plan.question.player?);
        let route = plan.route.clone();
        ui.horizontal_wrapped(|ui| {
            let mut on = !self.follow.off;
            ui.checkbox(&mut on, "Follow along").on_hover_text(
                "Shows where the pair in play belongs, and plans anew when it was put elsewhere",
            );
            self.follow.off = !on;
            if let Some(said) = self.follow.said.as_deref().filter(|_| on) {
                mark(ui, Mark::Warning, scene.look.tokens.caution);
                ui.colored_label(scene.look.tokens.caution, said);
            }
        });
        let frame = scene.view.data.as_ref().map_or(0, |data| data.frame);
        let live = seen(scene, Some(player)).filter(|_| !self.follow.off)?;
        let route = route?;
        if plan.outdated {
            return Some(Led { live, advice: Advice::Anew, player });
        }
        let advice = self.follow.look(&route, first, &live, frame);
        if let Some(why) = advice.why_replan() {
            self.replan(ui, &route, &live, &why);
        }
        Some(Led { live, advice, player })
    }

    /// Plans anew from where the player stands, as soon as no other planning runs.
    fn replan(&mut self, ui: &Ui, route: &Arc<Route>, live: &LiveStart, why: &str) {
        if let Some(run) = &self.run {
            run.cancel();
            return;
        }
        let Some(plan) = &self.plan else { return };
        let mut question = plan.question.clone();
        let done = live.number.saturating_sub(question.first) as usize;
        let left = question.start.pairs.len().saturating_sub(done).max(1);
        // What the steps before the last have brought; what the last one did is not known.
        let score = route.steps.iter().take(done.saturating_sub(1)).map(|step| step.fired.score).sum();
        question.goal = remaining(question.goal, score, question.start.target_points);
        question.first = live.number;
        question.start = Start {
            field: live.board.unwrap_or_default(),
            pairs: live.pairs.iter().copied().take(left).collect(),
            ..question.start
        };
        let effort = Effort { time: REPLAN.min(plan.effort.time), ..plan.effort };
        self.follow.said = Some(format!("Replanned: {why}"));
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

/// Draws what there is to do, and the board as it stands with rings where the pair in play belongs.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, route: &Route, led: &Led, diameter: f32) {
    let Led { live, advice, player } = led;
    let look = &scene.look;
    let tone = scene.standing.tone();
    let step = led.step().and_then(|at| route.steps.get(at));
    let before = led.step().and_then(|at| route.steps.get(at.checked_sub(1)?));
    let before = before.map_or(route.start, |step| step.after);
    match (led.step(), step) {
        (Some(at), Some(step)) => {
            let text = format!("Pair {}: {}", live.number + 1, words::placement(step.placement));
            ui.label(RichText::new(text).strong().size(17.0));
            let way = carry(&before, step.placement);
            let buttons = way.map_or_else(String::new, |way| format!("; buttons {}", buttons(&way)));
            let chain = match step.fired.chain {
                0 => String::new(),
                chain => format!("; fires a chain of {chain}, {} points", step.fired.score),
            };
            ui.label(format!("Step {} of {}{buttons}{chain}", at + 1, route.steps.len()));
        }
        _ => {
            ui.label(RichText::new(in_words(*advice, route)).size(15.0));
        }
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

fn in_words(advice: Advice, route: &Route) -> String {
    match advice {
        Advice::Place(_) | Advice::Wait => "Wait: the next pair is not there yet".into(),
        Advice::Elsewhere(_) | Advice::Garbage | Advice::Anew => "Planning anew".into(),
        Advice::Done => format!("All {} pairs stand as planned", route.steps.len()),
        Advice::Other => {
            "This is not what the route was made for: another round, other pairs, or another board. Plan again".into()
        }
    }
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

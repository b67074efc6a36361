//! Leading a player through a route: where the pair in play belongs, on the board as it stands.

use super::board::{self, Drawn};
use super::engine::Effort;
use super::follow::Advice;
use super::live::LiveStart;
use super::moments::added;
use super::{REPLAN, RoutePanel, seen, words};
use crate::game::puyo::Color;
use crate::gui::marks::{Mark, mark};
use crate::gui::puyo;
use crate::gui::scene::Scene;
use crate::gui::widgets::card;
use crate::puyo::plain::At;
use crate::puyo::{Cell, Field};
use crate::route::{Goal, Route, Start};
use eframe::egui::{RichText, Sense, Ui};
use std::sync::Arc;

/// The diameter of the puyos on the board, and of the pair in play, in points.
const DIAMETER: f32 = 15.0;
const PAIR: f32 = 26.0;

impl RoutePanel {
    /// Leads the player whose game the route was made for; the step (from 0) that is to be made now.
    pub(super) fn lead(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<usize> {
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
        let advice = self.follow.look(&route, first, &live, frame);
        if let Some(why) = advice.why_replan() {
            self.replan(ui, &route, &live, &why);
        }
        card(ui, scene.look.tokens, |ui| advise(ui, scene, &route, &live, advice, player));
        match advice {
            Advice::Place(step) => Some(step),
            _ => None,
        }
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
        self.player.clear();
        self.start(ui.ctx(), question, effort);
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

fn advise(ui: &mut Ui, scene: &Scene<'_>, route: &Route, live: &LiveStart, advice: Advice, player: usize) {
    let look = &scene.look;
    let tone = scene.standing.tone();
    let step = match advice {
        Advice::Place(step) => route.steps.get(step),
        _ => None,
    };
    let before = match advice {
        Advice::Place(at) => {
            at.checked_sub(1).and_then(|at| route.steps.get(at)).map_or(route.start, |step| step.after)
        }
        _ => Field::default(),
    };
    let field = live.board.unwrap_or(before);
    let ghosts: Vec<(At, Color)> = step.map_or_else(Vec::new, |step| {
        let cells = added(&before, &step.landed).into_iter();
        let puyo = |at: At| match step.landed.get(at.0, at.1) {
            Cell::Puyo(color) => Some((at, color)),
            _ => None,
        };
        cells.filter_map(puyo).collect()
    });
    ui.horizontal_top(|ui| {
        let drawn = Drawn { ghosts: &ghosts, ..Drawn::of(&field, live.rules.rows) };
        board::show(
            ui,
            &drawn,
            DIAMETER,
            &format!("Player {}, board now", player + 1),
            look,
            (tone, Sense::hover()),
        );
        ui.vertical(|ui| match (advice, step) {
            (Advice::Place(at), Some(step)) => {
                let number = live.number + 1;
                ui.weak(format!("Step {} of {}", at + 1, route.steps.len()));
                puyo::pair(ui, step.pair, PAIR, &format!("player {}, now", player + 1), look, tone);
                let text = format!("Pair {number}: {}", words::placement(step.placement));
                ui.label(RichText::new(text).strong().size(19.0));
                if step.fired.chain > 0 {
                    ui.label(format!(
                        "It fires a chain of {}, {} points",
                        step.fired.chain, step.fired.score
                    ));
                }
            }
            _ => {
                ui.label(RichText::new(in_words(advice, route)).size(15.0));
            }
        });
    });
}

fn in_words(advice: Advice, route: &Route) -> String {
    match advice {
        Advice::Place(_) | Advice::Wait => "Wait: the next pair is not there yet".into(),
        Advice::Elsewhere(_) | Advice::Garbage => "Planning anew".into(),
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

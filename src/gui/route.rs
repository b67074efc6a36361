//! The route panel: what is asked of the planner, what it found, and leading a player through it.

mod answer;
mod asked;
mod engine;
mod files;
mod follow;
mod form;
mod led;
mod live;
mod moments;
mod words;

pub use asked::{Ground, RouteSettings, Source, Wanted};

use super::marks::{Mark, mark};
use super::scene::Scene;
use super::widgets::banner;
use crate::route::Route;
use asked::Question;
use eframe::egui::{Button, Context, RichText, ScrollArea, Ui};
use engine::{Effort, Run, Told};
use files::Files;
use follow::Follow;
use led::Led;
use live::LiveStart;
use moments::Player;
use std::sync::Arc;
use std::time::Duration;

/// How long is thought when a pair was put elsewhere than planned: the next one is already in play.
const REPLAN: Duration = Duration::from_secs(1);

/// What was planned, or is being planned.
struct Plan {
    question: Question,
    effort: Effort,
    /// The best route so far.
    route: Option<Arc<Route>>,
    /// Whether it is for a player who left the route before.
    again: bool,
    /// What is to be said of it; None while it is being planned.
    told: Option<Told>,
}

/// What the panel remembers.
#[derive(Default)]
pub struct RoutePanel {
    run: Option<Run>,
    plan: Option<Plan>,
    player: Player,
    follow: Follow,
    files: Files,
    trouble: Option<String>,
    /// The height of what stands between the buttons and the boards, in points.
    head: f32,
    focus: bool,
    /// Whether a command asks to plan, and to follow.
    asks: (bool, bool),
}

impl RoutePanel {
    /// The keyboard goes to the button that plans.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Plans what is entered, or ends the planning.
    pub fn plan(&mut self) {
        self.asks.0 = true;
    }

    /// Begins or ends to lead the player.
    pub fn follow(&mut self) {
        self.asks.1 = true;
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, asked: &mut RouteSettings) {
        self.take();
        if std::mem::take(&mut self.asks.1) {
            self.follow.off = !self.follow.off;
        }
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let live = seen(scene, asked.source.player());
            form::show(ui, scene, asked, live.as_ref());
            self.buttons(ui, scene, asked, live.as_ref());
            self.progress(ui, scene);
            let led = self.lead(ui, scene);
            let replanned = led.as_ref().filter(|led| led.is_replanned());
            let outdated = led.as_ref().is_some_and(Led::is_outdated);
            let top = ui.cursor().top();
            if let Some(led) = replanned {
                if led.shows_board() {
                    ui.add_space(self.head); // the board stays where it is while there is no route
                    let rows = self.plan.as_ref().map_or(13, |plan| plan.question.start.rules.rows);
                    let diameter = answer::diameter(ui, rows);
                    led::show(ui, scene, None, led, diameter);
                }
            } else if let Some(route) = self.plan.as_ref().and_then(|plan| plan.route.clone()) {
                self.verdict(ui, scene, &route, outdated);
                if outdated {
                    ui.multiply_opacity(0.6);
                }
                let shown = self.player.moment().map(|moment| moment.field);
                self.files.show(ui, scene, asked, &route, shown.as_ref());
                self.head = ui.cursor().top() - top;
                answer::show(ui, scene, &route, &mut self.player, led.as_ref());
            } else if self.plan.is_none() {
                ui.weak(
                    "Nothing planned yet: say where the pairs come from and what is wanted, and press Plan",
                );
            }
        });
    }

    fn buttons(
        &mut self,
        ui: &mut Ui,
        scene: &Scene<'_>,
        asked: &mut RouteSettings,
        live: Option<&LiveStart>,
    ) {
        ui.horizontal_wrapped(|ui| {
            form::goal(ui, asked);
            let question = asked.question(live);
            let runs = self.run.is_some();
            let button = ui.add_enabled(!runs && question.is_some(), Button::new("Plan"));
            if std::mem::take(&mut self.focus) {
                button.request_focus();
            }
            let cancel = ui.add_enabled(runs, Button::new("Cancel"));
            let cancel = cancel.on_hover_text("Ends it with the best route so far").clicked();
            let toggled = std::mem::take(&mut self.asks.0);
            match (&self.run, question) {
                (Some(run), _) if cancel || toggled => run.cancel(),
                (None, Some(question)) if button.clicked() || toggled => {
                    self.follow.forget();
                    let effort =
                        Effort { time: Duration::from_secs(asked.seconds.into()), threads: asked.threads };
                    self.start(ui.ctx(), question, effort, false);
                }
                _ => {}
            }
        });
        let nothing = match self.plan.as_ref().and_then(|plan| plan.told.as_ref()) {
            Some(Told::Nothing(why)) => Some(why),
            _ => None,
        };
        for why in self.trouble.iter().chain(nothing) {
            let tokens = scene.look.tokens;
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, why);
        }
    }

    /// Starts to plan; `again` when it is for a player who left the route that is shown.
    fn start(&mut self, ctx: &Context, question: Question, effort: Effort, again: bool) {
        match Run::start(question.clone(), effort, ctx.clone()) {
            Ok(run) => {
                (self.run, self.trouble) = (Some(run), None);
                self.player.clear();
                self.plan = Some(Plan { question, effort, again, route: None, told: None });
            }
            Err(error) => self.trouble = Some(format!("The system gives no thread to plan: {error}")),
        }
    }

    /// Takes over what the planner has found.
    fn take(&mut self) {
        let (Some(run), Some(plan)) = (&self.run, &mut self.plan) else { return };
        let ended = run.take();
        let best = run.best();
        let newer = best.filter(|best| plan.route.as_ref().is_none_or(|known| !Arc::ptr_eq(known, best)));
        if let Some(best) = newer {
            self.player.take(&best);
            plan.route = Some(best);
        }
        match ended {
            Some(Ok(told)) => {
                (plan.told, self.run) = (Some(told), None);
            }
            Some(Err(why)) => (self.run, self.trouble) = (None, Some(why)),
            None => {}
        }
    }

    fn progress(&self, ui: &mut Ui, scene: &Scene<'_>) {
        let Some(run) = &self.run else { return };
        ui.horizontal_wrapped(|ui| {
            mark(ui, Mark::Play, scene.look.tokens.accent);
            ui.label(run.progress());
        });
        ui.ctx().request_repaint_after(engine::NEWS_EVERY);
    }

    /// What the route is worth, and whether that is what was asked for; of one that is `outdated` only what it was worth.
    fn verdict(&self, ui: &mut Ui, scene: &Scene<'_>, route: &Route, outdated: bool) {
        let Some(plan) = &self.plan else { return };
        let tokens = scene.look.tokens;
        if outdated {
            ui.weak(RichText::new(answer::totals(route)).size(15.0));
            return;
        }
        let met = plan.question.goal.is_met(route);
        let (sign, color) = if met { (Mark::Tick, tokens.good) } else { (Mark::Cross, tokens.bad) };
        ui.horizontal_wrapped(|ui| {
            mark(ui, sign, color);
            ui.label(RichText::new(answer::totals(route)).strong().size(15.0));
            let asked = if met { "asked for" } else { "not reached:" };
            ui.weak(format!("{asked} {}", plan.question.goal));
            if let Some(Told::Found(text)) = &plan.told {
                ui.weak(text);
            }
        });
    }
}

/// How the player stands whose pairs are asked for, as long as that is known.
fn seen(scene: &Scene<'_>, player: Option<usize>) -> Option<LiveStart> {
    player.filter(|_| scene.standing.is_current()).and_then(|player| LiveStart::of(scene.view, player))
}

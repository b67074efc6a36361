//! The route panel: planner settings, the planned route, and following a player along it.

mod attack_form;
mod choices;
mod engine;
mod files;
mod follow;
mod follow_panel;
mod form;
mod goal_form;
mod goals;
mod limits;
mod live;
mod placement_text;
mod preview;
mod replan;
mod request;
mod result;
mod source;
mod state;
mod timeline;
mod used_profile;

pub use goals::{AttackInput, GoalKind, GoalNumbers};
pub use request::RouteSettings;
pub use source::{PairSource, StartBoard};

pub use state::RoutePanel;

use super::marks::{Mark, mark};
use super::ui_context::UiContext;
use super::widgets::{banner, steady_area};
use crate::profile::Profile;
use crate::route::{Route, goals_text};
use choices::Choices;
use eframe::egui::{Button, Context, RichText, Ui};
use engine::{Effort, PlanEnd, PlanResult, Run};
use follow_panel::FollowPanel;
use live::{LiveStart, live_start};
use request::PlanRequest;
use state::Plan;
use std::sync::Arc;
use std::time::Duration;
use used_profile::used_profile;

impl RoutePanel {
    /// Focuses the Plan button.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Starts or stops planning.
    pub fn plan(&mut self) {
        self.asks.0 = true;
    }

    /// Starts or stops following.
    pub fn follow(&mut self) {
        self.asks.1 = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, settings: &mut RouteSettings) {
        self.take();
        self.follow_game(cx.view.target.as_ref().map(|target| target.profile.game), settings);
        if std::mem::take(&mut self.asks.1) {
            self.follow.off = !self.follow.off;
        }
        // The form wraps, so that its height depends on the width.
        steady_area().show(ui, |ui| {
            let live = live_start(cx, settings.source.player());
            form::show(ui, cx, settings, live.as_ref());
            self.buttons(ui, cx, settings, live.as_ref());
            self.progress(ui, cx);
            let followed = self.follow_player(ui, cx);
            let replanned = followed.as_ref().filter(|followed| followed.is_replanned());
            let outdated = followed.as_ref().is_some_and(FollowPanel::is_outdated);
            let top = ui.cursor().top();
            if let Some(followed) = replanned {
                if followed.shows_board() {
                    ui.add_space(self.head); // keep the board in place while there is no route
                    let rows = self.plan.as_ref().map_or(13, |plan| plan.request.start.rules.rows);
                    let diameter = result::diameter(ui, rows);
                    follow_panel::show(ui, cx, None, followed, diameter);
                }
            } else if let Some(route) = self.plan.as_ref().and_then(|plan| plan.route.clone()) {
                self.verdict(ui, cx, &route, outdated);
                if outdated {
                    ui.multiply_opacity(0.6);
                }
                let shown = self.player.current().map(|step| step.field);
                let profile = self
                    .plan
                    .as_ref()
                    .and_then(|plan| used_profile(cx, plan.request.start.rules, plan.request.game));
                let profile = profile.as_deref();
                self.files.show(ui, cx, settings, &route, profile, shown.as_ref());
                if self.run.is_none() {
                    self.choose(ui, settings, profile);
                }
                self.head = ui.cursor().top() - top;
                result::show(ui, cx, &route, &mut self.player, followed.as_ref());
            } else if self.plan.is_none() {
                ui.weak(
                    "No route yet. Choose the pairs and a goal, then press Plan. \
                     The route appears here: every placement with its board, chains, points and inputs",
                );
                preview::board(ui, cx, settings, live.as_ref());
            }
        });
    }

    fn buttons(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        settings: &mut RouteSettings,
        live: Option<&LiveStart>,
    ) {
        ui.horizontal_wrapped(|ui| {
            let profile = used_profile(cx, settings.rules(live), settings.game());
            let profile = profile.as_deref();
            let wrong = settings.timing(profile).err();
            goal_form::show(ui, cx.look.tokens, settings, wrong.as_deref());
            let request = settings.request(live, profile);
            let runs = self.run.is_some();
            let button = ui.add_enabled(!runs && request.is_some(), Button::new("Plan"));
            let button = button.on_hover_text("Search for the best placements of these pairs");
            let button = button.on_disabled_hover_text(if runs {
                "Planning"
            } else {
                "Correct the inputs with an error first"
            });
            if std::mem::take(&mut self.focus) {
                button.request_focus();
            }
            let cancel = ui.add_enabled(runs, Button::new("Cancel"));
            let cancel = cancel.on_hover_text("Stop and use the best route so far").clicked();
            let toggled = std::mem::take(&mut self.asks.0);
            match (&self.run, request) {
                (Some(run), _) if cancel || toggled => run.cancel(),
                (None, Some(request)) if button.clicked() || toggled => {
                    self.follow.reset();
                    let effort = Effort {
                        time: Duration::from_secs(settings.seconds.into()),
                        threads: settings.threads,
                        routes: settings.routes,
                    };
                    self.start(ui.ctx(), request, effort, false);
                }
                _ => {}
            }
        });
        ui.weak(settings.goal_kind.meaning());
        let nothing = match self.plan.as_ref().and_then(|plan| plan.result.as_ref()) {
            Some(PlanResult::Nothing(why)) => Some(why),
            _ => None,
        };
        for why in self.trouble.iter().chain(nothing) {
            let tokens = cx.look.tokens;
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, why);
        }
    }

    /// Starts planning; `again` is a replan after a wrong placement.
    fn start(&mut self, ctx: &Context, request: PlanRequest, effort: Effort, again: bool) {
        (self.run, self.trouble) = (Some(Run::start(request.clone(), effort, ctx)), None);
        self.player.clear();
        self.files.forget();
        let choices = Choices::default();
        let (route, frames, result) = (None, None, None);
        self.plan = Some(Plan { request, effort, again, route, frames, result, choices });
    }

    /// Reads the planner's progress.
    fn take(&mut self) {
        let (Some(run), Some(plan)) = (&self.run, &mut self.plan) else { return };
        let ended = run.take();
        let best = run.best();
        let newer = best.filter(|best| plan.route.as_ref().is_none_or(|known| !Arc::ptr_eq(known, best)));
        if let Some(best) = newer {
            self.player.take(&best);
            self.files.forget();
            plan.set_route(best);
        }
        match ended {
            Some(Ok(PlanEnd { result, routes })) => {
                plan.choices = Choices::new(routes);
                (plan.result, self.run) = (Some(result), None);
            }
            Some(Err(why)) => (self.run, self.trouble) = (None, Some(why)),
            None => {}
        }
    }

    /// The routes to choose from.
    fn choose(&mut self, ui: &mut Ui, settings: &mut RouteSettings, profile: Option<&Profile>) {
        let Some(plan) = &mut self.plan else { return };
        if let Some(chosen) = plan.choices.show(ui, profile, &mut settings.order, plan.route.as_deref()) {
            self.player.take(&chosen);
            self.files.forget();
            self.follow.reset();
            plan.set_route(Arc::new(chosen));
            ui.ctx().request_repaint(); // the verdict was drawn before the click
        }
    }

    fn progress(&self, ui: &mut Ui, cx: &UiContext<'_>) {
        let Some(run) = &self.run else { return };
        ui.horizontal_wrapped(|ui| {
            mark(ui, Mark::Play, cx.look.tokens.accent);
            ui.label(run.progress());
        });
        ui.ctx().request_repaint_after(engine::UPDATE_INTERVAL);
    }

    /// The score of the route and, once planning has ended, whether it reaches the goal; for an `outdated` route only the score.
    fn verdict(&self, ui: &mut Ui, cx: &UiContext<'_>, route: &Route, outdated: bool) {
        let Some(plan) = &self.plan else { return };
        let tokens = cx.look.tokens;
        if outdated {
            ui.weak(RichText::new(result::totals(route)).size(15.0));
            return;
        }
        if self.run.is_some() {
            ui.horizontal_wrapped(|ui| {
                mark(ui, Mark::Ring, tokens.muted);
                ui.label(RichText::new(result::totals(route)).strong().size(15.0));
                ui.weak(format!("Best so far for {}", goals_text(&plan.request.goals)));
            });
            return;
        }
        let outlook = route.outlook_under_attack();
        // A route to several goals reaches all of them.
        let met = match (outlook, &plan.request.goals[..]) {
            (Some(outlook), _) => outlook.is_guaranteed(),
            (None, [goal]) => goal.is_met(route),
            (None, _) => true,
        };
        let (sign, color, verdict) = match (met, outlook) {
            (true, _) => (Mark::Tick, tokens.good, "Reached"),
            (false, Some(_)) => (Mark::Warning, tokens.caution, "Not guaranteed"),
            (false, None) => (Mark::Cross, tokens.bad, "Not reached"),
        };
        ui.horizontal_wrapped(|ui| {
            mark(ui, sign, color);
            ui.label(RichText::new(result::totals(route)).strong().size(15.0));
            ui.weak(format!("{verdict}: {}", goals_text(&plan.request.goals)));
            if let Some(frames) = &plan.frames {
                ui.weak(frames);
            }
            if let Some(PlanResult::Found(text)) = &plan.result {
                ui.weak(text);
            }
        });
        if let Some(outlook) = outlook {
            ui.horizontal_wrapped(|ui| {
                for sentence in outlook.sentences() {
                    ui.label(sentence);
                }
            });
        }
    }
}

#[cfg(test)]
mod player_tests;

//! The Learn panel: how an unknown game deals, from its RAM and the deals that the user notes.

mod deals;
mod engine;
mod results;
mod source;

use super::marks::Mark;
use super::ui_context::UiContext;
use super::widgets::{banner, progress_row};
use crate::process::Pid;
use crate::research::learn::{Hints, LEAST};
use crate::text::counted;
use deals::{Moment, NotedDeals};
use eframe::egui::{self, Button, RichText, ScrollArea, Ui};
use engine::{Learned, LiveSamples, Search, Supply, search};
use results::Results;
use source::{Chooser, Kind, recording};
use std::sync::Arc;
use std::time::Duration;

/// Deals that usually settle a rule.
const USUAL: usize = 40;
/// How often the numbers of samples are drawn.
const REPAINT_EVERY: Duration = Duration::from_millis(250);

#[derive(Default)]
pub struct LearnPanel {
    chooser: Chooser,
    live: Option<LiveSamples>,
    deals: NotedDeals,
    /// Whether they are of a recording, and not of a running game.
    is_recorded: bool,
    /// Those of the other source.
    other_deals: NotedDeals,
    search: Option<Search>,
    learned: Option<Learned>,
    problem: Option<String>,
    results: Results,
    focus: bool,
}

impl LearnPanel {
    /// Focuses the deals, or what comes before them.
    pub const fn focus(&mut self) {
        self.focus = true;
    }

    /// Selects the game in this process.
    pub fn select(&mut self, pid: Pid) {
        if self.live.as_ref().is_none_or(|live| !live.is_running()) {
            self.chooser.select(pid);
        }
        self.focus = true;
    }

    /// Takes the last deal back.
    pub fn undo(&mut self) {
        self.deals.undo();
    }

    /// Whether the deals have the keyboard.
    pub fn has_keyboard(ctx: &egui::Context) -> bool {
        NotedDeals::has_keyboard(ctx)
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        self.poll();
        let tokens = cx.look.tokens;
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            let running = self.live.as_ref().is_some_and(LiveSamples::is_running);
            self.chooser.show(ui, cx, running);
            let kind = self.chooser.kind(cx);
            let is_recorded = kind == Kind::Recording;
            if is_recorded != self.is_recorded {
                std::mem::swap(&mut self.deals, &mut self.other_deals);
                self.is_recorded = is_recorded;
            }
            let missing = self.chooser.missing(cx).filter(|_| !running);
            // In its own scope: banners would otherwise change the ids of the following widgets, which would lose the focus.
            ui.scope(|ui| {
                if let Some(missing) = missing {
                    banner(ui, tokens.caution_fill, tokens.caution, Mark::Question, missing);
                }
                if !is_recorded {
                    self.sampling(ui, cx, missing.is_none());
                }
            });
            let moment = self.moment(cx, is_recorded);
            let mut focus = self.focus && moment.is_some();
            // The first sample of a game that was just started is to come.
            let is_waiting = self.live.as_ref().is_some_and(LiveSamples::is_running) && !is_recorded;
            self.focus &= !focus && is_waiting;
            self.deals.show(ui, cx, moment, &mut focus);
            if is_recorded {
                self.deals.text_field(ui);
            }
            ui.scope(|ui| self.searching(ui, cx, is_recorded && missing.is_some()));
            ui.add_space(6.0);
            match &self.learned {
                Some(learned) => self.results.show(ui, cx, learned),
                None => explanation(ui),
            }
        });
    }

    fn poll(&mut self) {
        if let Some(live) = &mut self.live {
            live.poll();
        }
        let Some(ended) = self.search.as_ref().and_then(Search::poll) else { return };
        self.search = None;
        match ended {
            Ok(Ok(learned)) => {
                (self.learned, self.problem) = (Some(learned), None);
                self.results.forget();
            }
            Ok(Err(why)) => self.problem = Some(why),
            Err(error) => self.problem = Some(format!("The search {error}. Press Learn rule to retry")),
        }
    }

    /// When a deal that is noted now is in play.
    fn moment(&self, cx: &UiContext<'_>, is_recorded: bool) -> Option<Moment> {
        if is_recorded {
            return cx.view.replay.as_ref().map(|replay| Moment::Frame(replay.frame));
        }
        let live = self.live.as_ref().filter(|live| live.is_running())?;
        live.samples().checked_sub(1).map(Moment::Sample)
    }

    /// Starts and stops the samples of a running game.
    fn sampling(&mut self, ui: &mut Ui, cx: &UiContext<'_>, is_ready: bool) {
        let tokens = cx.look.tokens;
        ui.horizontal_wrapped(|ui| {
            if let Some(live) = self.live.as_ref().filter(|live| live.is_running()) {
                if ui.button("Stop sampling").on_hover_text("The samples and the deals stay").clicked() {
                    live.end();
                }
            } else {
                let text = if self.live.is_some() { "Start again" } else { "Start sampling" };
                let start = ui.add_enabled(is_ready, Button::new(RichText::new(text).strong()));
                if std::mem::take(&mut self.focus) {
                    start.request_focus();
                }
                let hover = "Read the RAM in every frame, from now on. Deals and samples so far are dropped";
                if start.on_hover_text(hover).clicked()
                    && let Some(open) = self.chooser.open(cx)
                {
                    self.chooser.settle(cx);
                    self.live = Some(LiveSamples::start(ui.ctx(), open));
                    self.deals.clear();
                    (self.problem, self.focus) = (None, true);
                }
            }
            if let Some(live) = &self.live {
                let samples = counted(live.samples() as u64, "sample");
                ui.label(format!("{samples}, {}", counted(self.deals.written().len() as u64, "deal")));
                match live.source() {
                    Some(source) => drop(ui.weak(source.name)),
                    None if live.is_running() => drop(ui.weak("Locating the RAM…")),
                    None => {}
                }
            }
        });
        if let Some(why) = self.live.as_ref().and_then(LiveSamples::problem) {
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, why);
        }
        if self.live.as_ref().is_some_and(LiveSamples::is_running) {
            ui.ctx().request_repaint_after(REPAINT_EVERY);
        }
    }

    /// The search: its button, its progress, and why it failed.
    fn searching(&mut self, ui: &mut Ui, cx: &UiContext<'_>, is_missing: bool) {
        let tokens = cx.look.tokens;
        let noted = self.deals.written().len();
        ui.horizontal_wrapped(|ui| {
            let is_ready = noted >= LEAST && !self.deals.is_wrong() && !is_missing && self.search.is_none();
            let learn = ui.add_enabled(is_ready, Button::new(RichText::new("Learn rule").strong()));
            let hover = "Search how the noted deals are made. Sampling goes on, and you can note more and search again";
            if learn.on_hover_text(hover).clicked()
                && let Some(supply) = self.supply(cx)
            {
                let hints = Hints { from_start: self.deals.from_start, ..Hints::default() };
                self.search = Some(search(ui.ctx(), supply, self.deals.written().clone(), hints));
                self.problem = None;
            }
            let (text, color) = match noted {
                0..LEAST => {
                    let left = counted((LEAST - noted) as u64, "more deal");
                    (format!("{left} at least; {USUAL} are usually enough"), tokens.muted)
                }
                LEAST..USUAL => {
                    (format!("{} noted; {USUAL} are usually enough", counted(noted as u64, "deal")), tokens.muted)
                }
                _ => (format!("{} noted", counted(noted as u64, "deal")), tokens.text),
            };
            ui.colored_label(color, text);
        });
        if let Some(search) = &self.search {
            let share = search.progress().share();
            let text = format!("{} {:.0} %", *search.note(), share * 100.0);
            let hover = "End the search and show what is known until now";
            if progress_row(ui, share, text, "Stop").on_hover_text(hover).clicked() {
                search.progress().stop();
            }
            ui.ctx().request_repaint_after(REPAINT_EVERY);
        }
        if let Some(why) = &self.problem {
            banner(ui, tokens.bad_fill, tokens.bad, Mark::Cross, why);
        }
    }

    fn supply(&self, cx: &UiContext<'_>) -> Option<Supply> {
        if self.is_recorded {
            return Some(Supply::Recording(Arc::clone(recording(cx)?), self.chooser.frames().ok()?));
        }
        self.live.as_ref()?.supply()
    }
}

fn explanation(ui: &mut Ui) {
    ui.weak(
        "Nothing learned yet. Start sampling at the beginning of a game and note each piece while it falls, without a gap. \
         Nextscope finds the generator, the cells of the pieces and the rule, and makes a profile of them",
    );
}

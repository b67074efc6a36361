//! The seeds panel: from observed pairs or pieces to the matching seeds, probabilities of the next pair, and certain pairs.

mod engine;
mod find_form;
mod history;
mod input;
mod pair_request;
mod piece_job;
mod piece_request;
mod piece_search;
mod results;
mod state;
mod widgets;

pub use history::History;
pub use pair_request::{Game, PairRequest};
pub use state::SeedsPanel;

use super::ui_context::UiContext;
use eframe::egui::{self, ScrollArea, Ui};
use engine::{Anniversary, MAX_WAIT, Ready, Search, Tsu, failed, search_anniversary};
use history::Entry;

impl SeedsPanel {
    /// Sends the next letters to the pairs.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, history: &mut History) {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            input::choices(ui, self, cx, history);
            if self.form.game.is_some() {
                self.form.show(ui, cx);
                return;
            }
            if self.single.game.is_some() {
                self.single.show(ui, cx, history, &mut self.focus);
                return;
            }
            let search = input::pairs(ui, self, cx);
            self.update_search(ui.ctx(), history);
            ui.add_space(4.0);
            match self.request.game {
                Game::Anniversary => results::anniversary(ui, self, cx),
                Game::Tsu => results::tsu(ui, self, cx, search),
            }
        });
    }

    /// Restores a request from the history or the emulator.
    fn restore(&mut self, request: PairRequest) {
        (self.single.game, self.form.game) = (None, None);
        request.pieces().clone_into(&mut self.typed);
        (self.request, self.wrong, self.chosen, self.focus) = (request, None, None, true);
    }

    /// Restores an entry of the history.
    fn reopen(&mut self, entry: Entry) {
        match entry.single {
            Some(single) => {
                self.form.game = None;
                self.single.restore(&single);
                self.focus = true;
            }
            None => self.restore(entry.request),
        }
    }

    /// Posts the request to the searchers and reads their results.
    fn update_search(&mut self, ctx: &egui::Context, history: &mut History) {
        match self.request.game {
            Game::Anniversary => self.ask_anniversary(ctx, history),
            Game::Tsu => self.narrow_tsu(ctx),
        }
        let Some(search) = &self.search else { return };
        match search.task.poll() {
            Some(Ok(Some(found))) => {
                let full = search.full;
                self.search = None;
                if full {
                    history.add_pairs(&found.request, found.report().sentence());
                    (self.full, self.narrowed) = (Some(found), None);
                    self.narrow_tsu(ctx);
                } else {
                    self.narrowed = Some(found);
                }
            }
            Some(Err(error)) => {
                self.crashed = self.search.take().map(|search| search.request);
                self.trouble = Some(failed(&error));
            }
            Some(Ok(None)) | None => {}
        }
    }

    fn ask_anniversary(&mut self, ctx: &egui::Context, history: &mut History) {
        if self.current().is_some() || self.crashed.as_ref() == Some(&self.request) {
            return;
        }
        let (request, narrowing) = (&self.request, &mut self.narrowing);
        let asked =
            self.asked.get_or_insert_with(|| search_anniversary(request.clone(), narrowing.take(), ctx));
        let Some(ended) = asked.wait(MAX_WAIT) else { return };
        self.asked = None;
        match ended {
            Ok((answer, narrowing)) => {
                (self.narrowing, self.trouble) = (narrowing, None);
                let request = &answer.request;
                if *request != self.request {
                    ctx.request_repaint(); // asks again
                } else if !request.pieces().is_empty() {
                    history.add_pairs(request, results::summary(&answer));
                }
                self.answer = Some(answer);
            }
            Err(error) => (self.crashed, self.trouble) = (Some(self.request.clone()), Some(failed(&error))),
        }
    }

    /// The result for the current request, if ready.
    fn current(&self) -> Option<&Anniversary> {
        self.answer.as_deref().filter(|answer| answer.request == self.request)
    }

    /// The same for Puyo Puyo Tsu.
    fn current_tsu(&self) -> Option<&Tsu> {
        let both = [self.full.as_deref(), self.narrowed.as_deref()];
        both.into_iter().flatten().find(|found| found.request == self.request)
    }

    /// Filters the states of a previous search when more pairs are entered.
    fn narrow_tsu(&mut self, ctx: &egui::Context) {
        if self.current_tsu().is_some() || self.search.as_ref().is_some_and(|search| search.full) {
            return;
        }
        let Some(full) = self.full.as_deref().filter(|full| full.found.complete) else { return };
        let running = self.search.as_ref().is_some_and(|search| search.request == self.request);
        let crashed = self.crashed.as_ref() == Some(&self.request);
        if running || crashed || !self.request.narrows(&full.request) {
            return;
        }
        if let Ok(Some(ready)) = Ready::of(&self.request) {
            self.start(Search::start(&self.request, ready, Some(&full.found), ctx));
        }
    }

    fn search_tsu(&mut self, ctx: &egui::Context, ready: Ready) {
        self.start(Search::start(&self.request, ready, None, ctx));
    }

    fn start(&mut self, search: Search) {
        (self.search, self.trouble, self.crashed) = (Some(search), None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;

    #[test]
    fn a_search_that_crashes_is_reported_and_over() {
        let mut panel = SeedsPanel::default();
        panel.request.game = Game::Tsu;
        let task = Task::start("test", || (), |_| panic!("a fault"));
        panel.search = Some(Search { request: panel.request.clone(), full: true, task });
        while panel.search.is_some() {
            panel.update_search(&egui::Context::default(), &mut History::default());
        }
        assert_eq!(panel.trouble.as_deref(), Some("The search crashed: a fault. Edit the input to retry"));
        assert_eq!(panel.crashed, Some(panel.request));
    }

    #[test]
    fn a_search_among_the_games_that_crashes_is_reported_and_not_begun_again() {
        let asked = Some(Task::start("test", || (), |_| panic!("a fault")));
        let mut panel = SeedsPanel { asked, ..SeedsPanel::default() };
        while panel.trouble.is_none() {
            panel.update_search(&egui::Context::default(), &mut History::default());
        }
        panel.update_search(&egui::Context::default(), &mut History::default());
        assert!(panel.asked.is_none() && panel.answer.is_none());
        assert_eq!(panel.trouble.as_deref(), Some("The search crashed: a fault. Edit the input to retry"));
    }
}

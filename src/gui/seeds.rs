//! The seeds panel: from observed pairs or pieces to the matching seeds, probabilities of the next pair, and certain pairs.

mod engine;
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
use crate::seeds::Crashed;
use eframe::egui::{self, ScrollArea, Ui};
use engine::{Anniversary, CRASHED, Ready, Search, Tsu, Worker};
use history::Entry;

impl SeedsPanel {
    /// Sends the next letters to the pairs.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, history: &mut History) {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            input::choices(ui, self, cx, history);
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
        self.single.game = None;
        request.pieces().clone_into(&mut self.typed);
        (self.request, self.wrong, self.chosen, self.focus) = (request, None, None, true);
    }

    /// Restores an entry of the history.
    fn reopen(&mut self, entry: Entry) {
        match entry.single {
            Some(single) => {
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
        let found = match self.search.as_ref().map_or(Ok(None), Search::poll) {
            Ok(found) => found,
            Err(Crashed) => {
                self.crashed = self.search.take().map(|search| search.request.clone());
                self.trouble = Some(CRASHED.into());
                return;
            }
        };
        if let Some(found) = found {
            let full = self.search.take().is_some_and(|search| search.full);
            if full {
                history.add_pairs(&found.request, found.report().sentence());
                (self.full, self.narrowed) = (Some(found), None);
                self.narrow_tsu(ctx);
            } else {
                self.narrowed = Some(found);
            }
        }
    }

    fn ask_anniversary(&mut self, ctx: &egui::Context, history: &mut History) {
        if self.posted.as_ref() != Some(&self.request) {
            if self.worker.is_none() {
                match Worker::start(ctx.clone()) {
                    Ok(worker) => self.worker = Some(worker),
                    Err(error) => {
                        self.trouble = Some(format!("Could not start the search thread: {error}"));
                    }
                }
            }
            let worker = self.worker.as_ref();
            self.posted =
                worker.is_some_and(|worker| worker.post(&self.request)).then(|| self.request.clone());
        }
        if self.current().is_some() {
            return;
        }
        let Some(worker) = &self.worker else { return };
        match worker.answer() {
            Ok(Some(answer)) => {
                self.trouble = None;
                let request = &answer.request;
                if *request == self.request && !request.pieces().is_empty() {
                    history.add_pairs(request, results::summary(&answer));
                }
                self.answer = Some(answer);
            }
            Ok(None) => {}
            Err(()) => {
                (self.worker, self.posted) = (None, None);
                self.trouble = Some(CRASHED.into());
            }
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
            let search = Search::start(&self.request, ready, Some(&full.found), ctx.clone());
            self.start(search);
        }
    }

    fn search_tsu(&mut self, ctx: &egui::Context, ready: Ready) {
        let search = Search::start(&self.request, ready, None, ctx.clone());
        self.start(search);
    }

    fn start(&mut self, search: std::io::Result<Search>) {
        match search {
            Ok(search) => (self.search, self.trouble, self.crashed) = (Some(search), None, None),
            Err(error) => {
                self.trouble = Some(format!("Could not start the search thread: {error}"));
                self.crashed = Some(self.request.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_crashes_is_reported_and_over() {
        let mut panel = SeedsPanel::default();
        panel.request.game = Game::Tsu;
        panel.search = Some(Search::crashed(&panel.request));
        panel.update_search(&egui::Context::default(), &mut History::default());
        assert!(panel.search.is_none());
        assert_eq!(panel.trouble.as_deref(), Some(CRASHED));
    }
}

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
pub use pair_request::PairRequest;
pub use state::SeedsPanel;

use super::ui_context::UiContext;
use eframe::egui::{ScrollArea, Ui};
use history::Entry;

/// Pairs from which those of the attached game are entered: fewer are left by many states.
const FILLED_FROM: usize = 6;

impl SeedsPanel {
    /// Sends the next letters to the pairs.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, history: &mut History) {
        self.follow(cx.view.target.as_ref().map(|target| target.profile.game));
        self.fill(cx);
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
            let Some(game) = self.request.game else { return };
            for (_, session) in self.sessions.iter_mut().filter(|(other, _)| **other != game) {
                session.poll(history);
            }
            let session = self.sessions.entry(game).or_default();
            session.update(&self.request, ui.ctx(), history);
            ui.add_space(4.0);
            results::show(ui, cx, &self.request, session, search);
        });
    }

    /// Enters the pairs of the game that the panel follows, unless something was entered.
    fn fill(&mut self, cx: &UiContext<'_>) {
        if !self.fills {
            return;
        }
        let untouched = self.typed.is_empty() && self.request.pieces().is_empty();
        if !untouched || self.single.game.is_some() || self.form.game.is_some() {
            self.fills = false;
            return;
        }
        let dealt = cx.view.data.as_ref().filter(|_| cx.status.is_current());
        let request = dealt.and_then(PairRequest::from_emulator);
        if let Some(request) = request.filter(|request| request.puyos().len() >= 2 * FILLED_FROM) {
            let focus = self.focus;
            self.restore(request);
            (self.focus, self.fills) = (focus, false);
        }
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
}

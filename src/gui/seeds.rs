//! From pairs that were seen to the game that deals them: what remains, how likely each next pair is, and what is certain.

mod answer;
mod asked;
mod engine;
mod entry;
mod history;
mod single;
mod single_asked;
mod single_search;

pub use asked::{Asked, Game};
pub use engine::FromSeed;
pub use history::History;

use super::scene::Scene;
use crate::seeds::Crashed;
use eframe::egui::{self, ScrollArea, Ui};
use engine::{Anniversary, Ready, Search, Tsu, Worker};
use history::Entry;
use single::Single;

/// A search whose thread ended without an answer.
const CRASHED: &str = "The search crashed (see the log). Edit the input to retry";

/// What the panel remembers.
#[derive(Default)]
pub struct SeedsPanel {
    asked: Asked,
    /// The text field; what it says is `asked`, unless `wrong` says why not.
    typed: String,
    wrong: Option<String>,
    /// The puyo that is to be corrected.
    chosen: Option<usize>,
    focus: bool,
    worker: Option<Worker>,
    posted: Option<Asked>,
    answer: Option<Box<Anniversary>>,
    search: Option<Search>,
    /// What a search over all states found.
    whole: Option<Box<Tsu>>,
    /// Those of them that also show what was entered since.
    narrowed: Option<Box<Tsu>>,
    trouble: Option<String>,
    /// What was asked of a search that crashed: it is not begun again by itself.
    crashed: Option<Asked>,
    /// The games of single pieces.
    single: Single,
}

impl SeedsPanel {
    /// Letters that are typed next go to the pairs.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, history: &mut History) {
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            entry::choices(ui, self, scene, history);
            if self.single.game.is_some() {
                self.single.show(ui, scene, history, &mut self.focus);
                return;
            }
            let search = entry::pairs(ui, self, scene);
            self.think(ui.ctx(), history);
            ui.add_space(4.0);
            match self.asked.game {
                Game::Anniversary => answer::anniversary(ui, self, scene),
                Game::Tsu => answer::tsu(ui, self, scene, search),
            }
        });
    }

    /// Asks what was asked before, or what the emulator shows.
    fn restore(&mut self, asked: Asked) {
        self.single.game = None;
        asked.pieces().clone_into(&mut self.typed);
        (self.asked, self.wrong, self.chosen, self.focus) = (asked, None, None, true);
    }

    /// Asks again what was asked before.
    fn reopen(&mut self, entry: Entry) {
        match entry.single {
            Some(single) => {
                self.single.restore(&single);
                self.focus = true;
            }
            None => self.restore(entry.asked),
        }
    }

    /// Posts what is new to the searchers and takes what they have found.
    fn think(&mut self, ctx: &egui::Context, history: &mut History) {
        match self.asked.game {
            Game::Anniversary => self.ask_anniversary(ctx, history),
            Game::Tsu => self.narrow_tsu(ctx),
        }
        let found = match self.search.as_ref().map_or(Ok(None), Search::poll) {
            Ok(found) => found,
            Err(Crashed) => {
                self.crashed = self.search.take().map(|search| search.asked.clone());
                self.trouble = Some(CRASHED.into());
                return;
            }
        };
        if let Some(found) = found {
            let whole = self.search.take().is_some_and(|search| search.whole);
            if whole {
                history.note(&found.asked, found.report().sentence());
                (self.whole, self.narrowed) = (Some(found), None);
                self.narrow_tsu(ctx);
            } else {
                self.narrowed = Some(found);
            }
        }
    }

    fn ask_anniversary(&mut self, ctx: &egui::Context, history: &mut History) {
        if self.posted.as_ref() != Some(&self.asked) {
            if self.worker.is_none() {
                match Worker::start(ctx.clone()) {
                    Ok(worker) => self.worker = Some(worker),
                    Err(error) => {
                        self.trouble = Some(format!("The system gives no thread to search: {error}"));
                    }
                }
            }
            let worker = self.worker.as_ref();
            self.posted = worker.is_some_and(|worker| worker.ask(&self.asked)).then(|| self.asked.clone());
        }
        if self.current().is_some() {
            return;
        }
        let Some(worker) = &self.worker else { return };
        match worker.answer() {
            Ok(Some(answer)) => {
                self.trouble = None;
                let asked = &answer.asked;
                if *asked == self.asked && !asked.pieces().is_empty() {
                    history.note(asked, answer::in_few_words(&answer));
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

    /// The answer to what is asked now, if it is there.
    fn current(&self) -> Option<&Anniversary> {
        self.answer.as_deref().filter(|answer| answer.asked == self.asked)
    }

    /// The same for Puyo Puyo Tsu.
    fn current_tsu(&self) -> Option<&Tsu> {
        let both = [self.whole.as_deref(), self.narrowed.as_deref()];
        both.into_iter().flatten().find(|found| found.asked == self.asked)
    }

    /// Pairs that were entered after a search only narrow down what it found.
    fn narrow_tsu(&mut self, ctx: &egui::Context) {
        if self.current_tsu().is_some() || self.search.as_ref().is_some_and(|search| search.whole) {
            return;
        }
        let Some(whole) = self.whole.as_deref().filter(|whole| whole.found.complete) else { return };
        let running = self.search.as_ref().is_some_and(|search| search.asked == self.asked);
        let crashed = self.crashed.as_ref() == Some(&self.asked);
        if running || crashed || !self.asked.narrows(&whole.asked) {
            return;
        }
        if let Ok(Some(ready)) = Ready::of(&self.asked) {
            let search = Search::start(&self.asked, ready, Some(&whole.found), ctx.clone());
            self.begin(search);
        }
    }

    /// Tries all states.
    fn search_tsu(&mut self, ctx: &egui::Context, ready: Ready) {
        let search = Search::start(&self.asked, ready, None, ctx.clone());
        self.begin(search);
    }

    fn begin(&mut self, search: std::io::Result<Search>) {
        match search {
            Ok(search) => (self.search, self.trouble, self.crashed) = (Some(search), None, None),
            Err(error) => {
                self.trouble = Some(format!("The system gives no thread to search: {error}"));
                self.crashed = Some(self.asked.clone());
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
        panel.asked.game = Game::Tsu;
        panel.search = Some(Search::crashed(&panel.asked));
        panel.think(&egui::Context::default(), &mut History::default());
        assert!(panel.search.is_none());
        assert_eq!(panel.trouble.as_deref(), Some(CRASHED));
    }
}

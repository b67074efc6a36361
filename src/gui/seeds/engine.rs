//! The searches for pairs of one game. They run on their own threads.

use super::history::History;
use super::pair_request::PairRequest;
use crate::gui::repaint;
use crate::pairs::interactive::{Preparation, RunSearch, SearchAnswer};
use crate::task::{Task, TaskError};
use eframe::egui;
use std::sync::Arc;
use std::time::Duration;

/// The message for a search without a result.
pub fn failed(error: &TaskError) -> String {
    format!("The search {error}. Edit the input to retry")
}

/// How long a frame waits for the result of a quick search, which is nearly always ready by then.
const MAX_WAIT: Duration = Duration::from_millis(2);

/// A result and what was searched for.
pub struct Found {
    pub request: PairRequest,
    pub answer: Arc<dyn SearchAnswer>,
}

/// A background search. Dropping it cancels it.
pub struct Search {
    pub request: PairRequest,
    /// Whether it searches all seeds, not only those of a wider search.
    pub full: bool,
    /// How long a frame waits for the result.
    wait: Duration,
    pub task: Task<Option<Arc<dyn SearchAnswer>>>,
}

/// The searches of a game.
#[derive(Default)]
pub struct Session {
    pub search: Option<Search>,
    /// The result among all seeds.
    full: Option<Found>,
    /// Those of its seeds that also match pairs entered later.
    narrowed: Option<Found>,
    pub trouble: Option<String>,
    /// The request of a search that crashed; it is not restarted automatically.
    crashed: Option<PairRequest>,
}

impl Session {
    /// The result for a request, if ready.
    pub fn current(&self, request: &PairRequest) -> Option<&Found> {
        [&self.full, &self.narrowed].into_iter().flatten().find(|found| found.request == *request)
    }

    /// Takes results, and starts the searches that the user need not start.
    pub fn update(&mut self, request: &PairRequest, ctx: &egui::Context, history: &mut History) {
        self.poll(history);
        let full_runs = self.search.as_ref().is_some_and(|search| search.full);
        if full_runs || self.current(request).is_some() || self.crashed.as_ref() == Some(request) {
            return;
        }
        match request.prepare() {
            Ok(Preparation::Quick(run)) => self.begin(request, run, None, MAX_WAIT, ctx),
            Ok(Preparation::Long(run, _)) => self.narrow(request, run, ctx),
            Ok(Preparation::Incomplete(_)) | Err(_) => return,
        }
        self.poll(history);
    }

    /// Searches all seeds, which takes long.
    pub fn start(&mut self, request: &PairRequest, run: RunSearch, ctx: &egui::Context) {
        self.begin(request, run, None, Duration::ZERO, ctx);
    }

    /// Searches among the seeds of the last search, if the request only has more pairs.
    fn narrow(&mut self, request: &PairRequest, run: RunSearch, ctx: &egui::Context) {
        let running = self.search.as_ref().is_some_and(|search| search.request == *request);
        let wider =
            self.full.as_ref().filter(|full| full.answer.view().complete && request.narrows(&full.request));
        if let Some(wider) = wider.filter(|_| !running) {
            self.begin(request, run, Some(Arc::clone(&wider.answer)), Duration::ZERO, ctx);
        }
    }

    /// Searches among the seeds of a wider search, or among all. Requests a repaint of `ctx` at the end.
    fn begin(
        &mut self,
        request: &PairRequest,
        run: RunSearch,
        among: Option<Arc<dyn SearchAnswer>>,
        wait: Duration,
        ctx: &egui::Context,
    ) {
        let (request, full) = (request.clone(), among.is_none());
        let task = Task::start("seeds", repaint::waker(ctx), move |task| {
            run(among.map(|wider| wider.seeds()), task.progress())
        });
        self.search = Some(Search { request, full, wait, task });
        (self.trouble, self.crashed) = (None, None);
    }

    /// Takes the result of the running search.
    pub fn poll(&mut self, history: &mut History) {
        let ended = self.search.as_ref().and_then(|search| search.task.wait(search.wait));
        let Some(ended) = ended else { return };
        let Some(Search { request, full, .. }) = self.search.take() else { return };
        match ended {
            Ok(Some(answer)) if full => {
                let summary = &answer.view().summary;
                if !summary.is_empty() {
                    history.add_pairs(&request, summary.clone());
                }
                (self.full, self.narrowed) = (Some(Found { request, answer }), None);
            }
            Ok(Some(answer)) => self.narrowed = Some(Found { request, answer }),
            Ok(None) => {}
            Err(error) => (self.crashed, self.trouble) = (Some(request), Some(failed(&error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::PairGame;

    #[test]
    fn a_search_that_crashes_is_reported_and_not_begun_again() {
        for game in PairGame::with_search() {
            let mut request = PairRequest::default();
            request.game = Some(game);
            let task = Task::start("test", || (), |_| panic!("a fault"));
            let search = Some(Search { request: request.clone(), full: true, wait: Duration::ZERO, task });
            let mut session = Session { search, ..Session::default() };
            while session.search.is_some() {
                session.update(&request, &egui::Context::default(), &mut History::default());
            }
            session.update(&request, &egui::Context::default(), &mut History::default());
            assert!(session.search.is_none() && session.current(&request).is_none());
            assert_eq!(
                session.trouble.as_deref(),
                Some("The search crashed: a fault. Edit the input to retry")
            );
            assert_eq!(session.crashed, Some(request));
        }
    }
}

//! The planner on a thread of its own; no other file of the panel uses it.

use super::asked::Question;
use crate::gui::background::{Background, Work};
use crate::route::{Limits, Outcome, PlanError, Progress, Route, plan};
use crate::seeds::text::grouped;
use eframe::egui;
use std::sync::Arc;
use std::time::Duration;

/// How often the window shows how far it is.
pub const NEWS_EVERY: Duration = Duration::from_millis(100);

/// How much is thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// At most so long.
    pub time: Duration,
    /// On so many threads; 0 is as many as the machine has.
    pub threads: u32,
}

impl Effort {
    fn limits(self) -> Limits {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if self.threads == 0 { all() } else { self.threads as usize };
        Limits { time: Some(self.time), threads, ..Limits::default() }
    }
}

/// How far the planner is.
#[derive(Debug, Clone, Default)]
struct News {
    /// Pairs that the search which runs has placed, and how many there are.
    depth: usize,
    pairs: usize,
    /// Boards that this search keeps after each pair.
    width: usize,
    /// Placements that were tried.
    nodes: u64,
    /// The best route so far.
    best: Option<Arc<Route>>,
}

impl News {
    fn take(&mut self, progress: &Progress<'_>) {
        (self.depth, self.pairs) = (progress.depth, progress.pairs);
        (self.width, self.nodes) = (progress.width, progress.nodes);
        self.better(progress.best);
    }

    fn better(&mut self, best: Option<&Route>) {
        if let Some(best) = best.filter(|best| self.best.as_deref() != Some(*best)) {
            self.best = Some(Arc::new(best.clone()));
        }
    }
}

/// What is to be said when it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// What was done for the route that was found.
    Found(String),
    /// Why there is none.
    Nothing(String),
}

/// A planning that runs. Dropping it ends it.
pub struct Run(Background<News, Told>);

impl Run {
    /// Starts it; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(question: Question, effort: Effort, ctx: egui::Context) -> std::io::Result<Self> {
        let run = Background::start("route", ctx, move |work: &Work<News>| {
            let mut progress = |progress: Progress<'_>| work.news().take(&progress);
            let limits = effort.limits();
            let outcome = plan(&question.start, question.goal, &limits, &work.cancel, &mut progress);
            work.news().better(outcome.as_ref().ok().and_then(|outcome| outcome.route.as_ref()));
            in_words(&question, &outcome)
        });
        run.map(Self)
    }

    /// Ends it soon, with the best route so far.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// The best route so far.
    #[must_use]
    pub fn best(&self) -> Option<Arc<Route>> {
        self.0.news().best
    }

    /// How far it is, in words.
    #[must_use]
    pub fn progress(&self) -> String {
        let News { depth, pairs, width, nodes, .. } = self.0.news();
        let time = self.0.spent();
        format!(
            "Planning: pair {depth} of {pairs} on {} boards at once; {}, {:.1} s",
            grouped(width as u64),
            tried(nodes, time),
            time.as_secs_f64()
        )
    }

    /// What is to be said at the end; an error when the thread ended without a word.
    #[must_use]
    pub fn take(&self) -> Option<Result<Told, String>> {
        self.0.take("The planning ended by a fault; change anything to plan again")
    }
}

/// "1,234,567 placements tried, 2,345,678 a second".
fn tried(nodes: u64, time: Duration) -> String {
    let rate = u128::from(nodes) * 1000 / time.as_millis().max(1);
    format!(
        "{} placements tried, {} a second",
        grouped(nodes),
        grouped(u64::try_from(rate).unwrap_or(u64::MAX))
    )
}

fn in_words(question: &Question, outcome: &Result<Outcome, PlanError>) -> Told {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return Told::Nothing(format!("There is no route: {why}")),
    };
    let pairs = question.start.pairs.len();
    if outcome.route.is_none() {
        let how = match (outcome.complete, outcome.cancelled) {
            (true, _) => "every placement of every pair was tried, so there is none",
            (false, true) => "it was cancelled before one was found",
            (false, false) => "there may be one all the same: give it more time or more pairs",
        };
        return Told::Nothing(format!("No route to {} with {pairs} pairs: {how}", question.goal));
    }
    let end = match (outcome.complete, outcome.cancelled) {
        (true, _) => "; everything was tried: there is nothing better",
        (false, true) => "; cancelled",
        (false, false) => "",
    };
    let seconds = outcome.time.as_secs_f64();
    Told::Found(format!("{} placements tried in {seconds:.1} s{end}", grouped(outcome.nodes)))
}

//! Runs the planner in the background.

use super::request::PlanRequest;
use crate::gui::repaint;
use crate::route::{
    Goal, Limits, Outcome, PlanError, PlanStatus, Route, goals_text, plan_goals, why_ruled_out,
};
use crate::seeds::text::grouped;
use crate::task::{Handle, Task};
use crate::text::counted;
use eframe::egui;
use std::sync::Arc;
use std::time::Duration;

/// How often the window shows progress.
pub const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Limits of the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    pub time: Duration,
    /// 0 uses all threads of the machine.
    pub threads: u32,
    /// Routes to choose from.
    pub routes: u32,
}

impl Effort {
    fn limits(self) -> Limits {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = if self.threads == 0 { all() } else { self.threads as usize };
        Limits { time: Some(self.time), threads, routes: self.routes as usize, ..Limits::default() }
    }
}

#[derive(Debug, Clone, Default)]
struct PlanNote {
    /// Pairs that the current search has placed, and their total.
    depth: usize,
    pairs: usize,
    /// Beam width of the current search.
    width: usize,
    nodes: u64,
    /// The best route so far.
    best: Option<Arc<Route>>,
}

impl PlanNote {
    fn take(&mut self, status: &PlanStatus<'_>) {
        (self.depth, self.pairs) = (status.depth, status.pairs);
        (self.width, self.nodes) = (status.width, status.nodes);
        self.better(status.best);
    }

    fn better(&mut self, best: Option<&Route>) {
        if let Some(best) = best.filter(|best| self.best.as_deref() != Some(*best)) {
            self.best = Some(Arc::new(best.clone()));
        }
    }
}

/// The final message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanResult {
    /// Statistics of the route.
    Found(String),
    /// Why there is no route.
    Nothing(String),
}

/// The end of planning.
#[derive(Debug)]
pub struct PlanEnd {
    pub result: PlanResult,
    /// The best one first.
    pub routes: Vec<Route>,
}

/// A running planner. Dropping it cancels it.
pub struct Run(Task<PlanEnd, PlanNote>);

impl Run {
    /// Starts it; requests a repaint of `ctx` at the end.
    pub fn start(request: PlanRequest, effort: Effort, ctx: &egui::Context) -> Self {
        Self(Task::start("route", repaint::waker(ctx), move |task: &Handle<PlanNote>| {
            let mut note = |status: PlanStatus<'_>| task.note().take(&status);
            let (limits, cancel) = (effort.limits(), task.progress().cancel_flag());
            let PlanRequest { start, goals, attacks, timing, .. } = &request;
            let timing = timing.as_ref();
            let outcome = plan_goals(start, attacks, goals, &limits, timing, cancel, &mut note);
            task.note().better(outcome.as_ref().ok().and_then(|outcome| outcome.route.as_ref()));
            let result = message(&request, &outcome);
            let routes = outcome.map(|outcome| outcome.route.into_iter().chain(outcome.others).collect());
            PlanEnd { result, routes: routes.unwrap_or_default() }
        }))
    }

    /// Stops soon with the best route so far.
    pub fn cancel(&self) {
        self.0.progress().cancel();
    }

    /// The best route so far.
    pub fn best(&self) -> Option<Arc<Route>> {
        self.0.note().best.clone()
    }

    /// The progress as text.
    pub fn progress(&self) -> String {
        let PlanNote { depth, pairs, width, nodes, .. } = *self.0.note();
        let time = self.0.elapsed();
        format!(
            "Planning: pair {depth} of {pairs}, beam width {}; {}, {:.1} s",
            grouped(width as u64),
            placements_tried(nodes, time),
            time.as_secs_f64()
        )
    }

    /// The end; an error if it failed.
    pub fn take(&self) -> Option<Result<PlanEnd, String>> {
        let ended = self.0.poll()?;
        Some(ended.map_err(|error| format!("The planner {error}. Change the input to retry")))
    }
}

/// "1,234,567 placements tried, 2,345,678 per second".
fn placements_tried(nodes: u64, time: Duration) -> String {
    let rate = u128::from(nodes) * 1000 / time.as_millis().max(1);
    format!(
        "{} placements tried, {} per second",
        grouped(nodes),
        grouped(u64::try_from(rate).unwrap_or(u64::MAX))
    )
}

fn message(request: &PlanRequest, outcome: &Result<Outcome, PlanError>) -> PlanResult {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(why) => return PlanResult::Nothing(format!("No route: {why}")),
    };
    let pairs = counted(request.start.pairs.len() as u64, "pair");
    if outcome.route.is_none() {
        let how = why_ruled_out(&request.start, &request.goals).unwrap_or_else(|| {
            let how = match (outcome.complete, outcome.cancelled) {
                (true, _) => "all placements were tried",
                (false, true) => "cancelled",
                (false, false) => "there may be one with more time or pairs",
            };
            how.into()
        });
        return PlanResult::Nothing(format!(
            "No route to {} with {pairs}: {how}",
            goals_text(&request.goals)
        ));
    }
    let is_longest = request.goals == [Goal::Chain]
        && outcome.route.as_ref().is_some_and(|route| route.chain == request.start.chain_limit());
    let end = match (outcome.complete, outcome.cancelled) {
        (true, _) => "; all placements were tried, so this is optimal",
        (false, true) => "; cancelled",
        (false, false) if is_longest => "; no longer chain is possible with these pairs",
        (false, false) => "",
    };
    let seconds = outcome.time.as_secs_f64();
    PlanResult::Found(format!("{} placements tried in {seconds:.1} s{end}", grouped(outcome.nodes)))
}

//! What planners take and return: limits, progress, outcome and errors.

use super::goal::Goal;
use super::steps::{Route, RouteError, Start, check};
use nextscope_boards::Vectors;
use nextscope_boards::puyo::COLUMNS;
use std::time::Duration;

/// Larger widths would need gigabytes.
pub const MAX_WIDTH: usize = 2_000_000;

/// Resource limits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time limit, filled with searches of growing width. None: one search of `width`.
    pub time: Option<Duration>,
    /// Boards retained after each pair. With a width and no time limit the result is the same on every machine.
    pub width: usize,
    /// Threads, at least 1. Without a time limit the result does not depend on them.
    pub threads: usize,
    /// Pairs to place at most. A route within this limit is the one that a search for the soonest route finds without the limit.
    pub pairs: usize,
    /// Routes to find, at least 1. No two of them differ only in the last placement.
    pub routes: usize,
    /// The instruction set: the result does not depend on it.
    pub vectors: Vectors,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Some(Duration::from_secs(5)),
            width: 16_000,
            threads: 1,
            pairs: usize::MAX,
            routes: 1,
            vectors: Vectors::widest(),
        }
    }
}

/// The progress of a plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanStatus<'a> {
    /// The width of the current search.
    pub width: usize,
    /// Pairs it has placed.
    pub depth: usize,
    /// The total of pairs.
    pub pairs: usize,
    /// Placements tried, in all searches.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
    /// The best route so far.
    pub best: Option<&'a Route>,
}

/// The result of a plan.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best route found; None if no route reaches the goal.
    pub route: Option<Route>,
    /// Other routes that reach the goal, the best first: at most [`Limits::routes`] with the best one.
    pub others: Vec<Route>,
    /// Placements tried.
    pub nodes: u64,
    /// Elapsed time.
    pub time: Duration,
    /// Widths of the completed searches.
    pub widths: Vec<usize>,
    /// Every placement of every pair was tried, or the [goal lacks puyos](Goal::lacks_puyos): there is no better route, and a route that was
    /// not found does not exist. Never true for a cancelled plan.
    pub complete: bool,
    /// The plan was cancelled before it was complete.
    pub cancelled: bool,
}

impl Outcome {
    pub(super) fn none() -> Self {
        let time = Duration::ZERO;
        let (others, widths) = (Vec::new(), Vec::new());
        Self { route: None, others, nodes: 0, time, widths, complete: false, cancelled: false }
    }

    /// With these routes, the best first.
    pub(super) fn with_routes(mut self, routes: Vec<Route>) -> Self {
        let mut routes = routes.into_iter();
        self.route = routes.next();
        self.others = routes.collect();
        self
    }
}

/// Why planning is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// An invalid board or placements.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// No pairs to place.
    #[error("no pairs are known: enter the pairs first")]
    NoPairs,
    /// No play can reach the goal.
    #[error("{0}")]
    Impossible(String),
}

/// Rejects boards that cannot be played, and goals that no play can reach.
pub(super) fn check_goals(start: &Start, goals: &[Goal], has_table: bool) -> Result<(), PlanError> {
    check(start)?;
    if start.pairs.is_empty() {
        return Err(PlanError::NoPairs);
    }
    let Some((_, before)) = goals.split_last() else {
        return Err(PlanError::Impossible("there is no goal".into()));
    };
    if before.contains(&Goal::Survive) {
        let what = "survive lasts until the last pair: no goal can follow it, so make it the last one";
        return Err(PlanError::Impossible(what.into()));
    }
    if goals.contains(&Goal::PointsPerFrame) && !has_table {
        return Err(PlanError::Impossible("points-per-frame needs a frame table".into()));
    }
    goals.iter().try_for_each(|goal| possible(start, *goal))
}

/// The outcome for a goal that the colours rule out, without a search. This is not an error: with other pairs the same goal may be reached.
pub(super) fn ruled_out(start: &Start, goals: &[Goal]) -> Option<Outcome> {
    why_ruled_out(start, goals).map(|_| Outcome { complete: true, ..Outcome::none() })
}

/// Why the colours rule out one of the goals, in words that continue a sentence; None if they do not.
pub fn why_ruled_out(start: &Start, goals: &[Goal]) -> Option<String> {
    goals.iter().any(|goal| goal.lacks_puyos(start)).then(|| start.chain_limit_text())
}

/// Rejects goals that no play can reach.
fn possible(start: &Start, goal: Goal) -> Result<(), PlanError> {
    let impossible = |what: String| Err(PlanError::Impossible(what));
    let cells = COLUMNS * start.rules.rows;
    match goal {
        Goal::ExactChain(0) => impossible("a chain has at least one step".into()),
        Goal::ExactChain(chain) if chain as usize * start.rules.group as usize > cells => {
            impossible(format!(
                "a chain of {chain} needs {} puyos; the board has room for {cells}",
                u64::from(chain) * u64::from(start.rules.group)
            ))
        }
        Goal::Points(0) | Goal::Garbage(0) => {
            impossible("this goal is already met: ask for at least 1".into())
        }
        _ => Ok(()),
    }
}

//! The planner's interface: limits, progress and outcome.

use super::beam::{self, RouteCount, Search};
use super::frame_costs::Timing;
use super::goal::Goal;
use super::steps::{Route, RouteError, Start, check};
use nextscope_boards::puyo::{COLUMNS, Cell, Placement, ROWS};
use nextscope_boards::{Color, Pair};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The first width of a plan with a time limit: fast enough to find a route at once and to measure this machine's speed.
const FIRST_WIDTH: usize = 250;
/// Larger widths would need gigabytes.
pub const MAX_WIDTH: usize = 2_000_000;
/// The share of the remaining time that the next search may take by the estimate: estimates are inexact, and boards differ.
const OF_TIME_LEFT: f64 = 0.85;
/// A search must be wider by this factor to be worth running.
const WORTH: f64 = 1.5;
/// The most pairs for a single chain: they fill a board of 13 or 14 rows.
const PAIRS_OF_A_CHAIN: usize = 42;
/// The routes to a goal from which the next one is tried.
const PREFIXES: usize = 20;
/// With fewer remaining pairs, nothing is planned after the best chain: a group needs two.
const MIN_PAIRS: usize = 2;

/// Resource limits.
#[derive(Clone, Copy, PartialEq, Debug)]
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Some(Duration::from_secs(5)), width: 16_000, threads: 1, pairs: usize::MAX, routes: 1 }
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
    /// Every placement of every pair was tried: there is no better route, and a route that was not found does not exist. Never true
    /// for a cancelled plan.
    pub complete: bool,
    /// The plan was cancelled before it was complete.
    pub cancelled: bool,
}

impl Outcome {
    fn none() -> Self {
        let time = Duration::ZERO;
        let (others, widths) = (Vec::new(), Vec::new());
        Self { route: None, others, nodes: 0, time, widths, complete: false, cancelled: false }
    }

    /// With these routes, the best first.
    fn with_routes(mut self, routes: Vec<Route>) -> Self {
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

/// Plans a route: searches of growing width on all threads until the time is over.
///
/// `progress` is called between pairs, about ten times a second or less.
///
/// # Errors
/// [`PlanError`]: if the board is not playable, no pair is known, or no play can reach the goal.
pub fn plan(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    plan_in_frames(start, goal, limits, None, cancel, progress)
}

/// [`plan`] with a frame table: for routes with a frame limit, or with the fewest frames to the goal.
///
/// # Errors
/// [`PlanError`], as [`plan`].
pub fn plan_in_frames(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    let routes = RouteCount { most: limits.routes.max(1), any_last: false };
    plan_goal(start, goal, limits, routes, timing, cancel, progress)
}

/// [`plan_in_frames`] for so many routes; those of the limits do not matter.
fn plan_goal(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    routes: RouteCount,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    check(start)?;
    if start.pairs.is_empty() {
        return Err(PlanError::NoPairs);
    }
    possible(start, goal)?;
    let started = Instant::now();
    if goal != Goal::Score {
        return Ok(searched(start, goal, limits, routes, timing, cancel, progress));
    }
    scored(start, limits, routes, timing, cancel, started, progress)
}

/// Plans routes that reach several goals one after another, each as [`plan_in_frames`] does from where the one before is reached. What a
/// goal counts (points, garbage) begins with its part of the route.
///
/// Of the best routes to a goal, the first one is used from which the next goal is reached. So the result is never complete.
///
/// # Errors
/// [`PlanError`], as [`plan`]; without goals it is impossible.
pub fn plan_goals(
    start: &Start,
    goals: &[Goal],
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    if let [goal] = goals {
        return plan_in_frames(start, *goal, limits, timing, cancel, progress);
    }
    let Some(last) = goals.len().checked_sub(1) else {
        return Err(PlanError::Impossible("there is no goal".into()));
    };
    for goal in goals {
        possible(start, *goal)?;
    }
    let started = Instant::now();
    let mut outcome = Outcome::none();
    let mut reached = vec![Route::replay(start, &[])?];
    for (nth, goal) in goals.iter().enumerate() {
        let most = if nth == last { limits.routes.max(1) } else { PREFIXES };
        let routes = RouteCount { most, any_last: nth < last };
        let stages_left = u32::try_from(goals.len() - nth).unwrap_or(u32::MAX);
        let deadline = limits.time.map(|time| {
            let now = started.elapsed();
            now + time.saturating_sub(now) / stages_left
        });
        let mut found: Vec<Route> = Vec::new();
        for before in &reached {
            let time = deadline.map(|deadline| deadline.saturating_sub(started.elapsed()));
            let is_over = time.is_some_and(|time| time.is_zero()) || cancel.load(Ordering::Relaxed);
            let placed = before.steps.len();
            let rest = Start { field: before.end(), pairs: start.pairs[placed..].to_vec(), ..start.clone() };
            if is_over || rest.pairs.is_empty() || check(&rest).is_err() {
                continue;
            }
            let timing = timing.map(|timing| timing.after(before));
            let pairs = limits.pairs.saturating_sub(placed);
            let limits = Limits { time, pairs, ..*limits };
            let nodes = outcome.nodes;
            let planned = plan_goal(&rest, *goal, &limits, routes, timing.as_ref(), cancel, &mut |inner| {
                // A part of the route does not reach all goals: it is not the best so far.
                let (depth, nodes, time) = (placed + inner.depth, nodes + inner.nodes, started.elapsed());
                progress(PlanStatus { depth, pairs: start.pairs.len(), nodes, time, best: None, ..inner });
            })?;
            outcome.nodes += planned.nodes;
            outcome.widths.extend(planned.widths);
            for part in planned.route.iter().chain(&planned.others) {
                found.push(joined(start, Some(before), part)?);
            }
            if !found.is_empty() {
                break;
            }
        }
        reached = found;
    }
    outcome.time = started.elapsed();
    outcome.cancelled = cancel.load(Ordering::Relaxed);
    Ok(outcome.with_routes(reached))
}

/// The most points: one search does not look past a large chain, so the remaining pairs are planned separately after it.
fn scored(
    start: &Start,
    limits: &Limits,
    routes: RouteCount,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    started: Instant,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    let mut outcome = Outcome::none();
    let mut rest = start.clone();
    rest.pairs.truncate(limits.pairs);
    let all_pairs = rest.pairs.len() == start.pairs.len();
    let mut timing = timing.cloned();
    let mut best: Vec<Route> = Vec::new();
    loop {
        let known = rest.pairs.len();
        let part = Start { pairs: rest.pairs[..known.min(PAIRS_OF_A_CHAIN)].to_vec(), ..rest.clone() };
        // The remaining time is for all remaining pairs.
        #[expect(clippy::cast_precision_loss, reason = "few pairs")]
        let share = (PAIRS_OF_A_CHAIN as f64 / known as f64).min(1.0);
        let time = limits.time.map(|time| time.saturating_sub(started.elapsed()).mul_f64(share));
        let (before, nodes) = (outcome.route.clone(), outcome.nodes);
        let placed = before.as_ref().map_or(0, |before| before.steps.len());
        let limits_of_part = Limits { time, ..*limits };
        let mut report_inner = |inner: PlanStatus<'_>| {
            let best = inner.best.and_then(|best| joined(start, before.as_ref(), best).ok());
            progress(PlanStatus {
                depth: placed + inner.depth,
                pairs: start.pairs.len(),
                nodes: nodes + inner.nodes,
                time: started.elapsed(),
                best: best.as_ref().or(before.as_ref()),
                ..inner
            });
        };
        let ended =
            searched(&part, Goal::Score, &limits_of_part, routes, timing.as_ref(), cancel, &mut report_inner);
        outcome.nodes += ended.nodes;
        outcome.widths.extend(ended.widths);
        outcome.cancelled = ended.cancelled;
        outcome.complete = ended.complete && all_pairs && placed == 0 && part.pairs.len() == known;
        outcome.time = started.elapsed();
        let found = ended.route.filter(|route| route.score > 0);
        for part in found.iter().chain(&ended.others) {
            let route = joined(start, before.as_ref(), part)?;
            add_ranked(&mut best, route, routes, |one, other| better(Goal::Score, None, one, other));
        }
        outcome = outcome.with_routes(best.clone());
        let Some(found) = found else { return Ok(outcome) };
        let over = limits.time.is_some_and(|time| outcome.time >= time);
        if outcome.complete || outcome.cancelled || over || known - found.steps.len() < MIN_PAIRS {
            return Ok(outcome);
        }
        timing = timing.map(|timing| timing.after(&found));
        rest.field = found.end();
        rest.pairs.drain(..found.steps.len());
    }
}

/// A route joined with the route planned after it.
fn joined(start: &Start, before: Option<&Route>, then: &Route) -> Result<Route, RouteError> {
    let steps = before.into_iter().chain([then]).flat_map(|route| &route.steps);
    let placements: Vec<Placement> = steps.map(|step| step.placement).collect();
    Route::replay(start, &placements)
}

/// Searches of growing width until the time is over.
fn searched(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    routes: RouteCount,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Outcome {
    let started = Instant::now();
    let mut named = renamed(start);
    // Only now: other names for the colours break ties between boards differently.
    named.pairs.truncate(limits.pairs);
    let all_pairs = named.pairs.len() == start.pairs.len();
    let deadline = limits.time.and_then(|time| started.checked_add(time)); // later than any clock is never
    let mut outcome = Outcome::none();
    let mut best: Vec<Route> = Vec::new();
    let most = MAX_WIDTH.min(if limits.time.is_some() { MAX_WIDTH } else { limits.width.max(1) });
    let mut width = if limits.time.is_some() { FIRST_WIDTH.min(most) } else { most };
    loop {
        let before = (outcome.nodes, started.elapsed());
        let search = Search {
            start: &named,
            goal,
            width,
            routes,
            threads: limits.threads.max(1),
            cancel,
            deadline,
            timing,
        };
        let ended = beam::search(&search, &mut |depth, nodes, found: &[Vec<Placement>]| {
            for route in found.iter().filter_map(|placements| Route::replay(start, placements).ok()) {
                add_ranked(&mut best, route, routes, |one, other| better(goal, timing, one, other));
            }
            progress(PlanStatus {
                width,
                depth,
                pairs: start.pairs.len(),
                nodes: before.0 + nodes,
                time: started.elapsed(),
                best: best.first(),
            });
        });
        outcome.nodes += ended.nodes;
        outcome.time = started.elapsed();
        outcome.complete = ended.complete && all_pairs;
        if !ended.stopped {
            outcome.widths.push(width);
        }
        outcome.cancelled = !outcome.complete && cancel.load(Ordering::Relaxed);
        // If the width dropped no boards, a wider search finds the same.
        let done = !ended.cut || ended.stopped || outcome.cancelled || width >= most;
        let Some(time) = limits.time.filter(|_| !done) else { return outcome.with_routes(best) };
        // The time of a search grows with its width.
        let took = (outcome.time - before.1).as_secs_f64().max(1e-6);
        let left = time.saturating_sub(outcome.time).as_secs_f64();
        let wider = OF_TIME_LEFT * left / took;
        if wider < WORTH {
            return outcome.with_routes(best);
        }
        // A short search gives a poor speed estimate: the first steps are small.
        let factor = if outcome.widths.len() == 1 { wider.min(8.0) } else { wider };
        width = scaled(width, factor).min(most);
    }
}

/// The same start with other names for the colours, so that purple, whose code differs from the others, is absent if four
/// colours or fewer are used: such boards are evaluated faster.
fn renamed(start: &Start) -> Start {
    let mut named = start.clone();
    let of_field = start.field.visible_colors();
    let of_pairs = start.pairs.iter().flat_map(|pair| [pair.axis, pair.child]);
    let used: Vec<Color> = of_pairs.collect();
    let is_used = |color: Color| used.contains(&color) || of_field.contains(&Cell::Puyo(color));
    let free = Color::PAIR_COLORS.into_iter().find(|color| !is_used(*color));
    let Some(free) = free.filter(|_| is_used(Color::PURPLE)) else { return named };
    let name = |color| if color == Color::PURPLE { free } else { color };
    for pair in &mut named.pairs {
        *pair = Pair { axis: name(pair.axis), child: name(pair.child) };
    }
    for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
        if start.field.get(column, row) == Cell::Puyo(Color::PURPLE) {
            named.field.set(column, row, Cell::Puyo(free));
        }
    }
    named
}

/// Whether a route is better than the best so far.
fn better(goal: Goal, timing: Option<&Timing>, route: &Route, best: &Route) -> bool {
    let table = timing.filter(|timing| timing.soonest && goal.is_soonest()).map(|timing| &timing.table);
    let frames = |route| table.and_then(|table| table.total(route).ok());
    match (frames(route), frames(best)) {
        (Some(frames), Some(fewest)) if frames != fewest => frames < fewest,
        _ => goal.compare(route, best).is_gt(),
    }
}

/// Adds a route to the best ones. Of routes with the same placements, or the same up to the last one, the better one stays.
fn add_ranked(
    best: &mut Vec<Route>,
    route: Route,
    RouteCount { most, any_last }: RouteCount,
    better: impl Fn(&Route, &Route) -> bool,
) {
    let compared = |route: &Route| {
        let mut placements = route.placements();
        placements.truncate(route.steps.len().saturating_sub(usize::from(!any_last)));
        placements
    };
    let of_route = compared(&route);
    if let Some(same) = best.iter().position(|other| compared(other) == of_route) {
        if !better(&route, &best[same]) {
            return;
        }
        best.remove(same);
    }
    let place = best.iter().position(|other| better(&route, other)).unwrap_or(best.len());
    best.insert(place, route);
    best.truncate(most);
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "widths are small"
)]
fn scaled(width: usize, factor: f64) -> usize {
    (width as f64 * factor) as usize
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

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

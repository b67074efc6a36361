//! The planner's front: what it is asked, how it reports, what it answers.

use super::beam::{self, Search};
use super::goal::Goal;
use super::pace::Timing;
use super::steps::{Route, RouteError, Start, check};
use crate::game::puyo::{Color, Pair};
use crate::puyo::{COLUMNS, Cell, Placement, ROWS};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The width that a plan with a time limit begins with: it finds a route at once, and tells how fast this machine is.
const FIRST_WIDTH: usize = 250;
/// Widths beyond this hold gigabytes.
pub const MOST_WIDTH: usize = 2_000_000;
/// What part of the time left the next search may take by the estimate: estimates err, and boards differ.
const OF_TIME_LEFT: f64 = 0.85;
/// A search this much wider is worth the time of another one.
const WORTH: f64 = 1.5;
/// Pairs from which one chain is built at most: a board of 13 or 14 rows is full with so many.
const PAIRS_OF_A_CHAIN: usize = 42;
/// With fewer pairs left nothing is planned after the best chain: two make a group.
const PAIRS_LEAST: usize = 2;

/// How much may be spent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// How long it may take; searches of growing width fill it. None: one search of `width`.
    pub time: Option<Duration>,
    /// Boards that are kept after each pair. With it and no time limit the answer is the same on every machine.
    pub width: usize,
    /// Threads, at least 1. The answer does not depend on them where `time` is none.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Some(Duration::from_secs(5)), width: 16_000, threads: 1 }
    }
}

/// How far a plan is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The width of the search that runs.
    pub width: usize,
    /// Pairs it has placed.
    pub depth: usize,
    /// Of so many.
    pub pairs: usize,
    /// Placements tried, in all searches.
    pub nodes: u64,
    /// Time since the beginning.
    pub time: Duration,
    /// The best route so far.
    pub best: Option<&'a Route>,
}

/// What came of a plan.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best route found; none when nothing reaches the goal.
    pub route: Option<Route>,
    /// Placements tried.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
    /// Widths of the searches that were made to their end.
    pub widths: Vec<usize>,
    /// Every placement of every pair was tried: there is nothing better, and what was not found does not exist. Never true of a
    /// plan that was stopped.
    pub complete: bool,
    /// It was told to stop before it was complete.
    pub cancelled: bool,
}

impl Outcome {
    fn none() -> Self {
        let time = Duration::ZERO;
        Self { route: None, nodes: 0, time, widths: Vec::new(), complete: false, cancelled: false }
    }
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The board or the placements.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// No pairs to place.
    #[error("no pairs are known: nothing can be planned")]
    NoPairs,
    /// The goal cannot be reached by any play.
    #[error("{0}")]
    Impossible(String),
}

/// Plans a route: searches of growing width, each by all threads, until the time is over.
///
/// `progress` is called between pairs, about ten times a second or less.
///
/// # Errors
/// [`PlanError`]: when the board is none that play can go on from, no pair is known, or the goal is beyond all play.
pub fn plan(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, PlanError> {
    plan_in_frames(start, goal, limits, None, cancel, progress)
}

/// The same, by a table of frames: for routes that may take so many, or are to reach the goal in the fewest.
///
/// # Errors
/// [`PlanError`], as [`plan`].
pub fn plan_in_frames(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, PlanError> {
    check(start)?;
    if start.pairs.is_empty() {
        return Err(PlanError::NoPairs);
    }
    possible(start, goal)?;
    let begun = Instant::now();
    if goal != Goal::Score {
        return Ok(searched(start, goal, limits, timing, cancel, begun, progress));
    }
    scored(start, limits, timing, cancel, begun, progress)
}

/// The most points: a search sees no further than one large chain, so what pairs it leaves are planned for after it.
fn scored(
    start: &Start,
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    begun: Instant,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Outcome, PlanError> {
    let mut whole = Outcome::none();
    let mut rest = start.clone();
    let mut timing = timing.cloned();
    loop {
        let known = rest.pairs.len();
        let part = Start { pairs: rest.pairs[..known.min(PAIRS_OF_A_CHAIN)].to_vec(), ..rest.clone() };
        // What time is left is for all pairs that are left.
        #[expect(clippy::cast_precision_loss, reason = "few pairs")]
        let share = (PAIRS_OF_A_CHAIN as f64 / known as f64).min(1.0);
        let time = limits.time.map(|time| time.saturating_sub(begun.elapsed()).mul_f64(share));
        let (before, nodes) = (whole.route.clone(), whole.nodes);
        let placed = before.as_ref().map_or(0, |before| before.steps.len());
        let limits_of_part = Limits { time, ..*limits };
        let mut tell = |told: Progress<'_>| {
            let best = told.best.and_then(|best| joined(start, before.as_ref(), best).ok());
            progress(Progress {
                depth: placed + told.depth,
                pairs: start.pairs.len(),
                nodes: nodes + told.nodes,
                time: begun.elapsed(),
                best: best.as_ref().or(before.as_ref()),
                ..told
            });
        };
        let ended =
            searched(&part, Goal::Score, &limits_of_part, timing.as_ref(), cancel, Instant::now(), &mut tell);
        whole.nodes += ended.nodes;
        whole.widths.extend(ended.widths);
        whole.cancelled = ended.cancelled;
        whole.complete = ended.complete && placed == 0 && part.pairs.len() == known;
        whole.time = begun.elapsed();
        let Some(found) = ended.route.filter(|route| route.score > 0) else { return Ok(whole) };
        whole.route = Some(joined(start, before.as_ref(), &found)?);
        let over = limits.time.is_some_and(|time| whole.time >= time);
        if whole.complete || whole.cancelled || over || known - found.steps.len() < PAIRS_LEAST {
            return Ok(whole);
        }
        if let Some(Timing { table, most: Some(most), .. }) = &mut timing {
            *most = most.saturating_sub(table.total(&found).unwrap_or(u32::MAX));
        }
        rest.field = found.end();
        rest.pairs.drain(..found.steps.len());
    }
}

/// A route, and what is planned after it.
fn joined(start: &Start, before: Option<&Route>, then: &Route) -> Result<Route, RouteError> {
    let steps = before.into_iter().chain([then]).flat_map(|route| &route.steps);
    let placements: Vec<Placement> = steps.map(|step| step.placement).collect();
    Route::replay(start, &placements)
}

/// Searches of growing width until the time is over, from `begun` on.
fn searched(
    start: &Start,
    goal: Goal,
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    begun: Instant,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Outcome {
    let named = renamed(start);
    let deadline = limits.time.and_then(|time| begun.checked_add(time)); // later than any clock is never
    let mut outcome = Outcome::none();
    let most = MOST_WIDTH.min(if limits.time.is_some() { MOST_WIDTH } else { limits.width.max(1) });
    let mut width = if limits.time.is_some() { FIRST_WIDTH.min(most) } else { most };
    loop {
        let before = (outcome.nodes, begun.elapsed());
        let mut best = outcome.route.take();
        let search =
            Search { start: &named, goal, width, threads: limits.threads.max(1), cancel, deadline, timing };
        let ended = beam::search(&search, &mut |depth, nodes, found: Option<&[Placement]>| {
            if let Some(route) = found.and_then(|placements| Route::replay(start, placements).ok())
                && best.as_ref().is_none_or(|best| better(goal, timing, &route, best))
            {
                best = Some(route);
            }
            progress(Progress {
                width,
                depth,
                pairs: start.pairs.len(),
                nodes: before.0 + nodes,
                time: begun.elapsed(),
                best: best.as_ref(),
            });
        });
        outcome.route = best;
        outcome.nodes += ended.nodes;
        outcome.time = begun.elapsed();
        outcome.complete = ended.complete;
        if !ended.stopped {
            outcome.widths.push(width);
        }
        outcome.cancelled = !outcome.complete && cancel.load(Ordering::Relaxed);
        // Where nothing was left out for want of width, a wider search finds the same.
        let done = !ended.cut || ended.stopped || outcome.cancelled || width >= most;
        let Some(time) = limits.time.filter(|_| !done) else { return outcome };
        // The time of a search grows with its width.
        let took = (outcome.time - before.1).as_secs_f64().max(1e-6);
        let left = time.saturating_sub(outcome.time).as_secs_f64();
        let wider = OF_TIME_LEFT * left / took;
        if wider < WORTH {
            return outcome;
        }
        // A short search tells the speed badly: the first steps are small.
        let factor = if outcome.widths.len() == 1 { wider.min(8.0) } else { wider };
        width = scaled(width, factor).min(most);
    }
}

/// The same with other names for the colours, so that purple, whose code is not like those of the others, is missing where four
/// colours or fewer are played: that is judged faster.
fn renamed(start: &Start) -> Start {
    let mut named = start.clone();
    let of_field = start.field.colors_seen();
    let of_pairs = start.pairs.iter().flat_map(|pair| [pair.axis, pair.child]);
    let used: Vec<Color> = of_pairs.collect();
    let is_used = |color: Color| used.contains(&color) || of_field.contains(&Cell::Puyo(color));
    let free = Color::PLAYED.into_iter().find(|color| !is_used(*color));
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

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "widths are small"
)]
fn scaled(width: usize, factor: f64) -> usize {
    (width as f64 * factor) as usize
}

/// Refuses what no play reaches.
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
            impossible("nothing has to be done for that: ask for at least 1".into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

//! Plans: those without attacks of the opponent, and which search is used.

use super::attack::Attack;
use super::beam::{self, Search};
use super::frame_costs::Timing;
use super::goal::Goal;
use super::planning::{Limits, MAX_WIDTH, Outcome, PlanError, PlanStatus, check_goals, ruled_out};
use super::solutions::{Rank, RouteCount};
use super::steps::{Route, RouteError, Start, check};
use super::under_attack::plan_against;
use nextscope_boards::puyo::{COLUMNS, Cell, Placement, ROWS, Simulator};
use nextscope_boards::{Color, Pair};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The first width of a plan with a time limit: fast enough to find a route at once and to measure this machine's speed.
const FIRST_WIDTH: usize = 250;
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
    check_goals(start, &[goal], timing.is_some())?;
    if let Some(outcome) = ruled_out(start, &[goal]) {
        return Ok(outcome);
    }
    let started = Instant::now();
    if goal == Goal::Survive {
        let limits = Limits { routes: routes.most, ..*limits };
        return plan_against(start, &[], &[goal], &limits, timing, cancel, progress);
    }
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
/// With attacks of the opponent, a route is planned for all columns that the game may draw for garbage.
///
/// # Errors
/// [`PlanError`], as [`plan`]; without goals it is impossible.
pub fn plan_goals(
    start: &Start,
    attacks: &[Attack],
    goals: &[Goal],
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    check_goals(start, goals, timing.is_some())?;
    if let Some(outcome) = ruled_out(start, goals) {
        return Ok(outcome);
    }
    if !attacks.is_empty() {
        return plan_against(start, attacks, goals, limits, timing, cancel, progress);
    }
    if let [goal] = goals {
        return plan_in_frames(start, *goal, limits, timing, cancel, progress);
    }
    let last = goals.len().saturating_sub(1);
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
    // A search for the soonest route ends where it finds one: how many layers it has is not known.
    let may_fill = limits.time.is_some() && !goal.is_soonest();
    let mut fills_time = false;
    loop {
        let before = (outcome.nodes, started.elapsed());
        let search = Search {
            start: &named,
            goal,
            simulator: Simulator::with(start.rules, limits.vectors),
            width,
            fills_time,
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
            outcome.widths.push(ended.width);
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
        let factor = if outcome.widths.len() == 1 && !may_fill { wider.min(8.0) } else { wider };
        width = scaled(ended.width, factor).min(most);
        fills_time = may_fill;
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
    let soonest = |timing: &&Timing| timing.soonest && goal.is_soonest();
    let counted = timing.filter(|timing| goal == Goal::PointsPerFrame || soonest(timing));
    let frames = |route| counted.and_then(|timing| timing.table.total(route).ok());
    match (frames(route), frames(best)) {
        (Some(frames), Some(fewest)) if goal == Goal::PointsPerFrame => {
            let one = Rank::points_per_frame(route.score, frames);
            let other = Rank::points_per_frame(best.score, fewest);
            one.cmp(&other).then_with(|| goal.compare(route, best)).is_gt()
        }
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

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

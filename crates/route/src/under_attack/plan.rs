//! The planner against known attacks.

use super::super::attack::Attack;
use super::super::frame_costs::{FrameCosts, Timing};
use super::super::goal::Goal;
use super::super::planning::{Limits, MAX_WIDTH, Outcome, PlanError, PlanStatus, check_goals};
use super::super::steps::{Route, Start};
use super::played::{Part, play, route};
use super::scenario::{ALL, Match, Totals};
use super::search::{Ended, Found, Search, Weighted};
use nextscope_boards::puyo::{Placement, Simulator};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The first width of a plan with a time limit.
const FIRST_WIDTH: usize = 20;
/// The greatest factor between the widths of a plan with a time limit, and the least one that is worth a search, in tenths.
const WIDEST: u128 = 40;
const WORTH: u128 = 15;
/// The routes to a goal from which the next one is tried, and the fewest that are played for more columns than the search plays.
const PREFIXES: usize = 20;
/// The most scenarios from which a later goal is searched.
const MOST: usize = 120;

/// Plans routes that reach goals one after another in spite of known attacks. A route is the same for all columns that the game may draw
/// for garbage; the routes for which that goes well in the most cases come first, and [`Route::outlook`] says in how many.
///
/// With a timing, its frames are counted.
///
/// # Errors
/// [`PlanError`]: if the board is not playable, no pair is known, an attack comes after the last pair, or no play can reach the goals.
pub fn plan_against(
    start: &Start,
    attacks: &[Attack],
    goals: &[Goal],
    limits: &Limits,
    timing: Option<&Timing>,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(PlanStatus<'_>),
) -> Result<Outcome, PlanError> {
    check_goals(start, goals, timing.is_some())?;
    let known = start.pairs.len();
    if let Some(attack) = attacks.iter().find(|attack| attack.pair() > known) {
        let what = format!("the attack {attack} comes after the last of the {known} known pairs");
        return Err(PlanError::Impossible(what));
    }
    let simulator = Simulator::with(start.rules, limits.vectors);
    let game = Match { start, attacks, simulator, costs: timing.map(FrameCosts::new) };
    // Counting frames on high boards is slow: a search does it only where they decide.
    let decide = |timing: &&Timing| {
        timing.soonest || timing.max_frames.is_some() || goals.contains(&Goal::PointsPerFrame)
    };
    let searched = Match { start, attacks, simulator, costs: timing.filter(decide).map(FrameCosts::new) };
    let mut planner = Planner {
        game: &searched,
        limits,
        timing,
        cancel,
        started: Instant::now(),
        outcome: Outcome::none(),
    };
    let mut routes = vec![(Vec::new(), Vec::new())];
    for (nth, goal) in goals.iter().enumerate() {
        routes = planner.reach(*goal, goals.len() - nth, routes, progress);
    }
    let max_frames = timing.and_then(|timing| timing.max_frames);
    let mut played = Vec::new();
    for (parts, placements) in routes {
        played.push(route(&game, &parts, &placements, max_frames)?);
    }
    // In the same order as found, except for what the search sampled.
    played.sort_by_key(|route| {
        let Some(outlook) = &route.outlook else { return Reverse(0) };
        Reverse(u128::from(outlook.reached) * u128::from(ALL) / u128::from(outlook.sets.max(1)))
    });
    played.retain(|route| route.outlook.as_ref().is_some_and(|outlook| outlook.reached > 0));
    played.truncate(limits.routes.max(1));
    let Planner { mut outcome, started, .. } = planner;
    outcome.time = started.elapsed();
    outcome.complete &= goals.len() == 1;
    outcome.cancelled = !outcome.complete && cancel.load(Ordering::Relaxed);
    Ok(outcome.with_routes(played))
}

/// The goals that a route reaches, and its placements.
type Partial = (Vec<Part>, Vec<Placement>);

struct Planner<'a> {
    game: &'a Match<'a>,
    limits: &'a Limits,
    timing: Option<&'a Timing>,
    cancel: &'a AtomicBool,
    started: Instant,
    outcome: Outcome,
}

impl Planner<'_> {
    /// Routes to a goal after one of these routes.
    fn reach(
        &mut self,
        goal: Goal,
        goals_left: usize,
        before: Vec<Partial>,
        progress: &mut dyn FnMut(PlanStatus<'_>),
    ) -> Vec<Partial> {
        let deadline = self.limits.time.and_then(|time| {
            let now = self.started.elapsed();
            let share = time.saturating_sub(now) / u32::try_from(goals_left).unwrap_or(u32::MAX);
            self.started.checked_add(now + share)
        });
        let mut best: Vec<Partial> = Vec::new();
        let mut best_reached = 0;
        for (parts, placements) in before {
            if parts.is_empty() != placements.is_empty() || self.is_over(deadline) {
                continue;
            }
            let Some(found) = self.searched(goal, goals_left == 1, deadline, &parts, &placements, progress)
            else {
                continue;
            };
            let reached = found.first().map_or(0, |found| found.rank.reached);
            if reached > best_reached {
                best_reached = reached;
                let routes = found.into_iter().map(|found| {
                    let placements = [&placements[..], &found.placements].concat();
                    let part = Part { goal, pairs: placements.len() };
                    ([&parts[..], &[part]].concat(), placements)
                });
                best = routes.collect();
            }
            if best_reached == ALL {
                break;
            }
        }
        best
    }

    fn is_over(&self, deadline: Option<Instant>) -> bool {
        self.cancel.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Searches of growing width until the time is over; None if no pairs are left.
    fn searched(
        &mut self,
        goal: Goal,
        is_last: bool,
        deadline: Option<Instant>,
        parts: &[Part],
        before: &[Placement],
        progress: &mut dyn FnMut(PlanStatus<'_>),
    ) -> Option<Vec<Found>> {
        let Self { game, limits, timing, cancel, started, .. } = *self;
        let known = game.start.pairs.len();
        let pairs = [before.len(), known.min(limits.pairs)];
        let from = self.after(before);
        if pairs[0] >= pairs[1] || from.is_empty() {
            return None;
        }
        let used = if before.is_empty() {
            0
        } else {
            play(game, parts, before, None).1.frames.map_or(0, |frames| *frames.end())
        };
        let fixed = limits.width.clamp(1, MAX_WIDTH);
        let mut width = if limits.time.is_some() { FIRST_WIDTH } else { fixed };
        let mut best: Vec<Found> = Vec::new();
        let mut best_route: Option<Route> = None;
        loop {
            let (began, nodes_before) = (started.elapsed(), self.outcome.nodes);
            let search = Search {
                game,
                goal,
                pairs,
                width,
                routes: if is_last { limits.routes.max(PREFIXES) } else { PREFIXES },
                any_last: !is_last,
                threads: limits.threads.max(1),
                in_frames: goal.is_soonest() && timing.is_some_and(|timing| timing.soonest),
                max_frames: timing.and_then(|timing| timing.max_frames).map(|most| most.saturating_sub(used)),
                cancel,
                deadline,
            };
            let mut reported = best.first().map(|found| found.rank);
            let ended = search.run(from.clone(), &mut |depth, nodes, found| {
                if is_last && let Some(found) = found.filter(|found| Some(found.rank) > reported) {
                    reported = Some(found.rank);
                    let placements = [before, &found.placements].concat();
                    // With the leftmost columns: what it comes to with others is not played before the end.
                    best_route = Route::replay_against(game.start, game.attacks, &placements, &[]).ok();
                }
                let (nodes, time) = (nodes_before + nodes, started.elapsed());
                progress(PlanStatus { width, depth, pairs: known, nodes, time, best: best_route.as_ref() });
            });
            let Ended { found, nodes, stopped, complete, cut } = ended;
            self.outcome.nodes += nodes;
            self.outcome.complete = complete && pairs[1] == known;
            if !stopped {
                self.outcome.widths.push(width);
            }
            let best_of = |found: &[Found]| found.first().map(|found| found.rank);
            if best_of(&found) > best_of(&best) || best.is_empty() {
                best = found;
            }
            let took = started.elapsed().saturating_sub(began);
            let left = deadline
                .map_or(Duration::ZERO, |deadline| deadline.saturating_duration_since(Instant::now()));
            // Eight tenths of what the time is enough for by the last search: estimates are inexact.
            let wider = (8 * left.as_micros() / took.as_micros().max(1)).min(WIDEST);
            if !cut || stopped || wider < WORTH || width >= MAX_WIDTH {
                return Some(best);
            }
            width = (width * usize::try_from(wider).unwrap_or(1) / 10).min(MAX_WIDTH);
        }
    }

    /// The scenarios after these placements, as a later goal counts them.
    fn after(&self, placements: &[Placement]) -> Vec<Weighted> {
        let mut all: Vec<Weighted> = vec![(self.game.begin(), ALL)];
        for (pair, placement) in placements.iter().enumerate() {
            let mut next: Vec<Weighted> = Vec::new();
            for (scenario, weight) in &all {
                let Some(turn) = self.game.turn(scenario, pair, *placement) else { continue };
                let falls = self.game.falls(&turn);
                let share = weight / falls.len() as u64;
                for (_, mut scenario) in falls.into_iter().filter(|(_, scenario)| !scenario.field.is_lost()) {
                    (scenario.totals, scenario.frames) = (Totals::default(), 0);
                    match next.iter_mut().find(|(known, _): &&mut Weighted| *known == scenario) {
                        Some((_, weight)) => *weight += share,
                        None => next.push((scenario, share)),
                    }
                }
            }
            let count = next.len();
            all = if count > MOST { (0..MOST).map(|nth| next[nth * count / MOST]).collect() } else { next };
        }
        all
    }
}

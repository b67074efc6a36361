//! Beam search over the scenarios of routes: after each pair, the routes that lose in the fewest scenarios and have the most promising boards
//! are retained. The result depends on the width only, not on threads or time.

use super::super::batch_eval::{Batch, LANES};
use super::super::goal::Goal;
use super::super::solutions::Rank;
use super::super::value::{Weights, value};
use super::scenario::{ALL, Match, Scenario};
use nextscope_boards::Pair;
use nextscope_boards::puyo::{COLUMNS, Placement, VISIBLE_ROWS, reachable};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The most scenarios of a route during the search. More are sampled.
const MOST: usize = 120;
/// The pairs within which coming garbage counts as if it were on the board.
const AHEAD: usize = 4;
/// The cells that a board can have without being in danger: three quarters of the visible ones.
const SAFE: u32 = 54;
const _: () = assert!(SAFE as usize == COLUMNS * VISIBLE_ROWS * 3 / 4);
/// The cost of a cell more.
const DANGER: i32 = 40;
/// The number of frames worth one point of a board's value, as without attacks.
const FRAMES_PER_POINT: u32 = 4;
/// The number of children per retained route at which a thread discards those that cannot be retained.
const PRUNE_FACTOR: usize = 4;

/// A scenario with its weight.
pub(super) type Weighted = (Scenario, u64);

pub(super) struct Search<'a> {
    pub game: &'a Match<'a>,
    pub goal: Goal,
    /// The index of the first pair, and the one after the last.
    pub pairs: [usize; 2],
    pub width: usize,
    /// Routes to find, and whether two of them may differ only in the last placement.
    pub routes: usize,
    pub any_last: bool,
    pub threads: usize,
    /// Whether "soonest" means the fewest frames.
    pub in_frames: bool,
    pub max_frames: Option<u32>,
    pub cancel: &'a AtomicBool,
    pub deadline: Option<Instant>,
}

/// A route to the goal.
pub(super) struct Found {
    pub placements: Vec<Placement>,
    pub rank: FoundRank,
}

/// What decides between two routes, the greatest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct FoundRank {
    /// The weight of the scenarios in which the goal is reached.
    pub reached: u64,
    /// Pairs or frames of a goal that is to be reached soon.
    soonest: Reverse<u32>,
    worst: Rank,
    best: Rank,
}

/// The result of a search.
pub(super) struct Ended {
    pub found: Vec<Found>,
    /// Placements tried, in all scenarios.
    pub nodes: u64,
    /// Cancelled, or out of time.
    pub stopped: bool,
    /// Everything was tried, in all scenarios.
    pub complete: bool,
    /// Routes were dropped because of the width.
    pub cut: bool,
}

struct Node {
    scenarios: Vec<Weighted>,
    /// The parent's index in its layer, and the placement.
    origin: (u32, u8),
    /// The weight of the scenarios that lost.
    lost: u64,
    value: i32,
    hash: u64,
}

impl Node {
    fn order(&self) -> (u64, Reverse<i32>, u64, (u32, u8)) {
        (self.lost, Reverse(self.value), self.hash, self.origin)
    }
}

/// The end of a route, with its place in the last layer.
struct Solution {
    rank: FoundRank,
    origin: (u32, u8),
}

/// The result of a thread for its part of a layer.
#[derive(Default)]
struct Expanded {
    children: Vec<Node>,
    solutions: Vec<Solution>,
    nodes: u64,
    cut: bool,
    sampled: bool,
}

/// Called with the pairs placed, the placements tried, and the best route so far.
pub(super) type Report<'a> = dyn FnMut(usize, u64, Option<&Found>) + 'a;

impl Search<'_> {
    /// Runs one search from these scenarios.
    pub fn run(&self, from: Vec<Weighted>, report: &mut Report<'_>) -> Ended {
        let lost = ALL - from.iter().map(|(_, weight)| weight).sum::<u64>().min(ALL);
        let mut layer = vec![Node { scenarios: from, origin: (0, 0), lost, value: 0, hash: 0 }];
        let mut trace: Vec<Vec<(u32, u8)>> = Vec::new();
        let mut ended = Ended { found: Vec::new(), nodes: 0, stopped: false, complete: true, cut: false };
        for pair in self.pairs[0]..self.pairs[1] {
            let Some(parts) = self.expand(&layer, pair) else {
                (ended.stopped, ended.complete) = (true, false);
                return ended;
            };
            let mut children = Vec::new();
            for part in parts {
                ended.nodes += part.nodes;
                ended.cut |= part.cut;
                ended.complete &= !part.sampled;
                for Solution { rank, origin } in part.solutions {
                    self.add(&mut ended.found, &trace, rank, origin);
                }
                children.extend(part.children);
            }
            let depth = pair + 1;
            report(depth, ended.nodes, ended.found.first());
            let enough = ended.found.len() >= self.routes.max(1)
                && ended.found.iter().all(|found| found.rank.reached == ALL);
            if depth == self.pairs[1] || enough && self.goal.is_soonest() && !self.in_frames {
                break;
            }
            children.sort_unstable_by_key(Node::order);
            let mut seen = HashSet::with_capacity(children.len());
            children.retain(|child| seen.insert((child.hash, child.lost)));
            ended.cut |= children.len() > self.width;
            children.truncate(self.width);
            if children.is_empty() {
                break;
            }
            trace.push(children.iter().map(|child| child.origin).collect());
            layer = children;
        }
        ended.complete &= !ended.cut;
        ended
    }

    /// Adds a route, unless enough others are better, or one is that differs only in the last placement.
    fn add(&self, found: &mut Vec<Found>, trace: &[Vec<(u32, u8)>], rank: FoundRank, origin: (u32, u8)) {
        let place = found.partition_point(|other| other.rank >= rank);
        if place >= self.routes.max(1) {
            return;
        }
        let placements = path(trace, origin);
        let compared = placements.len() - usize::from(!self.any_last);
        let is_same = |other: &Found| {
            other.placements.len() == placements.len()
                && other.placements[..compared] == placements[..compared]
        };
        if let Some(same) = found.iter().position(is_same) {
            if same < place {
                return;
            }
            found.remove(same);
        }
        found.insert(place, Found { placements, rank });
        found.truncate(self.routes.max(1));
    }

    fn expand(&self, layer: &[Node], pair: usize) -> Option<Vec<Expanded>> {
        let threads = self.threads.clamp(1, layer.len().max(1));
        let share = layer.len().div_ceil(threads).max(1);
        let part = |nth: usize, nodes: &[Node]| self.expand_part(nodes, nth * share, pair);
        if threads == 1 {
            return Some(vec![part(0, layer)?]);
        }
        std::thread::scope(|scope| {
            let parts = layer.chunks(share).enumerate();
            let parts: Vec<_> = parts
                .map(|(nth, nodes)| scope.spawn(move || self.expand_part(nodes, nth * share, pair)))
                .collect();
            parts.into_iter().map(|part| part.join().ok().flatten()).collect()
        })
    }

    fn expand_part(&self, nodes: &[Node], first: usize, pair: usize) -> Option<Expanded> {
        let mut part = Expanded::default();
        let mut evaluator = Evaluator::new(self);
        for (node, parent) in nodes.iter().zip(first..) {
            let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late || self.cancel.load(Ordering::Relaxed) {
                return None;
            }
            let parent = u32::try_from(parent).unwrap_or(u32::MAX);
            for placement in self.places(node, pair) {
                let origin = (parent, u8::try_from(placement.index()).unwrap_or(u8::MAX));
                self.place(node, pair, placement, origin, &mut part);
            }
            if part.children.len() > PRUNE_FACTOR * self.width + Placement::ALL.len() {
                evaluator.evaluate(&mut part.children, pair);
                part.cut = true;
                part.children.sort_unstable_by_key(Node::order);
                part.children.truncate(2 * self.width);
            }
        }
        evaluator.evaluate(&mut part.children, pair);
        Some(part)
    }

    /// The placements that are possible in any scenario; for a pair of equal colours, half-turned placements are duplicates.
    fn places(&self, node: &Node, pair: usize) -> Vec<Placement> {
        let is_double = self.game.start.pairs.get(pair).is_some_and(|Pair { axis, child }| axis == child);
        let different = if is_double { Placement::ALL.len() / 2 } else { Placement::ALL.len() };
        let boards: Vec<_> = node.scenarios.iter().map(|(scenario, _)| reachable(&scenario.field)).collect();
        let all = Placement::ALL.into_iter().take(different);
        all.filter(|placement| boards.iter().any(|board| board.has(*placement))).collect()
    }

    fn place(&self, node: &Node, pair: usize, placement: Placement, origin: (u32, u8), part: &mut Expanded) {
        let is_last = pair + 1 == self.pairs[1];
        let mut scenarios: Vec<Weighted> = Vec::with_capacity(node.scenarios.len());
        let (mut fired, mut reached, mut lost) = (false, 0, node.lost);
        let mut ranks: Option<(Rank, Rank)> = None;
        let mut frames = 0;
        for (scenario, weight) in &node.scenarios {
            part.nodes += 1;
            let turn = self.game.turn(scenario, pair, placement);
            let in_time = |frames: u32| self.max_frames.is_none_or(|most| frames <= most);
            let Some(turn) = turn.filter(|turn| in_time(turn.scenario.frames)) else {
                lost += weight;
                continue;
            };
            fired |= turn.fired.chain > 0;
            let is_end = turn.meets(self.goal);
            let falls = self.game.falls(&turn);
            let share = weight / falls.len() as u64;
            // Beyond nine falls shares are rounded.
            part.sampled |= share * falls.len() as u64 != *weight;
            for (_, scenario) in falls {
                if scenario.field.is_lost() || !in_time(scenario.frames) {
                    lost += share;
                    continue;
                }
                if is_end {
                    reached += share;
                    let rank = scenario.rank(self.goal);
                    let (worst, best) = ranks.get_or_insert((rank, rank));
                    (*worst, *best) = ((*worst).min(rank), (*best).max(rank));
                    frames = frames.max(scenario.frames);
                }
                scenarios.push((scenario, share));
            }
        }
        let ends = if self.goal == Goal::Survive { is_last } else { fired };
        if let Some((worst, best)) = ranks.filter(|_| ends) {
            let pairs = u32::try_from(pair).unwrap_or(u32::MAX);
            let soonest = match self.goal.is_soonest() {
                true if self.in_frames => frames,
                true => pairs,
                false => 0,
            };
            let rank = FoundRank { reached, soonest: Reverse(soonest), worst, best };
            part.solutions.push(Solution { rank, origin });
        }
        if scenarios.is_empty() || is_last {
            return;
        }
        part.sampled |= self.merge(&mut scenarios);
        let hash = self.hash(&scenarios);
        part.children.push(Node { scenarios, origin, lost, value: i32::MIN, hash });
    }

    /// Joins equal scenarios, and samples if there are too many; whether it did.
    fn merge(&self, scenarios: &mut Vec<Weighted>) -> bool {
        if scenarios.len() > 1 {
            scenarios.sort_unstable_by_key(|(scenario, _)| {
                let Scenario { field, garbage, totals, frames } = scenario;
                let order = (garbage.waiting, garbage.points, garbage.cleared, totals.score, totals.chain);
                (field.hash64(), order, totals.sent, *frames)
            });
            scenarios.dedup_by(|one, other| {
                let same = one.0 == other.0;
                if same {
                    other.1 += one.1;
                }
                same
            });
        }
        let all = scenarios.len();
        if all <= MOST {
            return false;
        }
        let total: u64 = scenarios.iter().map(|(_, weight)| weight).sum();
        *scenarios = (0..MOST).map(|nth| scenarios[nth * all / MOST]).collect();
        for (_, weight) in scenarios.iter_mut() {
            *weight = total / MOST as u64;
        }
        if let Some((_, weight)) = scenarios.first_mut() {
            *weight += total % MOST as u64;
        }
        true
    }

    /// Of everything that matters later; frames only where they decide.
    fn hash(&self, scenarios: &[Weighted]) -> u64 {
        let frames_count = self.in_frames || self.max_frames.is_some() || self.goal == Goal::PointsPerFrame;
        let mut hasher = DefaultHasher::new();
        for (scenario, weight) in scenarios {
            let frames = if frames_count { scenario.frames } else { 0 };
            (Scenario { frames, ..*scenario }, weight).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The placements that lead to a place in the last layer.
fn path(trace: &[Vec<(u32, u8)>], (mut parent, placement): (u32, u8)) -> Vec<Placement> {
    let mut path = vec![Placement::ALL[usize::from(placement)]];
    for layer in trace.iter().rev() {
        let (before, placement) = layer[parent as usize];
        path.push(Placement::ALL[usize::from(placement)]);
        parent = before;
    }
    path.reverse();
    path
}

/// Values of children: that of the worst scenario.
struct Evaluator<'a> {
    search: &'a Search<'a>,
    weights: Weights,
    batch: Batch,
}

impl<'a> Evaluator<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        let weights = if search.goal == Goal::AllClear { Weights::CLEAR } else { Weights::CHAIN };
        Self { search, weights, batch: Batch::default() }
    }

    /// Evaluates the children that have no value yet.
    fn evaluate(&mut self, children: &mut [Node], pair: usize) {
        let mut waiting: Vec<(usize, i32)> = Vec::with_capacity(LANES);
        let fresh = children.iter().enumerate().filter(|(_, child)| child.value == i32::MIN);
        let fresh: Vec<usize> = fresh.map(|(nth, _)| nth).collect();
        for nth in fresh {
            children[nth].value = i32::MAX;
            for scenario in 0..children[nth].scenarios.len() {
                let (scenario, _) = children[nth].scenarios[scenario];
                let extra = self.extra(&scenario, pair);
                if self.search.game.start.rules.group != 4 {
                    let worth = value(&scenario.field, &self.search.game.simulator, &self.weights) + extra;
                    children[nth].value = children[nth].value.min(worth);
                    continue;
                }
                self.batch.push(&scenario.field);
                waiting.push((nth, extra));
                if self.batch.is_full() {
                    self.flush(&mut waiting, children);
                }
            }
        }
        self.flush(&mut waiting, children);
    }

    fn flush(&mut self, waiting: &mut Vec<(usize, i32)>, children: &mut [Node]) {
        if waiting.is_empty() {
            return;
        }
        let evaluated = self.batch.evaluate(self.search.game.simulator.vectors(), &self.weights);
        for ((nth, extra), worth) in waiting.drain(..).zip(evaluated.values) {
            let child = &mut children[nth];
            child.value = child.value.min(worth + extra);
        }
    }

    /// The value of what was reached, less that of danger and time.
    fn extra(&self, scenario: &Scenario, pair: usize) -> i32 {
        let Match { start, attacks, .. } = self.search.game;
        let target = start.target_points.max(1);
        let goal = match self.search.goal {
            Goal::Points(points) => points,
            Goal::Garbage(garbage) => garbage.saturating_mul(target),
            Goal::Survive => u32::MAX,
            _ => 0,
        };
        let have = match self.search.goal {
            Goal::Garbage(_) => scenario.totals.sent.saturating_mul(target),
            _ => scenario.totals.score,
        };
        // As much as the board that fired it: a step of a chain of so many points.
        let steps = (1..=19).take_while(|step| start.rules.points(4, *step, 1, 0) <= have.min(goal)).count();
        let progress = self.weights.chain * i32::try_from(steps).unwrap_or(0);
        let coming = attacks.iter().filter(|attack| (pair + 2..pair + 2 + AHEAD).contains(&attack.pair()));
        let coming: u32 = coming.map(|attack| attack.puyos()).sum();
        let cells = scenario.field.count().saturating_add(scenario.garbage.waiting).saturating_add(coming);
        let danger = i32::try_from(cells.saturating_sub(SAFE).min(1000)).unwrap_or(0) * DANGER;
        let late = if self.search.in_frames || self.search.goal == Goal::PointsPerFrame {
            i32::try_from(scenario.frames / FRAMES_PER_POINT).unwrap_or(0)
        } else {
            0
        };
        progress - danger - late
    }
}

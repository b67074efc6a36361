//! Beam search: after each pair, the most promising boards are retained, regardless of the path to them.
//!
//! The result depends on the width only, not on threads or time: the boards of a layer are selected by an order without ties.

use super::batch_eval::{Batch, LANES};
use super::frame_costs::{FrameCosts, Timing};
use super::goal::Goal;
use super::planning::MAX_WIDTH;
use super::selection::{Child, PLACEMENT_BITS, SameBoard, Selection, select, truncate_best};
use super::solutions::{Rank, RouteCount, Solution, Solutions};
use super::steps::Start;
use super::value::{Weights, value};
use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Fired, Placement, Rules, Simulator, reachable};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A chain with this many points counts as the intended one: the search does not continue after it if the goal is a single chain.
const FIRED_POINTS: u32 = 5000;
/// The cost of each chain step triggered on the path: those puyos are missing later.
const WASTE: i32 = -25;
/// The number of frames worth one point of a board's value: a chain step takes about a second and is worth 100 of them.
const FRAMES_PER_POINT: u32 = 4;
/// Parents that a thread takes at a time.
const BLOCK: usize = 64;
/// The number of children per retained board at which a thread discards those that cannot be retained.
const PRUNE_FACTOR: usize = 5;

#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub start: &'a Start,
    pub goal: Goal,
    pub simulator: Simulator,
    /// The boards of a layer that are retained; of the first layers, if it fills the time.
    pub width: usize,
    /// Whether later layers get the width with which the search ends at its deadline.
    pub fills_time: bool,
    pub routes: RouteCount,
    pub threads: usize,
    pub cancel: &'a AtomicBool,
    pub deadline: Option<Instant>,
    pub timing: Option<&'a Timing>,
}

impl Search<'_> {
    /// Whether "soonest" means the fewest frames.
    fn in_frames(&self) -> bool {
        self.goal.is_soonest() && self.timing.is_some_and(|timing| timing.soonest)
    }

    fn same_board(&self) -> SameBoard {
        match self.goal {
            Goal::PointsPerFrame => SameBoard::EachTradeoff,
            _ if self.timing.is_some() => SameBoard::BestValue,
            _ => SameBoard::MostPoints,
        }
    }
}

/// The result of a search.
pub(super) struct BeamOutcome {
    /// Placements tried.
    pub nodes: u64,
    /// Cancelled, or out of time.
    pub stopped: bool,
    /// The search was exhaustive: no boards were dropped because of the width or because play after a chain was not followed.
    pub complete: bool,
    /// Boards were dropped because of the width: a wider search may find more.
    pub cut: bool,
    /// The width; the mean of all layers, if it filled the time.
    pub width: usize,
}

/// Chooses the width of each layer of a search that fills its time: growing from layer to layer, as far as the time goes. What is chosen last
/// decides how the chain ends; this gives more points than the same width for all (measured on other games than those of the bench).
struct Filling {
    deadline: Instant,
    layers: usize,
    /// When the last layer began.
    began: Instant,
    widths: Vec<usize>,
}

impl Filling {
    /// Layers with fewer boards say too little about the time that a board takes.
    const ENOUGH: usize = 1000;
    /// From one layer to the next the width grows or shrinks at most by this factor.
    const MOST: usize = 2;
    /// The share of the time that is planned with: a layer may take longer than the one before.
    const OF_TIME: f64 = 0.98;
    /// The widths of the first layer and of the last, of their mean.
    const WEIGHTS: [f64; 2] = [0.1, 1.9];

    fn new(search: &Search<'_>) -> Option<Self> {
        let deadline = search.deadline.filter(|_| search.fills_time)?;
        let began = Instant::now();
        let deadline = began + deadline.saturating_duration_since(began).mul_f64(Self::OF_TIME);
        Some(Self { deadline, layers: search.start.pairs.len(), began, widths: Vec::new() })
    }

    /// The width of the layers after the next one. The last one had so many boards, the next one has so many, and so many follow it.
    fn next(&mut self, width: usize, boards: usize, next: usize, layers: usize) -> usize {
        let now = Instant::now();
        let took = now.saturating_duration_since(self.began);
        self.began = now;
        self.widths.push(width);
        if boards < Self::ENOUGH || layers == 0 {
            return width;
        }
        let left = self.deadline.saturating_duration_since(now);
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let each = took.as_secs_f64().max(1e-9) / boards as f64;
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let boards_left = left.as_secs_f64() / each - next as f64;
        let weights: f64 = (0..layers).map(|after| self.weight(after)).sum();
        let fitting = boards_left / weights * self.weight(layers - 1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "positive, and saturates"
        )]
        let fitting = fitting as usize;
        fitting.clamp(width / Self::MOST, width * Self::MOST).clamp(1, MAX_WIDTH)
    }

    /// The weight of a layer after which so many follow.
    #[expect(clippy::cast_precision_loss, reason = "few layers")]
    fn weight(&self, after: usize) -> f64 {
        let [first, last] = Self::WEIGHTS;
        last + (first - last) * after as f64 / self.layers as f64
    }

    fn mean(&self) -> Option<usize> {
        self.widths.iter().sum::<usize>().checked_div(self.widths.len())
    }
}

/// A board of a layer.
#[derive(Clone, Copy)]
struct Node {
    field: Field,
    /// Points so far.
    score: u32,
    /// Garbage of all clears so far, and whether the last chain was one.
    extra: u32,
    cleared: bool,
    /// Chain steps wasted so far.
    waste: i32,
    /// Frames so far, if they are counted.
    frames: u32,
}

/// The result of a thread for its part of a layer.
#[derive(Default)]
struct Part {
    children: Vec<Child>,
    solutions: Solutions,
    nodes: u64,
    /// Boards were dropped because of the width.
    cut: bool,
    /// Play was not followed after a large chain.
    ended_early: bool,
}

/// Called with the pairs placed, the placements tried, and the routes that are among the best so far, the best first.
pub(super) type Report<'a> = dyn FnMut(usize, u64, &[Vec<Placement>]) + 'a;

/// Runs one search over all pairs.
pub(super) fn search(search: &Search<'_>, report: &mut Report<'_>) -> BeamOutcome {
    let mut search = *search;
    let mut filling = Filling::new(&search);
    let mut ended = search_layers(&mut search, filling.as_mut(), report);
    ended.width = filling.and_then(|filling| filling.mean()).unwrap_or(search.width);
    ended
}

fn search_layers(
    search: &mut Search<'_>,
    mut filling: Option<&mut Filling>,
    report: &mut Report<'_>,
) -> BeamOutcome {
    let Search { start, goal, .. } = *search;
    let mut layer =
        vec![Node { field: start.field, score: 0, extra: 0, cleared: false, waste: 0, frames: 0 }];
    let mut trace: Vec<Vec<(u32, u8)>> = Vec::new();
    // The rankings of the routes that were reported, the best first.
    let mut best: Vec<Rank> = Vec::new();
    let mut ended = BeamOutcome { nodes: 0, stopped: false, complete: true, cut: false, width: search.width };
    for (depth, pair) in start.pairs.iter().enumerate() {
        let is_last = depth + 1 == start.pairs.len();
        let Some(parts) = expand(search, &layer, *pair) else {
            ended.stopped = true;
            ended.complete = false;
            return ended;
        };
        ended.nodes += parts.iter().map(|part| part.nodes).sum::<u64>();
        // Nothing follows the last pair.
        ended.complete &= is_last || parts.iter().all(|part| !part.ended_early);
        let dropped = parts.iter().any(|part| part.cut);
        let mut solutions = Solutions::default();
        for solution in parts.iter().flat_map(|part| &part.solutions.0) {
            solutions.add(*solution, search.routes);
        }
        let mut found = Vec::new();
        for Solution { rank, order: std::cmp::Reverse((parent, placement)) } in solutions.0 {
            // Of equals, the one with fewer pairs comes first.
            let place = best.partition_point(|other| *other >= rank);
            if place < search.routes.most {
                best.insert(place, rank);
                best.truncate(search.routes.most);
                found.push(reconstruct_path(&trace, parent, placement));
            }
        }
        report(depth + 1, ended.nodes, &found);
        if best.len() == search.routes.most && goal.is_soonest() && !search.in_frames() {
            // Later solutions are not better, whatever was dropped on the path.
            return ended;
        }
        if is_last {
            return ended;
        }
        let children = parts.into_iter().map(|part| part.children).collect();
        let Selection { children: next, cut, lossless } = select(children, search.width, search.same_board());
        ended.cut |= cut || dropped;
        ended.complete &= lossless && !cut && !dropped;
        if next.is_empty() {
            return ended;
        }
        trace.push(next.iter().map(|child| (child.parent(), child.placement())).collect());
        let boards = layer.len();
        layer = grow(search, &layer, *pair, &next);
        if let Some(filling) = &mut filling {
            let layers = start.pairs.len() - depth - 2; // the last one has returned
            search.width = filling.next(search.width, boards, layer.len(), layers);
        }
    }
    ended
}

/// The placements that lead to a placement on a board of the last layer.
fn reconstruct_path(trace: &[Vec<(u32, u8)>], parent: u32, placement: u8) -> Vec<Placement> {
    let mut path = vec![Placement::ALL[usize::from(placement)]];
    let mut at = parent;
    for layer in trace.iter().rev() {
        let (parent, placement) = layer[at as usize];
        path.push(Placement::ALL[usize::from(placement)]);
        at = parent;
    }
    path.reverse();
    path
}

/// All children of a layer with their values; None if the search is to stop.
fn expand(search: &Search<'_>, layer: &[Node], pair: Pair) -> Option<Vec<Part>> {
    let threads = search.threads.min(layer.len().div_ceil(BLOCK)).max(1);
    let parts = if threads == 1 {
        vec![expand_part(search, layer, pair, 0, 1)]
    } else {
        std::thread::scope(|scope| {
            let parts: Vec<_> = (0..threads)
                .map(|nth| scope.spawn(move || expand_part(search, layer, pair, nth, threads)))
                .collect();
            parts.into_iter().map(|part| part.join().ok().flatten()).collect()
        })
    };
    parts.into_iter().collect()
}

fn expand_part(search: &Search<'_>, layer: &[Node], pair: Pair, nth: usize, of: usize) -> Option<Part> {
    let mut expander = LayerExpander::new(search);
    for (block, nodes) in layer.chunks(BLOCK).enumerate().skip(nth).step_by(of) {
        let late = search.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if late || search.cancel.load(Ordering::Relaxed) {
            return None;
        }
        for (node, parent) in nodes.iter().zip(BLOCK * block..) {
            let parent = u32::try_from(parent).unwrap_or(u32::MAX);
            for placement in places(&node.field, pair) {
                let mut node = *node;
                if let Some(pace) = &expander.pace {
                    node.frames += pace.of_placement(&node.field, placement);
                }
                node.field.land(pair, placement, search.start.rules);
                if expander.is_late(&node) {
                    continue;
                }
                let placement = u8::try_from(placement.index()).unwrap_or(u8::MAX);
                expander.add(Landed { node, parent, placement });
            }
        }
        expander.prune();
    }
    expander.evaluate();
    expander.evaluate();
    Some(expander.part)
}

/// A board after a placement, before groups pop.
#[derive(Clone, Copy)]
struct Landed {
    node: Node,
    parent: u32,
    placement: u8,
}

/// Evaluates children in batches.
struct LayerExpander<'a> {
    search: &'a Search<'a>,
    weights: Weights,
    pace: Option<FrameCosts<'a>>,
    batch: Batch,
    waiting: Vec<Landed>,
    part: Part,
}

impl<'a> LayerExpander<'a> {
    fn new(search: &'a Search<'a>) -> Self {
        Self {
            search,
            weights: weights(search.goal, search.start),
            pace: search.timing.map(FrameCosts::new),
            batch: Batch::default(),
            waiting: Vec::with_capacity(LANES),
            part: Part::default(),
        }
    }

    fn add(&mut self, landed: Landed) {
        self.part.nodes += 1;
        if self.search.start.rules.group == 4 {
            self.wait(landed);
        } else if let Some(landed) = self.fire(landed) {
            let value = value(&landed.node.field, &self.search.simulator, &self.weights);
            self.keep(&landed, value);
        }
    }

    fn wait(&mut self, landed: Landed) {
        self.batch.push(&landed.node.field);
        self.waiting.push(landed);
        if self.batch.is_full() {
            self.evaluate();
        }
    }

    /// Evaluates the waiting boards. A board on which groups pop waits again, with the result of its chain.
    fn evaluate(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let evaluated = self.batch.evaluate(self.search.simulator.vectors(), &self.weights);
        for (lane, landed) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            if evaluated.pops >> lane & 1 == 0 {
                self.keep(&landed, evaluated.values[lane]);
            } else if let Some(left) = self.fire(landed) {
                self.wait(left);
            }
        }
    }

    /// Plays the chain, records it if it meets the goal, and returns the board to continue from.
    fn fire(&mut self, mut landed: Landed) -> Option<Landed> {
        let Search { start, goal, .. } = *self.search;
        if let Some(pace) = &self.pace {
            landed.node.frames += pace.of_chain(&landed.node.field, start.rules);
        }
        let fired = landed.node.fire(&self.search.simulator);
        if self.is_late(&landed.node) {
            return None;
        }
        if let Some(rank) = self.rank(&landed.node, fired) {
            let solution = Solution { rank, order: std::cmp::Reverse((landed.parent, landed.placement)) };
            self.part.solutions.add(solution, self.search.routes);
        }
        let is_final_chain = matches!(goal, Goal::Chain | Goal::Score) && fired.score >= FIRED_POINTS;
        self.part.ended_early |= is_final_chain;
        (!is_final_chain).then_some(landed)
    }

    /// Whether the frame limit is exceeded.
    fn is_late(&self, node: &Node) -> bool {
        let most = self.search.timing.and_then(|timing| timing.max_frames);
        most.is_some_and(|most| node.frames > most)
    }

    /// The ranking of a solution, if it is one: if frames decide, the fewest first.
    fn rank(&self, node: &Node, fired: Fired) -> Option<Rank> {
        let Search { start, goal, .. } = *self.search;
        let rank = reached(goal, start, node, fired)?;
        Some(if self.search.in_frames() { Rank::new(u32::MAX - node.frames, node.score) } else { rank })
    }

    fn keep(&mut self, landed: &Landed, value: i32) {
        let Landed { node, parent, placement } = *landed;
        if node.field.is_lost() {
            return;
        }
        let Search { start, goal, .. } = *self.search;
        // For the same board the earlier one is better; frames weigh little against board values.
        let late = i32::try_from(node.frames / FRAMES_PER_POINT).unwrap_or(0);
        let value = value + node.waste + progress_value(goal, start, &node) - late;
        self.part.children.push(Child {
            value,
            credit: credit(goal, start, &node),
            frames: node.frames,
            origin: parent << PLACEMENT_BITS | u32::from(placement),
            hash: node.field.hash64(),
        });
    }

    /// Discards children that cannot be retained.
    fn prune(&mut self) {
        let width = self.search.width;
        if self.part.children.len() > PRUNE_FACTOR * width + 22 * BLOCK {
            self.part.cut = true;
            truncate_best(&mut self.part.children, 2 * width);
        }
    }
}

/// All placements of a pair; for a pair of equal colours, half-turned placements are duplicates.
fn places(field: &Field, pair: Pair) -> impl Iterator<Item = Placement> {
    let different = if pair.axis == pair.child { 11 } else { 22 };
    reachable(field).iter().filter(move |placement| placement.index() < different)
}

fn weights(goal: Goal, start: &Start) -> Weights {
    let most = |chain| Weights { max_chain: chain, ..Weights::CHAIN };
    match goal {
        Goal::Chain | Goal::Score | Goal::PointsPerFrame | Goal::Survive => Weights::CHAIN,
        Goal::AllClear => Weights::CLEAR,
        Goal::ExactChain(chain) => most(i32::try_from(chain).unwrap_or(i32::MAX)),
        Goal::Points(points) => most(chain_for(points, start.rules)),
        Goal::Garbage(garbage) => most(chain_for(garbage.saturating_mul(start.target_points), start.rules)),
    }
}

/// The number of steps of a chain of fours that scores this many points.
fn chain_for(points: u32, rules: Rules) -> i32 {
    let mut sum = 0_u32;
    let steps = (1..=19).take_while(|step| {
        let missing = sum < points;
        sum += rules.points(4, *step, 1, 0);
        missing
    });
    i32::try_from(steps.count()).unwrap_or(i32::MAX).max(2)
}

impl Node {
    /// Plays the chain on a board after a placement.
    fn fire(&mut self, simulator: &Simulator) -> Fired {
        let fired = simulator.fire(&mut self.field);
        if fired.chain > 0 {
            self.score += fired.score;
            self.waste += WASTE * i32::try_from(fired.chain).unwrap_or(0);
            self.extra += if self.cleared { simulator.rules().garbage.all_clear } else { 0 };
            self.cleared = self.field.is_empty();
        }
        fired
    }
}

/// The ranking of a solution, if it is one.
fn reached(goal: Goal, start: &Start, child: &Node, fired: Fired) -> Option<Rank> {
    let garbage = || child.extra + child.score / start.target_points.max(1);
    let solution = match goal {
        Goal::Chain | Goal::Score | Goal::PointsPerFrame => true,
        // Its only end is the last pair: see the search against attacks.
        Goal::Survive => false,
        Goal::Points(points) => child.score >= points,
        Goal::Garbage(least) => garbage() >= least,
        Goal::AllClear => child.field.is_empty(),
        Goal::ExactChain(chain) => fired.chain == chain,
    };
    let rank = || match goal {
        Goal::Chain => Rank::new(fired.chain, child.score),
        Goal::PointsPerFrame => Rank::points_per_frame(child.score, child.frames),
        _ => Rank::new(child.score, child.score),
    };
    (fired.chain > 0 && solution).then(rank)
}

/// The value of the points so far, if the goal counts them: at most what the goal requires.
fn progress_value(goal: Goal, start: &Start, child: &Node) -> i32 {
    let (have, want) = match goal {
        Goal::Points(points) => (child.score, points),
        Goal::Garbage(garbage) => {
            let points = garbage.saturating_mul(start.target_points);
            (child.score + child.extra.saturating_mul(start.target_points), points)
        }
        _ => return 0,
    };
    let is_final_chain = Weights::CHAIN.chain * chain_for(want, start.rules);
    i32::try_from(i64::from(is_final_chain) * i64::from(have.min(want)) / i64::from(want.max(1)))
        .unwrap_or(is_final_chain)
}

/// The part of the path's result that counts later: points; for garbage goals including the all clear bonus, in points.
fn credit(goal: Goal, start: &Start, child: &Node) -> u32 {
    let Goal::Garbage(_) = goal else { return child.score };
    let due = if child.cleared { start.rules.garbage.all_clear } else { 0 };
    child.score.saturating_add((child.extra + due).saturating_mul(start.target_points))
}

/// The boards of the selected children.
fn grow(search: &Search<'_>, layer: &[Node], pair: Pair, selected: &[Child]) -> Vec<Node> {
    let pace = search.timing.map(FrameCosts::new);
    let board = |child: &Child| {
        let mut node = layer[child.parent() as usize];
        let placement = Placement::ALL[usize::from(child.placement())];
        let before = node.field;
        node.field.land(pair, placement, search.start.rules);
        if let Some(pace) = &pace {
            node.frames +=
                pace.of_placement(&before, placement) + pace.of_chain(&node.field, search.start.rules);
        }
        node.fire(&search.simulator);
        node
    };
    selected.iter().map(board).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn widths_follow_the_time_that_is_left() {
        let now = Instant::now();
        let filling =
            |time: Duration| Filling { deadline: now + time, layers: 40, began: now, widths: Vec::new() };
        // The boards of a layer, the next one and its followers.
        let next = |mut filling: Filling, boards| filling.next(5000, boards, 5000, 20);
        assert_eq!(next(filling(Duration::ZERO), 5000), 2500, "no time is left");
        assert_eq!(next(filling(Duration::from_secs(3600)), 5000), 10_000, "plenty of time is left");
        assert_eq!(next(filling(Duration::ZERO), 22), 5000, "a small layer says nothing");
        let mut filling = filling(Duration::ZERO);
        filling.next(5000, 5000, 5000, 20);
        filling.next(2500, 5000, 5000, 0);
        assert_eq!(filling.mean(), Some(3750));
        let weights: f64 = (0..40).map(|after| filling.weight(after)).sum();
        assert!((39.0..=41.0).contains(&weights), "the mean weight is one: {weights}");
        assert!(filling.weight(0) > filling.weight(39));
    }
}

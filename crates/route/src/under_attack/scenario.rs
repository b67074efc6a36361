//! One player's game for one choice of garbage columns.

use super::super::attack::Attack;
use super::super::frame_costs::FrameCosts;
use super::super::goal::Goal;
use super::super::solutions::Rank;
use super::super::steps::Start;
use nextscope_boards::puyo::{Field, Fired, GarbageState, Placement, Simulator, garbage_falls, reachable};

/// The weight of all scenarios together. Falls divide it by 6, 15 or 20, nine times without a remainder.
pub(super) const ALL: u64 = 60_u64.pow(9);

/// What was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Totals {
    /// Steps of the longest chain.
    pub chain: u32,
    pub score: u32,
    pub sent: u32,
}

/// The state of a game when a pair appears.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Scenario {
    pub field: Field,
    pub garbage: GarbageState,
    /// Since the current goal counts.
    pub totals: Totals,
    /// 0 without a frame table.
    pub frames: u32,
}

impl Scenario {
    /// What decides between two routes to a goal: the greatest first.
    pub fn rank(&self, goal: Goal) -> Rank {
        let Totals { chain, score, .. } = self.totals;
        match goal {
            Goal::Chain => Rank::new(chain, score),
            Goal::PointsPerFrame => Rank::points_per_frame(score, self.frames),
            _ => Rank::new(score, score),
        }
    }
}

/// A pair that was placed, before garbage falls.
pub(super) struct Turn {
    pub landed: Field,
    pub fired: Fired,
    /// Whether the chain left nothing on the board.
    pub all_clear: bool,
    /// The game after the chain.
    pub scenario: Scenario,
    /// Puyos that fall then.
    pub falling: u32,
}

impl Turn {
    /// Whether a goal is met at the end of this turn.
    pub fn meets(&self, goal: Goal) -> bool {
        let Totals { chain, score, sent } = self.scenario.totals;
        match goal {
            Goal::Chain | Goal::Score | Goal::PointsPerFrame => chain > 0,
            Goal::Points(points) => score >= points,
            Goal::Garbage(garbage) => sent >= garbage,
            Goal::AllClear => self.fired.chain > 0 && self.all_clear,
            Goal::ExactChain(steps) => self.fired.chain == steps,
            Goal::Survive => true,
        }
    }
}

/// What is the same for all scenarios.
pub(super) struct Match<'a> {
    pub start: &'a Start,
    pub attacks: &'a [Attack],
    pub simulator: Simulator,
    pub costs: Option<FrameCosts<'a>>,
}

impl Match<'_> {
    /// The game before the first pair.
    pub fn begin(&self) -> Scenario {
        Scenario {
            field: self.start.field,
            garbage: GarbageState::default(),
            totals: Totals::default(),
            frames: 0,
        }
    }

    /// Places a pair, by its index; None if that is not possible.
    pub fn turn(&self, before: &Scenario, pair: usize, placement: Placement) -> Option<Turn> {
        if !reachable(&before.field).has(placement) {
            return None;
        }
        let Start { rules, target_points, .. } = *self.start;
        let mut scenario = *before;
        if let Some(costs) = &self.costs {
            scenario.frames += costs.of_placement(&before.field, placement);
        }
        scenario.field.land(*self.start.pairs.get(pair)?, placement, rules);
        let landed = scenario.field;
        let fired = self.simulator.fire(&mut scenario.field);
        let all_clear = scenario.field.is_empty();
        scenario.garbage.waiting += Attack::arriving(self.attacks, pair + 1);
        if fired.chain > 0 {
            if let Some(costs) = &self.costs {
                scenario.frames += costs.of_chain(&landed, rules);
            }
            let made = scenario.garbage.add_chain(fired.score, all_clear, target_points, rules.garbage);
            let totals = &mut scenario.totals;
            totals.chain = totals.chain.max(fired.chain);
            totals.score += fired.score;
            totals.sent += made.sent;
        }
        let falling = scenario.garbage.falling(rules.garbage);
        Some(Turn { landed, fired, all_clear, scenario, falling })
    }

    /// The game when the next pair appears, for each set of columns that the game may draw; with the columns if it draws any.
    pub fn falls(&self, turn: &Turn) -> Vec<(Option<u8>, Scenario)> {
        if turn.falling == 0 {
            return vec![(None, turn.scenario)];
        }
        let before = &turn.scenario.field;
        let falls = garbage_falls(before, turn.falling).into_iter().map(|fall| {
            let mut scenario = turn.scenario;
            if let Some(costs) = &self.costs {
                scenario.frames += costs.of_garbage(before, &fall.after);
            }
            scenario.field = fall.after;
            scenario.garbage.waiting -= fall.fell;
            (Some(fall.columns).filter(|columns| *columns != 0), scenario)
        });
        falls.collect()
    }
}

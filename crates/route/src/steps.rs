//! A route, step by step, as played by the reference simulator.

use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Fired, Placement, Rules, reachable, reference};

/// Garbage that an all clear adds to the next chain (Puyo Nexus wiki, "All Clear": 30 in Tsu, five rows).
pub(super) const ALL_CLEAR_GARBAGE: u32 = 30;

/// The start position of a route.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The board, without floating puyos or popping groups.
    pub field: Field,
    /// The pairs, the one in play first.
    pub pairs: Vec<Pair>,
    /// The rules of the game.
    pub rules: Rules,
    /// Points per garbage puyo: 70 by default (reference 1.5, 0xFF480D).
    pub target_points: u32,
}

impl Start {
    /// The default target points of the games (reference 1.5: 0x46).
    pub const TARGET_POINTS: u32 = 70;

    /// A start with an empty board.
    pub fn empty(pairs: Vec<Pair>, rules: Rules) -> Self {
        Self { field: Field::default(), pairs, rules, target_points: Self::TARGET_POINTS }
    }
}

/// The result of placing one pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The pair.
    pub pair: Pair,
    /// The placement.
    pub placement: Placement,
    /// The board with the pair, before anything pops.
    pub landed: Field,
    /// The chain it triggers.
    pub fired: Fired,
    /// The board after the chain.
    pub after: Field,
}

/// A sequence of placements with its results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Route {
    /// The board before the first placement.
    pub start: Field,
    /// The rules of the game.
    pub rules: Rules,
    /// Points per garbage puyo.
    pub target_points: u32,
    /// The steps.
    pub steps: Vec<Step>,
    /// Steps of the longest chain.
    pub chain: u32,
    /// Points of all chains. Excludes the points for soft drops, which depend on how long Down is held.
    pub score: u32,
}

/// Why placements are not a valid route.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RouteError {
    #[error("the board {0}")]
    Board(&'static str),
    #[error("{placements} placements, but only {pairs} pairs are known")]
    Pairs { placements: usize, pairs: usize },
    #[error("pair {nth} cannot be brought to {placement}: the board is in the way")]
    Unreachable { nth: usize, placement: Placement },
    #[error("the game is lost before pair {nth}: the third column is full")]
    Lost { nth: usize },
}

impl Route {
    /// A route without steps.
    pub fn start(start: &Start) -> Self {
        let Start { field, rules, target_points, .. } = *start;
        Self { start: field, rules, target_points, steps: Vec::new(), chain: 0, score: 0 }
    }

    /// Plays placements in order with the reference simulator.
    ///
    /// # Errors
    /// [`RouteError`]: if a placement is unreachable, the game is lost earlier, or the board is not playable.
    pub fn replay(start: &Start, placements: &[Placement]) -> Result<Self, RouteError> {
        let mut route = Self::start(start);
        check(start)?;
        if placements.len() > start.pairs.len() {
            return Err(RouteError::Pairs { placements: placements.len(), pairs: start.pairs.len() });
        }
        let mut field = start.field;
        for (nth, (pair, placement)) in start.pairs.iter().zip(placements).enumerate() {
            if field.is_lost() {
                return Err(RouteError::Lost { nth: nth + 1 });
            }
            if !reachable(&field).has(*placement) {
                return Err(RouteError::Unreachable { nth: nth + 1, placement: *placement });
            }
            field.land(*pair, *placement, start.rules);
            let landed = field;
            let steps = reference::fire(&mut field, start.rules);
            let fired = Fired {
                chain: u32::try_from(steps.len()).unwrap_or(u32::MAX),
                score: steps.iter().map(|step| step.points).sum(),
            };
            route.chain = route.chain.max(fired.chain);
            route.score += fired.score;
            route.steps.push(Step { pair: *pair, placement: *placement, landed, fired, after: field });
        }
        Ok(route)
    }

    /// The board after the last step.
    pub fn end(&self) -> Field {
        self.steps.last().map_or(self.start, |step| step.after)
    }

    /// The placements.
    pub fn placements(&self) -> Vec<Placement> {
        self.steps.iter().map(|step| step.placement).collect()
    }

    /// The step with the longest chain; among equals, the one with more points.
    pub fn longest(&self) -> Option<&Step> {
        let chains = self.steps.iter().filter(|step| step.fired.chain > 0);
        chains.max_by_key(|step| (step.fired.chain, step.fired.score))
    }

    /// Garbage for the opponent: points divided by the target points with the remainder carried over, plus thirty for the chain after an
    /// all clear. Ignores margin time.
    pub fn garbage(&self) -> u32 {
        let mut due = 0;
        let mut cleared = false;
        for step in self.steps.iter().filter(|step| step.fired.chain > 0) {
            due += if std::mem::replace(&mut cleared, step.after.is_empty()) { ALL_CLEAR_GARBAGE } else { 0 };
        }
        due + self.score / self.target_points.max(1)
    }
}

/// Checks that a board is playable.
pub(super) fn check(start: &Start) -> Result<(), RouteError> {
    if !start.field.is_settled() {
        return Err(RouteError::Board("has floating puyos; let them fall first"));
    }
    if !reference::popping(&start.field, start.rules).is_empty() {
        return Err(RouteError::Board(
            "has groups that pop; let the chain end first (`simulate` shows the board after it)",
        ));
    }
    if start.field.is_lost() {
        return Err(RouteError::Board("is lost: the third column is full"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::Color;
    use nextscope_boards::puyo::Rotation;

    fn at(column: usize, rotation: Rotation) -> Placement {
        Placement::new(column, rotation).expect("inside")
    }

    #[test]
    fn placements_are_played_or_rejected() {
        let red = Pair { axis: Color::RED, child: Color::RED };
        let start = Start::empty(vec![red; 4], Rules::TSU);
        let route = Route::replay(&start, &[at(0, Rotation::Up), at(0, Rotation::Up)]).expect("a route");
        assert_eq!((route.chain, route.score, route.garbage()), (1, 40, 0));
        assert!(route.end().is_empty(), "all clear");
        let again = Route::replay(&start, &[at(0, Rotation::Up); 4]).expect("a route");
        assert_eq!(
            (again.score, again.garbage()),
            (80, 31),
            "80 points are one puyo, and thirty for the all clear"
        );
        let many = Route::replay(&start, &[at(0, Rotation::Up); 5]).expect_err("four pairs");
        assert_eq!(many, RouteError::Pairs { placements: 5, pairs: 4 });
        let mut field = Field::default();
        for _ in 0..13 {
            field.drop(1, nextscope_boards::puyo::Cell::Ojama);
        }
        let walled = Start { field, ..start.clone() };
        let refused = Route::replay(&walled, &[at(0, Rotation::Up)]).expect_err("behind a wall");
        assert_eq!(refused.to_string(), "pair 1 cannot be brought to 1 up: the board is in the way");
        field.set(0, 5, nextscope_boards::puyo::Cell::Ojama);
        let floating = Route::replay(&Start { field, ..start }, &[]).expect_err("it floats");
        assert!(floating.to_string().contains("float"));
    }
}

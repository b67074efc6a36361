//! A route, step by step, as played by the reference simulator.

use super::attack::Attack;
use super::outlook::{Certainty, Outlook};
use nextscope_boards::puyo::{
    COLUMNS, Cell, ChainGarbage, Field, Fired, GarbageState, Placement, ROWS, Rules, drawn_columns,
    garbage_fall, reachable, reference,
};
use nextscope_boards::{Color, Pair};
use serde::Serialize;
use std::fmt;

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

    /// The most steps that any chain can have: each pops a group of one colour, and the board and all pairs have puyos for so many
    /// groups. Whether the board has room for them is not considered.
    pub fn chain_limit(&self) -> u32 {
        let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
        let on_board = cells.filter_map(|(column, row)| match self.field.get(column, row) {
            Cell::Puyo(color) => Some(color),
            Cell::Empty | Cell::Ojama | Cell::Hard => None,
        });
        let mut colors: Vec<u8> = on_board
            .chain(self.pairs.iter().flat_map(|pair| [pair.axis, pair.child]))
            .map(|Color(code)| code)
            .collect();
        colors.sort_unstable();
        let group = self.rules.group as usize;
        let groups: usize = colors.chunk_by(u8::eq).map(|puyos| puyos.len() / group).sum();
        u32::try_from(groups).unwrap_or(u32::MAX)
    }

    /// [`Start::chain_limit`] with its reason, in words that continue a sentence.
    pub fn chain_limit_text(&self) -> String {
        let (limit, group) = (self.chain_limit(), self.rules.group);
        format!(
            "the board and the pairs have puyos for a chain of {limit} at most, {group} of one colour for each step"
        )
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
    /// The board after the chain, before garbage falls.
    pub popped: Field,
    /// The garbage of this pair.
    pub garbage: StepGarbage,
    /// The board after the garbage, when the next pair appears.
    pub after: Field,
}

/// Garbage from the landing of a pair to the next pair, in puyos.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StepGarbage {
    /// Of attacks that arrive.
    pub arrived: u32,
    /// What the chain removes from the waiting garbage.
    pub offset: u32,
    /// What the chain sends to the opponent.
    pub sent: u32,
    /// What falls onto the board.
    pub fell: u32,
    /// The part of it whose columns the game draws: what is not in a full row.
    pub drawn: u32,
    /// What still waits.
    pub waiting: u32,
}

impl fmt::Display for StepGarbage {
    /// What happens to garbage, such as "30 arrive, 12 offset, 18 fall"; empty if nothing does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { arrived, offset, sent, fell, drawn, waiting } = *self;
        let parts = [
            (arrived, "arrive"),
            (offset, "offset"),
            (sent, "sent"),
            (fell, "fall"),
            (if fell > 0 { drawn } else { 0 }, "of them in drawn columns"),
            (waiting, "wait"),
        ];
        let mut before = "";
        for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{before}{count} {what}")?;
            before = ", ";
        }
        Ok(())
    }
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
    /// The known attacks of the opponent.
    pub attacks: Vec<Attack>,
    /// With attacks: the results for all columns that the game may draw. The steps are those for one choice of columns.
    pub outlook: Option<Outlook>,
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
    #[error("after pair {nth} garbage falls into {needed} drawn columns, not into {given}")]
    Columns { nth: usize, needed: u32, given: u32 },
}

impl Route {
    /// A route without steps.
    pub fn start(start: &Start) -> Self {
        let Start { field, rules, target_points, .. } = *start;
        let (steps, attacks) = (Vec::new(), Vec::new());
        Self { start: field, rules, target_points, steps, chain: 0, score: 0, attacks, outlook: None }
    }

    /// Plays placements in order with the reference simulator.
    ///
    /// # Errors
    /// [`RouteError`]: if a placement is unreachable, the game is lost earlier, or the board is not playable.
    pub fn replay(start: &Start, placements: &[Placement]) -> Result<Self, RouteError> {
        Self::replay_against(start, &[], placements, &[])
    }

    /// The same under attack. `columns` are those that the game draws, as a bit for each column, the left one lowest: an entry for each
    /// fall with drawn columns. Where entries are missing, the leftmost columns are used.
    ///
    /// # Errors
    /// [`RouteError`], also if an entry has another number of columns than the fall draws.
    pub fn replay_against(
        start: &Start,
        attacks: &[Attack],
        placements: &[Placement],
        columns: &[u8],
    ) -> Result<Self, RouteError> {
        let mut route = Self { attacks: attacks.to_vec(), ..Self::start(start) };
        check(start)?;
        if placements.len() > start.pairs.len() {
            return Err(RouteError::Pairs { placements: placements.len(), pairs: start.pairs.len() });
        }
        let mut field = start.field;
        let mut garbage = GarbageState::default();
        let mut columns = columns.iter();
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
            let popped = field;
            let arrived = Attack::arriving(attacks, nth + 1);
            garbage.waiting += arrived;
            let ChainGarbage { offset, sent } = if fired.chain > 0 {
                garbage.add_chain(fired.score, popped.is_empty(), start.target_points, start.rules.garbage)
            } else {
                ChainGarbage::default()
            };
            let falling = garbage.falling(start.rules.garbage);
            let drawn = drawn_columns(falling);
            let leftmost = || (1 << drawn) - 1;
            let set = if drawn > 0 { columns.next().copied().unwrap_or_else(leftmost) } else { 0 };
            if set.count_ones() != drawn {
                return Err(RouteError::Columns { nth: nth + 1, needed: drawn, given: set.count_ones() });
            }
            let fall = garbage_fall(&field, falling, set);
            garbage.waiting -= fall.fell;
            field = fall.after;
            route.chain = route.chain.max(fired.chain);
            route.score += fired.score;
            let (fell, waiting) = (fall.fell, garbage.waiting);
            let garbage = StepGarbage { arrived, offset, sent, fell, drawn, waiting };
            let pair = *pair;
            let placement = *placement;
            route.steps.push(Step { pair, placement, landed, fired, popped, garbage, after: field });
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

    /// Garbage for the opponent: points divided by the target points with the remainder carried over, in Tsu plus thirty for the chain after
    /// an all clear, without what was offset. Ignores margin time.
    pub fn garbage(&self) -> u32 {
        self.steps.iter().map(|step| step.garbage.sent).sum()
    }

    /// What does not depend on drawn columns in a step, by its index.
    pub fn certainty(&self, step: usize) -> Certainty {
        let known = self.outlook.as_ref().and_then(|outlook| outlook.certain.get(step)).copied();
        known.unwrap_or_else(|| {
            // Not played for all columns yet: nothing is certain after the first drawn ones.
            let is_drawn = |step: &Step| step.garbage.fell > 0 && step.garbage.drawn > 0;
            let drawn = self.steps.iter().position(is_drawn).unwrap_or(usize::MAX);
            Certainty { landed: step <= drawn, after: step < drawn, inputs: step <= drawn }
        })
    }

    /// How the route fares under the attacks; None without attacks, or while it is not played for all columns yet.
    pub fn outlook_under_attack(&self) -> Option<&Outlook> {
        self.outlook.as_ref().filter(|_| !self.attacks.is_empty())
    }

    /// Whether garbage falls onto the board.
    pub fn has_falling_garbage(&self) -> bool {
        self.steps.iter().any(|step| step.garbage.fell > 0)
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
            field.drop(1, Cell::Ojama);
        }
        let walled = Start { field, ..start.clone() };
        let refused = Route::replay(&walled, &[at(0, Rotation::Up)]).expect_err("behind a wall");
        assert_eq!(refused.to_string(), "pair 1 cannot be brought to 1 up: the board is in the way");
        field.set(0, 5, Cell::Ojama);
        let floating = Route::replay(&Start { field, ..start }, &[]).expect_err("it floats");
        assert!(floating.to_string().contains("float"));
    }

    #[test]
    fn garbage_arrives_is_offset_falls_and_waits() {
        let red = Pair { axis: Color::RED, child: Color::RED };
        let other = Pair { axis: Color::GREEN, child: Color::BLUE };
        let attacks = ["35@1", "4@2"].map(|text| text.parse().expect("an attack"));
        let start = Start { target_points: 10, ..Start::empty(vec![red, red, other], Rules::TSU) };
        let places = [at(0, Rotation::Up), at(0, Rotation::Up), at(5, Rotation::Up)];
        let garbage = |start: &Start, columns: &[u8]| {
            let route = Route::replay_against(start, &attacks, &places, columns).expect("a route");
            assert_eq!(route.garbage(), route.steps.iter().map(|step| step.garbage.sent).sum::<u32>());
            route.steps.iter().map(|step| step.garbage).collect::<Vec<_>>()
        };
        let no = StepGarbage::default();
        // 30 of 35 fall onto the two reds; the next reds are on top of them, so nothing pops.
        let first = StepGarbage { arrived: 35, fell: 30, waiting: 5, ..no };
        let second = StepGarbage { arrived: 4, fell: 9, drawn: 3, ..no };
        assert_eq!(garbage(&start, &[0b11_1000]), [first, second, no]);
        let route = Route::replay_against(&start, &attacks, &places, &[]).expect("a route");
        let certain = [0, 1, 2].map(|step| route.certainty(step)).map(|step| [step.landed, step.after]);
        assert_eq!(certain, [[true, true], [true, false], [false, false]]);
        assert_eq!(first.to_string(), "35 arrive, 30 fall, 5 wait");
        assert_eq!(second.to_string(), "4 arrive, 9 fall, 3 of them in drawn columns");
        assert_eq!(no.to_string(), "");
        // Reds on reds: 40 points at 10 for one are four puyos, which the second attack takes up.
        let late = ["4@2"].map(|text| text.parse().expect("an attack"));
        let route = Route::replay_against(&start, &late, &places[..2], &[]).expect("a route");
        assert_eq!(route.steps[1].garbage, StepGarbage { arrived: 4, offset: 4, ..no });
        let first_game = Start { rules: Rules::FIRST, ..start.clone() };
        let route = Route::replay_against(&first_game, &late, &places[..2], &[]).expect("a route");
        assert_eq!(route.steps[1].garbage, StepGarbage { arrived: 4, sent: 4, fell: 4, drawn: 4, ..no });
        assert!(route.steps[1].popped.is_empty() && !route.end().is_empty());
        let wrong = Route::replay_against(&start, &attacks, &places, &[0b1]).expect_err("three columns");
        assert_eq!(wrong, RouteError::Columns { nth: 2, needed: 3, given: 1 });
    }
}

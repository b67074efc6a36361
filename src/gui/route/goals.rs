//! The goals and the attacks of the opponent as entered; saved with the settings.

use super::limits::{MAX_CHAIN, MAX_PAIRS, MAX_POINTS};
use crate::route::{Attack, Goal};
use serde::{Deserialize, Serialize};

/// The kind of a goal. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum GoalKind {
    /// The longest chain.
    #[default]
    Chain,
    /// The most points.
    Score,
    /// The most points in relation to the time.
    PointsPerFrame,
    /// A number of points as soon as possible.
    Points,
    /// An amount of garbage as soon as possible.
    Garbage,
    /// An empty board as soon as possible.
    AllClear,
    /// A chain of an exact length as soon as possible.
    ExactChain,
    /// All pairs placed without losing.
    Survive,
}

impl GoalKind {
    /// All variants in display order. Each may follow another goal.
    pub const ALL: [Self; 8] = [
        Self::Chain,
        Self::Score,
        Self::PointsPerFrame,
        Self::Points,
        Self::Garbage,
        Self::AllClear,
        Self::ExactChain,
        Self::Survive,
    ];

    /// Whether another goal may follow. The most points are never reached for good, and surviving lasts until the last pair.
    pub fn can_be_followed(self) -> bool {
        !matches!(self, Self::Score | Self::Survive)
    }

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chain => "Longest chain",
            Self::Score => "Highest score",
            Self::PointsPerFrame => "Points per frame",
            Self::Points => "Points, as soon as possible",
            Self::Garbage => "Garbage, as soon as possible",
            Self::AllClear => "All clear, as soon as possible",
            Self::ExactChain => "Exact chain",
            Self::Survive => "Survive",
        }
    }

    /// What the planner looks for, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Chain => "The longest chain that these pairs allow; among equals, the one with more points",
            Self::Score => "The most points in total, from all chains",
            Self::PointsPerFrame => {
                "The most points in relation to the frames of the route, which ends where more pairs are not worth their time"
            }
            Self::Points => "As few pairs as possible until the chains have scored this many points in total",
            Self::Garbage => "As few pairs as possible until the chains have sent this much garbage in total",
            Self::AllClear => "As few pairs as possible until the board is empty",
            Self::ExactChain => "As few pairs as possible until a chain of exactly this many steps",
            Self::Survive => "All pairs placed without losing; among equals, the most points",
        }
    }

    /// The goal with its number.
    pub fn goal(self, numbers: GoalNumbers) -> Goal {
        match self {
            Self::Chain => Goal::Chain,
            Self::Score => Goal::Score,
            Self::PointsPerFrame => Goal::PointsPerFrame,
            Self::Points => Goal::Points(numbers.points),
            Self::Garbage => Goal::Garbage(numbers.garbage),
            Self::AllClear => Goal::AllClear,
            Self::ExactChain => Goal::ExactChain(numbers.chain),
            Self::Survive => Goal::Survive,
        }
    }
}

/// The numbers of a goal; each kind uses at most one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GoalNumbers {
    /// Points to reach.
    pub points: u32,
    /// Garbage to send.
    pub garbage: u32,
    /// Length of the chain.
    pub chain: u32,
}

impl Default for GoalNumbers {
    fn default() -> Self {
        Self { points: 10_000, garbage: 30, chain: 5 }
    }
}

impl GoalNumbers {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(self) -> Self {
        Self {
            points: self.points.clamp(1, MAX_POINTS),
            garbage: self.garbage.clamp(1, MAX_POINTS),
            chain: self.chain.clamp(1, MAX_CHAIN),
        }
    }
}

/// A known attack of the opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AttackInput {
    /// Garbage puyos.
    pub garbage: u32,
    /// The number of the pair in the route, from 1.
    pub pair: u32,
}

impl Default for AttackInput {
    fn default() -> Self {
        Self { garbage: 30, pair: 5 }
    }
}

impl AttackInput {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(self) -> Self {
        Self { garbage: self.garbage.clamp(1, Attack::MAX_PUYOS), pair: self.pair.clamp(1, MAX_PAIRS) }
    }

    /// The attack.
    ///
    /// # Errors
    /// If it comes after the last of the pairs, in a sentence.
    pub fn attack(self, pairs: usize) -> Result<Attack, String> {
        let pair = self.pair as usize;
        let attack = Attack::new(self.garbage, pair).filter(|_| pair <= pairs);
        attack.ok_or_else(|| {
            format!("Pair {pair} is after the last of the {pairs} pairs: use more pairs, or an earlier one")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::{goals_id, parse_goals};

    #[test]
    fn every_goal_of_the_planner_can_be_chosen() {
        let numbers = GoalNumbers { points: 700, garbage: 12, chain: 3 };
        let goals = GoalKind::ALL.map(|kind| kind.goal(numbers));
        let all = "chain then score then points-per-frame then points:700 then garbage:12 then all-clear \
                   then exact-chain:3 then survive";
        assert_eq!(goals_id(&goals), all);
        assert_eq!(parse_goals(all).as_deref(), Ok(&goals[..]));
        let last = GoalKind::ALL.into_iter().filter(|kind| !kind.can_be_followed());
        assert_eq!(last.collect::<Vec<_>>(), [GoalKind::Score, GoalKind::Survive]);
    }

    #[test]
    fn attacks_are_on_known_pairs() {
        let input = AttackInput { garbage: 30, pair: 5 };
        let attack = |pairs| input.attack(pairs).map(|attack| attack.to_string());
        assert_eq!(attack(5), Ok("30@5".into()));
        assert_eq!(
            attack(4),
            Err("Pair 5 is after the last of the 4 pairs: use more pairs, or an earlier one".into())
        );
        let odd = AttackInput { garbage: 0, pair: 1000 };
        assert_eq!(odd.repaired(), AttackInput { garbage: 1, pair: MAX_PAIRS });
    }
}

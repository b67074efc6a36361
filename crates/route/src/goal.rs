//! The goal of a route.

use super::steps::{Route, Start};
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// What to achieve with the pairs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The longest chain; among equals, the one with more points.
    Chain,
    /// The most points in total.
    Score,
    /// At least this many points in total, soonest.
    Points(u32),
    /// At least this much garbage for the opponent in total, soonest.
    Garbage(u32),
    /// An empty board, soonest.
    AllClear,
    /// A chain of exactly this many steps, soonest.
    ExactChain(u32),
    /// The most points in relation to the frames of the route. It needs a frame table; a route without points does not meet it.
    PointsPerFrame,
    /// Not to lose before all pairs are placed; among equals, the most points.
    Survive,
}

impl Goal {
    /// Whether the soonest route that meets the goal is the best; for the other goals the best is the largest.
    pub fn is_soonest(self) -> bool {
        !matches!(self, Self::Chain | Self::Score | Self::PointsPerFrame | Self::Survive)
    }

    /// Whether a route meets the goal. Any chain and any points meet [`Goal::Chain`], [`Goal::Score`] and [`Goal::PointsPerFrame`]; any
    /// route meets [`Goal::Survive`], because one that loses cannot be played.
    pub fn is_met(self, route: &Route) -> bool {
        match self {
            Self::Chain | Self::Score | Self::PointsPerFrame => route.chain > 0,
            Self::Survive => true,
            Self::Points(points) => route.score >= points,
            Self::Garbage(garbage) => route.garbage() >= garbage,
            Self::AllClear => route.steps.last().is_some_and(|step| step.popped.is_empty()),
            Self::ExactChain(chain) => route.steps.last().is_some_and(|step| step.fired.chain == chain),
        }
    }

    /// Whether it is a chain with more steps than the board and the pairs have puyos for: no route meets it.
    pub fn lacks_puyos(self, start: &Start) -> bool {
        matches!(self, Self::ExactChain(chain) if chain > start.chain_limit())
    }

    /// Compares two routes that meet the goal: greater is better. Without a frame table, [`Goal::PointsPerFrame`] compares the points.
    pub fn compare(self, one: &Route, other: &Route) -> Ordering {
        let points = one.score.cmp(&other.score);
        let sooner = other.steps.len().cmp(&one.steps.len());
        match self {
            Self::Chain => one.chain.cmp(&other.chain).then(points).then(sooner),
            Self::Score | Self::PointsPerFrame | Self::Survive => points.then(sooner),
            _ => sooner.then(points),
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain => f.write_str("the longest chain"),
            Self::Score => f.write_str("the most points"),
            Self::Points(points) => write!(f, "{points} points soonest"),
            Self::Garbage(garbage) => write!(f, "{garbage} garbage soonest"),
            Self::AllClear => f.write_str("all clear soonest"),
            Self::ExactChain(chain) => write!(f, "a chain of exactly {chain} soonest"),
            Self::PointsPerFrame => f.write_str("the most points per frame"),
            Self::Survive => f.write_str("survive all pairs"),
        }
    }
}

/// Text that is not a goal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid goal {0:?}: expected chain, score, points-per-frame, points:N (at least N points, soonest), garbage:N, all-clear, exact-chain:N or survive"
)]
pub struct GoalError(String);

impl FromStr for Goal {
    type Err = GoalError;

    fn from_str(text: &str) -> Result<Self, GoalError> {
        let wrong = || GoalError(text.to_owned());
        let (name, number) =
            text.split_once([':', '=']).map_or((text, None), |(name, number)| (name, Some(number)));
        let number = number
            .map(|number| number.trim().replace(['_', ','], "").parse().map_err(|_| wrong()))
            .transpose()?;
        match (name.trim(), number) {
            ("chain", None) => Ok(Self::Chain),
            ("score", None) => Ok(Self::Score),
            ("all-clear", None) => Ok(Self::AllClear),
            ("points-per-frame", None) => Ok(Self::PointsPerFrame),
            ("survive", None) => Ok(Self::Survive),
            ("points", Some(points)) => Ok(Self::Points(points)),
            ("garbage", Some(garbage)) => Ok(Self::Garbage(garbage)),
            ("exact-chain" | "chain", Some(chain)) => Ok(Self::ExactChain(chain)),
            _ => Err(wrong()),
        }
    }
}

impl Goal {
    /// The goal in the form that [`FromStr`] parses.
    pub fn id(self) -> String {
        match self {
            Self::Chain => "chain".into(),
            Self::Score => "score".into(),
            Self::AllClear => "all-clear".into(),
            Self::PointsPerFrame => "points-per-frame".into(),
            Self::Survive => "survive".into(),
            Self::Points(points) => format!("points:{points}"),
            Self::Garbage(garbage) => format!("garbage:{garbage}"),
            Self::ExactChain(chain) => format!("exact-chain:{chain}"),
        }
    }
}

/// Goals to reach one after another, from a text such as `exact-chain:3 then all-clear`.
///
/// # Errors
/// Names the part that is not a goal.
pub fn parse_goals(text: &str) -> Result<Vec<Goal>, GoalError> {
    text.split(SEPARATOR).map(str::parse).collect()
}

/// The text of goals that [`parse_goals`] parses.
pub fn goals_id(goals: &[Goal]) -> String {
    let ids: Vec<String> = goals.iter().map(|goal| goal.id()).collect();
    ids.join(SEPARATOR)
}

/// The goals in a sentence: "a chain of exactly 3 soonest, then all clear soonest".
pub fn goals_text(goals: &[Goal]) -> String {
    goals.iter().map(Goal::to_string).collect::<Vec<_>>().join(", then ")
}

const SEPARATOR: &str = " then ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_round_trip_through_text() {
        let goals = [
            Goal::Chain,
            Goal::Score,
            Goal::AllClear,
            Goal::Points(50_000),
            Goal::Garbage(30),
            Goal::ExactChain(7),
            Goal::PointsPerFrame,
            Goal::Survive,
        ];
        for goal in goals {
            assert_eq!(goal.id().parse(), Ok(goal));
        }
        assert_eq!("points:50,000".parse(), Ok(Goal::Points(50_000)));
        let goals = parse_goals("chain:3 then all-clear").expect("two goals");
        assert_eq!(goals, [Goal::ExactChain(3), Goal::AllClear]);
        assert_eq!(parse_goals(&goals_id(&goals)), Ok(goals));
        assert!(parse_goals("chain then ").is_err() && parse_goals("chain then win").is_err());
        for wrong in ["", "chains", "points", "points:", "points:-1", "all-clear:3", "score:9", "survive:5"] {
            assert!(wrong.parse::<Goal>().is_err(), "{wrong}");
        }
    }
}

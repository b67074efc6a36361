//! A route under attack as JSON.

use crate::route::{Attack, Route};
use serde::Serialize;
use std::ops::RangeInclusive;

/// The JSON of `--garbage`. Ranges are the least and the most in the sets of columns in which the route survives.
#[derive(Serialize)]
pub struct ListedOutlook {
    attacks: Vec<Attack>,
    /// Whether the route reaches the goal for all columns.
    guaranteed: bool,
    /// Combinations of columns that were played.
    sets: u64,
    survived: u64,
    reached: u64,
    /// Whether these are all combinations.
    exhaustive: bool,
    chain: [u32; 2],
    score: [u32; 2],
    garbage: [u32; 2],
    frames: Option<[u32; 2]>,
}

impl ListedOutlook {
    pub fn of(route: &Route) -> Option<Self> {
        let outlook = route.outlook_under_attack()?;
        let ends = |range: &RangeInclusive<u32>| [*range.start(), *range.end()];
        Some(Self {
            attacks: route.attacks.clone(),
            guaranteed: outlook.is_guaranteed(),
            sets: outlook.sets,
            survived: outlook.survived,
            reached: outlook.reached,
            exhaustive: outlook.exhaustive,
            chain: ends(&outlook.chain),
            score: ends(&outlook.score),
            garbage: ends(&outlook.garbage),
            frames: outlook.frames.as_ref().map(ends),
        })
    }
}

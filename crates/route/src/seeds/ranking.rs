//! The best routes of many seeds, in order.

use super::super::goal::Goal;
use super::super::steps::{Route, Start};
use nextscope_boards::puyo::Placement;
use serde::{Deserialize, Serialize};

/// Entries in the list of the best.
pub(super) const BEST: usize = 20;

/// The best route of a seed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The seed.
    pub seed: u32,
    /// The placements, by [`Placement::index`].
    pub placements: Vec<u8>,
    /// Steps of the longest chain.
    pub chain: u32,
    /// Points of all chains.
    pub score: u32,
}

impl Entry {
    pub(super) fn new(seed: u32, route: &Route) -> Self {
        let index = |placement: &Placement| u8::try_from(placement.index()).unwrap_or(u8::MAX);
        let placements = route.placements().iter().map(index).collect();
        Self { seed, placements, chain: route.chain, score: route.score }
    }

    /// The route, replayed with the reference simulator from the start of the seed.
    ///
    /// # Errors
    /// A message, if it is invalid.
    pub fn route(&self, start: &dyn Fn(u32) -> Option<Start>) -> Result<Route, String> {
        let start = start(self.seed).ok_or_else(|| format!("seed {:#06X} has no game", self.seed))?;
        let placement = |index: &u8| Placement::ALL.get(usize::from(*index)).copied();
        let placements: Option<Vec<Placement>> = self.placements.iter().map(placement).collect();
        let placements = placements.ok_or("a placement has an invalid number")?;
        Route::replay(&start, &placements).map_err(|error| error.to_string())
    }

    /// Checks that the route has this result and meets the goal.
    pub(super) fn verify(&self, goal: Goal, start: &dyn Fn(u32) -> Option<Start>) -> Result<(), String> {
        let route = self.route(start)?;
        if (route.chain, route.score) != (self.chain, self.score) {
            return Err(format!("the route of seed {:#06X} has a different result", self.seed));
        }
        if !goal.is_met(&route) {
            return Err(format!("the route of seed {:#06X} does not reach the goal", self.seed));
        }
        Ok(())
    }

    /// The sort key: the best first. Entries of different seeds are never equal.
    fn key(&self, goal: Goal) -> (u32, u32, u32) {
        let (chain, score) = (u32::MAX - self.chain, u32::MAX - self.score);
        match goal {
            Goal::Chain => (chain, score, self.seed),
            Goal::Score => (score, 0, self.seed),
            _ => (u32::try_from(self.placements.len()).unwrap_or(u32::MAX), score, self.seed),
        }
    }
}

/// Adds an entry to the list of the best, which has one entry a seed: the better one, or the first of two equal ones. So the list does
/// not depend on the order in which entries of different seeds are added.
pub(super) fn insert(best: &mut Vec<Entry>, goal: Goal, entry: Entry) {
    if let Some(at) = best.iter().position(|other| other.seed == entry.seed) {
        if best[at].key(goal) <= entry.key(goal) {
            return;
        }
        best.remove(at);
    }
    let at = best.partition_point(|other| other.key(goal) < entry.key(goal));
    if at < BEST {
        best.insert(at, entry);
        best.truncate(BEST);
    }
}

/// Whether this is a list that [`insert`] makes.
pub(super) fn is_ranking(best: &[Entry], goal: Goal) -> bool {
    let mut seeds: Vec<u32> = best.iter().map(|entry| entry.seed).collect();
    seeds.sort_unstable();
    let distinct = seeds.array_windows().all(|[one, other]| one != other);
    best.len() <= BEST && distinct && best.is_sorted_by_key(|entry| entry.key(goal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_search_does_not_replace_a_better_route() {
        let entry =
            |seed, placements: &[u8], score| Entry { seed, placements: placements.to_vec(), chain: 1, score };
        let mut best = Vec::new();
        for added in [entry(1, &[1, 2], 40), entry(2, &[1], 40), entry(1, &[3, 4, 5], 90)] {
            insert(&mut best, Goal::AllClear, added);
        }
        assert_eq!(best, [entry(2, &[1], 40), entry(1, &[1, 2], 40)]);
        insert(&mut best, Goal::AllClear, entry(1, &[7, 7], 40));
        assert_eq!(best[1].placements, [1, 2], "the first of two equal routes");
        insert(&mut best, Goal::AllClear, entry(1, &[7], 90));
        assert_eq!(best, [entry(1, &[7], 90), entry(2, &[1], 40)]);
        assert!(is_ranking(&best, Goal::AllClear));
        best.swap(0, 1);
        assert!(!is_ranking(&best, Goal::AllClear));
    }
}

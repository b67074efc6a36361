//! What a route under attack comes to, whichever columns the garbage falls into.

use std::ops::RangeInclusive;

/// The results of a route for the columns that the game may draw for garbage. Sets of columns count equally; the game does not draw all of
/// them equally often, so the counts are not odds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outlook {
    /// The combinations of column sets that were played; 1 if all garbage falls in full rows.
    pub sets: u64,
    /// Those in which every placement can be reached and the game is not lost.
    pub survived: u64,
    /// Those of them in which the goals are reached.
    pub reached: u64,
    /// Whether these were all combinations; otherwise they are a sample, always the same one.
    pub exhaustive: bool,
    /// Steps of the longest chain, in the combinations in which the route survives.
    pub chain: RangeInclusive<u32>,
    /// Points of all chains in the same.
    pub score: RangeInclusive<u32>,
    /// Garbage for the opponent in the same.
    pub garbage: RangeInclusive<u32>,
    /// Frames in the same; None without a frame table. Those of falling garbage only if the table has them.
    pub frames: Option<RangeInclusive<u32>>,
    /// What does not depend on the columns, for each step.
    pub certain: Vec<Certainty>,
}

/// What is the same for a step in all combinations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certainty {
    /// The board with the pair, before groups pop.
    pub landed: bool,
    /// The board after the chain and the garbage.
    pub after: bool,
    /// The taps to the placement.
    pub inputs: bool,
}

impl Outlook {
    /// Whether the goals are reached, and the game is not lost, for all columns.
    pub fn is_guaranteed(&self) -> bool {
        self.exhaustive && self.reached == self.sets
    }
}

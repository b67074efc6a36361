//! What a route under attack comes to, whichever columns the garbage falls into.

use std::ops::RangeInclusive;

/// What is said of a board that is not certain.
pub const EXAMPLE: &str = "an example: it depends on drawn columns";
/// Printed in place of inputs that are not certain.
pub const UNCERTAIN_INPUTS: &str = "?";

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

    /// How far the result depends on the columns, in sentences: first for how many sets the goal is reached.
    pub fn sentences(&self) -> Vec<String> {
        let Self { sets, survived, reached, exhaustive, .. } = self;
        let mut sentences = vec![if self.is_guaranteed() && *sets == 1 {
            "Guaranteed: no garbage falls into drawn columns.".to_owned()
        } else if self.is_guaranteed() {
            format!("Guaranteed for all {sets} sets of columns that the game may draw for garbage.")
        } else {
            let of = if *exhaustive { "sets of columns" } else { "sampled sets of columns (there are more)" };
            format!(
                "Reaches the goal for {reached} of {sets} {of} that the game may draw for garbage; alive for {survived}."
            )
        }];
        let ranges =
            [("chain", &self.chain), ("points", &self.score), ("garbage for the opponent", &self.garbage)];
        let ranges = ranges.into_iter().filter(|(_, range)| range.start() != range.end());
        sentences.extend(ranges.map(|(name, range)| {
            format!("Depending on the columns: {name} {} to {}.", range.start(), range.end())
        }));
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_say_for_how_many_columns_the_goal_is_reached() {
        let outlook = |sets, survived, reached, exhaustive| Outlook {
            sets,
            survived,
            reached,
            exhaustive,
            chain: 2..=2,
            score: 360..=720,
            garbage: 0..=0,
            frames: None,
            certain: Vec::new(),
        };
        let range = "Depending on the columns: points 360 to 720.";
        let first = |outlook: Outlook| {
            let sentences = outlook.sentences();
            assert_eq!(sentences[1..], [range]);
            sentences[0].clone()
        };
        assert_eq!(first(outlook(1, 1, 1, true)), "Guaranteed: no garbage falls into drawn columns.");
        assert_eq!(
            first(outlook(20, 20, 20, true)),
            "Guaranteed for all 20 sets of columns that the game may draw for garbage."
        );
        assert_eq!(
            first(outlook(20, 18, 15, true)),
            "Reaches the goal for 15 of 20 sets of columns that the game may draw for garbage; alive for 18."
        );
        let sampled = "Reaches the goal for 20 of 20 sampled sets of columns (there are more)";
        assert!(first(outlook(20, 20, 20, false)).starts_with(sampled));
        let same = Outlook { score: 360..=360, ..outlook(20, 20, 20, true) };
        assert_eq!(same.sentences().len(), 1);
    }
}

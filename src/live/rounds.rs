//! The results of each round, from the counts before and after each sample.

use super::Totals;
use std::sync::Arc;

/// Maximum number of rounds; the oldest are dropped.
const MAX_ROUNDS: usize = 1000;

/// A round and the counts before its first sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Start {
    number: u64,
    before: Totals,
}

/// The results of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundResult {
    /// Its number, from 1, as [`Mismatch::round`](super::Mismatch::round).
    pub number: u64,
    /// Whether its generation was reproduced from one state.
    pub generation_verified: bool,
    /// Pairs or pieces that matched the model.
    pub verified: u64,
    /// Pairs or pieces that could not be checked.
    pub missed: u64,
    /// Boards that matched the model.
    pub boards_verified: u64,
    /// Mismatches.
    pub mismatches: u64,
}

/// The rounds of one target.
#[derive(Clone, Debug, Default)]
pub struct RoundHistory {
    starts: Arc<Vec<Start>>,
    now: Totals,
}

impl RoundHistory {
    /// Adds a sample: the counts before and after it. Fewer rounds than before are those of another target.
    pub fn update(&mut self, before: &Totals, after: &Totals) {
        self.now = *after;
        let last = self.starts.last().map_or(0, |start| start.number);
        if after.rounds == last {
            return;
        }
        let starts = Arc::make_mut(&mut self.starts);
        if after.rounds < last {
            starts.clear();
        }
        if after.rounds > 0 {
            starts.push(Start { number: after.rounds, before: *before });
        }
        let extra = starts.len().saturating_sub(MAX_ROUNDS);
        starts.drain(..extra);
    }

    /// The results, oldest round first.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = RoundResult> + ExactSizeIterator {
        let ends = self.starts.iter().skip(1).map(|start| &start.before).chain([&self.now]);
        let ends: Vec<&Totals> = ends.take(self.starts.len()).collect();
        self.starts.iter().zip(ends).map(|(Start { number, before }, end)| {
            let passed = |count: fn(&Totals) -> u64| count(end).saturating_sub(count(before));
            RoundResult {
                number: *number,
                generation_verified: passed(|totals| totals.rounds_verified) > 0,
                verified: passed(|totals| totals.pairs_verified),
                missed: passed(|totals| totals.pairs_missed),
                boards_verified: passed(|totals| totals.boards_verified),
                mismatches: passed(|totals| totals.mismatches),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_round_has_what_was_counted_in_it() {
        let mut history = RoundHistory::default();
        let totals = |rounds, rounds_verified, pairs_verified, mismatches| Totals {
            rounds,
            rounds_verified,
            pairs_verified,
            mismatches,
            ..Totals::default()
        };
        let samples = [
            totals(0, 0, 0, 0),
            totals(1, 1, 0, 0),
            totals(1, 1, 5, 0),
            totals(2, 1, 5, 1),
            totals(2, 2, 9, 1),
            totals(3, 2, 9, 1),
        ];
        for pair in samples.windows(2) {
            history.update(&pair[0], &pair[1]);
        }
        let short = |history: &RoundHistory| -> Vec<_> {
            let results = history.results();
            results
                .map(|round| (round.number, round.generation_verified, round.verified, round.mismatches))
                .collect()
        };
        assert_eq!(short(&history), [(1, true, 5, 0), (2, true, 4, 1), (3, false, 0, 0)]);
        history.update(&Totals::default(), &totals(1, 0, 2, 0));
        assert_eq!(short(&history), [(1, false, 2, 0)], "another target");
        history.update(&totals(1, 0, 2, 0), &Totals::default());
        assert_eq!(short(&history), []);
    }
}

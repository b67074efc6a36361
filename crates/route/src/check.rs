//! Compares what a player placed in a recording with a planned route, pair by pair.

mod planned;
mod rounds;

pub use planned::{PlannedPair, PlannedRoute, RouteFileError};
pub use rounds::{PlayedRound, RoundReader, SampledFrame};

use super::{BoardMatch, without_garbage};
use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Placement, reference};
use rounds::Moment;
use serde::Serialize;

/// A board that differs counts after so many samples if no next pair shows that it is final: the puyos of a split pair land one after the
/// other.
const PERSISTS_FOR: u64 = 20;
/// So many equal pairs identify a route in the middle of a round, whose first board is not there.
const SURE_PAIRS: usize = 4;

/// How a pair was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairResult {
    /// The board after it is the planned one.
    AsPlanned,
    /// The same, but planned garbage fell into other columns than those of the route's example.
    OtherColumns,
    /// Garbage differs that was not planned, or that did not fall.
    GarbageDiffers,
    /// Puyos are in other places.
    BoardDiffers,
    /// Another pair was dealt.
    OtherPair,
    /// The recording or the round ends before.
    Unplayed,
}

impl PairResult {
    /// Whether nothing differs that the route decides.
    pub fn is_as_planned(self) -> bool {
        matches!(self, Self::AsPlanned | Self::OtherColumns)
    }
}

/// A planned pair as it was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairCheck {
    /// What became of it.
    pub result: PairResult,
    /// The pair that was dealt in its place; None if none was in play.
    pub dealt: Option<Pair>,
    /// Where it was placed; None if it was not, or if no placement explains the board.
    pub played: Option<Placement>,
    /// The board after it; None if it was not placed.
    pub after: Option<Field>,
    /// When it could be moved first.
    pub appeared: Option<SampledFrame>,
    /// When it had landed.
    pub landed: Option<SampledFrame>,
}

/// The number in the round (from 0) of the route's first pair. None if the pairs of the round are not those of the route.
pub fn first_pair(round: &PlayedRound, route: &PlannedRoute) -> Option<u32> {
    let mut others = Vec::new();
    for number in round.numbers_in_play() {
        let known: Vec<bool> = (number..)
            .zip(&route.pairs)
            .filter_map(|(number, planned)| Some(round.pair(number)? == planned.pair))
            .collect();
        if known.is_empty() || known.contains(&false) {
            continue;
        }
        let is_first_board = |moment: &Moment| moment.played.board == route.start;
        if round.in_play(number).any(is_first_board) {
            return Some(number);
        }
        if number == 0 || known.len() >= SURE_PAIRS {
            others.push(number);
        }
    }
    others.first().copied()
}

/// How many pairs of the round are those of the route, from the first one on.
pub fn common_pairs(round: &PlayedRound, route: &PlannedRoute) -> usize {
    let same = |(number, planned): &(u32, &PlannedPair)| round.pair(*number) == Some(planned.pair);
    (0..).zip(&route.pairs).take_while(same).count()
}

/// Compares a round with a route whose first pair has this number in the round.
pub fn compare(round: &PlayedRound, route: &PlannedRoute, first: u32) -> Vec<PairCheck> {
    (first..).zip(&route.pairs).map(|(number, planned)| pair_check(round, planned, number)).collect()
}

fn pair_check(round: &PlayedRound, planned: &PlannedPair, number: u32) -> PairCheck {
    let before = round.in_play(number).max_by_key(|moment| moment.samples);
    let dealt = before.and_then(|moment| moment.played.pair);
    let after = decisive(round, planned, number + 1);
    let played = before.zip(after).and_then(|(before, (after, _))| placement(before, after, planned));
    let result = match (dealt, after) {
        (Some(dealt), _) if dealt != planned.pair => PairResult::OtherPair,
        (_, None) => PairResult::Unplayed,
        (_, Some((_, BoardMatch::Planned))) => PairResult::AsPlanned,
        (_, Some((_, BoardMatch::Garbage))) if planned.garbage_falls || !planned.is_certain => {
            PairResult::OtherColumns
        }
        (_, Some((_, BoardMatch::Garbage))) => PairResult::GarbageDiffers,
        (_, Some((_, BoardMatch::Different | BoardMatch::Moving))) => PairResult::BoardDiffers,
    };
    let after = after.map(|(moment, _)| moment);
    PairCheck {
        result,
        dealt,
        played,
        after: after.map(|moment| moment.played.board),
        appeared: round.in_play(number).next().map(|moment| moment.frame),
        landed: after.and_then(|_| round.moments(number + 1).next()).map(|moment| moment.frame),
    }
}

/// The moment that says how the board before this pair compares with the planned one. None if none is certain.
fn decisive<'a>(
    round: &'a PlayedRound,
    planned: &PlannedPair,
    number: u32,
) -> Option<(&'a Moment, BoardMatch)> {
    let compared = |moment: &'a Moment| {
        let found = moment.played.compare(&planned.after, planned.garbage_falls);
        (found != BoardMatch::Moving).then_some((moment, found))
    };
    // While a pair is in play the board is final, but it may be emptied at the end of the round: a single planned board is enough.
    let in_play: Vec<_> = round.in_play(number).filter_map(compared).collect();
    for kind in [BoardMatch::Planned, BoardMatch::Garbage] {
        if let Some(found) = in_play.iter().find(|(_, found)| *found == kind) {
            return Some(*found);
        }
    }
    if let Some(longest) = in_play.into_iter().max_by_key(|(moment, _)| moment.samples) {
        return Some(longest);
    }
    let is_over = round.moments(number + 1).next().is_some();
    let is_final = |(moment, found): &(&Moment, BoardMatch)| {
        is_over || *found != BoardMatch::Different || moment.samples >= PERSISTS_FOR
    };
    round.moments(number).filter_map(compared).filter(is_final).last()
}

/// The placement that leads from one board to the other: the planned one if it does, because several may.
fn placement(before: &Moment, after: &Moment, planned: &PlannedPair) -> Option<Placement> {
    let (pair, rules) = (before.played.pair?, before.played.rules);
    let left = without_garbage(&after.played.board);
    let leads_there = |placement: &Placement| {
        let mut field = before.played.board;
        field.land(pair, *placement, rules);
        reference::fire(&mut field, rules);
        without_garbage(&field) == left
    };
    std::iter::once(planned.placement).chain(Placement::ALL).find(leads_there)
}

#[cfg(test)]
mod tests;

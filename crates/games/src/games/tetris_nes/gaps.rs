//! NES Tetris with gaps between picks that are known only as ranges: the generator runs every frame, and nobody counts frames.
//!
//! A start alone is then no result, since it can deal almost anything with some gaps. Instead the search tracks the possible positions
//! of the game: for each spawn count all positions in the generator's cycle, each with the number of paths to it, a path being a start
//! and a number of steps for every gap. A gap spreads the paths over a window of the cycle, and a known piece removes
//! the positions that pick another. This counts all paths, although there are too many to walk one by one.

#[cfg(test)]
mod exhaustive;

use crate::games::piece::Piece;
use crate::games::tetris_nes::seeds::{counts, pick};
use crate::games::tetris_nes::{PERIOD, Pick, Randomizer, Spawner, State, spawn_orientation};
use crate::seeds::pieces::MAX_STORED;
use crate::seeds::pieces::answer::{Answer, all_or_first};
use crate::seeds::pieces::game::{GamePosition, PieceQuery};
use crate::seeds::pieces::scan::low;
use crate::seeds::pieces::steps::Steps;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions in the generator's cycle.
const PLACES: usize = PERIOD as usize;
/// Possible previous pieces: one of the seven, or none at the start of a game.
const LASTS: usize = Piece::ALL.len() + 1;

/// The possible positions of a game after the pieces so far, for one spawn count.
struct PositionSet {
    how: Pick,
    count: u8,
    /// By previous piece and position: the number of paths, times two to the power of `-exponent`. A possible position is never
    /// rounded to 0.
    ways: [Option<Vec<f64>>; LASTS],
    exponent: i32,
}

/// The remaining positions and the pieces they deal next.
#[derive(Default)]
struct NextPieces {
    /// Pairs of position and previous piece that some path leads to.
    count: u64,
    /// How many of them deal each piece next, with some number of steps.
    next: [u64; 7],
    /// Paths to each piece, times two to the power of `-exponent`.
    ways: [f64; 7],
    exponent: i32,
    matched: usize,
    stored: Vec<u64>,
}

impl PositionSet {
    /// Before the first given piece, all states are equally likely.
    fn new(query: &PieceQuery, count: u8) -> Self {
        let start = query.at == GamePosition::Piece(1);
        let ways = std::array::from_fn(|last| (start == (last == LASTS - 1)).then(|| vec![1.0; PLACES]));
        Self { how: pick(query), count, ways, exponent: 0 }
    }

    /// Adds a piece, None for an unknown one. False if no position deals it.
    fn deal(&mut self, steps: Steps, given: Option<Piece>) -> bool {
        let mut dealt: [Option<Vec<f64>>; LASTS] = Default::default();
        for (last, ways) in std::mem::take(&mut self.ways).iter().enumerate() {
            let Some(ways) = ways else { continue };
            for (place, ways) in spread(ways, steps).into_iter().enumerate().filter(|&(_, ways)| ways > 0.0) {
                let (piece, again) = spawner(place, self.count, last).pick_by(self.how);
                if given.is_none_or(|given| given == piece) {
                    let to = dealt[piece.index()].get_or_insert_with(|| vec![0.0; PLACES]);
                    to[(place + usize::from(again)) % PLACES] += ways;
                }
            }
        }
        self.ways = dealt;
        self.count = self.count.wrapping_add(1);
        self.scale()
    }

    /// Scales the total to one or slightly more; false if it is zero.
    fn scale(&mut self) -> bool {
        let all: f64 = self.ways.iter().flatten().flatten().sum();
        if all <= 0.0 {
            return false;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the exponent of a finite number")]
        let exponent = all.log2().floor() as i32;
        let factor = 2_f64.powi(-exponent);
        for ways in self.ways.iter_mut().flatten().flatten().filter(|ways| **ways > 0.0) {
            *ways = (*ways * factor).max(f64::MIN_POSITIVE);
        }
        self.exponent += exponent;
        true
    }

    /// The next pieces after a gap.
    fn coming(&self, query: &PieceQuery, steps: Steps) -> NextPieces {
        let mut coming = NextPieces { exponent: self.exponent, ..NextPieces::default() };
        let counts = counts(query);
        for (last, ways) in self.ways.iter().enumerate() {
            let Some(ways) = ways else { continue };
            let picks: Vec<usize> = (0..PLACES)
                .map(|place| spawner(place, self.count, last).pick_by(self.how).0.index())
                .collect();
            // The window of positions that the gap can lead to, and how many of them pick each piece.
            let first = steps.least() as usize % PLACES;
            let mut window = [0_u32; 7];
            for ahead in 0..steps.width() {
                window[picks[(first + ahead) % PLACES]] += 1;
            }
            for (place, &ways) in ways.iter().enumerate() {
                if ways > 0.0 {
                    coming.count += 1;
                    for (piece, &picked) in window.iter().enumerate() {
                        coming.next[piece] += u64::from(picked > 0);
                        coming.ways[piece] += ways * f64::from(picked);
                    }
                    if coming.stored.len() < MAX_STORED {
                        let count = u64::from(self.count) % counts;
                        coming.stored.push((place as u64 * counts + count) * LASTS as u64 + last as u64);
                    }
                }
                window[picks[(place + first) % PLACES]] -= 1;
                window[picks[(place + first + steps.width()) % PLACES]] += 1;
            }
        }
        coming
    }
}

/// The paths after a gap: at each position the sum of those `least` to `most` positions before it. Sums only grow, so a
/// possible position stays above 0.
fn spread(ways: &[f64], steps: Steps) -> Vec<f64> {
    let all = ways.len();
    let (width, mut offset, mut length) = (steps.width(), steps.least() as usize % all, 1);
    let mut sums = vec![0.0; all];
    // For each position, the sum of the `length` positions that end there; sums with power-of-two lengths add up to the width.
    let mut ending = ways.to_vec();
    loop {
        if width & length != 0 {
            add_rotated(&mut sums, &ending, offset);
            offset = (offset + length) % all;
        }
        if 2 * length > width {
            return sums;
        }
        let before = ending.clone();
        add_rotated(&mut ending, &before, length);
        length *= 2;
    }
}

/// Adds to each position the value `by` positions before it.
fn add_rotated(sums: &mut [f64], other: &[f64], by: usize) {
    let (low, high) = sums.split_at_mut(by);
    let (start, end) = other.split_at(other.len() - by);
    for (sum, other) in low.iter_mut().zip(end).chain(high.iter_mut().zip(start)) {
        *sum += other;
    }
}

fn spawner(place: usize, count: u8, last: usize) -> Spawner {
    let last = Piece::ALL.get(last).map_or(0, |&piece| spawn_orientation(piece));
    Spawner { state: State::after_boot(place as u64), count, last }
}

/// The spawner of a position after the last piece, by its number among all.
pub(crate) fn spawner_at(query: &PieceQuery, number: u64) -> Spawner {
    let (counts, lasts) = (counts(query), LASTS as u64);
    let place = number / lasts / counts;
    let count = u8::try_from(number / lasts % counts).unwrap_or_default(); // below 256
    spawner(low(place) as usize, count, low(number % lasts) as usize)
}

/// The dealer at that position; None if the coming gaps are not known.
pub(crate) fn dealer_after(query: &PieceQuery, number: u64) -> Option<Randomizer> {
    let steps = query.later.known()?;
    Some(Randomizer { spawner: spawner_at(query, number), steps, how: pick(query) })
}

/// The number of possible positions after the pieces, before the last one is applied.
pub(crate) fn position_count(query: &PieceQuery) -> u64 {
    let lasts = match query.pieces.last() {
        Some(Some(_)) => 1,
        None if query.at == GamePosition::Piece(1) => 1,
        _ => Piece::ALL.len() as u64,
    };
    u64::from(PERIOD) * counts(query) * lasts
}

/// Counts all paths. None if cancelled.
pub(crate) fn search(query: &PieceQuery, progress: &Progress) -> Option<Answer> {
    let spawn_counts = low(counts(query));
    let pieces = u32::try_from(query.pieces.len()).unwrap_or(u32::MAX);
    progress.begin(spawn_counts.saturating_mul(pieces).into());
    let steps = |piece: usize| query.steps.get(piece).copied().unwrap_or(query.later);
    // A count without paths is abandoned early, so the progress does not show whether all were tried.
    let stopped = AtomicBool::new(false);
    let of_count = |count: u32| {
        let mut positions = PositionSet::new(query, u8::try_from(count).unwrap_or_default()); // below 256
        for (number, &piece) in query.pieces.iter().enumerate() {
            if progress.is_cancelled() {
                return None;
            }
            if progress.is_over() {
                stopped.store(true, Ordering::Relaxed);
                return Some(NextPieces::default());
            }
            if !positions.deal(steps(number), piece) {
                return Some(NextPieces { matched: number, ..NextPieces::default() });
            }
            progress.add(1);
        }
        let matched = query.pieces.len();
        Some(NextPieces { matched, ..positions.coming(query, steps(matched)) })
    };
    let all: Option<Vec<NextPieces>> = (0..spawn_counts).into_par_iter().map(of_count).collect();
    let all = all?;
    let count = all.iter().map(|coming| coming.count).sum();
    let exponent = all.iter().filter(|coming| coming.count > 0).map(|coming| coming.exponent).max();
    let (mut next, mut ways) = ([0; 7], [0.0; 7]);
    for coming in all.iter().filter(|coming| coming.count > 0) {
        let factor = 2_f64.powi(coming.exponent - exponent.unwrap_or_default());
        for piece in 0..7 {
            next[piece] += coming.next[piece];
            ways[piece] += coming.ways[piece] * factor;
        }
    }
    let total: f64 = ways.iter().sum();
    let mut stored: Vec<u64> = all.iter().flat_map(|coming| &coming.stored).copied().collect();
    stored.sort_unstable();
    let (stored, first) = all_or_first(count, stored);
    Some(Answer {
        starts: position_count(query),
        complete: !stopped.into_inner(),
        count,
        next,
        likely: (count > 0).then(|| ways.map(|ways| ways / total)),
        matched: all.iter().map(|coming| coming.matched).max().unwrap_or_default(),
        stored,
        first,
        against_rule: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_matches_walking_each_number_of_steps() {
        let ways: Vec<f64> = (0..13).map(|place| f64::from(place * place % 7)).collect();
        for (least, most) in [(0, 0), (5, 5), (0, 1), (3, 9), (12, 14), (1, 7), (30, 42)] {
            let mut walked = vec![0.0; ways.len()];
            for steps in least..=most {
                for (place, those) in ways.iter().enumerate() {
                    walked[(place + steps) % ways.len()] += those;
                }
            }
            let steps = Steps::between(u32::try_from(least).unwrap(), u32::try_from(most).unwrap()).unwrap();
            assert_eq!(spread(&ways, steps), walked, "{steps}");
        }
    }

    #[test]
    fn possible_positions_are_never_rounded_to_zero() {
        let query =
            PieceQuery::new(crate::seeds::pieces::PieceGame::from_id("tetris-nes").unwrap(), "").unwrap();
        let mut positions = PositionSet::new(&query, 0);
        positions.ways[LASTS - 1] = None;
        let ways = positions.ways[0].insert(vec![0.0; PLACES]);
        (ways[3], ways[5]) = (1e300, 1e-300);
        assert!(positions.scale() && positions.scale());
        let ways = positions.ways[0].as_ref().unwrap();
        assert!(ways[3] >= 1.0 && ways[5] > 0.0 && ways.iter().filter(|ways| **ways > 0.0).count() == 2);
    }
}

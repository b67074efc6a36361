//! What a tally comes to, with names and errors.

use super::entropy::{Counted, LONGEST};
use super::error::{Estimate, Ratio};
use super::tally::{BINS, Extreme, Tally};
use crate::game::piece::Known;
use crate::game::piece::Piece;
use serde::Serialize;
use std::collections::BTreeMap;

/// Everything that was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// Pieces dealt.
    pub pieces: u64,
    /// Seeds they came from.
    pub seeds: u64,
    /// How often each piece came.
    pub frequency: BTreeMap<char, f64>,
    /// How often each was the first of a seed.
    pub first_piece: BTreeMap<char, f64>,
    /// Droughts.
    pub drought: Drought,
    /// Floods.
    pub flood: Flood,
    /// Windows of seven.
    pub window: Window,
    /// Runs of S and Z.
    pub snakes: Snakes,
    /// Bits of the next piece.
    pub predictability: Predictability,
}

/// Droughts: the number of other pieces between two equal ones; the incomplete ones before the first and after the last of a
/// stream count when they are not zero (reference 3.9).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drought {
    /// The longest of all.
    pub longest: u32,
    /// The longest of all, as a mean over the seeds.
    pub longest_of_a_seed: Estimate,
    /// "maxdrought": the longest of each piece, mean of the seven and of the seeds.
    pub maxdrought: Estimate,
    /// The longest of each piece.
    pub longest_by_piece: BTreeMap<char, u32>,
    /// The mean of each piece.
    pub mean_by_piece: BTreeMap<char, f64>,
    /// The mean.
    pub mean: Option<Estimate>,
    /// "peakdrought": the most common one.
    pub peakdrought: usize,
    /// "repchance": the share of those that are zero.
    pub repchance: Option<Estimate>,
    /// The share of those of 13 and more, which no bag of seven makes.
    pub share_13_or_more: Option<Estimate>,
    /// How many of each length; the last stands for that length and more.
    pub histogram: Vec<u64>,
    /// The share that is at least as long.
    pub survival: Vec<f64>,
}

/// Droughts of more than so many pieces.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct DroughtsOver {
    /// Longer than this.
    pub pieces: u32,
    /// How many there were.
    pub count: u64,
    /// Their share of all droughts, 0 to 1.
    pub share: f64,
}

impl Drought {
    /// The droughts of more than so many pieces, at most [`MOST_OVER`].
    #[must_use]
    pub fn over(&self, pieces: u32) -> DroughtsOver {
        let longer = self.histogram.iter().skip(pieces.min(MOST_OVER) as usize + 1);
        let count = longer.sum();
        DroughtsOver { pieces, count, share: share(count, self.histogram.iter().sum()) }
    }
}

/// The longest drought that [`Drought::over`] can be asked for: longer ones are counted together.
pub const MOST_OVER: u32 = 254;
const _: () = assert!(MOST_OVER as usize + 2 == BINS);

/// Floods: runs of one piece.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Flood {
    /// "maxflood": the longest.
    pub longest: u32,
    /// The longest as a mean over the seeds.
    pub longest_of_a_seed: Estimate,
    /// The share of pieces that are the same as the one before.
    pub repeats: Option<Estimate>,
    /// How many runs of each length, from 1; the last stands for that length and more.
    pub histogram: Vec<u64>,
}

/// Windows of seven pieces.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Window {
    /// "diversity": how many different pieces, on the mean.
    pub diversity: Option<Estimate>,
    /// "bagginess": the share that holds all seven.
    pub bagginess: Option<Estimate>,
}

/// Runs of nothing but S and Z.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Snakes {
    /// The longest.
    pub longest: u32,
    /// How many runs of each length, from 1; the last stands for that length and more.
    pub histogram: Vec<u64>,
    /// The mean length.
    pub mean: f64,
}

/// How well the next piece can be foretold, in bits; 2.807 is not at all.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predictability {
    /// From the chances that the randomizer gives itself.
    pub bits: Option<Estimate>,
    /// What those chances are given by.
    pub known: Option<Known>,
    /// What the dealt pieces were worth by those chances: `bits` again when the generator is sound.
    pub surprise: Option<Estimate>,
    /// Counted, given the last 0, 1, 2, 3, 4 pieces.
    pub given_last: Vec<Option<Counted>>,
    /// Counted, given how long each piece has been away.
    pub given_absence: Option<Counted>,
}

impl Predictability {
    /// The lowest upper limit that was counted.
    #[must_use]
    pub fn at_most(&self) -> Option<Counted> {
        let counted = self.given_last.iter().copied().chain([self.given_absence]).flatten();
        counted.min_by(|a, b| a.bits.total_cmp(&b.bits))
    }
}

fn by_piece<T>(value: impl Fn(usize) -> T) -> BTreeMap<char, T> {
    Piece::ALL.into_iter().map(|piece| (piece.letter(), value(piece.index()))).collect()
}

/// Without the empty places at the end.
fn trimmed(counts: &[u64]) -> Vec<u64> {
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    counts[..used].to_vec()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn extreme(of: Extreme, streams: u64) -> Estimate {
    let n = streams.max(1) as f64;
    let value = of.sum / n;
    let error = (streams > 1).then(|| ((of.squares / n - value * value).max(0.0) / (n - 1.0)).sqrt());
    Estimate { value, error }
}

impl Figures {
    /// From a tally whose streams have ended.
    #[must_use]
    pub fn of(tally: &Tally, known: Option<Known>) -> Self {
        let pieces: u64 = tally.pieces.iter().sum();
        let mut all = vec![0u64; BINS];
        for gaps in tally.gaps.iter() {
            for (all, count) in all.iter_mut().zip(gaps) {
                *all += count;
            }
        }
        let histogram = trimmed(&all);
        let total: u64 = histogram.iter().sum();
        let mut left = total;
        let survival = histogram.iter().map(|count| {
            let share = share(left, total);
            left -= count;
            share
        });
        let survival = survival.collect();
        let peak = histogram.iter().enumerate().max_by_key(|&(gap, count)| (count, std::cmp::Reverse(gap)));
        let estimate = |ratio| tally.blocks.estimate(ratio);
        let runs = |counts: &[u64]| trimmed(counts).get(1..).unwrap_or_default().to_vec();
        let snakes = runs(&tally.snakes);
        let weighted: u64 = snakes.iter().zip(1..).map(|(count, length)| count * length).sum();
        Self {
            pieces,
            seeds: tally.streams,
            frequency: by_piece(|piece| share(tally.pieces[piece], pieces)),
            first_piece: by_piece(|piece| share(tally.firsts[piece], tally.streams)),
            drought: Drought {
                longest: tally.longest.into_iter().max().unwrap_or(0),
                longest_of_a_seed: extreme(tally.extremes[1], tally.streams),
                maxdrought: extreme(tally.extremes[0], tally.streams),
                longest_by_piece: by_piece(|piece| tally.longest[piece]),
                mean_by_piece: by_piece(|piece| {
                    let gaps = &tally.gaps[piece];
                    share(gaps.iter().zip(0..).map(|(count, gap)| count * gap).sum(), gaps.iter().sum())
                }),
                mean: estimate(Ratio::Gap),
                peakdrought: peak.map_or(0, |(gap, _)| gap),
                repchance: estimate(Ratio::RepeatGaps),
                share_13_or_more: estimate(Ratio::LongGaps),
                histogram,
                survival,
            },
            flood: Flood {
                longest: tally.longest_run,
                longest_of_a_seed: extreme(tally.extremes[2], tally.streams),
                repeats: estimate(Ratio::Repeats),
                histogram: runs(&tally.runs),
            },
            window: Window { diversity: estimate(Ratio::Diversity), bagginess: estimate(Ratio::Bagginess) },
            snakes: Snakes {
                longest: tally.longest_snakes,
                mean: share(weighted, snakes.iter().sum()),
                histogram: snakes,
            },
            predictability: Predictability {
                bits: estimate(Ratio::Bits),
                known: known.filter(|_| estimate(Ratio::Bits).is_some()),
                surprise: estimate(Ratio::Surprise),
                given_last: (0..=LONGEST).map(|length| tally.contexts.given_last(length)).collect(),
                given_absence: tally.contexts.given_absence(),
            },
        }
    }
}

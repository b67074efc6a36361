//! The figures of a tally, with names and errors.

use super::entropy::{EntropyEstimate, MAX_CONTEXT};
use super::error::{Estimate, Ratio};
use super::tally::{BINS, Extreme, Tally};
use crate::games::piece::ChanceBasis;
use crate::games::piece::Piece;
use serde::Serialize;
use std::collections::BTreeMap;

/// All measured figures.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figures {
    /// Pieces dealt.
    pub pieces: u64,
    /// Number of seeds.
    pub seeds: u64,
    /// How often each piece was dealt.
    pub frequency: BTreeMap<char, f64>,
    /// How often each piece was the first of a seed.
    pub first_piece: BTreeMap<char, f64>,
    /// Droughts.
    pub drought: Drought,
    /// Floods.
    pub flood: Flood,
    /// Windows of seven.
    pub window: Window,
    /// Runs of S and Z.
    pub snakes: Snakes,
    /// Entropy of the next piece.
    pub predictability: Predictability,
}

/// Droughts: the number of other pieces between two equal ones; the incomplete ones before the first and after the last of a
/// stream count unless they are zero (reference 3.9).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drought {
    /// The longest overall.
    pub longest: u32,
    /// The longest of each seed, mean over the seeds.
    pub longest_of_a_seed: Estimate,
    /// "maxdrought": the longest of each piece, mean over the seven pieces and the seeds.
    pub maxdrought: Estimate,
    /// The longest of each piece.
    pub longest_by_piece: BTreeMap<char, u32>,
    /// The mean of each piece.
    pub mean_by_piece: BTreeMap<char, f64>,
    /// The mean.
    pub mean: Option<Estimate>,
    /// "peakdrought": the most common length.
    pub peakdrought: usize,
    /// "repchance": the share with length zero.
    pub repchance: Option<Estimate>,
    /// The share with length 13 and more, which a bag of seven never has.
    pub share_13_or_more: Option<Estimate>,
    /// The count of each length; the last entry includes all greater lengths.
    pub histogram: Vec<u64>,
    /// The share with at least each length.
    pub survival: Vec<f64>,
}

/// Droughts longer than a limit.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct DroughtsOver {
    /// The limit.
    pub pieces: u32,
    /// Their number.
    pub count: u64,
    /// Their share of all droughts, 0 to 1.
    pub share: f64,
}

impl Drought {
    /// The droughts of more than `pieces` pieces, at most [`MAX_OVER`].
    pub fn over(&self, pieces: u32) -> DroughtsOver {
        let longer = self.histogram.iter().skip(pieces.min(MAX_OVER) as usize + 1);
        let count = longer.sum();
        DroughtsOver { pieces, count, share: share(count, self.histogram.iter().sum()) }
    }
}

/// The highest limit of [`Drought::over`]: longer droughts are counted together.
pub const MAX_OVER: u32 = 254;
const _: () = assert!(MAX_OVER as usize + 2 == BINS);

/// Floods: runs of one piece.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Flood {
    /// "maxflood": the longest.
    pub longest: u32,
    /// The longest of each seed, mean over the seeds.
    pub longest_of_a_seed: Estimate,
    /// The share of pieces equal to the one before.
    pub repeats: Option<Estimate>,
    /// The count of runs of each length, from 1; the last entry includes all greater lengths.
    pub histogram: Vec<u64>,
}

/// Windows of seven pieces.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Window {
    /// "diversity": the mean number of different pieces.
    pub diversity: Option<Estimate>,
    /// "bagginess": the share with all seven pieces.
    pub bagginess: Option<Estimate>,
}

/// Runs of nothing but S and Z.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Snakes {
    /// The longest.
    pub longest: u32,
    /// The count of runs of each length, from 1; the last entry includes all greater lengths.
    pub histogram: Vec<u64>,
    /// The mean length.
    pub mean: f64,
}

/// The predictability of the next piece, in bits; 2.807 means unpredictable.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predictability {
    /// From the chances given by the randomizer itself.
    pub bits: Option<Estimate>,
    /// What those chances are based on.
    pub known: Option<ChanceBasis>,
    /// The mean information of the dealt pieces under those chances: equal to `bits` if the generator is sound.
    pub surprise: Option<Estimate>,
    /// From counts, given the last 0, 1, 2, 3, 4 pieces.
    pub given_last: Vec<Option<EntropyEstimate>>,
    /// From counts, given how long each piece has been absent.
    pub given_absence: Option<EntropyEstimate>,
}

impl Predictability {
    /// The lowest upper bound from counts.
    pub fn at_most(&self) -> Option<EntropyEstimate> {
        let counted = self.given_last.iter().copied().chain([self.given_absence]).flatten();
        counted.min_by(|a, b| a.bits.total_cmp(&b.bits))
    }
}

fn by_piece<T>(value: impl Fn(usize) -> T) -> BTreeMap<char, T> {
    Piece::ALL.into_iter().map(|piece| (piece.letter(), value(piece.index()))).collect()
}

/// The counts without trailing zeros.
fn trimmed(counts: &[u64]) -> Vec<u64> {
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    counts[..used].to_vec()
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn share(part: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { part as f64 / total as f64 }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn extreme(of: Extreme, streams: u64) -> Estimate {
    let n = streams.max(1) as f64;
    let value = of.sum / n;
    let error = (streams > 1).then(|| ((of.squares / n - value * value).max(0.0) / (n - 1.0)).sqrt());
    Estimate { value, error }
}

impl Figures {
    /// The figures of a tally whose streams have ended.
    pub fn of(tally: &Tally, known: Option<ChanceBasis>) -> Self {
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
                given_last: (0..=MAX_CONTEXT).map(|length| tally.contexts.given_last(length)).collect(),
                given_absence: tally.contexts.given_absence(),
            },
        }
    }
}

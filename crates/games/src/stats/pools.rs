//! Statistics of Puyo pools over many seeds: they quantify the claims of the wiki's page on Puyo Puyo Tsu (equal counts of each colour,
//! clustered colours, colours that run out early or are missing at the start or the end).

use super::source::{NotMeasured, PoolFacts, PoolSource, declared_name};
use crate::games::uniform::Uniform;
use crate::pairs::PairGame;
use crate::seeds::text::{self, grouped};
use nextscope_boards::{POOL_LEN, Pool, PoolId};
use nextscope_task::Progress;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The length of the start and end of a pool that are compared, in puyos: 32 pairs.
const QUARTER: usize = POOL_LEN / 4;
/// Puyos of a window: 8 pairs.
const WINDOW: usize = 16;
/// Colour codes of puyos in a pool, in either game.
const CODES: usize = 8;
/// Seeds that a thread takes at a time.
const BLOCK: u32 = 256;
/// What the comparison is called in JSON and in the table.
const EVEN_SHUFFLE: &str = "even-shuffle";

/// Explanation of the figures, for the help.
pub fn pool_definitions() -> String {
    let games: Vec<&str> = PairGame::with_pools().map(PairGame::id).collect();
    format!("Pools ({}), {DEFINITIONS}", games.join(", "))
}

const DEFINITIONS: &str = "\
256 puyos in the order of the pool, of a declared randomizer the first 128 pairs of a seed; \"even shuffle\" is the same fill, shuffled without any bias:
  fewest, most of a colour  puyos of the rarest and of the commonest colour, of all pools
  one-coloured pairs        share of pairs with two puyos of one colour
  same as the one before    share of puyos that have the colour of the one before
  longest run               puyos of one colour in a row: mean of the pools, and the longest of all
  longest drought           pairs in a row without a colour: mean of the pools' longest, and the longest of all
  gone after                the pair with which the first colour runs out, of 128: mean, and the earliest of all
  uneven start, end         the commonest colour less the rarest, in the first and in the last 32 pairs: mean
  variance of 8 pairs       of a colour's number in 8 pairs in a row, as a multiple of what chance gives: below 1 colours are
                            spread more evenly than by chance, above 1 they come packed";

impl PoolSource for PairGame {
    fn facts(&self) -> PoolFacts {
        PoolFacts {
            game: self.id(),
            profile: None,
            largest_seed: self.largest_seed(),
            colors: PoolId::ALL.map(|id| u8::try_from(id.colors()).unwrap_or(0)).to_vec(),
        }
    }

    fn pools(&self, seed: u32) -> Result<Vec<Pool>, String> {
        let pools = self.rules().pools.and_then(|pools| pools(seed));
        Ok(pools.map_or_else(Vec::new, Vec::from))
    }
}

/// For comparison: the same fill with an unbiased shuffle.
struct EvenShuffle {
    colors: Vec<u8>,
}

impl PoolSource for EvenShuffle {
    fn facts(&self) -> PoolFacts {
        let colors = self.colors.clone();
        PoolFacts { game: EVEN_SHUFFLE, profile: None, largest_seed: u32::MAX, colors }
    }

    fn pools(&self, seed: u32) -> Result<Vec<Pool>, String> {
        let mut rng = Uniform::SplitMix64(seed.into());
        Ok(self.colors.iter().map(|colors| shuffled(*colors, &mut rng)).collect())
    }
}

/// A cyclic fill, shuffled from its end (Durstenfeld).
fn shuffled(colors: u8, rng: &mut Uniform) -> Pool {
    let mut pool: Pool = [0; POOL_LEN];
    for (puyo, color) in pool.iter_mut().zip((0..colors).cycle()) {
        *puyo = color;
    }
    for (last, count) in (1..POOL_LEN).zip(2u32..257).rev() {
        pool.swap(last, rng.below(count) as usize);
    }
    pool
}

/// The figures of all pools with one number of colours.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolFigures {
    /// The game, or "even-shuffle".
    pub game: &'static str,
    /// The id of the profile that declares the randomizer; None for one in the program.
    pub profile: Option<String>,
    /// Colours of the pool, 3 to 5 in games of this program.
    pub colors: u8,
    /// Number of pools, one per seed.
    pub pools: u64,
    /// The lowest count of any colour in any pool.
    pub fewest_of_a_color: u32,
    /// The highest count of any colour in any pool.
    pub most_of_a_color: u32,
    /// Share of pairs with two equal puyos, 0 to 1.
    pub one_colored_pairs: f64,
    /// Share of puyos with the colour of the one before, 0 to 1.
    pub same_as_before: f64,
    /// The longest run of a pool, mean.
    pub longest_run_mean: f64,
    /// The longest run of any pool.
    pub longest_run: u32,
    /// The longest drought of a pool, in pairs, mean.
    pub longest_drought_mean: f64,
    /// The longest drought of any pool, in pairs.
    pub longest_drought: u32,
    /// The pair with which the first colour of a pool runs out, 1 to 128, mean.
    pub gone_after_mean: f64,
    /// The earliest such pair of any pool.
    pub gone_after: u32,
    /// The highest count of a colour minus the lowest in the first 32 pairs, mean.
    pub uneven_start: f64,
    /// The same in the last 32 pairs.
    pub uneven_end: f64,
    /// The variance of a colour's count in 8 pairs, relative to an unbiased shuffle.
    pub window_variance: f64,
}

/// Sums over pools.
#[derive(Debug, Clone, Copy)]
struct Sums {
    pools: u64,
    fewest: u32,
    most: u32,
    pairs_alike: u64,
    same_as_before: u64,
    runs: (u64, u32),
    droughts: (u64, u32),
    gone: (u64, u32),
    uneven: [u64; 2],
    variance: f64,
}

impl Sums {
    const NONE: Self = Self {
        pools: 0,
        fewest: u32::MAX,
        most: 0,
        pairs_alike: 0,
        same_as_before: 0,
        runs: (0, 0),
        droughts: (0, 0),
        gone: (0, u32::MAX),
        uneven: [0; 2],
        variance: 0.0,
    };

    fn and(self, other: Self) -> Self {
        let longest = |one: (u64, u32), other: (u64, u32)| (one.0 + other.0, one.1.max(other.1));
        Self {
            pools: self.pools + other.pools,
            fewest: self.fewest.min(other.fewest),
            most: self.most.max(other.most),
            pairs_alike: self.pairs_alike + other.pairs_alike,
            same_as_before: self.same_as_before + other.same_as_before,
            runs: longest(self.runs, other.runs),
            droughts: longest(self.droughts, other.droughts),
            gone: (self.gone.0 + other.gone.0, self.gone.1.min(other.gone.1)),
            uneven: [self.uneven[0] + other.uneven[0], self.uneven[1] + other.uneven[1]],
            variance: self.variance + other.variance,
        }
    }

    fn add(&mut self, pool: &Pool) {
        let all = counts(pool);
        let used = |counts: &[u32; CODES]| -> Vec<u32> {
            all.iter().zip(counts).filter(|(all, _)| **all > 0).map(|(_, count)| *count).collect()
        };
        let spread = |counts: &[u32; CODES]| {
            let used = used(counts);
            used.iter().max().zip(used.iter().min()).map_or(0, |(most, fewest)| most - fewest)
        };
        self.pools += 1;
        self.fewest = self.fewest.min(used(&all).into_iter().min().unwrap_or(0));
        self.most = self.most.max(used(&all).into_iter().max().unwrap_or(0));
        self.pairs_alike +=
            pool.as_chunks::<2>().0.iter().filter(|[axis, child]| axis == child).count() as u64;
        self.same_as_before += pool.array_windows().filter(|[one, next]| one == next).count() as u64;
        let (mut run, mut longest_run) = (1, 1);
        for [one, next] in pool.array_windows() {
            run = if one == next { run + 1 } else { 1 };
            longest_run = longest_run.max(run);
        }
        self.runs = (self.runs.0 + u64::from(longest_run), self.runs.1.max(longest_run));
        let (drought, gone) = droughts(pool, &all);
        self.droughts = (self.droughts.0 + u64::from(drought), self.droughts.1.max(drought));
        self.gone = (self.gone.0 + u64::from(gone), self.gone.1.min(gone));
        self.uneven[0] += u64::from(spread(&counts(&pool[..QUARTER])));
        self.uneven[1] += u64::from(spread(&counts(&pool[POOL_LEN - QUARTER..])));
        self.variance += window_variance(pool, &all);
    }

    #[expect(clippy::cast_precision_loss, reason = "means for people")]
    fn figures(&self, source: &PoolFacts, colors: u8) -> PoolFigures {
        let pools = self.pools.max(1) as f64;
        PoolFigures {
            game: source.game,
            profile: source.profile.clone(),
            colors,
            pools: self.pools,
            fewest_of_a_color: self.fewest.min(self.most),
            most_of_a_color: self.most,
            one_colored_pairs: self.pairs_alike as f64 / pools / (POOL_LEN / 2) as f64,
            same_as_before: self.same_as_before as f64 / pools / (POOL_LEN - 1) as f64,
            longest_run_mean: self.runs.0 as f64 / pools,
            longest_run: self.runs.1,
            longest_drought_mean: self.droughts.0 as f64 / pools,
            longest_drought: self.droughts.1,
            gone_after_mean: self.gone.0 as f64 / pools,
            gone_after: if self.pools == 0 { 0 } else { self.gone.1 },
            uneven_start: self.uneven[0] as f64 / pools,
            uneven_end: self.uneven[1] as f64 / pools,
            window_variance: self.variance / pools,
        }
    }
}

fn counts(puyos: &[u8]) -> [u32; CODES] {
    let mut counts = [0; CODES];
    for puyo in puyos {
        counts[usize::from(*puyo) % CODES] += 1;
    }
    counts
}

/// The longest absence of a colour, and the pair with which the first colour runs out, both in pairs.
fn droughts(pool: &Pool, all: &[u32; CODES]) -> (u32, u32) {
    let (mut longest, mut last) = (0, [0u32; CODES]);
    let (pairs, _) = pool.as_chunks::<2>();
    for (pair, number) in pairs.iter().zip(1u32..) {
        for puyo in pair {
            let last = &mut last[usize::from(*puyo) % CODES];
            longest = longest.max(number.saturating_sub(*last + 1));
            *last = number;
        }
    }
    let used = last.iter().zip(all).filter(|(_, all)| **all > 0).map(|(last, _)| *last);
    let gone = used.min().unwrap_or(0);
    let end = u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    (longest.max(end - gone), gone)
}

/// The variance of each colour's count in windows, relative to windows drawn at random from the same puyos (hypergeometric).
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn window_variance(pool: &Pool, all: &[u32; CODES]) -> f64 {
    let (length, window) = (POOL_LEN as f64, WINDOW as f64);
    let (mut found, mut expected) = (0.0, 0.0);
    let windows = pool.len() - WINDOW + 1;
    for (code, &all) in all.iter().enumerate().filter(|(_, all)| **all > 0) {
        let share = f64::from(all) / length;
        let mean = window * share;
        expected += mean * (1.0 - share) * (length - window) / (length - 1.0);
        let squares = pool.windows(WINDOW).map(|window| {
            let count = window.iter().filter(|puyo| usize::from(**puyo) % CODES == code).count();
            (count as f64 - mean).powi(2)
        });
        found += squares.sum::<f64>() / windows as f64;
    }
    if expected > 0.0 { found / expected } else { 0.0 }
}

/// Measures the pools of each randomizer over the seeds, inclusive, and an unbiased shuffle for comparison. Seeds above a randomizer's
/// largest are skipped for it.
///
/// # Errors
/// It was cancelled, or a seed deals nothing.
pub fn measure_pools<S: PoolSource>(
    sources: &[S],
    seeds: &RangeInclusive<u32>,
    progress: &Progress,
) -> Result<Vec<PoolFigures>, NotMeasured> {
    let count = (u64::from(*seeds.end()) + 1).saturating_sub(u64::from(*seeds.start()));
    progress.begin(count.saturating_mul(sources.len() as u64 + 1));
    let colors: BTreeSet<u8> = sources.iter().flat_map(|source| source.facts().colors).collect();
    let even = EvenShuffle { colors: colors.into_iter().collect() };
    let mut measured = Vec::new();
    for source in sources {
        measured.extend(measure_source(source, seeds, progress)?);
    }
    measured.extend(measure_source(&even, seeds, progress)?);
    Ok(measured)
}

fn measure_source(
    source: &impl PoolSource,
    seeds: &RangeInclusive<u32>,
    progress: &Progress,
) -> Result<Vec<PoolFigures>, NotMeasured> {
    let facts = source.facts();
    let last = facts.largest_seed.min(*seeds.end());
    let blocks = (u64::from(last) + 1).saturating_sub(u64::from(*seeds.start())).div_ceil(u64::from(BLOCK));
    let block = |block: u32| {
        let mut sums = vec![Sums::NONE; facts.colors.len()];
        let first = seeds.start().saturating_add(block.saturating_mul(BLOCK));
        if progress.is_cancelled() {
            return Err(NotMeasured::Cancelled);
        }
        for seed in first..=first.saturating_add(BLOCK - 1).min(last) {
            let label = || source_name(facts.game, facts.profile.as_deref());
            let pools = source.pools(seed).map_err(|why| NotMeasured::Stuck { label: label(), seed, why })?;
            for (sums, pool) in sums.iter_mut().zip(&pools) {
                sums.add(pool);
            }
        }
        progress.add(BLOCK.into());
        Ok(sums)
    };
    let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
    // In seed order, so that floating-point sums do not depend on the threads.
    let all: Result<Vec<Vec<Sums>>, NotMeasured> = (0..blocks).into_par_iter().map(block).collect();
    let all = all?;
    if progress.is_cancelled() {
        return Err(NotMeasured::Cancelled);
    }
    let figures = |(nth, colors): (usize, &u8)| {
        let sums = all.iter().fold(Sums::NONE, |sums, block| sums.and(block[nth]));
        sums.figures(&facts, *colors)
    };
    Ok(facts.colors.iter().enumerate().map(figures).collect())
}

/// The name in the table.
fn source_name(game: &str, profile: Option<&str>) -> String {
    profile.map_or_else(|| game.to_owned(), |profile| declared_name(game, profile))
}

/// The table for display: pools with the same number of colours side by side.
pub fn pool_table(measured: &[PoolFigures]) -> String {
    let mut measured: Vec<&PoolFigures> = measured.iter().collect();
    measured.sort_by_key(|one| one.colors);
    let name =
        |one: &&PoolFigures| format!("{} ({})", source_name(one.game, one.profile.as_deref()), one.colors);
    let names: Vec<String> = measured.iter().map(name).collect();
    let head: Vec<&str> = [""].into_iter().chain(names.iter().map(String::as_str)).collect();
    let line = |name: &str, value: &dyn Fn(&PoolFigures) -> String| {
        [name.to_owned()].into_iter().chain(measured.iter().map(|one| value(one))).collect()
    };
    let rows: Vec<Vec<String>> = vec![
        line("pools", &|one| grouped(one.pools)),
        line("fewest, most of a colour", &|one| {
            format!("{}, {}", one.fewest_of_a_color, one.most_of_a_color)
        }),
        line("one-coloured pairs", &|one| format!("{:.4}", one.one_colored_pairs)),
        line("same as the one before", &|one| format!("{:.4}", one.same_as_before)),
        line("longest run", &|one| format!("{:.2}, {}", one.longest_run_mean, one.longest_run)),
        line("longest drought", &|one| format!("{:.1}, {}", one.longest_drought_mean, one.longest_drought)),
        line("gone after", &|one| format!("{:.1}, {}", one.gone_after_mean, one.gone_after)),
        line("uneven start", &|one| format!("{:.2}", one.uneven_start)),
        line("uneven end", &|one| format!("{:.2}", one.uneven_end)),
        line("variance of 8 pairs", &|one| format!("{:.3}", one.window_variance)),
    ];
    text::table(&head, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(puyo: impl Fn(usize) -> u8) -> Pool {
        std::array::from_fn(puyo)
    }

    fn figures(pool: &Pool) -> PoolFigures {
        let mut sums = Sums::NONE;
        sums.add(pool);
        sums.figures(&EvenShuffle { colors: vec![4] }.facts(), 4)
    }

    #[test]
    fn figures_of_constructed_pools_are_exact() {
        let packed = figures(&pool(|nth| u8::try_from(nth / 64).unwrap()));
        assert_eq!((packed.fewest_of_a_color, packed.most_of_a_color), (64, 64));
        assert_eq!((packed.longest_run, packed.longest_drought, packed.gone_after), (64, 96, 32));
        assert!((packed.uneven_start - 64.0).abs() < 1e-9 && (packed.uneven_end - 64.0).abs() < 1e-9);
        assert!((packed.same_as_before - 252.0 / 255.0).abs() < 1e-9 && packed.window_variance > 10.0);
        let spread = figures(&pool(|nth| u8::try_from(nth % 4).unwrap()));
        assert_eq!((spread.longest_run, spread.longest_drought, spread.gone_after), (1, 1, 127));
        assert!(
            spread.one_colored_pairs == 0.0 && spread.uneven_start == 0.0 && spread.window_variance < 0.01
        );
    }

    #[test]
    fn games_are_measured_with_an_even_shuffle() {
        let games: Vec<PairGame> = PairGame::with_pools().collect();
        let measured = measure_pools(&games, &(0..=299), &Progress::default()).unwrap();
        assert_eq!(measured.len(), 3 * (games.len() + 1));
        assert!(measured.iter().all(|one| one.pools == 300));
        let of = |game: &str, colors| {
            measured.iter().find(|one| one.game == game && one.colors == colors).unwrap()
        };
        let even = of(EVEN_SHUFFLE, 4);
        assert_eq!((even.fewest_of_a_color, even.most_of_a_color), (64, 64));
        assert!((even.window_variance - 1.0).abs() < 0.1, "{}", even.window_variance);
        // In an unbiased shuffle, 63 of the 255 other puyos have the same colour.
        assert!((even.one_colored_pairs - 63.0 / 255.0).abs() < 0.01, "{}", even.one_colored_pairs);
        // The first two pairs come from the 3-colour pool: at most four puyos of a colour are replaced.
        let tsu = of("puyo-tsu", 4);
        assert!(tsu.fewest_of_a_color >= 60 && tsu.most_of_a_color <= 68, "{tsu:?}");
        assert!(pool_table(&measured).contains("variance of 8 pairs"));
        let cancelled = Progress::default();
        cancelled.cancel();
        assert_eq!(measure_pools(&games, &(0..=299), &cancelled), Err(NotMeasured::Cancelled));
    }
}

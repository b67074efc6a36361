//! Finds the start that reaches a goal best: a search over seeds and placements.
//!
//! It processes all seeds with a narrow beam first, so that there is a result early, and again with wider beams. It can be stopped at any time
//! and resumed from its saved [`SeedSearchProgress`].

use super::goal::Goal;
use super::plan::{Limits, PlanError, plan};
use super::steps::{Route, Start};
use nextscope_boards::puyo::Placement;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Seeds between two reports.
const BLOCK: u32 = 64;
/// Entries in the list of the best.
const BEST: usize = 20;
/// The format version of [`SeedSearchProgress`].
const VERSION: u32 = 1;

/// The task of a seed search.
pub struct SeedSearch<'a> {
    /// The start of each seed; None for seeds without a game.
    pub start: &'a (dyn Fn(u32) -> Option<Start> + Sync),
    /// The seeds, inclusive.
    pub seeds: RangeInclusive<u32>,
    /// The goal.
    pub goal: Goal,
    /// Beam widths, each used for one pass over all seeds.
    pub widths: &'a [usize],
    /// Seeds processed in parallel.
    pub threads: usize,
}

/// The best route of a seed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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

/// The progress of a search, and its best routes so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SeedSearchProgress {
    version: u32,
    /// A description of the search, to reject a file of another search.
    pub task: String,
    /// Completed passes over all seeds.
    pub round: usize,
    /// The next seed of this pass.
    pub next: u32,
    /// The best routes, best first.
    pub best: Vec<Entry>,
    /// Placements tried.
    pub nodes: u64,
}

/// Why a search cannot be resumed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SeedSearchError {
    #[error("the file contains another search ({found}; this one is {expected}): use another file")]
    Other { found: String, expected: String },
    #[error("the saved search is damaged: {0}")]
    Damaged(String),
    /// The planner.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl SeedSearchProgress {
    /// The initial progress.
    pub fn new(task: String, seeds: &RangeInclusive<u32>) -> Self {
        Self { version: VERSION, task, round: 0, next: *seeds.start(), best: Vec::new(), nodes: 0 }
    }

    /// Parses a saved search and replays its routes.
    ///
    /// # Errors
    /// [`SeedSearchError`] if it belongs to another search or is damaged.
    pub fn read(text: &str, task: &str, search: &SeedSearch<'_>) -> Result<Self, SeedSearchError> {
        let saved: Self =
            serde_json::from_str(text).map_err(|error| SeedSearchError::Damaged(error.to_string()))?;
        if saved.version != VERSION || saved.task != task {
            return Err(SeedSearchError::Other { found: saved.task, expected: task.to_owned() });
        }
        // Between two passes the position is after the last seed, and may be saved like that.
        let within = *search.seeds.start()..=search.seeds.end().saturating_add(1);
        if saved.round > search.widths.len() || !within.contains(&saved.next) {
            let (round, next) = (saved.round, saved.next);
            let why = format!("its position, seed {next:#06X} of pass {round}, is outside this search");
            return Err(SeedSearchError::Damaged(why));
        }
        for entry in &saved.best {
            let route = entry.route(search).map_err(SeedSearchError::Damaged)?;
            if (route.chain, route.score) != (entry.chain, entry.score) {
                return Err(SeedSearchError::Damaged(format!(
                    "the route of seed {:#06X} has a different result",
                    entry.seed
                )));
            }
        }
        Ok(saved)
    }

    /// The text to save.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The finished share, 0 to 1.
    pub fn share(&self, search: &SeedSearch<'_>) -> f64 {
        let seeds = f64::from(search.seeds.end() - search.seeds.start()) + 1.0;
        let done = f64::from(self.next - search.seeds.start()) / seeds;
        // The time of a pass is proportional to its width.
        #[expect(clippy::cast_precision_loss, reason = "widths are small")]
        let cost = |widths: &[usize]| widths.iter().sum::<usize>() as f64;
        let now = search.widths.get(self.round).map_or(0.0, |width| cost(&[*width]) * done);
        (cost(&search.widths[..self.round.min(search.widths.len())]) + now) / cost(search.widths).max(1.0)
    }

    fn note(&mut self, goal: Goal, route: &Route, seed: u32) {
        let placements =
            route.steps.iter().map(|step| u8::try_from(step.placement.index()).unwrap_or(u8::MAX));
        let entry = Entry { seed, placements: placements.collect(), chain: route.chain, score: route.score };
        self.best.retain(|other| other.seed != seed);
        let points = |entry: &Entry| std::cmp::Reverse(entry.score);
        let at = self.best.partition_point(|other| match goal {
            Goal::Chain => {
                (std::cmp::Reverse(other.chain), points(other), other.seed)
                    < (std::cmp::Reverse(entry.chain), points(&entry), seed)
            }
            Goal::Score => (points(other), other.seed) < (points(&entry), seed),
            _ => {
                (other.placements.len(), points(other), other.seed)
                    < (entry.placements.len(), points(&entry), seed)
            }
        });
        self.best.insert(at, entry);
        self.best.truncate(BEST);
    }
}

impl Entry {
    /// The route, replayed with the reference simulator.
    ///
    /// # Errors
    /// A message, if it is invalid.
    pub fn route(&self, search: &SeedSearch<'_>) -> Result<Route, String> {
        let start =
            (search.start)(self.seed).ok_or_else(|| format!("seed {:#06X} has no game", self.seed))?;
        let placement = |index: &u8| Placement::ALL.get(usize::from(*index)).copied();
        let placements: Option<Vec<Placement>> = self.placements.iter().map(placement).collect();
        let placements = placements.ok_or("a placement has an invalid number")?;
        Route::replay(&start, &placements).map_err(|error| error.to_string())
    }
}

/// Runs until everything is done or the search is cancelled. `report` is called every few seeds, and can save the progress.
///
/// # Errors
/// [`PlanError`] of the first seed that fails.
pub fn run(
    search: &SeedSearch<'_>,
    progress: &mut SeedSearchProgress,
    cancel: &AtomicBool,
    report: &mut dyn FnMut(&SeedSearchProgress),
) -> Result<(), PlanError> {
    while let Some(width) = search.widths.get(progress.round) {
        while progress.next <= *search.seeds.end() {
            let last = progress.next.saturating_add(BLOCK - 1).min(*search.seeds.end());
            let seeds: Vec<u32> = (progress.next..=last).collect();
            let found = block(search, progress, *width, &seeds, cancel)?;
            if cancel.load(Ordering::Relaxed) {
                // This block will be repeated: its results may be incomplete.
                return Ok(());
            }
            for (seed, route, nodes) in found {
                progress.nodes += nodes;
                if let Some(route) = route {
                    progress.note(search.goal, &route, seed);
                }
            }
            progress.next = last.saturating_add(1);
            report(progress);
            if last == u32::MAX {
                break;
            }
        }
        progress.round += 1;
        progress.next = *search.seeds.start();
        report(progress);
    }
    Ok(())
}

type Found = (u32, Option<Route>, u64);

/// The routes of a block of seeds, in order.
fn block(
    search: &SeedSearch<'_>,
    progress: &SeedSearchProgress,
    width: usize,
    seeds: &[u32],
    cancel: &AtomicBool,
) -> Result<Vec<Found>, PlanError> {
    // Routes later than the last of the best cannot enter the list.
    let most = match progress.best.get(BEST - 1) {
        Some(last) if search.goal.is_soonest() => last.placements.len(),
        _ => usize::MAX,
    };
    let limits = Limits { time: None, width, threads: 1 };
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(seeds.len()));
    let work = || {
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(mut start) = (search.start)(*seed) else { continue };
            start.pairs.truncate(most);
            let planned = plan(&start, search.goal, &limits, cancel, &mut |_| {});
            let route = planned.map(|outcome| (*seed, outcome.route, outcome.nodes));
            found.lock().unwrap_or_else(PoisonError::into_inner).push(route);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..search.threads.max(1) {
            scope.spawn(work);
        }
        work();
    });
    let found: Result<Vec<Found>, PlanError> =
        found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    found.map(|mut found| {
        found.sort_unstable_by_key(|(seed, ..)| *seed);
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::puyo::Rules;
    use nextscope_boards::{Color, Pair};

    /// Seeds whose games reach an all clear after the number of pairs given by the seed: reds after others.
    fn start(seed: u32) -> Option<Start> {
        let pair = |axis, child| Pair { axis, child };
        let (red, green, blue) = (Color::RED, Color::GREEN, Color::BLUE);
        let mut pairs = match seed % 3 {
            0 => vec![pair(red, green), pair(green, red), pair(red, green), pair(green, red)],
            1 => vec![pair(red, red), pair(green, blue), pair(red, red)],
            _ => vec![pair(blue, blue), pair(blue, blue)],
        };
        pairs.push(pair(red, blue));
        (seed != 4).then(|| Start::empty(pairs, Rules::TSU))
    }

    fn search(widths: &[usize]) -> SeedSearch<'_> {
        SeedSearch { start: &start, seeds: 0..=130, goal: Goal::AllClear, widths, threads: 2 }
    }

    #[test]
    fn the_soonest_of_all_seeds_is_found_and_the_search_resumes() {
        let search = search(&[20, 200]);
        let mut uninterrupted = SeedSearchProgress::new("all".into(), &search.seeds);
        run(&search, &mut uninterrupted, &AtomicBool::new(false), &mut |_| {}).expect("it runs");
        assert_eq!((uninterrupted.round, uninterrupted.best.len()), (2, BEST));
        assert!(uninterrupted.best.iter().all(|entry| entry.seed % 3 == 2 && entry.placements.len() == 2));
        assert!((uninterrupted.share(&search) - 1.0).abs() < 1e-9);

        let cancel = AtomicBool::new(false);
        let mut part = SeedSearchProgress::new("all".into(), &search.seeds);
        let stop = &mut |progress: &SeedSearchProgress| cancel.store(progress.next >= 64, Ordering::Relaxed);
        run(&search, &mut part, &cancel, stop).expect("it runs");
        assert!(part.share(&search) > 0.0 && part.share(&search) < 0.2);
        let mut part = SeedSearchProgress::read(&part.text(), "all", &search).expect("it was saved");
        run(&search, &mut part, &AtomicBool::new(false), &mut |_| {}).expect("it runs");
        assert_eq!(part, uninterrupted, "resumed and uninterrupted searches agree");
    }

    #[test]
    fn saved_searches_are_validated() {
        let search = search(&[20]);
        let mut progress = SeedSearchProgress::new("all".into(), &search.seeds);
        run(&search, &mut progress, &AtomicBool::new(false), &mut |_| {}).expect("it runs");
        let read_error = |text: &str, task: &str| {
            SeedSearchProgress::read(text, task, &search).expect_err("refused").to_string()
        };
        assert!(read_error(&progress.text(), "other").contains("contains another search"));
        assert!(read_error("{", "all").contains("damaged"));
        for (round, next) in [(9, 0), (0, 132), (0, u32::MAX)] {
            let odd = SeedSearchProgress { round, next, ..progress.clone() };
            assert!(read_error(&odd.text(), "all").contains("is outside this search"), "{round}, {next}");
        }
        let behind = SeedSearchProgress { round: 0, next: 131, ..progress.clone() };
        assert!(SeedSearchProgress::read(&behind.text(), "all", &search).is_ok(), "all of a pass is done");
        progress.best[0].score += 10;
        assert!(read_error(&progress.text(), "all").contains("has a different result"));
        progress.best[0].placements[0] = 40;
        assert!(read_error(&progress.text(), "all").contains("an invalid number"));
    }
}

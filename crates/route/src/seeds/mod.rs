//! Finds the start that reaches a goal best: a search over seeds and placements.
//!
//! It processes all seeds with a narrow beam first, so that there is a result early, and again with wider beams. It can be stopped at any time
//! and resumed from its saved [`SeedSearchProgress`]. Parts of the seeds can be searched separately and joined by [`merge`](fn@merge).

mod checkpoint;
mod merge;
mod part;
mod ranking;

pub use checkpoint::{SearchTask, SeedSearchError, SeedSearchProgress};
pub use merge::{MergeError, Merged, Missing, Overlap, merge};
pub use part::{Part, PartError};
pub use ranking::Entry;

use super::plan::plan;
use super::planning::{Limits, PlanError};
use super::steps::{Route, Start};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Seeds between two reports.
const BLOCK: u64 = 64;

/// How a seed search runs.
pub struct SeedSearch<'a> {
    /// The start of each seed; None for seeds without a game.
    pub start: &'a (dyn Fn(u32) -> Option<Start> + Sync),
    /// Seeds processed in parallel.
    pub threads: usize,
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
    let (first, last) = (*progress.task.seeds.start(), u64::from(*progress.task.seeds.end()));
    while let Some(width) = progress.task.widths.get(progress.pass).copied() {
        while progress.next <= last {
            let end = (progress.next + BLOCK - 1).min(last);
            let seeds: Vec<u32> = (progress.next..=end).filter_map(|seed| u32::try_from(seed).ok()).collect();
            let found = block(search, progress, width, &seeds, cancel)?;
            if cancel.load(Ordering::Relaxed) {
                // This block will be repeated: its results may be incomplete.
                return Ok(());
            }
            for (seed, route, nodes) in found {
                progress.nodes = progress.nodes.saturating_add(nodes);
                if let Some(route) = route {
                    progress.note(Entry::new(seed, &route));
                }
            }
            progress.next = end + 1;
            report(progress);
        }
        progress.pass += 1;
        progress.next = u64::from(first);
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
    let goal = progress.task.goal;
    // Routes later than the last of the best cannot enter the list.
    let pairs = match progress.best.get(ranking::BEST - 1) {
        Some(last) if goal.is_soonest() => last.placements.len(),
        _ => usize::MAX,
    };
    let limits = Limits { time: None, width, threads: 1, pairs, ..Limits::default() };
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(seeds.len()));
    let work = || {
        while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(start) = (search.start)(*seed) else { continue };
            let planned = plan(&start, goal, &limits, cancel, &mut |_| {});
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
#[path = "seeds_tests.rs"]
mod tests;

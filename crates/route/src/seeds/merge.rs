//! Joins the saved parts of a search into one ranking.

use super::checkpoint::{SearchTask, SeedSearchProgress};
use super::ranking::{Entry, insert};
use std::ops::{Range, RangeInclusive};

/// The joined parts of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The best routes of all parts, best first: those of one search over the same seeds.
    pub best: Vec<Entry>,
    /// The seeds that the parts should cover.
    pub whole: RangeInclusive<u32>,
    /// The finished share of them, 0 to 1.
    pub share: f64,
    /// Placements tried, in all parts.
    pub nodes: u64,
    /// Seeds that more than one part covers.
    pub overlaps: Vec<Overlap>,
    /// Seeds that are not searched completely, in ascending order. Empty if nothing is missing.
    pub missing: Vec<Missing>,
}

/// Seeds that two parts cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlap {
    /// Indices of the parts.
    pub parts: [usize; 2],
    /// The seeds.
    pub seeds: RangeInclusive<u32>,
}

/// Seeds for which passes are missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The seeds.
    pub seeds: RangeInclusive<u32>,
    /// Passes that are done for all of them.
    pub passes: usize,
}

/// Parts that are not of the same search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("part of another search ({difference})")]
pub struct MergeError {
    /// The index of the first part that differs from the first one.
    pub part: usize,
    /// What differs.
    pub difference: String,
}

/// Joins parts, in any order. `expected` are further seeds that the parts should cover; those of the searches that they are parts of
/// are always expected.
///
/// # Errors
/// [`MergeError`] if a part is not of the same search as the first one. Without parts there is no search: None.
pub fn merge(
    parts: &[SeedSearchProgress],
    expected: Option<&RangeInclusive<u32>>,
) -> Result<Option<Merged>, MergeError> {
    let Some(SeedSearchProgress { task, .. }) = parts.first() else { return Ok(None) };
    let mut best = Vec::new();
    for (nth, part) in parts.iter().enumerate() {
        if let Some(difference) = part.task.difference(task) {
            return Err(MergeError { part: nth, difference });
        }
        for entry in &part.best {
            insert(&mut best, task.goal, entry.clone());
        }
    }
    let wholes = || parts.iter().map(|part| &part.task.whole).chain(expected);
    let first = wholes().map(RangeInclusive::start).min().copied().unwrap_or_default();
    let last = wholes().map(RangeInclusive::end).max().copied().unwrap_or_default();
    let whole = first..=last;
    let covered = coverage(parts, task, &whole);
    Ok(Some(Merged {
        best,
        share: share(&covered, task),
        nodes: parts.iter().fold(0, |nodes, part| nodes.saturating_add(part.nodes)),
        overlaps: overlaps(parts),
        missing: missing(&covered, task),
        whole,
    }))
}

/// Seeds by the passes that are done for them, in ascending order.
type Coverage = Vec<(Range<u64>, usize)>;

fn half_open(seeds: &RangeInclusive<u32>) -> Range<u64> {
    u64::from(*seeds.start())..u64::from(*seeds.end()) + 1
}

fn inclusive(seeds: &Range<u64>) -> RangeInclusive<u32> {
    let seed = |seed: u64| u32::try_from(seed).unwrap_or(u32::MAX);
    seed(seeds.start)..=seed(seeds.end - 1)
}

/// How often each seed of the whole was searched by the part that searched it most often.
fn coverage(parts: &[SeedSearchProgress], task: &SearchTask, whole: &RangeInclusive<u32>) -> Coverage {
    // At each boundary, the passes of the range that starts there or ends there.
    let mut bounds: Vec<(u64, usize, bool)> = Vec::with_capacity(4 * parts.len());
    for part in parts {
        let seeds = half_open(&part.task.seeds);
        let now = seeds.start..part.next.min(seeds.end);
        for (range, passes) in [(now.clone(), part.pass + 1), (now.end..seeds.end, part.pass)] {
            if !range.is_empty() {
                bounds.extend([(range.start, passes, true), (range.end, passes, false)]);
            }
        }
    }
    bounds.sort_unstable();
    let whole = half_open(whole);
    let mut open = vec![0_usize; task.widths.len() + 1];
    let mut covered: Coverage = Vec::new();
    let mut from = whole.start;
    let mut push = |range: Range<u64>, open: &[usize]| {
        let passes = open.iter().rposition(|count| *count > 0).unwrap_or(0);
        match covered.last_mut() {
            _ if range.is_empty() => {}
            Some((last, same)) if *same == passes => last.end = range.end,
            _ => covered.push((range, passes)),
        }
    };
    for (at, passes, starts) in bounds {
        push(from..at, &open);
        from = at;
        let Some(count) = open.get_mut(passes) else { continue };
        *count = if starts { *count + 1 } else { *count - 1 };
    }
    push(from..whole.end, &open);
    covered
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(covered: &Coverage, task: &SearchTask) -> f64 {
    let work = |passes: usize, seeds: u64| task.cost(passes) as f64 * seeds as f64;
    let sum = |passes: &dyn Fn(usize) -> usize| -> f64 {
        covered.iter().map(|(seeds, done)| work(passes(*done), seeds.end - seeds.start)).sum()
    };
    sum(&|done| done) / sum(&|_| task.widths.len()).max(1.0)
}

fn missing(covered: &Coverage, task: &SearchTask) -> Vec<Missing> {
    let unfinished = covered.iter().filter(|(_, passes)| *passes < task.widths.len());
    unfinished.map(|(seeds, passes)| Missing { seeds: inclusive(seeds), passes: *passes }).collect()
}

/// Every seed that more than one part covers is in one of these, with two of the parts.
fn overlaps(parts: &[SeedSearchProgress]) -> Vec<Overlap> {
    let mut order: Vec<(Range<u64>, usize)> =
        parts.iter().enumerate().map(|(nth, part)| (half_open(&part.task.seeds), nth)).collect();
    order.sort_unstable_by_key(|(seeds, nth)| (seeds.start, seeds.end, *nth));
    let mut found = Vec::new();
    // The part that reaches farthest.
    let mut reach: Option<(u64, usize)> = None;
    for (seeds, nth) in order {
        if let Some((end, other)) = reach.filter(|(end, _)| *end > seeds.start) {
            let seeds = inclusive(&(seeds.start..end.min(seeds.end)));
            found.push(Overlap { parts: [other.min(nth), other.max(nth)], seeds });
        }
        if reach.is_none_or(|(end, _)| seeds.end > end) {
            reach = Some((seeds.end, nth));
        }
    }
    found
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;

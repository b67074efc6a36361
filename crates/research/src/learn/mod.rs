//! Learning how a game deals: its generator, the cells and lists of its pieces, and the rule, from RAM over time and the deals seen.
//!
//! [`learn`] takes a [`Series`] of samples, from a recording or live alike, and the deals that were [`Seen`]. It finds
//! 1. the generators that move in RAM ([`generators`]), with constants that nobody has to know;
//! 2. the cells of the piece in play and of the next ones, and lists of what comes ([`PieceCell`], [`PieceList`]), which also help where
//!    no generator can be followed;
//! 3. the rules of the language of [`nextscope_games::games::declared`] that explain every deal, the simplest first.
//!
//! Nothing is called certain that was not confirmed on deals that were not used to find it ([`Verdict`]).
//!
//! It belongs to the RAM search: it needs no emulator and no files, only bytes, and it uses what the games crate knows of generators.

mod content;
pub mod generators;
mod rules;
mod seen;
mod series;
#[cfg(test)]
mod tests;
mod trace;
mod verdict;
mod windows;

pub use content::{ListForm, PieceCell, PieceList};
pub use rules::{FAMILIES, Family, Fit, Tally, cost_of_generator};
pub use seen::{Dealt, LEAST, Seen, SeenError};
pub use series::{CellValues, Series, SeriesError};
pub use trace::{StateCell, Trace};
pub use verdict::{ALIKE_FROM, CHANCE_MOST, Candidate, Verdict};
pub use windows::Alignment;

use nextscope_task::Progress;
use rayon::prelude::*;
use rules::{Found, Task};

/// Generators whose rules are searched, at most.
const TRACES_MOST: usize = 16;

/// What is known of how a game deals.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The generators that move in RAM, the most certain first.
    pub generators: Vec<Trace>,
    /// The cells that have the code of a deal.
    pub cells: Vec<PieceCell>,
    /// The lists of the deals to come.
    pub lists: Vec<PieceList>,
    /// Copies of each kind in a bag, and the deals before the first whole bag, if the deals are bags.
    pub bags: Vec<(usize, usize)>,
    /// The rules that explain every deal, the simplest first.
    pub candidates: Vec<Candidate>,
    /// What is known of the rule.
    pub verdict: Verdict,
    /// What was tried: rules of each family. A family without any had nothing to be tried on.
    pub tried: Vec<(Family, Tally)>,
    /// Whether the search was stopped, so that it is not complete.
    pub was_stopped: bool,
}

impl Report {
    /// Whether the pieces to come cannot be predicted by a generator in RAM, but stand in a list there.
    pub fn is_list_only(&self) -> bool {
        self.candidates.is_empty() && !self.lists.is_empty()
    }
}

/// Learns how a game deals. A stopped search reports what it knows until then.
///
/// # Errors
/// [`SeenError`] if the deals and the series do not go together.
pub fn learn(series: &Series, seen: &Seen, progress: &Progress) -> Result<Report, SeenError> {
    seen.check(series.len())?;
    let mut traces = generators::find(series, progress);
    let bags = rules::bags_in(&seen.units(), seen.count(), seen.from_start);
    let (cells, lists) = content::find(series, seen, &bags, progress);
    traces.truncate(TRACES_MOST);
    let mut by_family = search(&traces, series, seen, progress);
    if by_family.iter().all(|(_, found)| found.fits.is_empty()) && !progress.is_over() {
        let tables = rules::tables(series, seen, progress);
        if !tables.is_empty() {
            let first = traces.len();
            traces.extend(tables);
            for ((_, all), (_, more)) in
                by_family.iter_mut().zip(search_from(&traces, first, series, seen, progress))
            {
                all.merge(more);
            }
        }
    }
    let tried: Vec<(Family, Tally)> =
        by_family.iter().map(|(family, found)| (*family, found.tally.clone())).collect();
    let mut all = Found::default();
    by_family.into_iter().for_each(|(_, found)| all.merge(found));
    let (candidates, verdict) = verdict::judge(all.fits, &all.tally);
    Ok(Report {
        generators: traces,
        cells,
        lists,
        bags,
        candidates,
        verdict,
        tried,
        was_stopped: progress.is_over(),
    })
}

fn search(traces: &[Trace], series: &Series, seen: &Seen, progress: &Progress) -> Vec<(Family, Found)> {
    search_from(traces, 0, series, seen, progress)
}

/// The rules of all families by the generators from `first` on.
fn search_from(
    traces: &[Trace],
    first: usize,
    series: &Series,
    seen: &Seen,
    progress: &Progress,
) -> Vec<(Family, Found)> {
    let alignments: Vec<(usize, Alignment)> = traces
        .iter()
        .enumerate()
        .skip(first)
        .flat_map(|(nth, trace)| {
            windows::alignments(trace, series, seen).into_iter().map(move |one| (nth, one))
        })
        .collect();
    let jobs: Vec<(Family, usize, &Alignment)> = FAMILIES
        .iter()
        .flat_map(|family| alignments.iter().map(move |(nth, alignment)| (*family, *nth, alignment)))
        .collect();
    progress.begin(jobs.len() as u64);
    let found: Vec<(Family, Found)> = jobs
        .par_iter()
        .map(|(family, nth, alignment)| {
            let task = Task::new(&traces[*nth], *nth, alignment, seen, progress);
            let found = if progress.is_over() { Found::default() } else { task.search(*family) };
            progress.add(1);
            progress.add_found(found.fits.len() as u64);
            (*family, found)
        })
        .collect();
    let mut by_family: Vec<(Family, Found)> =
        FAMILIES.iter().map(|family| (*family, Found::default())).collect();
    for (family, found) in found {
        if let Some((_, all)) = by_family.iter_mut().find(|(other, _)| *other == family) {
            all.merge(found);
        }
    }
    by_family
}

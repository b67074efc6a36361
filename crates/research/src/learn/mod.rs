//! Learning how a game deals: its generator, the cells and lists of its pieces, and the rule, from RAM over time and the deals observed.
//!
//! [`learn`] takes a [`Series`] of samples, from a recording or live alike, and the deals that were [`Observations`]. It finds
//! 1. the generators that move in RAM ([`generators`]), with constants that nobody has to know;
//! 2. the cells of the piece in play and of the next ones, and lists of what comes ([`PieceCell`], [`PieceList`]), which also help where
//!    no generator can be followed;
//! 3. the rules of the language of [`nextscope_games::games::declared`] that explain every deal, the simplest first.
//!
//! Nothing is called certain that was not confirmed on deals that were not used to find it ([`Verdict`]).
//!
//! It belongs to the RAM search: it needs no emulator and no files, only bytes, and it uses what the games crate knows of generators.

mod content;
mod counter;
mod describe;
pub mod generators;
mod lesson;
mod letters;
mod listed;
mod notes;
mod observed;
mod opening;
mod profile;
mod rules;
mod sampling;
mod series;
mod still;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "numbers made up for tests")]
mod tests;
mod trace;
mod verdict;
mod windows;

pub use content::{DealCount, DealCounter, ListForm, PieceCell, PieceList};
pub use counter::{FrameCell, find as frame_counters};
pub use describe::Line;
pub use lesson::{Lesson, LessonError};
pub use letters::{Hints, LettersError, WrittenDeals, symbols};
pub use listed::{Followed, ListedPieces};
pub use notes::{Event, Noted, Notes, NotesError, Signal, Timed};
pub use observed::{LEAST, ObservationError, Observations, ObservedDeal};
pub use opening::Opening;
pub use profile::{LearnedProfile, ProfileGap, ProfileText};
pub use rules::{FAMILIES, Family, Fit, Tally, cost_of_generator};
pub use sampling::Sampling;
pub use series::{CellValues, Series, SeriesError};
pub use still::{ListPosition, StillList};
pub use trace::{StateCell, Trace};
pub use verdict::{ALIKE_FROM, CHANCE_MOST, Candidate, Verdict};
pub use windows::Alignment;

use nextscope_games::games::declared::Symbol;
use nextscope_task::Progress;
use rayon::prelude::*;
use rules::{Found, Task};

/// Generators whose rules are searched, at most.
const TRACES_MOST: usize = 24;
/// Samples before the first deal from which on generators are searched again: what memory is used for in menus can be something else.
const BEFORE_MOST: usize = 120;
/// Generators with divided steps that are tried, at most.
const DIVIDED_MOST: usize = 128;
/// The families that are tried together. Tables explain any few deals, and pools that are refilled have the most parameters.
const STAGES: [&[Family]; 3] = [
    &[Family::Direct, Family::History, Family::Bag, Family::List, Family::Pool],
    &[Family::Table],
    &[Family::DroughtPool],
];

/// What is known of how a game deals.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The kinds of the deals, as they were observed.
    pub kinds: Vec<Symbol>,
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
    /// What is known of the first deals of a game.
    pub opening: Opening,
    /// What was tried: rules of each family. A family without any had nothing to be tried on.
    pub tried: Vec<(Family, Tally)>,
    /// Whether the search was stopped, so that it is not complete.
    pub was_stopped: bool,
}

impl Report {
    /// Whether the rule is certain.
    pub const fn is_certain(&self) -> bool {
        matches!(self.verdict, Verdict::Certain { .. })
    }

    /// Whether no rule is certain, and the pieces to come are in RAM themselves.
    pub fn is_list_only(&self) -> bool {
        let is_list = matches!(self.followed(), Some(Followed::List(_)));
        !self.is_certain() && (is_list || self.best().is_none() && !self.lists.is_empty())
    }

    /// The simplest rule that explains every deal, and not as one of so many does by chance.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first().filter(|_| !matches!(self.verdict, Verdict::ByChance { .. }))
    }
}

/// Learns how a game deals. A stopped search reports what it knows until then.
///
/// # Errors
/// [`ObservationError`] if the deals and the series do not go together.
pub fn learn(
    series: &Series,
    observed: &Observations,
    progress: &Progress,
) -> Result<Report, ObservationError> {
    observed.check(series.len())?;
    let report = learn_from(series, observed, progress);
    let first = observed.dealt[0].sample.saturating_sub(BEFORE_MOST);
    if !report.candidates.is_empty() || report.was_stopped || first == 0 {
        return Ok(report);
    }
    let dealt = observed.dealt.iter().map(|dealt| ObservedDeal { sample: dealt.sample - first, ..*dealt });
    let observed = Observations { dealt: dealt.collect(), ..observed.clone() };
    let mut later = learn_from(&series.since(first), &observed, progress);
    for (family, tally) in report.tried {
        match later.tried.iter_mut().find(|(other, _)| *other == family) {
            Some((_, all)) => all.add(&tally),
            None => later.tried.push((family, tally)),
        }
    }
    Ok(later)
}

fn learn_from(series: &Series, observed: &Observations, progress: &Progress) -> Report {
    let mut traces = by_rank(generators::find(series, progress));
    let bags = rules::bags_in(&observed.units(), observed.count(), observed.from_start);
    let (cells, lists) = content::find(series, observed, &bags, progress);
    traces.truncate(TRACES_MOST);
    let counters = content::deal_counters(series, observed);
    let mut search = Search { series, observed, counters, progress, tried: Vec::new(), fits: Vec::new() };
    search.stages(&traces);
    if !search.is_explained() {
        // Unknown constants of a generator that makes several steps for each deal were found for all of them at once.
        let divided: Vec<Trace> =
            traces.iter().flat_map(|trace| generators::divided(trace, series)).take(DIVIDED_MOST).collect();
        search.extend(&mut traces, divided);
    }
    if !search.is_explained() {
        let tables = rules::tables(series, observed, progress);
        search.extend(&mut traces, tables);
    }
    let Search { tried, fits, .. } = search;
    let (mut candidates, verdict) = verdict::judge(fits, &tried);
    let opening = candidates.first_mut().map_or(Opening::NotSeen, |best| {
        let trace = &traces[best.fit.generator];
        opening::settle(&mut best.fit, trace, observed, progress)
    });
    Report {
        kinds: observed.kinds.clone(),
        generators: traces,
        cells,
        lists,
        bags,
        candidates,
        verdict,
        opening,
        tried,
        was_stopped: progress.is_over(),
    }
}

/// The most certain generator of each cell, then the second one of each, and so on: what follows many generators does not hide the others.
fn by_rank(traces: Vec<Trace>) -> Vec<Trace> {
    let mut ranked: Vec<(usize, Trace)> = Vec::new();
    for trace in traces {
        let rank = ranked.iter().filter(|(_, other)| other.cell == trace.cell).count();
        ranked.push((rank, trace));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, trace)| trace).collect()
}

/// The search for rules: simple ones first, and others only if these do not explain the deals.
struct Search<'a> {
    series: &'a Series,
    observed: &'a Observations,
    counters: Vec<DealCounter>,
    progress: &'a Progress,
    tried: Vec<(Family, Tally)>,
    fits: Vec<Fit>,
}

impl Search<'_> {
    /// Whether a rule explains the deals, and not by chance.
    fn is_explained(&self) -> bool {
        self.progress.is_over() || self.fits.iter().any(|fit| verdict::chance(fit, &self.tried) < CHANCE_MOST)
    }

    /// The rules by these generators, the last of all.
    fn stages(&mut self, traces: &[Trace]) {
        self.stages_from(traces, 0);
    }

    fn extend(&mut self, traces: &mut Vec<Trace>, more: Vec<Trace>) {
        let first = traces.len();
        traces.extend(more);
        if traces.len() > first {
            self.stages_from(traces, first);
        }
    }

    fn stages_from(&mut self, traces: &[Trace], first: usize) {
        for stage in STAGES {
            if self.is_explained() {
                return;
            }
            for (family, found) in self.search_from(traces, first, stage) {
                match self.tried.iter_mut().find(|(other, _)| *other == family) {
                    Some((_, tally)) => tally.add(&found.tally),
                    None => self.tried.push((family, found.tally)),
                }
                self.fits.extend(found.fits);
            }
        }
    }

    /// The rules of some families by the generators from `first` on.
    fn search_from(&self, traces: &[Trace], first: usize, families: &[Family]) -> Vec<(Family, Found)> {
        let Self { series, observed, counters, progress, .. } = self;
        let alignments: Vec<(usize, Alignment)> = traces
            .iter()
            .enumerate()
            .skip(first)
            .flat_map(|(nth, trace)| {
                windows::alignments(trace, series, observed).into_iter().map(move |one| (nth, one))
            })
            .collect();
        let jobs: Vec<(Family, usize, &Alignment)> = families
            .iter()
            .flat_map(|family| alignments.iter().map(move |(nth, alignment)| (*family, *nth, alignment)))
            .collect();
        progress.begin(jobs.len() as u64);
        let found: Vec<(Family, Found)> = jobs
            .par_iter()
            .map(|(family, nth, alignment)| {
                let task = Task::new(&traces[*nth], *nth, alignment, observed, counters, progress);
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
}

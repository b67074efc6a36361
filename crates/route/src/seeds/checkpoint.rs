//! The progress of a seed search, and the file that it is saved in.

use super::super::goal::Goal;
use super::super::planning::MAX_WIDTH;
use super::super::steps::Start;
use super::ranking::{Entry, insert, is_ranking};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

/// The version of the file format.
const VERSION: u32 = 2;
/// The most passes of a search.
const MAX_PASSES: usize = 64;

/// What a search searches. Parts of one search differ in nothing but the seeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchTask {
    /// What decides the start of each seed: everything that is needed to deal its pairs again.
    pub deal: Map<String, Value>,
    /// The goal.
    pub goal: Goal,
    /// Beam widths, each used for one pass over all seeds.
    pub widths: Vec<usize>,
    /// The seeds of all parts, inclusive.
    pub whole: RangeInclusive<u32>,
    /// The seeds of this part, inclusive.
    pub seeds: RangeInclusive<u32>,
}

/// The progress of a search, and its best routes so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeedSearchProgress {
    /// What is searched.
    pub task: SearchTask,
    /// Completed passes over all seeds.
    pub pass: usize,
    /// The next seed of this pass; the one after the last if the pass is over.
    pub next: u64,
    /// The best routes, best first.
    pub best: Vec<Entry>,
    /// Placements tried.
    pub nodes: u64,
}

/// Why a saved search cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SeedSearchError {
    #[error("the file contains another search ({0}): use another file")]
    Other(String),
    #[error(
        "the file has version {0} of its format, this program reads version {VERSION}: use another file, or the program that wrote it"
    )]
    Version(u32),
    #[error("the saved search is damaged: {0}")]
    Damaged(String),
}

/// The content of the file. The checksum is that of the search as JSON without spaces, keys sorted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    crc32: u32,
    search: SavedSearch,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedSearch {
    deal: Map<String, Value>,
    goal: String,
    widths: Vec<usize>,
    whole: [u32; 2],
    seeds: [u32; 2],
    pass: usize,
    next: u64,
    nodes: u64,
    best: Vec<Entry>,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl SearchTask {
    /// The first setting that is different in another search, apart from the seeds.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let empty = Value::Null;
        let keys = self.deal.keys().chain(other.deal.keys());
        for key in keys {
            let value = |task: &Self| task.deal.get(key).unwrap_or(&empty).to_string();
            if value(self) != value(other) {
                return Some(format!("{key}: {} instead of {}", value(self), value(other)));
            }
        }
        if self.goal != other.goal {
            return Some(format!("goal: {} instead of {}", self.goal.id(), other.goal.id()));
        }
        (self.widths != other.widths)
            .then(|| format!("widths: {:?} instead of {:?}", self.widths, other.widths))
    }

    /// The work of the first passes over one seed. The time of a pass is proportional to its width.
    pub(super) fn cost(&self, passes: usize) -> u64 {
        self.widths.iter().take(passes).map(|width| *width as u64).sum()
    }
}

impl SeedSearchProgress {
    /// The initial progress.
    pub fn new(task: SearchTask) -> Self {
        let next = u64::from(*task.seeds.start());
        Self { task, pass: 0, next, best: Vec::new(), nodes: 0 }
    }

    /// Whether all passes are over.
    pub fn is_complete(&self) -> bool {
        self.pass == self.task.widths.len()
    }

    /// Parses a saved search. Its routes are not replayed yet: see [`Self::verify`].
    ///
    /// # Errors
    /// [`SeedSearchError`] if it is damaged or has another version.
    pub fn parse(text: &str) -> Result<Self, SeedSearchError> {
        let damaged = |error: serde_json::Error| SeedSearchError::Damaged(error.to_string());
        let Version { version } = serde_json::from_str(text).map_err(damaged)?;
        if version != VERSION {
            return Err(SeedSearchError::Version(version));
        }
        let Saved { crc32, search, .. } = serde_json::from_str(text).map_err(damaged)?;
        if checksum(&search) != crc32 {
            return Err(SeedSearchError::Damaged("the checksum is wrong".into()));
        }
        search.progress().map_err(SeedSearchError::Damaged)
    }

    /// Replays the routes with the reference simulator.
    ///
    /// # Errors
    /// [`SeedSearchError::Damaged`] if one has another result or does not reach the goal.
    pub fn verify(&self, start: &dyn Fn(u32) -> Option<Start>) -> Result<(), SeedSearchError> {
        let verify = |entry: &Entry| entry.verify(self.task.goal, start);
        self.best.iter().try_for_each(verify).map_err(SeedSearchError::Damaged)
    }

    /// Parses a saved search and replays its routes, to resume it.
    ///
    /// # Errors
    /// [`SeedSearchError`] if it belongs to another search or is damaged.
    pub fn read(
        text: &str,
        task: &SearchTask,
        start: &dyn Fn(u32) -> Option<Start>,
    ) -> Result<Self, SeedSearchError> {
        let saved = Self::parse(text)?;
        let seeds = |task: &SearchTask| format!("{:#06X}..{:#06X}", task.seeds.start(), task.seeds.end());
        let other_seeds = || {
            let other = (&saved.task.seeds, &saved.task.whole) != (&task.seeds, &task.whole);
            other.then(|| format!("seeds: {} instead of {}", seeds(&saved.task), seeds(task)))
        };
        if let Some(what) = saved.task.difference(task).or_else(other_seeds) {
            return Err(SeedSearchError::Other(what));
        }
        saved.verify(start)?;
        Ok(saved)
    }

    /// The text to save.
    pub fn text(&self) -> String {
        let search = SavedSearch {
            deal: self.task.deal.clone(),
            goal: self.task.goal.id(),
            widths: self.task.widths.clone(),
            whole: [*self.task.whole.start(), *self.task.whole.end()],
            seeds: [*self.task.seeds.start(), *self.task.seeds.end()],
            pass: self.pass,
            next: self.next,
            nodes: self.nodes,
            best: self.best.clone(),
        };
        let saved = Saved { version: VERSION, crc32: checksum(&search), search };
        serde_json::to_string(&saved).unwrap_or_default()
    }

    /// The finished share, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn share(&self) -> f64 {
        let (first, last) = (u64::from(*self.task.seeds.start()), u64::from(*self.task.seeds.end()));
        let passes = self.task.widths.len();
        let done = self.next.saturating_sub(first) as f64 / (last + 1 - first) as f64;
        let before = self.task.cost(self.pass);
        let now = (self.task.cost(self.pass + 1) - before) as f64 * done;
        (before as f64 + now) / self.task.cost(passes).max(1) as f64
    }

    pub(super) fn note(&mut self, entry: Entry) {
        insert(&mut self.best, self.task.goal, entry);
    }
}

impl SavedSearch {
    /// The progress; a message if it contradicts itself.
    fn progress(self) -> Result<SeedSearchProgress, String> {
        let goal: Goal = self.goal.parse().map_err(|error| format!("{error}"))?;
        if matches!(goal, Goal::PointsPerFrame | Goal::Survive) {
            return Err(format!("a search over many games has no goal {:?}", self.goal));
        }
        let widths = 1..=MAX_WIDTH;
        if self.widths.is_empty()
            || self.widths.len() > MAX_PASSES
            || !self.widths.iter().all(|width| widths.contains(width))
        {
            return Err("its widths are invalid".into());
        }
        let range = |[first, last]: [u32; 2]| if first <= last { Some(first..=last) } else { None };
        let (Some(whole), Some(seeds)) = (range(self.whole), range(self.seeds)) else {
            return Err("its range of seeds is invalid".into());
        };
        if !whole.contains(seeds.start()) || !whole.contains(seeds.end()) {
            return Err("its seeds are outside its range".into());
        }
        // Between two passes the position is after the last seed, and may be saved like that.
        let within = u64::from(*seeds.start())..=u64::from(*seeds.end()) + 1;
        let over = self.pass == self.widths.len() && self.next != *within.start();
        if self.pass > self.widths.len() || !within.contains(&self.next) || over {
            let (pass, next) = (self.pass, self.next);
            return Err(format!("its position, seed {next:#06X} of pass {pass}, is outside this search"));
        }
        let searched = |seed: u32| seeds.contains(&seed) && (self.pass > 0 || u64::from(seed) < self.next);
        if !is_ranking(&self.best, goal) || !self.best.iter().all(|entry| searched(entry.seed)) {
            return Err("its list of the best routes is invalid".into());
        }
        let task = SearchTask { deal: self.deal, goal, widths: self.widths, whole, seeds };
        let (pass, next, best, nodes) = (self.pass, self.next, self.best, self.nodes);
        Ok(SeedSearchProgress { task, pass, next, best, nodes })
    }
}

fn checksum(search: &SavedSearch) -> u32 {
    let mut crc = flate2::Crc::new();
    let sorted = serde_json::to_value(search).unwrap_or_default();
    crc.update(sorted.to_string().as_bytes());
    crc.sum()
}

//! The ranking of many seeds, in text and JSON.

use super::placement::Placement;
use super::seed_setup::SeedSetup;
use super::waiting::RecordedState;
use crate::route::seeds::Entry;
use crate::route::{Goal, Start, Step};
use crate::text::counted;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The best route of a seed.
#[derive(Serialize)]
pub struct Best {
    pub seed: String,
    /// The frame of the recording to wait for; None for a seed.
    pub frame: Option<u64>,
    pub pairs_used: usize,
    pub chain: u32,
    pub score: u32,
    placements: Vec<Placement>,
}

impl Best {
    pub fn of(entry: &Entry, setup: &SeedSetup, start: &dyn Fn(u32) -> Option<Start>) -> Self {
        let route = entry.route(start).ok();
        let placed = |step: &Step| Placement {
            pair: step.pair.letters(),
            column: step.placement.column() + 1,
            rotation: step.placement.rotation(),
            inputs: None,
        };
        let state = setup.state(entry.seed);
        Self {
            seed: state.map_or_else(|| seed_text(entry.seed), |state| state.name.clone()),
            frame: state.map(|state| state.frame),
            pairs_used: entry.placements.len(),
            chain: entry.chain,
            score: entry.score,
            placements: route.iter().flat_map(|route| &route.steps).map(placed).collect(),
        }
    }
}

pub fn seed_text(seed: u32) -> String {
    format!("{seed:#06X}")
}

/// The first and the last seed, in JSON.
pub fn ends(seeds: &RangeInclusive<u32>) -> [String; 2] {
    [seed_text(*seeds.start()), seed_text(*seeds.end())]
}

/// A range as the options take it.
pub fn range_text(seeds: &RangeInclusive<u32>) -> String {
    ends(seeds).join("..")
}

/// The lines of a ranking.
pub fn lines(best: &[Entry], goal: Goal, setup: &SeedSetup) -> String {
    if best.is_empty() {
        return "no route found\n".into();
    }
    let line = |entry: &Entry| format!("{}  {}\n", name(entry, setup), summary(goal, entry));
    best.iter().map(line).collect()
}

pub fn summary(goal: Goal, entry: &Entry) -> String {
    let pairs = counted(entry.placements.len() as u64, "pair");
    let points = counted(entry.score.into(), "point");
    match goal {
        Goal::Chain | Goal::Score => format!("chain {}, {points}, {pairs}", entry.chain),
        _ => format!("{pairs}, chain {}, {points}", entry.chain),
    }
}

/// The seed, or the frame to wait for and its state.
fn name(entry: &Entry, setup: &SeedSetup) -> String {
    match setup.state(entry.seed) {
        Some(RecordedState { name, frame, .. }) => format!("frame {frame:6}  {name}"),
        None => seed_text(entry.seed),
    }
}

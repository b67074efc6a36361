//! The ranking of many seeds, in text and JSON.

use super::placement::Placement;
use super::seed_setup::SeedSetup;
use super::waiting::{PressFrames, RecordedState};
use crate::route::seeds::Entry;
use crate::route::{Goal, Start, Step};
use crate::text::counted;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The best route of a seed.
#[derive(Serialize)]
pub struct Best {
    pub seed: String,
    /// The frame of the recording to wait for; None for a seed, and if it was not sampled.
    pub frame: Option<u64>,
    /// The number of the recording, from 1.
    recording: Option<usize>,
    /// The same frame by the game's clock. With measured starts, the first one in which a press gives this state.
    clock_frame: Option<u64>,
    /// The last one in a row that gives the same state.
    last_clock_frame: Option<u64>,
    /// The frame in which the round is generated.
    generated_clock_frame: Option<u64>,
    /// The names of the buttons to press.
    press: Option<String>,
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
        let press = state.and_then(|state| state.press.as_ref());
        Self {
            seed: state.map_or_else(|| seed_text(entry.seed), |state| state.name.clone()),
            frame: state.and_then(|state| state.frame),
            recording: state.map(|state| state.recording + 1),
            clock_frame: state.and_then(|state| state.clock_frame),
            last_clock_frame: press.map(|press| press.last),
            generated_clock_frame: press.and_then(|press| press.generated),
            press: press.map(|press| press.buttons.clone()),
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
pub fn name(entry: &Entry, setup: &SeedSetup) -> String {
    let Some(state) = setup.state(entry.seed) else { return seed_text(entry.seed) };
    let RecordedState { name, frame, clock_frame, press, .. } = state;
    let frame = frame.map_or("-".into(), |frame| frame.to_string());
    let Some(PressFrames { first, last, generated, buttons, .. }) = press else {
        let clock = clock_frame.map(|frame| format!(" (clock: {frame})")).unwrap_or_default();
        return format!("frame {frame:>6}{clock}  {name}");
    };
    let last = if last > first { format!(" to {last}") } else { String::new() };
    let generated = generated.map(|frame| format!(", generated in {frame}")).unwrap_or_default();
    let recording = state.recording + 1;
    format!("{buttons} in frame {first}{last} (recording {recording}: {frame}){generated}  {name}")
}

//! Plays a route for all columns that the game may draw.

use super::super::goal::Goal;
use super::super::inputs::find_inputs;
use super::super::outlook::{Certainty, Outlook};
use super::super::steps::{Route, RouteError};
use super::scenario::{ALL, Match, Scenario, Totals};
use nextscope_boards::puyo::{Field, Placement};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The most scenarios that are played next to each other. More are sampled.
const MOST: usize = 8000;
/// Up to this height the taps to a placement are always the same.
const LOW: usize = 10;

/// A goal, and the number of the pair with which it must be reached.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub goal: Goal,
    pub pairs: usize,
}

/// Equal games that the same columns did not lead to.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Line {
    scenario: Scenario,
    /// Before the current goal.
    earlier: Totals,
    /// Whether the goals so far were reached.
    reached: bool,
}

/// Lines with their weights, and the columns of one of the ways to each.
struct Lines {
    all: Vec<(Line, u64, Vec<u8>)>,
    places: HashMap<Line, usize>,
}

impl Lines {
    fn new() -> Self {
        Self { all: Vec::new(), places: HashMap::new() }
    }

    fn add(&mut self, line: Line, weight: u64, columns: impl FnOnce() -> Vec<u8>) {
        match self.places.entry(line) {
            Entry::Occupied(place) => self.all[*place.get()].1 += weight,
            Entry::Vacant(place) => {
                self.all.push((place.key().clone(), weight, columns()));
                place.insert(self.all.len() - 1);
            }
        }
    }
}

/// Whether all of something are equal to the first.
struct Same<T>(Option<T>, bool);

impl<T: PartialEq> Same<T> {
    const UNSEEN: Self = Self(None, true);

    fn see(&mut self, item: T) {
        match &self.0 {
            Some(first) => self.1 &= *first == item,
            None => self.0 = Some(item),
        }
    }
}

/// The results for all columns, and the columns of one combination with the best result: a route to show.
pub(super) fn play(
    game: &Match<'_>,
    parts: &[Part],
    placements: &[Placement],
    max_frames: Option<u32>,
) -> (Vec<u8>, Outlook) {
    let mut parts = parts.iter().copied();
    let mut part = parts.next();
    let first = Line { scenario: game.begin(), earlier: Totals::default(), reached: true };
    let mut lines = vec![(first, ALL, Vec::new())];
    let mut certain = Vec::new();
    // Every combination has a multiple of this weight.
    let mut unit = ALL;
    let (mut lost, mut lost_lines, mut exhaustive) = (0_u64, 0_u64, true);
    for (pair, placement) in placements.iter().enumerate() {
        let mut next = Lines::new();
        let (mut landed, mut after) = (Same::<Field>::UNSEEN, Same::<Field>::UNSEEN);
        let mut inputs = Same::UNSEEN;
        let ends = part.filter(|part| part.pairs == pair + 1);
        for (line, weight, columns) in &lines {
            let Some(turn) = game.turn(&line.scenario, pair, *placement) else {
                lost += weight;
                lost_lines += 1;
                continue;
            };
            landed.see(turn.landed);
            let heights = line.scenario.field.heights();
            let is_low = heights.iter().all(|height| *height <= LOW);
            let way = if is_low { Field::default() } else { line.scenario.field };
            inputs.see(find_inputs(&way, *placement).map(|way| way.taps));
            let reached = line.reached && ends.is_none_or(|part| turn.meets(part.goal));
            let falls = game.falls(&turn);
            let share = weight / falls.len() as u64;
            exhaustive &= share * falls.len() as u64 == *weight;
            for (set, mut scenario) in falls {
                unit = gcd(unit, share);
                after.see(scenario.field);
                if scenario.field.is_lost() {
                    lost += share;
                    lost_lines += 1;
                    continue;
                }
                let mut earlier = line.earlier;
                if ends.is_some() {
                    earlier = earlier.and(std::mem::take(&mut scenario.totals));
                }
                let line = Line { scenario, earlier, reached };
                next.add(line, share, || columns.iter().copied().chain(set).collect());
            }
        }
        certain.push(Certainty { landed: landed.1, after: after.1, inputs: inputs.1 });
        if ends.is_some() {
            part = parts.next();
        }
        lines = next.all;
        if lines.len() > MOST {
            exhaustive = false;
            let all = lines.len();
            lines = (0..MOST).map(|nth| lines[nth * all / MOST].clone()).collect();
        }
    }
    let in_time = |line: &Line| max_frames.is_none_or(|most| line.scenario.frames <= most);
    let reached = |line: &Line| line.reached && part.is_none() && in_time(line);
    let count = |counted: &dyn Fn(&Line) -> bool| {
        let counted = lines.iter().filter(|(line, ..)| counted(line));
        if exhaustive {
            counted.map(|(_, weight, _)| weight / unit.max(1)).sum()
        } else {
            counted.count() as u64
        }
    };
    let survived = count(&|_| true);
    let shown = lines.iter().find(|(line, ..)| reached(line)).or(lines.first());
    let totals = lines.iter().map(|(line, ..)| line.earlier.and(line.scenario.totals));
    let range = |of: fn(Totals) -> u32| {
        let (least, most) = (totals.clone().map(of).min(), totals.clone().map(of).max());
        least.unwrap_or(0)..=most.unwrap_or(0)
    };
    let frames = || lines.iter().map(|(line, ..)| line.scenario.frames);
    let outlook = Outlook {
        sets: survived + if exhaustive { lost / unit.max(1) } else { lost_lines },
        survived,
        reached: count(&reached),
        exhaustive,
        chain: range(|totals| totals.chain),
        score: range(|totals| totals.score),
        garbage: range(|totals| totals.sent),
        frames: game.costs.as_ref().map(|_| frames().min().unwrap_or(0)..=frames().max().unwrap_or(0)),
        certain,
    };
    (shown.map(|(.., columns)| columns.clone()).unwrap_or_default(), outlook)
}

impl Totals {
    /// Of two parts of a route.
    fn and(self, later: Self) -> Self {
        Self {
            chain: self.chain.max(later.chain),
            score: self.score + later.score,
            sent: self.sent + later.sent,
        }
    }
}

/// The route for one choice of columns, with the results for all of them.
pub(super) fn route(
    game: &Match<'_>,
    parts: &[Part],
    placements: &[Placement],
    max_frames: Option<u32>,
) -> Result<Route, RouteError> {
    let (columns, outlook) = play(game, parts, placements, max_frames);
    let route = Route::replay_against(game.start, game.attacks, placements, &columns)?;
    Ok(Route { outlook: Some(outlook), ..route })
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

//! The generation that made complete pools, with the places at which the vertical interrupt stepped the generator inside it.
//!
//! A shuffle is undone with the draws that end at a state. If the interrupt stepped the generator in between, either the draws of the
//! second half or those of the first half are still right, and half-undone pools show that: most of their bytes are then where the
//! unshuffled pool has them. Only in that case every place of the interrupt is tried. A wrong byte stays one wrong byte.

use crate::games::mean_bean::generator::{COPIED, FIRST_DRAWS, SECOND_DRAWS, Setup, filled, second_index};
use crate::games::mean_bean::rng::State;
use nextscope_boards::{POOL_LEN, Pool};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that may differ in a round that is still recognised.
pub const TOLERANCE: usize = 16;
/// Interrupts inside a generation (reference A.4): one or two fall into it in versus.
const MOST_EXTRA: usize = 2;
/// Bytes of 124 or 128 that must agree after half of a shuffle. About 88 do if the draws are right, and about 32 otherwise.
const AGREEING: usize = 60;

/// States in a row that may explain the same pools.
const NEAR: usize = 16;

/// The generation of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The state before it.
    pub before: State,
    /// The state after it.
    pub after: State,
    /// The draws, from 0, before which the vertical interrupt stepped the generator once more.
    pub extra_steps: Vec<u16>,
    /// Bytes of the pools that differ from the generated ones.
    pub wrong: usize,
}

impl Origin {
    /// Of two explanations, the one with the lower number is right.
    fn doubt(&self) -> (usize, usize) {
        (self.wrong, self.extra_steps.len())
    }
}

/// One of the two shuffles.
struct Shuffle<'a> {
    cells: &'a [u8],
    /// The content before the shuffle.
    fill: &'a [u8],
    index: fn(State) -> u8,
}

/// An undone shuffle.
struct Undone {
    before: State,
    /// The draw before which there was one more step.
    extra: Option<usize>,
    wrong: usize,
}

impl Shuffle<'_> {
    /// The indices of that many draws.
    fn draws(&self, before: State, count: usize) -> Vec<u8> {
        let mut state = before;
        let draw = |_| {
            state = state.next();
            (self.index)(state)
        };
        (0..count).map(draw).collect()
    }

    /// The bytes that are not where the unshuffled array has them when the shuffle is undone. One more draw than necessary is left out.
    fn wrong(&self, draws: &[u8], left_out: Option<usize>) -> usize {
        let last = self.cells.len() - 1;
        let mut cells = [0; POOL_LEN];
        let cells = &mut cells[..=last];
        cells.copy_from_slice(self.cells);
        for place in 0..cells.len() {
            let draw = last - place;
            let draw = draw + usize::from(left_out.is_some_and(|out| draw >= out));
            cells.swap(place, draws[draw].into());
        }
        cells.iter().zip(self.fill).filter(|(cell, fill)| cell != fill).count()
    }

    /// Whether the draws of the second half, which end at a state, are right.
    fn second_half_fits(&self, draws: &[u8]) -> bool {
        let half = self.cells.len() / 2;
        let mut cells = [0; POOL_LEN];
        let cells = &mut cells[..self.cells.len()];
        cells.copy_from_slice(self.cells);
        for (place, draw) in draws.iter().rev().take(half).enumerate() {
            cells.swap(place, (*draw).into());
        }
        agreeing(&cells[..half], &self.fill[..half])
    }

    /// Whether the draws of the first half, which begin after a state, are right.
    fn first_half_fits(&self, draws: &[u8]) -> bool {
        let half = self.cells.len() / 2;
        let mut cells = [0; POOL_LEN];
        let cells = &mut cells[..self.cells.len()];
        cells.copy_from_slice(self.fill);
        for (draw, place) in draws.iter().zip((half..cells.len()).rev()) {
            cells.swap(place, (*draw).into());
        }
        agreeing(&cells[half..], &self.cells[half..])
    }

    /// The shuffle that ends at this state, without or with one interrupt inside.
    fn undo(&self, after: State) -> Option<Undone> {
        let count = self.cells.len();
        let start = after.jump(-(count as i64) - 1);
        let draws = self.draws(start, count + 1);
        self.best((start.next(), &draws[1..]), (start, &draws))
    }

    /// The shuffle that starts at this state.
    fn redo(&self, before: State) -> Option<Undone> {
        let count = self.cells.len();
        let draws = self.draws(before, count + 1);
        self.best((before, &draws[..count]), (before, &draws))
    }

    /// The shuffle with these draws, or with one more that the interrupt took. An interrupt near the first or the last draw leaves
    /// few wrong bytes, so that both are compared.
    fn best(&self, plain: (State, &[u8]), interrupted: (State, &[u8])) -> Option<Undone> {
        let wrong = self.wrong(plain.1, None);
        let plain = (wrong <= TOLERANCE).then_some(Undone { before: plain.0, extra: None, wrong });
        let (start, draws) = interrupted;
        let tried =
            wrong > 0 && (plain.is_some() || self.second_half_fits(draws) || self.first_half_fits(draws));
        let interrupted = if tried { self.with_interrupt(start, draws) } else { None };
        plain.into_iter().chain(interrupted).min_by_key(|one| one.wrong)
    }

    /// The best place of an interrupt. `draws` has one more than necessary.
    fn with_interrupt(&self, before: State, draws: &[u8]) -> Option<Undone> {
        let places = (1..self.cells.len()).map(|extra| (self.wrong(draws, Some(extra)), extra));
        let (wrong, extra) = places.min().filter(|(wrong, _)| *wrong <= TOLERANCE)?;
        Some(Undone { before, extra: Some(extra), wrong })
    }
}

fn agreeing(one: &[u8], other: &[u8]) -> bool {
    one.iter().zip(other).filter(|(one, other)| one == other).count() >= AGREEING
}

/// Both shuffles of a round.
struct Shuffles<'a> {
    pools: &'a [Pool; 2],
    versus: bool,
    fills: [Pool; 2],
}

impl<'a> Shuffles<'a> {
    fn new(pools: &'a [Pool; 2], setup: Setup) -> Self {
        Self { pools, versus: setup.is_versus(), fills: setup.colors().map(filled) }
    }

    fn first(&self) -> Shuffle<'_> {
        let index = |state: State| state.drawn().to_be_bytes()[1];
        Shuffle { cells: &self.pools[0], fill: &self.fills[0], index }
    }

    fn rest(&self) -> Shuffle<'_> {
        let index = |state: State| second_index(state.drawn()).to_le_bytes()[0];
        Shuffle { cells: &self.pools[1][COPIED..], fill: &self.fills[1][..SECOND_DRAWS], index }
    }

    /// Bytes of the second pool that differ although they are copied.
    fn copied_wrong(&self) -> usize {
        let copied = if self.versus { COPIED } else { POOL_LEN };
        let [first, second] = self.pools;
        first[..copied].iter().zip(&second[..copied]).filter(|(one, other)| one != other).count()
    }

    fn origin(&self, first: &Undone, gap: bool, rest: Option<&Undone>, after: State) -> Option<Origin> {
        let later = |draw: usize| FIRST_DRAWS + draw;
        let places = [first.extra, gap.then_some(FIRST_DRAWS), rest.and_then(|rest| rest.extra).map(later)];
        let extra_steps: Vec<u16> =
            places.into_iter().flatten().filter_map(|draw| u16::try_from(draw).ok()).collect();
        let wrong = first.wrong + rest.map_or(0, |rest| rest.wrong) + self.copied_wrong();
        let known = extra_steps.len() <= MOST_EXTRA && wrong <= TOLERANCE;
        known.then_some(Origin { before: first.before, after, extra_steps, wrong })
    }
}

/// The generation of these pools that ends at this state, if there is one.
#[must_use]
pub fn origin_after(pools: &[Pool; 2], setup: Setup, after: State) -> Option<Origin> {
    let shuffles = Shuffles::new(pools, setup);
    if !setup.is_versus() {
        return shuffles.origin(&shuffles.first().undo(after)?, false, None, after);
    }
    let rest = shuffles.rest().undo(after)?;
    let origins = [false, true].into_iter().filter_map(|gap| {
        let first = shuffles.first().undo(if gap { rest.before.previous() } else { rest.before })?;
        shuffles.origin(&first, gap, Some(&rest), after)
    });
    origins.min_by_key(Origin::doubt)
}

/// The last generation of these pools that ended at most that many steps before this state.
#[must_use]
pub fn origin_before(pools: &[Pool; 2], setup: Setup, now: State, steps: u32) -> Option<Origin> {
    let mut origins = (0..i64::from(steps))
        .map(|steps| origin_after(pools, setup, now.jump(-steps)))
        .skip_while(Option::is_none);
    // A step after the generation looks like an interrupt just before its end.
    origins.by_ref().take(NEAR).flatten().min_by_key(Origin::doubt)
}

/// The generations that make these pools, by nothing but the pools; ascending by the state before. 256 states make the same story
/// pools. None if cancelled.
#[must_use]
pub fn origins(pools: &[Pool; 2], setup: Setup, cancel: &AtomicBool) -> Option<Vec<Origin>> {
    const CLASSES: u32 = 1 << 20;
    let shuffles = Shuffles::new(pools, setup);
    let mut found: Vec<Origin> = (0..CLASSES)
        .into_par_iter()
        .filter(|_| !cancel.load(Ordering::Relaxed))
        .filter_map(|class| {
            let first = shuffles.first();
            let before = State(class << 4 | 0xA);
            let half = FIRST_DRAWS / 2;
            if first.first_half_fits(&first.draws(before, half)) {
                return first.redo(before);
            }
            // The interrupt may have been in the first half: then the class is that of the state afterwards.
            let draws = first.draws(before.jump(-(half as i64)), half);
            first.second_half_fits(&draws).then(|| first.undo(before)).flatten()
        })
        .flat_map_iter(|first| (0..=u8::MAX).map(move |high| (high, Undone { ..first_copy(&first) })))
        .flat_map_iter(|(high, first)| {
            let before = State(first.before.0 & 0xFF_FFFF | u32::from(high) << 24);
            let steps = FIRST_DRAWS + usize::from(first.extra.is_some());
            let first = Undone { before, ..first };
            complete(&shuffles, &first, before.jump(steps as i64))
        })
        .collect();
    if cancel.load(Ordering::Relaxed) {
        return None;
    }
    found.sort_by(|one, other| (one.before, &one.extra_steps).cmp(&(other.before, &other.extra_steps)));
    found.dedup();
    Some(found)
}

fn first_copy(undone: &Undone) -> Undone {
    Undone { before: undone.before, extra: undone.extra, wrong: undone.wrong }
}

/// The generations with this first shuffle, which ended at a state.
fn complete(shuffles: &Shuffles<'_>, first: &Undone, between: State) -> Vec<Origin> {
    if !shuffles.versus {
        return shuffles.origin(first, false, None, between).into_iter().collect();
    }
    let rest = shuffles.rest();
    let gaps = [false, true].into_iter().filter_map(|gap| {
        let start = if gap { between.next() } else { between };
        let undone = rest.redo(start)?;
        let steps = SECOND_DRAWS + usize::from(undone.extra.is_some());
        shuffles.origin(first, gap, Some(&undone), start.jump(steps as i64))
    });
    gaps.min_by_key(Origin::doubt).into_iter().collect()
}

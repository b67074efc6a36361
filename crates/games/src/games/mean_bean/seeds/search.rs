//! The search over all 2^28 states.

use crate::games::mean_bean::generator::{FIRST_DRAWS, SECOND_DRAWS, generate};
use crate::games::mean_bean::rng::State;
use crate::games::mean_bean::seeds::in_order::in_order;
use crate::games::mean_bean::seeds::plan::{Classes, Plan};
use crate::games::mean_bean::seeds::query::{Constraint, Query, Renamings};
use crate::games::mean_bean::seeds::run::{LOW_WORDS, MAX_STATES, Run};
use crate::games::mean_bean::seeds::stream::second_byte;
use fearless_simd::{Simd, SimdBase, SimdMask, dispatch, u8x64};
use nextscope_boards::Vectors;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::mpsc::Sender;

/// States with one low word and one high byte: those that differ in bits 16 to 23.
const LANES: usize = 256;
const ALL: Range<u32> = 0..LOW_WORDS;
/// States with the same first pool.
const ALIKE: u32 = 1 << 8;
/// First pools from which the search for the rest goes through all states in order; fewer are tried one by one.
const MANY: usize = 1 << 12;
const VECTOR: usize = 64;
/// What the last vector of a state's draws reads beyond them.
const BEYOND: usize = SECOND_DRAWS.next_multiple_of(VECTOR) - SECOND_DRAWS;

/// Units of the progress: both halves of the search for each low word.
const PARTS: u64 = 2 * LOW_WORDS as u64;

/// The result of a search that was not cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundStates {
    /// The matching states, ascending.
    pub states: Vec<State>,
    /// Whether these are all.
    pub complete: bool,
    /// Whether it was stopped before all states were tried.
    pub stopped: bool,
}

impl FoundStates {
    /// The most states whose rounds are generated and compared.
    const MAX_COMPARED: usize = 20_000;

    /// Whether the rounds of all states are known, and few enough to be compared.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        self.complete && self.states.len() <= Self::MAX_COMPARED
    }
}

/// What the multiplier of one to 256 steps makes of bits 16 to 23, as a sum: `factor * lane`, and the power itself.
static STEPS: LazyLock<Vec<([u8; LANES], u32)>> = LazyLock::new(|| {
    let mut power = 1;
    (0..FIRST_DRAWS)
        .map(|_| {
            power = State(power).next().0;
            let [.., factor] = power.to_be_bytes();
            let mut lane = 0_u8;
            let products = std::array::from_fn(|_| {
                let product = lane.wrapping_mul(factor);
                lane = lane.wrapping_add(1);
                product
            });
            (products, power)
        })
        .collect()
});

/// All states on the cycle that match the query, ascending; None if cancelled. Sends the states as they are found, in no order.
#[must_use]
pub fn find(
    query: &Query,
    vectors: Vectors,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    find_among(query, vectors, ALL, progress, sink)
}

/// The same for the states with these low words, given without their last digit.
pub(super) fn find_among(
    query: &Query,
    vectors: Vectors,
    low_words: Range<u32>,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    let (setup, rest, level) = (query.setup(), &query.rest, vectors.level());
    let run = Run { progress, sink };
    progress.begin(PARTS);
    if query.first.is_empty() && !rest.is_empty() && low_words == ALL {
        return ended(in_order(&Plan::new(query, None, level), level, run), run);
    }
    let classes: Vec<(u32, Renamings)> = low_words
        .into_par_iter()
        .flat_map_iter(|number| {
            let left = if run.ended() { Vec::new() } else { first_pools(number << 4 | 0xA, query) };
            progress.add(if rest.is_empty() { 2 } else { 1 });
            if rest.is_empty() {
                let alike = left.iter().flat_map(|(class, _)| with_high_byte(*class));
                run.send(&alike.collect::<Vec<State>>());
            }
            left
        })
        .collect();
    let states: Vec<State> = if rest.is_empty() {
        classes
            .par_iter()
            .take_any(MAX_STATES / ALIKE as usize)
            .flat_map_iter(|(class, _)| with_high_byte(*class))
            .collect()
    } else if classes.len() > MANY {
        let left = Classes::new(&classes, query.renames());
        drop(classes);
        in_order(&Plan::new(query, Some(left), level), level, run)
    } else {
        let tested = classes.par_iter().flat_map_iter(|(class, left)| {
            let states = with_high_byte(*class).filter(|state| {
                let draws = second_draws(state.jump(FIRST_DRAWS as i64));
                let colors = setup.colors()[1];
                !run.ended() && dispatch!(level, simd => matches_rest(simd, rest, &draws, *left, colors))
            });
            let states: Vec<State> = states.collect();
            run.send(&states);
            states
        });
        tested.collect()
    };
    ended(states, run)
}

/// The result of a search that ended with these states; None if it was cancelled.
fn ended(mut states: Vec<State>, Run { progress, .. }: Run<'_>) -> Option<FoundStates> {
    if progress.is_cancelled() {
        return None;
    }
    progress.add(PARTS - progress.done().min(PARTS));
    let stopped = progress.is_over();
    let complete = progress.found() <= MAX_STATES as u64;
    states.truncate(MAX_STATES);
    states.par_sort_unstable();
    Some(FoundStates { states, complete: complete && !stopped, stopped })
}

/// The same with the generator itself, over these states.
#[must_use]
pub fn find_reference(query: &Query, states: impl Iterator<Item = State>) -> Vec<State> {
    states.filter(|state| query.fits(&generate(*state, query.setup()))).collect()
}

/// The states with these low 24 bits.
fn with_high_byte(class: u32) -> impl Iterator<Item = State> {
    (0..ALIKE).map(move |high| State(high << 24 | class))
}

/// The low 24 bits of the states with this low word whose first pool matches, with the renamings that are left.
fn first_pools(low: u32, query: &Query) -> Vec<(u32, Renamings)> {
    let colors = query.setup().colors()[0];
    let mut left: Vec<(u32, Renamings)> =
        (0u32..).take(LANES).map(|lane| (lane << 16 | low, query.renamings())).collect();
    for constraint in &query.first {
        if left.is_empty() {
            break;
        }
        let origins = trace_first(low, constraint.at);
        left.retain_mut(|(class, renamings)| {
            let lane = (*class >> 16) as usize;
            *renamings =
                constraint.narrow(*renamings, origins.map(|from| Some(usize::from(from[lane]) % colors)));
            *renamings != 0
        });
    }
    left
}

/// Where the bytes at these places of the first pool were before the shuffle, for the 256 states with this low word.
fn trace_first(low: u32, at: [u8; 2]) -> [[u8; LANES]; 2] {
    let mut from = at.map(|at| [at; LANES]);
    // Backward: the last exchange is that of place 0.
    for (place, (products, power)) in (0..=u8::MAX).zip(STEPS.iter().rev()) {
        let [_, drawn, ..] = low.wrapping_mul(*power).to_be_bytes();
        for from in &mut from {
            for (from, product) in from.iter_mut().zip(products) {
                *from = exchanged(*from, place, drawn.wrapping_add(*product));
            }
        }
    }
    from
}

/// Where a byte was before two places were exchanged.
#[inline(always)]
fn exchanged(at: u8, one: u8, other: u8) -> u8 {
    let from = if at == other { one } else { at };
    if at == one { other } else { from }
}

/// The indices of the second shuffle from the state before it, in the order of the generator: that for place 0 is the last. [`BEYOND`] more
/// bytes follow.
fn second_draws(before: State) -> [u8; SECOND_DRAWS + BEYOND] {
    let mut state = before;
    std::array::from_fn(|_| {
        state = state.next();
        second_byte(state)
    })
}

/// Whether the second shuffle with these draws matches.
#[inline(always)]
fn matches_rest<S: Simd>(
    simd: S,
    constraints: &[Constraint],
    draws: &[u8],
    mut left: Renamings,
    colors: usize,
) -> bool {
    for one in constraints {
        let from = trace_pair(simd, draws, one.at);
        left = one.narrow(left, from.map(|from| Some(usize::from(from) % colors)));
        if left == 0 {
            return false;
        }
    }
    true
}

/// Where the byte at this place was before the second shuffle, for one state; `draws` as of [`second_draws`]. Only the exchanges that move
/// the byte are visited.
#[inline(always)]
fn trace_one<S: Simd>(simd: S, draws: &[u8], at: u8) -> u8 {
    let (mut at, mut left) = (at, SECOND_DRAWS);
    'moves: while left > 0 {
        let own = SECOND_DRAWS.checked_sub(usize::from(at) + 1).filter(|own| *own < left);
        let searched = u8x64::splat(simd, at);
        for chunk in (own.unwrap_or(0) / VECTOR..=(left - 1) / VECTOR).rev() {
            let start = chunk * VECTOR;
            let equal = u8x64::from_slice(simd, &draws[start..start + VECTOR]).simd_eq(searched).to_bitmask();
            let before = equal & (u64::MAX >> (VECTOR - (left - start).min(VECTOR)));
            if let Some(last) = before.checked_ilog2() {
                let drawn = start + last as usize;
                if own.is_none_or(|own| own < drawn) {
                    (at, left) = ((SECOND_DRAWS - 1 - drawn).to_le_bytes()[0], drawn);
                    continue 'moves;
                }
                break;
            }
        }
        let Some(own) = own else { return at };
        (at, left) = (draws[own], own);
    }
    at
}

/// The same for the two bytes of a constraint. No `map`: a closure would be compiled without the vector instructions.
#[inline(always)]
fn trace_pair<S: Simd>(simd: S, draws: &[u8], [first, second]: [u8; 2]) -> [u8; 2] {
    [trace_one(simd, draws, first), trace_one(simd, draws, second)]
}

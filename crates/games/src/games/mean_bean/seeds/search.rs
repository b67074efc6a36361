//! The search over all 2^28 states.

use crate::games::mean_bean::generator::{FIRST_DRAWS, SECOND_DRAWS, generate, second_index};
use crate::games::mean_bean::rng::{REACHABLE, State};
use crate::games::mean_bean::seeds::query::{Constraint, Query, Renamings};
use fearless_simd::{Level, dispatch};
use memchr::memchr;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::mpsc::Sender;

/// The most states in a result: observations that match more say too little.
pub const MAX_STATES: usize = 1 << 24;

/// States with one low word and one high byte: those that differ in bits 16 to 23.
const LANES: usize = 256;
/// Low words that end in A.
const LOW_WORDS: u32 = 1 << 12;
/// States with the same first pool.
const ALIKE: u32 = 1 << 8;
/// First pools from which the search for the rest goes through all states in order; fewer are tried one by one.
const MANY: usize = 1 << 13;
/// States of a block of the search in order.
pub(super) const BLOCK: usize = 1 << 16;
/// States that are traced side by side.
const SIDE_BY_SIDE: usize = 64;

/// Units of the progress: both halves of the search for each low word.
const PARTS: u64 = 2 * LOW_WORDS as u64;

/// Where the states go as they are found, and what is counted and asked meanwhile.
#[derive(Clone, Copy)]
struct Run<'a> {
    progress: &'a Progress,
    sink: Option<&'a Sender<Vec<State>>>,
}

impl Run<'_> {
    fn ended(self) -> bool {
        self.progress.is_over() || self.progress.found() > MAX_STATES as u64
    }

    fn send(self, states: &[State]) {
        self.progress.add_found(states.len() as u64);
        if let (Some(sink), false) = (self.sink, states.is_empty()) {
            let _ = sink.send(states.to_vec()); // the receiver may be gone
        }
    }
}

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
pub fn find(query: &Query, progress: &Progress, sink: Option<&Sender<Vec<State>>>) -> Option<FoundStates> {
    find_among(query, 0..LOW_WORDS, progress, sink)
}

/// The same for the states with these low words, given without their last digit.
pub(super) fn find_among(
    query: &Query,
    low_words: Range<u32>,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    let (setup, rest) = (query.setup(), &query.rest);
    let run = Run { progress, sink };
    progress.begin(PARTS);
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
    let mut states: Vec<State> = if rest.is_empty() {
        classes
            .par_iter()
            .take_any(MAX_STATES / ALIKE as usize)
            .flat_map_iter(|(class, _)| with_high_byte(*class))
            .collect()
    } else if classes.len() > MANY {
        let mut renamings = vec![0; 1 << 20];
        for (class, left) in &classes {
            renamings[(class >> 4) as usize] = *left;
        }
        drop(classes);
        in_order(query, &renamings, run)
    } else {
        let tested = classes.par_iter().flat_map_iter(|(class, left)| {
            let states = with_high_byte(*class).filter(|state| {
                let draws = second_draws(state.jump(FIRST_DRAWS as i64));
                !run.ended() && matches_rest(rest, &draws, *left, setup.colors()[1])
            });
            let states: Vec<State> = states.collect();
            run.send(&states);
            states
        });
        tested.collect()
    };
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
            *renamings = constraint.narrow(*renamings, origins.map(|from| usize::from(from[lane]) % colors));
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

/// The indices of the second shuffle by the place that they are drawn for, from the state before it.
fn second_draws(before: State) -> [u8; SECOND_DRAWS] {
    let mut draws = [0; SECOND_DRAWS];
    let mut state = before;
    for draw in draws.iter_mut().rev() {
        state = state.next();
        *draw = second_byte(state);
    }
    draws
}

fn second_byte(state: State) -> u8 {
    second_index(state.drawn()).to_le_bytes()[0]
}

/// Whether the second shuffle with these indices matches.
fn matches_rest(
    constraints: &[Constraint],
    draws: &[u8; SECOND_DRAWS],
    renamings: Renamings,
    colors: usize,
) -> bool {
    let mut left = renamings;
    constraints.iter().all(|one| {
        left = one.narrow(left, one.at.map(|at| usize::from(trace_second(draws, at)) % colors));
        left != 0
    })
}

/// Where the byte at this place was before the second shuffle. Only the exchanges that move it are visited.
fn trace_second(draws: &[u8; SECOND_DRAWS], at: u8) -> u8 {
    let (mut at, mut next) = (at, 0);
    loop {
        let own = usize::from(at);
        let drawn = memchr(at, &draws[next..]).map(|found| next + found);
        match drawn {
            Some(place) if own < next || place < own => {
                (at, next) = (place.to_le_bytes()[0], place + 1);
            }
            _ if own >= next => (at, next) = (draws[own], own + 1),
            _ => return at,
        }
        if next >= SECOND_DRAWS {
            return at;
        }
    }
}

/// The search over all states in the order in which the generator goes through them: the draws of consecutive states are the same but
/// one, so that each is computed once. `renamings` has those that the first pool leaves for each of its 2^20 classes.
fn in_order(query: &Query, renamings: &[Renamings], run: Run<'_>) -> Vec<State> {
    let level = Level::new();
    #[expect(clippy::cast_possible_truncation, reason = "2^16")]
    let blocks = REACHABLE / BLOCK as u32;
    let first = State(0xA);
    let tested = (0..blocks).into_par_iter().flat_map_iter(|block| {
        let mut states = Vec::new();
        if !run.ended() {
            let start = first.jump(i64::from(block) * BLOCK as i64);
            dispatch!(level, simd => {
                let _ = simd;
                in_block(query, renamings, start, &mut states);
            });
            run.send(&states);
        }
        run.progress.add(u64::from(block.is_multiple_of(blocks / LOW_WORDS)));
        states
    });
    tested.collect()
}

/// The matching states before a round, among those whose second shuffle starts at one of the states of a block.
#[inline(always)]
pub(super) fn in_block(query: &Query, renamings: &[Renamings], start: State, found: &mut Vec<State>) {
    let Some((constraint, others)) = query.rest.split_first() else { return };
    let colors = query.setup().colors()[1];
    let mut draws = vec![0_u8; BLOCK + SECOND_DRAWS];
    let mut state = start;
    for draw in &mut draws {
        state = state.next();
        *draw = second_byte(state);
    }
    for base in (0..BLOCK).step_by(SIDE_BY_SIDE) {
        let mut from = constraint.at.map(|at| [at; SIDE_BY_SIDE]);
        for place in 0..SECOND_DRAWS {
            // The draw for place 0 is the last one.
            let drawn = base + SECOND_DRAWS - 1 - place;
            let drawn: &[u8] = &draws[drawn..drawn + SIDE_BY_SIDE];
            let place = place.to_le_bytes()[0];
            for from in &mut from {
                for (from, drawn) in from.iter_mut().zip(drawn) {
                    *from = exchanged(*from, place, *drawn);
                }
            }
        }
        for lane in 0..SIDE_BY_SIDE {
            let actual = from.map(|from| usize::from(from[lane]) % colors);
            if constraint.narrow(query.renamings(), actual) == 0 {
                continue;
            }
            let at = base + lane;
            let before = start.jump(at as i64 - FIRST_DRAWS as i64);
            let left = constraint.narrow(renamings[((before.0 & 0xFF_FFFF) >> 4) as usize], actual);
            if left == 0 {
                continue;
            }
            let mut own = [0; SECOND_DRAWS];
            for (own, draw) in own.iter_mut().zip(draws[at..at + SECOND_DRAWS].iter().rev()) {
                *own = *draw;
            }
            if matches_rest(others, &own, left, colors) {
                found.push(before);
            }
        }
    }
}

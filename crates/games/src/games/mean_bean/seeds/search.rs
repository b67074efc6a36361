//! The search over all 2^28 states.

use crate::games::mean_bean::generator::{FIRST_DRAWS, SECOND_DRAWS, generate, second_index};
use crate::games::mean_bean::rng::{REACHABLE, State};
use crate::games::mean_bean::seeds::query::{Constraint, Query, Renamings};
use fearless_simd::{Level, Select, Simd, SimdBase, SimdMask, dispatch, u8x64};
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
const ALL: Range<u32> = 0..LOW_WORDS;
/// States with the same first pool.
const ALIKE: u32 = 1 << 8;
/// First pools from which the search for the rest goes through all states in order; fewer are tried one by one.
const MANY: usize = 1 << 13;
/// States of a block of the search in order.
pub(super) const BLOCK: usize = 1 << 16;
/// States that are traced side by side: four vectors, so that one exchange does not wait for the one before.
const SIDE_BY_SIDE: usize = 4 * VECTOR;
const VECTOR: usize = 64;
/// What the last vector of a state's draws reads beyond them.
const BEYOND: usize = SECOND_DRAWS.next_multiple_of(VECTOR) - SECOND_DRAWS;
/// States that are traced faster one by one than all of [`SIDE_BY_SIDE`].
const FEW: usize = 20;
/// More than there are colours.
const ROW: usize = 8;

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
    find_among(query, ALL, progress, sink)
}

/// The same for the states with these low words, given without their last digit.
pub(super) fn find_among(
    query: &Query,
    low_words: Range<u32>,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    let (setup, rest, level) = (query.setup(), &query.rest, Level::new());
    let run = Run { progress, sink };
    progress.begin(PARTS);
    if query.first.is_empty() && !rest.is_empty() && low_words == ALL {
        return ended(in_order(query, None, run), run);
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
        let mut renamings = vec![0; 1 << 20];
        for (class, left) in &classes {
            renamings[(class >> 4) as usize] = *left;
        }
        drop(classes);
        in_order(query, Some(&renamings), run)
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

/// The indices of the second shuffle from the state before it, in the order of the generator: that for place 0 is the last. [`BEYOND`] more
/// bytes follow.
fn second_draws(before: State) -> [u8; SECOND_DRAWS + BEYOND] {
    let mut state = before;
    std::array::from_fn(|_| {
        state = state.next();
        second_byte(state)
    })
}

fn second_byte(state: State) -> u8 {
    second_index(state.drawn()).to_le_bytes()[0]
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
        left = one.narrow(left, from.map(|from| usize::from(from) % colors));
        if left == 0 {
            return false;
        }
    }
    true
}

/// The search over all states in the order in which the generator goes through them: the draws of consecutive states are the same but
/// one, so that each is computed once. `renamings` has those that the first pool leaves for each of its 2^20 classes, if it restricts them.
fn in_order(query: &Query, renamings: Option<&[Renamings]>, run: Run<'_>) -> Vec<State> {
    let level = Level::new();
    #[expect(clippy::cast_possible_truncation, reason = "2^16")]
    let blocks = REACHABLE / BLOCK as u32;
    let first = State(0xA);
    let tested = (0..blocks).into_par_iter().flat_map_iter(|block| {
        let mut states = Vec::new();
        if !run.ended() {
            let start = first.jump(i64::from(block) * BLOCK as i64);
            dispatch!(level, simd => in_block(simd, query, renamings, start, &mut states));
            run.send(&states);
        }
        let parts = if renamings.is_some() { 1 } else { 2 };
        run.progress.add(if block.is_multiple_of(blocks / LOW_WORDS) { parts } else { 0 });
        states
    });
    tested.collect()
}

/// The matching states before a round, among those whose second shuffle starts at one of the states of a block.
#[inline(always)]
pub(super) fn in_block<S: Simd>(
    simd: S,
    query: &Query,
    renamings: Option<&[Renamings]>,
    start: State,
    found: &mut Vec<State>,
) {
    let colors = query.setup().colors()[1];
    let mut constraints = query.rest.clone();
    // Equal colours leave a fifth of the states, whatever they are called.
    constraints.sort_by_key(|one| one.colors[0].is_none() || one.colors[0] != one.colors[1]);
    let Some((first, others)) = constraints.split_first() else { return };
    let tests = Tests::new(*first, query.renamings(), colors);
    let mut draws = vec![0_u8; BLOCK + SECOND_DRAWS + BEYOND];
    let mut state = start;
    for draw in &mut draws {
        state = state.next();
        *draw = second_byte(state);
    }
    let mut lanes = Vec::with_capacity(SIDE_BY_SIDE);
    for base in (0..BLOCK).step_by(SIDE_BY_SIDE) {
        let here = &draws[base..base + SECOND_DRAWS + SIDE_BY_SIDE - 1 + BEYOND];
        tests.lanes(simd, here, &mut lanes);
        lanes.retain_mut(|(lane, left)| {
            let class = || start.jump((base + *lane) as i64 - FIRST_DRAWS as i64).0 & 0xFF_FFFF;
            *left &= renamings.map_or(Renamings::MAX, |all| all[(class() >> 4) as usize]);
            *left != 0
        });
        for constraint in others {
            if lanes.is_empty() {
                break;
            }
            let many = lanes.len() > FEW;
            let all = many.then(|| constraint.at.map(|at| trace_side_by_side(simd, here, at)));
            // Not `retain`: a closure would be compiled without the vector instructions.
            let mut remaining = 0;
            for index in 0..lanes.len() {
                let (lane, left) = lanes[index];
                let from = match &all {
                    Some([one, other]) => [one[lane], other[lane]],
                    None => trace_pair(simd, &here[lane..], constraint.at),
                };
                let left = constraint.narrow(left, from.map(|from| usize::from(from) % colors));
                lanes[remaining] = (lane, left);
                remaining += usize::from(left != 0);
            }
            lanes.truncate(remaining);
        }
        found.extend(lanes.iter().map(|(lane, _)| start.jump((base + lane) as i64 - FIRST_DRAWS as i64)));
    }
}

/// What the first constraint leaves, by the places where its bytes were before the shuffle.
struct Tests {
    at: [u8; 2],
    /// The row and the column in `left` by the place of either byte.
    steps: [[u8; LANES]; 2],
    left: [Renamings; ROW * ROW],
    possible: [bool; ROW * ROW],
}

impl Tests {
    fn new(constraint: Constraint, renamings: Renamings, colors: usize) -> Self {
        let left: [Renamings; ROW * ROW] =
            std::array::from_fn(|pair| constraint.narrow(renamings, [pair / ROW, pair % ROW]));
        let steps = [ROW, 1].map(|step| std::array::from_fn(|from| (from % colors * step).to_le_bytes()[0]));
        Self { at: constraint.at, steps, left, possible: left.map(|left| left != 0) }
    }

    /// Replaces `lanes` with those of the states side by side that pass.
    #[inline(always)]
    fn lanes<S: Simd>(&self, simd: S, draws: &[u8], lanes: &mut Vec<(usize, Renamings)>) {
        let [first, second] = self.at.map(|at| trace_side_by_side(simd, draws, at));
        let mut pairs = [0; SIDE_BY_SIDE];
        for (pair, (first, second)) in pairs.iter_mut().zip(first.iter().zip(&second)) {
            *pair = self.steps[0][usize::from(*first)] + self.steps[1][usize::from(*second)];
        }
        // Without a branch: which states pass cannot be predicted.
        let (mut passed, mut count) = ([0; SIDE_BY_SIDE], 0);
        for (lane, pair) in (0..=u8::MAX).zip(&pairs) {
            passed[count % SIDE_BY_SIDE] = lane;
            count += usize::from(self.possible[usize::from(*pair) % self.possible.len()]);
        }
        lanes.clear();
        lanes.extend(passed[..count].iter().map(|lane| {
            let lane = usize::from(*lane);
            (lane, self.left[usize::from(pairs[lane]) % self.left.len()])
        }));
    }
}

/// Where the byte at this place was before the second shuffle, for one state; `draws` as of [`second_draws`]. Only the exchanges that move
/// the byte are visited.
#[inline(always)]
fn trace_one<S: Simd>(simd: S, draws: &[u8], at: u8) -> u8 {
    let (mut at, mut left) = (at, SECOND_DRAWS);
    'moves: while left > 0 {
        let own = SECOND_DRAWS.checked_sub(usize::from(at) + 1).filter(|own| *own < left);
        let wanted = u8x64::splat(simd, at);
        for chunk in (own.unwrap_or(0) / VECTOR..=(left - 1) / VECTOR).rev() {
            let start = chunk * VECTOR;
            let equal = u8x64::from_slice(simd, &draws[start..start + VECTOR]).simd_eq(wanted).to_bitmask();
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

/// Where the byte at this place was before the second shuffle, for states one after another: `draws` has those of the first, in the order
/// of the generator, and one more for each other state.
#[inline(always)]
fn trace_side_by_side<S: Simd>(simd: S, draws: &[u8], at: u8) -> [u8; SIDE_BY_SIDE] {
    let mut from = [u8x64::splat(simd, at); SIDE_BY_SIDE / VECTOR];
    for place in 0..SECOND_DRAWS {
        // The draw for place 0 is the last one.
        let first = SECOND_DRAWS - 1 - place;
        let one = u8x64::splat(simd, place.to_le_bytes()[0]);
        let drawn = draws[first..first + SIDE_BY_SIDE].chunks_exact(VECTOR);
        for (from, drawn) in from.iter_mut().zip(drawn) {
            let other = u8x64::from_slice(simd, drawn);
            let (at_one, at_other) = (from.simd_eq(one), from.simd_eq(other));
            *from = at_one.select(other, at_other.select(one, *from));
        }
    }
    let mut all = [0; SIDE_BY_SIDE];
    for (all, from) in all.chunks_exact_mut(VECTOR).zip(from) {
        from.store_slice(all);
    }
    all
}

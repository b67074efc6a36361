//! The vectorized filter: states side by side in vectors, written once for every instruction set.
//!
//! A state passes three tests. Its five colour draws must make an accepted colour set, which takes five cheap steps and a bit
//! table. Then the 256 indices of a shuffle are drawn for a chunk of states at once, and a few observed
//! bytes are traced back through the swaps, last one first, to their position in the fill. The few remaining states
//! go through the plain generator.
//!
//! There are two kinds of states: the state *before* a round, which is the result, and the state after its first colour
//! draw, on which everything else depends. R, R + 0x55555555 and R + 0xAAAAAAAA share one or two of the latter (reference 1.9), so
//! the filter iterates over those and the states before them are computed at the end.

use crate::games::puyo_tsu::seeds::plan::{FinalCheck, PairConstraint, Plan, Stage};
use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::{A7_COLORS, A7_POOLS, POOL_LEN, State, Step, set_of_draws};
use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdMask};
use std::sync::LazyLock;

/// Added to the state by a colour draw before the rotation: d0 = 4 and the stack pointer.
const COLOR_SUM: u32 = A7_COLORS + 4;

/// States 0x55555555 apart have the same sum of rotation and state modulo 2^32 - 1.
const THIRD: u32 = 0x5555_5555;

/// Classes of three states; the last state, 0xFFFFFFFF, is handled separately.
pub(super) const CLASSES: u32 = THIRD;

/// The most states processed at once: four vectors of 16 words.
const MAX_CHUNK: usize = 64;

/// States with an accepted colour set that are collected before they are traced.
const GATHERED: usize = 1 << 12;

/// Positions of each colour code in the set that each sequence of draws makes.
static POSITIONS: LazyLock<Box<[[u8; 8]; DRAWS]>> = LazyLock::new(|| {
    let mut all = Box::new([[u8::MAX; 8]; DRAWS]);
    for (draws, positions) in (0..).zip(all.iter_mut()) {
        for (at, &code) in (0u8..5).zip(&set_of_draws(draws)) {
            positions[usize::from(code)] = at;
        }
    }
    all
});

/// States on their way through the filter, in one thread.
pub(super) struct Filter<'a> {
    plan: &'a Plan,
    /// The table of accepted draws, one bit each.
    bits: [u8; DRAWS / 8],
    /// States after their first draw that wait for each stage.
    waiting: Vec<Vec<u32>>,
    /// States after their first draw that passed everything.
    passed: Vec<u32>,
}

impl<'a> Filter<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let mut bits = [0; DRAWS / 8];
        for (at, _) in plan.allowed.iter().enumerate().filter(|(_, accepted)| **accepted) {
            bits[at / 8] |= 1 << (at % 8);
        }
        let waiting = plan.stages.iter().map(|_| Vec::with_capacity(2 * GATHERED)).collect();
        Self { plan, bits, waiting, passed: Vec::new() }
    }

    /// Returns the states that passed so far.
    pub fn take_passed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.passed)
    }

    /// Tries the classes of states from `first` on.
    pub fn classes<S: Simd>(&mut self, simd: S, first: u32, count: u32) {
        simd.vectorize(
            #[inline(always)]
            || self.classes_inside(simd, first, count),
        );
    }

    /// Tries the states before a round from `first` on, one by one, wrapping at 2^32.
    pub fn states<S: Simd>(&mut self, simd: S, first: u32, count: u32) {
        simd.vectorize(
            #[inline(always)]
            || self.states_inside(simd, first, count),
        );
    }

    /// Tries the one class with four states: its fourth, 0xFFFFFFFF, is not a multiple of a third away from the others.
    pub fn extra_state<S: Simd>(&mut self, simd: S) {
        self.gather_scalar(simd, &[color_draw_scalar(u32::MAX)]);
    }

    /// Sends all waiting states through the remaining stages.
    pub fn flush<S: Simd>(&mut self, simd: S) {
        for stage in 0..self.waiting.len() {
            self.advance_stage(simd, stage, true);
        }
    }

    #[inline(always)]
    fn classes_inside<S: Simd>(&mut self, simd: S, first: u32, count: u32) {
        let mut gathered = [0; GATHERED + MAX_CHUNK];
        let mut filled = 0;
        let lane_numbers = lane_numbers::<S>(simd);
        let lanes = lanes::<S>();
        let full = count - count % lanes;
        let mut next = first; // a sum, since classes are classes of sums
        for _ in 0..full / lanes {
            let sums = lane_numbers + next;
            // At most two of the three differ.
            let a = color_draw::<S>(sums);
            let b = color_draw::<S>(sums + THIRD);
            let c = color_draw::<S>(sums + THIRD.wrapping_mul(2));
            let other = b.simd_eq(a).select(c, b);
            let differs = other.simd_ne(a);
            let (states, accepted) = self.drawn(simd, a);
            filled = append_selected::<S>(&mut gathered, filled, states, accepted);
            let (states, accepted) = self.drawn(simd, other);
            filled = append_selected::<S>(&mut gathered, filled, states, accepted & differs);
            next = next.wrapping_add(lanes);
            if filled >= GATHERED - MAX_CHUNK {
                self.gather(simd, &gathered[..filled]);
                filled = 0;
            }
        }
        self.gather(simd, &gathered[..filled]);
        for base in (0..count - full).map(|i| next.wrapping_add(i)) {
            let three = [0, THIRD, THIRD.wrapping_mul(2)];
            let mut color_draw = three.map(|third| color_draw_scalar(base.wrapping_add(third))).to_vec();
            color_draw.sort_unstable();
            color_draw.dedup();
            self.gather_scalar(simd, &color_draw);
        }
    }

    #[inline(always)]
    fn states_inside<S: Simd>(&mut self, simd: S, first: u32, count: u32) {
        let mut gathered = [0; GATHERED + MAX_CHUNK];
        let mut filled = 0;
        let lane_numbers = lane_numbers::<S>(simd);
        let lanes = lanes::<S>();
        let full = count - count % lanes;
        let mut next = first.wrapping_add(COLOR_SUM);
        for _ in 0..full / lanes {
            let (states, accepted) = self.drawn(simd, color_draw::<S>(lane_numbers + next));
            filled = append_selected::<S>(&mut gathered, filled, states, accepted);
            next = next.wrapping_add(lanes);
            if filled >= GATHERED {
                self.gather(simd, &gathered[..filled]);
                filled = 0;
            }
        }
        self.gather(simd, &gathered[..filled]);
        let rest: Vec<u32> = (0..count - full).map(|i| color_draw_scalar(next.wrapping_add(i))).collect();
        self.gather_scalar(simd, &rest);
    }

    /// The states after the first draw, given as sums, and whether all five draws make an accepted set.
    #[inline(always)]
    fn drawn<S: Simd>(&self, simd: S, first: S::u32s) -> (S::u32s, S::mask32s) {
        let draws = draws_after_first::<S>(first).1;
        let accepted = if S::u8s::LEN == MAX_CHUNK {
            // The entire table of 128 bytes fits in two vectors.
            let (low, high) = self.bits.split_at(DRAWS / 16);
            let (low, high) = (S::u8s::from_slice(simd, low), S::u8s::from_slice(simd, high));
            let bytes: S::u8s = (draws >> 3).bitcast();
            let found: S::u32s = low.concat_swizzle_dyn(high, bytes).bitcast();
            ((found >> (draws & 7)) & 1).simd_ne(S::u32s::splat(simd, 0))
        } else {
            S::u32s::from_fn(simd, |lane| {
                u32::from(self.plan.allowed[draws.as_slice()[lane] as usize & (DRAWS - 1)])
            })
            .simd_ne(S::u32s::splat(simd, 0))
        };
        (first - COLOR_SUM, accepted)
    }

    /// Sends states to the first stage.
    fn gather<S: Simd>(&mut self, simd: S, states: &[u32]) {
        match self.waiting.first_mut() {
            Some(first) => {
                first.extend_from_slice(states);
                self.advance_stage(simd, 0, false);
            }
            None => self.passed.extend_from_slice(states),
        }
    }

    /// The same for sums that were not checked against the table yet.
    fn gather_scalar<S: Simd>(&mut self, simd: S, sums: &[u32]) {
        let states: Vec<u32> = sums
            .iter()
            .map(|sum| sum.wrapping_sub(COLOR_SUM))
            .filter(|&state| self.plan.allowed[usize::from(draws_scalar(state))])
            .collect();
        self.gather(simd, &states);
    }

    /// Traces the states that wait for a stage, in full chunks, or everything if `all`.
    fn advance_stage<S: Simd>(&mut self, simd: S, stage: usize, all: bool) {
        let chunk = 4 * S::u32s::LEN;
        let mut states = std::mem::take(&mut self.waiting[stage]);
        let full = if all { states.len() } else { states.len() - states.len() % chunk };
        let mut survivors = Vec::new();
        simd.vectorize(
            #[inline(always)]
            || {
                for states in states[..full].chunks(chunk) {
                    filter_chunk(simd, self.plan, &self.plan.stages[stage], states, &mut survivors);
                }
            },
        );
        states.drain(..full);
        self.waiting[stage] = states;
        if stage + 1 < self.waiting.len() {
            self.waiting[stage + 1].extend_from_slice(&survivors);
            self.advance_stage(simd, stage + 1, false);
        } else {
            self.passed.extend(survivors.into_iter().filter(|&state| passes_final_check(self.plan, state)));
        }
    }
}

/// Whether a state after its first draw passes the final check.
fn passes_final_check(plan: &Plan, after_first: u32) -> bool {
    if matches!(plan.final_check, FinalCheck::Nothing) {
        return true;
    }
    let before = State(after_first).predecessors(Step::COLOR);
    before.first().is_some_and(|&state| plan.final_check.passes_final_check(state, plan.setup))
}

/// Lanes of a vector of words.
fn lanes<S: Simd>() -> u32 {
    u32::try_from(S::u32s::LEN).unwrap_or(1)
}

#[inline(always)]
fn lane_numbers<S: Simd>(simd: S) -> S::u32s {
    #[expect(clippy::cast_possible_truncation, reason = "a lane is below 16")]
    S::u32s::from_fn(simd, |lane| lane as u32)
}

/// rol32(x, 5).
#[inline(always)]
fn rotated<S: Simd>(x: S::u32s) -> S::u32s {
    (x << 5) | (x >> 27)
}

/// A colour draw on sums (state + [`COLOR_SUM`]) instead of states: from one sum to the next.
#[inline(always)]
fn color_draw<S: Simd>(sum: S::u32s) -> S::u32s {
    rotated::<S>(sum) + sum + 1
}

fn color_draw_scalar(sum: u32) -> u32 {
    sum.rotate_left(5).wrapping_add(sum).wrapping_add(1)
}

/// From the sum after the first draw: the state after the fifth, and the draws, two bits each, the first lowest.
#[inline(always)]
fn draws_after_first<S: Simd>(mut sum: S::u32s) -> (S::u32s, S::u32s) {
    let mut draws = (sum - COLOR_SUM) & 0xC000;
    let mut state = sum;
    for _ in 1..5 {
        sum = color_draw::<S>(sum);
        state = sum - COLOR_SUM;
        draws = (draws >> 2) | (state & 0xC000);
    }
    (state, draws >> 6)
}

/// The five draws of the state after the first.
fn draws_scalar(after_first: u32) -> u16 {
    let mut state = State(after_first);
    let mut draws = 0;
    for i in 0..5 {
        if i > 0 {
            state = state.advance(Step::COLOR);
        }
        draws |= u16::from(state.0.to_le_bytes()[1] >> 6) << (2 * i);
    }
    draws
}

/// Appends the selected lanes to the first `filled` entries; returns the new number of entries.
#[inline(always)]
fn append_selected<S: Simd>(
    gathered: &mut [u32],
    filled: usize,
    states: S::u32s,
    accepted: S::mask32s,
) -> usize {
    let bits = accepted.to_bitmask();
    if bits == 0 {
        return filled;
    }
    states.compress(accepted).store_slice(&mut gathered[filled..filled + S::u32s::LEN]);
    filled + bits.count_ones() as usize
}

/// Passes one chunk of states through a shuffle, traces the stage's constraints, and adds the states that match.
#[inline(always)]
fn filter_chunk<S: Simd>(simd: S, plan: &Plan, stage: &Stage, states: &[u32], survivors: &mut Vec<u32>) {
    let width = S::u32s::LEN;
    let mut padded = [0; MAX_CHUNK];
    padded[..states.len()].copy_from_slice(states);
    let mut walk = Walk::<S>::start(simd, &padded);
    let mut rows = [S::u8s::splat(simd, 0); POOL_LEN];
    walk.skip(simd, plan.setup.first_step(), stage.stream);
    walk.record(simd, plan.setup.first_step(), stage.stream, &mut rows);
    let mut alive = u64::MAX;
    let mut right = S::u8s::splat(simd, 0);
    for constraints in stage.constraints.chunks(2) {
        let places = match constraints {
            [a, b] => [a.at[0], a.at[1], b.at[0], b.at[1]],
            [a, ..] => [a.at[0], a.at[1], a.at[0], a.at[1]],
            [] => continue,
        };
        let origins = origins(simd, &rows, places);
        for (constraint, origins) in constraints.iter().zip(origins.chunks(2)) {
            let origins = [origins[0], origins[1]];
            match stage.at_least {
                None => alive &= fits(simd, constraint, origins, &walk.draws).to_bitmask(),
                Some(_) => right += correct_bytes(simd, constraint, origins, &walk.draws),
            }
        }
        if alive == 0 {
            return;
        }
    }
    if let Some(least) = stage.at_least {
        #[expect(clippy::cast_possible_truncation, reason = "at most eight bytes")]
        let least = S::u8s::splat(simd, least as u8);
        alive = right.simd_ge(least).to_bitmask();
    }
    for (at, &state) in states.iter().enumerate() {
        if alive >> lane_of(at, width) & 1 == 1 {
            survivors.push(state);
        }
    }
}

/// The byte lane of the state at a position of its chunk: four vectors of words become one of bytes, word by word.
#[inline(always)]
fn lane_of(at: usize, width: usize) -> usize {
    4 * (at % width) + at / width
}

/// Four vectors of states on their way through the shuffles.
struct Walk<S: Simd> {
    states: [S::u32s; 4],
    /// The colour draws of each byte lane.
    draws: [u16; MAX_CHUNK],
}

impl<S: Simd> Walk<S> {
    #[inline(always)]
    fn start(simd: S, chunk: &[u32; MAX_CHUNK]) -> Self {
        let width = S::u32s::LEN;
        let mut states = [S::u32s::splat(simd, 0); 4];
        let mut all_draws = [0; MAX_CHUNK];
        for (at, state) in states.iter_mut().enumerate() {
            let first = S::u32s::from_slice(simd, &chunk[at * width..(at + 1) * width]);
            let (after, draws) = draws_after_first::<S>(first + COLOR_SUM);
            *state = after;
            for lane in 0..width {
                #[expect(clippy::cast_possible_truncation, reason = "draws have ten bits")]
                {
                    all_draws[4 * lane + at] = draws.as_slice()[lane] as u16 & 0x3FF;
                }
            }
        }
        Self { states, draws: all_draws }
    }

    #[inline(always)]
    fn begin(&mut self, first: Step, stream: usize) {
        for state in &mut self.states {
            let sum = match (stream, first) {
                // As in `Step`: d0 is what random(4) left, or all bits of the low word are set.
                (0, Step::FirstPool { remainder }) => {
                    *state + (*state << 18) + (A7_POOLS.wrapping_add(remainder))
                }
                _ => *state + ((*state & 0xFFFF_0000) | 0xFFFF) + A7_POOLS,
            };
            *state = rotated::<S>(sum) + *state + 1;
        }
    }

    /// Every other draw.
    #[inline(always)]
    fn step(&mut self) {
        for state in &mut self.states {
            let sum = *state + (*state & 0xFFFF_00FF) + A7_POOLS;
            *state = rotated::<S>(sum) + *state + 1;
        }
    }

    /// Skips the streams before the accepted one.
    #[inline(always)]
    fn skip(&mut self, _simd: S, first: Step, streams: usize) {
        for stream in 0..streams {
            self.begin(first, stream);
            for _ in 1..POOL_LEN {
                self.step();
            }
        }
    }

    /// Records a stream: the index that is swapped with i, for every i.
    #[inline(always)]
    fn record(&mut self, simd: S, first: Step, stream: usize, rows: &mut [S::u8s; POOL_LEN]) {
        self.begin(first, stream);
        let [others @ .., last] = rows;
        *last = self.low_bytes(simd);
        for row in others.iter_mut().rev() {
            self.step();
            *row = self.low_bytes(simd);
        }
    }

    /// The low bytes of the four vectors, word by word.
    #[inline(always)]
    fn low_bytes(&self, _simd: S) -> S::u8s {
        let [a, b, c, d] = self.states;
        let low = (a & 0xFF) | ((b << 8) & 0xFF00);
        let high = (c & 0xFF) | ((d << 8) & 0xFF00);
        (low | (high << 16)).bitcast()
    }
}

/// The positions in the fill of the bytes that end at these positions: the swaps undone, last one first.
#[inline(always)]
fn origins<S: Simd>(simd: S, rows: &[S::u8s; POOL_LEN], places: [u8; 4]) -> [S::u8s; 4] {
    let mut places = places.map(|at| S::u8s::splat(simd, at));
    let mut i = S::u8s::splat(simd, 0);
    #[expect(clippy::explicit_counter_loop, reason = "a vector counts here, and has no range")]
    for &j in rows {
        let both = i ^ j;
        for place in &mut places {
            let moves = place.simd_eq(i) | place.simd_eq(j);
            *place = moves.select(*place ^ both, *place);
        }
        i += 1;
    }
    places
}

/// Positions in the fill modulo its number of colours.
#[inline(always)]
fn modulo<S: Simd>(simd: S, places: S::u8s, colors: usize) -> S::u8s {
    #[expect(clippy::cast_possible_truncation, reason = "five colours at most")]
    let colors = colors as u8;
    if colors.is_power_of_two() {
        return places & (colors - 1);
    }
    // 16 is one more than a multiple of 3 and of 5, so the base-16 digits can be added up, twice.
    let nibbles = |bytes: S::u8s| (bytes >> 4) + (bytes & 15);
    let table = S::u8s::from_fn(simd, |lane| (lane % 16).to_le_bytes()[0] % colors);
    table.swizzle_dyn_within_blocks(nibbles(nibbles(places)))
}

/// The position of a colour in the set of each lane, 255 if absent.
#[inline(always)]
fn positions<S: Simd>(simd: S, code: u8, draws: &[u16; MAX_CHUNK]) -> S::u8s {
    if code > 7 {
        return S::u8s::splat(simd, u8::MAX); // a byte of a faulty pool
    }
    let positions = &*POSITIONS;
    S::u8s::from_fn(simd, |lane| positions[usize::from(draws[lane])][usize::from(code)])
}

/// The lanes in which the two bytes match one of the alternatives.
#[inline(always)]
fn fits<S: Simd>(
    simd: S,
    constraint: &PairConstraint,
    origins: [S::u8s; 2],
    draws: &[u16; MAX_CHUNK],
) -> S::mask8s {
    let origins = origins.map(|places| modulo(simd, places, constraint.colors));
    let mut any = S::mask8s::splat(simd, false);
    for alternative in &constraint.alternatives {
        let mut all = S::mask8s::splat(simd, true);
        for (accepted, origin) in alternative.iter().zip(origins) {
            if let Some(code) = *accepted {
                all &= origin.simd_eq(positions(simd, code, draws));
            }
        }
        any |= all;
    }
    any
}

/// How many of the two bytes match the first alternative.
#[inline(always)]
fn correct_bytes<S: Simd>(
    simd: S,
    constraint: &PairConstraint,
    origins: [S::u8s; 2],
    draws: &[u16; MAX_CHUNK],
) -> S::u8s {
    let mut right = S::u8s::splat(simd, 0);
    let Some(first) = constraint.alternatives.first() else { return right };
    for (accepted, origin) in first.iter().zip(origins) {
        if let Some(code) = *accepted {
            let equal = modulo(simd, origin, constraint.colors).simd_eq(positions(simd, code, draws));
            right += equal.select(S::u8s::splat(simd, 1), S::u8s::splat(simd, 0));
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::seeds::{Observations, Query};
    use crate::games::puyo_tsu::{Setup, color_set};
    use crate::seeds::Vectors;
    use fearless_simd::dispatch;

    /// A plan with only a colour set.
    fn plan(seed: u32) -> Plan {
        let observed =
            Observations { color_set: Some(color_set(State(seed)).0), ..Observations::empty(Setup::VERSUS) };
        Plan::exact(&Query::new(&observed).unwrap())
    }

    #[test]
    fn classes_contain_every_state_once() {
        for vectors in Vectors::all() {
            for (first, count) in [(0, 5000), (0x1234_5678, 4100), (CLASSES - 4003, 4003)] {
                let plan = plan(0x1234_5678);
                let mut filter = Filter::new(&plan);
                dispatch!(vectors.level(), simd => filter.classes(simd, first, count));
                dispatch!(vectors.level(), simd => filter.flush(simd));
                let mut found = filter.take_passed();
                assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>().len(), found.len());
                found.sort_unstable();
                let mut expected: Vec<u32> = (first..first + count)
                    .flat_map(|base| [0, THIRD, 2 * THIRD].map(|third| base.wrapping_add(third)))
                    .map(|sum| State(sum.wrapping_sub(COLOR_SUM)))
                    .filter(|state| plan.allowed[usize::from(draws_scalar(state.advance(Step::COLOR).0))])
                    .map(|state| state.advance(Step::COLOR).0)
                    .collect();
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(found, expected, "{} from {first:08X}", vectors.name());
                assert!(found.len() > 30, "a filter that rejects everything would pass");
            }
        }
    }

    #[test]
    fn the_states_of_all_classes_are_all_states() {
        // Three for each class, and the extra state.
        assert_eq!(3 * u64::from(CLASSES) + 1, 1 << 32);
        let sums = [0, 1, CLASSES - 1].map(|base: u32| [base, base + THIRD, base + 2 * THIRD]);
        assert_eq!(sums[2][2], u32::MAX - 1);
        assert_eq!((sums[0][0], sums[0][1]), (0, sums[2][0] + 1));
        assert_eq!(sums[0][2], sums[2][1] + 1);
    }

    #[test]
    fn draws_match_the_generator() {
        for seed in (0..5000u32).map(|i| i.wrapping_mul(0x9E37_79B9)) {
            let draws = draws_scalar(State(seed).advance(Step::COLOR).0);
            assert_eq!(set_of_draws(draws), color_set(State(seed)).0);
        }
    }
}

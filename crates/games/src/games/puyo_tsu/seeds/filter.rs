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

use crate::games::puyo_tsu::seeds::merged::Merged;
use crate::games::puyo_tsu::seeds::plan::{FinalCheck, PairConstraint, Plan, Stage};
use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::seeds::walk::{
    COLOR_SUM, MAX_CHUNK, POSITIONS, Rows, SIDES, THIRD, Walk, append_selected, chunk_len, color_draw,
    color_draw_scalar, draws_after_first, draws_scalar, lane_numbers, lane_of, lanes, modulo, origins,
};
use crate::games::puyo_tsu::{POOL_LEN, State, Step};
use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdMask};

/// Classes of three states; the last state, 0xFFFFFFFF, is handled separately.
pub(super) const CLASSES: u32 = THIRD;

/// States with an accepted colour set that are collected before they are traced.
const GATHERED: usize = 1 << 12;

/// States on their way through the filter, in one thread.
pub(super) struct Filter<'a> {
    plan: &'a Plan,
    /// The table of accepted draws, one bit each.
    bits: [u8; DRAWS / 8],
    /// States after their first draw that wait for each stage.
    waiting: Vec<Vec<u32>>,
    /// States after their first draw that passed everything.
    passed: Vec<u32>,
    /// For plans whose first stage is passed by states that meet at once.
    merged: Option<Merged>,
}

impl<'a> Filter<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let mut bits = [0; DRAWS / 8];
        for (at, _) in plan.allowed.iter().enumerate().filter(|(_, accepted)| **accepted) {
            bits[at / 8] |= 1 << (at % 8);
        }
        let waiting = plan.stages.iter().map(|_| Vec::with_capacity(2 * GATHERED)).collect();
        let merged = plan.merges.then(|| Merged::new(plan));
        Self { plan, bits, waiting, passed: Vec::new(), merged }
    }

    /// Returns the states that passed so far.
    pub fn take_passed(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.passed)
    }

    /// Tries a block of the classes of states. Blocks that make up all classes try all states.
    pub fn classes<S: Simd>(&mut self, simd: S, first: u32, count: u32) {
        let Some(merged) = &mut self.merged else {
            return simd.vectorize(
                #[inline(always)]
                || self.classes_inside(simd, first, count),
            );
        };
        let (mut passed, mut untested) = (Vec::new(), Vec::new());
        let plan = self.plan;
        simd.vectorize(
            #[inline(always)]
            || merged.block(simd, plan, first, count, &mut passed, &mut untested),
        );
        self.gather(simd, &untested);
        self.send_on(simd, 0, passed);
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
            let sums = !(lane_numbers + next);
            // At most two of the three differ.
            let a = color_draw::<S>(sums);
            let b = color_draw::<S>(sums - THIRD);
            let c = color_draw::<S>(sums - THIRD.wrapping_mul(2));
            let other = b.simd_eq(a).select(c, b);
            let differs = other.simd_ne(a);
            let (states, accepted) = self.drawn(simd, a);
            filled = append_selected::<S, 1>([&mut gathered], filled, [states], accepted);
            let (states, accepted) = self.drawn(simd, other);
            filled = append_selected::<S, 1>([&mut gathered], filled, [states], accepted & differs);
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
            let (states, accepted) = self.drawn(simd, color_draw::<S>(!(lane_numbers + next)));
            filled = append_selected::<S, 1>([&mut gathered], filled, [states], accepted);
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

    /// The states after the first draw, from the complements of the sums, and whether all five draws make an accepted set.
    #[inline(always)]
    fn drawn<S: Simd>(&self, simd: S, first: S::u32s) -> (S::u32s, S::mask32s) {
        let draws = draws_after_first::<S>(first).1;
        let accepted = if chunk_len::<S>() == MAX_CHUNK {
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
        (!(first + COLOR_SUM), accepted)
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
        let chunk = chunk_len::<S>();
        let mut states = std::mem::take(&mut self.waiting[stage]);
        let full = if all { states.len() } else { states.len() - states.len() % chunk };
        let mut survivors = Vec::new();
        simd.vectorize(
            #[inline(always)]
            || {
                let mut rows = [[S::u8s::splat(simd, 0); SIDES]; POOL_LEN];
                for states in states[..full].chunks(chunk) {
                    let stage = &self.plan.stages[stage];
                    filter_chunk(simd, self.plan, stage, states, &mut rows, &mut survivors);
                }
            },
        );
        states.drain(..full);
        self.waiting[stage] = states;
        self.send_on(simd, stage, survivors);
    }

    /// Sends the states that passed a stage to the next.
    fn send_on<S: Simd>(&mut self, simd: S, stage: usize, survivors: Vec<u32>) {
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

/// Passes one chunk of states through a shuffle, traces the stage's constraints, and adds the states that match.
#[inline(always)]
fn filter_chunk<S: Simd>(
    simd: S,
    plan: &Plan,
    stage: &Stage,
    states: &[u32],
    rows: &mut Rows<S>,
    survivors: &mut Vec<u32>,
) {
    let mut padded = [0; MAX_CHUNK];
    padded[..states.len()].copy_from_slice(states);
    let walk = Walk::<S>::start(simd, &padded);
    walk.record(simd, plan.setup.first_step(), stage.stream, rows);
    let mut alive = [u64::MAX; SIDES];
    let mut right = [S::u8s::splat(simd, 0); SIDES];
    for constraints in stage.constraints.chunks(2) {
        let places = match constraints {
            [a, b] => [a.at[0], a.at[1], b.at[0], b.at[1]],
            [a, ..] => [a.at[0], a.at[1], a.at[0], a.at[1]],
            [] => continue,
        };
        let origins = origins(simd, rows, places);
        for (constraint, origins) in constraints.iter().zip(origins.chunks(2)) {
            for (side, draws) in walk.draws.chunks(S::u8s::LEN).take(SIDES).enumerate() {
                let origins = [origins[0][side], origins[1][side]];
                match stage.at_least {
                    None => alive[side] &= fits(simd, constraint, origins, draws).to_bitmask(),
                    Some(_) => right[side] += correct_bytes(simd, constraint, origins, draws),
                }
            }
        }
        if alive == [0; SIDES] {
            return;
        }
    }
    if let Some(least) = stage.at_least {
        #[expect(clippy::cast_possible_truncation, reason = "at most eight bytes")]
        let least = S::u8s::splat(simd, least as u8);
        for (alive, right) in alive.iter_mut().zip(right) {
            *alive = right.simd_ge(least).to_bitmask();
        }
    }
    for (at, &state) in states.iter().enumerate() {
        let (side, lane) = lane_of::<S>(at);
        if alive[side] >> lane & 1 == 1 {
            survivors.push(state);
        }
    }
}

/// The position of a colour in the set of each lane, 255 if absent.
#[inline(always)]
fn positions<S: Simd>(simd: S, code: u8, draws: &[u16]) -> S::u8s {
    if code > 7 {
        return S::u8s::splat(simd, u8::MAX); // a byte of a faulty pool
    }
    let positions = &*POSITIONS;
    S::u8s::from_fn(simd, |lane| positions[usize::from(draws[lane])][usize::from(code)])
}

/// The lanes in which the two bytes match one of the alternatives.
#[inline(always)]
fn fits<S: Simd>(simd: S, constraint: &PairConstraint, origins: [S::u8s; 2], draws: &[u16]) -> S::mask8s {
    let origins = origins.map(|places| modulo::<S>(places, constraint.colors));
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
    draws: &[u16],
) -> S::u8s {
    let mut right = S::u8s::splat(simd, 0);
    let Some(first) = constraint.alternatives.first() else { return right };
    for (accepted, origin) in first.iter().zip(origins) {
        if let Some(code) = *accepted {
            let equal = modulo::<S>(origin, constraint.colors).simd_eq(positions(simd, code, draws));
            right += equal.select(S::u8s::splat(simd, 1), S::u8s::splat(simd, 0));
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::seeds::{Observations, Query};
    use crate::games::puyo_tsu::{Setup, color_set, set_of_draws};
    use fearless_simd::dispatch;
    use nextscope_boards::Vectors;

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

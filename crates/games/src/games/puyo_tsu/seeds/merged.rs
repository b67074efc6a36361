//! The first stage for searches that accept most colour sets: states that meet in the colour draws go through the shuffle once.
//!
//! 56 % of all states are left after the first colour draw, and 21 % after the fifth. Those that meet are found side by side. On sums (state +
//! [`COLOR_SUM`]) a draw is s -> 33 s + e modulo M = 2^32 - 1, where e is 0 if the addition carries and otherwise 1. After five draws that is
//! 33^5 s + 33^4 e0 + (at most 37,060). 33^5 s is a multiple of 3 and the same for three sums M/3 apart, one class. So the classes are numbered
//! by it: class m is the one with 33^5 s = 3 m, and all sums after the fifth draw that have e0 = 0 are within 37,060 above 3 m. Those with
//! e0 = 1 are 33^4 above, that is 33^4 / 3 classes further. A block of numbers has nearly all that meet with one another; those in two blocks
//! go through the shuffle twice, and whatever does not lie in the block's window is left to the general filter. Nothing depends on the window
//! but time.

use crate::games::puyo_tsu::POOL_LEN;
use crate::games::puyo_tsu::seeds::plan::{PairConstraint, Plan};
use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::seeds::walk::{
    COLOR_SUM, MAX_CHUNK, POSITIONS, THIRD, Walk, color_draw, draws_after_first, lane_numbers, lane_of,
    lanes, modulo, origins,
};
use fearless_simd::{Select, Simd, SimdBase, SimdMask};

/// 33^5 / 3.
const FACTOR: u32 = 33u32.pow(5) / 3;
/// From a class's number to its least sum: modulo [`THIRD`] the inverse of [`FACTOR`].
const STRIDE: u32 = inverse(FACTOR, THIRD);
/// Classes between those that lead to the same sums with the first addition carrying and without.
const APART: u32 = 33u32.pow(4) / 3;
/// How far the last four draws spread.
const SPREAD: u32 = 33 + 33u32.pow(2) + 33u32.pow(3) + 1;
/// The most colours of a pool.
const COLORS: usize = 5;

/// Extended Euclid: `value * inverse` is 1 modulo `modulus`.
const fn inverse(value: u32, modulus: u32) -> u32 {
    let (mut rest, mut next_rest) = (modulus as i64, value as i64);
    let (mut factor, mut next_factor) = (0_i64, 1_i64);
    while next_rest != 0 {
        let quotient = rest / next_rest;
        (rest, next_rest) = (next_rest, rest - quotient * next_rest);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    assert!(rest == 1, "they have no common factor");
    #[expect(clippy::cast_possible_truncation, reason = "less than the modulus")]
    let inverse = factor.rem_euclid(modulus as i64) as u32;
    inverse
}

/// A class's least sum.
fn least_sum(class: u32) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "below THIRD")]
    let sum = (u64::from(class) * u64::from(STRIDE) % u64::from(THIRD)) as u32;
    sum
}

/// Places in the window of a block of so many classes.
fn window(count: u32) -> u32 {
    3 * count + SPREAD + 2
}

/// A state after its first draw, and where it leads.
#[derive(Clone, Copy)]
struct Source {
    after_first: u32,
    /// The place of the sum after the fifth draw in the window, and above its bits the ten bits of the draws.
    target: u32,
}

/// Bits of a place in the window.
const PLACE_BITS: u32 = u32::BITS - DRAWS.ilog2();

/// What a block needs, to be used again.
pub(super) struct Merged {
    /// For each sequence of draws the colour pairs that pass, as bits `5 * first + second` of the positions in the set.
    passing: Box<[u32; DRAWS]>,
    sources: Vec<Source>,
    /// The places in the window at which a source ends, as bits.
    reached: Vec<u64>,
    /// The places reached, ascending, and the colour pair of each place.
    places: Vec<u32>,
    pairs: Vec<u8>,
}

impl Merged {
    /// For the constraint of the plan's first stage.
    pub fn new(plan: &Plan) -> Self {
        let constraint = plan.stages.first().and_then(|stage| stage.constraints.first());
        let passing = Box::new(std::array::from_fn(|draws| match constraint {
            Some(constraint) if plan.allowed[draws] => passing(constraint, draws),
            _ => 0,
        }));
        Self { passing, sources: Vec::new(), reached: Vec::new(), places: Vec::new(), pairs: Vec::new() }
    }

    /// The states after their first draw that pass the plan's first stage, of these classes by number and of those [`APART`] from them; and those
    /// that were not tested.
    #[inline(always)]
    pub fn block<S: Simd>(
        &mut self,
        simd: S,
        plan: &Plan,
        first: u32,
        count: u32,
        passed: &mut Vec<u32>,
        untested: &mut Vec<u32>,
    ) {
        let window = window(count);
        debug_assert!(window < 1 << PLACE_BITS);
        self.sources.clear();
        self.reached.clear();
        self.reached.resize(window.div_ceil(64) as usize, 0);
        for carries in [true, false] {
            self.draw(simd, first, count, carries, untested);
        }
        self.places.clear();
        for (word, bits) in (0..).step_by(64).zip(&self.reached) {
            let mut bits = *bits;
            while bits != 0 {
                self.places.push(word + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        self.pairs.resize(window as usize, 0);
        let bottom = first.wrapping_mul(3).wrapping_sub(COLOR_SUM);
        for places in self.places.chunks(4 * S::u32s::LEN) {
            trace(simd, plan, bottom, places, &mut self.pairs);
        }
        for source in &self.sources {
            let place = source.target & ((1 << PLACE_BITS) - 1);
            let pair = self.pairs[place as usize];
            if self.passing[(source.target >> PLACE_BITS) as usize] >> pair & 1 == 1 {
                passed.push(source.after_first);
            }
        }
    }

    /// Draws the colours from those classes whose first addition carries, or does not.
    #[inline(always)]
    fn draw<S: Simd>(&mut self, simd: S, first: u32, count: u32, carries: bool, untested: &mut Vec<u32>) {
        let apart = if carries { 0 } else { APART };
        let begin = (first + THIRD - apart) % THIRD;
        let width = lanes::<S>();
        let numbers = lane_numbers::<S>(simd);
        let mut sums =
            S::u32s::from_fn(simd, |lane| least_sum((begin + u32::try_from(lane).unwrap_or(0)) % THIRD));
        let step = least_sum(width);
        let window = window(count);
        for at in (0..count).step_by(width as usize) {
            // The carries of all three: the sum becomes smaller, or stays as it is. Those with the same carry lead to the same.
            let after = [0, THIRD, 2 * THIRD].map(|third| {
                let sum = sums + third;
                let next = color_draw::<S>(sum);
                (next, next.simd_le(sum))
            });
            let [(a, a_carries), (b, b_carries), (c, c_carries)] = after;
            let (next, exists) = if carries {
                let next = a_carries.select(a, b_carries.select(b, c));
                (next, a_carries | b_carries | c_carries)
            } else {
                let next = a_carries.select(b_carries.select(c, b), a);
                (next, !(a_carries & b_carries & c_carries))
            };
            let exists = exists & (numbers + at).simd_lt(S::u32s::splat(simd, count));
            let (state, draws) = draws_after_first::<S>(next);
            let (after_first, places) = (next - COLOR_SUM, state + COLOR_SUM - first.wrapping_mul(3));
            let mut bits = exists.to_bitmask();
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize % S::u32s::LEN;
                bits &= bits - 1;
                let (place, draws) = (places.as_slice()[lane], draws.as_slice()[lane] & 0x3FF);
                let after_first = after_first.as_slice()[lane];
                if self.passing[draws as usize] == 0 {
                    continue;
                }
                if place >= window {
                    untested.push(after_first);
                    continue;
                }
                self.reached[place as usize / 64] |= 1 << (place % 64);
                self.sources.push(Source { after_first, target: place | draws << PLACE_BITS });
            }
            let next = sums + step;
            sums = next.min(next - THIRD);
        }
    }
}

/// The colour pairs that pass under these draws.
fn passing(constraint: &PairConstraint, draws: usize) -> u32 {
    let fits = |accepted: Option<u8>, position: usize| {
        accepted.is_none_or(|code| {
            POSITIONS[draws].get(usize::from(code)).is_some_and(|known| usize::from(*known) == position)
        })
    };
    let pairs = (0..COLORS).flat_map(|one| (0..COLORS).map(move |other| [one, other]));
    (0..).zip(pairs).fold(0, |bits, (number, pair)| {
        let passes = |alternative: &[Option<u8>; 2]| (0..2).all(|at| fits(alternative[at], pair[at]));
        bits | u32::from(constraint.alternatives.iter().any(passes)) << number
    })
}

/// Traces the two bytes of the first stage's constraint for up to a chunk of places in the window.
#[inline(always)]
fn trace<S: Simd>(simd: S, plan: &Plan, bottom: u32, places: &[u32], pairs: &mut [u8]) {
    let Some(stage) = plan.stages.first() else { return };
    let Some(constraint) = stage.constraints.first() else { return };
    let mut states = [0; MAX_CHUNK];
    for (state, place) in states.iter_mut().zip(places) {
        *state = bottom.wrapping_add(*place);
    }
    let mut walk = Walk::<S>::after_colors(simd, &states);
    let mut rows = [S::u8s::splat(simd, 0); POOL_LEN];
    walk.skip(simd, plan.setup.first_step(), stage.stream);
    walk.record(simd, plan.setup.first_step(), stage.stream, &mut rows);
    let [one, other] =
        origins(simd, &rows, constraint.at).map(|places| modulo(simd, places, constraint.colors));
    let pair = (one << 2) + one + other;
    for (at, place) in places.iter().enumerate() {
        pairs[*place as usize] = pair.as_slice()[lane_of(at, S::u32s::LEN)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::seeds::filter::{CLASSES, Filter};
    use crate::games::puyo_tsu::seeds::{Observations, ObservedPair, Query};
    use crate::games::puyo_tsu::{Setup, State, Step, generate};
    use crate::seeds::Vectors;
    use fearless_simd::dispatch;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The number of the class of a state, and of the one that leads to the same sums if its first addition does not carry.
    fn number(state: State) -> u32 {
        let sum = state.0.wrapping_add(COLOR_SUM);
        let next = sum.rotate_left(5).wrapping_add(sum).wrapping_add(1);
        let class = u64::from(sum) * u64::from(FACTOR) % u64::from(THIRD);
        let apart = if next <= sum { 0 } else { APART };
        (u32::try_from(class).unwrap() + apart) % THIRD
    }

    /// Four pairs of a round of the story with five colours, some of them known by half or without their order.
    fn query(state: State) -> Query {
        let setup = Setup { mode: 0, rank: 2, ..Setup::VERSUS };
        let round = generate(state, setup);
        let pools = round.pools.map(|pool| pool.unwrap_or([0; POOL_LEN]));
        let mut observed = Observations::empty(setup);
        let dealer = observed.dealer();
        observed.pairs = (0..4)
            .map(|deal_index| {
                let pair = dealer.pair(&pools, deal_index).unwrap();
                let child = (deal_index != 1).then_some(pair.child);
                ObservedPair { deal_index, axis: Some(pair.axis), child }
            })
            .collect();
        Query::new(&observed).unwrap()
    }

    #[test]
    fn the_constants_undo_each_other() {
        assert_eq!(u64::from(FACTOR) * u64::from(STRIDE) % u64::from(THIRD), 1);
        assert_eq!(u64::from(THIRD) * 3, u64::from(u32::MAX));
        assert_eq!((33u32.pow(5) % 3, 33u32.pow(4) % 3), (0, 0));
    }

    #[test]
    fn a_block_finds_what_its_states_lead_to() {
        for vectors in Vectors::all() {
            for first in [0, 1_234_567, CLASSES - 3001] {
                let count = 3001;
                let block = first..first + count;
                let three = [0, THIRD, 2 * THIRD].map(|third| least_sum(first + 77) + third);
                let mut planted = three.map(|sum| State(sum.wrapping_sub(COLOR_SUM))).into_iter();
                let planted = planted.find(|state| block.contains(&number(*state))).unwrap();
                let query = query(planted);
                let plan = Plan::exact(&query);
                assert!(plan.merges);
                let mut filter = Filter::new(&plan);
                dispatch!(vectors.level(), simd => filter.classes(simd, first, count));
                dispatch!(vectors.level(), simd => filter.flush(simd));
                let found: BTreeSet<u32> = filter.take_passed().into_iter().collect();
                let classes =
                    [0, APART].map(|apart| block.clone().map(move |class| (class + THIRD - apart) % THIRD));
                let sums = classes
                    .into_iter()
                    .flatten()
                    .flat_map(|class| [0, THIRD, 2 * THIRD].map(|third| least_sum(class) + third));
                let states = sums.map(|sum| State(sum.wrapping_sub(COLOR_SUM)));
                let expected: BTreeSet<u32> = states
                    .filter(|state| {
                        block.contains(&number(*state)) && query.fits(&generate(*state, query.setup()))
                    })
                    .map(|state| state.advance(Step::COLOR).0)
                    .collect();
                assert_eq!(found, expected, "{} from {first}", vectors.name());
                assert!(found.contains(&planted.advance(Step::COLOR).0), "{planted}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_state_is_found_in_the_block_of_its_number(state: u32) {
            let state = State(state);
            prop_assume!(state.0.wrapping_add(COLOR_SUM) != u32::MAX);
            let query = query(state);
            let plan = Plan::exact(&query);
            let vectors = Vectors::widest();
            let mut filter = Filter::new(&plan);
            let first = number(state).saturating_sub(20).min(CLASSES - 100);
            dispatch!(vectors.level(), simd => filter.classes(simd, first, 100));
            dispatch!(vectors.level(), simd => filter.flush(simd));
            prop_assert!(filter.take_passed().contains(&state.advance(Step::COLOR).0));
        }

        #[test]
        fn sums_lie_in_the_window(sum in 0..u32::MAX) {
            let class = number(State(sum.wrapping_sub(COLOR_SUM)));
            let mut next = sum;
            for _ in 0..5 {
                next = next.rotate_left(5).wrapping_add(next).wrapping_add(1);
            }
            let above = next.wrapping_sub(class.wrapping_mul(3));
            prop_assert!(above < SPREAD + 2 || next == u32::MAX, "{above}");
        }
    }
}

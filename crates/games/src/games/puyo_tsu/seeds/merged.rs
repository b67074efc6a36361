//! The first stage for searches that accept most colour sets: states that meet in the colour draws go through the shuffle once.
//!
//! 56 % of all states are left after the first colour draw, and 21 % after the fifth. Those that meet are found side by side. On sums (state +
//! [`COLOR_SUM`]) a draw is s -> 33 s + e modulo M = 2^32 - 1, where e is 0 if the addition carries and otherwise 1. After five draws that is
//! 33^5 s + 33^4 e0 + (at most 37,060). 33^5 s is a multiple of 3 and the same for three sums M/3 apart, one class. So the classes are numbered
//! by it: class m is the one with 33^5 s = 3 m, and all sums after the fifth draw that have e0 = 0 are within 37,060 above 3 m. Those with
//! e0 = 1 are 33^4 above, that is 33^4 / 3 classes further. A block of numbers has nearly all that meet with one another; those in two blocks
//! go through the shuffle twice, and whatever does not lie in the block's window is left to the general filter. Nothing depends on the window
//! but time.
//!
//! A block is too large for a processor's cache, so it goes part by part. The sources of a part end in its own places and in those of the next
//! part, which are more than [`SPREAD`], and in none before. When the sources of a part are marked:
//!
//! | places | state |
//! |---|---|
//! | of the parts before | traced, but for those of the last part that no source of the parts before it ends in: some may wait for a full chunk |
//! | of this part | every mark is made: they are traced, and then the sources of the part before are selected |
//! | of the next part | cleared, as far as sources of this part may end there; not every mark is made |

use crate::games::puyo_tsu::POOL_LEN;
use crate::games::puyo_tsu::seeds::plan::{PairConstraint, Plan};
use crate::games::puyo_tsu::seeds::query::DRAWS;
use crate::games::puyo_tsu::seeds::walk::{
    COLOR_SUM, MAX_CHUNK, POSITIONS, Rows, SIDES, THIRD, Walk, append_selected, chunk_len, color_draw,
    draws_after_first, lane_numbers, lanes, modulo, origins,
};
use fearless_simd::{Select, Simd, SimdBase, SimdMask};
use std::ops::Range;

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

/// Bits of a place in the window.
const PLACE_BITS: u32 = u32::BITS - DRAWS.ilog2();
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
/// The most classes of a block.
pub(super) const MAX_BLOCK: u32 = (PLACE_MASK - SPREAD - 2) / 3;
/// In place of a colour pair: no source ends here; one does, and the pair is not known yet.
const UNREACHED: u8 = u8::MAX;
const REACHED: u8 = UNREACHED - 1;

/// Classes of a part, and its places.
const PART: u32 = 1 << 14;
const PART_PLACES: u32 = 3 * PART;
/// Places are cleared and looked at by as many as the longest vector has bytes.
const VECTOR: u32 = 64;
const _: () = assert!(PART_PLACES.is_multiple_of(VECTOR));
const _: () = assert!(
    SPREAD + 2 <= PART_PLACES,
    "the sources of a part end in its own places and in those of the next"
);

/// What a block needs, to be used again.
pub(super) struct Merged {
    /// For each sequence of draws the colour pairs that pass, as bits `5 * first + second` of the positions in the set.
    passing: Box<[u32; DRAWS]>,
    /// Whether some pair passes under every sequence.
    all_pass: bool,
    /// Those of this part, and of the part before.
    sources: Sources,
    before: Sources,
    /// The colour pair of each place in the window.
    pairs: Vec<u8>,
    /// The places reached that are to be traced, ascending.
    places: Vec<u32>,
}

/// States after their first draw, and where they lead.
#[derive(Default)]
struct Sources {
    len: usize,
    after_first: Vec<u32>,
    /// The place of the sum after the fifth draw in the window, and above its bits the ten bits of the draws.
    target: Vec<u32>,
}

impl Sources {
    /// Empties them. The room is for one state of each class and carry, and for two vectors that are only partly used.
    fn clear(&mut self) {
        const ROOM: usize = 2 * (PART + VECTOR) as usize;
        self.len = 0;
        self.after_first.resize(ROOM, 0);
        self.target.resize(ROOM, 0);
    }

    fn targets(&self) -> &[u32] {
        &self.target[..self.len]
    }

    #[inline(always)]
    fn append<S: Simd>(&mut self, after_first: S::u32s, target: S::u32s, selected: S::mask32s) {
        let lists = [&mut self.target[..], &mut self.after_first[..]];
        self.len = append_selected::<S, 2>(lists, self.len, [target, after_first], selected);
    }

    /// The states whose colour pair passes: they are moved to the front. That cannot be predicted, so there is no branch: each is moved, and
    /// the next overwrites it if it does not pass. Not inlined: what is left of the block's registers is not enough for this.
    #[inline(never)]
    fn select(&mut self, pairs: &[u8], passing: &[u32; DRAWS]) -> &[u32] {
        let mut count = 0;
        for (index, target) in self.target[..self.len].iter().enumerate() {
            let pair = pairs[(target & PLACE_MASK) as usize];
            debug_assert!(pair < REACHED, "the place is traced");
            self.after_first[count] = self.after_first[index];
            count += (passing[(target >> PLACE_BITS) as usize] >> (pair & 31) & 1) as usize;
        }
        &self.after_first[..count]
    }
}

impl Merged {
    /// For the constraint of the plan's first stage.
    pub fn new(plan: &Plan) -> Self {
        let constraint = plan.stages.first().and_then(|stage| stage.constraints.first());
        let passing: Box<[u32; DRAWS]> = Box::new(std::array::from_fn(|draws| match constraint {
            Some(constraint) if plan.allowed[draws] => passing(constraint, draws),
            _ => 0,
        }));
        let all_pass = passing.iter().all(|pairs| *pairs != 0);
        let [sources, before] = [Sources::default(), Sources::default()];
        Self { passing, all_pass, sources, before, pairs: Vec::new(), places: Vec::new() }
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
        debug_assert!(count <= MAX_BLOCK);
        let length = window(count).next_multiple_of(VECTOR) as usize;
        self.pairs.resize(length.max(self.pairs.len()), UNREACHED);
        let bottom = first.wrapping_mul(3).wrapping_sub(COLOR_SUM);
        let mut rows = [[S::u8s::splat(simd, 0); SIDES]; POOL_LEN];
        let (mut cleared, mut waiting) = (0, 0);
        self.before.clear();
        for offset in (0..count).step_by(PART as usize) {
            let part = offset..count.min(offset + PART);
            let clear_to = window(part.end).next_multiple_of(VECTOR) as usize;
            self.pairs[cleared..clear_to].fill(UNREACHED);
            cleared = clear_to;
            self.sources.clear();
            for carries in [true, false] {
                self.draw(simd, first, &part, carries, untested);
            }
            let Self { passing, sources, before, pairs, places, .. } = self;
            mark(sources.targets(), pairs);
            let is_last = part.end == count;
            let marked_to = if is_last { clear_to } else { 3 * part.end as usize };
            let reached = append_reached(simd, pairs, 3 * offset as usize..marked_to, places, waiting);
            // Those that do not fill a chunk wait for the next part, unless a source of the part before ends there.
            let whole = reached - reached % chunk_len::<S>();
            let may_wait =
                !is_last && places[whole..reached].first().is_none_or(|place| *place >= window(offset));
            let traced = if may_wait { whole } else { reached };
            for places in places[..traced].chunks(chunk_len::<S>()) {
                trace(simd, plan, bottom, places, &mut rows, pairs);
            }
            places.copy_within(traced..reached, 0);
            waiting = reached - traced;
            passed.extend_from_slice(before.select(pairs, passing));
            std::mem::swap(sources, before);
        }
        passed.extend_from_slice(self.before.select(&self.pairs, &self.passing));
    }

    /// Draws the colours from those classes of a part of the block from `first` on whose first addition carries, or does not.
    #[inline(always)]
    fn draw<S: Simd>(
        &mut self,
        simd: S,
        first: u32,
        part: &Range<u32>,
        carries: bool,
        untested: &mut Vec<u32>,
    ) {
        let count = part.end - part.start;
        let apart = if carries { 0 } else { APART };
        let begin = (first + part.start + THIRD - apart) % THIRD;
        let width = lanes::<S>();
        let numbers = lane_numbers::<S>(simd);
        let mut sums =
            S::u32s::from_fn(simd, |lane| least_sum((begin + u32::try_from(lane).unwrap_or(0)) % THIRD));
        let step = least_sum(width);
        let window = S::u32s::splat(simd, window(count));
        let counts = S::u32s::splat(simd, count);
        for at in (0..count).step_by(width as usize) {
            // The carries of all three: the sum becomes smaller, or stays as it is. Those with the same carry lead to the same.
            let after = [0, THIRD, 2 * THIRD].map(
                #[inline(always)]
                |third| {
                    let sum = !sums - third;
                    let next = color_draw::<S>(sum);
                    (next, next.simd_ge(sum))
                },
            );
            let [(a, a_carries), (b, b_carries), (c, c_carries)] = after;
            let (next, exists) = if carries {
                let next = a_carries.select(a, b_carries.select(b, c));
                (next, a_carries | b_carries | c_carries)
            } else {
                let next = a_carries.select(b_carries.select(c, b), a);
                (next, !(a_carries & b_carries & c_carries))
            };
            let mut exists = exists & (numbers + at).simd_lt(counts);
            let (state, draws) = draws_after_first::<S>(next);
            if !self.all_pass {
                let passing =
                    S::u32s::from_fn(simd, |lane| self.passing[draws.as_slice()[lane] as usize % DRAWS]);
                exists &= !passing.simd_eq(S::u32s::splat(simd, 0));
            }
            let (after_first, places) = (!(next + COLOR_SUM), !state + COLOR_SUM - first.wrapping_mul(3));
            let is_inside = (places - 3 * part.start).simd_lt(window);
            self.sources.append::<S>(after_first, places | (draws << PLACE_BITS), exists & is_inside);
            let mut bits = (exists & !is_inside).to_bitmask();
            while bits != 0 {
                untested.push(after_first.as_slice()[bits.trailing_zeros() as usize % S::u32s::LEN]);
                bits &= bits - 1;
            }
            let next = sums + step;
            sums = next.min(next - THIRD);
        }
    }
}

/// Marks the places where sources end. Not inlined, as [`Sources::select`].
#[inline(never)]
fn mark(targets: &[u32], pairs: &mut [u8]) {
    for target in targets {
        pairs[(target & PLACE_MASK) as usize] = REACHED;
    }
}

/// Appends the marked places of a range to the first `filled` ones; returns the new number of places.
#[inline(always)]
fn append_reached<S: Simd>(
    simd: S,
    pairs: &[u8],
    range: Range<usize>,
    places: &mut Vec<u32>,
    mut filled: usize,
) -> usize {
    places.resize(places.len().max(filled + range.len() + S::u32s::LEN), 0);
    #[expect(clippy::cast_possible_truncation, reason = "a place has 22 bits")]
    let first = range.start as u32;
    if S::u32s::LEN == 4 {
        // One by one is faster than four by four. Each is written, and the next overwrites it if it is not reached.
        for (place, pair) in (first..).zip(&pairs[range]) {
            places[filled] = place;
            filled += usize::from(*pair == REACHED);
        }
        return filled;
    }
    let mut numbers = lane_numbers::<S>(simd) + first;
    for pairs in pairs[range].chunks_exact(S::u8s::LEN) {
        let mut bits = S::u8s::from_slice(simd, pairs).simd_eq(REACHED).to_bitmask();
        for _ in 0..S::u8s::LEN / S::u32s::LEN {
            let reached = S::mask32s::from_bitmask(simd, bits);
            filled = append_selected::<S, 1>([places], filled, [numbers], reached);
            bits >>= S::u32s::LEN;
            numbers += lanes::<S>();
        }
    }
    filled
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
fn trace<S: Simd>(simd: S, plan: &Plan, bottom: u32, places: &[u32], rows: &mut Rows<S>, pairs: &mut [u8]) {
    let Some(stage) = plan.stages.first() else { return };
    let Some(constraint) = stage.constraints.first() else { return };
    let mut states = [0; MAX_CHUNK];
    for (state, place) in states.iter_mut().zip(places) {
        *state = bottom.wrapping_add(*place);
    }
    let walk = Walk::<S>::after_colors(simd, &states);
    walk.record(simd, plan.setup.first_step(), stage.stream, rows);
    let [mut pairs_of_sides, second] = origins(simd, rows, constraint.at);
    for (first, second) in pairs_of_sides.iter_mut().zip(second) {
        let one = modulo::<S>(*first, constraint.colors);
        *first = (one << 2) + one + modulo::<S>(second, constraint.colors);
    }
    for (vector, places) in places.chunks(S::u32s::LEN).enumerate() {
        let bytes = pairs_of_sides[vector / 4 % SIDES].as_slice();
        for (place, word) in places.iter().zip(bytes.chunks_exact(4)) {
            pairs[*place as usize] = word[vector % 4];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::puyo_tsu::seeds::filter::{CLASSES, Filter};
    use crate::games::puyo_tsu::seeds::{Observations, ObservedPair, Query};
    use crate::games::puyo_tsu::{Setup, State, Step, generate};
    use fearless_simd::dispatch;
    use nextscope_boards::Vectors;
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
        // The last one has three parts.
        for (first, count) in [(0, 3001), (CLASSES - 3001, 3001), (1_234_567, 2 * PART + 3001)] {
            let block = first..first + count;
            let three = [0, THIRD, 2 * THIRD].map(|third| least_sum(first + 77) + third);
            let mut planted = three.map(|sum| State(sum.wrapping_sub(COLOR_SUM))).into_iter();
            let planted = planted.find(|state| block.contains(&number(*state))).unwrap();
            let query = query(planted);
            let plan = Plan::exact(&query);
            assert!(plan.merges);
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
            assert!(expected.contains(&planted.advance(Step::COLOR).0), "{planted}");
            for vectors in Vectors::all() {
                let mut filter = Filter::new(&plan);
                dispatch!(vectors.level(), simd => filter.classes(simd, first, count));
                dispatch!(vectors.level(), simd => filter.flush(simd));
                let found: BTreeSet<u32> = filter.take_passed().into_iter().collect();
                assert_eq!(found, expected, "{} from {first}", vectors.name());
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

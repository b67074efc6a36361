//! The search for the second shuffle over all states, in the order in which the generator goes through them.
//!
//! Bytes are traced for all states, place after place, until few states are left; these are then traced one by one, test after test. With
//! tables (`lookup`), 64 states with each of the eight shifts have the same ones: as soon as fewer than [`MANY`] of these 512 are left, only
//! those are traced, several shifts in a vector.

use crate::games::mean_bean::rng::{REACHABLE, State};
use crate::games::mean_bean::seeds::lookup::{Lanes, Tables, is_fast};
use crate::games::mean_bean::seeds::plan::{COLORS, Plan, Step, TOGETHER, number};
use crate::games::mean_bean::seeds::query::Renamings;
use crate::games::mean_bean::seeds::run::{LOW_WORDS, Run};
use crate::games::mean_bean::seeds::stream::{
    LANES, PAIR, SIDE_BY_SIDE, STATES, Shift, Stream, append, bits,
};
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, u8x64};
use rayon::prelude::*;

#[expect(clippy::cast_possible_truncation, reason = "5")]
const BASE: u8 = COLORS as u8;
/// Rows of states side by side.
const ROWS: usize = STATES / LANES;
const SHIFTS: usize = Shift::COUNT as usize;
/// From how many of a row's states with their shifts on it is faster to trace all than to pack those that are left.
const MANY: u32 = 192;

/// The states before a round whose second shuffle passes, among all.
pub fn in_order(plan: &Plan, level: Level, run: Run<'_>) -> Vec<State> {
    #[expect(clippy::cast_possible_truncation, reason = "2^12")]
    let blocks = REACHABLE / Shift::COUNT / STATES as u32;
    let first = State(0xA);
    let tested = (0..blocks).into_par_iter().map_init(Work::new, |work, block| {
        let mut states = Vec::new();
        if !run.ended() {
            let start = first.jump(i64::from(block) * STATES as i64);
            dispatch!(level, simd => work.in_block(simd, plan, start, &mut states));
            run.send(&states);
        }
        let parts = if plan.classes.is_some() { 1 } else { 2 };
        run.progress.add(if block.is_multiple_of(blocks / LOW_WORDS) { parts } else { 0 });
        states
    });
    tested.flatten_iter().collect()
}

/// What the search of a block needs, to be used again.
pub struct Work {
    stream: Stream,
    tables: Box<Tables>,
    /// By shift the colours at the places that are traced for all states.
    sides: Vec<Vec<Side>>,
    /// A bit for each state whose class is left.
    classes: [u64; ROWS],
    /// By shift a bit for each state that the places traced for all leave, or for which the tables do not tell.
    possible: [[u64; ROWS]; SHIFTS],
    packed: Box<Packed>,
    traced: [Box<[u8; STATES]>; 2],
    /// The states that are left, and a place for fewer.
    left: Box<[u16; STATES]>,
    passing: Box<[u16; STATES]>,
    /// The renamings that are left for each of them, by state.
    renamings: Box<[Renamings; STATES]>,
}

/// The colours at a place.
struct Side {
    colors: Box<[u8; STATES]>,
    /// A bit for each state for which the tables do not tell: it has still to be traced one by one.
    unknown: [u64; ROWS],
}

impl Side {
    fn new() -> Self {
        Self { colors: Box::new([0; STATES]), unknown: [0; ROWS] }
    }

    /// Those of a row, of bytes that come from these places.
    #[inline(always)]
    fn set(&mut self, row: usize, origins: &[u8; LANES], unknown: u64) {
        let colors = &mut self.colors[row * LANES..(row + 1) * LANES];
        for (color, from) in colors.iter_mut().zip(origins) {
            *color = from % BASE;
        }
        self.unknown[row] = unknown;
    }
}

impl Work {
    /// For [`in_block`](Self::in_block).
    pub fn new() -> Self {
        Self {
            stream: Stream::new(),
            tables: Box::new(Tables::new()),
            sides: Shift::all().map(|_| Vec::new()).collect(),
            classes: [u64::MAX; ROWS],
            possible: [[0; ROWS]; SHIFTS],
            packed: Box::new(Packed::new()),
            traced: std::array::from_fn(|_| Box::new([0; STATES])),
            left: Box::new([0; STATES]),
            passing: Box::new([0; STATES]),
            renamings: Box::new([0; STATES]),
        }
    }

    /// The same for those whose second shuffle begins at this state or one of the next, with every shift.
    #[inline(always)]
    pub fn in_block<S: Simd>(&mut self, simd: S, plan: &Plan, start: State, found: &mut Vec<State>) {
        self.stream.fill(start);
        if let Some(classes) = &plan.classes {
            // A class does not depend on the shift.
            for (row, left) in self.classes.iter_mut().enumerate() {
                *left = bits(LANES, |lane| classes.has(self.stream.before_round(state_at(row, lane))));
            }
        }
        self.possible = [self.classes; SHIFTS];
        for sides in &mut self.sides {
            sides.resize_with(plan.places.len(), Side::new);
        }
        let is_fast = is_fast(simd.level());
        if is_fast && !plan.steps.is_empty() {
            for row in 0..ROWS {
                self.look_up(simd, plan, row);
            }
        }
        for (number, shift) in Shift::all().enumerate() {
            self.stream.shift(shift);
            if !is_fast {
                self.go_through(simd, plan, number);
            }
            self.test(plan, number, found);
        }
    }

    /// The states of a row, with every shift, that the places traced for all leave, by tables.
    #[inline(always)]
    fn look_up<S: Simd>(&mut self, simd: S, plan: &Plan, row: usize) {
        let Self { stream, tables, sides, possible, packed, .. } = self;
        let [draws, next] = stream.reach(row * LANES);
        tables.fill(draws, next);
        for step in &plan.steps {
            let count: u32 = possible.iter().map(|rows| rows[row].count_ones()).sum();
            if count == 0 {
                break;
            }
            let places = step.traced.clone().zip(&plan.places[step.traced.clone()]);
            if count > MANY {
                for (index, place) in places {
                    for (shifts, sides) in Shift::pairs().zip(sides.as_chunks_mut::<PAIR>().0) {
                        let traced = tables.origins(simd, shifts, *place);
                        for (sides, (origins, unknown)) in sides.iter_mut().zip(traced) {
                            sides[index].set(row, &origins, unknown);
                        }
                    }
                }
            } else {
                packed.pack(possible, row);
                for (index, place) in places {
                    packed.trace(simd, tables, *place, row, index, sides);
                }
            }
            for (possible, sides) in possible.iter_mut().zip(&*sides) {
                let unknown =
                    sides[step.places.clone()].iter().fold(0, |unknown, side| unknown | side.unknown[row]);
                possible[row] &= leaves(simd, step, &sides[step.places.clone()], row) | unknown;
            }
        }
    }

    /// The same through every exchange, for one shift.
    #[inline(always)]
    fn go_through<S: Simd>(&mut self, simd: S, plan: &Plan, shift: usize) {
        let sides = &mut self.sides[shift];
        for (place, side) in plan.places.iter().zip(&mut *sides) {
            for first in (0..STATES).step_by(SIDE_BY_SIDE) {
                let colors = self.stream.origins(simd, first, *place).map(|from| from % BASE);
                side.colors[first..first + SIDE_BY_SIDE].copy_from_slice(&colors);
            }
        }
        for step in plan.last_steps() {
            for (row, possible) in self.possible[shift].iter_mut().enumerate() {
                *possible &= leaves(simd, step, &sides[step.places.clone()], row);
            }
        }
    }

    /// The states of the shift that pass.
    #[inline(always)]
    fn test(&mut self, plan: &Plan, shift: usize, found: &mut Vec<State>) {
        let Self { stream, sides, possible, traced, left, passing, renamings, .. } = self;
        let sides = &mut sides[shift];
        for (place, side) in plan.places.iter().zip(&mut *sides) {
            let mut count = 0;
            for (row, (unknown, possible)) in side.unknown.iter().zip(&possible[shift]).enumerate() {
                append(unknown & possible, |lane| state_at(row, lane), left, &mut count);
            }
            stream.origins_of(&left[..count], *place, &mut side.colors);
            for state in &left[..count] {
                side.colors[usize::from(*state) % STATES] %= BASE;
            }
        }
        let mut count = 0;
        for (row, possible) in possible[shift].iter().enumerate() {
            append(*possible, |lane| state_at(row, lane), left, &mut count);
        }
        let all = plan.classes.as_ref().and_then(|classes| classes.left.as_ref());
        retain(left, passing, &mut count, |state| {
            let class = |all: &Vec<Renamings>| all[number(stream.before_round(state).0)];
            let state_left = plan.renamings & all.map_or(Renamings::MAX, class);
            let state = usize::from(state) % STATES;
            let of_step = |step: &Step| {
                let sides = sides[step.places.clone()].iter();
                step.left[sides.fold(0, |number, side| number * COLORS + usize::from(side.colors[state]))]
            };
            renamings[state] = plan.last_steps().fold(state_left, |left, step| left & of_step(step));
            renamings[state] != 0
        });
        for test in &plan.tests {
            for byte in 0..test.bytes {
                if test.known[byte].is_none() {
                    stream.origins_of(&left[..count], test.constraint.at[byte], &mut traced[byte]);
                }
                let [first, second] = [0, 1].map(|byte| match test.known[byte] {
                    Some(index) => &sides[index].colors,
                    None => &traced[byte],
                });
                retain(left, passing, &mut count, |state| {
                    let state = usize::from(state) % STATES;
                    let color = |from: &[u8; STATES]| usize::from(from[state]) % COLORS;
                    let second = if byte == 0 { COLORS } else { color(second) };
                    renamings[state] &= test.left[color(first)][second];
                    renamings[state] != 0
                });
            }
        }
        found.extend(left[..count].iter().map(|state| stream.before_round(*state)));
    }
}

/// Those of a row's states that are left, with their shifts, without gaps.
struct Packed {
    count: usize,
    /// The number of the shift, and in the lower bits that of the state in the row.
    ids: [u16; Self::ROOM],
    /// By these the origins of the byte that was traced last.
    origins: [u8; Self::ROOM],
}

impl Packed {
    /// All of them.
    const ROOM: usize = SHIFTS * LANES;

    const fn new() -> Self {
        Self { count: 0, ids: [0; Self::ROOM], origins: [0; Self::ROOM] }
    }

    /// Those with these bits.
    #[inline(always)]
    fn pack(&mut self, possible: &[[u64; ROWS]; SHIFTS], row: usize) {
        let mut count = 0;
        for (first, possible) in (0..).step_by(LANES).zip(possible) {
            let mut bits = possible[row];
            while bits != 0 {
                let [lane, ..] = bits.trailing_zeros().to_le_bytes();
                self.ids[count % Self::ROOM] = first | u16::from(lane);
                count += 1;
                bits &= bits - 1;
            }
        }
        self.count = count;
    }

    /// Traces the byte at this place back; the side with this index gets the colours.
    #[inline(always)]
    fn trace<S: Simd>(
        &mut self,
        simd: S,
        tables: &Tables,
        place: u8,
        row: usize,
        index: usize,
        sides: &mut [Vec<Side>],
    ) {
        let mut unknowns = [0; SHIFTS];
        let (vectors, _) = self.ids.as_chunks::<LANES>();
        for vectors in vectors[..self.count.div_ceil(LANES)].chunks(PAIR) {
            let first = Lanes::new(&vectors[0]);
            if let [_, second] = vectors {
                let lanes = [first, Lanes::new(second)];
                let traced = tables.origins_of(simd, &lanes, place);
                put(&mut self.origins, &mut unknowns, &vectors[0], traced[0]);
                put(&mut self.origins, &mut unknowns, second, traced[1]);
            } else {
                let [traced] = tables.origins_of(simd, &[first], place);
                put(&mut self.origins, &mut unknowns, &vectors[0], traced);
            }
        }
        for ((sides, origins), unknown) in sides.iter_mut().zip(self.origins.as_chunks().0).zip(unknowns) {
            sides[index].set(row, origins, unknown);
        }
    }
}

/// Puts the bytes to their ids. Lanes beyond the last id have one of before, whose byte is right as well.
#[inline(always)]
fn put(
    origins: &mut [u8; Packed::ROOM],
    unknowns: &mut [u64; SHIFTS],
    ids: &[u16; LANES],
    (traced, mut unknown): ([u8; LANES], u64),
) {
    for (id, traced) in ids.iter().zip(traced) {
        origins[usize::from(*id) % Packed::ROOM] = traced;
    }
    while unknown != 0 {
        let id = ids[unknown.trailing_zeros() as usize % LANES];
        unknowns[usize::from(id) / LANES % SHIFTS] |= 1 << (id % 64);
        unknown &= unknown - 1;
    }
}

/// Keeps those of the states that pass, in their order.
#[inline(always)]
fn retain(
    left: &mut Box<[u16; STATES]>,
    passing: &mut Box<[u16; STATES]>,
    count: &mut usize,
    mut passes: impl FnMut(u16) -> bool,
) {
    let mut passed = 0;
    for states in left[..*count].chunks(64) {
        append(bits(states.len(), |lane| passes(states[lane])), |lane| states[lane], passing, &mut passed);
    }
    std::mem::swap(left, passing);
    *count = passed;
}

/// The state of a lane.
fn state_at(row: usize, lane: usize) -> u16 {
    let [low, high, ..] = (row * LANES + lane).to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// The bits of a row's states that the colours which a step looks up leave possible.
#[inline(always)]
fn leaves<S: Simd>(simd: S, step: &Step, sides: &[Side], row: usize) -> u64 {
    let colors = |side: &Side| u8x64::from_slice(simd, &side.colors[row * LANES..(row + 1) * LANES]);
    let three = sides.iter().take(TOGETHER - 1);
    let number = three.fold(u8x64::splat(simd, 0), |number, side| number * BASE + colors(side));
    let (first, second) = step.possible.split_at(LANES);
    let of_fourth =
        u8x64::from_slice(simd, first).concat_swizzle_dyn(u8x64::from_slice(simd, second), number);
    let bit = if let Some(fourth) = sides.get(TOGETHER - 1) {
        let bits: [u8; LANES] = std::array::from_fn(|color| 1 << (color % 8));
        u8x64::load_array(simd, bits).swizzle_dyn(colors(fourth))
    } else {
        u8x64::splat(simd, 1)
    };
    !(of_fourth & bit).simd_eq(0).to_bitmask()
}

//! The search for the second shuffle over all states, in the order in which the generator goes through them.

use crate::games::mean_bean::generator::Setup;
use crate::games::mean_bean::rng::{REACHABLE, State};
use crate::games::mean_bean::seeds::lookup::{Tables, is_fast};
use crate::games::mean_bean::seeds::query::{Constraint, Query, Renamings};
use crate::games::mean_bean::seeds::run::{LOW_WORDS, Run};
use crate::games::mean_bean::seeds::stream::{
    LANES, PAIR, SIDE_BY_SIDE, STATES, Shift, Stream, append, bits,
};
use fearless_simd::{Level, Simd, SimdBase, SimdMask, dispatch, u8x64};
use rayon::prelude::*;
use std::cmp::Reverse;

/// The colours of the second shuffle.
const COLORS: usize = Setup::VERSUS.colors()[1];
#[expect(clippy::cast_possible_truncation, reason = "5")]
const BASE: u8 = COLORS as u8;
/// The most places that are traced for all states.
const SIDES: usize = 4;
/// At least as many as there are combinations of three colours.
const COMBINATIONS: usize = COLORS.pow(3).next_power_of_two();
/// Of how many states the bytes are traced faster one by one than side by side: by tables, and through every exchange.
const FEW: [f64; 2] = [0.12, 0.3];
/// Rows of states side by side.
const ROWS: usize = STATES / LANES;
/// Tests among which those for all states are chosen.
const CHOICE: usize = 24;

/// The states with the same first pool: those with the same low 24 bits.
pub struct Classes {
    /// The renamings that the first pool leaves, if there are several.
    left: Option<Vec<Renamings>>,
    /// A bit for each that is left.
    possible: Vec<u64>,
    share: f64,
}

impl Classes {
    const COUNT: usize = 1 << 20;

    /// From the low 24 bits of those that are left, with the renamings.
    pub fn new(classes: &[(u32, Renamings)], renames: bool) -> Self {
        let mut possible = vec![0; Self::COUNT / 64];
        for (class, _) in classes {
            let number = number(*class);
            possible[number / 64] |= 1 << (number % 64);
        }
        let left = renames.then(|| {
            let mut all = vec![0; Self::COUNT];
            for (class, left) in classes {
                all[number(*class)] = *left;
            }
            all
        });
        #[expect(clippy::cast_precision_loss, reason = "up to 2^20")]
        let share = classes.len() as f64 / Self::COUNT as f64;
        Self { left, possible, share }
    }

    #[inline(always)]
    fn has(&self, before: State) -> bool {
        let number = number(before.0);
        self.possible[number / 64] >> (number % 64) & 1 == 1
    }
}

/// The number of a state's class.
fn number(state: u32) -> usize {
    (state as usize & 0xFF_FFFF) >> 4
}

/// A constraint on the second shuffle.
#[derive(Clone)]
struct Test {
    constraint: Constraint,
    /// How many of its bytes have to be known.
    bytes: usize,
    /// The places that are traced for all states.
    known: [Option<usize>; 2],
    /// What it leaves of all renamings when the bytes have these colours; the last row and column are for those that are not known yet.
    left: [[Renamings; COLORS + 1]; COLORS + 1],
}

impl Test {
    fn new(constraint: Constraint, bytes: usize) -> Self {
        let color = |color: usize| (color < COLORS).then_some(color);
        let left = std::array::from_fn(|one| {
            std::array::from_fn(|other| constraint.narrow(Renamings::MAX, [color(one), color(other)]))
        });
        Self { constraint, bytes, known: [None; 2], left }
    }

    /// The tests of a constraint: if the order counts, each byte is tested for itself.
    fn of(constraint: &Constraint) -> Vec<Self> {
        if constraint.unordered {
            return vec![Self::new(*constraint, 2)];
        }
        let bytes = constraint.at.into_iter().zip(constraint.colors).filter(|(_, color)| color.is_some());
        bytes
            .map(|(at, color)| {
                Self::new(Constraint { at: [at; 2], colors: [color, None], unordered: false }, 1)
            })
            .collect()
    }

    fn places(&self) -> &[u8] {
        &self.constraint.at[..self.bytes]
    }

    /// What is left when the bytes at these places have these colours.
    fn left(&self, places: &[u8], colors: &[usize]) -> Renamings {
        let mut known = [COLORS; 2];
        for (known, at) in known.iter_mut().zip(self.places()) {
            *known = places.iter().position(|place| place == at).map_or(COLORS, |index| colors[index]);
        }
        self.left[known[0]][known[1]]
    }

    /// The bytes that are still to be traced.
    fn to_trace(&self) -> usize {
        self.known[..self.bytes].iter().filter(|known| known.is_none()).count()
    }

    fn colors(&self) -> impl Iterator<Item = usize> {
        self.constraint.colors.into_iter().flatten()
    }

    /// Those of the renamings that leave its colours as they are.
    fn named(&self, renamings: Renamings) -> Renamings {
        self.colors().fold(renamings, |left, color| {
            let alone = Constraint { colors: [Some(color), None], unordered: false, ..self.constraint };
            alone.narrow(left, [Some(color), None])
        })
    }

    /// The share of states that each byte which is still to be traced leaves, under these renamings.
    fn weight(&self, renamings: Renamings) -> f64 {
        let left: Vec<Renamings> = (0..COLORS.pow(2))
            .map(|number| self.constraint.narrow(renamings, [number / COLORS, number % COLORS].map(Some)))
            .collect();
        of_each(share(&left), self.to_trace())
    }
}

/// What is tested, in which order.
pub struct Plan {
    classes: Option<Classes>,
    /// The places traced side by side, for all states.
    places: Vec<u8>,
    /// What these leave, by the colours there as digits.
    left: Vec<Renamings>,
    /// By the first three of these colours a bit for each colour of the fourth with which it is anything.
    possible: [u8; COMBINATIONS],
    /// The tests of the states that remain.
    tests: Vec<Test>,
}

impl Plan {
    /// For the constraints on the second shuffle, and what those on the first leave.
    pub fn new(query: &Query, classes: Option<Classes>, level: Level) -> Self {
        let few = FEW[usize::from(!is_fast(level))];
        let renamings = query.renamings();
        let mut tests: Vec<Test> = query.rest.iter().flat_map(Test::of).collect();
        // Under new names only colours that occur twice exclude many states.
        let given: Vec<usize> = tests.iter().flat_map(Test::colors).collect();
        let times = |color: usize| given.iter().filter(|one| **one == color).count();
        tests.sort_by_key(|test| (test.bytes, Reverse(test.colors().map(times).max())));
        let mut plan =
            Self { classes, places: Vec::new(), left: vec![renamings], possible: [0; COMBINATIONS], tests };
        let of_classes = plan.classes.as_ref().map_or(1.0, |classes| classes.share);
        while of_classes * share(&plan.left) > few {
            let Some((places, left)) = plan.with_more_places(renamings, &query.rest) else { break };
            (plan.places, plan.left) = (places, left);
        }
        let fourth = if plan.places.len() == SIDES { COLORS } else { 1 };
        for (possible, left) in plan.possible.iter_mut().zip(plan.left.chunks(fourth)) {
            *possible = (0..).zip(left).fold(0, |bits, (color, left)| bits | u8::from(*left != 0) << color);
        }
        // The renamings that leave the colours as they are which the bytes so far have named.
        let mut named = renamings;
        let mut rest = std::mem::take(&mut plan.tests);
        for (number, test) in rest.iter_mut().enumerate() {
            for (known, at) in test.known.iter_mut().zip(test.constraint.at) {
                *known = plan.places.iter().position(|place| *place == at);
            }
            if number < CHOICE && test.to_trace() < test.bytes {
                named = test.named(named);
            }
        }
        let mut number = 0;
        rest.retain(|test| {
            number += 1;
            number > CHOICE || test.to_trace() > 0
        });
        let mut chosen: Vec<Test> = rest.drain(..rest.len().min(CHOICE)).collect();
        while let Some(next) = (0..chosen.len())
            .min_by(|one, other| chosen[*one].weight(named).total_cmp(&chosen[*other].weight(named)))
        {
            named = chosen[next].named(named);
            plan.tests.push(chosen.remove(next));
        }
        plan.tests.append(&mut rest);
        plan
    }

    /// The classes it was made with.
    #[cfg(test)]
    pub fn into_classes(self) -> Option<Classes> {
        self.classes
    }

    /// The places with the one more, or the two of a constraint, that leave the fewest states for each place, and what they leave; None if there
    /// are none.
    fn with_more_places(
        &self,
        renamings: Renamings,
        constraints: &[Constraint],
    ) -> Option<(Vec<u8>, Vec<Renamings>)> {
        let tests = &self.tests[..self.tests.len().min(CHOICE)];
        let tested = |place: &u8| tests.iter().any(|test| test.places().contains(place));
        let one = tests.iter().flat_map(Test::places).map(|place| vec![*place]);
        let two = constraints.iter().map(|constraint| constraint.at.to_vec());
        let more = one.chain(two.filter(|places| places.iter().all(tested)));
        let more = more.filter(|more| more.iter().all(|place| !self.places.contains(place)));
        let choices = more.filter(|more| self.places.len() + more.len() <= SIDES).map(|more| {
            let places = [&self.places[..], &more].concat();
            let concerned: Vec<&Test> = tests
                .iter()
                .filter(|test| test.places().iter().any(|place| places.contains(place)))
                .collect();
            let left = (0..COLORS.pow(u32::try_from(places.len()).unwrap_or(0))).map(|number| {
                let mut digits = [0; SIDES];
                let digits = &mut digits[..places.len()];
                digits.iter_mut().rev().fold(number, |number, digit| {
                    *digit = number % COLORS;
                    number / COLORS
                });
                concerned.iter().fold(renamings, |left, test| left & test.left(&places, digits))
            });
            let left: Vec<Renamings> = left.collect();
            (of_each(share(&left) / share(&self.left), more.len()), places, left)
        });
        let best = choices.min_by(|one, other| one.0.total_cmp(&other.0));
        best.map(|(_, places, left)| (places, left))
    }
}

/// How many of these leave anything.
#[expect(clippy::cast_precision_loss, reason = "up to 5^SIDES")]
fn share(left: &[Renamings]) -> f64 {
    left.iter().filter(|left| **left != 0).count() as f64 / left.len() as f64
}

/// The share that each of these bytes leaves, if all of them leave this one.
#[expect(clippy::cast_precision_loss, reason = "a few bytes")]
fn of_each(share: f64, bytes: usize) -> f64 {
    share.powf(1.0 / bytes.max(1) as f64)
}

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
    /// By shift the colours at the places that are traced for all states, and the states for which the tables do not tell.
    sides: Vec<[Side; SIDES]>,
    /// A bit for each state whose class is left.
    classes: [u64; ROWS],
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
    /// A bit for each state that has still to be traced one by one.
    unknown: [u64; ROWS],
}

impl Side {
    fn new() -> Self {
        Self { colors: Box::new([0; STATES]), unknown: [0; ROWS] }
    }
}

impl Work {
    /// For [`in_block`](Self::in_block).
    pub fn new() -> Self {
        Self {
            stream: Stream::new(),
            tables: Box::new(Tables::new()),
            sides: Shift::all().map(|_| std::array::from_fn(|_| Side::new())).collect(),
            classes: [u64::MAX; ROWS],
            traced: std::array::from_fn(|_| Box::new([0; STATES])),
            left: Box::new([0; STATES]),
            passing: Box::new([0; STATES]),
            renamings: Box::new([0; STATES]),
        }
    }

    /// The same for those whose second shuffle begins at this state or one of the next, with every shift.
    #[inline(always)]
    pub fn in_block<S: Simd>(&mut self, simd: S, plan: &Plan, start: State, found: &mut Vec<State>) {
        let is_fast = is_fast(simd.level());
        self.stream.fill(start);
        if let Some(classes) = &plan.classes {
            // A class does not depend on the shift.
            for (row, left) in self.classes.iter_mut().enumerate() {
                *left = bits(LANES, |lane| classes.has(self.stream.before_round(state_at(row, lane))));
            }
        }
        if is_fast && !plan.places.is_empty() {
            self.look_up(simd, plan);
        }
        for (number, shift) in Shift::all().enumerate() {
            self.stream.shift(shift);
            if !is_fast {
                self.go_through(simd, plan, number);
            }
            self.test(simd, plan, number, found);
        }
    }

    /// The colours at the places that are traced for all states, for every shift.
    #[inline(always)]
    fn look_up<S: Simd>(&mut self, simd: S, plan: &Plan) {
        let Self { stream, tables, sides, .. } = self;
        for row in 0..ROWS {
            let first = row * LANES;
            let [draws, next] = stream.reach(first);
            tables.fill(draws, next);
            for (shifts, sides) in Shift::pairs().zip(sides.as_chunks_mut::<PAIR>().0) {
                let draws = tables.shifted(simd, shifts);
                for (index, place) in plan.places.iter().enumerate() {
                    let traced = tables.origins(simd, shifts, &draws, *place);
                    for (side, (origins, unknown)) in
                        sides.iter_mut().map(|sides| &mut sides[index]).zip(traced)
                    {
                        side.colors[first..first + LANES].copy_from_slice(&origins.map(|from| from % BASE));
                        side.unknown[row] = unknown;
                    }
                }
            }
        }
    }

    /// The same through every exchange, for one shift.
    #[inline(always)]
    fn go_through<S: Simd>(&mut self, simd: S, plan: &Plan, shift: usize) {
        for (place, side) in plan.places.iter().zip(&mut self.sides[shift]) {
            for first in (0..STATES).step_by(SIDE_BY_SIDE) {
                let colors = self.stream.origins(simd, first, *place).map(|from| from % BASE);
                side.colors[first..first + SIDE_BY_SIDE].copy_from_slice(&colors);
            }
        }
    }

    /// The states of the shift that pass.
    #[inline(always)]
    fn test<S: Simd>(&mut self, simd: S, plan: &Plan, shift: usize, found: &mut Vec<State>) {
        let Self { stream, sides, classes, traced, left, passing, renamings, .. } = self;
        let sides = &mut sides[shift];
        for (place, side) in plan.places.iter().zip(&mut *sides) {
            let mut count = 0;
            for (row, unknown) in side.unknown.iter().enumerate() {
                append(*unknown, |lane| state_at(row, lane), left, &mut count);
            }
            stream.origins_of(&left[..count], *place, &mut side.colors);
            for state in &left[..count] {
                side.colors[usize::from(*state) % STATES] %= BASE;
            }
        }
        let digits = |state: usize| {
            let number = |number, side: &Side| number * COLORS + usize::from(side.colors[state % STATES]);
            sides[..plan.places.len()].iter().fold(0, number)
        };
        let mut count = 0;
        for (row, classes) in classes.iter().enumerate() {
            let passing = if plan.places.is_empty() { u64::MAX } else { possible(simd, plan, sides, row) };
            append(passing & classes, |lane| state_at(row, lane), left, &mut count);
        }
        let all = plan.classes.as_ref().and_then(|classes| classes.left.as_ref());
        for state in &left[..count] {
            let class = |all: &Vec<Renamings>| all[number(stream.before_round(*state).0)];
            let state_left = plan.left[digits(usize::from(*state))];
            renamings[usize::from(*state) % STATES] = state_left & all.map_or(Renamings::MAX, class);
        }
        for test in &plan.tests {
            for byte in 0..test.bytes {
                if test.known[byte].is_none() {
                    stream.origins_of(&left[..count], test.constraint.at[byte], &mut traced[byte]);
                }
                let [first, second] = [0, 1].map(|byte| match test.known[byte] {
                    Some(index) => &sides[index].colors,
                    None => &traced[byte],
                });
                let mut passed = 0;
                for states in left[..count].chunks(64) {
                    let passes = |lane: usize| {
                        let state = usize::from(states[lane]) % STATES;
                        let color = |from: &[u8; STATES]| usize::from(from[state]) % COLORS;
                        let second = if byte == 0 { COLORS } else { color(second) };
                        renamings[state] &= test.left[color(first)][second];
                        renamings[state] != 0
                    };
                    append(bits(states.len(), passes), |lane| states[lane], passing, &mut passed);
                }
                std::mem::swap(left, passing);
                count = passed;
            }
        }
        let left = left[..count].iter().filter(|state| renamings[usize::from(**state)] != 0);
        found.extend(left.map(|state| stream.before_round(*state)));
    }
}

/// The state of a lane.
fn state_at(row: usize, lane: usize) -> u16 {
    let [low, high, ..] = (row * LANES + lane).to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// The bits of a row's states that the colours at the places leave possible.
#[inline(always)]
fn possible<S: Simd>(simd: S, plan: &Plan, sides: &[Side; SIDES], row: usize) -> u64 {
    let colors = |side: &Side| u8x64::from_slice(simd, &side.colors[row * LANES..(row + 1) * LANES]);
    let three = sides[..plan.places.len().min(SIDES - 1)].iter();
    let number = three.fold(u8x64::splat(simd, 0), |number, side| number * BASE + colors(side));
    let (first, second) = plan.possible.split_at(LANES);
    let of_fourth =
        u8x64::from_slice(simd, first).concat_swizzle_dyn(u8x64::from_slice(simd, second), number);
    let bit = if plan.places.len() == SIDES {
        let bits: [u8; LANES] = std::array::from_fn(|color| 1 << (color % 8));
        u8x64::load_array(simd, bits).swizzle_dyn(colors(&sides[SIDES - 1]))
    } else {
        u8x64::splat(simd, 1)
    };
    !(of_fourth & bit).simd_eq(0).to_bitmask()
}

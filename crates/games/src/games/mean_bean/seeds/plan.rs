//! What the search for the second shuffle over all states tests, and in which order.

use crate::games::mean_bean::generator::Setup;
use crate::games::mean_bean::rng::State;
use crate::games::mean_bean::seeds::lookup::is_fast;
use crate::games::mean_bean::seeds::query::{Constraint, Query, Renamings};
use fearless_simd::Level;
use std::cmp::Reverse;
use std::ops::Range;

/// The colours of the second shuffle.
pub const COLORS: usize = Setup::VERSUS.colors()[1];
/// The most places that are traced for all states: both bytes of eight pairs.
const PLACES: usize = 16;
/// The most places whose colours are looked up together.
pub const TOGETHER: usize = 4;
/// At least as many as there are combinations of three colours.
const COMBINATIONS: usize = COLORS.pow(3).next_power_of_two();
/// Of how many states the bytes are traced faster one by one than side by side: by tables, and through every exchange with vectors of 256 bits
/// and of fewer.
const FEW: [f64; 3] = [0.03, 0.12, 0.3];
/// Tests among which those for all states are chosen.
const CHOICE: usize = 24;

fn few(level: Level) -> f64 {
    let [by_tables, wide, narrow] = FEW;
    if is_fast(level) {
        return by_tables;
    }
    #[cfg(target_arch = "x86_64")]
    if level.as_avx2().is_some() {
        return wide;
    }
    let _ = wide; // elsewhere
    narrow
}

/// The states with the same first pool: those with the same low 24 bits.
pub struct Classes {
    /// The renamings that the first pool leaves, if there are several.
    pub left: Option<Vec<Renamings>>,
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
    pub fn has(&self, before: State) -> bool {
        let number = number(before.0);
        self.possible[number / 64] >> (number % 64) & 1 == 1
    }
}

/// The number of a state's class.
pub fn number(state: u32) -> usize {
    (state as usize & 0xFF_FFFF) >> 4
}

/// A constraint on the second shuffle.
#[derive(Clone)]
pub struct Test {
    pub constraint: Constraint,
    /// How many of its bytes have to be known.
    pub bytes: usize,
    /// The places that are traced for all states.
    pub known: [Option<usize>; 2],
    /// What it leaves of all renamings when the bytes have these colours; the last row and column are for those that are not known yet.
    pub left: [[Renamings; COLORS + 1]; COLORS + 1],
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

    /// Whether all that it tests is looked up by this step.
    fn is_in(&self, step: &Step) -> bool {
        self.known[..self.bytes].iter().all(|known| known.is_some_and(|index| step.places.contains(&index)))
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

/// Places that are traced for all states that earlier steps leave, and what their colours leave.
pub struct Step {
    /// Their indices among [`Plan::places`].
    pub traced: Range<usize>,
    /// The places whose colours are looked up together: these, perhaps with those of the steps before.
    pub places: Range<usize>,
    /// Whether no later step looks these up together with more places.
    pub is_last: bool,
    /// What is left, by the colours there as digits.
    pub left: Vec<Renamings>,
    /// By the first three of these colours a bit for each colour of the fourth with which it is anything.
    pub possible: [u8; COMBINATIONS],
}

impl Step {
    fn new(traced: Range<usize>, first: usize, left: Vec<Renamings>) -> Self {
        let places = first..traced.end;
        let fourth = if places.len() == TOGETHER { COLORS } else { 1 };
        let mut possible = [0; COMBINATIONS];
        for (possible, left) in possible.iter_mut().zip(left.chunks(fourth)) {
            *possible = (0..).zip(left).fold(0, |bits, (color, left)| bits | u8::from(*left != 0) << color);
        }
        Self { traced, places, is_last: true, left, possible }
    }
}

/// What is tested, in which order.
pub struct Plan {
    pub classes: Option<Classes>,
    /// The renamings from which the search starts.
    pub renamings: Renamings,
    /// The places traced side by side, for all states.
    pub places: Vec<u8>,
    /// How these are traced.
    pub steps: Vec<Step>,
    /// The tests of the states that remain.
    pub tests: Vec<Test>,
}

impl Plan {
    /// For the constraints on the second shuffle, and what those on the first leave.
    pub fn new(query: &Query, classes: Option<Classes>, level: Level) -> Self {
        let few = few(level);
        let renamings = query.renamings();
        let mut tests: Vec<Test> = query.rest.iter().flat_map(Test::of).collect();
        // Under new names only colours that occur twice exclude many states.
        let given: Vec<usize> = tests.iter().flat_map(Test::colors).collect();
        let times = |color: usize| given.iter().filter(|one| **one == color).count();
        tests.sort_by_key(|test| (test.bytes, Reverse(test.colors().map(times).max())));
        let mut plan = Self { classes, renamings, places: Vec::new(), steps: Vec::new(), tests };
        let of_classes = plan.classes.as_ref().map_or(1.0, |classes| classes.share);
        while of_classes * plan.last_steps().map(|step| share(&step.left)).product::<f64>() > few {
            let Some((places, step)) = plan.with_more_places(&query.rest) else { break };
            if let Some(before) = plan.steps.last_mut() {
                before.is_last = before.places.start < step.places.start;
            }
            plan.places = places;
            plan.steps.push(step);
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
            number > CHOICE || !plan.last_steps().any(|step| test.is_in(step))
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

    /// The steps whose places are not looked up together with those of the next: together they have each place once.
    pub fn last_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.is_last)
    }

    /// The places with the one more, or the two of a constraint, that leave the fewest states for each place, and the step that traces those;
    /// None if there are none.
    fn with_more_places(&self, constraints: &[Constraint]) -> Option<(Vec<u8>, Step)> {
        let tests = &self.tests[..self.tests.len().min(CHOICE)];
        let tested = |place: &u8| tests.iter().any(|test| test.places().contains(place));
        let one = tests.iter().flat_map(Test::places).map(|place| vec![*place]);
        let two = constraints.iter().map(|constraint| constraint.at.to_vec());
        let more = one.chain(two.filter(|places| places.iter().all(tested)));
        let more = more.filter(|more| more.iter().all(|place| !self.places.contains(place)));
        let choices = more.filter(|more| self.places.len() + more.len() <= PLACES).map(|more| {
            let places = [&self.places[..], &more].concat();
            let last = self.steps.last().filter(|step| step.places.len() + more.len() <= TOGETHER);
            let first = last.map_or(self.places.len(), |step| step.places.start);
            let left = self.left(tests, &places[first..]);
            let before = last.map_or(1.0, |step| share(&step.left));
            (of_each(share(&left) / before, more.len()), places, first, left)
        });
        let (_, places, first, left) = choices.min_by(|one, other| one.0.total_cmp(&other.0))?;
        let step = Step::new(self.places.len()..places.len(), first, left);
        Some((places, step))
    }

    /// What these tests leave, by the colours at these places as digits.
    fn left(&self, tests: &[Test], places: &[u8]) -> Vec<Renamings> {
        let concerned: Vec<&Test> =
            tests.iter().filter(|test| test.places().iter().any(|place| places.contains(place))).collect();
        let numbers = 0..COLORS.pow(u32::try_from(places.len()).unwrap_or(0));
        let left = numbers.map(|number| {
            let mut digits = [0; TOGETHER];
            let digits = &mut digits[..places.len()];
            digits.iter_mut().rev().fold(number, |number, digit| {
                *digit = number % COLORS;
                number / COLORS
            });
            concerned.iter().fold(self.renamings, |left, test| left & test.left(places, digits))
        });
        left.collect()
    }
}

/// How many of these leave anything.
#[expect(clippy::cast_precision_loss, reason = "up to 5^TOGETHER")]
fn share(left: &[Renamings]) -> f64 {
    left.iter().filter(|left| **left != 0).count() as f64 / left.len() as f64
}

/// The share that each of these bytes leaves, if all of them leave this one.
#[expect(clippy::cast_precision_loss, reason = "a few bytes")]
fn of_each(share: f64, bytes: usize) -> f64 {
    share.powf(1.0 / bytes.max(1) as f64)
}

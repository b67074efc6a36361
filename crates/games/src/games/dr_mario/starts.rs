//! Searches all starts of a game: which of them give these capsules and viruses.

use super::{
    BOOT_STATE, Bottle, COLORS, COLUMNS, Capsule, Levels, NUMBERS, PERIOD, RESERVE, ROWS, Reserve, State,
    Viruses,
};
use crate::pairs::PartialPair;
use std::sync::OnceLock;

/// The viruses of a bottle as far as they are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BottlePattern {
    /// The cells that can have a virus of each colour code.
    possible: [u128; 3],
    /// The cells that have a virus.
    required: u128,
}

impl BottlePattern {
    /// Parses rows from the top, separated by "/" or white space: Y, R or B for a virus, "*" for one of unknown colour, "." for an
    /// empty cell, "?" for an unknown one. Rows that are left out are empty ones at the top.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rows: Vec<&str> =
            text.split(|c: char| c == '/' || c.is_whitespace()).filter(|row| !row.is_empty()).collect();
        if rows.is_empty() || rows.len() > ROWS {
            return Err(format!("{} rows: expected 1 to {ROWS}, the last one at the bottom", rows.len()));
        }
        let mut pattern = Self { possible: [0; 3], required: 0 };
        let first = (ROWS - rows.len()) * COLUMNS;
        for (number, row) in rows.iter().enumerate() {
            if row.chars().count() != COLUMNS {
                return Err(format!("row {row:?} has {} cells: expected {COLUMNS}", row.chars().count()));
            }
            for (column, sign) in row.chars().enumerate() {
                let cell = 1_u128 << (first + number * COLUMNS + column);
                let color = COLORS.iter().position(|color| color.letter() == sign.to_ascii_uppercase());
                match (sign, color) {
                    ('.', _) => {}
                    ('?' | '*', _) => pattern.possible.iter_mut().for_each(|cells| *cells |= cell),
                    (_, Some(color)) => pattern.possible[color] |= cell,
                    (_, None) => {
                        return Err(format!(
                            "{sign:?} in row {row:?} is no cell: use Y, R or B for a virus, * for a virus of unknown colour, . for \
                            an empty cell, ? for an unknown cell"
                        ));
                    }
                }
                if !matches!(sign, '.' | '?') {
                    pattern.required |= cell;
                }
            }
        }
        Ok(pattern)
    }

    /// The number of viruses; None if there are unknown cells.
    pub fn viruses(&self) -> Option<u32> {
        let all = self.possible.iter().fold(0, |all, cells| all | cells);
        (all == self.required).then(|| self.required.count_ones())
    }

    /// Whether a cell can have a virus of this colour code.
    const fn accepts(&self, at: usize, color: u8) -> bool {
        self.possible[color as usize] >> at & 1 == 1
    }

    /// Whether these are its viruses.
    pub fn matches(&self, bottle: &Bottle) -> bool {
        bottle.0.iter().zip(self.possible).all(|(viruses, possible)| viruses & !possible == 0)
            && bottle.occupied() & self.required == self.required
    }
}

/// What was observed at the start of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    /// The capsules in the order in which they fall.
    pub capsules: Vec<PartialPair>,
    /// The number of the first of them, from 0.
    pub at: u32,
    /// Whether their halves may be exchanged.
    pub unordered: bool,
    /// The bottles of both players.
    pub bottles: [Option<BottlePattern>; 2],
    /// The levels.
    pub levels: Levels,
}

impl Query {
    fn accepts(&self, observed: PartialPair, capsule: Capsule) -> bool {
        let fits = |[axis, child]: [_; 2]| {
            observed.axis.is_none_or(|color| color == axis)
                && observed.child.is_none_or(|color| color == child)
        };
        let [left, right] = capsule.colors();
        fits([left, right]) || self.unordered && fits([right, left])
    }

    /// For each place of the reserve that is known, the capsules that it can have, as bits.
    fn places(&self) -> Vec<(usize, u16)> {
        let mut possible = [0x1FF_u16; RESERVE];
        for (number, observed) in (self.at..).zip(&self.capsules) {
            let all = Capsule::all().filter(|capsule| self.accepts(*observed, *capsule));
            possible[Reserve::place(number)] &= all.fold(0, |bits, capsule| bits | 1 << capsule.0);
        }
        possible.into_iter().enumerate().filter(|(_, bits)| *bits != 0x1FF).collect()
    }

    /// The first capsule after those that were observed, from 0.
    pub fn next(&self) -> u32 {
        self.at + u32::try_from(self.capsules.len()).unwrap_or(0)
    }
}

/// For each step from power-on, the sum of all draws until then modulo 9; for one period and a reserve.
fn sums() -> &'static [u8] {
    static SUMS: OnceLock<Vec<u8>> = OnceLock::new();
    SUMS.get_or_init(|| {
        let draws = BOOT_STATE.orbit().chain(BOOT_STATE.orbit()).take(usize::from(PERIOD) + RESERVE + 1);
        let mut sum = 0;
        let add = |state: State| {
            sum = (sum + (state.high() & 0xF)) % NUMBERS;
            sum
        };
        draws.map(add).collect()
    })
}

/// The states of all starts that match, in the order of the frames on the options screen after power-on.
pub fn search(query: &Query) -> Vec<State> {
    let (places, sums) = (query.places(), sums());
    let capsules = |start: usize| {
        places.iter().all(|(place, bits)| {
            // The reserve is filled from its end: a cell is the sum of the draws until then.
            let number = (sums[start + RESERVE - place] + NUMBERS - sums[start]) % NUMBERS;
            bits >> number & 1 == 1
        })
    };
    // The state of power-on itself comes last: at least one frame passes.
    let starts = (1..usize::from(PERIOD)).chain([0]);
    let states = starts.filter(|start| capsules(*start)).map(|start| State::after_boot(start as u64));
    states.filter(|state| bottles(query, *state)).collect()
}

/// Whether the bottles of a start match. Viruses are only added, so that the first wrong one decides.
fn bottles(query: &Query, state: State) -> bool {
    if query.bottles == [None, None] {
        return true;
    }
    let after = state.jump(RESERVE as u64);
    let accept = |placed: super::bottle::Placed| {
        query.bottles[placed.player].is_none_or(|pattern| pattern.accepts(placed.at, placed.color))
    };
    Viruses::while_placed(after, query.levels, accept).is_some_and(|viruses| {
        viruses
            .bottles
            .iter()
            .zip(&query.bottles)
            .all(|(bottle, pattern)| pattern.as_ref().is_none_or(|pattern| pattern.matches(bottle)))
    })
}

/// The start whose reserve this is; its state.
pub fn of_reserve(reserve: &Reserve) -> Option<State> {
    let sums = sums();
    let matches = |start: &usize| {
        reserve.0.iter().enumerate().all(|(place, capsule)| {
            (sums[start + RESERVE - place] + NUMBERS - sums[*start]) % NUMBERS == *capsule
        })
    };
    (0..usize::from(PERIOD)).find(matches).map(|start| State::after_boot(start as u64))
}

/// The start whose reserve this is if the generator made one step too many: its state, and the place of the first capsule, in the
/// order in which they are made, that differs because of it.
pub fn of_reserve_with_extra_step(reserve: &Reserve) -> Option<(State, usize)> {
    let sums = sums();
    let explained = |start: usize| {
        let drawn = |steps: usize| (sums[start + steps] + NUMBERS - sums[start]) % NUMBERS;
        let first = (0..RESERVE).rev().find(|place| drawn(RESERVE - place) != reserve.0[*place])?;
        let skipped = drawn(RESERVE - first) + NUMBERS - drawn(RESERVE - first - 1);
        let shifted = |place: usize| (drawn(RESERVE - place + 1) + 2 * NUMBERS - skipped) % NUMBERS;
        (0..=first).all(|place| shifted(place) == reserve.0[place]).then_some(first)
    };
    (0..usize::from(PERIOD))
        .find_map(|start| explained(start).map(|place| (State::after_boot(start as u64), place)))
}

/// Frames on the options screen from one state to a later one: at least one.
pub fn frames_between(now: State, start: State) -> Option<u16> {
    now.distance(start).map(|frames| if frames == 0 { PERIOD } else { frames })
}

#[cfg(test)]
mod tests {
    use super::super::{CELLS, Round};
    use super::*;
    use crate::pairs::parse_pieces;
    use nextscope_boards::SplitMix64;

    /// Generates every round completely and compares it.
    fn reference(query: &Query) -> Vec<State> {
        let starts = (1..=u64::from(PERIOD)).map(State::after_boot);
        let matches = |state: &State| {
            let round = Round::new(*state, query.levels);
            let capsules = (query.at..).zip(&query.capsules);
            let capsule = |(number, observed): (u32, &PartialPair)| {
                let pair = round.reserve.capsule(number).pair();
                let fits = |axis, child| {
                    observed.axis.is_none_or(|color| color == axis)
                        && observed.child.is_none_or(|color| color == child)
                };
                fits(pair.axis, pair.child) || query.unordered && fits(pair.child, pair.axis)
            };
            let cell = |bottle: &Bottle, pattern: &BottlePattern, at: usize| match bottle.virus(at) {
                Some(color) => pattern.possible[usize::from(color)] >> at & 1 == 1,
                None => pattern.required >> at & 1 == 0,
            };
            let bottle = |player: usize| {
                query.bottles[player].is_none_or(|pattern| {
                    (0..CELLS).all(|at| cell(&round.viruses.bottles[player], &pattern, at))
                })
            };
            capsules.clone().all(capsule) && bottle(0) && bottle(1)
        };
        starts.filter(matches).collect()
    }

    /// A bottle of which only some cells are known.
    fn blurred(bottle: &Bottle, known: u64, random: &mut SplitMix64) -> BottlePattern {
        let mut rows = bottle.rows().concat();
        let signs: Vec<char> = rows
            .drain(..)
            .map(|sign| match random.below(100) {
                number if u64::from(number) >= known => '?',
                number if number % 7 == 0 && sign != '.' => '*',
                _ => sign,
            })
            .collect();
        let rows: Vec<String> = signs.chunks(COLUMNS).map(|row| row.iter().collect()).collect();
        BottlePattern::parse(&rows.join("/")).unwrap()
    }

    #[test]
    fn the_search_finds_what_the_plain_one_finds() {
        let mut random = SplitMix64(19);
        let kinds =
            [(0, 3, 10, true), (5, 0, 60, true), (20, 0, 25, true), (9, 2, 20, false), (24, 4, 5, true)];
        for (level, capsules, known, same) in kinds {
            let state = State::after_boot(random.below(PERIOD.into()).into());
            let levels = if same { Levels::One(level) } else { Levels::Two(level, 17) };
            let round = Round::new(state, levels);
            let at = random.below(300);
            let observed = (at..at + capsules).map(|number| {
                let pair = round.reserve.capsule(number).pair();
                PartialPair { axis: (random.below(4) > 0).then_some(pair.child), child: None }
            });
            let capsules: Vec<PartialPair> = observed.collect();
            let bottles =
                round.viruses.bottles.each_ref().map(|bottle| Some(blurred(bottle, known, &mut random)));
            let bottles = if same { [bottles[0], None] } else { bottles };
            let query = Query { capsules, at, unordered: true, bottles, levels };
            let found = search(&query);
            assert!(found.contains(&state), "level {level}");
            assert_eq!(found, reference(&query), "level {level}");
        }
    }

    #[test]
    fn a_reserve_has_one_start_and_its_start_is_found() {
        for place in (0..u64::from(PERIOD)).step_by(997) {
            let state = State::after_boot(place);
            assert_eq!(of_reserve(&Reserve::new(state).0), Some(state));
        }
        assert_eq!(of_reserve(&Reserve([0; RESERVE])), None);
    }

    #[test]
    fn an_extra_step_is_found_with_its_place() {
        let mut random = SplitMix64(64);
        for place in 0..RESERVE - 1 {
            let state = State::after_boot(random.below(PERIOD.into()).into());
            let right = Reserve::new(state).0;
            let (wrong, after) = Reserve::with_extra_step(state, place);
            assert_eq!(after, Reserve::new(state).1.step());
            let Some(first) = (0..RESERVE).rev().find(|place| right.0[*place] != wrong.0[*place]) else {
                continue;
            };
            let (found, found_place) = of_reserve_with_extra_step(&wrong).unwrap();
            assert_eq!(Reserve::with_extra_step(found, found_place).0, wrong);
            // When few capsules differ, another start may explain them too.
            if place > 8 {
                assert_eq!((found, found_place), (state, first));
            }
        }
        let first = State::after_boot(700);
        assert_eq!(Reserve::with_extra_step(first, RESERVE - 1).0, Reserve::new(first.step()).0);
        assert_eq!(of_reserve_with_extra_step(&Reserve([0; RESERVE])), None);
    }

    #[test]
    fn bottles_are_parsed() {
        let rows = "..?*....\nyRb.....";
        let pattern = BottlePattern::parse(rows).unwrap();
        assert_eq!((pattern.viruses(), pattern.required.count_ones()), (None, 4));
        assert_eq!(BottlePattern::parse("YRB*....").unwrap().viruses(), Some(4));
        for wrong in ["", "YRB", "YRBG....", &"......../".repeat(17)] {
            assert!(BottlePattern::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn frames_are_counted_from_now() {
        let capsules = parse_pieces("BR YR RB BB").unwrap();
        let query = Query { capsules, at: 0, unordered: false, bottles: [None; 2], levels: Levels::One(0) };
        assert!(search(&query).iter().all(|state| frames_between(*state, *state) == Some(PERIOD)));
        assert_eq!(frames_between(State(0x44C4), State(0x2262)), Some(1));
    }
}

//! The inputs that bring a pair to its placement.
//!
//! Rows count from the floor. A pair appears with its axis at column 2, row 11, the child above it, and the axis never rises above
//! row 12. Rotating into an obstacle pushes the pair away from it; between two walls the second press rotates by half: axis and
//! child change places (quick turn).

use super::Route;
use nextscope_boards::puyo::{COLUMNS, FallingPair, Field, Placement};
use serde::Serialize;
use std::collections::VecDeque;

/// The column in which pairs appear.
const START_COLUMN: usize = 2;
/// The row of the axis when a pair appears.
const START_ROW: usize = 11;
/// The highest possible row of the axis.
const MAX_AXIS: usize = 12;

/// A button press.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
    /// The child rotates anticlockwise around the axis.
    Anticlockwise,
    /// The child rotates clockwise around the axis.
    Clockwise,
    /// One row down; held, the pair falls until it locks.
    Down,
}

impl Input {
    /// All inputs. Among equally short sequences, the one whose inputs come first in this list is used.
    pub const ALL: [Self; 5] = [Self::Left, Self::Right, Self::Clockwise, Self::Anticlockwise, Self::Down];

    /// The letter in texts: L and R, A and B for the buttons that rotate anticlockwise and clockwise, D.
    pub fn letter(self) -> char {
        match self {
            Self::Left => 'L',
            Self::Right => 'R',
            Self::Anticlockwise => 'A',
            Self::Clockwise => 'B',
            Self::Down => 'D',
        }
    }
}

/// How a pair gets to its placement: taps, and then Down held until it locks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairInputs {
    /// The shortest sequence of taps.
    pub taps: Vec<Input>,
    /// Rows that the entire pair then falls.
    pub falls: usize,
    /// Rows that one of its puyos then falls alone.
    pub splits: usize,
}

impl PairInputs {
    /// The taps as letters.
    pub fn letters(&self) -> String {
        self.taps.iter().map(|tap| tap.letter()).collect()
    }
}

/// No inputs bring a pair to its placement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("pair {pair}: no buttons bring it to {placement}; the columns on the way are too high")]
pub struct UnreachablePlacement {
    /// The number of the pair, from 1.
    pub pair: usize,
    /// The placement.
    pub placement: Placement,
}

/// The position of a falling pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct State {
    /// Of the axis.
    column: usize,
    /// Of the axis.
    row: usize,
    /// Quarter turns clockwise of the child from above the axis, 0 to 3.
    turns: usize,
    /// Whether the game remembers a press between two walls.
    pressed: bool,
}

/// The number of distinct states.
const STATES: usize = COLUMNS * (MAX_AXIS + 1) * 4 * 2;

impl State {
    const START: Self = Self { column: START_COLUMN, row: START_ROW, turns: 0, pressed: false };

    fn index(self) -> usize {
        ((self.column * (MAX_AXIS + 1) + self.row) * 4 + self.turns) * 2 + usize::from(self.pressed)
    }

    fn pair(self) -> FallingPair {
        let Self { column, row, turns, .. } = self;
        FallingPair { column, row, turns }
    }

    fn fits(self, field: &Field) -> bool {
        self.pair().fits(field)
    }

    /// The state after the input; None if the input has no effect.
    fn after(self, field: &Field, input: Input) -> Option<Self> {
        match input {
            Input::Left => self.moved(field, self.column.checked_sub(1)?),
            Input::Right => self.moved(field, self.column + 1),
            Input::Clockwise => self.turned(field, 1),
            Input::Anticlockwise => self.turned(field, 3),
            Input::Down => {
                let below = Self { row: self.row.checked_sub(1)?, ..self };
                below.fits(field).then_some(below)
            }
        }
    }

    fn moved(self, field: &Field, column: usize) -> Option<Self> {
        let moved = Self { column, pressed: false, ..self };
        moved.fits(field).then_some(moved)
    }

    fn turned(self, field: &Field, quarters: usize) -> Option<Self> {
        if self.pressed {
            return self.quick_turned(field);
        }
        let turned = Self { turns: (self.turns + quarters) % 4, ..self };
        let [_, (column, row)] = turned.pair().cells();
        if field.is_free(column, row) {
            return Some(turned);
        }
        let pushed = match turned.turns {
            0 => return None,
            1 => Self { column: self.column.wrapping_sub(1), ..turned },
            2 => return turned.pushed_up(field),
            _ => Self { column: self.column + 1, ..turned },
        };
        if field.is_free(pushed.column, pushed.row) {
            Some(pushed)
        } else {
            Some(Self { pressed: true, ..self })
        }
    }

    /// Quick turn: axis and child change places. Only an upright pair can be between two walls.
    fn quick_turned(self, field: &Field) -> Option<Self> {
        let turned = Self { turns: (self.turns + 2) % 4, pressed: false, ..self };
        if turned.turns == 2 {
            turned.pushed_up(field)
        } else {
            Some(Self { row: turned.row.checked_sub(1)?, ..turned })
        }
    }

    /// One row up, to make room for the child below.
    fn pushed_up(self, field: &Field) -> Option<Self> {
        let pushed = Self { row: self.row + 1, ..self };
        (pushed.row <= MAX_AXIS && field.is_free(pushed.column, pushed.row)).then_some(pushed)
    }
}

/// How a pair gets from its start position to a placement; None if no inputs bring it there.
pub fn find_inputs(field: &Field, placement: Placement) -> Option<PairInputs> {
    if !State::START.fits(field) {
        return None;
    }
    let there =
        |state: State| state.column == placement.column() && state.turns == placement.rotation() as usize;
    // For each state: the input and state from which it was first reached.
    let mut met: Vec<Option<(State, Option<Input>)>> = vec![None; STATES];
    met[State::START.index()] = Some((State::START, None));
    let mut next = VecDeque::from([State::START]);
    while let Some(state) = next.pop_front() {
        if there(state) {
            return Some(carried(field, state, path(&met, state)));
        }
        for input in Input::ALL {
            if let Some(after) = state.after(field, input)
                && met[after.index()].is_none()
            {
                met[after.index()] = Some((state, Some(input)));
                next.push_back(after);
            }
        }
    }
    None
}

fn path(met: &[Option<(State, Option<Input>)>], mut state: State) -> Vec<Input> {
    let mut taps = Vec::new();
    while let Some((from, Some(input))) = met[state.index()] {
        taps.push(input);
        state = from;
    }
    taps.reverse();
    taps
}

fn carried(field: &Field, mut state: State, taps: Vec<Input>) -> PairInputs {
    let top = state.row;
    while let Some(below) = state.after(field, Input::Down) {
        state = below;
    }
    let alone =
        |(column, row): (usize, usize)| (0..row).rev().take_while(|row| field.is_free(column, *row)).count();
    // Side by side, the resting puyo falls no further; one above the other, neither does.
    let [axis, child] = state.pair().cells();
    let splits = if state.turns % 2 == 1 { alone(axis).max(alone(child)) } else { 0 };
    PairInputs { taps, falls: top - state.row, splits }
}

/// Column of the axis and quarter turns clockwise of the child, after each of these taps of a pair that has just appeared. An ineffective tap
/// repeats the position before it.
pub(super) fn positions(field: &Field, taps: &[Input]) -> Vec<(usize, usize)> {
    let mut state = State::START;
    let after = |tap: &Input| {
        state = state.after(field, *tap).unwrap_or(state);
        (state.column, state.turns)
    };
    taps.iter().map(after).collect()
}

/// The inputs for each pair of a route.
///
/// # Errors
/// [`UnreachablePlacement`] for the first pair that cannot be brought to its placement.
pub fn find_all_inputs(route: &Route) -> Result<Vec<PairInputs>, UnreachablePlacement> {
    let before = std::iter::once(&route.start).chain(route.steps.iter().map(|step| &step.after));
    let steps = before.zip(&route.steps).enumerate();
    steps
        .map(|(nth, (before, step))| {
            let placement = step.placement;
            find_inputs(before, placement).ok_or(UnreachablePlacement { pair: nth + 1, placement })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_boards::puyo::{Cell, Rotation, field_from_rows, reachable};
    use proptest::prelude::*;

    fn letters(field: &Field, column: usize, rotation: Rotation) -> Option<String> {
        Some(find_inputs(field, Placement::new(column, rotation)?)?.letters())
    }

    /// Columns of garbage with these heights.
    fn columns(heights: [usize; COLUMNS]) -> Field {
        let mut field = Field::default();
        for (column, height) in heights.into_iter().enumerate() {
            for row in 0..height {
                field.set(column, row, Cell::Ojama);
            }
        }
        field
    }

    #[test]
    fn an_empty_board_needs_the_fewest_taps() {
        let field = Field::default();
        let path = |column, rotation| letters(&field, column, rotation).expect("it is reached");
        assert_eq!(path(2, Rotation::Up), "");
        assert_eq!(path(0, Rotation::Up), "LL");
        assert_eq!(path(5, Rotation::Up), "RRR");
        assert_eq!(path(2, Rotation::Right), "B");
        assert_eq!(path(2, Rotation::Left), "A");
        assert_eq!(path(2, Rotation::Down), "BB");
        assert_eq!(path(4, Rotation::Right).len(), 3);
        let all: Vec<_> = Placement::ALL.iter().filter_map(|place| find_inputs(&field, *place)).collect();
        assert_eq!(all.len(), 22);
        assert!(all.iter().all(|path| path.taps.len() <= 5 && path.splits == 0 && path.falls >= 10));
    }

    #[test]
    fn a_wall_pushes_the_pair_away() {
        // At the right edge a rotation to the right moves the axis one column to the left.
        let at_edge = State { column: 5, row: 5, turns: 0, pressed: false };
        let pushed = at_edge.after(&Field::default(), Input::Clockwise);
        assert_eq!(pushed, Some(State { column: 4, turns: 1, ..at_edge }));
        let at_floor = State { column: 1, row: 0, turns: 1, pressed: false };
        let pushed = at_floor.after(&Field::default(), Input::Clockwise);
        assert_eq!(pushed, Some(State { row: 1, turns: 2, ..at_floor }));
        let highest = State { column: 1, row: 12, turns: 1, pressed: false };
        assert_eq!(highest.after(&columns([0, 12, 0, 0, 0, 0]), Input::Clockwise), None);
        let under = field_from_rows(&["R.....", "......", "......"]).expect("a board");
        let below = State { column: 0, row: 1, turns: 1, pressed: false };
        assert_eq!(below.after(&under, Input::Anticlockwise), None, "no room above");
    }

    #[test]
    fn between_two_walls_the_second_press_is_a_quick_turn() {
        let field = columns([12, 12, 11, 12, 12, 12]);
        assert_eq!(letters(&field, 2, Rotation::Down).as_deref(), Some("BB"));
        let state = State::START.after(&field, Input::Anticlockwise).expect("remembered");
        assert_eq!(state, State { pressed: true, ..State::START });
        let turned = state.after(&field, Input::Clockwise).expect("quick turn");
        assert_eq!((turned.row, turned.turns, turned.pressed), (12, 2, false));
        // In the upper position the walls no longer enclose it.
        assert!(letters(&field, 0, Rotation::Up).is_some());
        let back = State { pressed: true, ..turned }.after(&field, Input::Clockwise);
        assert_eq!(back, Some(State::START), "the reverse turn");
    }

    #[test]
    fn positions_follow_the_taps_to_the_placement() {
        let field = columns([12, 12, 11, 12, 12, 12]);
        let quick = positions(&field, &[Input::Clockwise, Input::Clockwise]);
        assert_eq!(quick, [(2, 0), (2, 2)], "the first press is only remembered");
        for (placement, heights) in
            Placement::ALL.into_iter().zip([[0; COLUMNS], [3, 10, 0, 0, 11, 2]].into_iter().cycle())
        {
            let field = columns(heights);
            let Some(inputs) = find_inputs(&field, placement) else { continue };
            let last = positions(&field, &inputs.taps).last().copied().unwrap_or((START_COLUMN, 0));
            assert_eq!(last, (placement.column(), placement.rotation() as usize), "{placement}");
        }
    }

    #[test]
    fn walled_off_placements_are_out_of_reach() {
        let field = columns([0, 13, 0, 13, 0, 0]);
        for placement in Placement::ALL {
            let inside =
                placement.column() == 2 && matches!(placement.rotation(), Rotation::Up | Rotation::Down);
            assert_eq!(find_inputs(&field, placement).is_some(), inside, "{placement}");
        }
        assert_eq!(find_inputs(&columns([0, 0, 12, 0, 0, 0]), Placement::ALL[0]), None, "lost");
    }

    #[test]
    fn rows_fallen_are_counted() {
        let path = |heights, column, rotation| {
            let carried = find_inputs(&columns(heights), Placement::new(column, rotation).expect("inside"))
                .expect("reached");
            (carried.falls, carried.splits)
        };
        assert_eq!(path([0, 0, 3, 0, 0, 0], 2, Rotation::Up), (8, 0));
        assert_eq!(path([0, 0, 3, 0, 0, 0], 2, Rotation::Down), (7, 0));
        assert_eq!(path([0, 0, 3, 1, 0, 0], 2, Rotation::Right), (8, 2));
        assert_eq!(path([0, 0, 3, 7, 0, 0], 2, Rotation::Right), (4, 4));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn placements_with_inputs_are_the_reachable_ones(
            heights in prop_oneof![
                proptest::array::uniform6(0usize..=13),
                proptest::array::uniform6(9usize..=13),
                proptest::array::uniform6(11usize..=14),
            ],
        ) {
            let field = columns(heights);
            let reached = reachable(&field);
            for placement in Placement::ALL {
                prop_assert_eq!(find_inputs(&field, placement).is_some(), reached.has(placement), "{} {:?}", placement, heights);
            }
        }
    }
}

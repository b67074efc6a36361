//! Frame counting during a search: the costs of [`FrameTable`], without an input search on low boards.

use super::Route;
use super::frames::FrameTable;
use super::inputs::{PairInputs, find_inputs};
use nextscope_boards::puyo::{COLUMNS, Field, Placement, Rotation, Rules};

/// Up to this height nothing obstructs a pair, so the taps to a placement are always the same.
const LOW: usize = 10;
/// The row that pairs fall from.
const ROW: usize = 11;

/// How a search uses frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timing {
    /// The frame table.
    pub table: FrameTable,
    /// The most frames that a route may take.
    pub max_frames: Option<u32>,
    /// Whether "soonest" goals mean the fewest frames instead of the fewest pairs.
    pub soonest: bool,
}

impl Timing {
    /// The timing of what follows a route: its frames are used up.
    pub(super) fn after(&self, route: &Route) -> Self {
        let left = |most: u32| most.saturating_sub(self.table.total(route).unwrap_or(u32::MAX));
        Self { max_frames: self.max_frames.map(left), ..self.clone() }
    }
}

/// A timing with precomputed values.
pub(super) struct FrameCosts<'a> {
    pub timing: &'a Timing,
    /// Taps to each placement, on a low board.
    taps: [usize; Placement::ALL.len()],
}

impl<'a> FrameCosts<'a> {
    pub fn new(timing: &'a Timing) -> Self {
        let taps = |placement| find_inputs(&Field::default(), placement).map_or(0, |way| way.taps.len());
        Self { timing, taps: Placement::ALL.map(taps) }
    }

    /// Frames of a pair from when it can be moved until the next one can, without its chain.
    pub fn of_placement(&self, before: &Field, placement: Placement) -> u32 {
        let heights = before.heights();
        let table = &self.timing.table;
        if heights.iter().all(|height| *height <= LOW) {
            let (falls, splits) = way_down(heights, placement);
            return table.without_chain(self.taps[placement.index()], falls, splits);
        }
        // Unreachable placements are not tried either.
        let carried = find_inputs(before, placement);
        carried.map_or(u32::MAX / 4, |PairInputs { taps, falls, splits }| {
            table.without_chain(taps.len(), falls, splits)
        })
    }

    /// Frames of garbage that leads from one board to another.
    pub fn of_garbage(&self, before: &Field, after: &Field) -> u32 {
        self.timing.table.of_garbage(before, after)
    }

    /// Frames of the chain of a board after a placement.
    pub fn of_chain(&self, landed: &Field, rules: Rules) -> u32 {
        self.timing.table.of_chain(landed, rules)
    }
}

/// Rows that the entire pair falls, and rows that one of its puyos then falls.
fn way_down(heights: [usize; COLUMNS], placement: Placement) -> (usize, usize) {
    let (axis, child) = (heights[placement.column()], heights[placement.child_column()]);
    match placement.rotation() {
        Rotation::Up => (ROW - axis, 0),
        Rotation::Down => (ROW - 1 - axis, 0),
        Rotation::Left | Rotation::Right => (ROW - axis.max(child), axis.abs_diff(child)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, StepGarbage};
    use nextscope_boards::puyo::{Cell, Fired, Simulator, reachable};
    use nextscope_boards::{Color, Pair};
    use nextscope_games::profile::FrameStatus;
    use proptest::prelude::*;

    fn timing() -> Timing {
        let table = FrameTable {
            status: FrameStatus::Unconfirmed,
            press: 1,
            release: 3,
            fall: 2,
            lock: 15,
            split: vec![0, 19, 24, 28],
            chain: vec![40, 50, 60],
            next: 7,
            all_clear: 9,
            garbage: None,
        };
        Timing { table, max_frames: None, soonest: true }
    }

    proptest! {
        #[test]
        fn the_shortcut_matches_the_table(
            heights in proptest::array::uniform6(0usize..13),
            placement in 0..Placement::ALL.len(),
            colors in proptest::collection::vec(0usize..3, 80),
        ) {
            let mut field = Field::default();
            let mut colors = colors.into_iter();
            for (column, height) in heights.into_iter().enumerate() {
                for _ in 0..height {
                    let color = [Color::RED, Color::GREEN, Color::BLUE][colors.next().unwrap_or(0)];
                    field.drop(column, Cell::Puyo(color));
                }
            }
            Simulator::new(Rules::TSU).fire(&mut field);
            let placement = Placement::ALL[placement];
            prop_assume!(reachable(&field).has(placement));
            let pair = Pair { axis: Color::RED, child: Color::GREEN };
            let mut landed = field;
            landed.land(pair, placement, Rules::TSU);
            let mut after = landed;
            let fired: Fired = Simulator::new(Rules::TSU).fire(&mut after);
            let garbage = StepGarbage::default();
            let step = Step { pair, placement, landed, fired, popped: after, garbage, after };
            let timing = timing();
            let pace = FrameCosts::new(&timing);
            let carried = find_inputs(&field, placement).expect("it can be reached");
            let expected = timing.table.cost(&step, &carried, Rules::TSU).total();
            prop_assert_eq!(pace.of_placement(&field, placement) + pace.of_chain(&landed, Rules::TSU), expected);
        }
    }
}

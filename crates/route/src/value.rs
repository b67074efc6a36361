//! The value of a board: the reference implementation, for any rules.
//!
//! The value of a board is the longest chain that a few puyos of one colour, dropped onto one column, would trigger, and the potential
//! of the board after it; in addition, groups of two and three, and an even surface.
//!
//! The weights for chains come from finished searches of other games than those of `benches/route.rs`. In each layer the board from which the
//! best chain came was compared with eight others of the layer (a conditional logit); the terms and rounded weights were chosen by hand from
//! its coefficients, in two rounds, and then varied at random for a while: what gave longer chains and more points in 300 games was kept.

use nextscope_boards::puyo::{COLUMNS, Field, Simulator, VISIBLE_ROWS};

/// The weights of the terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// A step of the potential chain.
    pub chain: i32,
    /// A puyo that is missing to trigger it.
    pub key: i32,
    /// A row of height of the column in which it is triggered.
    pub trigger_height: i32,
    /// A puyo that it leaves on the board: of chains with as many steps, the one of fewer puyos is better.
    pub remaining: i32,
    /// A group of two on the board, and on the board after the chain.
    pub twos: [i32; 2],
    /// A group of three on the board, and on the board after the chain.
    pub threes: [i32; 2],
    /// A deviation of one row from the target shape.
    pub shape: i32,
    /// A row of height of each column above the mean.
    pub columns: [i32; COLUMNS],
    /// A row of height of the highest column.
    pub highest: i32,
    /// A cell of depth of a column between two higher ones, or of height of one between two lower ones.
    pub uneven: i32,
    /// A puyo on the board.
    pub cell: i32,
    /// The number of steps above which a longer chain adds no value.
    pub max_chain: i32,
}

impl Weights {
    /// Weights for the longest chain.
    pub const CHAIN: Self = Self {
        chain: 106,
        key: -8,
        trigger_height: 25,
        remaining: 7,
        twos: [7, 11],
        threes: [10, 34],
        shape: -4,
        columns: [7, 3, 4, 0, -4, 0],
        highest: -4,
        uneven: -10,
        cell: 0,
        max_chain: 99,
    };
    /// Weights for an empty board.
    pub const CLEAR: Self = Self {
        chain: 20,
        key: -10,
        trigger_height: 0,
        remaining: 0,
        twos: [10; 2],
        threes: [20; 2],
        shape: 0,
        columns: [0; COLUMNS],
        highest: 0,
        uneven: 0,
        cell: -40,
        max_chain: 2,
    };
}

/// The most puyos that are dropped to trigger a chain.
pub(super) const MAX_TRIGGERS: usize = 3;
/// The target shape, as offsets from the mean height: the left side higher.
pub(super) const SHAPE: [i32; COLUMNS] = [1, 1, 1, -1, -1, -1];

/// The value of a board without floating puyos and popping groups.
pub(super) fn value(field: &Field, simulator: &Simulator, weights: &Weights) -> i32 {
    let heights = field.heights();
    let promise = promises(field, simulator, weights, heights).max().unwrap_or(0);
    promise + links(field, weights, 0) + surface(heights, weights) + cells(field) * weights.cell
}

/// The value of each way to trigger a chain.
fn promises<'a>(
    field: &'a Field,
    simulator: &'a Simulator,
    weights: &'a Weights,
    heights: [usize; COLUMNS],
) -> impl Iterator<Item = i32> + 'a {
    let group = simulator.rules().group;
    open_columns(heights).flat_map(move |column| {
        field
            .visible_colors()
            .into_iter()
            .filter_map(move |color| {
                let triggers = MAX_TRIGGERS.min(VISIBLE_ROWS.saturating_sub(heights[column]));
                (1..=triggers).find_map(|triggers| {
                    let mut with = *field;
                    (0..triggers).for_each(|_| _ = with.drop(column, color));
                    (with.group_at(column, heights[column]) >= group).then_some((triggers, with))
                })
            })
            .filter_map(move |(triggers, mut with)| {
                let fired = simulator.fire(&mut with);
                (fired.chain > 1).then(|| {
                    let chain = i32::try_from(fired.chain).unwrap_or(0).min(weights.max_chain);
                    let triggers = i32::try_from(triggers).unwrap_or(0);
                    chain * weights.chain
                        + triggers * weights.key
                        + i32::try_from(heights[column]).unwrap_or(0) * weights.trigger_height
                        + cells(&with) * weights.remaining
                        + links(&with, weights, 1)
                })
            })
    })
}

/// The columns that pairs reach without climbing.
fn open_columns(heights: [usize; COLUMNS]) -> impl Iterator<Item = usize> {
    let open = move |column: &usize| heights[*column] < VISIBLE_ROWS;
    (0..3).rev().take_while(open).chain((3..COLUMNS).take_while(open))
}

fn cells(field: &Field) -> i32 {
    i32::try_from(field.count()).unwrap_or(0)
}

/// Groups of two and three, with the weights of the board or of the board after the chain.
fn links(field: &Field, weights: &Weights, of: usize) -> i32 {
    let (twos, threes) = field.links();
    let count = |count: u32| i32::try_from(count).unwrap_or(0);
    count(twos) * weights.twos[of] + count(threes) * weights.threes[of]
}

fn surface(heights: [usize; COLUMNS], weights: &Weights) -> i32 {
    let heights = heights.map(|height| i32::try_from(height).unwrap_or(0));
    let mean = heights.iter().sum::<i32>() / 6;
    let off: i32 = heights.iter().zip(SHAPE).map(|(height, shape)| (height - mean - shape).abs()).sum();
    let lean: i32 =
        heights.iter().zip(weights.columns).map(|(height, weight)| (height - mean) * weight).sum();
    let highest = heights.into_iter().max().unwrap_or(0);
    let mut uneven = (heights[1] - heights[0]).max(0) + (heights[4] - heights[5]).max(0);
    for [left, middle, right] in heights.array_windows() {
        uneven += (left.min(right) - middle).max(0) + (middle - left.max(right)).max(0);
    }
    off * weights.shape + lean + highest * weights.highest + uneven * weights.uneven
}

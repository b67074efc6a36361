//! What a board promises: the plain version, for any rules.
//!
//! A board is worth the longest chain that a few puyos of one colour, dropped onto one column, would set off, and what would be left
//! to build on; besides, groups of two and three, and an even surface. Which terms matter was found out by trying each with and
//! without on games of other seeds than those that speed and quality are measured on.

use crate::puyo::{COLUMNS, Field, Simulator};

/// What the parts of a value count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// A step of the chain that could be set off.
    pub chain: i32,
    /// A puyo that is missing for it.
    pub key: i32,
    /// Room to both sides of its column.
    pub room: i32,
    /// A group of two, on the board and on what the chain leaves.
    pub twos: i32,
    /// A group of three.
    pub threes: i32,
    /// A step up or down from the shape that boards should have.
    pub shape: i32,
    /// A cell of depth of a column between two higher ones, and of height of one between two lower ones.
    pub uneven: i32,
    /// A puyo on the board.
    pub cell: i32,
    /// Steps beyond which a longer chain is worth no more.
    pub most_chain: i32,
}

impl Weights {
    /// For the longest chain.
    pub const CHAIN: Self = Self {
        chain: 100,
        key: -20,
        room: 20,
        twos: 15,
        threes: 25,
        shape: -10,
        uneven: -10,
        cell: 0,
        most_chain: 99,
    };
    /// For a board with nothing on it.
    pub const CLEAR: Self = Self {
        chain: 20,
        key: -10,
        room: 0,
        twos: 10,
        threes: 20,
        shape: 0,
        uneven: 0,
        cell: -40,
        most_chain: 2,
    };
}

/// The most puyos that are dropped to set off a chain.
pub(super) const KEYS: usize = 3;
/// The height to which a chain can be set off: puyos above it are not seen, and do not pop.
pub(super) const SEEN_ROWS: usize = 12;
/// The shape that boards should have, as steps from the mean height: the left side higher.
pub(super) const SHAPE: [i32; COLUMNS] = [1, 1, 1, -1, -1, -1];

/// The value of a board on which nothing floats and nothing pops.
pub(super) fn value(field: &Field, simulator: &Simulator, weights: &Weights) -> i32 {
    let heights = field.heights();
    let promise = promises(field, simulator, weights, heights).max().unwrap_or(0);
    let cells = i32::try_from(field.count()).unwrap_or(0);
    promise + links(field, weights) + surface(heights, weights) + cells * weights.cell
}

/// What each way to set off a chain is worth.
fn promises<'a>(
    field: &'a Field,
    simulator: &'a Simulator,
    weights: &'a Weights,
    heights: [usize; COLUMNS],
) -> impl Iterator<Item = i32> + 'a {
    let group = simulator.rules().group;
    open_columns(heights).flat_map(move |column| {
        field
            .colors_seen()
            .into_iter()
            .filter_map(move |color| {
                let keys = KEYS.min(SEEN_ROWS.saturating_sub(heights[column]));
                (1..=keys).find_map(|keys| {
                    let mut with = *field;
                    (0..keys).for_each(|_| _ = with.drop(column, color));
                    (with.group_at(column, heights[column]) >= group).then_some((keys, with))
                })
            })
            .filter_map(move |(keys, mut with)| {
                let fired = simulator.fire(&mut with);
                (fired.chain > 1).then(|| {
                    let chain = i32::try_from(fired.chain).unwrap_or(0).min(weights.most_chain);
                    let keys = i32::try_from(keys).unwrap_or(0);
                    chain * weights.chain
                        + keys * weights.key
                        + room(heights, column) * weights.room
                        + links(&with, weights)
                })
            })
    })
}

/// The columns that pairs come to without climbing.
fn open_columns(heights: [usize; COLUMNS]) -> impl Iterator<Item = usize> {
    let open = move |column: &usize| heights[*column] < SEEN_ROWS;
    (0..3).rev().take_while(open).chain((3..COLUMNS).take_while(open))
}

/// Columns beside one that are no higher, and once more those that are lower, up to the first that is not.
fn room(heights: [usize; COLUMNS], column: usize) -> i32 {
    let height = heights[column];
    let right = heights[column + 1..].iter();
    let left = heights[..column].iter().rev();
    let upto = |side: &mut dyn Iterator<Item = &usize>, limit: usize| {
        side.take_while(|other| **other < limit).count()
    };
    let count = upto(&mut right.clone(), height + 1)
        + upto(&mut right.clone(), height)
        + upto(&mut left.clone(), height + 1)
        + upto(&mut left.clone(), height);
    i32::try_from(count).unwrap_or(0)
}

fn links(field: &Field, weights: &Weights) -> i32 {
    let (twos, threes) = field.links();
    let count = |count: u32| i32::try_from(count).unwrap_or(0);
    count(twos) * weights.twos + count(threes) * weights.threes
}

fn surface(heights: [usize; COLUMNS], weights: &Weights) -> i32 {
    let heights = heights.map(|height| i32::try_from(height).unwrap_or(0));
    let mean = heights.iter().sum::<i32>() / 6;
    let off: i32 = heights.iter().zip(SHAPE).map(|(height, shape)| (height - mean - shape).abs()).sum();
    let mut uneven = (heights[1] - heights[0]).max(0) + (heights[4] - heights[5]).max(0);
    for [left, middle, right] in heights.array_windows() {
        uneven += (left.min(right) - middle).max(0) + (middle - left.max(right)).max(0);
    }
    off * weights.shape + uneven * weights.uneven
}

//! Evaluates 32 boards at a time: [`value`](super::value::value), vectorized with one board per lane.
//!
//! A vector contains one column of one plane of every board, one board per 16-bit lane. A cell's neighbours above and below are a
//! shift away, and those to its sides are in the next vector. Potential chains are played the same way: a lane whose chain
//! is over takes the next chain, of any board.

use super::value::{MAX_TRIGGERS, SHAPE, Weights};
#[cfg(target_arch = "x86_64")]
use fearless_simd::Level;
use fearless_simd::{
    Bytes, Select, Simd, SimdBase, SimdFrom, SimdInt, SimdInto, SimdMask, dispatch, mask16x32, u8x64, u16x32,
};
use nextscope_boards::Vectors;
#[cfg(target_arch = "x86_64")]
use nextscope_boards::puyo::columns_down_by;
use nextscope_boards::puyo::{COLUMNS, Field};

/// Boards side by side.
pub(super) const LANES: usize = 32;
/// Planes of a board.
const PLANES: usize = 3;
/// Colours of puyos.
const COLORS: usize = 5;
/// The visible rows of a column.
const VISIBLE: u16 = 0x0FFF;
/// The number of lanes without a chain at which refilling them pays off.
const IDLE: u32 = 10;

/// Boards to be evaluated together.
#[derive(Clone)]
pub(super) struct Batch {
    planes: [[[u16; LANES]; COLUMNS]; PLANES],
    len: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { planes: [[[0; LANES]; COLUMNS]; PLANES], len: 0 }
    }
}

/// The results for the boards of a batch.
pub(super) struct Evaluation {
    /// One bit for each board with a popping group.
    pub pops: u32,
    /// The values of the others.
    pub values: [i32; LANES],
}

impl Batch {
    /// Whether the batch is full.
    pub fn is_full(&self) -> bool {
        self.len == LANES
    }

    /// Adds a board without floating puyos. The batch must not be full.
    pub fn push(&mut self, field: &Field) {
        for (plane, columns) in self.planes.iter_mut().zip(field.columns()) {
            for (lanes, column) in plane.iter_mut().zip(columns) {
                lanes[self.len] = column;
            }
        }
        self.len += 1;
    }

    /// Evaluates all boards with groups of four, and empties the batch.
    pub fn evaluate(&mut self, vectors: Vectors, weights: &Weights) -> Evaluation {
        let all = if self.is_full() { u32::MAX } else { (1 << self.len) - 1 };
        self.len = 0;
        dispatch!(vectors.level(), simd => evaluate(simd, &self.planes, all, weights))
    }
}

type Columns<S> = [u16x32<S>; COLUMNS];

/// One bit for each nonzero lane.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "32 lanes have 32 bits")]
fn some<S: Simd>(cells: u16x32<S>) -> u32 {
    cells.simd_ne(0).to_bitmask() as u32
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "32 lanes have 32 bits")]
fn bits<S: Simd>(mask: mask16x32<S>) -> u32 {
    mask.to_bitmask() as u32
}

/// A vector for each column. No closures here and below: a function called through one is not compiled for the instruction set of its caller.
macro_rules! each_column {
    ($simd:expr, |$column:ident| $value:expr) => {{
        let mut columns = [u16x32::splat($simd, 0); COLUMNS];
        for $column in 0..COLUMNS {
            columns[$column] = $value;
        }
        columns
    }};
}

/// The columns to both sides of one, combined.
#[inline(always)]
fn sides<S: Simd>(simd: S, cells: &Columns<S>, column: usize) -> (u16x32<S>, u16x32<S>) {
    let none = u16x32::splat(simd, 0);
    let left = if column > 0 { cells[column - 1] } else { none };
    let right = if column + 1 < COLUMNS { cells[column + 1] } else { none };
    (left, right)
}

/// Connections between puyos, of all colours at once.
struct Links<S: Simd> {
    /// Puyos with one of their own colour below them, and to their left.
    below: Columns<S>,
    left: Columns<S>,
    /// Puyos with a neighbour of their colour: those in groups of two or more.
    any: Columns<S>,
    /// Puyos with two neighbours of their colour: without larger groups, the middle ones of three.
    middle: Columns<S>,
    /// Puyos in groups of three or more.
    in_three: Columns<S>,
    /// The upper or right puyo of a group of two, if there are no larger groups.
    pairs: Columns<S>,
    /// Puyos that are certainly in groups of four or more; all others of such a group are their neighbours.
    sure: Columns<S>,
}

/// The cells of a column that are linked to given cells.
#[inline(always)]
fn linked<S: Simd>(simd: S, cells: &Columns<S>, [below, left]: [&Columns<S>; 2], column: usize) -> u16x32<S> {
    let (to_left, to_right) = sides(simd, cells, column);
    let (_, right) = sides(simd, left, column);
    cells[column] << 1 & below[column]
        | cells[column] >> 1 & below[column] >> 1
        | to_left & left[column]
        | to_right & right
}

#[inline(always)]
fn links<S: Simd>(simd: S, planes: &[Columns<S>; PLANES]) -> Links<S> {
    let none = [u16x32::splat(simd, 0); COLUMNS];
    let visible = u16x32::splat(simd, VISIBLE);
    let (mut below, mut left) = (none, none);
    for column in 0..COLUMNS {
        let [low, middle, high] = [planes[0][column], planes[1][column], planes[2][column]];
        let puyos = visible & (high | low & middle);
        let unlike = (low ^ low << 1) | (middle ^ middle << 1) | (high ^ high << 1);
        below[column] = puyos & !unlike;
        if column > 0 {
            let [other_low, other_middle, other_high] =
                [planes[0][column - 1], planes[1][column - 1], planes[2][column - 1]];
            let unlike = (low ^ other_low) | (middle ^ other_middle) | (high ^ other_high);
            left[column] = puyos & !unlike;
        }
    }
    let (mut any, mut middle, mut three) = (none, none, none);
    for column in 0..COLUMNS {
        let (_, right) = sides(simd, &left, column);
        let (below, above, left) = (below[column], below[column] >> 1, left[column]);
        let (both_ends, both_sides) = (above & below, left & right);
        let (an_end, a_side) = (above | below, left | right);
        any[column] = an_end | a_side;
        middle[column] = both_ends | both_sides | an_end & a_side;
        three[column] = both_ends & a_side | both_sides & an_end;
    }
    let (mut in_three, mut pairs, mut sure) = (none, none, none);
    for column in 0..COLUMNS {
        let near = linked(simd, &middle, [&below, &left], column);
        in_three[column] = middle[column] | near;
        pairs[column] = (below[column] | left[column]) & !in_three[column];
        sure[column] = three[column] | middle[column] & near;
    }
    Links { below, left, any, middle, in_three, pairs, sure }
}

/// The visible cells of a colour: 0 to 3 those whose code has the high bit, 4 the fifth.
#[inline(always)]
fn of_color<S: Simd>(simd: S, planes: &[Columns<S>; PLANES], color: usize) -> Columns<S> {
    let visible = u16x32::splat(simd, VISIBLE);
    each_column!(simd, |column| {
        let [low, middle, high] = [planes[0][column], planes[1][column], planes[2][column]];
        match color {
            0 => visible & high & !middle & !low,
            1 => visible & high & !middle & low,
            2 => visible & high & middle & !low,
            3 => visible & high & middle & low,
            _ => visible & !high & middle & low,
        }
    })
}

/// A chain to be played: the board and the trigger.
#[derive(Clone, Copy, Default)]
struct Job {
    board: u8,
    column: u8,
    color: u8,
    triggers: u8,
}

#[inline(always)]
fn evaluate<S: Simd>(
    simd: S,
    source: &[[[u16; LANES]; COLUMNS]; PLANES],
    all: u32,
    weights: &Weights,
) -> Evaluation {
    let none = u16x32::splat(simd, 0);
    let mut planes = [[none; COLUMNS]; PLANES];
    for plane in 0..PLANES {
        planes[plane] = each_column!(simd, |column| source[plane][column].simd_into(simd));
    }
    let taken = each_column!(simd, |column| planes[0][column] | planes[1][column] | planes[2][column]);
    // Whether there are colours other than the four whose code has the high bit.
    let mut others = none;
    for column in 0..COLUMNS {
        others |= taken[column] & !planes[2][column];
    }
    let colors = if some(others) != 0 { COLORS } else { COLORS - 1 };

    let heights = each_column!(simd, |column| taken[column].count_ones());
    let top = each_column!(simd, |column| (taken[column] + 1) & u16x32::splat(simd, VISIBLE));
    let open = open_columns(&top);
    let mut trigger_heights = [[0; LANES]; COLUMNS];
    for column in 0..COLUMNS {
        trigger_heights[column] = scaled(simd, heights[column], weights.trigger_height).into();
    }

    let mut jobs = [Job::default(); LANES * COLUMNS * COLORS];
    let mut count = 0;
    let mut pops = u16x32::splat(simd, 0);
    let (mut twos, mut threes) = (u16x32::splat(simd, 0), u16x32::splat(simd, 0));
    let links = links(simd, &planes);
    for column in 0..COLUMNS {
        pops |= links.sure[column];
        twos += links.pairs[column].count_ones();
        threes += links.middle[column].count_ones();
    }
    for color in 0..colors {
        let cells = of_color(simd, &planes, color);
        let in_three = each_column!(simd, |column| cells[column] & links.in_three[column]);
        let in_more = each_column!(simd, |column| cells[column] & links.any[column]);
        for column in 0..COLUMNS {
            let triggers = triggers(simd, [&cells, &in_more, &in_three], top[column], column);
            let mut left = all & open[column];
            for (nth, lanes) in triggers.into_iter().enumerate() {
                let mut lanes = lanes & left;
                left &= !lanes;
                while lanes != 0 {
                    let board = lanes.trailing_zeros();
                    lanes &= lanes - 1;
                    jobs[count] = job(board, column, color, nth + 1);
                    count += 1;
                }
            }
        }
    }
    let pops = some(pops) & all;
    let base = surface(simd, &heights, weights)
        + scaled(simd, twos, weights.twos[0])
        + scaled(simd, threes, weights.threes[0])
        + scaled(simd, sum(simd, &heights), weights.cell);
    let promises = promises(simd, source, &planes, &jobs[..count], (colors, pops), &trigger_heights, weights);
    let base: [u16; LANES] = base.into();
    let values = std::array::from_fn(|lane| i32::from(base[lane].cast_signed()) + promises[lane]);
    Evaluation { pops, values }
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "all are small")]
fn job(board: u32, column: usize, color: usize, triggers: usize) -> Job {
    Job { board: board as u8, column: column as u8, color: color as u8, triggers: triggers as u8 }
}

/// A count times a weight, as signed 16 bits.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "weights are small")]
fn scaled<S: Simd>(simd: S, count: u16x32<S>, weight: i32) -> u16x32<S> {
    count * u16x32::splat(simd, (weight as i16).cast_unsigned())
}

/// The lanes in which pairs reach each column without climbing.
#[inline(always)]
fn open_columns<S: Simd>(top: &Columns<S>) -> [u32; COLUMNS] {
    let mut open = [0; COLUMNS];
    let mut way = u32::MAX;
    for column in (0..3).rev() {
        way &= some(top[column]);
        open[column] = way;
    }
    way = u32::MAX;
    for column in 3..COLUMNS {
        way &= some(top[column]);
        open[column] = way;
    }
    open
}

/// The puyos of a board by those of its columns.
#[inline(always)]
fn sum<S: Simd>(simd: S, columns: &Columns<S>) -> u16x32<S> {
    let mut sum = u16x32::splat(simd, 0);
    for column in columns {
        sum += *column;
    }
    sum
}

/// For one, two and three puyos dropped onto a column: the lanes in which they complete a group of four or more of a colour, given
/// its cells, those in groups of two or more, and those in groups of three. There are no larger groups yet.
#[inline(always)]
fn triggers<S: Simd>(
    simd: S,
    [cells, more, three]: [&Columns<S>; 3],
    top: u16x32<S>,
    column: usize,
) -> [u32; MAX_TRIGGERS] {
    let visible = u16x32::splat(simd, VISIBLE);
    let (second, third) = (top << 1 & visible, top << 2 & visible);
    let (left, right) = sides(simd, cells, column);
    let (left_more, right_more) = sides(simd, more, column);
    let (left_three, right_three) = sides(simd, three, column);
    let below = cells[column] << 1;
    let beside_more = left_more | right_more;
    let (with_below, with_left, with_right) = (some(below & top), some(left & top), some(right & top));
    let any_two = with_below & (with_left | with_right) | with_left & with_right;
    let all_three = with_below & with_left & with_right;
    let in_three = some((three[column] << 1 | left_three | right_three) & top);
    let in_more = some((more[column] << 1 | beside_more) & top);
    let one = in_three | all_three | any_two & in_more;
    let (left_second, right_second) = (some(left & second), some(right & second));
    let any_of_first = with_below | with_left | with_right;
    let two_of_five = any_two | any_of_first & (left_second | right_second) | left_second & right_second;
    let two = some(second) & (in_more | some(beside_more & second) | two_of_five);
    let any = some(below & top | (left | right) & (top | second | third));
    [one, two, some(third) & any]
}

/// The evenness of the surface.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "all are small")]
fn surface<S: Simd>(simd: S, heights: &Columns<S>, weights: &Weights) -> u16x32<S> {
    // Division by six: exact up to 84, which is a full board.
    let mean = (sum(simd, heights) * 43) >> 8;
    let none = u16x32::splat(simd, 0);
    let (mut off, mut lean, mut highest) = (none, none, none);
    for column in 0..COLUMNS {
        // Offset by one on both sides to avoid negative values.
        let (height, target) = (heights[column] + 1, mean + (SHAPE[column] + 1) as u16);
        off += height.max(target) - height.min(target);
        lean += scaled(simd, heights[column] - mean, weights.columns[column]);
        highest = highest.max(heights[column]);
    }
    let mut uneven = heights[1].saturating_sub(heights[0]) + heights[4].saturating_sub(heights[5]);
    for middle in 1..COLUMNS - 1 {
        let (left, here, right) = (heights[middle - 1], heights[middle], heights[middle + 1]);
        uneven += left.min(right).saturating_sub(here) + here.saturating_sub(left.max(right));
    }
    scaled(simd, off, weights.shape)
        + lean
        + scaled(simd, highest, weights.highest)
        + scaled(simd, uneven, weights.uneven)
}

/// The best potential chain of each board.
#[inline(always)]
fn promises<S: Simd>(
    simd: S,
    source: &[[[u16; LANES]; COLUMNS]; PLANES],
    boards: &[Columns<S>; PLANES],
    jobs: &[Job],
    (colors, pops): (usize, u32),
    trigger_heights: &[[u16; LANES]; COLUMNS],
    weights: &Weights,
) -> [i32; LANES] {
    let none = u16x32::splat(simd, 0);
    let mut best = [None; LANES];
    let mut jobs = jobs.iter().filter(|job| pops >> job.board & 1 == 0).copied();
    let mut planes = *boards;
    let mut chain = none;
    let mut playing = [Job::default(); LANES];
    // Lanes in which a chain is played, and lanes whose chain is not valued yet.
    let (mut active, mut unvalued, mut more) = (0_u32, 0_u32, true);
    loop {
        if more && (!active).count_ones() >= IDLE {
            let mut given = 0_u32;
            let mut from = [0_u8; 2 * LANES];
            let (mut column, mut size) = ([0_u16; LANES], [0_u16; LANES]);
            let mut code = [[0_u16; LANES]; PLANES];
            let mut idle = !active;
            while idle != 0 {
                let Some(job) = jobs.next() else {
                    more = false;
                    break;
                };
                let lane = idle.trailing_zeros() as usize;
                idle &= idle - 1;
                given |= 1 << lane;
                playing[lane] = job;
                (from[2 * lane], from[2 * lane + 1]) = (2 * job.board, 2 * job.board + 1);
                column[lane] = u16::from(job.column);
                size[lane] = (1 << job.triggers) - 1;
                let [low, middle, high] = CODES[usize::from(job.color)];
                (code[0][lane], code[1][lane], code[2][lane]) = (low, middle, high);
            }
            active |= given;
            unvalued |= given;
            let from = u8x64::simd_from(simd, from);
            let given = mask16x32::from_bitmask(simd, u64::from(given));
            let (at, size) = (u16x32::simd_from(simd, column), u16x32::simd_from(simd, size));
            let code = [
                u16x32::simd_from(simd, code[0]),
                u16x32::simd_from(simd, code[1]),
                u16x32::simd_from(simd, code[2]),
            ];
            chain = given.select(none, chain);
            for column in 0..COLUMNS {
                let mut board = [none; PLANES];
                for plane in 0..PLANES {
                    let column: u16x32<S> = source[plane][column].simd_into(simd);
                    board[plane] = u16x32::from_bytes(column.to_bytes().swizzle_dyn(from));
                }
                let top = (board[0] | board[1] | board[2]) + 1;
                let triggers = at
                    .simd_eq(u16x32::splat(simd, u16::try_from(column).unwrap_or(0)))
                    .select(top * size, none);
                for plane in 0..PLANES {
                    planes[plane][column] =
                        given.select(board[plane] | triggers & code[plane], planes[plane][column]);
                }
            }
        }
        if active == 0 {
            return best.map(|best| best.unwrap_or(0));
        }
        let links = links(simd, &planes);
        let mut gone = each_column!(simd, |column| links.sure[column]
            | linked(simd, &links.sure, [&links.below, &links.left], column));
        let mut any = none;
        for column in gone {
            any |= column;
        }
        let pops = any.simd_ne(0);
        active &= bits(pops);
        // A board remains as it is when its chain is over: what it is worth is computed when lanes are refilled, for many at a time.
        if active == 0 || more && (!active).count_ones() >= IDLE {
            let (mut twos, mut threes) = (none, none);
            for column in 0..COLUMNS {
                twos += links.pairs[column].count_ones();
                threes += links.middle[column].count_ones();
            }
            let most = u16x32::splat(simd, u16::try_from(weights.max_chain).unwrap_or(u16::MAX));
            let remaining =
                each_column!(simd, |column| (planes[0][column] | planes[1][column] | planes[2][column])
                    .count_ones());
            let worth = scaled(simd, chain.min(most), weights.chain)
                + scaled(simd, sum(simd, &remaining), weights.remaining)
                + scaled(simd, twos, weights.twos[1])
                + scaled(simd, threes, weights.threes[1]);
            let (worth, chain): ([u16; LANES], [u16; LANES]) = (worth.into(), chain.into());
            let mut over = unvalued & !active;
            unvalued &= active;
            while over != 0 {
                let lane = over.trailing_zeros() as usize;
                over &= over - 1;
                if chain[lane] > 1 {
                    let job = playing[lane];
                    let board = usize::from(job.board);
                    let height = trigger_heights[usize::from(job.column)][board];
                    let worth = i32::from(worth[lane].cast_signed())
                        + i32::from(job.triggers) * weights.key
                        + i32::from(height.cast_signed());
                    best[board] = best[board].max(Some(worth));
                }
            }
        }
        chain = pops.select(chain + 1, chain);
        if colors == COLORS {
            take_nuisance(simd, &mut planes, &mut gone);
        }
        for column in 0..COLUMNS {
            while some(gone[column]) != 0 {
                // The lowest run of cleared cells, and the cells above it.
                let run = gone[column];
                let lowest = run & (none - run);
                let run = run & !(run + lowest);
                let (rows, below) = (run.count_ones(), lowest - 1);
                let moved = down_by(simd, [planes[0][column], planes[1][column], planes[2][column]], rows);
                for plane in 0..PLANES {
                    planes[plane][column] = planes[plane][column] & below | moved[plane] & !below;
                }
                gone[column] = (gone[column] & !run) >> rows;
            }
        }
    }
}

/// A column of each plane moved down by so many cells; where none is to be moved, the result does not matter.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "only AVX2 needs a way of its own"))]
fn down_by<S: Simd>(simd: S, planes: [u16x32<S>; PLANES], rows: u16x32<S>) -> [u16x32<S>; PLANES] {
    #[cfg(target_arch = "x86_64")]
    if let Level::Avx2(avx2) = simd.level() {
        let rows: [u16; LANES] = rows.into();
        return planes.map(|plane| {
            let mut lanes: [u16; LANES] = plane.into();
            for (lanes, rows) in lanes.as_chunks_mut().0.iter_mut().zip(rows.as_chunks().0) {
                *lanes = columns_down_by(avx2, *lanes, *rows);
            }
            lanes.simd_into(simd)
        });
    }
    [planes[0] >> rows, planes[1] >> rows, planes[2] >> rows]
}

/// The planes of the colours' codes.
const CODES: [[u16; PLANES]; COLORS] = {
    const ON: u16 = u16::MAX;
    [[0, 0, ON], [ON, 0, ON], [0, ON, ON], [ON, ON, ON], [ON, ON, 0]]
};

/// The horizontal neighbours of cells, within a column.
#[inline(always)]
fn beside<S: Simd>(simd: S, cells: &Columns<S>, column: usize) -> u16x32<S> {
    let (left, right) = sides(simd, cells, column);
    cells[column] << 1 | cells[column] >> 1 | left | right
}

/// Clears garbage next to popping groups; hard blocks become garbage.
#[inline(always)]
fn take_nuisance<S: Simd>(simd: S, planes: &mut [Columns<S>; PLANES], gone: &mut Columns<S>) {
    let visible = u16x32::splat(simd, VISIBLE);
    let near = each_column!(simd, |column| beside(simd, gone, column) & visible);
    for column in 0..COLUMNS {
        let [low, middle, high] = [planes[0][column], planes[1][column], planes[2][column]];
        let ojama = near[column] & low & !middle & !high;
        let hard = near[column] & middle & !low & !high;
        gone[column] |= ojama;
        planes[0][column] = low | hard;
        planes[1][column] = middle & !hard;
    }
}

#[cfg(test)]
#[path = "batch_eval_tests.rs"]
mod tests;

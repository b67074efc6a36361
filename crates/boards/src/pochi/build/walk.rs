//! Random walks between structures, with a falling tolerance for worse ones (simulated annealing).

use super::freestanding::{self, Heights};
use super::{Search, Shape, Task, WALKS, above, inside};
use crate::SplitMix64;
use crate::pochi::field::{GridCell, HEIGHT, WIDTH};
use crate::pochi::sets::{bit, neighbors};
use rayon::prelude::*;

/// Reports of the walks.
const REPORTS: u64 = 64;
/// One in this many steps moves the needle, and one removes or adds a block, because fewer may have a higher value.
const MOVES: u32 = 16;
/// The most blocks at the start of an unrestricted walk: in a full field, nothing can be moved.
const FIRST_BLOCKS: u32 = 42;
/// One in this many steps puts the block anywhere instead of beside others.
const FAR_MOVES: u32 = 32;
/// The most random cells that are tested for membership.
const MAX_TRIES: u32 = 400;

/// Runs the walks. Returns whether to continue afterwards.
pub(super) fn all(search: &mut Search<'_>, most: u64) -> bool {
    let task = search.task;
    if task.blocks == 0 {
        return true;
    }
    let steps = most.div_ceil(WALKS);
    let mut walks: Vec<Walk> = (0..WALKS).map(|seed| Walk::new(task, seed, steps)).collect();
    let each = steps.div_ceil(REPORTS).max(1);
    let mut done = 0;
    while done < steps {
        let now = each.min(steps - done);
        walks.par_iter_mut().for_each(|walk| {
            for _ in 0..now {
                walk.step();
            }
        });
        done += now;
        // The first among equals, so that the number of threads does not decide.
        let best =
            walks.iter().rev().max_by_key(|walk| walk.best.1).map_or_else(Default::default, |walk| walk.best);
        if !search.report(now * WALKS, best.0, best.1) {
            return false;
        }
        if search.is_at_bound() {
            break;
        }
    }
    true
}

#[derive(Clone, Copy)]
enum WalkState {
    /// Blocks and a needle anywhere.
    Free(Shape),
    /// Columns from the floor and the needle's column and height.
    Columns(Heights, (u8, u8)),
}

impl WalkState {
    fn shape(&self) -> Shape {
        match self {
            Self::Free(shape) => *shape,
            Self::Columns(heights, needle) => freestanding::shape(heights, *needle),
        }
    }
}

struct Walk {
    task: Task,
    random: SplitMix64,
    state: WalkState,
    value: u32,
    best: (Shape, u32),
    step: u64,
    steps: u64,
}

fn random_cell(random: &mut SplitMix64) -> u128 {
    let (x, y) = (random.below(WIDTH.into()), random.below(HEIGHT.into()));
    bit(GridCell::new(u8::try_from(x).unwrap_or(0), u8::try_from(y).unwrap_or(0)))
}

/// A random cell of a set; `None` if none of the tested cells is in it.
fn random_of(set: u128, random: &mut SplitMix64) -> Option<u128> {
    (0..MAX_TRIES).map(|_| random_cell(random)).find(|cell| cell & set != 0)
}

fn random_column(random: &mut SplitMix64) -> u8 {
    u8::try_from(random.below(WIDTH.into())).unwrap_or(0)
}

impl Walk {
    fn new(task: Task, seed: u64, steps: u64) -> Self {
        let mut random = SplitMix64(seed);
        let state =
            if task.limits.freestanding { columns(task, &mut random) } else { lump(task, &mut random) };
        let shape = state.shape();
        let value = task.value(shape);
        Self { task, random, state, value, best: (shape, value), step: 0, steps }
    }

    fn step(&mut self) {
        self.step += 1;
        let next = match self.state {
            WalkState::Free(shape) => self.free(shape).map(WalkState::Free),
            WalkState::Columns(heights, needle) => self.columns(heights, needle),
        };
        let Some(next) = next else { return };
        let shape = next.shape();
        let value = self.task.value(shape);
        if value + self.tolerance() >= self.value {
            (self.state, self.value) = (next, value);
            if value > self.best.1 {
                self.best = (shape, value);
            }
        }
    }

    /// The tolerated loss of value in the next step: a random number with a geometric distribution, smaller towards the end of
    /// the walk. In integers, so that it is the same on every machine.
    fn tolerance(&mut self) -> u32 {
        let halvings = self.random.below(u32::MAX).leading_zeros();
        let first = 256 + 24 * self.task.blocks;
        let part = u32::try_from((self.steps - self.step) * 256 / self.steps).unwrap_or(0);
        // Falls with the square, so that more of the walk is spent on fine selection.
        (first * part / 256 * part / 256 * halvings + self.random.below(256)) / 256
    }

    /// Moves a block, or the needle.
    fn free(&mut self, shape: Shape) -> Option<Shape> {
        let random = &mut self.random;
        let mut next = shape;
        let which = random.below(MOVES);
        if which == 0 {
            let to = random_cell(random);
            if to == shape.needle {
                return None;
            }
            next.needle = to;
            if shape.blocks & to != 0 {
                next.blocks ^= to | shape.needle;
            }
        } else if which == 1 {
            let cell = random_cell(random);
            let count = shape.blocks.count_ones();
            let may = if shape.blocks & cell == 0 { count < self.task.blocks } else { count > 1 };
            if !may || cell == shape.needle {
                return None;
            }
            next.blocks ^= cell;
        } else {
            let from = random_of(shape.blocks, random)?;
            let rest = shape.blocks & !from;
            let near = if random.below(FAR_MOVES) == 0 { u128::MAX } else { neighbors(rest | shape.needle) };
            let to = random_of(near & inside() & !shape.blocks & !shape.needle, random)?;
            next.blocks = rest | to;
        }
        let is_shut = self.task.limits.open && next.blocks & above(next.needle) != 0;
        (!is_shut).then_some(next)
    }

    /// Moves the top of a column to another one, or moves the needle.
    fn columns(&mut self, mut heights: Heights, mut needle: (u8, u8)) -> Option<WalkState> {
        let random = &mut self.random;
        let which = random.below(MOVES);
        if which == 0 {
            let column = random_column(random);
            let height = heights[usize::from(column)];
            if height == 0 {
                return None;
            }
            needle = (column, u8::try_from(random.below(height.into())).unwrap_or(0));
        } else if which == 1 {
            let column = random_column(random);
            let height = &mut heights[usize::from(column)];
            if random.below(2) == 0 {
                *height = height.checked_sub(1)?;
                if needle == (column, *height) {
                    return None;
                }
            } else if *height < HEIGHT {
                *height += 1;
            }
            if heights.iter().map(|height| u32::from(*height)).sum::<u32>() > self.task.blocks + 1 {
                return None;
            }
        } else {
            let (from, to) = (random_column(random), random_column(random));
            if from == to || heights[usize::from(from)] == 0 || heights[usize::from(to)] == HEIGHT {
                return None;
            }
            heights[usize::from(from)] -= 1;
            heights[usize::from(to)] += 1;
            // The needle moves with the top if it is that top.
            if needle == (from, heights[usize::from(from)]) {
                needle = (to, heights[usize::from(to)] - 1);
            }
        }
        if self.task.limits.open {
            needle.1 = heights[usize::from(needle.0)] - 1;
        }
        Some(WalkState::Columns(heights, needle))
    }
}

/// Blocks around a needle in the middle of the field.
fn lump(task: Task, random: &mut SplitMix64) -> WalkState {
    let mut shape = Shape { blocks: 0, needle: bit(GridCell::new(WIDTH / 2, HEIGHT / 2)) };
    let mut room = inside() & !shape.needle;
    if task.limits.open {
        room &= !above(shape.needle);
    }
    while shape.blocks.count_ones() < task.blocks.min(FIRST_BLOCKS) {
        let near = neighbors(shape.blocks | shape.needle) & room & !shape.blocks;
        let lowest = near & near.wrapping_neg();
        shape.blocks |= random_of(near, random).unwrap_or(lowest);
    }
    WalkState::Free(shape)
}

/// Columns of similar height, the needle on one of them.
fn columns(task: Task, random: &mut SplitMix64) -> WalkState {
    let mut heights = Heights::default();
    for nth in 0..=task.blocks {
        heights[nth as usize % heights.len()] += 1;
    }
    let column = u8::try_from(random.below(u32::from(WIDTH).min(task.blocks + 1))).unwrap_or(0);
    WalkState::Columns(heights, (column, heights[usize::from(column)] - 1))
}

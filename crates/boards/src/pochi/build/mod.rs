//! Searches for the best structure with a given number of blocks, and proves it optimal if possible.
//!
//! Random walks (`walk`) find good structures at any size. If the shapes are few enough to enumerate (`exact`, `freestanding`),
//! or if the best one found reaches an upper bound (`bound`), the result is proven.

mod bound;
mod exact;
mod freestanding;
mod walk;

use super::field::{Color, Field, GridCell, HEIGHT, WIDTH};
use super::ignition::Ignition;
use super::rules::{Rules, Ruleset};
use super::sets::{ROW_BITS, bit, lone_reached, lone_value};

/// Blocks that fit into the game's field beside a needle.
pub const MAX_BLOCKS: u32 = WIDTH as u32 * HEIGHT as u32 - 1;
/// The number of walks; each gets an equal part of the effort.
const WALKS: u64 = 8;
/// A walk finds the best structure of a few blocks within this many shapes per pair of blocks, so no more are spent.
const FOR_A_PAIR: u64 = 20_000;
/// Freestanding structures that the proof may try per shape of the walks: they are as fast to try as those of a walk.
const STANDING_FOR_PROOF: u64 = 8;

/// Requirements on a structure, and the effort limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BuildLimits {
    /// Freestanding: no block and no needle needs a block of another colour below it.
    pub freestanding: bool,
    /// The needle can fall into its cell: there is no block above it.
    pub open: bool,
    /// The most shapes that the walks try; the proof may try as many again, and eight times as many freestanding ones. With the same
    /// effort the result is the same on every machine.
    pub effort: u64,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self { freestanding: false, open: false, effort: 4_000_000 }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct BuildProgress<'a> {
    /// Shapes tried.
    pub tried: u64,
    /// The most shapes to try.
    pub of: u64,
    /// Whether the walks are finished and the proof is running.
    pub proving: bool,
    /// The best structure so far.
    pub best: &'a BuildResult,
}

/// A structure, and the needle that ignites it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildResult {
    /// The game's field with the structure in red and nothing else.
    pub field: Field,
    /// The needle, in red.
    pub ignition: Ignition,
    /// The value.
    pub value: u32,
    /// The number of blocks; fewer than requested if more would not raise the value.
    pub blocks: u32,
    /// Cells that must contain a block of another colour, because blocks and needle fall.
    pub supports: Vec<GridCell>,
    /// The upper bound for this number of blocks; `None` if no bound is computed.
    pub bound: Option<u32>,
    /// Whether it is proven that no structure with this many blocks or fewer, in this field and within the limits, has a higher value.
    pub is_proven: bool,
    /// Whether the search was cancelled.
    pub is_cancelled: bool,
    /// Shapes tried.
    pub tried: u64,
}

#[derive(Clone, Copy, Debug)]
struct Task {
    blocks: u32,
    ruleset: Ruleset,
    rules: Rules,
    limits: BuildLimits,
}

/// Blocks and a needle, as bits of [`super::Board`] in the game's field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Shape {
    blocks: u128,
    needle: u128,
}

/// The cells of the game's field.
fn inside() -> u128 {
    let row = (1 << WIDTH) - 1;
    (0..u32::from(HEIGHT)).fold(0, |all, y| all | row << (ROW_BITS * y))
}

fn above(cell: u128) -> u128 {
    let column = (0..u32::from(HEIGHT)).fold(0, |all, y| all | 1 << (ROW_BITS * y));
    let x = cell.trailing_zeros() % ROW_BITS;
    column << x & cell.wrapping_sub(1)
}

impl Task {
    fn value(&self, shape: Shape) -> u32 {
        lone_value(shape.blocks, shape.needle, self.ruleset, self.rules)
    }

    /// The structure without unreached blocks, on the floor and centred.
    fn built(&self, shape: Shape, value: u32, bound: Option<u32>) -> BuildResult {
        let reached = lone_reached(shape.blocks, shape.needle, self.rules);
        let has = |x: u8, y: u8| (reached | shape.needle) & bit(GridCell::new(x, y)) != 0;
        let columns: Vec<u8> = (0..WIDTH).filter(|x| (0..HEIGHT).any(|y| has(*x, y))).collect();
        let lowest = (0..HEIGHT).rev().find(|y| (0..WIDTH).any(|x| has(x, *y))).unwrap_or(0);
        let (first, last) = (columns.first().copied().unwrap_or(0), columns.last().copied().unwrap_or(0));
        let (to_left, down) = ((WIDTH - (last - first + 1)) / 2, HEIGHT - 1 - lowest);
        let (mut field, mut needle, mut supports) = (Field::default(), GridCell::new(0, 0), Vec::new());
        for x in first..=last {
            let mut is_below = false;
            for y in 0..=lowest {
                let place = GridCell::new(x - first + to_left, y + down);
                let cell = bit(GridCell::new(x, y));
                if reached & cell != 0 {
                    field.set(place, Some(COLOR));
                } else if shape.needle & cell != 0 {
                    needle = place;
                } else if is_below {
                    supports.push(place);
                }
                is_below |= (reached | shape.needle) & cell != 0;
            }
        }
        BuildResult {
            field,
            ignition: Ignition::Needle { at: needle, color: Some(COLOR) },
            value,
            blocks: reached.count_ones(),
            supports,
            bound,
            is_proven: false,
            is_cancelled: false,
            tried: 0,
        }
    }
}

/// The colour of built structures.
const COLOR: Color = Color::Red;

struct Search<'a> {
    task: Task,
    best: BuildResult,
    of: u64,
    proving: bool,
    progress: &'a mut dyn FnMut(&BuildProgress<'_>) -> bool,
}

impl Search<'_> {
    /// Adds tried shapes with the best of them. Returns whether to continue.
    fn report(&mut self, tried: u64, shape: Shape, value: u32) -> bool {
        let tried = self.best.tried + tried;
        if value > self.best.value {
            self.best = self.task.built(shape, value, self.best.bound);
        }
        self.best.tried = tried;
        let progress = BuildProgress { tried, of: self.of, proving: self.proving, best: &self.best };
        self.best.is_cancelled = !(self.progress)(&progress);
        !self.best.is_cancelled
    }

    fn is_at_bound(&self) -> bool {
        self.best.bound == Some(self.best.value)
    }
}

/// The best structure found with at most this many blocks in the game's field, of one colour and for one needle, within the limits.
///
/// `progress` is called regularly, and ends the search by returning false. Blocks beyond [`MAX_BLOCKS`] do not fit.
pub fn build(
    blocks: u32,
    ruleset: Ruleset,
    rules: Rules,
    limits: BuildLimits,
    progress: &mut dyn FnMut(&BuildProgress<'_>) -> bool,
) -> BuildResult {
    let task = Task { blocks: blocks.min(MAX_BLOCKS), ruleset, rules, limits };
    let walks = limits.effort.min(FOR_A_PAIR * u64::from(task.blocks).pow(2));
    let proof = limits.effort.saturating_mul(if limits.freestanding { STANDING_FOR_PROOF } else { 1 });
    let nothing = Shape { blocks: 0, needle: bit(GridCell::new(WIDTH / 2, HEIGHT - 1)) };
    let best = task.built(nothing, 0, bound::upper_bound(&task));
    let mut search = Search { task, best, of: walks.saturating_add(proof), proving: false, progress };
    if walks > 0 && !walk::all(&mut search, walks) {
        return search.best;
    }
    search.proving = true;
    let proven = search.is_at_bound()
        || if limits.freestanding {
            freestanding::all(&mut search, proof)
        } else {
            exact::all(&mut search, proof)
        };
    search.best.is_proven = proven;
    search.best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pochi::{Choice, RuleQuestion};

    /// The proof alone, without a structure to start from.
    fn proof(task: Task, most: u64) -> (BuildResult, bool) {
        let nothing =
            BuildResult { bound: bound::upper_bound(&task), ..task.built(Shape::default(), 0, None) };
        let mut go_on = |_: &BuildProgress<'_>| true;
        let mut search = Search { task, best: nothing, of: most, proving: true, progress: &mut go_on };
        let all = if task.limits.freestanding { freestanding::all } else { exact::all };
        let is_whole = all(&mut search, most);
        (search.best, is_whole)
    }

    #[test]
    fn the_proof_alone_finds_what_the_walks_find() {
        let others = RuleQuestion::ALL
            .into_iter()
            .fold(Rules::default(), |rules, question| rules.with(question, Choice::Second));
        for blocks in 1..=8 {
            for (ruleset, rules) in
                Ruleset::ALL.into_iter().flat_map(|ruleset| [(ruleset, Rules::default()), (ruleset, others)])
            {
                for (freestanding, open) in [(false, false), (false, true), (true, false), (true, true)] {
                    let limits = BuildLimits { freestanding, open, effort: 100_000 };
                    let (alone, is_whole) = proof(Task { blocks, ruleset, rules, limits }, u64::MAX);
                    let built = build(blocks, ruleset, rules, limits, &mut |_| true);
                    assert!(is_whole && built.is_proven, "{blocks} {ruleset} {limits:?}");
                    assert_eq!(alone.value, built.value, "{blocks} {ruleset} {limits:?}");
                    assert!(alone.bound.is_some_and(|bound| alone.value <= bound));
                }
            }
        }
    }

    #[test]
    fn an_incomplete_proof_proves_nothing() {
        for freestanding in [false, true] {
            let limits = BuildLimits { freestanding, ..BuildLimits::default() };
            let task = Task { blocks: 13, ruleset: Ruleset::Mvs, rules: Rules::default(), limits };
            for most in [0, 1, 1_000] {
                let (best, is_whole) = proof(task, most);
                assert!(!is_whole && best.tried <= most, "{freestanding} {most}: {}", best.tried);
            }
        }
    }

    #[test]
    fn supports_are_counted_below_blocks_and_needle() {
        let task = Task {
            blocks: 5,
            ruleset: Ruleset::Mvs,
            rules: Rules::default(),
            limits: BuildLimits::default(),
        };
        // A bridge of three with a leg at its left end, the needle on its right end, and an unreached block.
        let blocks = [(1, 3), (2, 3), (3, 3), (1, 4), (6, 0)].map(|(x, y)| bit(GridCell::new(x, y)));
        let shape =
            Shape { blocks: blocks.iter().fold(0, |all, cell| all | cell), needle: bit(GridCell::new(3, 2)) };
        let built = task.built(shape, task.value(shape), None);
        assert_eq!(built.blocks, 4);
        assert_eq!(built.supports, [GridCell::new(3, 11), GridCell::new(4, 11)]);
        assert_eq!(built.ignition, Ignition::Needle { at: GridCell::new(4, 9), color: Some(COLOR) });
        assert_eq!(built.field.to_text().trim_start_matches(".......\n"), "..RRR..\n..R....\n");
    }
}

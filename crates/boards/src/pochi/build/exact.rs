//! Enumerates all structures, wave by wave.
//!
//! The blocks alone determine which block belongs to which wave. So dividing each wave's neighbours into blocks and cells that stay
//! empty, in all possible ways, gives every structure exactly once; and the tails of the earlier waves
//! are known when the next one is chosen.

use super::bound::{Bounds, WaveState};
use super::{Search, Shape, Task};
use crate::pochi::evaluate::PERCENT_A_TAIL;
use crate::pochi::field::{GridCell, HEIGHT, WIDTH};
use crate::pochi::ignition::MAX_STARTS;
use crate::pochi::rules::{RuleQuestion, Ruleset};
use crate::pochi::sets::bit;

/// The most blocks for which an enumeration finishes in reasonable time; the blocks of a wave are numbered in 32 bits.
const MAX_BLOCKS: u32 = 24;
/// Structures between two reports.
const REPORT_INTERVAL: u64 = 1 << 18;
/// Rows of the plane for structures, with the needle in its middle and a closed edge; columns likewise.
const ROWS: usize = 2 * HEIGHT as usize + 1;
const COLUMNS: usize = 2 * WIDTH as usize + 1;
/// The needle's cell in the plane.
const NEEDLE: usize = HEIGHT as usize * COLUMNS + WIDTH as usize;

/// Enumerates all structures. Returns whether the enumeration was completed, so that the best is proven.
pub(super) fn all(search: &mut Search<'_>, most: u64) -> bool {
    let task = search.task;
    if most == 0 || task.blocks > MAX_BLOCKS {
        return false;
    }
    let Some(bounds) = Bounds::new(&task) else { return false };
    let mut walk = Exact {
        best: search.best.value,
        task,
        bounds,
        search,
        closed: edges(),
        blocks: Vec::new(),
        starts: 0,
        is_one: false,
        since_report: 0,
        left: most,
        is_over: false,
    };
    walk.all_starts();
    let (since_report, is_over) = (walk.since_report, walk.is_over);
    search.best.tried += since_report;
    !is_over
}

/// The plane with its edge closed.
fn edges() -> Vec<bool> {
    let is_edge = |cell: usize| {
        let (x, y) = (cell % COLUMNS, cell / COLUMNS);
        x == 0 || x == COLUMNS - 1 || y == 0 || y == ROWS - 1
    };
    (0..COLUMNS * ROWS).map(is_edge).collect()
}

#[derive(Clone, Copy)]
struct Block {
    cell: usize,
    structure: usize,
    /// The blocks that its wave has visited including itself, by number.
    visited: u32,
}

/// The used rows and columns.
#[derive(Clone, Copy)]
struct Extent {
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

impl Extent {
    /// Extended by one cell; `None` if the field does not have as many rows or columns.
    fn with(self, cell: usize) -> Option<Self> {
        let (x, y) = (cell % COLUMNS, cell / COLUMNS);
        let more = Self {
            left: self.left.min(x),
            right: self.right.max(x),
            top: self.top.min(y),
            bottom: self.bottom.max(y),
        };
        let fits =
            more.right - more.left < usize::from(WIDTH) && more.bottom - more.top < usize::from(HEIGHT);
        fits.then_some(more)
    }
}

/// The tails of the waves before the newest.
#[derive(Clone, Copy, Default)]
struct Tails {
    sum: u32,
    counts: [u32; MAX_STARTS],
    /// Starts that are single blocks.
    singles: u32,
}

impl Tails {
    fn add(&mut self, block: &Block, is_single: bool) {
        self.sum += block.visited.count_ones();
        self.counts[block.structure] += 1;
        self.singles += u32::from(is_single);
    }

    fn most(&self) -> u32 {
        self.counts.iter().copied().max().unwrap_or(0)
    }
}

/// A cell that the newest wave can reach.
#[derive(Clone, Copy)]
struct Claim {
    cell: usize,
    /// The blocks of the wave that can reach it, by their numbers in the wave.
    from: u32,
}

/// One level of the recursion: the wave being divided.
struct Step {
    /// The wave's blocks begin here.
    first: usize,
    depth: u32,
    tails: Tails,
    claims: Vec<Claim>,
}

struct Exact<'a, 'b> {
    task: Task,
    bounds: Bounds,
    search: &'a mut Search<'b>,
    best: u32,
    /// Cells that are blocks, or stay empty.
    closed: Vec<bool>,
    blocks: Vec<Block>,
    starts: usize,
    /// Whether the starts form one structure (one answer to an open question).
    is_one: bool,
    /// Structures since the last report.
    since_report: u64,
    /// Structures that may still be tried after it.
    left: u64,
    is_over: bool,
}

impl Exact<'_, '_> {
    /// Enumerates all choices of the starts.
    fn all_starts(&mut self) {
        let rules = self.task.rules;
        self.closed[NEEDLE] = true;
        if self.task.limits.open {
            for y in 1..usize::from(HEIGHT) {
                self.closed[NEEDLE - y * COLUMNS] = true;
            }
        }
        let beside = [NEEDLE - COLUMNS, NEEDLE - 1, NEEDLE + 1, NEEDLE + COLUMNS];
        let is_start = |cell: usize| {
            cell > NEEDLE - COLUMNS || rules.is_first(RuleQuestion::BlockAbove) && !self.task.limits.open
        };
        let touched: Vec<usize> = beside.into_iter().filter(|cell| is_start(*cell)).collect();
        for cell in &touched {
            self.closed[*cell] = true;
        }
        let here = Extent {
            left: NEEDLE % COLUMNS,
            right: NEEDLE % COLUMNS,
            top: NEEDLE / COLUMNS,
            bottom: NEEDLE / COLUMNS,
        };
        for choice in 1u32..1 << touched.len() {
            if choice.count_ones() > self.task.blocks {
                continue;
            }
            self.starts = choice.count_ones() as usize;
            let is_mvs = self.task.ruleset == Ruleset::Mvs;
            self.is_one = is_mvs && self.starts > 2 && !rules.is_first(RuleQuestion::ManyStarts);
            let chosen = touched.iter().enumerate().filter(|(nth, _)| choice >> nth & 1 == 1);
            let extent = chosen.clone().try_fold(here, |extent, (_, cell)| extent.with(*cell));
            self.blocks = chosen
                .zip(0usize..)
                .map(|((_, cell), nth)| Block {
                    cell: *cell,
                    structure: if self.is_one { 0 } else { nth },
                    visited: 1 << nth,
                })
                .collect();
            if let (false, Some(extent)) = (self.is_over, extent) {
                self.wave(0, 1, Tails::default(), extent);
            }
        }
    }

    /// Evaluates the structure that ends with the wave starting at block `first`, and enumerates the next waves.
    fn wave(&mut self, first: usize, depth: u32, tails: Tails, extent: Extent) {
        self.since_report += 1;
        if self.since_report >= REPORT_INTERVAL.min(self.left) && !self.report_progress() {
            return;
        }
        let mut ended = tails;
        for block in &self.blocks[first..] {
            ended.add(block, depth == 1 && !self.is_one);
        }
        let value = self.value(&ended);
        if value > self.best {
            self.best = value;
            let shape = self.shape(extent);
            self.is_over |= !self.search.report(0, shape, value);
        }
        if self.is_over || self.blocks.len() >= self.task.blocks as usize {
            return;
        }
        let claims = self.claims(first, extent);
        for claim in &claims {
            self.closed[claim.cell] = true;
        }
        let step = Step { first, depth, tails, claims };
        self.choose(&step, 0, self.blocks.len(), 0, extent);
        for claim in &step.claims {
            self.closed[claim.cell] = false;
        }
    }

    /// Divides the claims from `nth` on; the next wave begins at the block `next`, and `passing` are the blocks that reach it.
    fn choose(&mut self, step: &Step, nth: usize, next: usize, passing: u32, extent: Extent) {
        if self.is_over {
            return;
        }
        let Some(claim) = step.claims.get(nth) else {
            if self.blocks.len() > next {
                self.follow(step, next, passing, extent);
            }
            return;
        };
        if self.blocks.len() < self.task.blocks as usize
            && let Some(wider) = extent.with(claim.cell)
        {
            let number = self.blocks.len();
            let mut block = Block { cell: claim.cell, structure: 0, visited: 1 << number };
            for one in 0..next - step.first {
                if claim.from >> one & 1 == 1 {
                    let before = self.blocks[step.first + one];
                    block.structure = before.structure;
                    block.visited |= before.visited;
                }
            }
            self.blocks.push(block);
            self.choose(step, nth + 1, next, passing | claim.from, wider);
            self.blocks.pop();
        }
        self.choose(step, nth + 1, next, passing, extent);
    }

    /// Continues with the chosen wave.
    fn follow(&mut self, step: &Step, next: usize, passing: u32, extent: Extent) {
        let mut tails = step.tails;
        for (nth, block) in self.blocks[step.first..next].iter().enumerate() {
            if passing >> nth & 1 == 0 {
                tails.add(block, step.depth == 1 && !self.is_one);
            }
        }
        let wave = &self.blocks[next..];
        let visited = wave.iter().fold(0, |all, block| all | block.visited).count_ones();
        let known =
            WaveState { step: step.depth + 1, sum: tails.sum, tails: tails.most(), visited: Some(visited) };
        let left = self.task.blocks - u32::try_from(self.blocks.len()).unwrap_or(self.task.blocks);
        let count = u32::try_from(wave.len()).unwrap_or(0);
        if self.bounds.upper_bound(count, known, left) > self.best {
            self.wave(next, step.depth + 1, tails, extent);
        }
    }

    /// The cells that the wave from `first` on can reach, with the blocks that would pass it on.
    fn claims(&self, first: usize, extent: Extent) -> Vec<Claim> {
        let wave = &self.blocks[first..];
        let mut claims: Vec<Claim> = Vec::new();
        for block in wave {
            for cell in [block.cell - COLUMNS, block.cell - 1, block.cell + 1, block.cell + COLUMNS] {
                let is_new = !self.closed[cell] && !claims.iter().any(|claim| claim.cell == cell);
                if is_new && extent.with(cell).is_some() {
                    claims.push(Claim { cell, from: self.winners(wave, cell) });
                }
            }
        }
        claims
    }

    /// The blocks of a wave that pass it on to a cell.
    fn winners(&self, wave: &[Block], cell: usize) -> u32 {
        let at = |from: usize| wave.iter().position(|block| block.cell == from);
        let mut ways = [at(cell - COLUMNS), at(cell + COLUMNS), at(cell - 1), at(cell + 1)];
        if !self.task.rules.is_first(RuleQuestion::VerticalTie) {
            ways.swap(0, 1);
        }
        if !self.task.rules.is_first(RuleQuestion::HorizontalTie) {
            ways.swap(2, 3);
        }
        let mut claims = ways.into_iter().flatten();
        let Some(winner) = claims.next() else { return 0 };
        let merges =
            |nth: &usize| self.task.ruleset == Ruleset::Mvs && wave[*nth].structure == wave[winner].structure;
        claims.filter(merges).fold(1 << winner, |all, nth| all | 1 << nth)
    }

    fn value(&self, tails: &Tails) -> u32 {
        match self.task.ruleset {
            Ruleset::Mvs => tails.sum - tails.singles + PERCENT_A_TAIL * tails.most() * tails.sum / 100,
            Ruleset::Ps2 => {
                let only_singles = tails.singles as usize == self.starts;
                let several = self.starts > 1;
                let counts = !only_singles || several && self.task.rules.is_first(RuleQuestion::OnlySingles);
                if counts { tails.sum } else { 0 }
            }
        }
    }

    /// The structure in the game's field.
    fn shape(&self, extent: Extent) -> Shape {
        let place = |cell: usize| {
            let (x, y) = (cell % COLUMNS - extent.left, cell / COLUMNS - extent.top);
            bit(GridCell::new(u8::try_from(x).unwrap_or(u8::MAX), u8::try_from(y).unwrap_or(u8::MAX)))
        };
        Shape {
            blocks: self.blocks.iter().fold(0, |all, block| all | place(block.cell)),
            needle: place(NEEDLE),
        }
    }

    /// Reports progress. Returns whether to continue.
    fn report_progress(&mut self) -> bool {
        let since_report = std::mem::take(&mut self.since_report);
        self.left = self.left.saturating_sub(since_report);
        self.is_over |= !self.search.report(since_report, Shape::default(), 0) || self.left == 0;
        !self.is_over
    }
}

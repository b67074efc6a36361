//! The value of an ignition, computed with sets of cells.

use super::evaluate::PERCENT_A_TAIL;
use super::field::{Color, Field, GridCell};
use super::ignition::{Ignition, IgnitionError, MAX_STARTS};
use super::rules::{NeedleRule, RuleQuestion, Rules, Ruleset};

/// Bits of a row: seven columns, and one that stays empty to separate the rows.
pub(super) const ROW_BITS: u32 = 8;
const MAX_COLUMNS: u8 = 7;
const MAX_ROWS: u8 = 16;
/// The most waves of an ignition: one for each block.
const MAX_WAVES: usize = MAX_COLUMNS as usize * MAX_ROWS as usize;

/// The value of an ignition under both rulesets.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize)]
pub struct Values {
    /// Under the rules of the arcade game.
    pub mvs: u32,
    /// Under the rules of the PlayStation 2 port.
    pub ps2: u32,
}

/// A field of at most 7 columns and 16 rows as four sets of cells. Row y, column x is bit 8 y + x.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    colors: [u128; 4],
}

pub(super) fn bit(place: GridCell) -> u128 {
    if place.x < MAX_COLUMNS && place.y < MAX_ROWS {
        1 << (ROW_BITS * u32::from(place.y) + u32::from(place.x))
    } else {
        0
    }
}

pub(super) fn neighbors(set: u128) -> u128 {
    set << ROW_BITS | set >> ROW_BITS | set << 1 | set >> 1
}

/// The single cells of a set, from the lowest bit on.
fn singles(mut set: u128) -> impl Iterator<Item = u128> {
    std::iter::from_fn(move || {
        let lowest = set & set.wrapping_neg();
        set ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// The cells that waves reach, by direction; each cell is in one of the sets, since it goes to one wave.
struct Claims {
    above: u128,
    below: u128,
    left: u128,
    right: u128,
}

impl Claims {
    fn new(waves: u128, free: u128, rules: Rules) -> Self {
        let (mut above, mut below) = (waves << ROW_BITS & free, waves >> ROW_BITS & free);
        let sideways = free & !(above | below);
        let (mut left, mut right) = (waves << 1 & sideways, waves >> 1 & sideways);
        if rules.is_first(RuleQuestion::VerticalTie) {
            below &= !above;
        } else {
            above &= !below;
        }
        if rules.is_first(RuleQuestion::HorizontalTie) {
            right &= !left;
        } else {
            left &= !right;
        }
        Self { above, below, left, right }
    }

    /// The cells that these waves get.
    fn of(&self, waves: u128) -> u128 {
        self.above & waves << ROW_BITS
            | self.below & waves >> ROW_BITS
            | self.left & waves << 1
            | self.right & waves >> 1
    }

    fn all(&self) -> u128 {
        self.above | self.below | self.left | self.right
    }

    /// The cells that the waves come from.
    fn sources(&self) -> u128 {
        self.above >> ROW_BITS | self.below << ROW_BITS | self.left >> 1 | self.right << 1
    }
}

impl Board {
    /// The field as sets; `None` if it is larger than 7 columns and 16 rows.
    pub fn new(field: &Field) -> Option<Self> {
        if field.width() > MAX_COLUMNS || field.height() > MAX_ROWS {
            return None;
        }
        let mut board = Self { colors: [0; 4] };
        for place in field.places() {
            if let Some(color) = field.get(place) {
                board.colors[color as usize] |= bit(place);
            }
        }
        Some(board)
    }

    /// The board with a block of this colour in a cell.
    #[must_use]
    pub fn with(mut self, place: GridCell, color: Color) -> Self {
        for cells in &mut self.colors {
            *cells &= !bit(place);
        }
        self.colors[color as usize] |= bit(place);
        self
    }

    /// The values of a needle of this colour in a cell.
    pub fn needle(&self, at: GridCell, color: Color, rules: Rules) -> Values {
        let needle = bit(at);
        let blocks = self.colors[color as usize] & !needle;
        values(blocks, ignited(blocks, needle, rules), rules)
    }

    /// The values of an ignition of this field.
    pub fn values(field: &Field, ignition: &Ignition, rules: Rules) -> Result<Option<Values>, IgnitionError> {
        let started = ignition.start(field, rules)?;
        let Some(board) = Self::new(field) else { return Ok(None) };
        let Some(color) = started.color else { return Ok(Some(Values::default())) };
        let needle = started.needle.map_or(0, bit);
        let starts = started.starts.iter().fold(0, |set, place| set | bit(*place));
        Ok(Some(values(board.colors[color as usize] & !needle, starts, rules)))
    }

    /// The colours of the blocks beside a cell.
    pub(super) fn colors_beside(&self, at: GridCell) -> impl Iterator<Item = Color> {
        let neighbors = neighbors(bit(at));
        let colors = self.colors;
        Color::ALL.into_iter().filter(move |color| colors[*color as usize] & neighbors != 0)
    }
}

/// The blocks of its colour that a needle ignites.
fn ignited(blocks: u128, needle: u128, rules: Rules) -> u128 {
    let above = if rules.is_first(RuleQuestion::BlockAbove) { 0 } else { needle >> ROW_BITS };
    let touched = neighbors(needle) & !above & blocks;
    if rules.needle() == NeedleRule::All {
        return touched;
    }
    let order = [needle << ROW_BITS, needle >> 1, needle << 1, needle >> ROW_BITS];
    order.into_iter().map(|cell| cell & touched).find(|cell| *cell != 0).unwrap_or(0)
}

/// The value of a needle among blocks of its colour under one ruleset; both are bits of [`Board`], the needle's not among the blocks.
pub(super) fn lone_value(blocks: u128, needle: u128, ruleset: Ruleset, rules: Rules) -> u32 {
    let starts = ignited(blocks, needle, rules);
    match ruleset {
        _ if starts == 0 => 0,
        Ruleset::Mvs => mvs(blocks & !starts, starts, rules),
        Ruleset::Ps2 => ps2(blocks & !starts, starts, rules),
    }
}

/// The blocks that the waves of a needle reach.
pub(super) fn lone_reached(blocks: u128, needle: u128, rules: Rules) -> u128 {
    let (mut reached, mut last) = (ignited(blocks, needle, rules), 0);
    while reached != last {
        last = reached;
        reached |= neighbors(reached) & blocks;
    }
    reached
}

fn values(blocks: u128, starts: u128, rules: Rules) -> Values {
    if starts == 0 {
        return Values::default();
    }
    Values { mvs: mvs(blocks & !starts, starts, rules), ps2: ps2(blocks & !starts, starts, rules) }
}

/// Every reached block has one wave, and a wave's value is its number of steps.
fn ps2(mut free: u128, starts: u128, rules: Rules) -> u32 {
    let (mut waves, mut step, mut value) = (starts, 0, 0);
    while waves != 0 {
        step += 1;
        let claims = Claims::new(waves, free, rules);
        value += step * (waves & !claims.sources()).count_ones();
        waves = claims.all();
        free &= !waves;
    }
    let several = starts.count_ones() > 1;
    let counts = step > 1 || several && rules.is_first(RuleQuestion::OnlySingles);
    if counts { value } else { 0 }
}

/// The waves of each start merge, so a wave's value is the number of all blocks on all its paths.
fn mvs(mut free: u128, starts: u128, rules: Rules) -> u32 {
    let mut waves = [0; MAX_STARTS];
    let mut structures = 0;
    if starts.count_ones() > 2 && !rules.is_first(RuleQuestion::ManyStarts) {
        (waves[0], structures) = (starts, 1);
    } else {
        for (wave, start) in waves.iter_mut().zip(singles(starts)) {
            *wave = start;
            structures += 1;
        }
    }
    // All waves of each step, and all blocks of each structure so far.
    let (mut before, mut blocks) = ([0; MAX_WAVES], [0u128; MAX_STARTS]);
    let (mut tails, mut sums) = ([0u32; MAX_STARTS], [0u32; MAX_STARTS]);
    // Leading waves of each structure that are a single block: every path leads through them.
    let mut alone = [0u32; MAX_STARTS];
    let mut step = 0;
    loop {
        let (mut next, mut any, mut contested, mut all) = ([0; MAX_STARTS], 0, 0, 0);
        for nth in 0..structures {
            next[nth] = neighbors(waves[nth]) & free;
            contested |= any & next[nth];
            any |= next[nth];
            all |= waves[nth];
        }
        if all == 0 {
            break;
        }
        if contested != 0 {
            let claims = Claims::new(all, free, rules);
            for nth in 0..structures {
                next[nth] = claims.of(waves[nth]);
            }
        }
        free &= !any;
        for nth in 0..structures {
            if waves[nth] == 0 {
                continue;
            }
            blocks[nth] |= waves[nth];
            for tail in singles(waves[nth] & !neighbors(next[nth])) {
                tails[nth] += 1;
                sums[nth] += visited(tail, &before[..step], alone[nth], blocks[nth]);
            }
            if alone[nth] as usize == step && waves[nth].is_power_of_two() {
                alone[nth] += 1;
            }
        }
        before[step] = all;
        waves = next;
        step += 1;
    }
    let counted: u32 = sums.iter().sum();
    let base: u32 = (0..structures).filter(|nth| blocks[*nth].count_ones() > 1).map(|nth| sums[nth]).sum();
    let most = tails.iter().copied().max().unwrap_or(0);
    base + PERCENT_A_TAIL * most * counted / 100
}

/// The blocks of a structure from which a tail can be reached along its waves, including itself; the first `alone` waves are one
/// block each.
fn visited(tail: u128, before: &[u128], alone: u32, structure: u128) -> u32 {
    let (mut set, mut count) = (tail, 1 + alone);
    for waves in before[alone as usize..].iter().rev() {
        set = neighbors(set) & waves & structure;
        count += set.count_ones();
    }
    count
}

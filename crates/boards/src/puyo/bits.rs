//! Groups on bit planes, portable version.

use super::field::{Field, VISIBLE};
use super::rules::Rules;

/// The neighbours of these cells. Bits that leave a column at its end have no effect, because callers mask with the visible cells.
#[inline(always)]
pub(super) fn neighbors(cells: u128) -> u128 {
    cells << 1 | cells >> 1 | cells << 16 | cells >> 16
}

/// The cells of one colour that are in groups of four or more.
///
/// A group of four or more contains a cell with three neighbours, or two adjacent cells with two neighbours each;
/// all its other cells are next to such cells.
#[inline(always)]
pub(super) fn groups_of_four(cells: u128) -> u128 {
    let (up, down, left, right) = (cells << 1, cells >> 1, cells << 16, cells >> 16);
    let (both_ends, both_sides) = (up & down, left & right);
    let (an_end, a_side) = (up | down, left | right);
    let two = cells & (both_ends | both_sides | an_end & a_side);
    let three = cells & (both_ends & a_side | both_sides & an_end);
    let sure = three | two & neighbors(two);
    cells & (sure | neighbors(sure))
}

/// The same for groups of any minimum size.
pub(super) fn large_groups(mut cells: u128, least: u32) -> u128 {
    let mut found = 0;
    while let Some(group) = take_group(&mut cells) {
        if group.count_ones() >= least {
            found |= group;
        }
    }
    found
}

/// Removes one group from the cells of one colour.
fn take_group(cells: &mut u128) -> Option<u128> {
    let first = *cells & cells.wrapping_neg();
    if first == 0 {
        return None;
    }
    let group = group_of(first, *cells);
    *cells &= !group;
    Some(group)
}

/// The group of one colour's cells that contains the given cells.
pub(super) fn group_of(mut group: u128, cells: u128) -> u128 {
    loop {
        let more = (group | neighbors(group)) & cells;
        if more == group {
            return group;
        }
        group = more;
    }
}

/// The sum of the bonuses of all groups of one colour; none of them is too small.
pub(super) fn group_bonuses(mut cells: u128, rules: Rules) -> u32 {
    // Fewer cells than two groups need are one group.
    let count = cells.count_ones();
    if count < 2 * rules.group {
        return if count == 0 { 0 } else { rules.group_bonus(count) };
    }
    let mut bonus = 0;
    while let Some(group) = take_group(&mut cells) {
        bonus += rules.group_bonus(group.count_ones());
    }
    bonus
}

/// The visible cells of each colour.
pub(super) fn colors(field: &Field) -> [u128; 5] {
    let [low, middle, high] = field.planes;
    let (low_off, middle_off) = (!low, !middle);
    let four = high & VISIBLE;
    [
        four & middle_off & low_off,
        four & middle_off & low,
        four & middle & low_off,
        four & middle & low,
        VISIBLE & !high & middle & low,
    ]
}

/// Visible garbage and hard blocks.
pub(super) fn nuisance(field: &Field) -> (u128, u128) {
    let [low, middle, high] = field.planes;
    (VISIBLE & low & !middle & !high, VISIBLE & middle & !low & !high)
}

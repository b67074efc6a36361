//! Lists that do not move: made when the game started, or a bag. How far they reach, and the byte that says which entry is in play.

use super::observed::Observations;
use super::series::Series;
use crate::source::Address;

/// Entries of a list before or after those that were dealt, at most.
const REACH_MOST: usize = 1024;
/// As many equal entries at the end of a list are cleared memory.
const EVEN_LEAST: usize = 8;
/// By how much a byte changes with each deal, at most.
const STEP_MOST: u8 = 16;
/// Deals without which nothing is known to count them.
const DEALS_LEAST: usize = 6;
/// Other bytes that are named, at most.
const OTHERS_MOST: usize = 3;

/// A list that is complete before its first piece is dealt, and what says where in it the game is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StillList {
    /// The entries before the first deal that was observed.
    pub before: usize,
    /// All entries.
    pub length: usize,
    /// The byte, of a number of more bytes the lowest.
    pub position: Address,
    /// What it has while the first entry is in play.
    pub first: u16,
    /// By how much it changes with each deal.
    pub step: i8,
    /// Other bytes that count alike. Only another game tells which of them begins again with the list.
    pub others: Vec<Address>,
}

/// Where the entries of a list are: the first one that was dealt, and the signed distance from one to the next.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub start: usize,
    /// From one unit to the next: a pair has two.
    pub unit: isize,
}

/// A byte that counts the deals.
struct Counter {
    offset: usize,
    /// What it has with the first deal observed.
    first: u8,
    step: i8,
    begins_again: bool,
}

impl Counter {
    fn find(series: &Series, samples: &[usize], offset: usize) -> Option<Self> {
        let value = |sample: &usize| series.byte(offset, *sample);
        let (first, second) = (value(samples.first()?), value(samples.get(1)?));
        let step = second.wrapping_sub(first).cast_signed();
        let is_step = |pair: &[usize]| value(&pair[1]).wrapping_sub(value(&pair[0])) == step.cast_unsigned();
        if step == 0 || step.unsigned_abs() > STEP_MOST || !samples.windows(2).all(is_step) {
            return None;
        }
        let mut before = series.byte(offset, 0);
        let begins_again = series.changes(offset).any(|(_, now)| {
            let (from, to) = (std::mem::replace(&mut before, now), now);
            let is_back = if step > 0 { to < from } else { to > from };
            is_back && to != from.wrapping_add_signed(step)
        });
        Some(Self { offset, first, step, begins_again })
    }
}

/// The list at a place, if it was complete before its first deal and a byte counts its deals from its first entry on. `samples` are one for
/// each deal, half-way to the next; `is_code` says which bytes are codes.
pub(super) fn of_place(
    series: &Series,
    observed: &Observations,
    samples: &[usize],
    place: Place,
    is_code: impl Fn(u8) -> bool,
) -> Option<StillList> {
    let (units, group) = (observed.units(), observed.group());
    if observed.dealt.len() < DEALS_LEAST {
        return None;
    }
    let (before, after) = (series.memory(*samples.first()?), series.memory(*samples.last()?));
    let at = |nth: isize| {
        let offset = place.start.checked_add_signed(nth.checked_mul(place.unit)?)?;
        (offset < after.len()).then_some(offset)
    };
    let was_complete =
        (0..units.len().cast_signed()).all(|nth| at(nth).is_some_and(|at| before[at] == after[at]));
    if !was_complete {
        return None;
    }
    let width = group.cast_signed();
    let entry = |nth: isize| -> Option<Vec<u8>> {
        let units = (0..width).map(|half| at(nth * width + half).map(|at| after[at]));
        units.collect::<Option<Vec<u8>>>().filter(|units| units.iter().all(|code| is_code(*code)))
    };
    let dealt = observed.dealt.len();
    let reach_before = (1..=REACH_MOST.cast_signed()).take_while(|nth| entry(-nth).is_some()).count();
    let more = (dealt..).take(REACH_MOST).map_while(|nth| entry(nth.cast_signed()));
    let more: Vec<Vec<u8>> = more.collect();
    let even = more.iter().rev().take_while(|entry| Some(*entry) == more.last()).count();
    let reach_after = if even >= EVEN_LEAST { more.len() - even } else { more.len() };

    let mut counters: Vec<Counter> =
        series.moving().filter_map(|offset| Counter::find(series, samples, offset)).collect();
    let only_deals = |counter: &Counter| series.moves(counter.offset) <= dealt + 2;
    counters.sort_by_key(|counter| (!counter.begins_again, !only_deals(counter), counter.offset));
    let from = |counter: &Counter| first_entry(counter.first, counter.step, reach_before);
    let alike: Vec<(&Counter, (usize, u16))> =
        counters.iter().filter_map(|counter| Some((counter, from(counter)?))).collect();
    let &(counter, (before, first)) = alike.first()?;
    let others = alike.iter().skip(1).filter(|(other, _)| other.begins_again == counter.begins_again);
    Some(StillList {
        before,
        length: before + dealt + reach_after,
        position: series.address(counter.offset),
        first,
        step: counter.step,
        others: others.take(OTHERS_MOST).map(|(other, _)| series.address(other.offset)).collect(),
    })
}

/// The byte that counts the pieces of bags of so many, the first whole one from the deal `phase` on.
pub(super) fn of_bag(
    series: &Series,
    observed: &Observations,
    samples: &[usize],
    size: usize,
    phase: usize,
) -> Option<StillList> {
    let counter = |offset: usize| {
        let value = |nth: usize| samples.get(nth).map(|sample| series.byte(offset, *sample));
        let first = value(phase)?;
        let step = value(phase + 1)?.wrapping_sub(first).cast_signed();
        let at = |nth: usize| u8::try_from((nth + size - phase % size) % size).unwrap_or(u8::MAX);
        let expected = |nth: usize| first.wrapping_add(at(nth).wrapping_mul(step.cast_unsigned()));
        let is_count = step != 0 && step.unsigned_abs() <= STEP_MOST;
        let is_count = is_count && (0..samples.len()).all(|nth| value(nth) == Some(expected(nth)));
        is_count.then_some((offset, first, step))
    };
    let mut counters: Vec<(usize, u8, i8)> = series.moving().filter_map(counter).collect();
    counters.sort_by_key(|(offset, ..)| (series.moves(*offset) > observed.dealt.len() + 2, *offset));
    let &(offset, first, step) = counters.first()?;
    let others = counters.iter().skip(1).filter(|(_, of, by)| (*of, *by) == (first, step));
    Some(StillList {
        before: 0,
        length: size,
        position: series.address(offset),
        first: first.into(),
        step,
        others: others.take(OTHERS_MOST).map(|(other, ..)| series.address(*other)).collect(),
    })
}

/// The entries before the first deal observed, and what the byte has with the first of them. A list begins where the byte has 0, or with the
/// entry after it where the first deal is number one. None for a byte that counts from earlier on.
fn first_entry(value: u8, step: i8, reach: usize) -> Option<(usize, u16)> {
    let (value, size) = (u16::from(value), u16::from(step.unsigned_abs()));
    if step < 0 {
        let before = reach.min(usize::from((u16::from(u8::MAX) - value) / size));
        return Some((before, value + u16::try_from(before).ok()? * size));
    }
    let (entries, rest) = (usize::from(value / size), value % size);
    match entries.checked_sub(reach) {
        None | Some(0) => Some((entries, rest)),
        Some(1) => Some((reach, rest + size)),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_begins_where_its_counter_begins() {
        // What is before the list may look like codes too.
        assert_eq!(first_entry(12, 1, 40), Some((12, 0)));
        assert_eq!(first_entry(12, 1, 12), Some((12, 0)));
        // The first deal is number one.
        assert_eq!(first_entry(12, 1, 11), Some((11, 1)));
        assert_eq!(first_entry(12, 1, 10), None);
        assert_eq!(first_entry(25, 2, 40), Some((12, 1)));
        // From 128 down.
        assert_eq!(first_entry(100, -1, 28), Some((28, 128)));
        assert_eq!(first_entry(250, -2, 28), Some((2, 254)));
    }
}

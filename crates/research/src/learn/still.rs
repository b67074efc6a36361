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
/// Other bytes that are named, at most.
const OTHERS_MOST: usize = 3;

/// A list that is complete before its first piece is dealt, and what says where in it the game is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StillList {
    /// The address of its lowest byte.
    pub start: Address,
    /// Its entries.
    pub length: usize,
    /// What says which entry is in play.
    pub position: ListPosition,
}

/// A byte that says which entry of a list is in play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListPosition {
    /// The byte, of a number of more bytes the lowest.
    pub address: Address,
    /// What it has while the first entry is in play.
    pub first: u16,
    /// By how much it changes with each deal.
    pub step: i8,
    /// Other bytes that count alike. Only another game shows which of them begins again with the list.
    pub others: Vec<Address>,
}

/// A byte that counts the deals.
struct Counter {
    offset: usize,
    /// What it has with the deal from which it is counted.
    first: u8,
    step: i8,
    begins_again: bool,
}

/// The bytes that count the deals, the most likely first. `samples` has one sample for each deal; `place` is what is counted with each, 0 with the
/// deal `zero`.
fn counters(series: &Series, samples: &[usize], zero: usize, place: impl Fn(usize) -> usize) -> Vec<Counter> {
    let counter = |offset: usize| {
        let value = |nth: usize| series.byte(offset, samples[nth]);
        let first = value(zero);
        let step = value(zero + 1).wrapping_sub(first).cast_signed();
        let counted = |nth: usize| place(nth).to_le_bytes()[0].wrapping_mul(step.cast_unsigned());
        let is_count = |nth: usize| value(nth) == first.wrapping_add(counted(nth));
        if step == 0 || step.unsigned_abs() > STEP_MOST || !(0..samples.len()).all(is_count) {
            return None;
        }
        let mut before = series.byte(offset, 0);
        let begins_again = series.changes(offset).any(|(_, now)| {
            let from = std::mem::replace(&mut before, now);
            let is_back = if step > 0 { now < from } else { now > from };
            is_back && now != from.wrapping_add_signed(step)
        });
        Some(Counter { offset, first, step, begins_again })
    };
    let mut counters: Vec<Counter> = series.moving().filter_map(counter).collect();
    let only_deals = |counter: &Counter| series.moves(counter.offset) <= samples.len() + 2;
    counters.sort_by_key(|counter| (!counter.begins_again, !only_deals(counter), counter.offset));
    counters
}

/// The most likely of the counters that a list can be counted by, and how many entries are before the deal from which it counts. `begin` gives that
/// number, and what the counter has with the first entry.
fn position(
    series: &Series,
    counters: &[Counter],
    begin: impl Fn(&Counter) -> Option<(usize, u16)>,
) -> Option<(usize, ListPosition)> {
    let possible: Vec<(&Counter, (usize, u16))> =
        counters.iter().filter_map(|counter| Some((counter, begin(counter)?))).collect();
    let &(counter, (before, first)) = possible.first()?;
    let is_alike = |(other, begin): &&(&Counter, (usize, u16))| {
        (other.begins_again, other.step, *begin) == (counter.begins_again, counter.step, (before, first))
    };
    let others = possible.iter().skip(1).filter(is_alike).take(OTHERS_MOST);
    let others = others.map(|(other, _)| series.address(other.offset)).collect();
    Some((
        before,
        ListPosition { address: series.address(counter.offset), first, step: counter.step, others },
    ))
}

/// What is the same for all lists of a series.
pub(super) struct StillSearch<'a> {
    series: &'a Series,
    /// How many deals were observed, and the units of each: a pair has two.
    dealt: usize,
    group: usize,
    /// RAM at the first deal and at the last one.
    before: Vec<u8>,
    after: Vec<u8>,
    counters: Vec<Counter>,
}

impl<'a> StillSearch<'a> {
    /// `samples` has one sample for each deal, half-way to the next one.
    pub fn new(series: &'a Series, observed: &Observations, samples: &[usize]) -> Option<Self> {
        let (before, after) = (series.memory(*samples.first()?), series.memory(*samples.last()?));
        let (dealt, group) = (observed.dealt.len(), observed.group());
        Some(Self { series, dealt, group, before, after, counters: counters(series, samples, 0, |nth| nth) })
    }

    /// The list whose first unit that was dealt is at `start`, each next one `unit` bytes further on, if it was complete before and a byte counts its
    /// deals from its first entry on. `is_code` says which bytes are codes.
    pub fn list(&self, start: usize, unit: isize, is_code: impl Fn(u8) -> bool) -> Option<StillList> {
        let group = self.group.cast_signed();
        let at = |nth: isize| {
            let offset = start.checked_add_signed(nth.checked_mul(unit)?)?;
            (offset < self.after.len()).then_some(offset)
        };
        let units = 0..(self.dealt * self.group).cast_signed();
        let is_complete = |nth: isize| at(nth).is_some_and(|at| self.before[at] == self.after[at]);
        if !units.into_iter().all(is_complete) {
            return None;
        }
        let entry = |nth: isize| -> Option<Vec<u8>> {
            let units = (0..group).map(|half| at(nth * group + half).map(|at| self.after[at]));
            units.collect::<Option<Vec<u8>>>().filter(|units| units.iter().all(|code| is_code(*code)))
        };
        let reach_before = (1..=REACH_MOST.cast_signed()).take_while(|nth| entry(-nth).is_some()).count();
        let more = (self.dealt..).take(REACH_MOST).map_while(|nth| entry(nth.cast_signed()));
        let more: Vec<Vec<u8>> = more.collect();
        let even = more.iter().rev().take_while(|entry| Some(*entry) == more.last()).count();
        let reach_after = if even >= EVEN_LEAST { more.len() - even } else { more.len() };
        let begin = |counter: &Counter| first_entry(counter.first, counter.step, reach_before);
        let (before, position) = position(self.series, &self.counters, begin)?;
        let length = before + self.dealt + reach_after;
        let first = -(before * self.group).cast_signed();
        let last = first + (length * self.group).cast_signed() - 1;
        let start = self.series.address(at(if unit > 0 { first } else { last })?);
        Some(StillList { start, length, position })
    }
}

/// What counts the pieces of bags of so many, the first whole one from the deal `phase` on.
pub(super) fn bag_position(
    series: &Series,
    samples: &[usize],
    size: usize,
    phase: usize,
) -> Option<ListPosition> {
    let counters = counters(series, samples, phase, |nth| (nth + size - phase % size) % size);
    position(series, &counters, |counter| Some((0, counter.first.into()))).map(|(_, position)| position)
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

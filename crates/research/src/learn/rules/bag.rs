//! Bags: all kinds in random order, and then again.

use super::reader::{Mismatch, Reader};
use super::shuffle::{PLAIN, has_last_draw, plain, shuffle, untaken};
use super::{Found, Task, Tested};
use nextscope_games::games::declared::{
    BagTime, Deal, Draw, End, Fill, First, Method, Shuffle, ShuffleMethod,
};

/// Copies of each kind in a bag, at most.
const COPIES_MOST: usize = 4;

/// A way to deal bags.
#[derive(Clone)]
struct Bags {
    copies: usize,
    /// Units before the first whole bag observed.
    phase: usize,
    fill: Fill,
    continued: bool,
    shuffle: Shuffle,
    time: BagTime,
    from: End,
}

/// The sizes of bags and the units before the first whole one that the deals allow.
pub(in crate::learn) fn bags_in(units: &[u8], kinds: usize, from_start: bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for copies in 1..=COPIES_MOST {
        let size = kinds * copies;
        let phases = if from_start { 0..1 } else { 0..size };
        for phase in phases {
            let is_full = |bag: &[u8]| {
                (0..kinds).all(|kind| bag.iter().filter(|unit| usize::from(**unit) == kind).count() == copies)
            };
            let fits_in = |bag: &[u8]| {
                (0..kinds).all(|kind| bag.iter().filter(|unit| usize::from(**unit) == kind).count() <= copies)
            };
            let (Some(before), Some(rest)) = (units.get(..phase), units.get(phase..)) else { continue };
            let mut bags = rest.chunks_exact(size);
            let whole = bags.clone().count();
            if whole >= 2 && fits_in(before) && bags.all(is_full) && fits_in(&rest[whole * size..]) {
                found.push((copies, phase));
            }
        }
        // A larger bag is then several smaller ones.
        if !found.is_empty() {
            break;
        }
    }
    found
}

pub(super) fn search(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    // A bag is dealt in units, and a deal of a pair could begin in one and end in the next.
    if task.observed.group() != 1 {
        return found;
    }
    for (copies, phase) in bags_in(&task.units, task.count(), task.observed.from_start) {
        let size = task.count() * copies;
        let methods = [Method::Modulo, Method::MultiplyHigh, Method::Rejection];
        let draws = task.draws(&methods, size);
        for (bags, cost) in ways(task, copies, phase) {
            if task.progress.is_over() {
                return found;
            }
            for costed in &draws {
                let (tested, first) = test(task, &bags, &costed.draw);
                task.count_test(&mut found, tested, |labels, held_bits| {
                    let deal = Deal::Bag {
                        copies: u8::try_from(copies).ok()?,
                        fill: bags.fill,
                        continued: bags.continued,
                        shuffle: bags.shuffle.clone(),
                        time: bags.time,
                        from: bags.from,
                    };
                    let kinds: Vec<_> = first
                        .iter()
                        .filter_map(|number| labels.kind(*number))
                        .map(|kind| task.observed.kinds[usize::from(kind)])
                        .collect();
                    let first = (!kinds.is_empty()).then_some(First::Exclude { kinds });
                    let fit = task.fit(costed, cost, deal, &labels, held_bits).with_first(first);
                    Some(fit).filter(Task::is_allowed)
                });
            }
        }
    }
    found
}

/// The ways to deal bags of this size, and how many bits it takes to say each.
fn ways(task: &Task<'_>, copies: usize, phase: usize) -> Vec<(Bags, f64)> {
    let mut all = Vec::new();
    let fills: &[(Fill, f64)] =
        if copies == 1 { &[(Fill::Cycle, 0.0)] } else { &[(Fill::Cycle, 1.0), (Fill::Grouped, 1.0)] };
    let mut shuffles: Vec<(Shuffle, f64)> = Vec::new();
    for (method, cost) in PLAIN {
        shuffles.push((plain(method, false), cost));
        if has_last_draw(method) {
            shuffles.push((plain(method, true), cost + 1.5));
        }
    }
    // How many swaps there are, the draws of a bag tell: by rejection some are drawn again.
    let own = (0..task.deals()).filter_map(|deal| task.own_draws(deal)).map(<[u64]>::len);
    let swaps = own.filter(|draws| *draws >= 2).min().unwrap_or(0) / 2;
    for count in (swaps * 2 / 3..=swaps).rev() {
        if let Some(count) = u16::try_from(count).ok().filter(|count| *count > 1) {
            let swaps = Shuffle { count, ..plain(ShuffleMethod::Swaps, false) };
            shuffles.push((swaps, 6.0));
        }
    }
    for (shuffle, cost) in shuffles {
        for (fill, fill_cost) in fills {
            for continued in [false, true] {
                // Before the first bag of a game its order is that of the kinds.
                if continued && !task.observed.from_start {
                    continue;
                }
                let cost = cost + fill_cost + if continued { 2.0 } else { 0.0 };
                for from in [End::Start, End::End] {
                    let cost = cost + if from == End::End { 1.0 } else { 0.0 };
                    let bags = Bags {
                        copies,
                        phase,
                        fill: *fill,
                        continued,
                        shuffle: shuffle.clone(),
                        time: BagTime::Ahead,
                        from,
                    };
                    all.push((bags, cost));
                }
                let as_dealt =
                    [ShuffleMethod::Up, ShuffleMethod::Down, ShuffleMethod::Remaining, ShuffleMethod::Retry];
                if as_dealt.contains(&shuffle.method) {
                    let bags = Bags {
                        copies,
                        phase,
                        fill: *fill,
                        continued,
                        shuffle: shuffle.clone(),
                        time: BagTime::AsDealt,
                        from: End::Start,
                    };
                    all.push((bags, cost + 1.0));
                }
            }
        }
    }
    all
}

/// Tests a way. Also gives the numbers that were drawn for the first deal and not dealt.
fn test(task: &Task<'_>, bags: &Bags, draw: &Draw) -> (Tested, Vec<usize>) {
    let kinds = task.count();
    let size = kinds * bags.copies;
    let fresh: Vec<u8> = match bags.fill {
        Fill::Cycle => (0..size).map(|at| low_8(at % kinds)).collect(),
        Fill::Grouped => (0..size).map(|at| low_8(at / bags.copies)).collect(),
    };
    let mut reader = Reader::new(task.numbers(), task.groups());
    let mut cells = fresh.clone();
    let mut taken = vec![false; size];
    let mut excluded = Vec::new();
    // Whether the draws of this bag are known.
    let mut known = false;
    let tested = task.test(task.labels(kinds), |deal, labels| {
        let Some(place) = deal.checked_sub(bags.phase).map(|deal| deal % size) else { return Ok(()) };
        let left = size - place;
        let has_draws = reader.begin(deal);
        if place == 0 {
            known = has_draws;
            if !bags.continued {
                cells.clone_from(&fresh);
            }
            taken.fill(false);
            if known && bags.time == BagTime::Ahead {
                shuffle(&mut reader, &bags.shuffle, draw, &mut cells)?;
                // A first bag that began with an excluded kind was shuffled again.
                while task.may_be_first(deal) && reader.left() > 0 {
                    excluded.push(usize::from(cells[if bags.from == End::End { size - 1 } else { 0 }]));
                    if !bags.continued {
                        cells.clone_from(&fresh);
                    }
                    shuffle(&mut reader, &bags.shuffle, draw, &mut cells)?;
                }
            }
        }
        if !known || !has_draws {
            return if bags.continued { Err(Mismatch) } else { Ok(()) };
        }
        let number = match bags.time {
            BagTime::Ahead if bags.from == End::End => cells[left - 1],
            BagTime::Ahead => cells[place],
            BagTime::AsDealt => loop {
                let at = take(&mut reader, &bags.shuffle, draw, &mut cells, &mut taken, left)?;
                if task.may_be_first(deal) && reader.left() > 0 && left == size {
                    excluded.push(usize::from(cells[at.0]));
                    if bags.shuffle.method == ShuffleMethod::Retry {
                        taken[at.0] = false;
                    }
                    continue;
                }
                break put(&bags.shuffle, &mut cells, at);
            },
        };
        // By chance it is one of those that are left in the bag.
        let choices = left.min(kinds);
        if !labels.agree(number.into(), task.halves(deal)[0], choices) {
            return Err(Mismatch);
        }
        reader.end(deal)
    });
    excluded.sort_unstable();
    excluded.dedup();
    (tested, excluded)
}

/// The place of the item that is taken out of a bag, and the place where it goes.
fn take(
    reader: &mut Reader<'_>,
    shuffle: &Shuffle,
    draw: &Draw,
    cells: &mut [u8],
    taken: &mut [bool],
    left: usize,
) -> Result<(usize, usize), Mismatch> {
    let is_drawn = left > 1 || shuffle.last_draw;
    let count = cells.len();
    Ok(match shuffle.method {
        ShuffleMethod::Down => (if is_drawn { reader.place(draw, left)? } else { 0 }, left - 1),
        ShuffleMethod::Retry => {
            let place = untaken(reader, draw, taken, left, shuffle.last_draw)?;
            (place, place)
        }
        _ => (count - left + if is_drawn { reader.place(draw, left)? } else { 0 }, count - left),
    })
}

fn put(shuffle: &Shuffle, cells: &mut [u8], (from, to): (usize, usize)) -> u8 {
    if shuffle.method == ShuffleMethod::Remaining {
        cells[to..=from].rotate_right(1);
    } else {
        cells.swap(from, to);
    }
    cells[to]
}

fn low_8(small: usize) -> u8 {
    u8::try_from(small).unwrap_or(u8::MAX)
}

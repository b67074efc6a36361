//! Deals that are all made when a game starts: lists of single draws, and pools that are shuffled.

use super::reader::{Mismatch, Reader};
use super::shuffle::{PLAIN, has_last_draw, plain, shuffle};
use super::{Found, Task};
use nextscope_games::games::declared::{
    Deal, Draw, Method, MixedPool, PairForm, Queue, QueueEnd, QueueOrder, Shuffle, ShuffleMethod,
};

/// The largest pool and the longest list of the language.
const LONGEST: usize = 4096;
/// Places at the start of a list that are not dealt at first: 0 or 1 in the games known.
const FIRST_MOST: usize = 2;

pub(super) fn search_lists(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    let (kinds, group) = (task.count(), task.observed.group());
    let Some(drawn) = task.groups().first().map(|one| one.drawn.len()) else { return found };
    let length = drawn / group;
    if !(task.deals()..=LONGEST).contains(&length) {
        return found;
    }
    let orders = [
        (QueueOrder::Forward, 0),
        (QueueOrder::Reversed, 0),
        (QueueOrder::Reversed, 1),
        (QueueOrder::Forward, 1),
    ];
    for costed in task.draws(&[Method::Modulo, Method::MultiplyHigh], kinds) {
        if task.progress.is_over() {
            break;
        }
        for (form, form_cost) in task.forms() {
            for (order, first) in orders {
                let tested = task.test(task.labels(kinds), |deal, labels| {
                    let place = (deal + first) % length;
                    let made = if order == QueueOrder::Reversed { length - 1 - place } else { place };
                    let mut reader = Reader::new(task.numbers(), task.groups());
                    reader.skip(made * group);
                    let halves = task.halves(deal);
                    for nth in 0..group {
                        let half = if *form == PairForm::ChildFirst { group - 1 - nth } else { nth };
                        let number = reader.place(&costed.draw, kinds)?;
                        if !labels.agree(number, halves[half], kinds) {
                            return Err(Mismatch);
                        }
                    }
                    Ok(())
                });
                task.count_test(&mut found, tested, |labels, held_bits| {
                    let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
                    let queue = Queue {
                        length: small(length),
                        order,
                        first: small(first.min(FIRST_MOST)),
                        then: QueueEnd::Repeat,
                    };
                    let cost = form_cost + 4.0 + 2.0 * f64::from(small(first));
                    let fit = task.fit(&costed, cost, Deal::Direct {}, &labels, held_bits);
                    Some(fit.with_pair(*form).with_queue(queue)).filter(Task::is_allowed)
                });
            }
        }
    }
    found
}

pub(super) fn search_pools(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    let kinds = task.count();
    let Some(drawn) = task.groups().first().map(|one| one.drawn.len()) else { return found };
    let mut mappings: Vec<(Option<Shuffle>, usize)> = vec![(None, 0)];
    for method in [ShuffleMethod::Remaining, ShuffleMethod::Up, ShuffleMethod::Down] {
        mappings.push((Some(plain(method, false)), kinds - 1));
        mappings.push((Some(plain(method, true)), kinds));
    }
    let mut shuffles: Vec<(Shuffle, f64)> = Vec::new();
    for (method, cost) in PLAIN {
        shuffles.push((plain(method, false), cost));
        if has_last_draw(method) {
            shuffles.push((plain(method, true), cost + 1.5));
        }
    }
    for costed in task.draws(&[Method::Modulo, Method::MultiplyHigh], 256) {
        for (mapping, used) in &mappings {
            for (one, cost) in &shuffles {
                if task.progress.is_over() {
                    return found;
                }
                let extra = usize::from(!one.last_draw && has_last_draw(one.method));
                let size = drawn.saturating_sub(*used) + extra;
                let is_even = task.observed.group() == 1 || size.is_multiple_of(2);
                if !(task.units.len()..=LONGEST).contains(&size) || !is_even {
                    continue;
                }
                let Ok(cells) = pool(task, &costed.draw, mapping.as_ref(), one, size) else { continue };
                let group = task.observed.group();
                let tested = task.test(task.labels(kinds), |deal, labels| {
                    let halves = task.halves(deal).iter().zip(&cells[deal * group..]);
                    let mut agree = halves.map(|(kind, cell)| labels.agree((*cell).into(), *kind, kinds));
                    agree.all(|good| good).then_some(()).ok_or(Mismatch)
                });
                task.count_test(&mut found, tested, |labels, held_bits| {
                    let mixed = MixedPool {
                        kinds: u8::try_from(kinds).ok()?,
                        size: u16::try_from(size).ok()?,
                        shuffle: one.clone(),
                        start: None,
                    };
                    let cost = cost + 6.0 + if mapping.is_some() { 3.0 } else { 0.0 };
                    let deal = Deal::Pools { dealt: 1, mapping: mapping.clone(), pools: vec![mixed] };
                    Some(task.fit(&costed, cost, deal, &labels, held_bits)).filter(Task::is_allowed)
                });
            }
        }
    }
    found
}

/// The pool that all draws make.
fn pool(
    task: &Task<'_>,
    draw: &Draw,
    mapping: Option<&Shuffle>,
    mixed: &Shuffle,
    size: usize,
) -> Result<Vec<u8>, Mismatch> {
    let kinds = task.count();
    let small = |number: usize| u8::try_from(number).unwrap_or(u8::MAX);
    let mut reader = Reader::new(task.numbers(), task.groups());
    let mut order: Vec<u8> = (0..kinds).map(small).collect();
    if let Some(mapping) = mapping {
        shuffle(&mut reader, mapping, draw, &mut order)?;
    }
    let mut cells: Vec<u8> = (0..size).map(|at| order[at % kinds]).collect();
    shuffle(&mut reader, mixed, draw, &mut cells)?;
    Ok(cells)
}

//! Each draw is dealt.

use super::draws::{CostedDraw, with_addend};
use super::reader::{Mismatch, Reader};
use super::{Found, Task, Tested, first};
use nextscope_games::games::declared::{Addend, Deal, Method, PairForm};

/// Lengths of tables that are not a power of two, at most.
const TABLE_MOST: usize = 16;
/// Numbers that the code of the last deal before the first one observed may be.
const UNKNOWN_LAST: usize = 16;

/// Draws of as many numbers as there are kinds.
pub(super) fn search(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    let kinds = task.count();
    let mut methods = vec![Method::Modulo, Method::MultiplyHigh];
    if !kinds.is_power_of_two() {
        methods.push(Method::Rejection);
    }
    let plain = task.draws(&methods, kinds);
    for costed in &plain {
        for (form, cost) in task.forms() {
            try_draw(task, &mut found, costed, kinds, *form, *cost, 0);
        }
    }
    if task.observed.group() == 2 {
        let squares = task.draws(&[Method::Modulo, Method::MultiplyHigh], kinds * kinds);
        for costed in &squares {
            try_draw(task, &mut found, costed, kinds, PairForm::OneNumber, 2.0, 0);
        }
    }
    // What is added only makes a difference to some of the low bits.
    if task.progress.is_over() {
        return found;
    }
    for costed in task.counts().into_iter().flat_map(|count| with_addend(&plain, Some(count))) {
        try_draw(task, &mut found, &costed, kinds, PairForm::AxisFirst, 0.0, 0);
    }
    for costed in with_addend(&plain, None) {
        let starts = if task.observed.from_start { 1 } else { kinds.min(UNKNOWN_LAST) };
        for start in 0..starts {
            try_draw(task, &mut found, &costed, kinds, PairForm::AxisFirst, 0.0, start);
        }
    }
    found
}

/// Draws of more numbers than there are kinds, several of which may mean the same.
pub(super) fn search_tables(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    if task.observed.group() != 1 {
        return found;
    }
    for length in task.count() + 1..=128 {
        if task.progress.is_over() || length > TABLE_MOST && !length.is_power_of_two() {
            continue;
        }
        let methods: &[Method] = if length.is_power_of_two() {
            &[Method::Mask, Method::MultiplyHigh]
        } else {
            &[Method::Modulo, Method::MultiplyHigh]
        };
        for costed in task.draws(methods, length) {
            try_draw(task, &mut found, &costed, length, PairForm::AxisFirst, 2.0, 0);
        }
    }
    found
}

fn try_draw(
    task: &Task<'_>,
    found: &mut Found,
    costed: &CostedDraw,
    length: usize,
    form: PairForm,
    cost: f64,
    start: usize,
) {
    let tested = test(task, costed, length, form, start);
    task.count_test(found, tested, |labels, held_bits| {
        let first = first::rule(task, costed, &labels)?;
        let fit = task.fit(costed, cost, Deal::Direct {}, &labels, held_bits);
        Some(fit.with_pair(form).with_first(first)).filter(Task::is_allowed)
    });
}

/// Tests a draw. `start` is the number that is added to the first draw that adds the last one.
fn test(task: &Task<'_>, costed: &CostedDraw, length: usize, form: PairForm, start: usize) -> Tested {
    let draw = &costed.draw;
    let kinds = task.count();
    let mut reader = Reader::new(task.numbers(), task.groups());
    let mut last = start as u64;
    let adds_last = draw.add == Some(Addend::Last);
    task.test(task.labels(length), |deal, labels| {
        if !reader.begin(deal) {
            // What was dealt before is not known as a number.
            return if adds_last && deal > 0 { Err(Mismatch) } else { Ok(()) };
        }
        if task.may_be_first(deal) && !adds_last {
            return Ok(());
        }
        let halves = task.halves(deal);
        let mut number = 0;
        if form == PairForm::OneNumber {
            number = reader.draw(draw, costed.added(deal, last), kinds * kinds)?.ok_or(Mismatch)?;
            let good = labels.agree(number / kinds, halves[0], kinds)
                && labels.agree(number % kinds, halves[1], kinds);
            if !good {
                return Err(Mismatch);
            }
        } else {
            for nth in 0..halves.len() {
                let half = if form == PairForm::ChildFirst { halves.len() - 1 - nth } else { nth };
                let drawn = reader.draw(draw, costed.added(deal, last), length)?.ok_or(Mismatch)?;
                if !labels.agree(drawn, halves[half], kinds) {
                    return Err(Mismatch);
                }
                number = if half == 0 {
                    number + drawn * if halves.len() == 2 { kinds } else { 1 }
                } else {
                    number + drawn
                };
            }
        }
        last = match task.observed.codes.get(usize::from(halves[0])) {
            Some(code) if halves.len() == 1 => u64::from(*code),
            _ => number as u64,
        };
        reader.end(deal)
    })
}

//! Draws that were dealt lately are rejected.
//!
//! Whatever the history rejects, the last draw of a deal is what is dealt: that alone finds the draw and the meaning of its numbers.
//! The rejected draws then tell the length of the history, the tries and the discarded draws.

use super::draws::{CostedDraw, below, with_addend};
use super::labels::Labels;
use super::reader::Mismatch;
use super::{Fit, Found, Task, Tested};
use nextscope_games::games::declared::{Addend, Deal, Draw, Method, Symbol};

/// Histories of the language.
const LENGTHS: std::ops::RangeInclusive<u8> = 1..=8;
/// Tries that are tried: games have at most 6.
const TRIES: std::ops::RangeInclusive<u8> = 1..=12;
/// Discarded draws that are tried.
const DISCARDED: std::ops::RangeInclusive<u8> = 0..=3;
/// Improbability from which on a draw of the deals with one draw is worth a search for another one of the rest, in bits.
const WORTH: f64 = 15.0;

pub(super) fn search(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    let lengths = (1..task.deals()).filter_map(|deal| task.own_draws(deal)).map(<[u64]>::len);
    // Without rejected draws there is no history to be observed.
    if task.observed.group() != 1
        || !lengths.clone().any(|draws| draws > 1)
        || lengths.clone().any(|draws| draws == 0)
    {
        return found;
    }
    let kinds = task.count();
    let methods = [Method::Modulo, Method::MultiplyHigh, Method::Mask];
    let mut all = task.draws(&methods, kinds);
    let plain = all.clone();
    let addends = task.counts().into_iter().map(Some).chain([None]);
    all.extend(addends.flat_map(|count| with_addend(&plain, count)));
    let again: Vec<CostedDraw> = all
        .iter()
        .filter(|costed| costed.draw.method != Method::Mask || kinds.is_power_of_two())
        .copied()
        .collect();
    for costed in &all {
        if task.progress.is_over() {
            break;
        }
        let same = test(task, costed, costed);
        let is_allowed_alone = costed.draw.method != Method::Mask || kinds.is_power_of_two();
        let failed = matches!(same, Tested::Failed(_));
        if is_allowed_alone {
            count(task, &mut found, same, costed, None);
        }
        if failed && lengths.clone().filter(|draws| *draws == 1).count() >= 4 && alone(task, costed) >= WORTH
        {
            // One number of the deal is added, whichever cell counts it.
            let is_other = |other: &&CostedDraw| {
                other.draw != costed.draw
                    && (costed.count.is_none() || other.count.is_none() || costed.count == other.count)
            };
            for other in again.iter().filter(is_other) {
                let tested = test(task, costed, other);
                count(task, &mut found, tested, costed, Some(other));
            }
        }
    }
    found
}

/// The improbability of a draw that explains all deals with one draw; 0 if it does not.
fn alone(task: &Task<'_>, costed: &CostedDraw) -> f64 {
    let mut labels = task.labels(task.count());
    for deal in 1..task.deals() {
        let Some([number]) = task.own_draws(deal) else { continue };
        let Some(added) = added(costed, deal, last_code(task, deal, &labels)) else { continue };
        let drawn = below(&costed.draw, *number, added, task.count());
        if !drawn.is_some_and(|drawn| labels.agree(drawn, task.halves(deal)[0], task.count())) {
            return 0.0;
        }
    }
    labels.bits
}

/// The code of the deal before; 0 before the first deal of a game, and None before the first one observed of others.
fn last_code(task: &Task<'_>, deal: usize, labels: &Labels) -> Option<u64> {
    let Some(before) = deal.checked_sub(1).map(|before| task.halves(before)[0]) else {
        return task.observed.from_start.then_some(0);
    };
    Some(match task.observed.codes.get(usize::from(before)) {
        Some(code) => u64::from(*code),
        None => (0..labels.len()).find(|number| labels.kind(*number) == Some(before)).unwrap_or(0) as u64,
    })
}

/// What is added to a draw; None if it is a code that is not known.
fn added(draw: &CostedDraw, deal: usize, last: Option<u64>) -> Option<u64> {
    if draw.draw.add == Some(Addend::Last) { last } else { Some(draw.added(deal, 0)) }
}

/// Tests the last draw of each deal, by `again` after a rejected one.
fn test(task: &Task<'_>, draw: &CostedDraw, again: &CostedDraw) -> Tested {
    let kinds = task.count();
    task.test(task.labels(kinds), |deal, labels| {
        if task.may_be_first(deal) {
            return Ok(());
        }
        let Some(drawn) = task.own_draws(deal) else { return Ok(()) };
        let number = drawn.last().ok_or(Mismatch)?;
        let used = if drawn.len() == 1 { draw } else { again };
        let Some(added) = added(used, deal, last_code(task, deal, labels)) else { return Ok(()) };
        let number = below(&used.draw, *number, added, kinds).ok_or(Mismatch)?;
        labels.agree(number, task.halves(deal)[0], kinds).then_some(()).ok_or(Mismatch)
    })
}

fn count(task: &Task<'_>, found: &mut Found, tested: Tested, draw: &CostedDraw, again: Option<&CostedDraw>) {
    let mut fits = Vec::new();
    task.count_test(found, tested, |labels, held_bits| {
        for length in LENGTHS {
            for tries in TRIES {
                for discarded in DISCARDED {
                    fits.extend(fit(task, draw, again, (length, tries, discarded), &labels, held_bits));
                }
            }
        }
        None
    });
    found.keep(fits);
}

fn fit(
    task: &Task<'_>,
    draw: &CostedDraw,
    again: Option<&CostedDraw>,
    (length, tries, discarded): (u8, u8, u8),
    labels: &Labels,
    held_bits: f64,
) -> Option<Fit> {
    let mut before_start: Vec<(usize, u8)> = Vec::new();
    let mut first = None;
    for deal in 0..task.deals() {
        let Some(drawn) = task.own_draws(deal) else { continue };
        let last = last_code(task, deal, labels);
        let adds_last = [Some(draw), again].iter().flatten().any(|used| used.draw.add == Some(Addend::Last));
        if adds_last && last.is_none() {
            continue;
        }
        let kind_of = |used: &CostedDraw, number: u64| {
            let drawn = below(&used.draw, number, added(used, deal, last)?, labels.len());
            drawn.map(|drawn| labels.kind(drawn))
        };
        if task.may_be_first(deal) {
            first = super::first::rule(task, draw, labels)?;
            continue;
        }
        let known: Vec<u8> = (1..=usize::from(length))
            .filter_map(|back| deal.checked_sub(back))
            .map(|deal| task.halves(deal)[0])
            .collect();
        let mut numbers = drawn.iter();
        let mut used = draw;
        for tried in 1..=tries + 1 {
            let kind = kind_of(used, *numbers.next()?);
            let is_last = numbers.as_slice().is_empty();
            if tried > tries {
                // Dealt whatever it is.
                if !is_last {
                    return None;
                }
                break;
            }
            let rejected = match kind {
                None => true,
                Some(None) => !is_last,
                Some(Some(kind)) if known.contains(&kind) => true,
                Some(Some(kind)) => {
                    // The history before the first deal observed is not known.
                    let rejected = known.len() < length.into() && !is_last;
                    if rejected {
                        before_start.push((usize::from(length) - 1 - known.len(), kind));
                    }
                    rejected
                }
            };
            if rejected == is_last {
                return None;
            }
            if !rejected {
                break;
            }
            used = again.unwrap_or(draw);
            if tried < tries {
                for _ in 0..discarded {
                    numbers.next()?;
                }
            }
        }
    }
    let initial = initial(task, &before_start)?;
    let cost = again.map_or(0.0, |again| again.cost + 2.0)
        + 2.0
        + f64::from(length)
        + 0.5 * f64::from(tries)
        + f64::from(discarded)
        + 3.0 * f64::from(u8::try_from(initial.len()).unwrap_or(8));
    let count = draw.count.or(again.and_then(|again| again.count));
    let again: Option<Draw> = again.map(|again| again.draw);
    let deal = Deal::History { length, initial, tries, discarded, again };
    let fit = task.fit(&CostedDraw { count, ..*draw }, cost, deal, labels, held_bits).with_first(first);
    Some(fit).filter(Task::is_allowed)
}

/// The history before the first deal, newest first: what was rejected and not dealt before, each in a place where it still counted.
fn initial(task: &Task<'_>, rejected: &[(usize, u8)]) -> Option<Vec<Symbol>> {
    if !task.observed.from_start || rejected.is_empty() {
        return Some(Vec::new());
    }
    let most = rejected.iter().map(|(place, _)| *place).max()?;
    let mut places: Vec<Option<u8>> = vec![None; most + 1];
    for (place, kind) in rejected {
        if places[..=*place].contains(&Some(*kind)) {
            continue;
        }
        let free = (0..=*place).rev().find(|place| places[*place].is_none())?;
        places[free] = Some(*kind);
    }
    let filler = rejected[0].1;
    Some(places.into_iter().map(|kind| task.observed.kinds[usize::from(kind.unwrap_or(filler))]).collect())
}

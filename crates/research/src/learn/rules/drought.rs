//! A pool whose places are refilled with the kind of the longest drought.

use super::draws::CostedDraw;
use super::labels::Labels;
use super::reader::{Mismatch, Reader};
use super::{Found, Task, Tested, bag};
use nextscope_games::games::declared::{Deal, Draw, Fill, First, Method, Symbol};

/// Copies of each kind in the pool that are tried.
const COPIES: std::ops::RangeInclusive<u8> = 1..=8;
/// Droughts at the start that are tried.
const DROUGHTS: std::ops::RangeInclusive<u8> = 0..=8;
/// Discarded draws that are tried.
const DISCARDED: std::ops::RangeInclusive<u8> = 0..=2;

/// A pool.
#[derive(Clone, Copy)]
struct Pool {
    copies: u8,
    fill: Fill,
    drought: u8,
    carried: bool,
    discarded: u8,
}

/// What happened in a deal: the numbers rejected, and the one dealt.
type Draws = (Vec<u8>, u8);

pub(super) fn search(task: &Task<'_>) -> Found {
    let mut found = Found::default();
    // The pool must be known from its start, and each deal must have its draws.
    let has_all = (0..task.deals()).all(|deal| task.own_draws(deal).is_some_and(|drawn| !drawn.is_empty()));
    // Without a rejected draw there is no history, and with it nothing that tells the pool from others.
    let has_rejected =
        (1..task.deals()).any(|deal| task.own_draws(deal).is_some_and(|drawn| drawn.len() > 1));
    if !task.observed.from_start || task.observed.group() != 1 || !has_all || !has_rejected {
        return found;
    }
    if !bag::bags_in(&task.units, task.count(), true).is_empty() {
        return found;
    }
    for copies in COPIES {
        let slots = task.count() * usize::from(copies);
        for costed in task.draws(&[Method::Modulo, Method::MultiplyHigh], slots) {
            if task.progress.is_over() {
                return found;
            }
            for fill in [Fill::Cycle, Fill::Grouped] {
                for discarded in DISCARDED {
                    for carried in [false, true] {
                        for drought in DROUGHTS {
                            let pool = Pool { copies, fill, drought, carried, discarded };
                            try_pool(task, &mut found, &costed, pool);
                        }
                    }
                }
            }
        }
    }
    found
}

fn try_pool(task: &Task<'_>, found: &mut Found, costed: &CostedDraw, pool: Pool) {
    let mut draws = Vec::with_capacity(task.deals());
    let tested = test(task, &costed.draw, pool, &mut draws);
    let mut fits = Vec::new();
    task.count_test(found, tested, |labels, held_bits| {
        for (length, tries, initial) in histories(task, &draws, &labels) {
            let Pool { copies, fill, drought, carried, discarded } = pool;
            let sizes = [copies, drought, length, tries, discarded].map(f64::from);
            let cost = 8.0
                + 0.5 * sizes.iter().sum::<f64>()
                + 3.0 * f64::from(u8::try_from(initial.len()).unwrap_or(8));
            let deal =
                Deal::DroughtPool { copies, fill, length, initial, tries, discarded, drought, carried };
            let mut excluded: Vec<u8> =
                draws[0].0.iter().filter_map(|number| labels.kind((*number).into())).collect();
            excluded.sort_unstable();
            excluded.dedup();
            let kinds: Vec<Symbol> =
                excluded.into_iter().map(|kind| task.observed.kinds[usize::from(kind)]).collect();
            // The pool is not used for a first piece with a rule of its own, which is the only one that is tried.
            let first = First::Exclude { kinds: if kinds.is_empty() { never_first(task)? } else { kinds } };
            let fit = task.fit(costed, cost, deal, &labels, held_bits).with_first(Some(first));
            fits.extend(Some(fit).filter(Task::is_allowed));
        }
        None
    });
    found.keep(fits);
}

/// A kind that the first deal is not, for a rule that excludes something of which nothing was drawn.
fn never_first(task: &Task<'_>) -> Option<Vec<Symbol>> {
    let first = task.halves(0)[0];
    let other = (0..u8::try_from(task.count()).ok()?).find(|kind| *kind != first)?;
    Some(vec![task.observed.kinds[usize::from(other)]])
}

/// Tests a pool: the first deal is drawn from the kinds, the others from the pool. How many were rejected, the draws of each deal tell.
fn test(task: &Task<'_>, draw: &Draw, pool: Pool, draws: &mut Vec<Draws>) -> Tested {
    let kinds = task.count();
    let copies = usize::from(pool.copies);
    let slots = kinds * copies;
    let mut cells: Vec<u8> = match pool.fill {
        Fill::Cycle => (0..slots).map(|at| low_8(at % kinds)).collect(),
        Fill::Grouped => (0..slots).map(|at| low_8(at / copies)).collect(),
    };
    let mut droughts = vec![u32::from(pool.drought); kinds];
    let mut reader = Reader::new(task.numbers(), task.groups());
    task.test(task.labels(kinds), |deal, labels| {
        if !reader.begin(deal) {
            return Err(Mismatch);
        }
        let mut rejected = Vec::new();
        let mut longest = (0, 0);
        let dealt = loop {
            if deal == 0 {
                let number = low_8(reader.place(draw, kinds)?);
                if reader.left() == 0 {
                    break number;
                }
                rejected.push(number);
                continue;
            }
            let slot = reader.place(draw, slots)?;
            let kind = cells[slot];
            let is_dealt = reader.left() == 0;
            if is_dealt {
                droughts.iter_mut().for_each(|drought| *drought += 1);
                droughts[usize::from(kind)] = 0;
            } else {
                rejected.push(kind);
            }
            if !pool.carried {
                longest = (0, 0);
            }
            for (kind, drought) in (0..).zip(&droughts) {
                if *drought > longest.0 {
                    longest = (*drought, kind);
                }
            }
            cells[slot] = longest.1;
            if is_dealt {
                break kind;
            }
            // Before the last draw, which is dealt whatever it is, nothing is discarded.
            if reader.left() > 1 {
                for _ in 0..pool.discarded {
                    reader.number()?;
                }
                if reader.left() == 0 {
                    return Err(Mismatch);
                }
            }
        };
        draws.push((rejected, dealt));
        labels.agree(dealt.into(), task.halves(deal)[0], kinds).then_some(()).ok_or(Mismatch)
    })
}

/// The lengths of the history, the tries and the history before the first deal that explain what was rejected.
fn histories(task: &Task<'_>, draws: &[Draws], labels: &Labels) -> Vec<(u8, u8, Vec<Symbol>)> {
    let mut found = Vec::new();
    for length in 1..=8_u8 {
        for tries in 1..=12_u8 {
            let mut before: Vec<(usize, u8)> = Vec::new();
            let explained = draws.iter().enumerate().skip(1).all(|(deal, (rejected, dealt))| {
                let known: Vec<u8> = (1..=usize::from(length))
                    .filter_map(|back| deal.checked_sub(back))
                    .map(|deal| draws[deal].1)
                    .collect();
                let good = rejected.iter().all(|number| {
                    known.contains(number)
                        || known.len() < length.into() && {
                            before.push((usize::from(length) - 1 - known.len(), *number));
                            true
                        }
                });
                let full = rejected.len() == usize::from(tries);
                good && rejected.len() <= tries.into() && (full || !known.contains(dealt))
            });
            if !explained {
                continue;
            }
            let most = before.iter().map(|(place, _)| *place + 1).max().unwrap_or(0);
            let mut places: Vec<Option<u8>> = vec![None; most];
            let placed = before.iter().all(|(place, number)| {
                places[..=*place].contains(&Some(*number))
                    || (0..=*place).rev().find(|place| places[*place].is_none()).is_some_and(|free| {
                        places[free] = Some(*number);
                        true
                    })
            });
            let filler = before.first().map_or(0, |(_, number)| *number);
            let kinds = places.iter().map(|number| labels.kind(number.unwrap_or(filler).into()));
            let kinds: Option<Vec<u8>> = kinds.collect();
            if let Some(kinds) = kinds.filter(|_| placed) {
                found.push((
                    length,
                    tries,
                    kinds.into_iter().map(|kind| task.observed.kinds[usize::from(kind)]).collect(),
                ));
            }
        }
    }
    found
}

fn low_8(small: usize) -> u8 {
    u8::try_from(small).unwrap_or(u8::MAX)
}

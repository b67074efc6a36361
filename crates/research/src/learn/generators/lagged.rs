//! Lagged Fibonacci generators: lists of which one number after the other is replaced by a sum, difference or exclusive or of two.

use super::super::series::Series;
use super::super::trace::{StateCell, Trace};
use super::arithmetic::{inverse, low_bits};
use nextscope_games::games::declared::{Generator, LagOperation, LinearSteps};
use nextscope_memory::console::Endian;
use std::collections::BTreeMap;

/// The longest lag of the language.
const LONGEST: usize = 127;
/// Replacements from which on a list is one.
const LEAST: usize = 8;

/// A replaced number: the sample in which it was, the place of its first byte, before, after.
type Change = (u32, usize, u64, u64);

/// Lists in RAM that are lagged generators, numbers of 2 and 4 bytes.
pub(super) fn find(series: &Series, moving: &[usize]) -> Vec<Trace> {
    let mut found = Vec::new();
    for width in [4, 2] {
        for order in [Endian::Big, Endian::Little] {
            for phase in 0..width {
                let changes = changes(series, moving, width, order, phase);
                for run in runs(&changes, width) {
                    found.extend(in_run(series, &run, width, order));
                }
            }
        }
    }
    found
}

/// All changes of the cells at this alignment, by sample.
fn changes(series: &Series, moving: &[usize], width: usize, order: Endian, phase: usize) -> Vec<Change> {
    let mut starts: Vec<usize> =
        moving.iter().filter_map(|at| Some((at.checked_sub(phase)?) / width * width + phase)).collect();
    starts.dedup();
    let mut all = Vec::new();
    for start in starts.into_iter().filter(|start| start + width <= series.size()) {
        let values = series.cell(start, width, order);
        all.extend(values.0.windows(2).map(|pair| (pair[1].0, start, pair[0].1, pair[1].1)));
    }
    all.sort_unstable();
    all
}

/// Lists whose cells are replaced one after the other: for each, the replacements in order.
fn runs(changes: &[Change], width: usize) -> Vec<Vec<Change>> {
    // Neighbours that change rarely form a list; a cell that changes in every sample is none.
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for change in changes {
        *counts.entry(change.1).or_default() += 1;
    }
    let starts: Vec<usize> = counts.keys().copied().collect();
    let mut lists: Vec<Vec<usize>> = Vec::new();
    for start in starts {
        match lists.last_mut() {
            Some(list) if list.last().is_some_and(|last| last + width == start) => list.push(start),
            _ => lists.push(vec![start]),
        }
    }
    lists
        .into_iter()
        .filter(|list| (2..=2 * LONGEST).contains(&list.len()))
        .map(|list| {
            let inside = |change: &&Change| (list[0]..=list[list.len() - 1]).contains(&change.1);
            changes.iter().filter(inside).copied().collect::<Vec<_>>()
        })
        .filter(|run| run.len() >= LEAST)
        .collect()
}

/// The order of replacements within a sample, going on from the last place, in a ring from `low` to `high`.
fn in_order(run: &[Change], low: usize, high: usize, width: usize) -> Option<Vec<Change>> {
    let count = (high - low) / width + 1;
    let mut ordered: Vec<Change> = Vec::with_capacity(run.len());
    let mut rest = run;
    while let Some((sample, ..)) = rest.first() {
        let end = rest.iter().position(|change| change.0 != *sample).unwrap_or(rest.len());
        let (mut now, later) = (rest[..end].to_vec(), &rest[end..]);
        if let Some((_, last, ..)) = ordered.last() {
            let next =
                |change: &Change| ((change.1 - low) / width + 2 * count - (last - low) / width - 1) % count;
            now.sort_by_key(next);
            let follows = now.iter().enumerate().all(|(nth, change)| next(change) == nth);
            if !follows {
                return None;
            }
        } else if now.len() > 1 && now.windows(2).any(|pair| pair[1].1 - pair[0].1 != width) {
            return None;
        }
        ordered.extend(now);
        rest = later;
    }
    Some(ordered)
}

fn in_run(series: &Series, run: &[Change], width: usize, order: Endian) -> Option<Trace> {
    // The first change may have been the filling of the whole list.
    let filled = run.iter().filter(|change| change.0 == run[0].0).count();
    let run = if filled > 2 && filled < run.len() { &run[filled..] } else { run };
    let (low, high) = (run.iter().map(|change| change.1).min()?, run.iter().map(|change| change.1).max()?);
    let long = (high - low) / width + 1;
    // Each place was replaced once before the list repeats, so that its ends are known.
    if !(2..=LONGEST).contains(&long) || run.len() < LEAST.max(long + 2) {
        return None;
    }
    let ordered = in_order(run, low, high, width)?;
    let bits = u8::try_from(width * 8).ok()?;
    let mask = low_bits(bits);
    // The list before the first replacement, from the oldest number on.
    let start = (ordered[0].1 - low) / width;
    let before = (ordered[0].0 as usize).checked_sub(1)?;
    let cell_at = |place: usize, sample: usize| {
        let values = series.cell(low + place * width, width, order);
        let at = values.0.partition_point(|(from, _)| *from as usize <= sample);
        values.0[at.max(1) - 1].1
    };
    let mut numbers: Vec<u64> = (0..long).map(|nth| cell_at((start + nth) % long, before)).collect();
    let initial = numbers.clone();
    numbers.extend(ordered.iter().map(|change| change.3));
    let operations = [LagOperation::Add, LagOperation::Subtract, LagOperation::Xor];
    let holds = |short: usize, operation: LagOperation| {
        (long..numbers.len()).all(|at| {
            let (old, newer) = (numbers[at - long], numbers[at - short]);
            let new = match operation {
                LagOperation::Add => old.wrapping_add(newer),
                LagOperation::Subtract => old.wrapping_sub(newer),
                LagOperation::Xor => old ^ newer,
            };
            new & mask == numbers[at]
        })
    };
    let found = operations.into_iter().flat_map(|operation| (1..long).map(move |short| (short, operation)));
    let (short, operation) = { found }.find(|(short, operation)| holds(*short, *operation))?;
    let mut reached = vec![(0, long - 1)];
    for (nth, change) in ordered.iter().enumerate() {
        if reached.last().is_some_and(|(sample, _)| *sample == change.0) {
            reached.pop();
        }
        reached.push((change.0, long + nth));
    }
    // A list whose filling was not observed cannot be made from a seed.
    let known = filling(&initial, bits);
    let fill = known.unwrap_or(LinearSteps { multiplier: 1, increment: 0, modulus: None });
    let generator = Generator::Lagged {
        width: bits,
        long: u8::try_from(long).ok()?,
        short: u8::try_from(short).ok()?,
        operation,
        fill,
    };
    let address = series.address(low);
    let evidence = f64::from(bits) * f64::from(u32::try_from(ordered.len()).ok()?) - 10.0;
    Some(Trace {
        generator,
        cell: StateCell { address, width: u8::try_from(width).ok()?, order },
        bits: evidence,
        is_closed: known.is_some(),
        states: numbers.clone(),
        numbers,
        reached,
        seeded: Vec::new(),
    })
}

/// The steps that made the first numbers, if these were observed as they were made.
fn filling(numbers: &[u64], bits: u8) -> Option<LinearSteps> {
    let mask = low_bits(bits);
    numbers.windows(3).find_map(|three| {
        let (first, second) =
            (three[1].wrapping_sub(three[0]) & mask, three[2].wrapping_sub(three[1]) & mask);
        if first & 1 == 0 {
            return None;
        }
        let multiplier = second.wrapping_mul(inverse(first)) & mask;
        let increment = three[1].wrapping_sub(three[0].wrapping_mul(multiplier)) & mask;
        let holds = |pair: &[u64]| pair[0].wrapping_mul(multiplier).wrapping_add(increment) & mask == pair[1];
        (multiplier > 0 && numbers.windows(2).all(holds)).then_some(LinearSteps {
            multiplier,
            increment,
            modulus: None,
        })
    })
}

//! Finding the generators in RAM.

mod arithmetic;
mod lagged;
mod linear;
mod mixing;
mod register;
mod table;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "numbers made up for tests")]
mod tests;

use super::series::{CellValues, Series};
use super::trace::{StateCell, Trace};
use nextscope_games::games::declared::Generator;
use nextscope_memory::console::Endian;
use nextscope_task::Progress;
use rayon::prelude::*;

/// Transitions that constants are solved from, at most.
const USED: usize = 512;
/// Changes from which on a cell may be found to be a generator.
const MOVES_LEAST: usize = 3;
/// Widths of a state in bytes.
const WIDTHS: [u8; 5] = [8, 4, 3, 2, 1];
/// Offsets that are searched between two looks at the progress.
const BLOCK: usize = 64;

/// What was tried, for the report.
pub const FAMILIES: [&str; 9] = [
    "linear congruential modulo 2^n or any modulus",
    "times a number with the halves added",
    "shift registers, Fibonacci and Galois, to both sides",
    "xorshift of two or three shifts",
    "add and rotate",
    "multiply with carry",
    "SplitMix64",
    "lagged Fibonacci",
    "tables in RAM that are read in a loop",
];

/// The generators that move in a series, the most certain first; copies of one are listed once. A stopped search returns what it found.
///
/// Of a generator with unknown constants that always makes several steps between two samples, this is one that makes all of them at once.
pub fn find(series: &Series, progress: &Progress) -> Vec<Trace> {
    let moving: Vec<usize> = series.moving().collect();
    progress.begin(moving.len() as u64 * 2);
    let mut found: Vec<Trace> = moving
        .par_chunks(BLOCK)
        .flat_map_iter(|offsets| {
            let found: Vec<Trace> = offsets
                .iter()
                .take_while(|_| !progress.is_over())
                .flat_map(|at| at_byte(series, *at))
                .collect();
            progress.add(offsets.len() as u64);
            progress.add_found(found.len() as u64);
            found
        })
        .collect();
    if !progress.is_over() {
        found.extend(lagged::find(series, &moving));
        progress.add(moving.len() as u64);
    }
    chosen(found)
}

/// The generators whose state begins so that this byte is the first one that moves.
fn at_byte(series: &Series, moving: usize) -> Vec<Trace> {
    let mut found = Vec::new();
    for width in WIDTHS {
        for start in (moving + 1).saturating_sub(width.into())..=moving {
            let end = start + usize::from(width);
            // Each cell is looked at from its first moving byte only.
            if end > series.size() || (start..moving).any(|at| series.moves(at) > 0) {
                continue;
            }
            let moves = (start..end).map(|at| series.moves(at)).sum::<usize>();
            if moves < MOVES_LEAST * usize::from(width).div_ceil(2) {
                continue;
            }
            for order in [Endian::Big, Endian::Little] {
                // The low byte of a state moves; else it is a smaller one beside a byte that does not.
                let lowest = if order == Endian::Big { end - 1 } else { start };
                if width == 1 && order == Endian::Little || series.moves(lowest) < MOVES_LEAST {
                    continue;
                }
                let values = series.cell(start, width.into(), order);
                let cell = StateCell { address: series.address(start), width, order };
                found.extend(in_cell(cell, &values));
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The generators that a cell follows: several where draws must tell them apart.
fn in_cell(cell: StateCell, values: &CellValues) -> Vec<Trace> {
    let numbers: Vec<u64> = values.0.iter().take(USED).map(|(_, value)| *value).collect();
    let set = numbers.iter().fold(0, |set, value| set | value);
    let used = u8::try_from(u64::BITS - set.leading_zeros()).unwrap_or(64).max(2);
    let full = cell.width * 8;
    if numbers.len() <= MOVES_LEAST || used + 8 <= full {
        return Vec::new();
    }
    let mut widths = vec![full];
    if used < full {
        widths.push(used);
    }
    let follow = |generators: Vec<Generator>| -> Vec<Trace> {
        generators.iter().filter_map(|generator| Trace::follow(generator, cell, values)).collect()
    };
    let counting = follow(mixing::split_mix(&numbers, full));
    if !counting.is_empty() || is_counter(&numbers, cell.width) {
        return counting;
    }
    for bits in widths {
        let families = [linear::fit, register::fit, mixing::multiply_with_carry];
        for family in families {
            let found = follow(family(&numbers, bits));
            if !found.is_empty() {
                return found;
            }
        }
        if is_like_noise(&numbers, bits) {
            for family in [mixing::add_rotate, mixing::xorshift] {
                let found = follow(family(&numbers, bits));
                if !found.is_empty() {
                    return found;
                }
            }
        }
    }
    Vec::new()
}

/// Generators of which this one is several steps at once, on the same cell.
pub(super) fn divided(trace: &Trace, series: &Series) -> Vec<Trace> {
    let Some(offset) = trace.cell.address.0.checked_sub(series.address(0).0) else { return Vec::new() };
    let Ok(offset) = usize::try_from(offset) else { return Vec::new() };
    let values = series.cell(offset, trace.cell.width.into(), trace.cell.order);
    let Some(pair) = trace.states.windows(2).nth(trace.seeded.last().copied().unwrap_or(0)) else {
        return Vec::new();
    };
    let found = linear::divided(&trace.generator, [pair[0], pair[1]]);
    found.iter().filter_map(|generator| Trace::follow(generator, trace.cell, &values)).collect()
}

/// Whether most changes are by the same amount, in any byte order.
fn is_counter(numbers: &[u64], width: u8) -> bool {
    let unused = 64 - u32::from(width) * 8;
    let counts = |value: &dyn Fn(u64) -> u64| {
        let mut steps: Vec<u64> =
            numbers.windows(2).map(|pair| value(pair[1]).wrapping_sub(value(pair[0]))).collect();
        steps.sort_unstable();
        let most = steps.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0);
        4 * most >= 3 * steps.len()
    };
    counts(&|number| number << unused) || counts(&|number| (number << unused).swap_bytes())
}

/// Whether about half of the bits change, as in what the costly families give.
fn is_like_noise(numbers: &[u64], bits: u8) -> bool {
    let changes = numbers.windows(2).take(64).map(|pair| pair[0] ^ pair[1]);
    let (count, set) = changes.fold((0, 0), |(count, set), change| (count + 1, set + change.count_ones()));
    let share = f64::from(set) / f64::from(count.max(1)) / f64::from(bits);
    (0.3..0.7).contains(&share)
}

/// Of overlapping cells the one that explains most; of copies the first.
fn chosen(mut found: Vec<Trace>) -> Vec<Trace> {
    let span = |trace: &Trace| {
        let length = match trace.generator {
            Generator::Lagged { long, .. } => u64::from(long) * u64::from(trace.cell.width),
            _ => trace.cell.width.into(),
        };
        trace.cell.address.0..trace.cell.address.0 + length
    };
    found.sort_by(|one, other| {
        other.bits.total_cmp(&one.bits).then(one.cell.address.cmp(&other.cell.address))
    });
    let mut chosen: Vec<Trace> = Vec::new();
    for trace in found {
        let overlaps = |other: &Trace| {
            let (one, two) = (span(&trace), span(other));
            other.cell != trace.cell && one.start < two.end && two.start < one.end
        };
        if !chosen
            .iter()
            .any(|other| overlaps(other) || other.generator == trace.generator && other.is_copy(&trace))
        {
            chosen.push(trace);
        }
    }
    chosen
}

pub use table::{CounterCell, counters};

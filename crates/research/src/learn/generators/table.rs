//! Indices that count in a loop, as those of a table of numbers.

use super::super::series::Series;
use super::super::trace::{StateCell, Trace};
use crate::source::Address;
use nextscope_games::games::declared::Generator;
use nextscope_memory::console::Endian;

/// Steps in one sample, at most.
const STEPS_MOST: u8 = 64;
/// Moves from which on a byte may be an index.
const MOVES_LEAST: usize = 6;

/// A byte that counts up in a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CounterCell {
    /// Its offset in the series.
    pub offset: usize,
    /// Its address.
    pub address: Address,
    /// The length of the loop; if it was not observed to come back to 0, the smallest power of two above all of its values.
    pub length: usize,
    /// Whether it was observed to come back.
    pub comes_back: bool,
}

/// The bytes that count up by a few at a time, and then again from 0.
pub fn counters(series: &Series) -> Vec<CounterCell> {
    let moving = series.moving().filter(|at| series.moves(*at) >= MOVES_LEAST);
    moving
        .filter_map(|offset| {
            let values = series.cell(offset, 1, Endian::Big);
            let largest = usize::try_from(values.0.iter().map(|(_, value)| *value).max()?).ok()?;
            let length = (largest + 1).next_power_of_two().max(2);
            let comes_back = values.0.windows(2).any(|pair| pair[1].1 < pair[0].1);
            let lengths = if comes_back { vec![largest + 1, length] } else { vec![length] };
            let length = lengths.into_iter().find(|length| {
                let steps = values.0.windows(2).map(|pair| {
                    // Values of a byte, of which none is above the length.
                    let length = *length as u64;
                    usize::try_from((pair[1].1 + length - pair[0].1) % length).unwrap_or(0)
                });
                let mut steps = steps.peekable();
                steps.peek().is_some()
                    && steps.all(|steps| steps > 0 && steps <= usize::from(STEPS_MOST).min(length / 2))
            })?;
            Some(CounterCell { offset, address: series.address(offset), length, comes_back })
        })
        .collect()
}

impl CounterCell {
    /// The course of the table at `start` with this index.
    pub fn trace(&self, series: &Series, start: usize) -> Option<Trace> {
        let values: Vec<u64> =
            series.bytes(start..start + self.length, 0).into_iter().map(u64::from).collect();
        let generator = Generator::Table { width: 8, values };
        let cell = StateCell { address: self.address, width: 1, order: Endian::Big };
        let trace = Trace::follow(&generator, cell, &series.cell(self.offset, 1, Endian::Big))?;
        Some(Trace { is_closed: self.comes_back, ..trace })
    }
}

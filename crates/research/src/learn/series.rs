//! RAM over time: what changed from sample to sample.

use crate::source::{Address, SourceError};
use nextscope_memory::console::Endian;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

/// Bytes that are compared at once: most of them never change.
const BLOCK: usize = 64;

/// Samples of the same memory. Only changes are stored, so that minutes of a console's RAM fit into memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Series {
    base: Address,
    frames: Vec<u64>,
    /// The fewest frames between two samples.
    interval: u64,
    first: Vec<u8>,
    last: Vec<u8>,
    /// For each byte that changed: the samples in which it did, and its new values.
    changes: BTreeMap<usize, Vec<(u32, u8)>>,
}

/// Why a series cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SeriesError {
    /// A sample of another size.
    #[error("a sample of {len} bytes, the ones before have {expected}")]
    Length {
        /// Its size.
        len: usize,
        /// The size of the first one.
        expected: usize,
    },
    /// A sample that is not after the last one.
    #[error("a sample of frame {frame} after one of frame {last}")]
    Order {
        /// Its frame.
        frame: u64,
        /// The last one's.
        last: u64,
    },
    /// The memory is not a console's RAM.
    #[error("only the RAM of a console can be learned from, in full; locate it first")]
    NotConsole,
    /// It cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// The values of a cell: the sample from which on it has each, ascending, from sample 0 on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CellValues(pub Vec<(u32, u64)>);

impl Series {
    /// Of memory from `base` on.
    pub fn new(base: Address) -> Self {
        Self {
            base,
            frames: Vec::new(),
            interval: u64::MAX,
            first: Vec::new(),
            last: Vec::new(),
            changes: BTreeMap::new(),
        }
    }

    /// Adds a sample. Frames ascend; of two samples of a frame the second is refused.
    ///
    /// # Errors
    /// [`SeriesError::Length`], [`SeriesError::Order`].
    pub fn push(&mut self, frame: u64, bytes: &[u8]) -> Result<(), SeriesError> {
        match self.frames.last() {
            None => (self.first, self.last) = (bytes.to_vec(), bytes.to_vec()),
            Some(_) if bytes.len() != self.last.len() => {
                return Err(SeriesError::Length { len: bytes.len(), expected: self.last.len() });
            }
            Some(last) if *last >= frame => return Err(SeriesError::Order { frame, last: *last }),
            Some(_) => {}
        }
        let sample = u32::try_from(self.frames.len()).unwrap_or(u32::MAX);
        for (block, (last, now)) in self.last.chunks_mut(BLOCK).zip(bytes.chunks(BLOCK)).enumerate() {
            if last == now {
                continue;
            }
            for (at, (last, now)) in last.iter_mut().zip(now).enumerate() {
                if last != now {
                    self.changes.entry(block * BLOCK + at).or_default().push((sample, *now));
                    *last = *now;
                }
            }
        }
        if let Some(last) = self.frames.last() {
            self.interval = self.interval.min(frame - last);
        }
        self.frames.push(frame);
        Ok(())
    }

    /// The frame of the last sample; the first one's is 0 unless it was given another.
    pub fn frame(&self) -> Option<u64> {
        self.frames.last().copied()
    }

    /// The first sample of a frame or a later one; None after the last.
    pub fn sample_of(&self, frame: u64) -> Option<usize> {
        let sample = self.frames.partition_point(|known| *known < frame);
        (sample < self.frames.len()).then_some(sample)
    }

    /// The samples from this one on.
    #[must_use]
    pub fn since(&self, sample: usize) -> Self {
        let from = u32::try_from(sample).unwrap_or(u32::MAX);
        let later = |(offset, changes): (&usize, &Vec<(u32, u8)>)| {
            let at = changes.partition_point(|(changed, _)| *changed <= from);
            let changes: Vec<(u32, u8)> =
                changes[at..].iter().map(|(at, value)| (at - from, *value)).collect();
            (!changes.is_empty()).then_some((*offset, changes))
        };
        Self {
            first: self.memory(sample),
            frames: self.frames.get(sample..).unwrap_or_default().to_vec(),
            changes: self.changes.iter().filter_map(later).collect(),
            ..self.clone()
        }
    }

    /// The address of a byte.
    pub fn address(&self, offset: usize) -> Address {
        self.base.offset(offset as u64)
    }

    /// The number of bytes.
    pub const fn size(&self) -> usize {
        self.first.len()
    }

    /// The number of samples.
    pub const fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Frames from one sample to the next one, which is `sample`; 0 for the first and for none.
    pub fn frames_before(&self, sample: usize) -> u64 {
        let before = sample.checked_sub(1).and_then(|before| self.frames.get(before));
        before.zip(self.frames.get(sample)).map_or(0, |(before, now)| now - before)
    }

    /// Whether frames were missed before one of these samples: there are more than before others.
    pub fn has_missed(&self, samples: RangeInclusive<usize>) -> bool {
        samples.into_iter().any(|sample| self.frames_before(sample) > self.interval)
    }

    /// The byte at an offset in a sample; 0 outside of the memory.
    pub fn byte(&self, offset: usize, sample: usize) -> u8 {
        let first = self.first.get(offset).copied().unwrap_or(0);
        let Some(changes) = self.changes.get(&offset) else { return first };
        let at = changes.partition_point(|(changed, _)| *changed as usize <= sample);
        at.checked_sub(1).map_or(first, |at| changes[at].1)
    }

    /// Bytes at a sample.
    pub fn bytes(&self, range: Range<usize>, sample: usize) -> Vec<u8> {
        range.map(|offset| self.byte(offset, sample)).collect()
    }

    /// All bytes at a sample.
    pub fn memory(&self, sample: usize) -> Vec<u8> {
        let mut bytes = self.first.clone();
        for (offset, changes) in &self.changes {
            let at = changes.partition_point(|(changed, _)| *changed as usize <= sample);
            if let Some(at) = at.checked_sub(1) {
                bytes[*offset] = changes[at].1;
            }
        }
        bytes
    }

    /// How often a byte changed.
    pub fn moves(&self, offset: usize) -> usize {
        self.changes.get(&offset).map_or(0, Vec::len)
    }

    /// The samples in which a byte changed, and its new values.
    pub fn changes(&self, offset: usize) -> impl Iterator<Item = (u32, u8)> {
        self.changes.get(&offset).into_iter().flatten().copied()
    }

    /// The offset of an address; None outside of the memory.
    pub fn offset(&self, address: Address) -> Option<usize> {
        let offset = usize::try_from(address.0.checked_sub(self.base.0)?).ok()?;
        (offset < self.size()).then_some(offset)
    }

    /// The bytes that changed at least once, ascending.
    pub fn moving(&self) -> impl Iterator<Item = usize> {
        self.changes.keys().copied()
    }

    /// The values of a cell of 1 to 8 bytes.
    pub fn cell(&self, offset: usize, width: usize, order: Endian) -> CellValues {
        let mut samples: Vec<u32> = vec![0];
        for (_, changes) in self.changes.range(offset..offset + width) {
            samples.extend(changes.iter().map(|(sample, _)| *sample));
        }
        samples.sort_unstable();
        samples.dedup();
        let columns: Vec<&[(u32, u8)]> =
            (offset..offset + width).map(|at| self.changes.get(&at).map_or(&[][..], Vec::as_slice)).collect();
        let mut next = vec![0; width];
        let mut bytes: Vec<u8> = (offset..offset + width).map(|at| self.byte(at, 0)).collect();
        let value = |bytes: &[u8]| {
            let shifted = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
            match order {
                Endian::Big => bytes.iter().fold(0, shifted),
                Endian::Little => bytes.iter().rev().fold(0, shifted),
            }
        };
        CellValues(
            samples
                .into_iter()
                .map(|sample| {
                    for ((byte, column), next) in bytes.iter_mut().zip(&columns).zip(&mut next) {
                        while let Some((changed, new)) = column.get(*next)
                            && *changed <= sample
                        {
                            *byte = *new;
                            *next += 1;
                        }
                    }
                    (sample, value(&bytes))
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_gives_back_every_sample() {
        let mut series = Series::new(Address(0x8000));
        let samples: Vec<Vec<u8>> = (0..20u8)
            .map(|nth| (0..200u8).map(|at| if at % 7 == 0 { nth.wrapping_mul(at) / 3 } else { at }).collect())
            .collect();
        for (frame, bytes) in (5..).zip(&samples) {
            series.push(frame, bytes).unwrap();
        }
        for (nth, bytes) in samples.iter().enumerate() {
            assert_eq!(&series.memory(nth), bytes);
            assert_eq!(series.bytes(0..200, nth), *bytes);
            let cell = series.cell(69, 4, Endian::Big);
            let at = cell.0.partition_point(|(sample, _)| *sample as usize <= nth) - 1;
            let expected = u32::from_be_bytes(*bytes[69..].first_chunk().unwrap());
            assert_eq!(cell.0[at].1, u64::from(expected));
        }
        let later = series.since(7);
        assert_eq!((later.len(), later.frames_before(0), later.frames_before(1)), (13, 0, 1));
        assert!((0..13).all(|nth| later.memory(nth) == samples[nth + 7]));
        assert!(!series.has_missed(0..=19));
        assert_eq!((series.moves(1), series.address(2)), (0, Address(0x8002)));
        assert!(matches!(series.push(24, &samples[0]), Err(SeriesError::Order { frame: 24, last: 24 })));
        assert!(matches!(series.push(99, &[]), Err(SeriesError::Length { len: 0, expected: 200 })));
    }
}

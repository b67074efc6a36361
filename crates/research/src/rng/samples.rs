//! Samples of the same memory. A page is stored only when something in it changed.

use crate::source::Address;
use std::ops::Range;

pub(super) const PAGE: usize = 4096;
/// Bytes after a page that its last cells extend to.
pub(super) const TAIL: usize = 3;

/// Samples of the same memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Samples {
    pub(super) base: Address,
    len: usize,
    frames: Vec<u64>,
    /// Offsets in every sample; None while samples are complete.
    held: Option<Vec<Range<usize>>>,
    /// For each page, its bytes and the sample from which on it has them.
    pages: Vec<Vec<(usize, Box<[u8]>)>>,
}

/// Why samples are unusable.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SamplesError {
    #[error("a sample of {len} bytes, the ones before have {expected}")]
    Length { len: usize, expected: usize },
    #[error("a sample of frame {frame} after one of frame {last}")]
    Order { frame: u64, last: u64 },
    #[error(
        "{0} samples are too few to distinguish a generator from chance; take at least 5, a frame or a few apart"
    )]
    TooFew(usize),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// A page and the bytes after it that its cells extend to, at every sample in which they changed.
pub(super) struct Rows {
    /// How many cells may start in it.
    pub starts: usize,
    /// How many bytes there are, including the tail.
    pub len: usize,
    pub samples: Vec<usize>,
    /// Rows of `starts` + [`TAIL`] bytes; zeros after the end of memory.
    bytes: Vec<u8>,
}

impl Samples {
    /// Of memory from `base` on.
    pub fn new(base: Address) -> Self {
        Self { base, len: 0, frames: Vec::new(), held: None, pages: Vec::new() }
    }

    /// Adds a sample.
    pub fn push(&mut self, frame: u64, bytes: &[u8]) -> Result<(), SamplesError> {
        match self.frames.last() {
            Some(_) if bytes.len() != self.len => {
                return Err(SamplesError::Length { len: bytes.len(), expected: self.len });
            }
            Some(last) if *last >= frame => return Err(SamplesError::Order { frame, last: *last }),
            Some(_) => {}
            None => {
                self.len = bytes.len();
                self.pages.resize_with(bytes.len().div_ceil(PAGE), Vec::new);
            }
        }
        for (page, now) in self.pages.iter_mut().zip(bytes.chunks(PAGE)) {
            if page.last().is_none_or(|(_, last)| **last != *now) {
                page.push((self.frames.len(), now.into()));
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Adds a sample of parts of a memory of `len` bytes: offsets and bytes, ascending. Only cells in all samples are found.
    ///
    /// # Errors
    /// [`SamplesError::Length`] also when a part exceeds the memory, [`SamplesError::Order`].
    pub fn push_parts<'a>(
        &mut self,
        frame: u64,
        len: usize,
        parts: impl IntoIterator<Item = (usize, &'a [u8])>,
    ) -> Result<(), SamplesError> {
        let mut bytes = vec![0; len];
        let mut held: Vec<Range<usize>> = Vec::new();
        for (offset, part) in parts {
            let end = offset.saturating_add(part.len());
            let room = bytes.get_mut(offset..end).ok_or(SamplesError::Length { len: end, expected: len })?;
            room.copy_from_slice(part);
            held.push(offset..end);
        }
        self.push(frame, &bytes)?;
        self.held = Some(match self.held.take() {
            None => held,
            Some(before) => {
                let common = |one: &Range<usize>| {
                    let one = one.clone();
                    held.iter().map(move |other| one.start.max(other.start)..one.end.min(other.end))
                };
                before.iter().flat_map(common).filter(|both| !both.is_empty()).collect()
            }
        });
        Ok(())
    }

    /// Whether every sample contains the cell.
    pub(super) fn holds(&self, address: Address, width: u64) -> bool {
        let Some(held) = &self.held else { return true };
        let start = address.0.wrapping_sub(self.base.0);
        held.iter().any(|part| part.start as u64 <= start && start.saturating_add(width) <= part.end as u64)
    }

    /// The number of samples.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.pages.iter().flatten().map(|(_, bytes)| bytes.len()).sum()
    }

    pub(super) fn pages(&self) -> Range<usize> {
        0..self.pages.len()
    }

    /// Frames between one sample and the next.
    pub(super) fn intervals(&self) -> Vec<u64> {
        self.frames.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    pub(super) fn rows(&self, page: usize) -> Rows {
        let none = Vec::new();
        let (these, behind) = (&self.pages[page], self.pages.get(page + 1).unwrap_or(&none));
        let mut samples: Vec<usize> = these.iter().map(|(sample, _)| *sample).collect();
        let tail = |bytes: &[u8]| bytes[..TAIL.min(bytes.len())].to_vec();
        let tails: Vec<(usize, Vec<u8>)> =
            behind.iter().map(|(sample, bytes)| (*sample, tail(bytes))).collect();
        // Most changes in the next page do not affect the tail.
        let new = |nth: usize| nth == 0 || tails[nth - 1].1 != tails[nth].1;
        samples.extend((0..tails.len()).filter(|nth| new(*nth)).map(|nth| tails[nth].0));
        samples.sort_unstable();
        samples.dedup();
        let starts = these.first().map_or(0, |(_, bytes)| bytes.len());
        let len = starts + tails.first().map_or(0, |(_, tail)| tail.len());
        let mut rows = vec![0; samples.len() * (starts + TAIL)];
        for (row, sample) in rows.chunks_mut((starts + TAIL).max(1)).zip(&samples) {
            let at = these.partition_point(|(from, _)| from <= sample);
            if let Some((_, bytes)) = at.checked_sub(1).and_then(|at| these.get(at)) {
                row[..starts].copy_from_slice(bytes);
            }
            let at = tails.partition_point(|(from, _)| from <= sample);
            if let Some((_, tail)) = at.checked_sub(1).and_then(|at| tails.get(at)) {
                row[starts..starts + tail.len()].copy_from_slice(tail);
            }
        }
        Rows { starts, len, samples, bytes: rows }
    }
}

impl Rows {
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks((self.starts + TAIL).max(1))
    }

    /// How often each byte changed, up to 255.
    pub fn moves(&self) -> Vec<u8> {
        let mut moves = vec![0u8; self.starts + TAIL];
        for (one, other) in self.iter().zip(self.iter().skip(1)) {
            for ((moves, one), other) in moves.iter_mut().zip(one).zip(other) {
                *moves = moves.saturating_add(u8::from(one != other));
            }
        }
        moves
    }

    /// The four bytes at `offset` in each row, as big-endian numbers.
    pub fn column(&self, offset: usize, into: &mut Vec<u32>) {
        into.clear();
        let bytes = |row: &[u8]| row[offset..].first_chunk().map_or(0, |four| u32::from_be_bytes(*four));
        into.extend(self.iter().map(bytes));
    }
}

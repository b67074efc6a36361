//! The same memory at several moments. Most of it stands still: a page is kept anew only when something in it changed.

use crate::source::Address;
use std::ops::Range;

/// Bytes that are kept together.
pub(super) const PAGE: usize = 4096;
/// Bytes behind a page that its last cells reach into.
pub(super) const TAIL: usize = 3;

/// The same memory at several moments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Samples {
    pub(super) base: Address,
    len: usize,
    frames: Vec<u64>,
    /// Offsets that every sample has; None while each was of all memory.
    held: Option<Vec<Range<usize>>>,
    /// Of each page what it held from which sample on.
    pages: Vec<Vec<(usize, Box<[u8]>)>>,
}

/// Why samples are of no use.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SamplesError {
    /// Not of the same memory.
    #[error("a sample of {len} bytes, the ones before have {wanted}")]
    Length {
        /// Its length.
        len: usize,
        /// The length of those before.
        wanted: usize,
    },
    /// Not later than the one before.
    #[error("a sample of frame {frame} after one of frame {last}")]
    Order {
        /// Its frame.
        frame: u64,
        /// The frame of the last one.
        last: u64,
    },
    /// Too few to tell.
    #[error(
        "{0} samples are too few to tell a generator from chance; take at least 5, a frame or a few apart"
    )]
    TooFew(usize),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// A page, with the bytes behind it that its cells reach into, at every sample at which something in it was new.
pub(super) struct Rows {
    /// How many cells may begin in it.
    pub starts: usize,
    /// How many bytes there are, the tail among them; no more where memory ends.
    pub len: usize,
    /// The samples.
    pub samples: Vec<usize>,
    /// Their bytes, one row after another, each `starts` + [`TAIL`] long; zeros behind the end of memory.
    bytes: Vec<u8>,
}

impl Samples {
    /// Of memory that begins at `base`.
    #[must_use]
    pub fn new(base: Address) -> Self {
        Self { base, len: 0, frames: Vec::new(), held: None, pages: Vec::new() }
    }

    /// Adds what the memory held at a frame.
    ///
    /// # Errors
    /// [`SamplesError::Length`], [`SamplesError::Order`].
    pub fn push(&mut self, frame: u64, bytes: &[u8]) -> Result<(), SamplesError> {
        match self.frames.last() {
            Some(_) if bytes.len() != self.len => {
                return Err(SamplesError::Length { len: bytes.len(), wanted: self.len });
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

    /// The same of parts of memory that has `len` bytes: where each part begins, and its bytes, ascending. Cells that are not in all
    /// samples are never found.
    ///
    /// # Errors
    /// [`SamplesError::Length`] also when a part runs past the end, [`SamplesError::Order`].
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
            let room = bytes.get_mut(offset..end).ok_or(SamplesError::Length { len: end, wanted: len })?;
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

    /// Whether every sample has the cell of so many bytes at that address.
    pub(super) fn holds(&self, address: Address, width: u64) -> bool {
        let Some(held) = &self.held else { return true };
        let start = address.0.wrapping_sub(self.base.0);
        held.iter().any(|part| part.start as u64 <= start && start.saturating_add(width) <= part.end as u64)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Bytes that are kept.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.pages.iter().flatten().map(|(_, bytes)| bytes.len()).sum()
    }

    pub(super) fn pages(&self) -> Range<usize> {
        0..self.pages.len()
    }

    /// Frames between one sample and the next.
    pub(super) fn intervals(&self) -> Vec<u64> {
        self.frames.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// A page, and what is behind it.
    pub(super) fn rows(&self, page: usize) -> Rows {
        let none = Vec::new();
        let (these, behind) = (&self.pages[page], self.pages.get(page + 1).unwrap_or(&none));
        let mut samples: Vec<usize> = these.iter().map(|(sample, _)| *sample).collect();
        let tail = |bytes: &[u8]| bytes[..TAIL.min(bytes.len())].to_vec();
        let tails: Vec<(usize, Vec<u8>)> =
            behind.iter().map(|(sample, bytes)| (*sample, tail(bytes))).collect();
        // Behind a page most changes are none of its business.
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

    /// How often each byte changed, 255 standing for more.
    pub fn moves(&self) -> Vec<u8> {
        let mut moves = vec![0u8; self.starts + TAIL];
        for (one, other) in self.iter().zip(self.iter().skip(1)) {
            for ((moves, one), other) in moves.iter_mut().zip(one).zip(other) {
                *moves = moves.saturating_add(u8::from(one != other));
            }
        }
        moves
    }

    /// What the four bytes from `offset` on were in each row, as a big-endian number.
    pub fn column(&self, offset: usize, into: &mut Vec<u32>) {
        into.clear();
        let bytes = |row: &[u8]| row[offset..].first_chunk().map_or(0, |four| u32::from_be_bytes(*four));
        into.extend(self.iter().map(bytes));
    }
}

//! Finding a sequence of pieces seen on screen, whatever their codes.

use super::source::{Address, Source};
use super::windows::{self, Window};
use nextscope_emulator::process::ReadError;
use nextscope_task::Progress;

/// The largest distance of two pieces in bytes.
const STRIDE_MOST: i32 = 64;

const HITS_MOST: usize = 10_000;

const PIECES_LEAST: usize = 4;

/// A sequence found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SequenceHit {
    /// The address of the first piece.
    pub address: Address,
    /// Bytes from one piece to the next; negative when the sequence is stored backward.
    pub stride: i32,
    /// The code of each symbol, in the order of first occurrence.
    pub codes: Vec<(u8, u8)>,
}

/// Why a sequence cannot be searched.
#[derive(Debug, Clone, thiserror::Error)]
pub enum SequenceError {
    /// Too few pieces to search for.
    #[error(
        "{known} known pieces of {kinds} kinds match too many places; give at least {PIECES_LEAST}, of two kinds or more"
    )]
    TooLittle {
        /// Known pieces.
        known: usize,
        /// Different ones.
        kinds: usize,
    },
    /// Memory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// All addresses of `pieces`: equal symbols are equal bytes, different ones different bytes, 1 to 64 bytes apart, forward or
/// backward. None is an unknown piece. Ascending; at most 10,000.
pub fn find_sequence(
    source: &dyn Source,
    pieces: &[Option<u8>],
    progress: &Progress,
) -> Result<Vec<SequenceHit>, SequenceError> {
    let shape = Shape::of(pieces);
    let known = pieces.iter().flatten().count();
    if known < PIECES_LEAST || shape.kinds < 2 {
        return Err(SequenceError::TooLittle { known, kinds: shape.kinds });
    }
    let reach = (pieces.len() - 1) * STRIDE_MOST as usize;
    let scan = |window: &Window<'_>| {
        let mut hits = Vec::new();
        for start in window.starts() {
            for stride in (1..=STRIDE_MOST).flat_map(|stride| [stride, -stride]) {
                if let Some(codes) = shape.codes_at(window.bytes, start, stride as isize) {
                    hits.push(SequenceHit { address: window.address(start), stride, codes });
                }
            }
            if hits.len() > HITS_MOST {
                break;
            }
        }
        hits
    };
    let found = windows::search(source, reach, reach, progress, scan)?;
    let mut hits: Vec<SequenceHit> = found.ok_or(SequenceError::Cancelled)?;
    hits.truncate(HITS_MOST);
    Ok(hits)
}

/// Which pieces are equal.
pub(super) struct Shape {
    /// For each known piece: its index, its symbol's number, its symbol, and whether it is the first of its symbol.
    steps: Vec<(isize, usize, u8, bool)>,
    pub kinds: usize,
}

impl Shape {
    pub fn of(pieces: &[Option<u8>]) -> Self {
        let mut symbols: Vec<u8> = Vec::new();
        let mut steps = Vec::new();
        for (place, symbol) in pieces.iter().enumerate().filter_map(|(at, piece)| Some((at, (*piece)?))) {
            let known = symbols.iter().position(|known| *known == symbol);
            let number = known.unwrap_or(symbols.len());
            if known.is_none() {
                symbols.push(symbol);
            }
            steps.push((place.cast_signed(), number, symbol, known.is_none()));
        }
        // Different symbols first: most memory repeats one byte and fails at the second of them.
        steps.sort_by_key(|(.., is_new)| !is_new);
        Self { steps, kinds: symbols.len() }
    }

    /// The index of each known piece and the number of its symbol.
    pub fn places(&self) -> impl Iterator<Item = (isize, usize)> {
        self.steps.iter().map(|(place, number, ..)| (*place, *number))
    }

    /// The codes of the sequence at `start`, if it is there.
    #[inline]
    pub fn codes_at(&self, bytes: &[u8], start: usize, stride: isize) -> Option<Vec<(u8, u8)>> {
        self.codes_by(|place| {
            let at = start.checked_add_signed(place * stride)?;
            bytes.get(at).copied()
        })
    }

    /// The same with the byte at each index given by `at`.
    #[inline]
    pub fn codes_by(&self, at: impl Fn(isize) -> Option<u8>) -> Option<Vec<(u8, u8)>> {
        let mut used = [0u64; 4];
        let mut codes = [0u8; 256];
        for (place, number, _, is_new) in &self.steps {
            let byte = at(*place)?;
            if *is_new {
                let (word, bit) = (usize::from(byte / 64), 1u64 << (byte % 64));
                if used[word] & bit != 0 {
                    return None;
                }
                used[word] |= bit;
                codes[*number] = byte;
            } else if codes[*number] != byte {
                return None;
            }
        }
        let new = self.steps.iter().filter(|step| step.3);
        Some(new.map(|(_, number, symbol, _)| (*symbol, codes[*number])).collect())
    }
}

#[cfg(test)]
#[path = "sequence_tests.rs"]
mod tests;

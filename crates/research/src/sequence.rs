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
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests {
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;
    use proptest::prelude::*;

    fn pieces(text: &str) -> Vec<Option<u8>> {
        text.bytes().map(|piece| (piece != b'?').then_some(piece)).collect()
    }

    fn noise(len: usize) -> Vec<u8> {
        let next = |state: &u32| Some(state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F));
        std::iter::successors(Some(7u32), next).map(|state| (state >> 24) as u8 & 7).take(len).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_sequence_is_found_under_any_codes_stride_and_direction(
            at in 6000usize..9000,
            stride in 1isize..=64,
            backward: bool,
            first in 0u8..250,
        ) {
            let seen = "RGBYRRGPYBGRPY?BGGRYPBRY";
            let mut bytes = noise(20_000);
            let stride = if backward { -stride } else { stride };
            for (nth, piece) in seen.bytes().enumerate() {
                let code = first.wrapping_add("RGBYP?".find(char::from(piece)).expect("a piece") as u8);
                bytes[at.checked_add_signed(nth as isize * stride).expect("inside")] = code;
            }
            let source = ByteArray { base: HostAddr(0x1000), bytes };
            let hits = find_sequence(&source, &pieces(seen), &Progress::default()).expect("it can be read");
            prop_assert_eq!(hits.len(), 1);
            prop_assert_eq!(hits[0].address, Address(0x1000 + at as u64));
            prop_assert_eq!(hits[0].stride as isize, stride);
            prop_assert_eq!(hits[0].codes[0], (b'R', first));
            prop_assert_eq!(hits[0].codes[4], (b'P', first.wrapping_add(4)));
        }
    }

    #[test]
    fn what_could_be_anywhere_is_not_looked_for() {
        let source = ByteArray { base: HostAddr(0), bytes: vec![0; 4096] };
        for text in ["RGB", "RRRRRRRR", "R?G?B"] {
            let answer = find_sequence(&source, &pieces(text), &Progress::default());
            assert!(matches!(answer, Err(SequenceError::TooLittle { .. })), "{text}");
        }
        let hits = find_sequence(&source, &pieces("RGRG"), &Progress::default()).expect("it can be read");
        assert_eq!(hits, [], "different pieces are different bytes");
    }

    #[test]
    fn a_sequence_across_two_pieces_of_memory_and_at_the_very_ends_is_found() {
        let seen = "ABCABDDBCA";
        let codes = |nth: usize| seen.as_bytes()[nth];
        let mut bytes = vec![0; 3 << 18];
        for nth in 0..10 {
            bytes[nth] = codes(nth);
            bytes[(1 << 18) - 5 + nth] = codes(nth);
            let last = bytes.len() - 10;
            bytes[last + nth] = codes(nth);
        }
        let source = ByteArray { base: HostAddr(0), bytes };
        let hits = find_sequence(&source, &pieces(seen), &Progress::default()).expect("it can be read");
        let places: Vec<u64> = hits.iter().filter(|hit| hit.stride == 1).map(|hit| hit.address.0).collect();
        assert_eq!(places, [0, (1 << 18) - 5, (3 << 18) - 10]);
    }
}

//! The RAM fields of Sega's games. None of the addresses are published: the fields are located by content, for which a buffer
//! of a thousand codes is more than enough. Bloxeed has no such buffer, but three related states ([`bloxeed::states`](crate::games::bloxeed::states)).

use crate::games::sega::sega_tetris::LENGTH;
use crate::games::{FieldSpec, field};

/// Plausible counts of each code among 1000: 1 to 6 are drawn with 9 of 64 values and 0 with 10, so 141 and 156 times on average
/// with a standard deviation of 11.5 (binomial). Six deviations to either side.
const OFTEN: std::ops::RangeInclusive<u16> = 70..=226;

/// The fields of Sega Tetris and Flash Point, once located.
pub const BUFFER_FIELDS: &[FieldSpec] = &[
    field("sequence", 1000, false, "the codes of the game's 1000 pieces"),
    field("sequence_words", 2000, false, "the same, with one 16-bit word per code"),
    field("rng_state", 4, false, "state of the random number generator, high word first"),
    field("index", 2, false, "pieces dealt in this game, modulo 1000"),
];

/// The fields of Bloxeed, once located.
pub const BLOXEED_FIELDS: &[FieldSpec] = &[
    field("rng_state", 4, false, "state of the main generator, which supplies the items"),
    field("piece_state", 4, false, "state of the piece generator"),
    field("piece_seed", 4, false, "seed of the pieces, stored for a continue"),
    field("drawn_piece", 1, false, "code of the piece drawn last"),
    field("current_piece", 1, false, "code of the piece drawn before the last one"),
];

/// The layout of a code buffer in RAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cells {
    /// One byte per code.
    Bytes,
    /// One 16-bit word per code.
    Words,
}

impl Cells {
    /// Both layouts.
    pub const ALL: [Self; 2] = [Self::Bytes, Self::Words];

    /// Bytes from one code to the next.
    pub const fn stride(self) -> usize {
        match self {
            Self::Bytes => 1,
            Self::Words => 2,
        }
    }

    /// The codes of the buffer at `offset` of a RAM image in bus order; None if the bytes are not codes.
    pub fn codes(self, ram: &[u8], offset: usize) -> Option<[u8; LENGTH]> {
        let stored = ram.get(offset..offset.checked_add(LENGTH * self.stride())?)?;
        let mut codes = [0; LENGTH];
        for (code, cell) in codes.iter_mut().zip(stored.chunks_exact(self.stride())) {
            let (low, high) = cell.split_last()?;
            if high.iter().any(|byte| *byte != 0) {
                return None;
            }
            *code = *low;
        }
        Some(codes)
    }
}

/// Positions at which a thousand cells in a row contain codes, each about as often as it is drawn. All positions of a run
/// are returned, because code-like bytes may precede and follow a buffer.
pub fn places(ram: &[u8], cells: Cells) -> impl Iterator<Item = usize> + '_ {
    // The processor reads words at even addresses only.
    Places { ram, stride: cells.stride(), at: 0, counts: [0; 7], length: 0 }
}

struct Places<'a> {
    ram: &'a [u8],
    stride: usize,
    /// Offset of the next cell.
    at: usize,
    counts: [u16; 7],
    length: usize,
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            let cell = self.ram.get(self.at..self.at + self.stride)?;
            let start = self.at;
            self.at += self.stride;
            let (low, high) = cell.split_last()?;
            let code = usize::from(*low);
            if code > 6 || high.iter().any(|byte| *byte != 0) {
                (self.counts, self.length) = ([0; 7], 0);
                continue;
            }
            self.counts[code] += 1;
            self.length += 1;
            if self.length > LENGTH {
                let left = start - LENGTH * self.stride + self.stride - 1;
                self.counts[usize::from(self.ram[left])] -= 1;
                self.length = LENGTH;
            }
            if self.length == LENGTH && self.counts.iter().all(|count| OFTEN.contains(count)) {
                return Some(start - (LENGTH - 1) * self.stride);
            }
        }
    }
}

/// Whether RAM appears to contain a buffer: fast enough for every sample.
pub fn looks_drawn(ram: &[u8]) -> bool {
    Cells::ALL.into_iter().any(|cells| places(ram, cells).next().is_some())
}

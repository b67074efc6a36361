//! Finding a board by its picture, whatever the codes of its cells and the order of its rows.

mod scanner;

use super::sequence::Shape;
use super::source::{Address, Source};
use super::windows::{self, Window};
use nextscope_emulator::process::ReadError;
use nextscope_task::Progress;
use scanner::{BoardScanner, Hit, Strides};

/// Sizes of a cell in bytes.
const CELLS: [isize; 3] = [1, 2, 4];

/// The most bytes between two rows.
const BETWEEN_MOST: isize = 16;

/// The bits of a cell that may be its code: all, or half when the game uses the other half otherwise (joined neighbours).
pub(super) const MASKS: [u8; 3] = [0xFF, 0xF0, 0x0F];

const HITS_MOST: usize = 1000;

const PAINTED_LEAST: usize = 8;

/// The picture of a board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardPattern {
    width: usize,
    cells: Vec<Option<u8>>,
}

/// A board found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardHit {
    /// The address of the cell at the top left.
    pub address: Address,
    /// Bytes from a cell to its right neighbour; negative when rows run from right to left.
    pub column_stride: i32,
    /// Bytes from a cell to the one below; negative when the lowest row comes first.
    pub row_stride: i32,
    /// The bits of a cell that are its code.
    pub mask: u8,
    /// The masked code of each symbol, in the order of first occurrence.
    pub codes: Vec<(u8, u8)>,
}

/// Why a board cannot be searched.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BoardError {
    #[error("a board has rows of one length, 1 to 64 cells, and 1 to 64 of them")]
    NotAGrid,
    #[error(
        "{painted} painted cells of {kinds} kinds match too many places; paint at least {PAINTED_LEAST}, of two kinds or more"
    )]
    TooLittle { painted: usize, kinds: usize },
    /// Memory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl BoardPattern {
    /// From rows of symbols, top row first; `None` for any cell.
    pub fn new(rows: &[Vec<Option<u8>>]) -> Result<Self, BoardError> {
        let width = rows.first().map_or(0, Vec::len);
        let is_grid = (1..=64).contains(&width)
            && (1..=64).contains(&rows.len())
            && rows.iter().all(|row| row.len() == width);
        if !is_grid {
            return Err(BoardError::NotAGrid);
        }
        let cells: Vec<Option<u8>> = rows.concat();
        let painted = cells.iter().flatten().count();
        let kinds = Shape::of(&cells).kinds;
        if painted < PAINTED_LEAST || kinds < 2 {
            return Err(BoardError::TooLittle { painted, kinds });
        }
        Ok(Self { width, cells })
    }

    /// From text, one line per row and one character per cell; `?` for any cell.
    ///
    /// # Errors
    /// As [`BoardPattern::new`].
    pub fn from_text(text: &str) -> Result<Self, BoardError> {
        let rows: Vec<Vec<Option<u8>>> = text
            .lines()
            .map(|line| line.trim().bytes().map(|cell| (cell != b'?').then_some(cell)).collect())
            .filter(|row: &Vec<_>| !row.is_empty())
            .collect();
        Self::new(&rows)
    }

    fn height(&self) -> usize {
        self.cells.len() / self.width
    }
}

/// Strides from a cell to its right neighbour and to the one below, for all orders of cells in memory.
fn strides(width: usize, height: usize) -> Vec<Strides> {
    let (width, height) = (width.cast_signed(), height.cast_signed());
    let mut all = Vec::new();
    for near in CELLS {
        for between in (0..=BETWEEN_MOST).step_by(near.unsigned_abs()) {
            for (right, down) in [(near, near * width + between), (near * height + between, near)] {
                for (one, other) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    all.push((one * right, other * down));
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// All addresses of a board: equal symbols are equal cells, different ones different cells. Cells have 1, 2 or 4 bytes, of which
/// the first is the code; up to 16 bytes may lie between rows; rows or columns come first, in either direction. Ascending; at
/// most 1000.
pub fn find_board(
    source: &dyn Source,
    painted: &BoardPattern,
    progress: &Progress,
) -> Result<Vec<BoardHit>, BoardError> {
    let scanner = BoardScanner::new(painted, &strides(painted.width, painted.height()));
    let scan = |window: &Window<'_>| {
        let hits = scanner.scan(window.bytes, window.starts(), HITS_MOST);
        let stride = |bytes: isize| i32::try_from(bytes).unwrap_or(i32::MAX);
        let hit = |Hit { start, strides: (right, down), mask, codes }| BoardHit {
            address: window.address(start),
            column_stride: stride(right),
            row_stride: stride(down),
            mask,
            codes,
        };
        hits.into_iter().map(hit).collect()
    };
    let found = windows::search(source, scanner.before, scanner.after, progress, scan)?;
    let mut hits: Vec<BoardHit> = found.ok_or(BoardError::Cancelled)?;
    hits.truncate(HITS_MOST);
    Ok(hits)
}

#[cfg(test)]
#[path = "board_tests.rs"]
mod tests;

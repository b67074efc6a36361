//! Where a board stands that looks as a person painted it, whatever the codes of its cells and the order of its rows.

mod sieve;

use super::block::Progress;
use super::sequence::Shape;
use super::source::{Address, Source};
use super::windows::{self, Window};
use nextscope_emulator::process::ReadError;
use sieve::{Hit, Sieve, Strides};

/// Bytes that a cell may have.
const CELLS: [isize; 3] = [1, 2, 4];

/// Bytes that may lie between the end of a row and the next, at most.
const BETWEEN_MOST: isize = 16;

/// Bits of a cell that may tell what it holds: all, or half when the game keeps other things (which neighbours are
/// joined) in the other half.
pub(super) const MASKS: [u8; 3] = [0xFF, 0xF0, 0x0F];

/// Most places given back.
const HITS_MOST: usize = 1000;

/// Fewest cells that must be painted, and of how many kinds.
const PAINTED_LEAST: usize = 8;

/// A board as painted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Painted {
    width: usize,
    cells: Vec<Option<u8>>,
}

/// Which way the cells of a row, or the rows, run in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// As on screen: left to right, top to bottom.
    Forward,
    /// The other way round.
    Backward,
}

/// A place at which the board stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardHit {
    /// The address of the cell at the top left.
    pub address: Address,
    /// Bytes from a cell to its right neighbour; negative when rows run from right to left.
    pub column_stride: i32,
    /// Bytes from a cell to the one below; negative when the lowest row comes first.
    pub row_stride: i32,
    /// The bits that tell what a cell holds.
    pub mask: u8,
    /// The code of each symbol, masked, by the symbols in the order in which they first come.
    pub codes: Vec<(u8, u8)>,
}

/// Why a board cannot be looked for.
#[derive(Debug, Clone, thiserror::Error)]
pub enum BoardError {
    /// Rows of different lengths, or none.
    #[error("a board has rows of one length, 1 to 64 cells, and 1 to 64 of them")]
    NotAGrid,
    /// Too little to tell it from anything else.
    #[error(
        "{painted} painted cells of {kinds} kinds would be found everywhere; paint at least {PAINTED_LEAST}, of two kinds or more"
    )]
    TooLittle {
        /// Cells painted.
        painted: usize,
        /// Different symbols.
        kinds: usize,
    },
    /// Memory cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl Painted {
    /// From rows of symbols, the top one first; `None` for cells that may hold anything.
    ///
    /// # Errors
    /// [`BoardError::NotAGrid`], [`BoardError::TooLittle`].
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

    /// From text, a line for each row and a character for each cell; `?` for cells that may hold anything.
    ///
    /// # Errors
    /// As [`Painted::new`].
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

/// All places at which the painted board stands: equal symbols as equal cells, different ones as different cells. Cells of
/// 1, 2 and 4 bytes are tried, of which the byte at the address given tells what they hold; up to 16 bytes between rows; rows
/// or columns one after another, in either direction. Ascending by address; 1000 at most.
///
/// # Errors
/// [`BoardError`].
pub fn find_board(
    source: &dyn Source,
    painted: &Painted,
    progress: &Progress,
) -> Result<Vec<BoardHit>, BoardError> {
    let sieve = Sieve::new(painted, &strides(painted.width, painted.height()));
    let look = |window: &Window<'_>| {
        let hits = sieve.look(window.bytes, window.starts(), HITS_MOST);
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
    let found = windows::search(source, sieve.before, sieve.after, progress, look)?;
    let mut hits: Vec<BoardHit> = found.ok_or(BoardError::Cancelled)?;
    hits.truncate(HITS_MOST);
    Ok(hits)
}

impl BoardHit {
    /// Which way cells and rows run in memory.
    #[must_use]
    pub fn directions(&self) -> (Direction, Direction) {
        let of = |stride: i32| if stride < 0 { Direction::Backward } else { Direction::Forward };
        (of(self.column_stride), of(self.row_stride))
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests {
    use super::*;
    use nextscope_emulator::process::ByteArray;
    use nextscope_emulator::process::HostAddr;

    const PAINTED: &str = "
        ......
        ..R...
        .GR..B
        BGGRYB
        YYGBB?
    ";

    fn find(bytes: Vec<u8>) -> Vec<BoardHit> {
        let painted = Painted::from_text(PAINTED).expect("a board");
        let source = ByteArray { base: HostAddr(0xFF_0000), bytes };
        find_board(&source, &painted, &Progress::default()).expect("it can be read")
    }

    /// Writes the board with the given strides and codes into other bytes.
    fn board(at: usize, right: isize, down: isize, code: impl Fn(u8, usize) -> u8) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let rows = PAINTED.lines().map(str::trim).filter(|row| !row.is_empty());
        for (y, row) in rows.enumerate() {
            for (x, cell) in row.bytes().enumerate() {
                let offset = x as isize * right + y as isize * down;
                bytes[at.checked_add_signed(offset).expect("inside")] = code(cell, x);
            }
        }
        bytes
    }

    #[test]
    fn a_board_is_found_in_every_order_of_rows_and_columns() {
        let code =
            |cell: u8, _: usize| b".RGBY?".iter().position(|known| *known == cell).expect("known") as u8 * 3;
        for (right, down) in [(1, 6), (2, 12), (1, 8), (-1, 6), (1, -6), (4, -40), (5, 1), (-6, 1), (10, -2)]
        {
            let hits = find(board(2000, right, down, code));
            assert_eq!(hits.len(), 1, "{right} {down}: {hits:?}");
            assert_eq!(hits[0].address, Address(0xFF_0000 + 2000));
            assert_eq!((hits[0].column_stride as isize, hits[0].row_stride as isize), (right, down));
            assert_eq!((hits[0].mask, hits[0].codes[1]), (0xFF, (b'R', 3)));
        }
    }

    #[test]
    fn a_half_of_the_cell_that_holds_other_things_is_left_out() {
        // As in Puyo Puyo Tsu: the code in the upper half, joined neighbours in the lower one.
        let code = |cell: u8, x: usize| match cell {
            b'.' => 0,
            _ => {
                let code = b"RY?GPB".iter().position(|known| *known == cell).expect("known") as u8;
                0x80 | code << 4 | (x as u8 * 5) & 15
            }
        };
        let hits = find(board(1000, 2, 12, code));
        assert_eq!(hits.len(), 1);
        assert_eq!((hits[0].mask, hits[0].row_stride), (0xF0, 12));
    }

    #[test]
    fn what_is_no_board_or_could_be_anywhere_is_refused() {
        assert!(matches!(Painted::from_text(""), Err(BoardError::NotAGrid)));
        assert!(matches!(Painted::from_text("AB\nABC"), Err(BoardError::NotAGrid)));
        assert!(matches!(Painted::from_text("AAAA\nAAAA"), Err(BoardError::TooLittle { kinds: 1, .. })));
        assert!(matches!(Painted::from_text("A?B?\n????"), Err(BoardError::TooLittle { painted: 2, .. })));
    }
}

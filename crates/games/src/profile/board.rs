//! `[board]`: where a game's playfield is, and the codes of its blocks.

use nextscope_memory::console::{ConsoleAddr, Domain, Snapshot, StorageOrder};

/// The names of the colours, in the order in which [`BoardLayout::codes`] has them.
pub const BOARD_COLORS: [&str; 4] = ["red", "green", "blue", "yellow"];
/// The blocks in a recognised playfield, at least, of at least two colours: fewer may match by chance.
const MIN_BLOCKS: usize = 8;

/// Where a game's playfield is and how its cells are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoardLayout {
    /// The byte of the top left cell of the first player's playfield.
    pub address: ConsoleAddr,
    /// The same for the second player, if it is known.
    pub second: Option<ConsoleAddr>,
    /// Columns, 1 to 64.
    pub columns: u8,
    /// Rows, 1 to 64.
    pub rows: u8,
    /// Bytes from a cell to its right neighbour; negative when rows run from right to left.
    pub column_stride: i32,
    /// Bytes from a cell to the one below; negative when the lowest row comes first.
    pub row_stride: i32,
    /// The bits of a cell's byte that say what it contains.
    pub mask: u8,
    /// Their value in an empty cell.
    pub empty: u8,
    /// Their value for each colour of [`BOARD_COLORS`]; None for an unknown one. At least one is known.
    pub codes: [Option<u8>; 4],
    /// The storage order of the RAM in which the playfield was found: the one to prefer where several are possible.
    pub stored: Option<StorageOrder>,
    /// Where this comes from.
    pub source: String,
    /// Whether it was observed in the running game.
    pub confirmed: bool,
    /// What is uncertain about it.
    pub note: Option<String>,
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardCell {
    /// Nothing.
    Empty,
    /// A block; its colour is an index into [`BOARD_COLORS`].
    Block(usize),
    /// A code that the profile does not have.
    Unknown(u8),
}

impl BoardLayout {
    /// The addresses of the playfields: the first player's, then the second's if it is known.
    pub fn players(&self) -> impl Iterator<Item = ConsoleAddr> + use<> {
        [Some(self.address), self.second].into_iter().flatten()
    }

    /// The content of a cell with this byte.
    pub fn cell(&self, byte: u8) -> BoardCell {
        let code = byte & self.mask;
        if code == self.empty {
            return BoardCell::Empty;
        }
        let color = self.codes.iter().position(|known| *known == Some(code));
        color.map_or(BoardCell::Unknown(code), BoardCell::Block)
    }

    /// The colours without a code.
    pub fn unknown_colors(&self) -> impl Iterator<Item = &'static str> + '_ {
        BOARD_COLORS.into_iter().zip(self.codes).filter(|(_, code)| code.is_none()).map(|(name, _)| name)
    }

    /// The cells of the playfield whose top left one is at `address`, row by row from the top; None when some are outside the
    /// snapshot.
    pub fn cells(&self, snapshot: &Snapshot, address: ConsoleAddr) -> Option<Vec<BoardCell>> {
        let cells = self.offsets(snapshot.domain(), address)?;
        cells.into_iter().map(|at| Some(self.cell(*snapshot.at(at..at + 1)?.first()?))).collect()
    }

    /// The offsets of the cells in the domain, row by row from the top; None when some are outside.
    pub(super) fn offsets(&self, domain: &Domain, address: ConsoleAddr) -> Option<Vec<usize>> {
        let first = i64::try_from(domain.offset_of(address)?).ok()?;
        let (right, down) = (i64::from(self.column_stride), i64::from(self.row_stride));
        let cells = (0..i64::from(self.rows)).flat_map(|y| (0..i64::from(self.columns)).map(move |x| (x, y)));
        let at = |(x, y)| {
            usize::try_from(first + x * right + y * down).ok().filter(|at| *at < domain.len as usize)
        };
        cells.map(at).collect()
    }

    /// Whether the first player's playfield is recognisable: enough blocks, of at least two colours, no unknown code and
    /// nothing floating.
    pub fn matches(&self, snapshot: &Snapshot) -> bool {
        let Some(cells) = self.cells(snapshot, self.address) else { return false };
        let columns = usize::from(self.columns);
        let floats = |at: usize| {
            cells[at] != BoardCell::Empty
                && cells.get(at + columns).is_some_and(|below| *below == BoardCell::Empty)
        };
        let mut blocks = [0; BOARD_COLORS.len()];
        for (at, cell) in cells.iter().enumerate() {
            match cell {
                BoardCell::Unknown(_) => return false,
                BoardCell::Block(_) if floats(at) => return false,
                BoardCell::Block(color) => blocks[*color] += 1,
                BoardCell::Empty => {}
            }
        }
        blocks.iter().sum::<usize>() >= MIN_BLOCKS && blocks.iter().filter(|count| **count > 0).count() >= 2
    }

    /// Whether RAM that matched may still be the game's: at least half of the cells are known. Blocks fall and pop, and the
    /// playfield may be empty.
    pub fn may_match(&self, snapshot: &Snapshot) -> bool {
        let cells = self.cells(snapshot, self.address).unwrap_or_default();
        let known = cells.iter().filter(|cell| !matches!(cell, BoardCell::Unknown(_))).count();
        2 * known >= cells.len() && known > 0
    }
}

/// The name of a storage order in a file.
pub(super) fn order_name(order: StorageOrder) -> String {
    serde_json::json!(order).as_str().unwrap_or_default().to_owned()
}

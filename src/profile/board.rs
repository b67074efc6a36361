//! `[board]`: where a game keeps its field of blocks, and by which codes.

use super::diagnostic::{Code, Diagnostic};
use super::reader::{At, Findings, Need, TableReader, listed};
use super::sections::optional;
use crate::console::{ConsoleAddr, ConsoleId, Domain, Snapshot, StorageOrder};
use crate::game::GameId;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The names of the colours, in the order in which [`BoardLayout::codes`] has them.
pub const BOARD_COLORS: [&str; 4] = ["red", "green", "blue", "yellow"];
/// Columns, and rows, at most.
pub(super) const SIDE_MOST: u32 = 64;
/// Bytes from a cell to the next one, or from a row to the next one, at most.
pub(super) const STRIDE_MOST: i32 = 0x1000;
/// Blocks by which a field is told from other memory, at least, of two colours at least: fewer may lie so by chance.
const BLOCKS_LEAST: usize = 8;

const ORDERS: [(&str, StorageOrder); 3] = [
    ("as-on-bus", StorageOrder::AsOnBus),
    ("swapped-words", StorageOrder::SwappedWords),
    ("swapped-longs", StorageOrder::SwappedLongs),
];

/// Where a game's field stands and how its cells are read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BoardLayout {
    /// The byte that tells what the cell at the top left of the first player's field holds.
    pub address: ConsoleAddr,
    /// The same of the second player's field, where that is known.
    pub second: Option<ConsoleAddr>,
    /// Columns, 1 to 64.
    pub columns: u8,
    /// Rows, 1 to 64.
    pub rows: u8,
    /// Bytes from a cell to its right neighbour; negative when rows run from right to left.
    pub column_stride: i32,
    /// Bytes from a cell to the one below; negative when the lowest row comes first.
    pub row_stride: i32,
    /// The bits of a cell's byte that tell what it holds.
    pub mask: u8,
    /// What they are in an empty cell.
    pub empty: u8,
    /// What they are for each colour of [`BOARD_COLORS`]; None for one that was not seen yet. One at least is known.
    pub codes: [Option<u8>; 4],
    /// How the emulator stored RAM in which the field was found. Where the field may stand in several orders, this one is meant.
    pub stored: Option<StorageOrder>,
    /// Where all this comes from.
    pub source: String,
    /// Whether it was seen to hold on the running game.
    pub confirmed: bool,
    /// What is uncertain about it.
    pub note: Option<String>,
}

/// What a cell of a field holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardCell {
    /// Nothing.
    Empty,
    /// A block of the colour with this number in [`BOARD_COLORS`].
    Block(usize),
    /// A code that the profile does not know.
    Unknown(u8),
}

impl BoardLayout {
    /// The addresses of the players' fields: the first player's, then the second's where it is known.
    pub fn players(&self) -> impl Iterator<Item = ConsoleAddr> + use<> {
        [Some(self.address), self.second].into_iter().flatten()
    }

    /// What this code means.
    #[must_use]
    pub fn cell(&self, byte: u8) -> BoardCell {
        let code = byte & self.mask;
        if code == self.empty {
            return BoardCell::Empty;
        }
        let color = self.codes.iter().position(|known| *known == Some(code));
        color.map_or(BoardCell::Unknown(code), BoardCell::Block)
    }

    /// The names of the colours whose codes are not known yet.
    pub fn open(&self) -> impl Iterator<Item = &'static str> + '_ {
        BOARD_COLORS.into_iter().zip(self.codes).filter(|(_, code)| code.is_none()).map(|(name, _)| name)
    }

    /// The cells of the field whose top left one is at `address`, row by row from the top; None when they are not all in the snapshot.
    #[must_use]
    pub fn cells(&self, snapshot: &Snapshot, address: ConsoleAddr) -> Option<Vec<BoardCell>> {
        let cells = self.offsets(snapshot.domain(), address)?;
        cells.into_iter().map(|at| Some(self.cell(*snapshot.at(at..at + 1)?.first()?))).collect()
    }

    /// Where the cells stand in the domain, row by row from the top; None when some lie outside.
    fn offsets(&self, domain: &Domain, address: ConsoleAddr) -> Option<Vec<usize>> {
        let first = i64::try_from(domain.offset_of(address)?).ok()?;
        let (right, down) = (i64::from(self.column_stride), i64::from(self.row_stride));
        let cells = (0..i64::from(self.rows)).flat_map(|y| (0..i64::from(self.columns)).map(move |x| (x, y)));
        let at = |(x, y)| {
            usize::try_from(first + x * right + y * down).ok().filter(|at| *at < domain.len as usize)
        };
        cells.map(at).collect()
    }

    /// Whether the first player's field can be told by what is in it: enough blocks, of two colours at least, no code that is not known
    /// and nothing that hangs in the air.
    #[must_use]
    pub fn looks_played(&self, snapshot: &Snapshot) -> bool {
        let Some(cells) = self.cells(snapshot, self.address) else { return false };
        let columns = usize::from(self.columns);
        let hangs = |at: usize| {
            cells[at] != BoardCell::Empty
                && cells.get(at + columns).is_some_and(|below| *below == BoardCell::Empty)
        };
        let mut blocks = [0; BOARD_COLORS.len()];
        for (at, cell) in cells.iter().enumerate() {
            match cell {
                BoardCell::Unknown(_) => return false,
                BoardCell::Block(_) if hangs(at) => return false,
                BoardCell::Block(color) => blocks[*color] += 1,
                BoardCell::Empty => {}
            }
        }
        blocks.iter().sum::<usize>() >= BLOCKS_LEAST && blocks.iter().filter(|count| **count > 0).count() >= 2
    }

    /// Whether RAM that was told by its field may still be that of the game: at least half of the cells are known. Things fall and go off
    /// in it, and a field may be empty.
    #[must_use]
    pub fn may_be_played(&self, snapshot: &Snapshot) -> bool {
        let cells = self.cells(snapshot, self.address).unwrap_or_default();
        let known = cells.iter().filter(|cell| !matches!(cell, BoardCell::Unknown(_))).count();
        2 * known >= cells.len() && known > 0
    }
}

/// A board with the places of its parts in the source.
pub(super) struct PlacedBoard {
    layout: BoardLayout,
    header: Range<usize>,
    address: Range<usize>,
    second: Option<Range<usize>>,
    stored: Option<Range<usize>>,
}

/// The table, when the profile has one and nothing is wrong with it by itself.
pub(super) fn board(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<PlacedBoard> {
    let (table, header) = root.table("board", f)?;
    let mut reader = TableReader::new(table, header.clone(), "the board");
    let address = reader.unsigned("address", Need::Required, 0..=u32::MAX, f);
    let second = reader.unsigned("second", Need::Optional, 0..=u32::MAX, f);
    let columns = reader.unsigned("columns", Need::Required, 1..=SIDE_MOST, f);
    let rows = reader.unsigned("rows", Need::Required, 1..=SIDE_MOST, f);
    let column_stride = stride(&mut reader, "column_stride", f);
    let row_stride = stride(&mut reader, "row_stride", f);
    let mask = reader.unsigned("mask", Need::Optional, 1..=0xFF, f);
    let mask = mask.map_or(0xFF, |mask| byte(mask.value));
    let empty = reader.unsigned("empty", Need::Required, 0..=0xFF, f);
    let colors = BOARD_COLORS.map(|name| reader.unsigned(name, Need::Optional, 0..=0xFF, f));
    let stored = if reader.has("stored") {
        reader.choice("stored", "order of bytes", &ORDERS, f)
    } else {
        let _ = reader.raw("stored"); // a known key all the same
        None
    };
    let source = reader.string("source", Need::Required, f);
    let confirmed = reader.boolean("confirmed", true, f);
    let note = optional(&mut reader, "note", f);
    codes(mask, empty.as_ref(), &colors, &header, f);
    reader.finish(f);
    let address = address?;
    let layout = BoardLayout {
        address: ConsoleAddr(address.value),
        second: second.as_ref().map(|second| ConsoleAddr(second.value)),
        columns: byte(columns?.value),
        rows: byte(rows?.value),
        column_stride: column_stride?,
        row_stride: row_stride?,
        mask,
        empty: byte(empty?.value),
        codes: colors.map(|code| code.map(|code| byte(code.value))),
        stored: stored.as_ref().map(|stored| stored.value),
        source: source?.value.to_owned(),
        confirmed,
        note,
    };
    let (second, stored) = (second.map(|second| second.span), stored.map(|stored| stored.span));
    Some(PlacedBoard { layout, header, address: address.span, second, stored })
}

fn byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn stride(reader: &mut TableReader<'_, '_>, key: &'static str, f: &mut Findings<'_>) -> Option<i32> {
    let most = i64::from(STRIDE_MOST);
    let stride = reader.integer(key, Need::Required, -most..=most, f)?;
    if stride.value == 0 {
        let text = format!("`{key}` of {} is 0: all cells would be one", reader.what);
        f.push(Diagnostic::error(Code::BadNumber, stride.span, text));
        return None;
    }
    i32::try_from(stride.value).ok()
}

/// Every code is another one, and has no bits that are not looked at.
fn codes(
    mask: u8,
    empty: Option<&At<u32>>,
    colors: &[Option<At<u32>>; 4],
    header: &Range<usize>,
    f: &mut Findings<'_>,
) {
    let named = std::iter::once("empty").chain(BOARD_COLORS);
    let all = std::iter::once(empty).chain(colors.iter().map(Option::as_ref));
    let mut taken: BTreeMap<u32, (&str, Range<usize>)> = BTreeMap::new();
    for (name, code) in named.zip(all) {
        let Some(code) = code else { continue };
        if code.value & !u32::from(mask) != 0 {
            let text =
                format!("`{name}` is 0x{:02X}, which has bits outside the mask 0x{mask:02X}", code.value);
            f.push(Diagnostic::error(Code::BadNumber, code.span.clone(), text));
        }
        if let Some((other, span)) = taken.get(&code.value) {
            let text = format!("`{name}` and `{other}` have the same code");
            f.push(
                Diagnostic::error(Code::Duplicate, code.span.clone(), text)
                    .related(span.clone(), format!("`{other}` is here")),
            );
        }
        taken.entry(code.value).or_insert((name, code.span.clone()));
    }
    if colors.iter().all(Option::is_none) {
        f.push(
            Diagnostic::error(Code::MissingKey, header.clone(), "the board has no code of a colour")
                .help(format!("give it one at least of {}", listed(BOARD_COLORS))),
        );
    }
}

/// Whether `[board]` tells the field of `game`.
pub(super) fn has_board(game: GameId) -> bool {
    game.anchors().board
}

/// All cells are in the console's RAM, and each is another byte.
pub(super) fn check(
    board: Option<PlacedBoard>,
    game: Option<&At<GameId>>,
    console: Option<&At<ConsoleId>>,
    f: &mut Findings<'_>,
) -> Option<BoardLayout> {
    let PlacedBoard { mut layout, header, address, second, stored } = board?;
    if let Some(game) = game.filter(|game| !has_board(game.value)) {
        let text = format!("{} has no field that is read through [board]", game.value.name());
        f.push(Diagnostic::error(Code::BadReference, header.clone(), text));
    }
    let Some(domain) = console.map(|console| console.value.domain()) else { return Some(layout) };
    if let Some((order, span)) = layout.stored.zip(stored)
        && !domain.orders.contains(&order)
    {
        let known = ORDERS.iter().filter(|(_, order)| domain.orders.contains(order)).map(|(name, _)| *name);
        let text = format!("no emulator stores {} so", domain.name);
        f.push(Diagnostic::error(Code::UnknownName, span, text).help(format!("known: {}", listed(known))));
    }
    let mut taken: BTreeMap<usize, &'static str> = BTreeMap::new();
    let all =
        [("the field", Some(layout.address), Some(address)), ("the second field", layout.second, second)];
    for (what, at, span) in all {
        let (Some(at), Some(span)) = (at, span) else { continue };
        let Some(cells) = layout.offsets(domain, at) else {
            let last = domain.base.offset(domain.len - 1);
            let text = format!("{what} at {at} has cells outside {}", domain.name);
            f.push(
                Diagnostic::error(Code::OutsideDomain, span, text)
                    .help(format!("{} is at {} to {last}", domain.name, domain.base)),
            );
            continue;
        };
        if let Some(other) = cells.into_iter().find_map(|cell| taken.insert(cell, what)) {
            let text = if other == what {
                format!("two cells of {what} are on the same byte")
            } else {
                format!("{what} and {other} have a byte in common")
            };
            let told = Diagnostic::error(Code::Overlap, span, text);
            f.push(told.help("put the address or the strides right"));
        }
    }
    for at in std::iter::once(&mut layout.address).chain(&mut layout.second) {
        *at = domain.offset_of(*at).map_or(*at, |offset| domain.address_at(offset)); // as documents write it
    }
    Some(layout)
}

/// The word in the file for an order of bytes.
pub(super) fn order_word(order: StorageOrder) -> &'static str {
    ORDERS.iter().find(|(_, known)| *known == order).map_or("", |(word, _)| word)
}

//! Locating the field of Pochi & Nyaa: the addresses of a field that the user copied from the screen, narrowed by further fields
//! until one is left.

use super::board::{BoardError, BoardHit, BoardPattern, MASKS, find_board};
use nextscope_boards::pochi::{Color, Field, FieldError};
use nextscope_emulator::locate::{DetectionMethod, LocateRamError, RamQuery, ram_candidates};
use nextscope_emulator::process::{HostAddr, Pid};
use nextscope_games::profile::{BoardCell, BoardLayout};
use nextscope_memory::console::{ConsoleAddr, Domain, Snapshot, StorageOrder};
use nextscope_task::Progress;
use serde::{Deserialize, Serialize};

/// With this many results, others may be missing.
const PLACES_MOST: usize = 1000;

/// RAM that may be the console's, in a byte order in which it may be stored.
#[derive(Clone, Debug)]
pub struct FieldRam {
    /// Its start in the process; None for a dump.
    pub base: Option<HostAddr>,
    /// Its byte order.
    pub order: StorageOrder,
    /// How it was located; None when the user did.
    pub method: Option<DetectionMethod>,
    /// Its content.
    pub snapshot: Snapshot,
}

impl FieldRam {
    /// RAM from a file, stored in this order.
    pub fn of_file(order: StorageOrder, snapshot: Snapshot) -> Self {
        Self { base: None, order, method: None, snapshot }
    }
}

/// A location that matches all fields so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldLocation {
    /// The start of RAM in the process; None for a dump.
    pub base: Option<u64>,
    /// The byte order of RAM.
    pub order: StorageOrder,
    /// The cell at the top left.
    pub address: ConsoleAddr,
    /// Columns of the field.
    pub columns: u8,
    /// Rows of the field.
    pub rows: u8,
    /// Bytes from a cell to its right neighbour.
    pub column_stride: i32,
    /// Bytes from a cell to the one below.
    pub row_stride: i32,
    /// The bits of a cell that are its code.
    pub mask: u8,
    /// The code of an empty cell.
    pub empty: u8,
    /// The code of each color of [`Color::ALL`]; None when unknown.
    pub codes: [Option<u8>; 4],
}

/// Why a field cannot be located.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FieldSearchError {
    /// It is not a field of this game.
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error(
        "the field has {columns} columns and {rows} rows; the game's has 7 and 12 (fewer rows are the lowest ones)"
    )]
    Size { columns: u8, rows: u8 },
    #[error("the field has no empty cell; use one that has")]
    Full,
    #[error("it matches {PLACES_MOST} places or more; use a field with more blocks and colours")]
    Everywhere,
    /// It has too few cells, or memory cannot be read.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// RAM cannot be located.
    #[error(transparent)]
    Ram(#[from] LocateRamError),
}

/// The field from text: lines of R G B Y and dots, top row first. Fewer than twelve rows are the lowest ones.
pub fn field_from_screen(text: &str) -> Result<Field, FieldSearchError> {
    let field = Field::from_text(text)?;
    let size = FieldSearchError::Size { columns: field.width(), rows: field.height() };
    if field.width() != nextscope_boards::pochi::WIDTH {
        return Err(size);
    }
    field.in_game_size().ok_or(size)
}

/// The RAM candidates of a process, most likely byte order first: emulators on these machines swap the bytes of words (reference:
/// emulators.md, 4).
pub fn field_rams(pid: Pid, asked: RamQuery) -> Result<Vec<FieldRam>, FieldSearchError> {
    let mut rams = ram_candidates(pid, asked)?;
    rams.sort_by_key(|located| (located.ram.base, located.ram.order == StorageOrder::AsOnBus));
    let look = |located: nextscope_emulator::locate::LocatedRam| {
        let snapshot = located.ram.snapshot().ok()?;
        Some(FieldRam {
            base: Some(located.ram.base),
            order: located.ram.order,
            method: located.method,
            snapshot,
        })
    };
    Ok(rams.into_iter().filter_map(look).collect())
}

/// All locations of the field. The same bytes in two byte orders are returned once, in the first order.
pub fn find_fields(
    rams: &[FieldRam],
    field: &Field,
    progress: &Progress,
) -> Result<Vec<FieldLocation>, FieldSearchError> {
    let letter = |place| Some(field.get(place).map_or('.', Color::letter) as u8);
    if field.places().all(|place| field.get(place).is_some()) {
        return Err(FieldSearchError::Full);
    }
    let cells: Vec<Option<u8>> = field.places().map(letter).collect();
    let rows: Vec<Vec<Option<u8>>> = cells.chunks(usize::from(field.width())).map(<[_]>::to_vec).collect();
    let painted = BoardPattern::new(&rows)?;
    let mut places: Vec<FieldLocation> = Vec::new();
    let mut known: Vec<(Option<HostAddr>, Vec<usize>)> = Vec::new();
    for ram in rams {
        let hits = find_board(&ram.snapshot, &painted, progress)?;
        if hits.len() >= PLACES_MOST {
            return Err(FieldSearchError::Everywhere);
        }
        for hit in hits {
            let Some(place) = FieldLocation::of(ram, field, &hit) else { continue };
            let bytes = (ram.base, place.stored_at(ram.snapshot.domain()));
            if !known.contains(&bytes) {
                known.push(bytes);
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// The locations that match this field, too, with the codes that it adds.
pub fn narrow_fields(places: &[FieldLocation], rams: &[FieldRam], field: &Field) -> Vec<FieldLocation> {
    let base = |ram: &FieldRam| ram.base.map(|base| base.0);
    let here = |place: &FieldLocation| {
        // After a restart RAM is elsewhere in the process, but addresses in it are the same.
        let stays = rams.iter().any(|ram| base(ram) == place.base);
        let same = |ram: &&FieldRam| ram.order == place.order && (!stays || base(ram) == place.base);
        let holding =
            |ram: &FieldRam| Some(FieldLocation { base: base(ram), ..place.holding(&ram.snapshot, field)? });
        rams.iter().filter(same).filter_map(holding).collect::<Vec<_>>()
    };
    places.iter().flat_map(here).collect()
}

impl FieldLocation {
    fn of(ram: &FieldRam, field: &Field, hit: &BoardHit) -> Option<Self> {
        let code = |letter: char| {
            hit.codes.iter().find(|(known, _)| char::from(*known) == letter).map(|(_, code)| *code)
        };
        Some(Self {
            base: ram.base.map(|base| base.0),
            order: ram.order,
            address: ConsoleAddr(u32::try_from(hit.address.0).ok()?),
            columns: field.width(),
            rows: field.height(),
            column_stride: hit.column_stride,
            row_stride: hit.row_stride,
            mask: hit.mask,
            empty: code('.')?,
            codes: Color::ALL.map(|color| code(color.letter())),
        })
    }

    /// The location in a profile, or that of the second player.
    pub fn remembered(layout: &BoardLayout, address: ConsoleAddr, ram: &FieldRam) -> Self {
        Self {
            base: ram.base.map(|base| base.0),
            order: ram.order,
            address,
            columns: layout.columns,
            rows: layout.rows,
            column_stride: layout.column_stride,
            row_stride: layout.row_stride,
            mask: layout.mask,
            empty: layout.empty,
            codes: layout.codes,
        }
    }

    /// The board layout for a profile.
    pub fn layout(&self, source: &str) -> BoardLayout {
        BoardLayout {
            address: self.address,
            second: None,
            columns: self.columns,
            rows: self.rows,
            column_stride: self.column_stride,
            row_stride: self.row_stride,
            mask: self.mask,
            empty: self.empty,
            codes: self.codes,
            stored: Some(self.order),
            source: source.to_owned(),
            confirmed: false,
            note: None,
        }
    }

    /// The colours whose code is unknown.
    pub fn open(&self) -> impl Iterator<Item = Color> + use<> {
        Color::ALL.into_iter().zip(self.codes).filter(|(_, code)| code.is_none()).map(|(color, _)| color)
    }

    /// The offsets of the cells in the emulator's copy of RAM.
    fn stored_at(&self, domain: &Domain) -> Vec<usize> {
        let first = i64::try_from(domain.offset_of(self.address).unwrap_or(0)).unwrap_or(0);
        let cells = (0..i64::from(self.rows)).flat_map(|y| (0..i64::from(self.columns)).map(move |x| (x, y)));
        let at = |(x, y): (i64, i64)| {
            let offset = first + x * i64::from(self.column_stride) + y * i64::from(self.row_stride);
            self.order.host_offset(usize::try_from(offset).unwrap_or(0))
        };
        cells.map(at).collect()
    }

    /// The location if it matches this field, too, with the codes of its colours, and with fewer bits when some do not belong to the
    /// code. None when it does not match.
    pub fn holding(&self, snapshot: &Snapshot, field: &Field) -> Option<Self> {
        if (field.width(), field.height()) != (self.columns, self.rows) {
            return None;
        }
        std::iter::once(self.mask).chain(MASKS.map(|mask| mask & self.mask)).find_map(|mask| {
            let code = |code: Option<u8>| code.map(|code| code & mask);
            let mut place =
                Self { mask, empty: self.empty & mask, codes: self.codes.map(code), ..self.clone() };
            place.takes(snapshot, field).then_some(place)
        })
    }

    /// Whether every cell matches the field; unknown codes are taken from it.
    fn takes(&mut self, snapshot: &Snapshot, field: &Field) -> bool {
        let raw = BoardLayout { mask: 0xFF, empty: 0, codes: [None; 4], ..self.layout("") };
        let Some(cells) = raw.cells(snapshot, self.address) else { return false };
        for (place, cell) in field.places().zip(cells) {
            let code = match cell {
                BoardCell::Unknown(code) => code & self.mask,
                _ => 0,
            };
            let known = match field.get(place) {
                None => self.empty,
                Some(color) => *self.codes[color as usize].get_or_insert(code),
            };
            if known != code {
                return false;
            }
        }
        let mut all: Vec<u8> = self.codes.into_iter().flatten().chain([self.empty]).collect();
        all.sort_unstable();
        let kinds = all.len();
        all.dedup();
        all.len() == kinds && kinds > 1
    }
}

/// Why a location does not fit the profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MergeFieldError {
    #[error(
        "the profile has the field at {0}, where this one was not found; use --replace to change the address"
    )]
    Elsewhere(ConsoleAddr),
    #[error("the first player's field is not in the profile yet; find that one first")]
    NoFirst,
    #[error("the field at {0} has other strides or codes than the first player's field")]
    Unlike(ConsoleAddr),
    #[error("{0} is the first player's field")]
    First(ConsoleAddr),
}

/// The location, if there is only one. Copies of RAM in the process with the field at the same address count as one.
pub fn only_location(places: &[FieldLocation]) -> Option<&FieldLocation> {
    let (first, rest) = places.split_first()?;
    let same = |other: &FieldLocation| FieldLocation { base: first.base, ..other.clone() } == *first;
    rest.iter().all(same).then_some(first)
}

/// The locations that match the profile's address, with the codes that the field adds.
pub fn locate_from_profile(layout: &BoardLayout, rams: &[FieldRam], field: &Field) -> Vec<FieldLocation> {
    let there =
        |ram: &FieldRam| FieldLocation::remembered(layout, layout.address, ram).holding(&ram.snapshot, field);
    let mut places: Vec<FieldLocation> = rams.iter().filter_map(there).collect();
    if places.iter().any(|place| Some(place.order) == layout.stored) {
        places.retain(|place| Some(place.order) == layout.stored);
    }
    places
}

/// The locations after another field of a player (0 or 1): of the earlier ones, of the profile, or of all memory.
pub fn next_locations(
    before: Option<&BoardLayout>,
    earlier: Option<&[FieldLocation]>,
    rams: &[FieldRam],
    field: &Field,
    player: usize,
    progress: &Progress,
) -> Result<Vec<FieldLocation>, FieldSearchError> {
    if let (Some(layout), None, 0) = (before, earlier, player) {
        let there = locate_from_profile(layout, rams, field);
        if !there.is_empty() {
            return Ok(there);
        }
    }
    let mut places = match earlier {
        Some(earlier) => narrow_fields(earlier, rams, field),
        None => find_fields(rams, field, progress)?,
    };
    if let (Some(_), 1) = (before, player) {
        places.retain(|place| merged_layout(before, place, player, false, "").is_ok());
    }
    Ok(places)
}

/// Marks a layout as chosen by hand out of several, which is no proof.
pub fn chosen_by_hand(layout: BoardLayout) -> BoardLayout {
    BoardLayout { note: Some("one of several places, chosen by hand".into()), ..layout }
}

/// The profile's layout after the field of a player (0 or 1) was located.
pub fn merged_layout(
    before: Option<&BoardLayout>,
    place: &FieldLocation,
    player: usize,
    replace: bool,
    source: &str,
) -> Result<BoardLayout, MergeFieldError> {
    let layout = place.layout(source);
    let Some(before) = before else {
        return if player == 0 { Ok(layout) } else { Err(MergeFieldError::NoFirst) };
    };
    let strides = |of: &BoardLayout| (of.columns, of.rows, of.column_stride, of.row_stride);
    let mask = before.mask & place.mask;
    let masked = |codes: [Option<u8>; 4]| codes.map(|code| code.map(|code| code & mask));
    let (known, new) = (masked(before.codes), masked(place.codes));
    let agree = known.iter().zip(&new).all(|(one, other)| one.is_none() || other.is_none() || one == other);
    let alike = strides(before) == strides(&layout)
        && mask != 0
        && before.empty & mask == place.empty & mask
        && agree;
    let mut codes = known;
    for (code, new) in codes.iter_mut().zip(new) {
        *code = code.or(new);
    }
    let merged = BoardLayout { mask, empty: before.empty & mask, codes, ..before.clone() };
    match player {
        0 if alike && before.address == place.address => Ok(merged),
        0 if replace => Ok(layout),
        0 => Err(MergeFieldError::Elsewhere(before.address)),
        _ if before.address == place.address => Err(MergeFieldError::First(before.address)),
        _ if !alike => Err(MergeFieldError::Unlike(place.address)),
        _ => Ok(BoardLayout { second: Some(place.address), ..merged }),
    }
}

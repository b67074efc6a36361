//! Where the field of Pochi & Nyaa stands: the places at which a field stands as a person copied it from the screen, field by field fewer,
//! until one is left. Nothing is taken of several.

use super::block::Progress;
use super::board::{BoardError, BoardHit, MASKS, Painted, find_board};
use nextscope_boards::pochi::{Color, Field, FieldError};
use nextscope_emulator::locate::{DetectionMethod, LocateRamError, RamQuery, ram_candidates};
use nextscope_emulator::process::{HostAddr, Pid};
use nextscope_games::profile::{BoardCell, BoardLayout};
use nextscope_memory::console::{ConsoleAddr, Domain, Snapshot, StorageOrder};
use serde::{Deserialize, Serialize};

/// Places up to which all are known: when so many are found, others may have been left out.
const PLACES_MOST: usize = 1000;

/// RAM of a console that may be the game's, in an order in which it may be stored.
#[derive(Clone, Debug)]
pub struct FieldRam {
    /// Where it begins in the process; None of a dump.
    pub base: Option<HostAddr>,
    /// How it is stored there.
    pub order: StorageOrder,
    /// What told that it is RAM; None when the user did.
    pub method: Option<DetectionMethod>,
    /// What it holds.
    pub snapshot: Snapshot,
}

impl FieldRam {
    /// RAM that was in a file, stored in that order.
    #[must_use]
    pub fn of_file(order: StorageOrder, snapshot: Snapshot) -> Self {
        Self { base: None, order, method: None, snapshot }
    }
}

/// A place at which the fields stood that were shown so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FieldPlace {
    /// Where RAM begins in the process; None of a dump.
    pub base: Option<u64>,
    /// How RAM is stored there.
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
    /// The bits that tell what a cell holds.
    pub mask: u8,
    /// What they are in an empty cell.
    pub empty: u8,
    /// What they are for each colour of [`Color::ALL`]; None for those not seen yet.
    pub codes: [Option<u8>; 4],
}

/// Why a field is not looked for.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FieldSearchError {
    /// It is no field of this game.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// It is larger than the game's.
    #[error(
        "the field has {columns} columns and {rows} rows; the game's has 7 and 12 (fewer rows are the lowest ones)"
    )]
    Size {
        /// Its columns.
        columns: u8,
        /// Its rows.
        rows: u8,
    },
    /// What an empty cell holds would not be known.
    #[error("there is no empty cell in the field; take one in which there is")]
    Full,
    /// It cannot be told from other things.
    #[error("it stands at {PLACES_MOST} places and perhaps more; take a field with more blocks and colours")]
    Everywhere,
    /// It has too little in it, or memory cannot be read.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The RAM is not known.
    #[error(transparent)]
    Ram(#[from] LocateRamError),
}

/// The game's field from text: lines of R G B Y and dots, the top row first. Of fewer than twelve rows they are the lowest.
///
/// # Errors
/// [`FieldSearchError::Field`], [`FieldSearchError::Size`].
pub fn field_from_screen(text: &str) -> Result<Field, FieldSearchError> {
    let field = Field::from_text(text)?;
    let size = FieldSearchError::Size { columns: field.width(), rows: field.height() };
    if field.width() != nextscope_boards::pochi::WIDTH {
        return Err(size);
    }
    field.in_game_size().ok_or(size)
}

/// What of a process may be the console's RAM, as it is now, most likely order first: emulators on these machines swap the bytes of
/// words (reference: emulators.md, 4).
///
/// # Errors
/// [`FieldSearchError::Ram`].
pub fn field_rams(pid: Pid, asked: RamQuery) -> Result<Vec<FieldRam>, FieldSearchError> {
    let mut rams = ram_candidates(pid, asked)?;
    rams.sort_by_key(|told| (told.ram.base, told.ram.order == StorageOrder::AsOnBus));
    let look = |told: nextscope_emulator::locate::LocatedRam| {
        let snapshot = told.ram.snapshot().ok()?;
        Some(FieldRam { base: Some(told.ram.base), order: told.ram.order, method: told.method, snapshot })
    };
    Ok(rams.into_iter().filter_map(look).collect())
}

/// All places at which the field stands. What is the same bytes in two orders is told once, in the order that comes first.
///
/// # Errors
/// [`FieldSearchError`].
pub fn find_fields(
    rams: &[FieldRam],
    field: &Field,
    progress: &Progress,
) -> Result<Vec<FieldPlace>, FieldSearchError> {
    let letter = |place| Some(field.get(place).map_or('.', Color::letter) as u8);
    if field.places().all(|place| field.get(place).is_some()) {
        return Err(FieldSearchError::Full);
    }
    let cells: Vec<Option<u8>> = field.places().map(letter).collect();
    let rows: Vec<Vec<Option<u8>>> = cells.chunks(usize::from(field.width())).map(<[_]>::to_vec).collect();
    let painted = Painted::new(&rows)?;
    let mut places: Vec<FieldPlace> = Vec::new();
    let mut known: Vec<(Option<HostAddr>, Vec<usize>)> = Vec::new();
    for ram in rams {
        let hits = find_board(&ram.snapshot, &painted, progress)?;
        if hits.len() >= PLACES_MOST {
            return Err(FieldSearchError::Everywhere);
        }
        for hit in hits {
            let Some(place) = FieldPlace::of(ram, field, &hit) else { continue };
            let bytes = (ram.base, place.stored_at(ram.snapshot.domain()));
            if !known.contains(&bytes) {
                known.push(bytes);
                places.push(place);
            }
        }
    }
    Ok(places)
}

/// Those of the places at which this field stands too, with what it adds to the codes.
#[must_use]
pub fn narrow_fields(places: &[FieldPlace], rams: &[FieldRam], field: &Field) -> Vec<FieldPlace> {
    let base = |ram: &FieldRam| ram.base.map(|base| base.0);
    let here = |place: &FieldPlace| {
        // After a restart RAM is elsewhere in the process, and places in it are the same.
        let stays = rams.iter().any(|ram| base(ram) == place.base);
        let same = |ram: &&FieldRam| ram.order == place.order && (!stays || base(ram) == place.base);
        let holding =
            |ram: &FieldRam| Some(FieldPlace { base: base(ram), ..place.holding(&ram.snapshot, field)? });
        rams.iter().filter(same).filter_map(holding).collect::<Vec<_>>()
    };
    places.iter().flat_map(here).collect()
}

impl FieldPlace {
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

    /// The place that a profile remembers, or that of the second player.
    #[must_use]
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

    /// What a profile has to know to read the field here.
    #[must_use]
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

    /// The colours of which no block was seen yet.
    pub fn open(&self) -> impl Iterator<Item = Color> + use<> {
        Color::ALL.into_iter().zip(self.codes).filter(|(_, code)| code.is_none()).map(|(color, _)| color)
    }

    /// Where the cells stand in the memory of the emulator, from the beginning of RAM.
    fn stored_at(&self, domain: &Domain) -> Vec<usize> {
        let first = i64::try_from(domain.offset_of(self.address).unwrap_or(0)).unwrap_or(0);
        let cells = (0..i64::from(self.rows)).flat_map(|y| (0..i64::from(self.columns)).map(move |x| (x, y)));
        let at = |(x, y): (i64, i64)| {
            let offset = first + x * i64::from(self.column_stride) + y * i64::from(self.row_stride);
            self.order.host_offset(usize::try_from(offset).unwrap_or(0))
        };
        cells.map(at).collect()
    }

    /// The place as it is known when this field stands there too: with the codes of its colours, and fewer bits of the cells when those
    /// that told so far were other things. None when it does not stand there.
    #[must_use]
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

    /// Whether every cell holds what the field says; codes not known yet are learnt from it.
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

/// Why a place that was found is not what a profile needs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeepError {
    /// The profile says another place.
    #[error(
        "the profile has the field at {0}, where this one does not stand; to give it the new place, say --replace"
    )]
    Elsewhere(ConsoleAddr),
    /// The second player's field is kept beside the first player's.
    #[error("the first player's field is not in the profile yet: find that one first")]
    NoFirst,
    /// The second player's field is kept in the same way as the first player's.
    #[error("the place at {0} is not read as the first player's field is: other strides or codes")]
    Unlike(ConsoleAddr),
    /// It is the first player's field.
    #[error("{0} is the first player's field")]
    First(ConsoleAddr),
}

/// The only place, when there is no other. Copies of RAM in the process, with the field at the same address of each, are one place.
#[must_use]
pub fn only_place(places: &[FieldPlace]) -> Option<&FieldPlace> {
    let (first, rest) = places.split_first()?;
    let same = |other: &FieldPlace| FieldPlace { base: first.base, ..other.clone() } == *first;
    rest.iter().all(same).then_some(first)
}

/// Whether the field stands where the profile says; the places, with what it adds to the codes, are then all that is wanted.
#[must_use]
pub fn where_remembered(layout: &BoardLayout, rams: &[FieldRam], field: &Field) -> Vec<FieldPlace> {
    let there =
        |ram: &FieldRam| FieldPlace::remembered(layout, layout.address, ram).holding(&ram.snapshot, field);
    let mut places: Vec<FieldPlace> = rams.iter().filter_map(there).collect();
    if places.iter().any(|place| Some(place.order) == layout.stored) {
        places.retain(|place| Some(place.order) == layout.stored);
    }
    places
}

/// The places after a field of that player (0 or 1) was shown: of those that earlier fields left, or where the profile remembers it, or all.
/// The second player's is kept as the first player's is.
///
/// # Errors
/// [`FieldSearchError`].
pub fn next_places(
    before: Option<&BoardLayout>,
    earlier: Option<&[FieldPlace]>,
    rams: &[FieldRam],
    field: &Field,
    player: usize,
    progress: &Progress,
) -> Result<Vec<FieldPlace>, FieldSearchError> {
    if let (Some(layout), None, 0) = (before, earlier, player) {
        let there = where_remembered(layout, rams, field);
        if !there.is_empty() {
            return Ok(there);
        }
    }
    let mut places = match earlier {
        Some(earlier) => narrow_fields(earlier, rams, field),
        None => find_fields(rams, field, progress)?,
    };
    if let (Some(_), 1) = (before, player) {
        places.retain(|place| to_keep(before, place, player, false, "").is_ok());
    }
    Ok(places)
}

/// What is kept of a place that somebody chose out of several: it says so, as that is no proof.
#[must_use]
pub fn chosen_by_hand(layout: BoardLayout) -> BoardLayout {
    BoardLayout { note: Some("one of several places, chosen by hand".into()), ..layout }
}

/// What a profile has to say once the field of that player (0 or 1) was found.
///
/// # Errors
/// [`KeepError`].
pub fn to_keep(
    before: Option<&BoardLayout>,
    place: &FieldPlace,
    player: usize,
    replace: bool,
    source: &str,
) -> Result<BoardLayout, KeepError> {
    let layout = place.layout(source);
    let Some(before) = before else {
        return if player == 0 { Ok(layout) } else { Err(KeepError::NoFirst) };
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
        0 => Err(KeepError::Elsewhere(before.address)),
        _ if before.address == place.address => Err(KeepError::First(before.address)),
        _ if !alike => Err(KeepError::Unlike(place.address)),
        _ => Ok(BoardLayout { second: Some(place.address), ..merged }),
    }
}

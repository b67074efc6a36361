//! A profile that passed every check.

use super::{BoardLayout, Field, FrameTimes};
use crate::console::{ConsoleAddr, ConsoleId, PointedBlock, ReadPlan, StorageOrder, nds_header};
use crate::game::GameId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// RAM up to this many bytes is read whole: 2 to 5 us for 64 KiB (reference: performance.md, section 4).
const READ_WHOLE: u32 = 0x1_0000;

/// How far a profile as a whole has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Every field was seen to hold on the running game or read in its code.
    Confirmed,
    /// Some fields or facts rest on a single document, or were never seen on the running game.
    PartlyConfirmed,
    /// Taken over from another version or from hearsay.
    Unconfirmed,
}

impl Status {
    /// All of them, best first.
    pub const ALL: [Self; 3] = [Self::Confirmed, Self::PartlyConfirmed, Self::Unconfirmed];

    /// The word in the file.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::PartlyConfirmed => "partly-confirmed",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Where a profile came from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Embedded in the program.
    BuiltIn,
    /// Read from this file.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// What identifies one revision of the game's ROM. Everything that is known is filled in.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct RomHeader {
    /// The title in the ROM header.
    pub title: Option<String>,
    /// The serial number in the ROM header.
    pub serial: Option<String>,
    /// The copyright and date line of the ROM header.
    pub copyright: Option<String>,
    /// The checksum word of the ROM header.
    pub checksum: Option<u16>,
    /// The name of MAME's ROM set.
    pub mame_set: Option<String>,
    /// What else is known about it.
    pub note: Option<String>,
}

/// Content that proves where the console's RAM stands in an emulator's memory. The first in a profile is
/// trusted most.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Anchor {
    /// Two identical blocks that check themselves: the first 16-bit word of each is the 16-bit sum of the
    /// words that follow in the block, in the processor's byte order.
    ChecksummedPair {
        /// The first block.
        first: ConsoleAddr,
        /// Its copy.
        second: ConsoleAddr,
        /// The length of each in bytes, even, 4 or more.
        length: u32,
        /// Printable ASCII text that stands in both blocks.
        magic: String,
        /// Where the text stands in the block, in bytes; it fits into the block.
        magic_offset: u32,
    },
    /// The game's pools and colour set, as named by the model, pass the model's structural checks.
    Pools,
    /// The cells that the model reads hold what the game can make, from its first game on. For games of which no content is known
    /// that never changes.
    Cells,
    /// The copy of the cartridge header that the firmware leaves at the end of a DS's main RAM: its checksum is right,
    /// the game code is this one, and the ARM9 program stands where it says.
    NdsHeader {
        /// The four characters of the game code.
        game_code: String,
    },
    /// The codes of the pieces that were drawn for a game stand somewhere in RAM, one a byte or one a 16-bit word. For games whose
    /// addresses are not known: the buffer is found by what is in it.
    Codes {
        /// How the codes begin when the battery RAM was cleared, 8 to 256 of them.
        pattern: Vec<u8>,
    },
    /// The seed of a game's pieces and the state that calls led to from it stand somewhere in RAM. For games whose addresses are not
    /// known and that draw piece after piece: the states are found by what holds between them.
    States {
        /// The seed of the first game after the battery RAM was cleared.
        first: u32,
        /// Whether a later game is taken too, of which numbers of any kind may have the looks by chance: only when somebody asks
        /// for this game by its name. No file says so.
        later_games: bool,
    },
    /// The field that `[board]` tells holds blocks that lie as the game lays them. Without a `[board]`, it never stands.
    Board,
    /// These bytes, in the order in which the processor sees them, never change.
    Bytes {
        /// Where they stand.
        address: ConsoleAddr,
        /// What they are, 1 to 256 of them.
        bytes: Vec<u8>,
    },
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChecksummedPair { first, second, magic, .. } => {
                write!(f, "checksummed blocks with {magic:?} at {first} and {second}")
            }
            Self::Pools => f.write_str("pools and colour set"),
            Self::Cells => f.write_str("cells of a game under way"),
            Self::NdsHeader { game_code } => write!(f, "cartridge header of {game_code}"),
            Self::Codes { pattern } => write!(f, "codes of drawn pieces, at first {}", hex(pattern)),
            Self::States { first, .. } => {
                write!(f, "states of the pieces' generator, at first from {first:08X}")
            }
            Self::Board => f.write_str("field of blocks"),
            Self::Bytes { address, bytes } => write!(f, "{} fixed bytes at {address}", bytes.len()),
        }
    }
}

/// A cell that moves as long as the game runs: it tells live RAM from a copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Liveness {
    /// The field, of an integer type.
    pub field: String,
    /// What each frame adds to it; not 0, smaller than `modulo`; negative for a countdown.
    pub per_frame: i64,
    /// The value at which it wraps to 0; without word in the file, one more than the field can hold.
    pub modulo: u64,
    /// When it moves, when it stands.
    pub note: Option<String>,
}

/// Everything that is known about one version of a game on one console.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Profile {
    /// The name on the command line: lower-case letters, digits, hyphens.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// The model that predicts it.
    pub game: GameId,
    /// The console whose RAM is addressed.
    pub console: ConsoleId,
    /// How far it has been checked as a whole.
    pub status: Status,
    /// What a user should know about it; may be empty.
    pub notes: String,
    /// The ROM revisions that it is made for.
    pub roms: Vec<RomHeader>,
    /// What proves the location of RAM, most trusted first.
    pub anchors: Vec<Anchor>,
    /// The cells that move while the game runs, best first.
    pub liveness: Vec<Liveness>,
    /// The fields by name. Every required field of the model is there, in the right size.
    pub fields: BTreeMap<String, Field>,
    /// The chosen reading of every variant of the model, by name; those the file leaves out have the default.
    pub variants: BTreeMap<String, String>,
    /// Where the game's field of blocks stands, for a game of which it is read and once somebody found it.
    pub board: Option<BoardLayout>,
    /// How long things take in the game.
    pub frames: Option<FrameTimes>,
    /// Where it came from.
    pub origin: Origin,
    /// 16 hexadecimal digits that change with the file's text (FNV-1a, 64 bits). For reports: it tells
    /// two versions of a profile apart and protects from nothing.
    pub digest: String,
    /// The text of the file, so that a recording can keep it.
    #[serde(skip)]
    pub text: Arc<str>,
}

impl Profile {
    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }

    /// The chosen reading of a variant of the model; empty when the model has no such variant.
    #[must_use]
    pub fn variant(&self, name: &str) -> &str {
        self.variants.get(name).map_or("", String::as_str)
    }

    /// The orders in which an emulator may store the console's RAM. What stands in several of them stands in the first: in the one in
    /// which the game's field was found, where that is known.
    #[must_use]
    pub fn orders(&self) -> Vec<StorageOrder> {
        let found = self.board.as_ref().and_then(|board| board.stored);
        let others = self.console.domain().orders.iter().copied().filter(|order| Some(*order) != found);
        found.into_iter().chain(others).collect()
    }

    /// What a sample of this game reads: the fields and what anchors go by. Small RAM is read whole, which costs no
    /// more than the parts.
    #[must_use]
    pub fn plan(&self) -> ReadPlan {
        let domain = self.console.domain();
        if domain.len <= READ_WHOLE {
            return ReadPlan::full(domain);
        }
        let (behind, fixed): (Vec<&Field>, Vec<&Field>) =
            self.fields.values().partition(|field| field.through.is_some());
        let fields = fixed.iter().filter_map(|field| domain.span(field.address, field.len()));
        let anchors = self.anchors.iter().flat_map(|anchor| match anchor {
            Anchor::ChecksummedPair { first, second, length, .. } => {
                vec![(*first, *length as usize), (*second, *length as usize)]
            }
            Anchor::NdsHeader { .. } => vec![(nds_header::COPY, nds_header::LEN)],
            Anchor::Bytes { address, bytes } => vec![(*address, bytes.len())],
            Anchor::Pools | Anchor::Cells | Anchor::Codes { .. } | Anchor::States { .. } | Anchor::Board => {
                Vec::new()
            }
        });
        let anchors = anchors.filter_map(|(address, len)| domain.span(address, len));
        let mut blocks: BTreeMap<ConsoleAddr, Range<u32>> = BTreeMap::new();
        for field in behind {
            let Some(through) = &field.through else { continue };
            let bytes = through.offset..through.offset.saturating_add(field.kind.bytes());
            let block = blocks.entry(through.cell).or_insert_with(|| bytes.clone());
            *block = block.start.min(bytes.start)..block.end.max(bytes.end);
        }
        let pointed = blocks.into_iter().map(|(cell, block)| PointedBlock { cell, block }).collect();
        ReadPlan::of(domain, fields.chain(anchors), pointed)
    }

    /// The fields in the order of their addresses, the longer of two at one address first.
    #[must_use]
    pub fn fields_by_address(&self) -> Vec<&Field> {
        let mut fields: Vec<&Field> = self.fields.values().collect();
        fields.sort_by_key(|field| (field.address, std::cmp::Reverse(field.len()), &field.name));
        fields
    }
}

/// The first bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02X}")).collect();
    shown.join(" ")
}

/// The 64-bit FNV-1a hash of `text` in hexadecimal (constants: draft-eastlake-fnv, section 5).
pub(super) fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    format!("{hash:016x}")
}

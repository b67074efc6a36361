//! A profile that passed every check.

use super::{BoardLayout, Field};
use crate::games::declared::{Deals, PieceCodes, Randomizer};
use crate::games::{GameId, Unit};
use nextscope_memory::console::{ConsoleAddr, ConsoleId, PointedBlock, ReadPlan, StorageOrder, nds_header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::num::{NonZeroU8, NonZeroU32};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// RAM up to this many bytes is read entirely: 2 to 5 us for 64 KiB (reference: performance.md, section 4).
const READ_ENTIRELY: u32 = 0x1_0000;
/// Ten minutes: nothing in these games takes longer.
const MAX_FRAMES: u32 = 36_000;
/// As many as a board has rows.
const MAX_ROWS: u32 = 14;

/// How far a profile, or a part of it, has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Everything was observed in the running game or read in its code.
    Confirmed,
    /// Some facts rest on a single document, or were never observed in the running game.
    PartlyConfirmed,
    /// Found by `nextscope learn` in the running game, and read in no code.
    Learned,
    /// Taken from another version of the game, or from hearsay.
    Unconfirmed,
}

impl Status {
    /// All of them, best first.
    pub const ALL: [Self; 4] = [Self::Confirmed, Self::PartlyConfirmed, Self::Learned, Self::Unconfirmed];

    /// The value in the file.
    pub fn id(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::PartlyConfirmed => "partly-confirmed",
            Self::Learned => "learned",
            Self::Unconfirmed => "unconfirmed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// How far a frame table has been checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameStatus {
    /// An input movie with these numbers played back in the running game.
    Confirmed,
    /// All numbers were measured in the running game (`nextscope frames measure`).
    Measured,
    /// Some were measured, or rest on a single document.
    PartlyConfirmed,
    /// None was checked in the running game.
    Unconfirmed,
}

impl FrameStatus {
    /// The value in the file.
    pub fn id(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Measured => "measured",
            Self::PartlyConfirmed => "partly-confirmed",
            Self::Unconfirmed => "unconfirmed",
        }
    }

    /// What an answer that uses the numbers has to say about them; nothing if they are confirmed. Short: titles of movies contain it.
    pub fn caution(self) -> Option<&'static str> {
        match self {
            Self::Confirmed => None,
            Self::Measured => Some("times are measured"),
            Self::PartlyConfirmed | Self::Unconfirmed => Some("times are estimates"),
        }
    }

    /// Whether the numbers come from the running game, so that a pair that takes another time is a mismatch.
    pub fn is_from_the_game(self) -> bool {
        matches!(self, Self::Confirmed | Self::Measured)
    }
}

/// Where a profile comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
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

/// One revision of the game's ROM. At least one of title, serial, checksum and mame_set is known.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Rom", deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["title"]}, {"required": ["serial"]}, {"required": ["checksum"]}, {"required": ["mame_set"]}]))]
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

/// Content that identifies the console's RAM in an emulator's memory. The first of a profile is the most reliable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Two identical blocks with a checksum: the first 16-bit word of each is the 16-bit sum of the words that follow in
    /// the block, in the processor's byte order.
    ChecksummedPair {
        /// The first block.
        first: ConsoleAddr,
        /// Its copy.
        second: ConsoleAddr,
        /// The length of each in bytes, even, 4 or more.
        length: u32,
        /// Printable ASCII text in both blocks.
        magic: String,
        /// The offset of the text in the block, in bytes; it fits into the block.
        magic_offset: u32,
    },
    /// The game's pools and colour set pass the model's structural checks.
    Pools,
    /// The fields that the model reads have values that the game can produce, from its first round on. For games of which
    /// no constant content is known.
    PlausibleFields,
    /// The copy of the cartridge header that the firmware leaves at the end of a DS's main RAM: its checksum is right,
    /// the game code is this one, and the ARM9 program is at the address that it names.
    NdsHeader {
        /// The four characters of the game code.
        game_code: String,
    },
    /// The codes of the pieces that were drawn for a game are anywhere in RAM, as bytes or as 16-bit words. For games whose
    /// addresses are unknown: the buffer is found by its content.
    PieceBuffer {
        /// The first codes after the battery RAM was cleared, 8 to 256 of them.
        pattern: Vec<u8>,
    },
    /// The seed of a game's pieces and a state that follows from it are anywhere in RAM. For games whose addresses are
    /// unknown and that draw piece after piece: the states are found by the relation between them.
    RngPair {
        /// The seed of the first game after the battery RAM was cleared.
        first: u32,
        /// Whether later games are accepted too, to which random numbers may have a chance resemblance: only when the user
        /// asks for this game by name. No file sets it.
        later_games: bool,
    },
    /// The playfield of `[board]` contains blocks as the game places them. Without a `[board]` it never matches.
    PlayfieldLayout,
    /// These bytes, in the order in which the processor reads them, never change.
    Bytes {
        /// The address of the first.
        address: ConsoleAddr,
        /// 1 to 256 of them.
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
            Self::PlausibleFields => f.write_str("plausible fields"),
            Self::NdsHeader { game_code } => write!(f, "cartridge header of {game_code}"),
            Self::PieceBuffer { pattern } => write!(f, "piece buffer, first {}", hex(pattern)),
            Self::RngPair { first, .. } => {
                write!(f, "generator seed and state, first seed {first:08X}")
            }
            Self::PlayfieldLayout => f.write_str("playfield"),
            Self::Bytes { address, bytes } => write!(f, "{} fixed bytes at {address}", bytes.len()),
        }
    }
}

/// A field that changes in every frame while the game runs: it distinguishes live RAM from a copy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Liveness {
    /// The field, of an integer type.
    pub field: String,
    /// What each frame adds to it; not 0, smaller than `modulo`; negative for a countdown.
    pub per_frame: i64,
    /// The value at which it wraps to 0.
    pub modulo: u64,
    /// When it changes, when it does not.
    pub note: Option<String>,
}

/// A duration and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Timed_{T}", deny_unknown_fields)]
pub struct Timed<T> {
    /// In frames. A list has one number for each number of rows, from 0 on; the last one is for more rows as well.
    #[schemars(range(max = MAX_FRAMES), length(min = 1, max = MAX_ROWS), inner(range(max = MAX_FRAMES)))]
    pub frames: T,
    /// A routine of the disassembly, a document, a measurement; or that it is an estimate.
    pub source: String,
}

/// How many frames things take.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Frames", deny_unknown_fields)]
pub struct FrameTimes {
    /// How far the numbers have been checked on the running game. Until it is `confirmed`, answers that use them say so; with `measured`
    /// and `confirmed`, a pair that takes another time is a mismatch.
    pub status: FrameStatus,
    /// What a user should know about them.
    pub note: Option<String>,
    /// The player, from 1, from whose pairs the numbers were measured, if from one only: the pairs of another player, who may be the
    /// computer, are then not compared with them.
    pub player: Option<NonZeroU8>,
    /// How long a button is held for one step sideways or one turn; 1 or more.
    pub press: Timed<NonZeroU32>,
    /// How long it is released before the next press; 1 or more.
    pub release: Timed<NonZeroU32>,
    /// The time in which a pair falls one row while Down is held; 1 or more.
    pub fall: Timed<NonZeroU32>,
    /// From the frame in which a pair rests until its puyos are part of the board.
    pub lock: Timed<u32>,
    /// A list: the additional time when one puyo of the pair falls 0, 1, 2 ... rows further than the other.
    pub split: Timed<Vec<u32>>,
    /// A list: one step of a chain, after which things fall at most 0, 1, 2 ... rows.
    pub chain: Timed<Vec<u32>>,
    /// From then on until the next pair can be moved.
    pub next: Timed<u32>,
    /// The time in which a pair falls one row without Down; 1 or more. Routes do not use it.
    #[serde(default)]
    #[schemars(with = "Timed<NonZeroU32>")]
    pub fall_without_down: Option<Timed<NonZeroU32>>,
    /// The additional time until the next pair when a chain leaves nothing on the board.
    #[serde(default)]
    #[schemars(with = "Timed<u32>")]
    pub all_clear: Option<Timed<u32>>,
    /// A list: the additional time until the next pair when garbage falls 0, 1, 2 ... rows from above the visible rows.
    #[serde(default)]
    #[schemars(with = "Timed<Vec<u32>>")]
    pub garbage: Option<Timed<Vec<u32>>>,
}

/// Everything that is known about one version of a game on one console.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The name on the command line: lower-case letters, digits, hyphens.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The game, whose model predicts the pieces; for all declared randomizers the same one.
    pub game: GameId,
    /// The console whose RAM is addressed.
    pub console: ConsoleId,
    /// How far it has been checked.
    pub status: Status,
    /// What a user should know about it; may be empty.
    pub notes: String,
    /// The ROM revisions that it describes.
    pub roms: Vec<RomHeader>,
    /// What identifies RAM, the most reliable first.
    pub anchors: Vec<Anchor>,
    /// The fields that change while the game runs, the best first.
    pub liveness: Vec<Liveness>,
    /// The fields by name. Every required field of the model is there, in the right size.
    pub fields: BTreeMap<String, Field>,
    /// The choice for every variant of the model, by name; the default where the file has none.
    pub variants: BTreeMap<String, String>,
    /// Where the playfield is, for a game that is read by it and once it is known.
    pub board: Option<BoardLayout>,
    /// How long things take in the game.
    pub frames: Option<FrameTimes>,
    /// How the game deals, if the file declares it instead of naming a game.
    pub randomizer: Option<Randomizer>,
    /// How the pieces to come stand in RAM, if the file says only that.
    pub piece_codes: Option<PieceCodes>,
    /// Where it comes from.
    pub origin: Origin,
    /// A hash of the file's text: 16 hexadecimal digits (FNV-1a, 64 bits). It distinguishes versions of a profile in reports
    /// and protects from nothing.
    pub digest: String,
    /// The text of the file, so that a recording can contain it.
    pub text: Arc<str>,
}

impl Profile {
    /// What the game deals.
    pub fn unit(&self) -> Unit {
        let listed = self.piece_codes.as_ref().map(|codes| codes.deals);
        match self.randomizer.as_ref().map(|randomizer| randomizer.deals).or(listed) {
            Some(Deals::Pieces) => Unit::Pieces,
            Some(Deals::Pairs) => Unit::Pairs,
            None => self.game.unit(),
        }
    }

    /// Whether a round's deals are made before it starts, so that they say nothing of the generator that made them. A list in RAM has no
    /// generator: its deals are all there is to confirm.
    pub fn is_made_ahead(&self) -> bool {
        self.piece_codes.is_none() && self.unit().is_made_ahead()
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(name)
    }

    /// The choice for a variant of the model; empty when the model has no such variant.
    pub fn variant(&self, name: &str) -> &str {
        self.variants.get(name).map_or("", String::as_str)
    }

    /// The orders in which an emulator may store the console's RAM, the preferred one first: that in which the playfield was
    /// found, if it is known.
    pub fn orders(&self) -> Vec<StorageOrder> {
        let found = self.board.as_ref().and_then(|board| board.stored);
        let others = self.console.domain().orders.iter().copied().filter(|order| Some(*order) != found);
        found.into_iter().chain(others).collect()
    }

    /// What a sample of this game reads: the fields and the content of anchors. Small RAM is read entirely, which costs no
    /// more than the parts.
    pub fn plan(&self) -> ReadPlan {
        let domain = self.console.domain();
        if domain.len <= READ_ENTIRELY {
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
            Anchor::Pools
            | Anchor::PlausibleFields
            | Anchor::PieceBuffer { .. }
            | Anchor::RngPair { .. }
            | Anchor::PlayfieldLayout => Vec::new(),
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

//! The file format as JSON Schema, for completion and checks in editors.
//!
//! These types are never filled: [`super::parse()`] walks the document itself, to tell of every fault with its
//! place. A test holds the two against each other, key by key.

use super::Status;
use crate::console::{ConsoleId, StorageOrder};
use crate::game::GameId;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::collections::BTreeMap;

/// A profile of one version of a game on one console, for Nextscope.
#[derive(JsonSchema)]
#[schemars(rename = "Profile", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct ProfileFile {
    /// The name on the command line: 1 to 64 lower-case letters, digits, hyphens. A profile of yours with
    /// the id of a built-in one takes its place.
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,64}$"))]
    id: String,
    /// The name for people.
    #[schemars(length(min = 1))]
    name: String,
    /// The game whose model predicts it.
    game: GameId,
    /// The console whose RAM is addressed.
    console: ConsoleId,
    /// How far it has been checked as a whole.
    status: Status,
    /// What a user should know about it.
    notes: Option<String>,
    /// The ROM revisions that it is made for.
    #[serde(default)]
    roms: Vec<RomTable>,
    /// Content that proves where RAM stands in an emulator's memory, most trusted first.
    #[serde(default)]
    anchors: Vec<AnchorTable>,
    /// Cells that move as long as the game runs, best first.
    #[serde(default)]
    liveness: Vec<LivenessTable>,
    /// What stands where, by name (lower-case letters, digits, underscores). The model reads some of the
    /// names; all others are shown with the raw values.
    #[schemars(schema_with = "fields")]
    fields: BTreeMap<String, FieldTable>,
    /// Where sources disagree about the game: the reading to go by, for each variant of the model.
    #[serde(default)]
    #[schemars(schema_with = "variants")]
    variants: BTreeMap<String, String>,
    /// Where the game's field of blocks stands, for `pochi-nyaa`. `nextscope profile locate` finds it.
    board: Option<BoardTable>,
    /// How long things take in the game, for the planner of routes.
    frames: Option<FramesTable>,
}

/// One revision of the ROM. At least one of title, serial, checksum and mame_set is there.
#[derive(JsonSchema)]
#[schemars(rename = "Rom", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct RomTable {
    /// The title in the ROM header.
    title: Option<String>,
    /// The serial number in the ROM header.
    serial: Option<String>,
    /// The copyright and date line of the ROM header.
    copyright: Option<String>,
    /// The checksum word of the ROM header.
    checksum: Option<u16>,
    /// The name of MAME's ROM set.
    mame_set: Option<String>,
    /// What else is known about it.
    note: Option<String>,
}

/// Content that proves a location.
#[derive(JsonSchema)]
#[schemars(rename = "Anchor", tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
enum AnchorTable {
    /// Two identical blocks; the first 16-bit word of each is the sum of the words that follow.
    ChecksummedPair {
        /// The address of the first block.
        first: u32,
        /// The address of its copy.
        second: u32,
        /// The length of each in bytes, even.
        #[schemars(range(min = 4, max = 0x8000))]
        length: u32,
        /// Printable ASCII text that stands in both.
        #[schemars(length(min = 1))]
        magic: String,
        /// Where the text stands in the block, in bytes.
        #[schemars(range(min = 2, max = 0x7FFF))]
        magic_offset: u32,
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The fields pool_3, pool_4, pool_5 and color_set (or color_map) pass the model's structural checks.
    Pools {
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The fields that the model needs hold what the game can make, from its first game on.
    Cells {
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The copy of a DS cartridge's header at the end of main RAM, with the right checksum.
    NdsHeader {
        /// The four characters of the game code.
        #[schemars(regex(pattern = r"^[A-Z0-9]{4}$"))]
        game_code: String,
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The codes of a game's pieces stand somewhere in RAM, as bytes or as 16-bit words.
    Codes {
        /// How they begin after the battery RAM was cleared: 8 to 256 bytes in hexadecimal.
        #[schemars(length(min = 16))]
        hex: String,
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The seed of a game's pieces and a state that follows from it stand somewhere in RAM.
    States {
        /// The seed of the first game after the battery RAM was cleared: 4 bytes in hexadecimal.
        #[schemars(length(min = 8))]
        hex: String,
        /// For the reader of the file.
        note: Option<String>,
    },
    /// The field that `[board]` tells holds blocks that lie as the game lays them.
    Board {
        /// For the reader of the file.
        note: Option<String>,
    },
    /// Bytes that never change.
    Bytes {
        /// The address of the first.
        address: u32,
        /// 1 to 256 bytes in hexadecimal, as the processor sees them; spaces are allowed.
        #[schemars(length(min = 2))]
        hex: String,
        /// For the reader of the file.
        note: Option<String>,
    },
}

/// A cell that moves.
#[derive(JsonSchema)]
#[schemars(rename = "Liveness", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct LivenessTable {
    /// The name of the field, which has an integer type.
    field: String,
    /// What each frame adds to it: not 0; negative for a countdown.
    per_frame: i64,
    /// The value at which it wraps to 0, when that is not one more than the field can hold.
    #[schemars(range(min = 2, max = 0x1_0000_0000_u64))]
    modulo: Option<u64>,
    /// When it moves, when it stands.
    note: Option<String>,
}

/// One place in RAM.
#[derive(JsonSchema)]
#[schemars(rename = "Field", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct FieldTable {
    /// Its address as the processor sees it. A mirror is read at the documented address.
    address: u32,
    /// The pointer through which it is reached: a field with `points_to`. The address is the one that it has as a rule,
    /// when the pointer leads there.
    through: Option<String>,
    /// For a pointer of type u32: where it leads as a rule.
    points_to: Option<u32>,
    /// How its bytes are read; numbers have the processor's byte order.
    #[schemars(rename = "type")]
    kind: KindName,
    /// Its length in bytes: for bcd (up to 8), bytes and text, and only for these.
    #[schemars(range(min = 1, max = 0x1_0000))]
    length: Option<u32>,
    /// Where the address comes from: a routine of the disassembly, a document, a measurement.
    #[schemars(length(min = 1))]
    source: String,
    /// Whether it was read in the code of this version, or seen to hold on it. True when left out.
    confirmed: Option<bool>,
    /// What it means, or what is uncertain about it.
    note: Option<String>,
    /// Write true when it lies upon another field on purpose.
    overlaps: Option<bool>,
}

/// Where a field of blocks stands. Codes are those of one byte of each cell, under the mask; one colour at least has one.
#[derive(JsonSchema)]
#[schemars(rename = "Board", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct BoardTable {
    /// The byte that tells what the cell at the top left of the first player's field holds.
    address: u32,
    /// The same of the second player's field.
    second: Option<u32>,
    /// Columns.
    #[schemars(range(min = 1, max = super::board::SIDE_MOST))]
    columns: u8,
    /// Rows.
    #[schemars(range(min = 1, max = super::board::SIDE_MOST))]
    rows: u8,
    /// Bytes from a cell to its right neighbour, not 0; negative when rows run from right to left.
    #[schemars(range(min = -super::board::STRIDE_MOST, max = super::board::STRIDE_MOST))]
    column_stride: i32,
    /// Bytes from a cell to the one below, not 0; negative when the lowest row comes first.
    #[schemars(range(min = -super::board::STRIDE_MOST, max = super::board::STRIDE_MOST))]
    row_stride: i32,
    /// The bits of the byte that tell what the cell holds. All when left out.
    #[schemars(range(min = 1))]
    mask: Option<u8>,
    /// The code of an empty cell.
    empty: u8,
    /// The code of a red block.
    red: Option<u8>,
    /// The code of a green block.
    green: Option<u8>,
    /// The code of a blue block.
    blue: Option<u8>,
    /// The code of a yellow block.
    yellow: Option<u8>,
    /// How the emulator stored RAM in which the field was found; where it may stand in several orders, this one is meant.
    stored: Option<StorageOrder>,
    /// Where all this comes from.
    #[schemars(length(min = 1))]
    source: String,
    /// Whether it was seen to hold on the running game. True when left out.
    confirmed: Option<bool>,
    /// What is uncertain about it.
    note: Option<String>,
}

/// Fields of any name, with those that some model reads for completion.
fn fields(generator: &mut SchemaGenerator) -> Schema {
    let any = generator.subschema_for::<FieldTable>();
    let specs = GameId::ALL.iter().flat_map(|game| game.fields());
    let read: BTreeMap<&str, Schema> = specs
        .map(|spec| {
            let meaning = format!("{} (length {})", spec.meaning, spec.bytes);
            (spec.name, json_schema!({ "description": meaning, "allOf": [any] }))
        })
        .collect();
    json_schema!({ "type": "object", "properties": read, "additionalProperties": any })
}

/// The variants of all models.
fn variants(_: &mut SchemaGenerator) -> Schema {
    let mut known: BTreeMap<&str, Vec<Schema>> = BTreeMap::new();
    for spec in GameId::ALL.iter().flat_map(|game| game.variants()) {
        let choices = spec.choices.iter();
        let choices = choices.map(|(name, meaning)| json_schema!({ "const": name, "description": meaning }));
        known.entry(spec.name).or_default().extend(choices);
    }
    let known: BTreeMap<&str, Schema> =
        known.into_iter().map(|(name, choices)| (name, json_schema!({ "oneOf": choices }))).collect();
    json_schema!({ "type": "object", "properties": known, "additionalProperties": false })
}

/// How long things take. Every number is in frames.
#[derive(JsonSchema)]
#[schemars(rename = "Frames", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct FramesTable {
    /// How far the numbers as a whole have been checked on the running game.
    status: Status,
    /// What a user should know about them.
    note: Option<String>,
    /// A button is held so long for one step sideways or one turn: 1 or more.
    press: TimeTable,
    /// And let go so long before the next press: 1 or more.
    release: TimeTable,
    /// A pair falls one row in so many while Down is held: 1 or more.
    fall: TimeTable,
    /// From the frame in which a pair rests until its puyos are part of the board.
    lock: TimeTable,
    /// What is added when one puyo of the pair falls further than the other: by 0, 1, 2 ... rows.
    split: TimesTable,
    /// A step of a chain, after which things fall 0, 1, 2 ... rows.
    chain: TimesTable,
    /// From then on until the next pair can be moved.
    next: TimeTable,
}

/// A number of frames.
#[derive(JsonSchema)]
#[schemars(rename = "Time", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct TimeTable {
    /// How many.
    #[schemars(range(max = super::frames::FRAMES_MOST))]
    frames: u32,
    /// A routine of the disassembly, a document, a measurement; or that it is an estimate.
    #[schemars(length(min = 1))]
    source: String,
}

/// A number of frames for each number of rows.
#[derive(JsonSchema)]
#[schemars(rename = "Times", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct TimesTable {
    /// How many for 0 rows, 1 row and so on; the last one stands for more rows as well.
    #[schemars(length(min = 1, max = super::frames::ROWS_MOST))]
    frames: Vec<u32>,
    /// A routine of the disassembly, a document, a measurement; or that it is an estimate.
    #[schemars(length(min = 1))]
    source: String,
}

struct KindName;

impl JsonSchema for KindName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Type".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = super::parse::KINDS.map(|(name, _)| name);
        json_schema!({ "type": "string", "enum": names })
    }
}

/// The JSON Schema (draft 7, which TOML editors understand) of a profile, ending in a newline.
#[must_use]
pub fn schema() -> String {
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<ProfileFile>();
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default(); // maps with text keys cannot fail
    text.push('\n');
    text
}

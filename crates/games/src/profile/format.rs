//! The profile format: these types, with their doc comments, are its only description.
//!
//! The JSON schema for editors is derived from them. [`super::validate`] compares a file with that schema, the template and the
//! tables of keys in docs/profiles.md are written from it, and serde fills the types with what was found right.

use super::{FieldKind, FrameTimes, RomHeader, Status};
use crate::games::GameId;
use crate::games::declared::{PieceCodes, Randomizer};
use nextscope_memory::console::{ConsoleId, StorageOrder};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;
use toml::Spanned;

/// Columns and rows of a board, at most.
const MAX_SIDE: u32 = 64;
/// Bytes from one cell or row of a board to the next, at most.
const MAX_STRIDE: i32 = 0x1000;

/// A profile of one version of a game on one console, for Nextscope.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Profile", deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["game"]}, {"required": ["randomizer"]}, {"required": ["piece_codes"]}]))]
pub(super) struct ProfileFile {
    /// The name on the command line: 1 to 64 lower-case letters, digits, hyphens. A profile of yours replaces the
    /// built-in one with the same id.
    #[schemars(regex(pattern = r"^[a-z0-9-]{1,64}$"))]
    pub id: At<String>,
    /// The display name.
    pub name: At<String>,
    /// The game, whose model predicts the pieces. Required without `[randomizer]` and `[piece_codes]`, and not possible with one of them.
    #[serde(default)]
    #[schemars(schema_with = "games")]
    pub game: At<GameId>,
    /// The console whose RAM is addressed.
    pub console: At<ConsoleId>,
    /// How far the profile as a whole has been checked.
    pub status: At<Status>,
    /// What a user should know about it.
    #[serde(default)]
    pub notes: At<String>,
    /// The ROM revisions that it describes.
    #[serde(default)]
    pub roms: Vec<At<RomHeader>>,
    /// Content that identifies the game's RAM in an emulator's memory, the most reliable first.
    #[serde(default)]
    pub anchors: Vec<At<AnchorTable>>,
    /// Fields that change in every frame while the game runs, the best first. They distinguish live RAM from copies such as
    /// save states.
    #[serde(default)]
    pub liveness: Vec<LivenessTable>,
    /// The places in RAM, by name (lower-case letters, digits, underscores). The model reads some names; the others are
    /// shown with the raw values.
    #[serde(default)]
    #[schemars(schema_with = "fields")]
    pub fields: BTreeMap<Spanned<String>, FieldTable>,
    /// Which variant of the model to use where sources disagree about the game.
    #[serde(default)]
    #[schemars(schema_with = "all_variants")]
    pub variants: BTreeMap<String, At<String>>,
    /// Where the game's playfield is, for `pochi-nyaa`. `nextscope profile locate` finds it.
    #[serde(default)]
    pub board: At<BoardTable>,
    /// How many frames things take in the game, for the route planner.
    #[serde(default)]
    pub frames: At<FrameTimes>,
    /// How the game deals, for a game whose model is not built in. Replaces `game`.
    #[serde(default)]
    pub randomizer: At<Randomizer>,
    /// The codes of the pieces to come, for a game that has them in RAM and whose randomizer is not known. Replaces `game`.
    #[serde(default)]
    pub piece_codes: At<PieceCodes>,
}

/// Content that identifies a game's RAM.
// Serde cannot keep positions inside an enum with an internal tag: validation moves the tag outside.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Anchor", tag = "kind", deny_unknown_fields)]
#[expect(dead_code, reason = "notes are for readers of the file")]
pub(super) enum AnchorTable {
    /// Two identical blocks: the first 16-bit word of each is the 16-bit sum of the words after it, and both contain the text
    /// `magic`.
    ChecksummedPair {
        /// The address of the first block.
        first: At<u32>,
        /// The address of its copy.
        second: At<u32>,
        /// The length of each in bytes, even.
        #[schemars(range(min = 4, max = 0x8000))]
        length: At<u32>,
        /// Printable ASCII text in both blocks.
        magic: At<String>,
        /// The offset of the text in the block, in bytes.
        #[schemars(range(min = 2, max = 0x7FFF))]
        magic_offset: At<u32>,
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The fields `pool_3`, `pool_4`, `pool_5` and `color_set` (`color_map` in 20th Anniversary) have values that the model can
    /// produce.
    Pools {
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The fields that the model requires (in the Grand Master games `state`, `current`, `next`, `rotation` and, if the profile
    /// has it, `history`) have values that the game can produce, from its first round on.
    #[serde(rename = "cells")]
    PlausibleFields {
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The copy of a DS cartridge's header at 0x027FFE00, with correct checksums, this game code, and the program that the
    /// header names.
    NdsHeader {
        /// The four characters of the game code: capital letters and digits, the last one for the region, such as TP4J.
        #[schemars(regex(pattern = r"^[A-Z0-9]{4}$"))]
        game_code: At<String>,
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The codes of a game's 1000 pieces are somewhere in RAM, as bytes or as 16-bit words: those that begin with `hex`, or any
    /// others that the generator draws.
    #[serde(rename = "codes")]
    PieceBuffer {
        /// The first codes after the battery RAM was cleared: 8 to 256 bytes in hexadecimal.
        #[schemars(length(min = 16))]
        hex: At<String>,
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The seed of a game's pieces and a state that 1 to 1000 calls of the generator make of it are somewhere in RAM, 32-bit
    /// numbers at even addresses. The seed is the one in `hex`, or a result of a third number, the main generator, with all
    /// three so close together that chance is excluded. If the profile has the fields `piece_seed` and `piece_state`, it is
    /// enough that the state follows from the seed.
    #[serde(rename = "states")]
    RngPair {
        /// The seed of the first game after the battery RAM was cleared: 4 bytes in hexadecimal.
        #[schemars(length(min = 8))]
        hex: At<String>,
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// The playfield described by `[board]` contains at least eight blocks of at least two colours, none of them floating,
    /// and no unknown code. Without a `[board]` it never matches.
    #[serde(rename = "board")]
    PlayfieldLayout {
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
    /// Bytes that never change.
    Bytes {
        /// The address of the first.
        address: At<u32>,
        /// 1 to 256 bytes in hexadecimal, as the processor reads them; spaces are allowed.
        #[schemars(length(min = 2))]
        hex: At<String>,
        /// A comment.
        #[serde(default)]
        note: At<String>,
    },
}

/// A field that changes in every frame.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Liveness", deny_unknown_fields)]
pub(super) struct LivenessTable {
    /// The name of the field, which has an integer type.
    pub field: At<String>,
    /// What each frame adds to it: not 0; negative for a countdown.
    #[schemars(range(min = -0xFFFF_FFFF_i64, max = 0xFFFF_FFFF_i64))]
    pub per_frame: At<i64>,
    /// The value at which it wraps to 0, unless it uses the full range of its type.
    #[serde(default)]
    #[schemars(range(min = 2, max = 0x1_0000_0000_u64))]
    pub modulo: At<u64>,
    /// When it changes, when it does not.
    #[serde(default)]
    pub note: At<String>,
}

/// One place in RAM.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Field", deny_unknown_fields)]
pub(super) struct FieldTable {
    /// Its address as the processor sees it, such as `0xFFA134`. A mirror is replaced by the documented address.
    pub address: At<u32>,
    /// How its bytes are read. Numbers have the processor's byte order; `bcd` has two decimal digits per byte.
    #[schemars(rename = "type", schema_with = "types")]
    #[serde(rename = "type")]
    pub kind: At<String>,
    /// Its length in bytes: for `bcd` (up to 8), `bytes` and `text`, and only for these.
    #[serde(default)]
    #[schemars(range(min = 1, max = 0x1_0000))]
    pub length: At<u32>,
    /// Where the address comes from: a routine of the disassembly, a document, a measurement.
    pub source: At<String>,
    /// Whether it was read in the code of this version, or observed in the running game. Default: true.
    #[serde(default)]
    pub confirmed: At<bool>,
    /// What it means, or what is uncertain about it.
    #[serde(default)]
    pub note: At<String>,
    /// Whether it overlaps another field on purpose. Default: false.
    #[serde(default)]
    pub overlaps: At<bool>,
    /// The pointer through which it is reached: a field with `points_to`. `address` is then the usual address, when the pointer
    /// has its usual value.
    #[serde(default)]
    pub through: At<String>,
    /// For a pointer of type u32 at a fixed address: the value that it usually has. The offset of the fields behind it
    /// follows from that.
    #[serde(default)]
    pub points_to: At<u32>,
}

/// Where a playfield is. Codes are those of one byte of each cell, under the mask; they differ. No two cells share a byte.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Board", deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["red"]}, {"required": ["green"]}, {"required": ["blue"]}, {"required": ["yellow"]}]))]
pub(super) struct BoardTable {
    /// The address of the top left cell of the first player's playfield: of the byte that says what the cell contains.
    pub address: At<u32>,
    /// The same for the second player's playfield.
    #[serde(default)]
    pub second: At<u32>,
    /// Columns, 1 to 64.
    #[schemars(range(min = 1, max = MAX_SIDE))]
    pub columns: At<u8>,
    /// Rows, 1 to 64.
    #[schemars(range(min = 1, max = MAX_SIDE))]
    pub rows: At<u8>,
    /// Bytes from a cell to its right neighbour, not 0; negative when rows run from right to left.
    #[schemars(range(min = -MAX_STRIDE, max = MAX_STRIDE))]
    pub column_stride: At<i32>,
    /// Bytes from a cell to the one below, not 0; negative when the lowest row comes first.
    #[schemars(range(min = -MAX_STRIDE, max = MAX_STRIDE))]
    pub row_stride: At<i32>,
    /// The bits of the byte that say what the cell contains. Default: all.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub mask: At<u8>,
    /// The code of an empty cell.
    pub empty: At<u8>,
    /// The code of a red block. At least one colour has a code; a cell with the code of one that has none is unknown.
    #[serde(default)]
    pub red: At<u8>,
    /// The code of a green block.
    #[serde(default)]
    pub green: At<u8>,
    /// The code of a blue block.
    #[serde(default)]
    pub blue: At<u8>,
    /// The code of a yellow block.
    #[serde(default)]
    pub yellow: At<u8>,
    /// The storage order of the RAM in which the playfield was found: the one to prefer where several are possible.
    #[serde(default)]
    pub stored: At<StorageOrder>,
    /// Where this comes from.
    pub source: At<String>,
    /// Whether it was observed in the running game. Default: true.
    #[serde(default)]
    pub confirmed: At<bool>,
    /// What is uncertain about it.
    #[serde(default)]
    pub note: At<String>,
}

/// A value of the file with its position. There is no value when the key is missing or its value wrong, which validation
/// reports, and no position when the key is missing.
pub(super) struct At<T> {
    value: Option<T>,
    span: Option<Range<usize>>,
}

impl<T> At<T> {
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }

    pub fn into_inner(self) -> Option<T> {
        self.value
    }

    /// The bytes of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone().unwrap_or_default()
    }

    pub fn is_missing(&self) -> bool {
        self.span.is_none()
    }
}

impl<T: Copy> At<T> {
    pub fn copied(&self) -> Option<T> {
        self.value
    }
}

impl<T> Default for At<T> {
    fn default() -> Self {
        Self { value: None, span: None }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// Never fails: one mistake must not hide the others.
        struct Lenient<T>(Option<T>);

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Ok(Self(T::deserialize(deserializer).ok()))
            }
        }

        let found = Option::<Spanned<Lenient<T>>>::deserialize(deserializer)?;
        let span = found.as_ref().map(Spanned::span);
        Ok(Self { span, value: found.and_then(|found| found.into_inner().0) })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

fn games(_: &mut SchemaGenerator) -> Schema {
    let games = GameId::named().map(|game| json_schema!({ "const": game.id(), "description": game.name() }));
    json_schema!({ "oneOf": games.collect::<Vec<_>>() })
}

fn types(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": FieldKind::NAMES })
}

/// Fields of any name, with those that some model reads for completion.
fn fields(generator: &mut SchemaGenerator) -> Schema {
    let any = generator.subschema_for::<FieldTable>();
    let specs = GameId::ALL.iter().flat_map(|game| game.fields());
    let read: BTreeMap<&str, Schema> = specs
        .map(|spec| {
            let length = if spec.bytes == 0 { String::new() } else { format!(" (length {})", spec.bytes) };
            let meaning = format!("{}{length}", spec.meaning);
            (spec.name, json_schema!({ "description": meaning, "allOf": [any] }))
        })
        .collect();
    json_schema!({ "type": "object", "properties": read, "additionalProperties": any })
}

fn all_variants(_: &mut SchemaGenerator) -> Schema {
    variants(GameId::ALL)
}

/// The variants of these games.
pub(super) fn variants(games: &[GameId]) -> Schema {
    let mut known: BTreeMap<&str, Vec<Schema>> = BTreeMap::new();
    for spec in games.iter().flat_map(|game| game.variants()) {
        let choices = known.entry(spec.name).or_default();
        for (name, meaning) in spec.choices {
            // Two games may have the same variant, and `oneOf` allows one match.
            let choice = json_schema!({ "const": name, "description": meaning });
            if !choices.iter().any(|known| known.get("const") == choice.get("const")) {
                choices.push(choice);
            }
        }
    }
    let known: BTreeMap<&str, Schema> =
        known.into_iter().map(|(name, choices)| (name, json_schema!({ "oneOf": choices }))).collect();
    json_schema!({ "type": "object", "properties": known, "additionalProperties": false })
}

/// The schema of the format.
pub(super) fn root() -> &'static Value {
    root_schema().as_value()
}

fn root_schema() -> &'static Schema {
    static ROOT: OnceLock<Schema> = OnceLock::new();
    ROOT.get_or_init(|| {
        let settings = SchemaSettings::draft07().with_transform(RecursiveTransform(as_in_toml));
        settings.into_generator().into_root_schema_for::<ProfileFile>()
    })
}

/// TOML has no null, and no string of a profile is empty.
fn as_in_toml(schema: &mut Schema) {
    let Some(kind) = schema.get("type").map(|kind| kind.get(0).unwrap_or(kind).clone()) else { return };
    let words = schema.get("enum").is_some() || schema.get("const").is_some();
    if kind == "string" && !words && schema.get("minLength").is_none() {
        schema.insert("minLength".to_owned(), 1.into());
    }
    schema.insert("type".to_owned(), kind);
}

/// The JSON Schema (draft 7, which TOML editors understand) of a profile, ending in a newline.
pub fn schema() -> String {
    let mut text = serde_json::to_string_pretty(root_schema()).unwrap_or_default(); // maps with text keys cannot fail
    text.push('\n');
    text
}

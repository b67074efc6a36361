//! The parts of a profile around its fields: ROMs, anchors, cells that move, variants.

use super::diagnostic::{Code, Diagnostic};
use super::model::{Anchor, RomHeader};
use super::reader::{At, Findings, Need, TableReader, unknown};
use crate::console::ConsoleAddr;
use crate::game::{GameId, VariantSpec};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

#[derive(Clone, Copy)]
enum AnchorKind {
    ChecksummedPair,
    Pools,
    Cells,
    NdsHeader,
    Codes,
    States,
    Board,
    Bytes,
}

const ANCHORS: [(&str, AnchorKind); 8] = [
    ("checksummed-pair", AnchorKind::ChecksummedPair),
    ("pools", AnchorKind::Pools),
    ("cells", AnchorKind::Cells),
    ("nds-header", AnchorKind::NdsHeader),
    ("codes", AnchorKind::Codes),
    ("states", AnchorKind::States),
    ("board", AnchorKind::Board),
    ("bytes", AnchorKind::Bytes),
];

pub(super) fn optional(
    reader: &mut TableReader<'_, '_>,
    key: &'static str,
    f: &mut Findings<'_>,
) -> Option<String> {
    reader.string(key, Need::Optional, f).map(|text| text.value.to_owned())
}

pub(super) fn roms(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Vec<RomHeader> {
    let mut roms = Vec::new();
    for (index, (table, span)) in root.tables("roms", f).into_iter().enumerate() {
        let mut reader = TableReader::new(table, span.clone(), format!("ROM {}", index + 1));
        let checksum = reader.unsigned("checksum", Need::Optional, 0..=0xFFFF, f);
        let rom = RomHeader {
            title: optional(&mut reader, "title", f),
            serial: optional(&mut reader, "serial", f),
            copyright: optional(&mut reader, "copyright", f),
            checksum: checksum.and_then(|checksum| u16::try_from(checksum.value).ok()),
            mame_set: optional(&mut reader, "mame_set", f),
            note: optional(&mut reader, "note", f),
        };
        if !["title", "serial", "checksum", "mame_set"].iter().any(|key| reader.has(key)) {
            let text = format!("{} has nothing to be recognised by", reader.what);
            f.push(
                Diagnostic::error(Code::MissingKey, span, text)
                    .help("give it a title, serial, checksum or mame_set"),
            );
        }
        reader.finish(f);
        roms.push(rom);
    }
    roms
}

pub(super) fn anchors(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Vec<At<Anchor>> {
    let mut anchors = Vec::new();
    for (index, (table, span)) in root.tables("anchors", f).into_iter().enumerate() {
        let mut reader = TableReader::new(table, span.clone(), format!("anchor {}", index + 1));
        let Some(kind) = reader.choice("kind", "kind of anchor", &ANCHORS, f) else { continue };
        let value = match kind.value {
            AnchorKind::ChecksummedPair => read_pair(&mut reader, f),
            AnchorKind::Pools => Some(Anchor::Pools),
            AnchorKind::Cells => Some(Anchor::Cells),
            AnchorKind::NdsHeader => read_header(&mut reader, f),
            AnchorKind::Codes => read_codes(&mut reader, f),
            AnchorKind::States => read_states(&mut reader, f),
            AnchorKind::Board => Some(Anchor::Board),
            AnchorKind::Bytes => read_bytes_anchor(&mut reader, f),
        };
        let _ = reader.string("note", Need::Optional, f); // for the reader of the file
        reader.finish(f);
        anchors.extend(value.map(|value| At { value, span: kind.span }));
    }
    anchors
}

fn read_pair(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<Anchor> {
    let first = reader.unsigned("first", Need::Required, 0..=u32::MAX, f);
    let second = reader.unsigned("second", Need::Required, 0..=u32::MAX, f);
    let length = reader.unsigned("length", Need::Required, 4..=0x8000, f);
    let magic = reader.string("magic", Need::Required, f);
    let magic_offset = reader.unsigned("magic_offset", Need::Required, 2..=0x7FFF, f);
    if let Some(length) = &length
        && length.value % 2 != 0
    {
        let text = "a checksummed block is a whole number of 16-bit words long";
        f.push(Diagnostic::error(Code::BadNumber, length.span.clone(), text));
    }
    if let Some(magic) = &magic
        && !magic.value.bytes().all(|byte| (0x20..0x7F).contains(&byte))
    {
        let text = "`magic` has characters outside printable ASCII";
        f.push(Diagnostic::error(Code::BadText, magic.span.clone(), text));
    }
    let (length, magic, magic_offset) = (length?, magic?, magic_offset?);
    let end = magic.value.len() + magic_offset.value as usize;
    if end > length.value as usize {
        let text = format!("`magic` does not fit: it would end at byte {end} of {}", length.value);
        f.push(
            Diagnostic::error(Code::WrongSize, magic_offset.span, text)
                .related(length.span.clone(), "the length of the block"),
        );
    }
    Some(Anchor::ChecksummedPair {
        first: ConsoleAddr(first?.value),
        second: ConsoleAddr(second?.value),
        length: length.value,
        magic: magic.value.to_owned(),
        magic_offset: magic_offset.value,
    })
}

fn read_header(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<Anchor> {
    let code = reader.string("game_code", Need::Required, f)?;
    if code.value.len() != 4
        || !code.value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    {
        f.push(
            Diagnostic::error(Code::BadText, code.span, "this cannot be the game code of a cartridge")
                .help("it has four capital letters or digits, the last one for the region, such as TP4J"),
        );
        return None;
    }
    Some(Anchor::NdsHeader { game_code: code.value.to_owned() })
}

fn read_bytes_anchor(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<Anchor> {
    let address = reader.unsigned("address", Need::Required, 0..=u32::MAX, f);
    let bytes = read_hex(reader, 1..=256, f)?;
    Some(Anchor::Bytes { address: ConsoleAddr(address?.value), bytes })
}

fn read_codes(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<Anchor> {
    // Fewer than eight codes of seven kinds would be found by chance.
    read_hex(reader, 8..=256, f).map(|pattern| Anchor::Codes { pattern })
}

fn read_states(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<Anchor> {
    let long = read_hex(reader, 4..=4, f)?.try_into().ok()?;
    Some(Anchor::States { first: u32::from_be_bytes(long), later_games: false })
}

fn read_hex(
    reader: &mut TableReader<'_, '_>,
    length: RangeInclusive<usize>,
    f: &mut Findings<'_>,
) -> Option<Vec<u8>> {
    let hex = reader.string("hex", Need::Required, f)?;
    let digits: String = hex.value.chars().filter(|c| !c.is_whitespace()).collect();
    let bytes: Option<Vec<u8>> = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => {
                let digit =
                    |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                Some(digit(*high)? << 4 | digit(*low)?)
            }
            _ => None,
        })
        .collect();
    let Some(bytes) = bytes.filter(|bytes| length.contains(&bytes.len())) else {
        let (least, most) = length.into_inner();
        let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
        f.push(
            Diagnostic::error(Code::BadText, hex.span, "`hex` is not a list of bytes")
                .help(format!("write {count} bytes of two hexadecimal digits each")),
        );
        return None;
    };
    Some(bytes)
}

/// A `[[liveness]]` entry before its field is looked up.
pub(super) struct Moving {
    pub(super) field: At<String>,
    pub(super) per_frame: At<i64>,
    pub(super) modulo: Option<At<i64>>,
    pub(super) note: Option<String>,
}

pub(super) fn liveness(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Vec<Moving> {
    let limit = i64::from(u32::MAX);
    let mut list = Vec::new();
    for (index, (table, span)) in root.tables("liveness", f).into_iter().enumerate() {
        let mut reader = TableReader::new(table, span, format!("liveness cell {}", index + 1));
        let field = reader.string("field", Need::Required, f);
        let per_frame = reader.integer("per_frame", Need::Required, -limit..=limit, f);
        let modulo = reader.integer("modulo", Need::Optional, 2..=limit + 1, f);
        let note = optional(&mut reader, "note", f);
        reader.finish(f);
        if let (Some(field), Some(per_frame)) = (field, per_frame) {
            let field = At { value: field.value.to_owned(), span: field.span };
            list.push(Moving { field, per_frame, modulo, note });
        }
    }
    list
}

pub(super) fn variants(
    root: &mut TableReader<'_, '_>,
    game: Option<GameId>,
    f: &mut Findings<'_>,
) -> BTreeMap<String, String> {
    let specs = game.map(GameId::variants).unwrap_or_default();
    let default = |spec: &VariantSpec| {
        let (choice, _) = spec.choices.first()?;
        Some((spec.name.to_owned(), (*choice).to_owned()))
    };
    let mut chosen: BTreeMap<String, String> = specs.iter().filter_map(default).collect();
    let (Some((table, _)), Some(game)) = (root.table("variants", f), game) else { return chosen };
    for (key, value) in table {
        let Some(spec) = specs.iter().find(|spec| spec.name == key.get_ref().as_ref()) else {
            let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            let what = format!("variant of {}", game.name());
            f.push(unknown(Code::UnknownName, key.span(), &what, key.get_ref(), &names));
            continue;
        };
        let choices: Vec<&str> = spec.choices.iter().map(|(name, _)| *name).collect();
        match value.get_ref().as_str() {
            Some(choice) if choices.contains(&choice) => {
                chosen.insert(spec.name.to_owned(), choice.to_owned());
            }
            Some(choice) => {
                let what = format!("choice for variant `{}`:", spec.name);
                f.push(unknown(Code::UnknownName, value.span(), &what, choice, &choices));
            }
            None => {
                let text = format!("variant `{}` must be a text", spec.name);
                f.push(Diagnostic::error(Code::WrongType, value.span(), text));
            }
        }
    }
    chosen
}

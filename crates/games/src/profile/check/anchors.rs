//! How RAM is recognised: anchors, and fields that change in every frame.

use super::fields::{Placed, cells_of};
use crate::games::GameId;
use crate::profile::diagnostic::{Code, Diagnostics, nearest, quoted};
use crate::profile::format::{AnchorTable, At, LivenessTable};
use crate::profile::games::{
    has_board, has_piece_buffer, has_plausible_fields, has_pools, has_rng_pair, pool_fields,
};
use crate::profile::model::{Anchor, Liveness};
use nextscope_memory::console::{ConsoleAddr, ConsoleId, Domain};
use std::ops::RangeInclusive;

pub(super) fn anchor(
    at: &At<AnchorTable>,
    fields: &[Placed<'_>],
    game: Option<GameId>,
    console: Option<ConsoleId>,
    found: &mut Diagnostics<'_>,
) -> Option<Anchor> {
    // For a game that lacks what the anchor needs.
    let only = |has: fn(GameId) -> bool, what: &str, found: &mut Diagnostics<'_>| {
        if let Some(game) = game.filter(|game| !has(*game)) {
            let text = format!("{} has no {what}", game.name());
            found.error(Code::BadReference, at.span(), text);
        }
    };
    Some(match at.get()? {
        AnchorTable::ChecksummedPair { first, second, length, magic, magic_offset, .. } => {
            let domain = console.map(ConsoleId::domain);
            return checksummed_pair([first, second], length, magic, magic_offset, domain, found);
        }
        AnchorTable::Pools { .. } => {
            only(has_pools, "pools to check", found);
            for name in game.filter(|game| has_pools(*game)).map(pool_fields).unwrap_or_default() {
                if !fields.iter().any(|placed| placed.name() == name) {
                    let text = format!("the anchor needs a field `{name}`, which is missing");
                    found.error(Code::BadReference, at.span(), text);
                }
            }
            Anchor::Pools
        }
        AnchorTable::PlausibleFields { .. } => {
            only(has_plausible_fields, "fields to recognise it by", found);
            Anchor::PlausibleFields
        }
        AnchorTable::NdsHeader { game_code, .. } => {
            if let Some(console) = console.filter(|console| *console != ConsoleId::Nds) {
                let text = format!("a {} has no cartridge header in RAM", console.name());
                found.error(Code::BadReference, at.span(), text);
            }
            let code = game_code.get()?;
            if code.len() != 4 || !code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            {
                found
                    .error(Code::BadText, game_code.span(), "this cannot be the game code of a cartridge")
                    .help("it has four capital letters or digits, the last one for the region, such as TP4J");
            }
            Anchor::NdsHeader { game_code: code.clone() }
        }
        AnchorTable::PieceBuffer { hex, .. } => {
            only(has_piece_buffer, "piece buffer", found);
            // Fewer than eight codes of seven kinds would match by chance.
            Anchor::PieceBuffer { pattern: from_hex(hex, 8..=256, found)? }
        }
        AnchorTable::RngPair { hex, .. } => {
            only(has_rng_pair, "seed of its pieces", found);
            let first = from_hex(hex, 4..=4, found)?.try_into().ok()?;
            Anchor::RngPair { first: u32::from_be_bytes(first), later_games: false }
        }
        AnchorTable::PlayfieldLayout { .. } => {
            only(has_board, "playfield to recognise it by", found);
            Anchor::PlayfieldLayout
        }
        AnchorTable::Bytes { address, hex, .. } => {
            let bytes = from_hex(hex, 1..=256, found);
            let mut addr = ConsoleAddr(address.copied()?);
            let len = u32::try_from(bytes.as_ref().map_or(1, Vec::len)).unwrap_or(u32::MAX);
            if let Some(console) = console {
                cells_of(console.domain(), &mut addr, len, address.span(), "the anchor", found);
            }
            Anchor::Bytes { address: addr, bytes: bytes? }
        }
    })
}

fn checksummed_pair(
    blocks: [&At<u32>; 2],
    length: &At<u32>,
    magic: &At<String>,
    magic_offset: &At<u32>,
    domain: Option<&Domain>,
    found: &mut Diagnostics<'_>,
) -> Option<Anchor> {
    if length.copied().is_some_and(|length| length % 2 != 0) {
        let text = "a checksummed block consists of 16-bit words: its length is even";
        found.error(Code::BadNumber, length.span(), text);
    }
    if magic.get().is_some_and(|magic| !magic.bytes().all(|byte| (0x20..0x7F).contains(&byte))) {
        let text = "`magic` has characters outside printable ASCII";
        found.error(Code::BadText, magic.span(), text);
    }
    if let (Some(text), Some(offset), Some(length_value)) =
        (magic.get(), magic_offset.copied(), length.copied())
    {
        let end = text.len() + offset as usize;
        if end > length_value as usize {
            let text = format!("`magic` does not fit: it would end at byte {end} of {length_value}");
            found
                .error(Code::WrongSize, magic_offset.span(), text)
                .related(length.span(), "the length of the block");
        }
    }
    let length = length.copied()?;
    let mut addresses = Vec::new();
    let mut cells = Vec::new();
    for (block, what) in blocks.into_iter().zip(["the first block", "the second block"]) {
        let Some(mut address) = block.copied().map(ConsoleAddr) else { continue };
        cells.extend(
            domain.and_then(|domain| cells_of(domain, &mut address, length, block.span(), what, found)),
        );
        addresses.push(address);
    }
    if let [one, two] = &cells[..]
        && one.start < two.end
        && two.start < one.end
    {
        found
            .error(Code::Overlap, blocks[1].span(), "the two blocks of the anchor overlap")
            .related(blocks[0].span(), "the first block is here")
            .help("check `first`, `second` and `length`");
    }
    let [first, second] = addresses[..] else { return None };
    Some(Anchor::ChecksummedPair {
        first,
        second,
        length,
        magic: magic.get()?.clone(),
        magic_offset: magic_offset.copied()?,
    })
}

fn from_hex(hex: &At<String>, length: RangeInclusive<usize>, found: &mut Diagnostics<'_>) -> Option<Vec<u8>> {
    let digits: String = hex.get()?.chars().filter(|c| !c.is_whitespace()).collect();
    let byte = |pair: &[u8]| match pair {
        // `from_str_radix` alone would allow a sign.
        [high, low] if high.is_ascii_hexdigit() => {
            let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            Some(digit(*high)? << 4 | digit(*low)?)
        }
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    let bytes = bytes.filter(|bytes| length.contains(&bytes.len()));
    if bytes.is_none() {
        let (least, most) = length.into_inner();
        let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
        found
            .error(Code::BadText, hex.span(), "`hex` is not a list of bytes")
            .help(format!("write {count} bytes of two hexadecimal digits each"));
    }
    bytes
}

/// The field is there, is an integer, and can change by that much.
pub(super) fn liveness(
    table: &LivenessTable,
    fields: &[Placed<'_>],
    found: &mut Diagnostics<'_>,
) -> Option<Liveness> {
    let name = table.field.get()?;
    let Some(placed) = fields.iter().find(|placed| placed.name() == name) else {
        let names: Vec<&str> = nearest(name, fields.iter().map(Placed::name)).into_iter().collect();
        let text = format!("unknown field {}", quoted(name));
        let wrong = found.unknown(Code::BadReference, table.field.span(), text, name, &names);
        if names.is_empty() {
            wrong.help("write the name of one of the [fields]");
        }
        return None;
    };
    let kind = placed.field.as_ref()?.kind;
    if !kind.is_integer() {
        let text = format!("field `{name}` cannot count: it is {kind}");
        found
            .error(Code::BadReference, table.field.span(), text)
            .related(placed.kind_span(), "its type")
            .help("its type must be one of u8, u16, u32, i8, i16, i32");
        return None;
    }
    let values = 1_u64 << (kind.bytes() * 8);
    let modulo = table.modulo.copied().unwrap_or(values);
    if modulo > values {
        let text = format!("a {kind} cannot count to {modulo}");
        found
            .error(Code::BadNumber, table.modulo.span(), text)
            .help(format!("`modulo` may be up to {values}, which is its default"));
    }
    let per_frame = table.per_frame.copied()?;
    if per_frame == 0 || per_frame.unsigned_abs() >= modulo {
        let text = format!("adding {per_frame} modulo {modulo} is not a change that can be observed");
        found
            .error(Code::BadNumber, table.per_frame.span(), text)
            .help(format!("`per_frame` is not 0 and smaller than {modulo}"));
    }
    Some(Liveness { field: name.clone(), per_frame, modulo, note: table.note.get().cloned() })
}

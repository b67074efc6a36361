//! What the parts of a profile must be to each other, to the console and to the model: the checks that a schema cannot express.

use super::board::{BOARD_COLORS, BoardLayout, order_name};
use super::diagnostic::{Code, Diagnostic, Diagnostics, Severity, nearest, quoted};
use super::format::{AnchorTable, At, BoardTable, FieldTable, LivenessTable, ProfileFile};
use super::games::{
    field_problem, has_board, has_piece_buffer, has_plausible_fields, has_pools, has_rng_pair, pool_fields,
};
use super::model::{Anchor, Liveness, Origin, Profile, Status, digest};
use super::{Field, FieldKind, Through};
use crate::games::{FieldSpec, GameId};
use nextscope_memory::console::{ConsoleAddr, ConsoleId, Domain};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use toml::Spanned;

/// The profile of a file, when nothing that it needs is missing; it is not usable if an error was found.
pub(super) fn check(
    file: ProfileFile,
    text: &str,
    file_name: &str,
    first_line: &Range<usize>,
    found: &mut Diagnostics<'_>,
) -> Option<Profile> {
    if file.id.get().is_some_and(|id| !is_name(id, '-')) {
        found
            .error(Code::BadText, file.id.span(), "this cannot be the id of a profile")
            .help("use 1 to 64 lower-case letters, digits and hyphens");
    }
    if !file.game.is_missing() && !file.randomizer.is_missing() {
        found
            .error(Code::Impossible, file.game.span(), "the profile has both `game` and [randomizer]")
            .related(file.randomizer.span(), "the randomizer is declared here")
            .help("remove `game` to deal as declared, or remove [randomizer] to use the built-in model");
    }
    let declared = file.randomizer.get().and_then(|_| GameId::of_declared_randomizers());
    let (game, console) = (file.game.copied().or(declared), file.console.copied());
    let domain = console.map(ConsoleId::domain);
    let mut fields: Vec<Placed<'_>> =
        file.fields.iter().map(|(name, table)| Placed::new(name, table, found)).collect();
    if let Some(domain) = domain {
        place(&mut fields, domain, found);
        pointers(&mut fields, domain, found);
        overlaps(&fields, game, found);
    }
    if let Some(game) = game {
        against_model(&fields, game, &file, found);
    }
    let anchors: Vec<Option<Anchor>> =
        file.anchors.iter().map(|table| anchor(table, &fields, game, console, found)).collect();
    let liveness: Vec<Option<Liveness>> =
        file.liveness.iter().map(|table| liveness(table, &fields, found)).collect();
    let board = board(&file.board, game, domain, found);

    if anchors.is_empty() && !found.failed {
        warn(found, first_line.clone(), "the profile has no [[anchors]]")
            .help("without one, RAM is found only in emulators whose memory layout is known");
    }
    // Where nothing but such an anchor is known, no field is known that changes.
    let located_by_content = anchors.iter().flatten().any(|anchor| {
        matches!(anchor, Anchor::PieceBuffer { .. } | Anchor::RngPair { .. } | Anchor::PlayfieldLayout)
    });
    if liveness.is_empty() && !located_by_content && !found.failed {
        warn(found, first_line.clone(), "the profile has no [[liveness]]").help(
            "without a field that changes, live RAM cannot be distinguished from a copy such as a save state",
        );
    }
    let fields =
        fields.into_iter().filter_map(|placed| Some((placed.name().to_owned(), placed.field?))).collect();
    let specs = game.map(GameId::variants).unwrap_or_default();
    let variants = specs.iter().filter_map(|spec| {
        let chosen = file.variants.get(spec.name).and_then(At::get).map(String::as_str);
        let default = spec.choices.first().map(|(choice, _)| *choice);
        Some((spec.name.to_owned(), chosen.or(default)?.to_owned()))
    });
    Some(Profile {
        variants: variants.collect(),
        fields,
        id: file.id.into_inner()?,
        name: file.name.into_inner()?,
        game: game?,
        console: console?,
        status: file.status.copied()?,
        notes: file.notes.get().map_or_else(String::new, |notes| notes.trim_end().to_owned()),
        roms: file.roms.into_iter().map(At::into_inner).collect::<Option<_>>()?,
        anchors: anchors.into_iter().collect::<Option<_>>()?,
        liveness: liveness.into_iter().collect::<Option<_>>()?,
        board,
        frames: file.frames.into_inner(),
        randomizer: file.randomizer.into_inner(),
        origin: Origin::File(file_name.into()),
        digest: digest(text),
        text: text.into(),
    })
}

/// A name: 1 to 64 of lower-case letters, digits and `joint`.
fn is_name(text: &str, joint: char) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint)
}

/// A field of the file.
struct Placed<'a> {
    spanned_name: &'a Spanned<String>,
    table: &'a FieldTable,
    /// None when it is wrong; its name counts as defined.
    field: Option<Field>,
    /// The bytes of the domain that it covers.
    cells: Option<Range<usize>>,
}

impl<'a> Placed<'a> {
    fn new(name: &'a Spanned<String>, table: &'a FieldTable, found: &mut Diagnostics<'_>) -> Self {
        if !is_name(name.get_ref(), '_') {
            found
                .error(Code::BadText, name.span(), "this cannot be the name of a field")
                .help("use 1 to 64 lower-case letters, digits and underscores");
        }
        let kind = field_kind(name, table, found);
        let field = kind.zip(table.address.copied()).map(|(kind, address)| Field {
            name: name.get_ref().clone(),
            address: ConsoleAddr(address),
            through: None,
            kind,
            confirmed: table.confirmed.copied().unwrap_or(true),
            source: table.source.get().cloned().unwrap_or_default(),
            note: table.note.get().cloned(),
        });
        Self { spanned_name: name, table, field, cells: None }
    }

    fn name(&self) -> &'a str {
        self.spanned_name.get_ref()
    }

    /// The position of its length, or else of its type.
    fn kind_span(&self) -> Range<usize> {
        let (kind, length) = (&self.table.kind, &self.table.length);
        if length.is_missing() { kind.span() } else { length.span() }
    }
}

fn field_kind(name: &Spanned<String>, table: &FieldTable, found: &mut Diagnostics<'_>) -> Option<FieldKind> {
    let length = table.length.copied();
    let kind = FieldKind::from_name(table.kind.get()?, length.unwrap_or(0))?;
    match (kind.is_integer(), table.length.is_missing()) {
        (true, true) => return Some(kind),
        (true, false) => {
            let text = format!("a {kind} has no `length`: it is always {}", bytes(kind.bytes()));
            let help = "`length` belongs to bcd, bytes and text";
            found.error(Code::WrongSize, table.length.span(), text).help(help);
        }
        (false, true) => {
            let text = format!("[fields.{}] has no `length`", name.get_ref());
            let help = format!("{} needs a length in bytes", kind.name());
            found.error(Code::MissingKey, name.span(), text).help(help);
        }
        (false, false) if matches!(kind, FieldKind::Bcd { length: 9.. }) => {
            let text = format!("`length` of [fields.{}] is out of range", name.get_ref());
            found.error(Code::BadNumber, table.length.span(), text).help("for bcd it may be 1 to 8");
        }
        (false, false) => return length.map(|_| kind),
    }
    None
}

fn bytes(count: u32) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// The offsets of `len` bytes at `addr`, which is replaced by the documented address when it is a mirror.
fn cells_of(
    domain: &Domain,
    addr: &mut ConsoleAddr,
    len: u32,
    span: Range<usize>,
    what: &str,
    found: &mut Diagnostics<'_>,
) -> Option<Range<usize>> {
    let Some(cells) = domain.span(*addr, len as usize) else {
        let text = if domain.offset_of(*addr).is_some() {
            format!("{what} of {len} bytes at {addr} runs past the end of {}", domain.name)
        } else {
            format!("{what} at {addr} is outside {}", domain.name)
        };
        found.error(Code::OutsideDomain, span, text).help(limits(domain));
        return None;
    };
    let documented = domain.address_at(cells.start);
    if documented != *addr {
        let text = format!("{addr} is a mirror of {documented}, which will be read");
        let help = format!("documents write {documented}");
        found.add(Severity::Note, Code::Mirror, span, text).help(help);
    }
    *addr = documented;
    Some(cells)
}

fn limits(domain: &Domain) -> String {
    format!("{} is at {} to {}", domain.name, domain.base, domain.base.offset(domain.len - 1))
}

/// Finds the cells of every field, and replaces mirrors by the documented address.
fn place(fields: &mut [Placed<'_>], domain: &Domain, found: &mut Diagnostics<'_>) {
    for placed in fields {
        let (what, span) = (format!("field `{}`", placed.name()), placed.table.address.span());
        let Some(field) = &mut placed.field else { continue };
        placed.cells = cells_of(domain, &mut field.address, field.kind.bytes(), span, &what, found);
    }
}

/// Resolves the pointers of the fields that are behind one.
fn pointers(fields: &mut [Placed<'_>], domain: &Domain, found: &mut Diagnostics<'_>) {
    let mut known: Vec<(&str, ConsoleAddr, ConsoleAddr)> = Vec::new();
    for placed in fields.iter() {
        let table = placed.table;
        let (Some(field), Some(target)) = (&placed.field, table.points_to.copied()) else { continue };
        if field.kind != FieldKind::U32 || table.through.get().is_some() {
            let text = format!("field `{}` cannot be a pointer", placed.name());
            found
                .error(Code::BadReference, placed.spanned_name.span(), text)
                .help("a pointer has the type u32 and an address of its own, without `through`");
        }
        let (mut target, span) = (ConsoleAddr(target), table.points_to.span());
        if cells_of(domain, &mut target, 1, span, "the target of the pointer", found).is_some() {
            known.push((placed.name(), field.address, target));
        }
    }
    for placed in fields {
        let (table, name) = (placed.table, placed.name());
        let (Some(field), Some(through)) = (&mut placed.field, table.through.get()) else { continue };
        let Some((pointer, cell, target)) = known.iter().find(|(name, ..)| name == through) else {
            let names: Vec<&str> = known.iter().map(|(name, ..)| *name).collect();
            let text = format!("unknown pointer {}", quoted(through));
            let wrong = found.unknown(Code::BadReference, table.through.span(), text, through, &names);
            if names.is_empty() {
                wrong.help("a pointer is a field with `points_to`");
            }
            continue;
        };
        match field.address.0.checked_sub(target.0) {
            Some(offset) => {
                field.through = Some(Through { pointer: (*pointer).to_owned(), cell: *cell, offset });
            }
            None => {
                let text = format!("field `{name}` is before {target}, where `{pointer}` points");
                found
                    .error(Code::BadReference, table.address.span(), text)
                    .help("write the address that it has when the value of the pointer is its `points_to`");
            }
        }
    }
}

/// Two fields on the same bytes are a mistake, unless a longer one describes the structure of which the other is a
/// part, or the file says `overlaps = true`. Fields of the model never share bytes without saying so.
fn overlaps(fields: &[Placed<'_>], game: Option<GameId>, found: &mut Diagnostics<'_>) {
    let specs = game.map(GameId::fields).unwrap_or_default();
    let read_by_model = |placed: &Placed<'_>| specs.iter().any(|spec| spec.name == placed.name());
    let may_overlap = |placed: &Placed<'_>| placed.table.overlaps.copied().unwrap_or(false);
    let mut sorted: Vec<(&Range<usize>, bool, &Placed<'_>)> = fields
        .iter()
        .filter_map(|placed| Some((placed.cells.as_ref()?, read_by_model(placed), placed)))
        .collect();
    sorted.sort_by_key(|(cells, _, placed)| {
        (cells.start, Reverse(cells.end), placed.spanned_name.span().start)
    });
    for (index, (cells, model, placed)) in sorted.iter().enumerate() {
        let following = sorted.iter().skip(index + 1).take_while(|(other, _, _)| other.start < cells.end);
        for (other_cells, other_model, other) in following {
            if found.is_full() {
                return;
            }
            let same = cells == other_cells;
            let part = !same && other_cells.end <= cells.end;
            if may_overlap(placed) || may_overlap(other) || (part && !(*model && *other_model)) {
                continue;
            }
            // The later one in the file is probably the mistake.
            let placed_first = placed.spanned_name.span().start <= other.spanned_name.span().start;
            let (first, second) = if placed_first { (placed, other) } else { (other, placed) };
            let shared = cells.end.min(other_cells.end) - other_cells.start;
            let how = if same {
                "is on the same bytes as".to_owned()
            } else {
                format!("shares {} with", bytes(u32::try_from(shared).unwrap_or(u32::MAX)))
            };
            let text = format!("field `{}` {how} field `{}`", second.name(), first.name());
            let severity = if *model || *other_model { Severity::Error } else { Severity::Warning };
            found
                .add(severity, Code::Overlap, second.table.address.span(), text)
                .related(first.table.address.span(), format!("`{}` is here", first.name()))
                .help("correct the address or length, or write `overlaps = true` if it is intended");
        }
    }
}

/// Sizes and presence of the fields that the model reads.
fn against_model(fields: &[Placed<'_>], game: GameId, file: &ProfileFile, found: &mut Diagnostics<'_>) {
    for spec in game.fields() {
        let Some(placed) = fields.iter().find(|placed| placed.name() == spec.name) else {
            if spec.required {
                missing(fields, spec, game, file.game.span(), found);
            }
            continue;
        };
        let Some(field) = &placed.field else { continue };
        if let Some((message, help)) =
            file.randomizer.get().and_then(|randomizer| field_problem(game, randomizer, field))
        {
            found.error(Code::WrongSize, placed.kind_span(), message).help(help);
        }
        if spec.bytes != 0 && field.kind.bytes() != spec.bytes {
            let length = bytes(field.kind.bytes());
            let text =
                format!("field `{}` is {length} long, {} reads {}", spec.name, game.name(), spec.bytes);
            let help = format!("{}: {}", spec.meaning, FieldKind::of_size(spec.bytes).keys().join(", "));
            found.error(Code::WrongSize, placed.kind_span(), text).help(help);
        }
        if file.status.copied() == Some(Status::Confirmed) && spec.required && !field.confirmed {
            let text = format!("the profile is confirmed, but its field `{}` is not", spec.name);
            warn(found, file.status.span(), text)
                .related(placed.spanned_name.span(), "not confirmed")
                .help("write status = \"partly-confirmed\"");
        }
    }
}

/// A claim that is not supported.
fn warn<'f>(
    found: &'f mut Diagnostics<'_>,
    span: Range<usize>,
    message: impl Into<String>,
) -> &'f mut Diagnostic {
    found.add(Severity::Warning, Code::Doubtful, span, message)
}

fn missing(
    fields: &[Placed<'_>],
    spec: &FieldSpec,
    game: GameId,
    span: Range<usize>,
    found: &mut Diagnostics<'_>,
) {
    let extra = fields.iter().map(Placed::name);
    let extra = extra.filter(|name| !game.fields().iter().any(|spec| spec.name == *name));
    let text = format!("{} needs a field `{}`: {}", game.name(), spec.name, spec.meaning);
    let help = match nearest(spec.name, extra) {
        Some(near) => format!("should `{near}` be `{}`?", spec.name),
        None => {
            let keys = FieldKind::of_size(spec.bytes).keys().join(", ");
            format!("add [fields.{}] with address, {keys} and source", spec.name)
        }
    };
    found.error(Code::MissingField, span, text).help(help);
}

fn anchor(
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
fn liveness(table: &LivenessTable, fields: &[Placed<'_>], found: &mut Diagnostics<'_>) -> Option<Liveness> {
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

fn board(
    at: &At<BoardTable>,
    game: Option<GameId>,
    domain: Option<&Domain>,
    found: &mut Diagnostics<'_>,
) -> Option<BoardLayout> {
    let table = at.get()?;
    if let Some(game) = game.filter(|game| !has_board(*game)) {
        let text = format!("{} has no playfield that is read through [board]", game.name());
        found.error(Code::BadReference, at.span(), text);
    }
    for (key, stride) in [("column_stride", &table.column_stride), ("row_stride", &table.row_stride)] {
        if stride.copied() == Some(0) {
            let text = format!("`{key}` of [board] is 0: all cells would be one");
            found.error(Code::BadNumber, stride.span(), text);
        }
    }
    let mask = table.mask.copied().unwrap_or(0xFF);
    let colors = [&table.red, &table.green, &table.blue, &table.yellow];
    board_codes(
        mask,
        std::iter::once(("empty", &table.empty)).chain(BOARD_COLORS.into_iter().zip(colors)),
        found,
    );
    if let (Some(stored), Some(domain)) = (table.stored.copied(), domain)
        && !domain.orders.contains(&stored)
    {
        let text = format!("no emulator stores {} in this order", domain.name);
        let known = domain.orders.iter().map(|order| format!("`{}`", order_name(*order)));
        found
            .error(Code::UnknownName, table.stored.span(), text)
            .help(format!("known: {}", known.collect::<Vec<_>>().join(", ")));
    }
    let mut layout = BoardLayout {
        address: ConsoleAddr(table.address.copied()?),
        second: table.second.copied().map(ConsoleAddr),
        columns: table.columns.copied()?,
        rows: table.rows.copied()?,
        column_stride: table.column_stride.copied().filter(|stride| *stride != 0)?,
        row_stride: table.row_stride.copied().filter(|stride| *stride != 0)?,
        mask,
        empty: table.empty.copied()?,
        codes: colors.map(At::copied),
        stored: table.stored.copied(),
        source: table.source.get()?.clone(),
        confirmed: table.confirmed.copied().unwrap_or(true),
        note: table.note.get().cloned(),
    };
    board_cells(&mut layout, table, domain?, found);
    Some(layout)
}

/// The codes differ, and have no bits outside the mask.
fn board_codes<'a>(
    mask: u8,
    codes: impl Iterator<Item = (&'static str, &'a At<u8>)>,
    found: &mut Diagnostics<'_>,
) {
    let mut known: BTreeMap<u8, (&str, Range<usize>)> = BTreeMap::new();
    for (name, at) in codes {
        let Some(code) = at.copied() else { continue };
        if code & !mask != 0 {
            let text = format!("`{name}` is 0x{code:02X}, which has bits outside the mask 0x{mask:02X}");
            found.error(Code::BadNumber, at.span(), text);
        }
        if let Some((other, span)) = known.get(&code) {
            let text = format!("`{name}` and `{other}` have the same code");
            found.error(Code::Duplicate, at.span(), text).related(span.clone(), format!("`{other}` is here"));
        }
        known.entry(code).or_insert((name, at.span()));
    }
}

/// All cells are in the console's RAM, each on another byte.
fn board_cells(layout: &mut BoardLayout, table: &BoardTable, domain: &Domain, found: &mut Diagnostics<'_>) {
    let mut used: BTreeMap<usize, &'static str> = BTreeMap::new();
    let first = ("the playfield", Some(layout.address), &table.address);
    let second = ("the second playfield", layout.second, &table.second);
    for (what, address, at) in [first, second] {
        let Some(address) = address else { continue };
        let Some(cells) = layout.offsets(domain, address) else {
            let text = format!("{what} at {address} has cells outside {}", domain.name);
            found.error(Code::OutsideDomain, at.span(), text).help(limits(domain));
            continue;
        };
        if let Some(other) = cells.into_iter().find_map(|cell| used.insert(cell, what)) {
            let text = if other == what {
                format!("two cells of {what} are on the same byte")
            } else {
                format!("{what} and {other} share a byte")
            };
            found.error(Code::Overlap, at.span(), text).help("correct the address or the strides");
        }
    }
    for at in std::iter::once(&mut layout.address).chain(&mut layout.second) {
        *at = domain.offset_of(*at).map_or(*at, |offset| domain.address_at(offset)); // as documents write it
    }
}

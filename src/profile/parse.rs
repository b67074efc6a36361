//! Text to profile, or what is wrong with the text.

use super::check::{self, Placed};
use super::diagnostic::{Code, Diagnostic};
use super::model::{Anchor, Origin, Profile, Status, digest};
use super::reader::{At, Findings, Need, TableReader};
use super::{Field, FieldKind, board, frames, sections};
use crate::console::{ConsoleAddr, ConsoleId};
use crate::game::GameId;
use std::ops::Range;
use toml::de::DeTable;

/// The longest file that is looked at, in bytes: a hundred times the longest built-in profile.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// The most fields of one profile: RAM has 65,536 bytes, and every pair of fields is compared.
const MAX_FIELDS: usize = 4096;

/// Syntax errors told of one file: after the first few, the rest are their echo.
const MAX_SYNTAX_ERRORS: usize = 5;

/// The words for the types of fields. The length that goes with some is filled in later.
pub(super) const KINDS: [(&str, FieldKind); 9] = [
    ("u8", FieldKind::U8),
    ("u16", FieldKind::U16),
    ("u32", FieldKind::U32),
    ("i8", FieldKind::I8),
    ("i16", FieldKind::I16),
    ("i32", FieldKind::I32),
    ("bcd", FieldKind::Bcd { length: 0 }),
    ("bytes", FieldKind::Bytes { length: 0 }),
    ("text", FieldKind::Text { length: 0 }),
];

/// Reads a profile from bytes as they stand in a file; see [`parse`].
#[must_use]
pub fn parse_bytes(bytes: &[u8], file_name: &str) -> (Option<Profile>, Vec<Diagnostic>) {
    let mut findings = Findings::new(file_name);
    if let Some(too_large) = check_size(bytes.len()) {
        findings.push(too_large);
        return (None, findings.into_list());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, file_name),
        Err(error) => {
            let at = error.valid_up_to();
            let text = format!("the file is not UTF-8 text: byte {at} begins no character");
            findings.push(
                Diagnostic::error(Code::NotUtf8, at..at + 1, text).help("save it as UTF-8 in your editor"),
            );
            (None, findings.into_list())
        }
    }
}

fn check_size(bytes: usize) -> Option<Diagnostic> {
    (bytes > MAX_FILE_BYTES).then(|| {
        let text = format!("the file is larger than {} KiB and was not read", MAX_FILE_BYTES / 1024);
        Diagnostic::error(Code::TooLarge, 0..0, text).help("a profile has a few KiB; is this one?")
    })
}

/// Reads a profile. `file_name` stands in the diagnostics and in the profile's origin.
///
/// The profile is there if no diagnostic is an error. The diagnostics stand in the order of the file; their
/// spans are bytes of `text`.
#[must_use]
pub fn parse(text: &str, file_name: &str) -> (Option<Profile>, Vec<Diagnostic>) {
    let mut findings = Findings::new(file_name);
    let profile = parse_into(text, file_name, &mut findings);
    let profile = profile.filter(|_| !findings.failed);
    (profile, findings.into_list())
}

fn parse_into(text: &str, file_name: &str, f: &mut Findings<'_>) -> Option<Profile> {
    if let Some(too_large) = check_size(text.len()) {
        f.push(too_large);
        return None;
    }
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        f.push(
            Diagnostic::error(Code::Empty, 0..0, "the file is empty")
                .help("`nextscope profile new` writes a starting point"),
        );
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        // What follows an error in its line mostly follows from it.
        let mut lines = Vec::new();
        for error in &errors {
            let span = error.span().unwrap_or(0..0);
            let line = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
            if lines.len() < MAX_SYNTAX_ERRORS && !lines.contains(&line) {
                lines.push(line);
                f.push(Diagnostic::error(Code::Syntax, span, error.message()));
            }
        }
        return None;
    }
    read_profile(TableReader::new(document.get_ref(), first_line(text), "the profile"), text, file_name, f)
}

/// The first line that says something: it stands for the file as a whole.
fn first_line(text: &str) -> Range<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let said = line.trim();
        if !said.is_empty() && !said.starts_with('#') {
            return start..start + line.trim_end().len();
        }
        start += line.len();
    }
    0..0
}

fn read_profile(
    mut root: TableReader<'_, '_>,
    text: &str,
    file_name: &str,
    f: &mut Findings<'_>,
) -> Option<Profile> {
    let id = root.string("id", Need::Required, f);
    if let Some(id) = &id
        && !TableReader::is_name(id.value, '-')
    {
        f.push(
            Diagnostic::error(Code::BadText, id.span.clone(), "this cannot be the id of a profile")
                .help("use 1 to 64 lower-case letters, digits and hyphens"),
        );
    }
    let name = root.string("name", Need::Required, f);
    let games: Vec<_> = GameId::ALL.iter().map(|game| (game.id(), *game)).collect();
    let game = root.choice("game", "game", &games, f);
    let consoles: Vec<_> = ConsoleId::ALL.iter().map(|console| (console.id(), *console)).collect();
    let console = root.choice("console", "console", &consoles, f);
    let statuses = Status::ALL.map(|status| (status.id(), status));
    let status = root.choice("status", "status", &statuses, f);
    let notes = root.string("notes", Need::Optional, f);
    let roms = sections::roms(&mut root, f);
    let anchors = sections::anchors(&mut root, f);
    let moving = sections::liveness(&mut root, f);
    let fields = read_fields(&mut root, f);
    let variants = sections::variants(&mut root, game.as_ref().map(|game| game.value), f);
    let board = board::board(&mut root, f);
    let frames = frames::frames(&mut root, f);
    root.finish(f);

    let mut placed = fields;
    if let Some(console) = &console {
        check::place(&mut placed, console.value, f);
        check::pointers(&mut placed, console.value, f);
        check::overlaps(&placed, game.as_ref().map(|game| game.value), f);
    }
    if let Some(game) = &game {
        check::against_model(&placed, game, status.as_ref(), f);
    }
    let anchors = check::anchors(anchors, &placed, game.as_ref(), console.as_ref(), f);
    let liveness = check::liveness(moving, &placed, f);
    let board = board::check(board, game.as_ref(), console.as_ref(), f);
    if anchors.is_empty() && !f.failed {
        f.push(
            Diagnostic::warning(Code::Doubtful, first_line(text), "the profile has no [[anchors]]")
                .help("without one, RAM is found only in emulators whose memory layout is known"),
        );
    }
    // Where the recipe is all that is known, nothing is known that moves.
    let recipe = anchors
        .iter()
        .any(|anchor| matches!(anchor, Anchor::Codes { .. } | Anchor::States { .. } | Anchor::Board));
    if liveness.is_empty() && !recipe && !f.failed {
        f.push(
            Diagnostic::warning(Code::Doubtful, first_line(text), "the profile has no [[liveness]]")
                .help("without a cell that moves, live RAM cannot be told from a copy such as a save state"),
        );
    }
    Some(Profile {
        id: id?.value.to_owned(),
        name: name?.value.to_owned(),
        game: game?.value,
        console: console?.value,
        status: status?.value,
        notes: notes.map_or_else(String::new, |notes| notes.value.trim_end().to_owned()),
        roms,
        anchors,
        liveness,
        fields: placed.into_iter().filter_map(Placed::into_entry).collect(),
        variants,
        board,
        frames,
        origin: Origin::File(file_name.into()),
        digest: digest(text),
        text: text.into(),
    })
}

fn read_fields(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Vec<Placed> {
    let Some((table, span)) = root.table("fields", f) else { return Vec::new() };
    if table.len() > MAX_FIELDS {
        let text = format!("{} fields are more than a profile can have", table.len());
        f.push(Diagnostic::error(Code::TooLarge, span, text).help(format!("{MAX_FIELDS} are enough")));
        return Vec::new();
    }
    table.iter().map(|(key, value)| read_field(key, value, f)).collect()
}

fn read_field(
    key: &toml::Spanned<toml::de::DeString<'_>>,
    value: &toml::Spanned<toml::de::DeValue<'_>>,
    f: &mut Findings<'_>,
) -> Placed {
    let name = key.get_ref();
    let mut placed = Placed::unknown(name, key.span());
    let Some(table) = value.get_ref().as_table() else {
        f.push(
            Diagnostic::error(Code::WrongType, value.span(), format!("field `{name}` is not a table"))
                .help("write [fields.NAME] and below it address, type and source"),
        );
        return placed;
    };
    if !TableReader::is_name(name, '_') {
        f.push(
            Diagnostic::error(Code::BadText, key.span(), "this cannot be the name of a field")
                .help("use 1 to 64 lower-case letters, digits and underscores"),
        );
    }
    let mut reader = TableReader::new(table, key.span(), format!("field `{name}`"));
    let address = reader.unsigned("address", Need::Required, 0..=u32::MAX, f);
    let kind = read_kind(&mut reader, f);
    placed.points_to = reader.unsigned("points_to", Need::Optional, 0..=u32::MAX, f);
    placed.through = reader
        .string("through", Need::Optional, f)
        .map(|through| At { value: through.value.to_owned(), span: through.span });
    let source = reader.string("source", Need::Required, f);
    let confirmed = reader.boolean("confirmed", true, f);
    let note = sections::optional(&mut reader, "note", f);
    placed.overlaps = reader.boolean("overlaps", false, f);
    reader.finish(f);
    if let (Some(address), Some(kind)) = (&address, &kind) {
        placed.address_span = address.span.clone();
        placed.kind_span = kind.span.clone();
        placed.field = Some(Field {
            name: name.to_string(),
            address: ConsoleAddr(address.value),
            through: None,
            kind: kind.value,
            confirmed,
            source: source.map_or_else(String::new, |source| source.value.to_owned()),
            note,
        });
    }
    placed
}

fn read_kind(reader: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<At<FieldKind>> {
    let kind = reader.choice("type", "type", &KINDS, f);
    let Some(kind) = kind else {
        let _ = reader.raw("length"); // a known key, whatever the type was meant to be
        return None;
    };
    if kind.value.is_integer() {
        if let Some(length) = reader.raw("length") {
            let text = format!("a {} has no `length`: it is always {} bytes", kind.value, kind.value.bytes());
            let text = text.replace("always 1 bytes", "always 1 byte");
            f.push(
                Diagnostic::error(Code::WrongSize, length.span(), text)
                    .help("`length` belongs to bcd, bytes and text"),
            );
            return None;
        }
        return Some(kind);
    }
    let longest = if matches!(kind.value, FieldKind::Bcd { .. }) { 8 } else { 0x1_0000 };
    let length = reader.unsigned("length", Need::Required, 1..=longest, f)?;
    let value = match kind.value {
        FieldKind::Bcd { .. } => FieldKind::Bcd { length: length.value },
        FieldKind::Text { .. } => FieldKind::Text { length: length.value },
        _ => FieldKind::Bytes { length: length.value },
    };
    Some(At { value, span: length.span })
}

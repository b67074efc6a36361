//! Fields: their names, types and places in RAM, the pointers to them, and which share bytes.

use crate::games::GameId;
use crate::profile::diagnostic::{Code, Diagnostics, Severity, quoted};
use crate::profile::format::FieldTable;
use crate::profile::{Field, FieldKind, Through};
use nextscope_memory::console::{ConsoleAddr, Domain};
use std::cmp::Reverse;
use std::ops::Range;
use toml::Spanned;

/// A name: 1 to 64 of lower-case letters, digits and `joint`.
pub(super) fn is_name(text: &str, joint: char) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint)
}

/// A field of the file.
pub(super) struct Placed<'a> {
    pub spanned_name: &'a Spanned<String>,
    pub table: &'a FieldTable,
    /// None when it is wrong; its name counts as defined.
    pub field: Option<Field>,
    /// The bytes of the domain that it covers.
    cells: Option<Range<usize>>,
}

impl<'a> Placed<'a> {
    pub fn new(name: &'a Spanned<String>, table: &'a FieldTable, found: &mut Diagnostics<'_>) -> Self {
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

    pub fn name(&self) -> &'a str {
        self.spanned_name.get_ref()
    }

    /// The position of its length, or else of its type.
    pub fn kind_span(&self) -> Range<usize> {
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

pub(super) fn bytes(count: u32) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}

/// The offsets of `len` bytes at `addr`, which is replaced by the documented address when it is a mirror.
pub(super) fn cells_of(
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

pub(super) fn limits(domain: &Domain) -> String {
    format!("{} is at {} to {}", domain.name, domain.base, domain.base.offset(domain.len - 1))
}

/// Finds the cells of every field, and replaces mirrors by the documented address.
pub(super) fn place(fields: &mut [Placed<'_>], domain: &Domain, found: &mut Diagnostics<'_>) {
    for placed in fields {
        let (what, span) = (format!("field `{}`", placed.name()), placed.table.address.span());
        let Some(field) = &mut placed.field else { continue };
        placed.cells = cells_of(domain, &mut field.address, field.kind.bytes(), span, &what, found);
    }
}

/// Resolves the pointers of the fields that are behind one.
pub(super) fn pointers(fields: &mut [Placed<'_>], domain: &Domain, found: &mut Diagnostics<'_>) {
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
pub(super) fn overlaps(fields: &[Placed<'_>], game: Option<GameId>, found: &mut Diagnostics<'_>) {
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

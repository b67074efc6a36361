//! What the parts of a profile must be to each other, to the console and to the model.

use super::board::has_board;
use super::diagnostic::{Code, Diagnostic};
use super::model::{Anchor, Liveness, Status};
use super::reader::{At, Findings, nearest, unknown};
use super::sections::Moving;
use super::{Field, FieldKind, Through};
use crate::console::{ConsoleAddr, ConsoleId, Domain};
use crate::game::{FieldSpec, GameId};
use std::cmp::Reverse;
use std::ops::Range;

/// A field with the places of its parts in the source.
pub(super) struct Placed {
    pub(super) name: String,
    /// None when it is wrong in itself, which was told; the name counts as taken.
    pub(super) field: Option<Field>,
    pub(super) name_span: Range<usize>,
    pub(super) address_span: Range<usize>,
    pub(super) kind_span: Range<usize>,
    /// Whether the file says that it lies upon others on purpose.
    pub(super) overlaps: bool,
    /// Where it leads as a rule, when it is a pointer.
    pub(super) points_to: Option<At<u32>>,
    /// The pointer through which it is reached.
    pub(super) through: Option<At<String>>,
    /// The bytes of the domain that it covers, once they are known.
    pub(super) cells: Option<Range<usize>>,
}

impl Placed {
    pub(super) fn unknown(name: &str, span: Range<usize>) -> Self {
        Self {
            name: name.to_owned(),
            field: None,
            name_span: span.clone(),
            address_span: span.clone(),
            kind_span: span,
            overlaps: false,
            points_to: None,
            through: None,
            cells: None,
        }
    }

    pub(super) fn into_entry(self) -> Option<(String, Field)> {
        self.field.map(|field| (self.name, field))
    }
}

/// The cells of `len` bytes at `addr`, which is brought back to the documented address when it is a mirror.
fn cells_of(
    domain: &Domain,
    addr: &mut ConsoleAddr,
    len: u32,
    span: &Range<usize>,
    what: &str,
    f: &mut Findings<'_>,
) -> Option<Range<usize>> {
    let Some(cells) = domain.span(*addr, len as usize) else {
        let text = if domain.offset_of(*addr).is_some() {
            format!("{what} of {len} bytes at {addr} runs past the end of {}", domain.name)
        } else {
            format!("{what} at {addr} is outside {}", domain.name)
        };
        let last = domain.base.offset(domain.len - 1);
        let limits = format!("{} is at {} to {last}", domain.name, domain.base);
        f.push(Diagnostic::error(Code::OutsideDomain, span.clone(), text).help(limits));
        return None;
    };
    let documented = domain.address_at(cells.start);
    if documented != *addr {
        let text = format!("{addr} is a mirror of {documented}, which will be read");
        let help = format!("documents write {documented}");
        f.push(Diagnostic::note(Code::Mirror, span.clone(), text).help(help));
    }
    *addr = documented;
    Some(cells)
}

/// Finds the cells of every field, and brings mirrors back to the documented address.
pub(super) fn place(fields: &mut [Placed], console: ConsoleId, f: &mut Findings<'_>) {
    for placed in fields {
        let Some(field) = &mut placed.field else { continue };
        let what = format!("field `{}`", placed.name);
        let (bytes, span) = (field.kind.bytes(), &placed.address_span);
        placed.cells = cells_of(console.domain(), &mut field.address, bytes, span, &what, f);
    }
}

/// Looks up the pointers through which fields are reached, and how far behind them each stands.
pub(super) fn pointers(fields: &mut [Placed], console: ConsoleId, f: &mut Findings<'_>) {
    let mut known: Vec<(String, ConsoleAddr, ConsoleAddr)> = Vec::new();
    for placed in fields.iter() {
        let (Some(leads), Some(field)) = (&placed.points_to, &placed.field) else { continue };
        let name = &placed.name;
        if field.kind != FieldKind::U32 || placed.through.is_some() {
            let text = format!("field `{name}` cannot be a pointer");
            f.push(
                Diagnostic::error(Code::BadReference, placed.name_span.clone(), text)
                    .help("a pointer has the type u32 and an address of its own, without `through`"),
            );
        }
        let mut leads_to = ConsoleAddr(leads.value);
        if cells_of(console.domain(), &mut leads_to, 1, &leads.span, "what the pointer leads to", f).is_some()
        {
            known.push((name.clone(), field.address, leads_to));
        }
    }
    for placed in fields {
        let (Some(through), Some(field)) = (&placed.through, &mut placed.field) else { continue };
        let Some((pointer, cell, leads_to)) = known.iter().find(|(name, ..)| *name == through.value) else {
            let names: Vec<&str> = known.iter().map(|(name, ..)| name.as_str()).collect();
            let mut told =
                unknown(Code::BadReference, through.span.clone(), "pointer", &through.value, &names);
            told.help.get_or_insert_with(|| "a pointer is a field with `points_to`".to_owned());
            f.push(told);
            continue;
        };
        match field.address.0.checked_sub(leads_to.0) {
            Some(offset) => {
                field.through = Some(Through { pointer: pointer.clone(), cell: *cell, offset });
            }
            None => {
                let text =
                    format!("field `{}` stands before {leads_to}, to which `{pointer}` leads", placed.name);
                f.push(
                    Diagnostic::error(Code::BadReference, placed.address_span.clone(), text).help(
                        "write the address at which it stands when the pointer leads to its `points_to`",
                    ),
                );
            }
        }
    }
}

/// Two fields on the same bytes are a slip, unless a longer one describes the whole of which the other is a
/// part, or the file says `overlaps = true`. Fields of the model never share bytes unsaid.
pub(super) fn overlaps(fields: &[Placed], game: Option<GameId>, f: &mut Findings<'_>) {
    let specs = game.map(GameId::fields).unwrap_or_default();
    let read_by_model = |placed: &Placed| specs.iter().any(|spec| spec.name == placed.name);
    let mut sorted: Vec<(&Range<usize>, bool, &Placed)> = fields
        .iter()
        .filter_map(|placed| Some((placed.cells.as_ref()?, read_by_model(placed), placed)))
        .collect();
    sorted.sort_by_key(|(cells, _, placed)| (cells.start, Reverse(cells.end), placed.name_span.start));
    for (index, (cells, model, placed)) in sorted.iter().enumerate() {
        let upon = sorted.iter().skip(index + 1).take_while(|(other, _, _)| other.start < cells.end);
        for (other_cells, other_model, other) in upon {
            if f.is_full() {
                return;
            }
            let same = cells == other_cells;
            let part = !same && other_cells.end <= cells.end;
            if placed.overlaps || other.overlaps || (part && !(*model && *other_model)) {
                continue;
            }
            // The later one in the file is the slip, and the first the thing that it lies upon.
            let (first, second) = if placed.name_span.start <= other.name_span.start {
                (placed, other)
            } else {
                (other, placed)
            };
            let shared = cells.end.min(other_cells.end) - other_cells.start;
            let how = if same {
                "is on the same bytes as".to_owned()
            } else {
                format!("shares {shared} bytes with")
            };
            let how = how.replace(" 1 bytes", " 1 byte");
            let text = format!("field `{}` {how} field `{}`", second.name, first.name);
            let span = second.address_span.clone();
            let told = if *model || *other_model {
                Diagnostic::error(Code::Overlap, span, text)
            } else {
                Diagnostic::warning(Code::Overlap, span, text)
            };
            let told = told.related(first.address_span.clone(), format!("`{}` is here", first.name));
            f.push(told.help("put the address or length right, or write `overlaps = true` when it is meant"));
        }
    }
}

/// Sizes and presence of the fields that the model reads.
pub(super) fn against_model(
    fields: &[Placed],
    game: &At<GameId>,
    status: Option<&At<Status>>,
    f: &mut Findings<'_>,
) {
    let name = game.value.name();
    for spec in game.value.fields() {
        let Some(placed) = fields.iter().find(|placed| placed.name == spec.name) else {
            if spec.required {
                f.push(missing(fields, spec, game));
            }
            continue;
        };
        let Some(field) = &placed.field else { continue };
        if field.kind.bytes() != spec.bytes {
            let length = field.kind.bytes();
            let plural = if length == 1 { "byte" } else { "bytes" };
            let text =
                format!("field `{}` is {length} {plural} long, {name} reads {}", spec.name, spec.bytes);
            let help = format!("{}: {}", spec.meaning, type_for(spec.bytes));
            f.push(Diagnostic::error(Code::WrongSize, placed.kind_span.clone(), text).help(help));
        }
        if let Some(status) = status
            && status.value == Status::Confirmed
            && spec.required
            && !field.confirmed
        {
            let text = format!("the profile says confirmed, its field `{}` does not", spec.name);
            f.push(
                Diagnostic::warning(Code::Doubtful, status.span.clone(), text)
                    .related(placed.name_span.clone(), "not confirmed")
                    .help("write status = \"partly-confirmed\""),
            );
        }
    }
}

/// How a file writes a field of so many bytes.
pub(super) fn type_for(bytes: u32) -> String {
    let number =
        [FieldKind::U8, FieldKind::U16, FieldKind::U32].into_iter().find(|kind| kind.bytes() == bytes);
    match number {
        Some(kind) => format!("type = \"{kind}\""),
        None => format!("type = \"bytes\", length = {bytes}"),
    }
}

fn missing(fields: &[Placed], spec: &FieldSpec, game: &At<GameId>) -> Diagnostic {
    let specs = game.value.fields();
    let spare = fields.iter().map(|placed| placed.name.as_str());
    let spare = spare.filter(|name| !specs.iter().any(|spec| spec.name == *name));
    let text = format!("{} needs a field `{}`: {}", game.value.name(), spec.name, spec.meaning);
    let help = match nearest(spec.name, spare) {
        Some(near) => format!("is `{near}` meant to be `{}`?", spec.name),
        None => format!("add [fields.{}] with address, {} and source", spec.name, type_for(spec.bytes)),
    };
    Diagnostic::error(Code::MissingField, game.span.clone(), text).help(help)
}

/// The fields that the structural checks of pools go by: the pools, and what says which colours they are made of.
fn pool_fields(game: GameId) -> Vec<&'static str> {
    const NAMES: [&str; 5] = ["pool_3", "pool_4", "pool_5", "color_set", "color_map"];
    let names = game.fields().iter().map(|spec| spec.name);
    names.filter(|name| NAMES.contains(name)).collect()
}

/// Whether the model of `game` has pools to check.
pub(super) fn has_pools(game: GameId) -> bool {
    game.anchors().pools.is_some()
}

/// Whether the cells of `game` can be told from others by what they hold.
pub(super) fn has_cells(game: GameId) -> bool {
    game.anchors().cells.is_some()
}

/// Addresses of anchors inside the domain, blocks apart, named fields there.
pub(super) fn anchors(
    list: Vec<At<Anchor>>,
    fields: &[Placed],
    game: Option<&At<GameId>>,
    console: Option<&At<ConsoleId>>,
    f: &mut Findings<'_>,
) -> Vec<Anchor> {
    let domain = console.map(|console| console.value.domain());
    let mut checked = Vec::new();
    for At { mut value, span } in list {
        let place = |addr: &mut ConsoleAddr, len: u32, what: &str, f: &mut Findings<'_>| {
            cells_of(domain?, addr, len, &span, what, f)
        };
        match &mut value {
            Anchor::ChecksummedPair { first, second, length, .. } => {
                let one = place(first, *length, "the first block", f);
                let two = place(second, *length, "the second block", f);
                if let (Some(one), Some(two)) = (one, two)
                    && one.start < two.end
                    && two.start < one.end
                {
                    let text = "the two blocks of the anchor lie upon each other";
                    f.push(
                        Diagnostic::error(Code::Overlap, span, text).help(
                            "a block and its copy are two places; check `first`, `second` and `length`",
                        ),
                    );
                }
            }
            Anchor::Bytes { address, bytes } => {
                let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                place(address, len, "the anchor", f);
            }
            Anchor::NdsHeader { .. } => {
                if let Some(console) = console.filter(|console| console.value != ConsoleId::Nds) {
                    let text = format!("a {} has no cartridge header in RAM", console.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                }
            }
            Anchor::Cells => {
                if let Some(game) = game.filter(|game| !has_cells(game.value)) {
                    let text = format!("{} has no cells to go by", game.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                }
            }
            Anchor::Codes { .. } => {
                if let Some(game) = game.filter(|game| !game.value.anchors().codes) {
                    let text = format!("{} keeps no buffer of codes", game.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                }
            }
            Anchor::States { .. } => {
                if let Some(game) = game.filter(|game| !game.value.anchors().states) {
                    let text = format!("{} keeps no seed of its pieces", game.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                }
            }
            Anchor::Board => {
                if let Some(game) = game.filter(|game| !has_board(game.value)) {
                    let text = format!("{} has no field to go by", game.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                }
            }
            Anchor::Pools => {
                if let Some(game) = game.filter(|game| !has_pools(game.value)) {
                    let text = format!("{} has no pools to go by", game.value.name());
                    f.push(Diagnostic::error(Code::BadReference, span, text));
                } else {
                    for name in game.map(|game| pool_fields(game.value)).unwrap_or_default() {
                        if !fields.iter().any(|placed| placed.name == name) {
                            let text = format!("the anchor goes by a field `{name}`, which is missing");
                            f.push(Diagnostic::error(Code::BadReference, span.clone(), text));
                        }
                    }
                }
            }
        }
        checked.push(value);
    }
    checked
}

/// The fields that move are there, are integers, and can move so.
pub(super) fn liveness(list: Vec<Moving>, fields: &[Placed], f: &mut Findings<'_>) -> Vec<Liveness> {
    list.into_iter().filter_map(|moving| movement(moving, fields, f)).collect()
}

fn movement(moving: Moving, fields: &[Placed], f: &mut Findings<'_>) -> Option<Liveness> {
    let Moving { field: name, per_frame, modulo, note } = moving;
    let Some(placed) = fields.iter().find(|placed| placed.name == name.value) else {
        let names: Vec<&str> = fields.iter().map(|placed| placed.name.as_str()).collect();
        let near = nearest(&name.value, names);
        let mut told = unknown(Code::BadReference, name.span, "field", &name.value, &[]);
        told.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a cell that moves is one of the [fields]".to_owned(),
        });
        f.push(told);
        return None;
    };
    let kind = placed.field.as_ref()?.kind;
    if !kind.is_integer() {
        let text = format!("field `{}` is no number that could move: it is {kind}", name.value);
        f.push(
            Diagnostic::error(Code::BadReference, name.span, text)
                .related(placed.kind_span.clone(), "its type")
                .help("its type must be one of u8, u16, u32, i8, i16, i32"),
        );
        return None;
    }
    let whole = 1_u64 << (kind.bytes() * 8);
    let wraps = match &modulo {
        None => whole,
        Some(modulo) => u64::try_from(modulo.value).unwrap_or(0),
    };
    if let Some(modulo) = &modulo
        && wraps > whole
    {
        let text = format!("a {kind} cannot count to {}", modulo.value);
        f.push(
            Diagnostic::error(Code::BadNumber, modulo.span.clone(), text)
                .help(format!("`modulo` may be up to {whole}; without it, that is what it is")),
        );
    }
    if per_frame.value == 0 || per_frame.value.unsigned_abs() >= wraps {
        let text = format!("adding {} modulo {wraps} is no movement that can be seen", per_frame.value);
        f.push(
            Diagnostic::error(Code::BadNumber, per_frame.span, text)
                .help(format!("`per_frame` is not 0 and smaller than {wraps}")),
        );
    }
    Some(Liveness { field: name.value, per_frame: per_frame.value, modulo: wraps, note })
}

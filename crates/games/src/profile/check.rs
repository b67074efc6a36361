//! What the parts of a profile must be to each other, to the console and to the model: the checks that a schema cannot express.

mod anchors;
mod board;
mod fields;

use super::FieldKind;
use super::diagnostic::{Code, Diagnostic, Diagnostics, Severity, nearest};
use super::format::{At, ProfileFile};
use super::games::{field_problem, is_required};
use super::model::{Anchor, Liveness, Origin, Profile, Status, digest};
use crate::games::{FieldSpec, GameId};
use anchors::{anchor, liveness};
use board::board;
use fields::{Placed, bytes, is_name, overlaps, place, pointers};
use nextscope_memory::console::ConsoleId;
use std::ops::Range;

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
    only_one(&file, found);
    let is_declared = file.randomizer.get().is_some() || file.piece_codes.get().is_some();
    let declared = if is_declared { GameId::of_declared_randomizers() } else { None };
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
        piece_codes: file.piece_codes.into_inner(),
        origin: Origin::File(file_name.into()),
        digest: digest(text),
        text: text.into(),
    })
}

/// `game`, `[randomizer]` and `[piece_codes]` replace each other.
fn only_one(file: &ProfileFile, found: &mut Diagnostics<'_>) {
    let (game, randomizer, codes) = (&file.game, &file.randomizer, &file.piece_codes);
    let mut both = |first: Range<usize>, second: Range<usize>, names: &str, note: &str, help: &str| {
        let text = format!("the profile has both {names}");
        found.error(Code::Impossible, first, text).related(second, note).help(help);
    };
    if !game.is_missing() && !randomizer.is_missing() {
        let help = "remove `game` to deal as declared, or remove [randomizer] to use the built-in model";
        let note = "the randomizer is declared here";
        both(game.span(), randomizer.span(), "`game` and [randomizer]", note, help);
    }
    let note = "the codes are declared here";
    if !game.is_missing() && !codes.is_missing() {
        let help =
            "remove `game` to read the pieces from RAM, or remove [piece_codes] to use the built-in model";
        both(game.span(), codes.span(), "`game` and [piece_codes]", note, help);
    }
    if !randomizer.is_missing() && !codes.is_missing() {
        let help = "remove [piece_codes]: the randomizer has its own `kinds` and `codes`, and the fields are the same";
        both(randomizer.span(), codes.span(), "[randomizer] and [piece_codes]", note, help);
    }
}

/// Sizes and presence of the fields that the model reads.
fn against_model(fields: &[Placed<'_>], game: GameId, file: &ProfileFile, found: &mut Diagnostics<'_>) {
    for spec in game.fields() {
        let Some(placed) = fields.iter().find(|placed| placed.name() == spec.name) else {
            let codes = &file.piece_codes;
            if spec.required {
                missing(fields, spec, game, file.game.span(), found);
            } else if codes.get().is_some_and(|codes| is_required(game, codes, spec)) {
                missing(fields, spec, game, codes.span(), found);
            }
            continue;
        };
        let Some(field) = &placed.field else { continue };
        if let Some((message, help)) =
            field_problem(game, file.randomizer.get(), file.piece_codes.get(), field)
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
            let keys = if spec.bytes == 0 { "type" } else { &keys };
            format!("add [fields.{}] with address, {keys} and source", spec.name)
        }
    };
    found.error(Code::MissingField, span, text).help(help);
}

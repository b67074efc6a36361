//! The commented template that `profile new` writes.

use super::board::BOARD_COLORS;
use super::format;
use super::games::{has_board, randomizer_template};
use super::validate::{FILL_IN, description, required};
use super::{FieldKind, Status};
use crate::games::{FieldSpec, GameId};
use nextscope_memory::console::ConsoleId;
use serde_json::Value;
use std::fmt::Write as _;

/// A commented profile in which everything that the author must find out is a `"?"`, and nothing else is
/// wrong. `id` is not checked; [`super::parse()`] reports a bad one.
pub fn template(game: GameId, console: ConsoleId, id: &str) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_template(&mut text, game, console, id);
    text
}

fn write_template(t: &mut String, game: GameId, console: ConsoleId, id: &str) -> std::fmt::Result {
    let domain = console.domain();
    let last = domain.base.offset(domain.len - 1);
    let quoted = toml::Value::String(id.to_owned());
    writeln!(t, "# A profile: the addresses of one version of {}.", game.name())?;
    writeln!(t, "# Fill in every {FILL_IN:?}, then run: nextscope profile check FILE")?;
    writeln!(t)?;
    writeln!(t, "id = {quoted}")?;
    writeln!(t, "name = {:?} # add the region and the revision", game.name())?;
    let randomizer = randomizer_template(game);
    if randomizer.is_none() {
        writeln!(t, "game = {:?}", game.id())?;
    }
    writeln!(t, "console = {:?}", console.id())?;
    let statuses = Status::ALL.map(Status::id).join(", ");
    writeln!(t, "status = {:?} # one of {statuses}", Status::Unconfirmed.id())?;
    writeln!(t, "notes = \"\"\"\nWhat a user should know about this version.\n\"\"\"\n")?;

    writeln!(
        t,
        "# What identifies the ROM; at least one of title, serial, checksum and mame_set.\n# [[roms]]"
    )?;
    for key in format::root()["definitions"]["Rom"]["properties"]
        .as_object()
        .into_iter()
        .flat_map(serde_json::Map::keys)
    {
        writeln!(t, "# {key} = {FILL_IN:?}")?;
    }
    writeln!(t, "\n# Content that identifies RAM in an unknown emulator, the most reliable first.")?;
    t.push_str(game.anchors().template);
    let definitions = &format::root()["definitions"];
    for kind in ["bytes", "checksummed-pair"] {
        let kinds = definitions["Anchor"]["oneOf"].as_array().into_iter().flatten();
        for anchor in kinds.filter(|anchor| anchor["properties"]["kind"]["const"] == kind) {
            write_table(t, "# ", "[[anchors]]", anchor, &[("kind", format!("{kind:?}"))])?;
            writeln!(t)?;
        }
    }
    write_table(t, "", "[[liveness]]", &definitions["Liveness"], &[("per_frame", "1".into())])?;
    writeln!(t)?;

    if !game.variants().is_empty() {
        writeln!(t, "# Where sources disagree about the game: the variant to use.\n[variants]")?;
        for spec in game.variants() {
            for (choice, meaning) in spec.choices {
                writeln!(t, "# {choice}: {meaning}")?;
            }
            if let Some((default, _)) = spec.choices.first() {
                writeln!(t, "{} = {default:?}", spec.name)?;
            }
        }
        writeln!(t)?;
    }
    if let Some(randomizer) = randomizer {
        writeln!(t, "{randomizer}")?;
    }
    if has_board(game) {
        writeln!(t, "# `nextscope profile locate` finds the playfield.")?;
        write_table(t, "# ", "[board]", &definitions["Board"], &[])?;
        for color in BOARD_COLORS {
            writeln!(t, "# {color} = {FILL_IN:?}")?;
        }
        writeln!(t, "# confirmed = false\n")?;
    }
    writeln!(t, "# The fields that the model reads. {} is at {} to {last}.", domain.name, domain.base)?;
    writeln!(t, "# source: a routine of a disassembly, a document, your own measurement.")?;
    writeln!(t, "# confirmed: true once you have observed it in this version.")?;
    for spec in game.fields().iter().filter(|spec| spec.required) {
        write_field(t, spec, "")?;
    }
    if game.fields().iter().any(|spec| !spec.required) {
        writeln!(t, "\n# These are optional; remove the # from those that you know.")?;
    }
    for spec in game.fields().iter().filter(|spec| !spec.required) {
        write_field(t, spec, "# ")?;
    }
    writeln!(t, "\n# Any other field is shown with the raw values: choose a name and describe it likewise.")?;
    writeln!(t, "# Types: {}; bcd, bytes and text need a length.", FieldKind::NAMES.join(" "))
}

/// The required keys of a table of the format. `start` begins each line.
fn write_table(
    t: &mut String,
    start: &str,
    header: &str,
    schema: &Value,
    given: &[(&str, String)],
) -> std::fmt::Result {
    if let Some(meaning) = description(schema) {
        writeln!(t, "# {meaning}")?;
    }
    writeln!(t, "{start}{header}")?;
    for key in required(schema) {
        let value = given.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone());
        write!(t, "{start}{key} = {}", value.unwrap_or_else(|| format!("{FILL_IN:?}")))?;
        let meaning = description(&schema["properties"][key]);
        writeln!(t, "{}", meaning.map_or_else(String::new, |meaning| format!(" # {meaning}")))?;
    }
    Ok(())
}

fn write_field(t: &mut String, spec: &FieldSpec, start: &str) -> std::fmt::Result {
    writeln!(t, "\n# {}", spec.meaning)?;
    writeln!(t, "{start}[fields.{}]\n{start}address = {FILL_IN:?}", spec.name)?;
    let keys = FieldKind::of_size(spec.bytes).keys();
    let keys = if spec.bytes == 0 { vec![format!("type = {FILL_IN:?}")] } else { keys };
    for line in keys {
        writeln!(t, "{start}{line}")?;
    }
    writeln!(t, "{start}source = {FILL_IN:?}\n{start}confirmed = false")
}

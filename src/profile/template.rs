//! The starting point that `profile new` writes.

use super::Status;
use super::board::{BOARD_COLORS, has_board};
use super::check::type_for;
use super::reader::FILL_IN;
use crate::console::ConsoleId;
use crate::game::{FieldSpec, GameId};
use std::fmt::Write as _;

/// A commented profile in which everything that somebody must find out is a `"?"`, and nothing else is
/// wrong. `id` is taken as it is; [`super::parse()`] tells when it cannot be one.
#[must_use]
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
    writeln!(t, "# A profile: what stands where in the RAM of one version of {}.", game.name())?;
    writeln!(t, "# Fill in every {FILL_IN:?}, then run: nextscope profile check FILE")?;
    writeln!(t)?;
    writeln!(t, "id = {quoted}")?;
    writeln!(t, "name = {:?} # for people: add the region and the revision", game.name())?;
    writeln!(t, "game = {:?}", game.id())?;
    writeln!(t, "console = {:?}", console.id())?;
    let statuses = Status::ALL.map(Status::id).join(", ");
    writeln!(t, "status = {:?} # one of {statuses}", Status::Unconfirmed.id())?;
    writeln!(t, "notes = \"\"\"\nWhat a user should know about this version.\n\"\"\"")?;
    writeln!(t)?;
    writeln!(t, "# What identifies the ROM; leave out what you do not know, or all of it.")?;
    writeln!(
        t,
        "# [[roms]]\n# title = \"\"\n# serial = \"\"\n# copyright = \"\"\n# checksum = 0x0000\n# mame_set = \"\""
    )?;
    writeln!(t)?;
    write_anchors(t, game)?;
    writeln!(t, "# A field that moves as long as the game runs. It tells live RAM from a copy of it.")?;
    writeln!(t, "[[liveness]]\nfield = \"?\"\nper_frame = 1 # what each frame adds; not 0")?;
    writeln!(t, "# modulo = 256 # where it wraps, when that is not at the end of its type")?;
    writeln!(t)?;
    if !game.variants().is_empty() {
        writeln!(t, "# Where sources disagree about the game: the reading to go by.\n[variants]")?;
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
    if has_board(game) {
        writeln!(t, "# Where the field of blocks stands; `nextscope profile locate` finds it.")?;
        writeln!(
            t,
            "# [board]\n# address = {FILL_IN:?} # of the cell at the top left\n# columns = 7\n# rows = 12"
        )?;
        writeln!(
            t,
            "# column_stride = {FILL_IN:?} # bytes to the right neighbour\n# row_stride = {FILL_IN:?} # bytes to the cell below"
        )?;
        writeln!(t, "# empty = {FILL_IN:?} # the code of an empty cell, and of the colours:")?;
        for color in BOARD_COLORS {
            writeln!(t, "# {color} = {FILL_IN:?}")?;
        }
        writeln!(t, "# source = {FILL_IN:?}\n# confirmed = false\n")?;
    }
    writeln!(t, "# The fields that the model reads. {} is at {} to {last}.", domain.name, domain.base)?;
    writeln!(t, "# source: a routine of a disassembly, a document, a measurement of yours.")?;
    writeln!(t, "# confirmed: true once you have seen it hold on this version.")?;
    for spec in game.fields().iter().filter(|spec| spec.required) {
        write_field(t, spec, "")?;
    }
    if game.fields().iter().any(|spec| !spec.required) {
        writeln!(t, "\n# These may be left out; take the # away from those that you know.")?;
    }
    for spec in game.fields().iter().filter(|spec| !spec.required) {
        write_field(t, spec, "# ")?;
    }
    writeln!(
        t,
        "\n# Any further field is shown with the raw values: choose a name and describe it likewise."
    )?;
    writeln!(t, "# Types: u8 u16 u32 i8 i16 i32, and with a length in bytes: bcd bytes text.")
}

fn write_anchors(t: &mut String, game: GameId) -> std::fmt::Result {
    writeln!(
        t,
        "# Content that proves where RAM stands in an emulator that nobody has met before, most trusted first."
    )?;
    write!(t, "{}", game.anchors().template)?;
    writeln!(t, "# Bytes that never change:")?;
    let off = "# ";
    writeln!(t, "{off}[[anchors]]\n{off}kind = \"bytes\"\n{off}address = \"?\"\n{off}hex = \"?\"")?;
    writeln!(t)?;
    writeln!(t, "# Two identical blocks, each beginning with the 16-bit sum of the words that follow:")?;
    writeln!(
        t,
        "# [[anchors]]\n# kind = \"checksummed-pair\"\n# first = \"?\"\n# second = \"?\"\n# length = \"?\""
    )?;
    writeln!(
        t,
        "# magic = \"?\" # text that stands in both\n# magic_offset = \"?\" # where it stands in the block"
    )?;
    writeln!(t)
}

fn write_field(t: &mut String, spec: &FieldSpec, off: &str) -> std::fmt::Result {
    writeln!(t, "\n# {}", spec.meaning)?;
    writeln!(t, "{off}[fields.{}]\n{off}address = {FILL_IN:?}", spec.name)?;
    for line in type_for(spec.bytes).split(", ") {
        writeln!(t, "{off}{line}")?;
    }
    writeln!(t, "{off}source = {FILL_IN:?}\n{off}confirmed = false")
}

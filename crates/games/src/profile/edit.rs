//! Adding a field or a board to a profile's text: everything else in it, comments and order included, stays.

use super::board::{BOARD_COLORS, BoardLayout, order_name};
use super::diagnostic::{Diagnostic, Severity};
use super::{FieldKind, FrameStatus, Profile, parse};
use nextscope_memory::console::ConsoleAddr;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

/// A field to add.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewField {
    /// Its name: lower-case letters, digits, underscores.
    pub name: String,
    /// Its address.
    pub address: ConsoleAddr,
    /// How its bytes are read.
    pub kind: FieldKind,
    /// Where the address comes from.
    pub source: String,
    /// What it means.
    pub note: Option<String>,
    /// Whether it was observed in the running game.
    pub confirmed: bool,
}

/// Durations for `[frames]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFrames {
    /// How far they have been checked. With [`FrameStatus::Measured`] nothing is left of the old numbers, so that the note about them goes.
    pub status: FrameStatus,
    /// The only player whose pairs have these durations as far as is known, from 1; None for both.
    pub player: Option<usize>,
    /// The durations by key; other keys stay as they are.
    pub times: Vec<NewTime>,
}

/// A duration for `[frames]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewTime {
    /// The key.
    pub key: &'static str,
    /// The duration, or a list by rows.
    pub frames: Vec<u32>,
    /// Whether it is a list.
    pub is_list: bool,
    /// Rows of a list that were not measured and are as before.
    pub unmeasured_rows: Vec<usize>,
    /// Where it comes from.
    pub source: String,
}

/// A profile's text with an addition.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// The lines that differ.
    pub changes: Vec<ChangedLine>,
    /// The profile of the new text.
    pub profile: Profile,
    /// What may nevertheless be wrong with it.
    pub warnings: Vec<Diagnostic>,
}

/// A line that was added or removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangedLine {
    /// Its number in the new text, from 1.
    Added(usize, String),
    /// Its number in the old text, from 1.
    Removed(usize, String),
}

/// Why nothing can be added. The text is unchanged.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum EditError {
    #[error("the profile is not TOML: {0}")]
    NotToml(String),
    #[error("`fields` is not a table in this profile; write each field as [fields.name]")]
    FieldsIsNoTable,
    #[error("`board` is not a table in this profile; write it as [board]")]
    BoardIsNoTable,
    #[error("`frames` is not a table in this profile; write it as [frames]")]
    FramesIsNoTable,
    #[error("the profile already has a field {0}; choose another name, or replace it")]
    FieldExists(String),
    #[error("the profile would not be valid: {0}")]
    Invalid(String),
}

/// The profile's text with that field. With `replace`, a field of that name is changed in place.
pub fn with_field(text: &str, field: &NewField, replace: bool) -> Result<Edited, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error| EditError::NotToml(format!("{error}")))?;
    let fields = document.entry("fields").or_insert_with(|| {
        let mut fields = Table::new();
        fields.set_implicit(true); // [fields.name] alone is enough
        Item::Table(fields)
    });
    let fields = fields.as_table_mut().ok_or(EditError::FieldsIsNoTable)?;
    if fields.contains_key(&field.name) && !replace {
        return Err(EditError::FieldExists(field.name.clone()));
    }
    let table = fields.entry(&field.name).or_insert_with(new_table).as_table_like_mut();
    let length = (!field.kind.is_integer()).then(|| value(i64::from(field.kind.bytes())));
    set(
        table.ok_or(EditError::FieldsIsNoTable)?,
        [
            ("address", Some(hexadecimal(field.address)?)),
            ("type", Some(value(field.kind.name()))),
            ("length", length),
            ("source", Some(value(&field.source))),
            ("confirmed", Some(value(field.confirmed))),
        ],
    );
    if let (Some(note), Some(table)) =
        (&field.note, fields.get_mut(&field.name).and_then(Item::as_table_like_mut))
    {
        set(table, [("note", Some(value(note)))]);
    }
    edited(text, &document)
}

/// The profile's text with that board; an existing `[board]` is changed in place.
pub fn with_board(text: &str, board: &BoardLayout) -> Result<Edited, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error| EditError::NotToml(format!("{error}")))?;
    let table = document.entry("board").or_insert_with(new_table).as_table_like_mut();
    let table = table.ok_or(EditError::BoardIsNoTable)?;
    let number = |number: i64| Some(value(number));
    let code = |code: u8| hexadecimal(format_args!("0x{code:02X}"));
    set(
        table,
        [
            ("address", Some(hexadecimal(board.address)?)),
            ("second", board.second.map(hexadecimal).transpose()?),
            ("columns", number(board.columns.into())),
            ("rows", number(board.rows.into())),
            ("column_stride", number(board.column_stride.into())),
            ("row_stride", number(board.row_stride.into())),
            ("mask", Some(code(board.mask)?)),
            ("empty", Some(code(board.empty)?)),
        ],
    );
    for (color, known) in BOARD_COLORS.into_iter().zip(board.codes) {
        set(table, [(color, known.map(code).transpose()?)]);
    }
    set(
        table,
        [
            ("stored", board.stored.map(|order| value(order_name(order)))),
            ("source", Some(value(&board.source))),
            ("confirmed", Some(value(board.confirmed))),
            ("note", board.note.as_ref().map(value)),
        ],
    );
    edited(text, &document)
}

/// The profile's text with these durations in `[frames]`; the others stay.
pub fn with_frames(text: &str, frames: &NewFrames) -> Result<Edited, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error| EditError::NotToml(format!("{error}")))?;
    let table = document.entry("frames").or_insert_with(new_table).as_table_like_mut();
    let table = table.ok_or(EditError::FramesIsNoTable)?;
    let player = frames.player.and_then(|player| i64::try_from(player).ok()).map(value);
    set(table, [("status", Some(value(frames.status.id()))), ("player", player)]);
    if frames.status == FrameStatus::Measured {
        table.remove("note");
    }
    for NewTime { key, frames, is_list, source, .. } in &frames.times {
        if !table.get(key).is_some_and(Item::is_table_like) {
            table.insert(key, Item::Value(InlineTable::new().into()));
        }
        let time = table.get_mut(key).and_then(Item::as_table_like_mut).ok_or(EditError::FramesIsNoTable)?;
        let number = |frames: &u32| Value::from(i64::from(*frames));
        let frames: Value = match frames.as_slice() {
            [single] if !is_list => number(single),
            list => Value::Array(list.iter().map(number).collect()),
        };
        set(time, [("frames", Some(Item::Value(frames))), ("source", Some(value(source)))]);
    }
    edited(text, &document)
}

fn new_table() -> Item {
    let mut table = Table::new();
    table.decor_mut().set_prefix("\n");
    Item::Table(table)
}

/// A number as documents write it.
fn hexadecimal(number: impl std::fmt::Display) -> Result<Item, EditError> {
    let number = number.to_string().parse::<Value>();
    number.map(Item::Value).map_err(|error| EditError::NotToml(format!("{error}")))
}

/// Sets these keys, or removes those without a value. A comment after an old value stays.
fn set<const N: usize>(table: &mut dyn TableLike, keys: [(&str, Option<Item>); N]) {
    for (key, new) in keys {
        let decor = table.get(key).and_then(Item::as_value).map(|old| old.decor().clone());
        let Some(new) = new else {
            table.remove(key);
            continue;
        };
        table.insert(key, new);
        if let (Some(decor), Some(new)) = (decor, table.get_mut(key).and_then(Item::as_value_mut)) {
            *new.decor_mut() = decor;
        }
    }
}

/// The document, which was `text`, if it is a valid profile.
fn edited(text: &str, document: &DocumentMut) -> Result<Edited, EditError> {
    let new = document.to_string();
    let (profile, warnings) = parse(&new, "the new profile");
    let profile = profile.ok_or_else(|| {
        let errors = warnings.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|error| error.message.as_str()).collect();
        EditError::Invalid(errors.join("; "))
    })?;
    Ok(Edited { changes: changes(text, &new), text: new, profile, warnings })
}

/// The lines by which two texts differ, when they differ in one place.
fn changes(old: &str, new: &str) -> Vec<ChangedLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let front = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let removed = (front..old.len() - back).map(|at| ChangedLine::Removed(at + 1, old[at].to_owned()));
    let added = (front..new.len() - back).map(|at| ChangedLine::Added(at + 1, new[at].to_owned()));
    removed.chain(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::built_in_files;

    fn field(name: &str, address: u32, kind: FieldKind) -> NewField {
        NewField {
            name: name.into(),
            address: ConsoleAddr(address),
            kind,
            source: "found by a RAM search".into(),
            note: Some("counts up with every \"pair\"".into()),
            confirmed: false,
        }
    }

    #[test]
    fn a_field_is_added_to_every_built_in_profile_and_nothing_else_changes() {
        for &(name, text) in built_in_files() {
            let old = parse(text, name).0.expect("a profile");
            let at = old.console.domain().base.offset(0x40);
            let edited =
                with_field(text, &field("my_cell", at.0, FieldKind::U16), false).expect("a valid addition");
            assert!(edited.text.starts_with(text.trim_end()), "{name}: the old text is unchanged");
            let new = edited.profile.field("my_cell").expect("the new field");
            assert_eq!((new.address, new.kind, new.confirmed), (at, FieldKind::U16, false));
            assert!(
                edited.changes.iter().all(|line| matches!(line, ChangedLine::Added(..))),
                "{:?}",
                edited.changes
            );
            assert!(edited.text.contains(&format!("address = {at}")), "hexadecimal, as documents write it");
        }
    }

    #[test]
    fn durations_are_written_into_a_profile_with_and_without_a_table() {
        let time = |key, frames: &[u32], is_list| NewTime {
            key,
            frames: frames.to_vec(),
            is_list,
            unmeasured_rows: Vec::new(),
            source: "measured 3 times".into(),
        };
        let mut times: Vec<NewTime> =
            ["press", "release", "fall", "lock", "next"].map(|key| time(key, &[7], false)).into();
        times.extend(["split", "chain"].map(|key| time(key, &[8], true)));
        times.push(time("garbage", &[1, 2], true));
        let new = NewFrames { status: FrameStatus::Measured, player: Some(1), times };
        for &(name, text) in built_in_files() {
            let edited = with_frames(text, &new).expect(name);
            let frames = edited.profile.frames.expect("a table");
            assert_eq!((frames.status, frames.press.frames.get()), (FrameStatus::Measured, 7), "{name}");
            assert_eq!((frames.chain.frames, frames.next.source.as_str()), (vec![8], "measured 3 times"));
            assert_eq!(frames.garbage.expect("added").frames, [1, 2]);
            assert!(frames.all_clear.is_none());
            let again = with_frames(&edited.text, &new).expect(name);
            assert_eq!(again.text, edited.text, "nothing is added twice");
        }
        let partial = NewFrames { times: new.times[..1].to_vec(), ..new.clone() };
        let (_, without) = built_in_files().iter().find(|(_, text)| !text.contains("[frames]")).unwrap();
        assert!(matches!(with_frames(without, &partial), Err(EditError::Invalid(_))), "others are required");
    }

    #[test]
    fn a_field_is_replaced_in_place_with_its_comments() {
        let (_, text) =
            built_in_files().iter().copied().find(|(_, text)| text.contains("id = \"tetris-nes\"")).unwrap();
        let marked = text.replace("address = 0x001A", "address = 0x001A # as seen");
        let new = field("spawn_count", 0x1B, FieldKind::U8);
        assert!(
            matches!(with_field(&marked, &new, false), Err(EditError::FieldExists(name)) if name == "spawn_count")
        );
        let edited = with_field(&marked, &new, true).expect("a valid replacement");
        assert!(
            edited.text.contains("address = 0x1B # as seen")
                || edited.text.contains("address = 0x001B # as seen"),
            "{}",
            edited.text
        );
        assert_eq!(edited.text.lines().filter(|line| *line == "[fields.spawn_count]").count(), 1);
        assert!(
            edited
                .changes
                .iter()
                .any(|line| matches!(line, ChangedLine::Removed(_, old) if old.contains("0x001A")))
        );
    }

    #[test]
    fn an_invalid_addition_is_refused() {
        let (_, text) = built_in_files()[0];
        for bad in [
            field("Bad Name", 0xFF_0000, FieldKind::U8),
            field("outside", 0x10, FieldKind::U8),
            field("too_long", 0xFF_FFFF, FieldKind::U32),
        ] {
            assert!(matches!(with_field(text, &bad, false), Err(EditError::Invalid(_))), "{bad:?}");
        }
        assert!(matches!(
            with_field("id = ", &field("a", 0, FieldKind::U8), false),
            Err(EditError::NotToml(_))
        ));
        let other = "fields = 5\n";
        assert!(matches!(
            with_field(other, &field("a", 0, FieldKind::U8), false),
            Err(EditError::FieldsIsNoTable)
        ));
    }
}

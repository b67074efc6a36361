//! Adding a field, or where a game's board stands, to a profile's text: everything else in it, comments and order too, stays as it is.

use super::board::{BOARD_COLORS, BoardLayout, order_word};
use super::diagnostic::{Diagnostic, Severity};
use super::{FieldKind, Profile, parse};
use crate::console::ConsoleAddr;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value, value};

/// A field that somebody found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewField {
    /// Its name: lower-case letters, digits, underscores.
    pub name: String,
    /// Where it stands.
    pub address: ConsoleAddr,
    /// How its bytes are read.
    pub kind: FieldKind,
    /// Where the address comes from.
    pub source: String,
    /// What it means.
    pub note: Option<String>,
    /// Whether it was seen to hold.
    pub confirmed: bool,
}

/// A profile's text with something more.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// Its lines beside the old ones.
    pub changes: Vec<ChangedLine>,
    /// What the new text says.
    pub profile: Profile,
    /// What may be wrong with it all the same.
    pub warnings: Vec<Diagnostic>,
}

/// A line that came or went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangedLine {
    /// It is new; its number, from 1.
    Added(usize, String),
    /// It is gone; its number before, from 1.
    Removed(usize, String),
}

/// Why nothing can be added. The text is as it was.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EditError {
    /// The text is no TOML.
    #[error("the profile is not TOML as it stands: {0}")]
    NotToml(String),
    /// `fields` is something else than a table.
    #[error("`fields` is no table in this profile; write each field as [fields.name]")]
    FieldsIsNoTable,
    /// `board` is something else than a table.
    #[error("`board` is no table in this profile; write it as [board]")]
    BoardIsNoTable,
    /// The name is taken, and it was not asked to replace it.
    #[error("the profile has a field {0} already; choose another name, or replace it")]
    Taken(String),
    /// The new text would be no good profile.
    #[error("the profile would not be good: {0}")]
    NotGood(String),
}

/// The profile's text with that field. With `replace`, a field of that name is changed where it stands.
///
/// # Errors
/// [`EditError`].
pub fn with_field(text: &str, field: &NewField, replace: bool) -> Result<Edited, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error| EditError::NotToml(format!("{error}")))?;
    let fields = document.entry("fields").or_insert_with(|| {
        let mut fields = Table::new();
        fields.set_implicit(true); // no line of its own: [fields.name] says it
        Item::Table(fields)
    });
    let fields = fields.as_table_mut().ok_or(EditError::FieldsIsNoTable)?;
    let there = fields.contains_key(&field.name);
    if there && !replace {
        return Err(EditError::Taken(field.name.clone()));
    }
    if !there {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        fields.insert(&field.name, Item::Table(table));
    }
    let table =
        fields.get_mut(&field.name).and_then(Item::as_table_like_mut).ok_or(EditError::FieldsIsNoTable)?;
    let address = hexadecimal(field.address)?;
    let (kind, length) = match field.kind {
        FieldKind::Bcd { length } => ("bcd", Some(length)),
        FieldKind::Bytes { length } => ("bytes", Some(length)),
        FieldKind::Text { length } => ("text", Some(length)),
        FieldKind::U8 => ("u8", None),
        FieldKind::U16 => ("u16", None),
        FieldKind::U32 => ("u32", None),
        FieldKind::I8 => ("i8", None),
        FieldKind::I16 => ("i16", None),
        FieldKind::I32 => ("i32", None),
    };
    let mut set = |key: &str, new: Item| set(table, key, new);
    set("address", address);
    set("type", value(kind));
    if let Some(length) = length {
        set("length", value(i64::from(length)));
    }
    set("source", value(&field.source));
    set("confirmed", value(field.confirmed));
    if let Some(note) = &field.note {
        set("note", value(note));
    }
    if length.is_none() {
        table.remove("length");
    }
    edited(text, &document)
}

/// The profile's text with where the board stands; a `[board]` that it has is changed where it stands.
///
/// # Errors
/// [`EditError`].
pub fn with_board(text: &str, board: &BoardLayout) -> Result<Edited, EditError> {
    let mut document: DocumentMut = text.parse().map_err(|error| EditError::NotToml(format!("{error}")))?;
    let new = || {
        let mut table = Table::new();
        table.decor_mut().set_prefix("\n");
        Item::Table(table)
    };
    let table = document.entry("board").or_insert_with(new).as_table_like_mut();
    let table = table.ok_or(EditError::BoardIsNoTable)?;
    let code = |code: u8| hexadecimal(format_args!("0x{code:02X}"));
    let mut set = |key: &str, new: Option<Item>| match new {
        Some(new) => set(table, key, new),
        None => {
            table.remove(key);
        }
    };
    set("address", Some(hexadecimal(board.address)?));
    set("second", board.second.map(hexadecimal).transpose()?);
    set("columns", Some(value(i64::from(board.columns))));
    set("rows", Some(value(i64::from(board.rows))));
    set("column_stride", Some(value(i64::from(board.column_stride))));
    set("row_stride", Some(value(i64::from(board.row_stride))));
    set("mask", Some(code(board.mask)?));
    set("empty", Some(code(board.empty)?));
    for (color, known) in BOARD_COLORS.into_iter().zip(board.codes) {
        set(color, known.map(code).transpose()?);
    }
    set("stored", board.stored.map(|order| value(order_word(order))));
    set("source", Some(value(&board.source)));
    set("confirmed", Some(value(board.confirmed)));
    set("note", board.note.as_ref().map(value));
    edited(text, &document)
}

/// A number as the documents write it; what it is stays the same.
fn hexadecimal(number: impl std::fmt::Display) -> Result<Item, EditError> {
    let number = number.to_string().parse::<Value>();
    number.map(Item::Value).map_err(|error| EditError::NotToml(format!("{error}")))
}

/// A comment behind the old value stays behind the new one.
fn set(table: &mut dyn TableLike, key: &str, new: Item) {
    let decor = table.get(key).and_then(Item::as_value).map(|old| old.decor().clone());
    table.insert(key, new);
    if let (Some(decor), Some(new)) = (decor, table.get_mut(key).and_then(Item::as_value_mut)) {
        *new.decor_mut() = decor;
    }
}

/// The document, which was `text`, when it is a good profile.
fn edited(text: &str, document: &DocumentMut) -> Result<Edited, EditError> {
    let new = document.to_string();
    let (profile, told) = parse(&new, "the new profile");
    let profile = profile.ok_or_else(|| {
        let errors = told.iter().filter(|told| told.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|told| told.message.as_str()).collect();
        EditError::NotGood(errors.join("; "))
    })?;
    Ok(Edited { changes: changes(text, &new), text: new, profile, warnings: told })
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
    use crate::profile::BUILT_IN;

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
        for (name, text) in BUILT_IN {
            let old = parse(text, name).0.expect("a profile");
            let at = old.console.domain().base.offset(0x40);
            let edited =
                with_field(text, &field("my_cell", at.0, FieldKind::U16), false).expect("it is added");
            assert!(edited.text.starts_with(text.trim_end()), "{name}: what was there stays");
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
    fn a_field_is_replaced_where_it_stands_with_its_comments() {
        let (_, text) = BUILT_IN.into_iter().find(|(_, text)| text.contains("id = \"tetris-nes\"")).unwrap();
        let marked = text.replace("address = 0x001A", "address = 0x001A # as seen");
        let new = field("spawn_count", 0x1B, FieldKind::U8);
        assert!(
            matches!(with_field(&marked, &new, false), Err(EditError::Taken(name)) if name == "spawn_count")
        );
        let edited = with_field(&marked, &new, true).expect("it is replaced");
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
    fn what_would_be_no_profile_is_refused() {
        let (_, text) = BUILT_IN[0];
        for bad in [
            field("Bad Name", 0xFF_0000, FieldKind::U8),
            field("outside", 0x10, FieldKind::U8),
            field("too_long", 0xFF_FFFF, FieldKind::U32),
        ] {
            assert!(matches!(with_field(text, &bad, false), Err(EditError::NotGood(_))), "{bad:?}");
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

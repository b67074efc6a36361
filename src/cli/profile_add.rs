//! `profile add`: adds a field to the user's copy of a profile.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::{library, output};
use crate::console::ConsoleAddr;
use crate::json::Kind;
use crate::profile::{Addition, AdditionError, ChangedLine, FieldKind, NewField};
use crate::research::Address;
use crate::text::counted;
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Id of the profile (see `profile list`); a built-in profile is copied to your folder first
    #[arg(value_name = "PROFILE")]
    profile: String,
    /// Name of the field: lower-case letters, digits, underscores
    #[arg(value_name = "NAME")]
    name: String,
    /// Console address, such as 0xFF85A6
    #[arg(value_name = "ADDRESS")]
    address: String,
    /// Type: u8 i8 u16 i16 u32 i32 bcd bytes text; numbers are in the byte order of the console
    #[arg(value_name = "TYPE")]
    kind: String,
    /// Length of a bcd, bytes or text field
    #[arg(long, value_name = "N")]
    length: Option<u32>,
    /// Source of the address
    #[arg(long, value_name = "TEXT", default_value = "found by a RAM search (nextscope scan)")]
    source: String,
    /// Meaning of the field, or what is uncertain
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Mark the field as confirmed in the running game
    #[arg(long)]
    confirmed: bool,
    /// Replace an existing field of that name
    #[arg(long)]
    replace: bool,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct Added<'a> {
    profile: &'a str,
    field: &'a str,
    address: String,
    field_kind: String,
    file: String,
    copied: bool,
    written: bool,
    changes: Vec<Change<'a>>,
    warnings: Vec<&'a str>,
}

#[derive(Serialize)]
struct Change<'a> {
    change: &'static str,
    line: usize,
    /// None for an empty line.
    text: Option<&'a str>,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let field = NewField {
        name: arguments.name.clone(),
        address: address(&arguments.address)?,
        kind: kind(&arguments.kind, arguments.length)?,
        source: arguments.source.clone(),
        note: arguments.note.clone(),
        confirmed: arguments.confirmed,
    };
    let library = library::load(global)?;
    let addition = Addition::new(&library, &arguments.profile, &field, arguments.replace);
    let addition = addition.map_err(|error| Failure::BadInput(edit_error(&error)))?;
    if !arguments.dry_run {
        addition.write().map_err(|error| Failure::BadInput(edit_error(&error)))?;
    }
    print(global, arguments, &field, &addition)?;
    Ok(Exit::Success)
}

fn edit_error(error: &AdditionError) -> String {
    let hint = match error {
        AdditionError::Edit(crate::profile::EditError::FieldExists(_)) => " (--replace)",
        _ => "",
    };
    format!("{error}{hint}")
}

fn address(text: &str) -> Result<ConsoleAddr, Failure> {
    let address = Address::from_hex(text.trim_start_matches('@'));
    address.and_then(|address| u32::try_from(address.0).ok()).map(ConsoleAddr).ok_or_else(|| {
        Failure::BadInput(format!("invalid address {text:?}: expected hexadecimal digits, such as 0xFF85A6"))
    })
}

fn kind(name: &str, length: Option<u32>) -> Result<FieldKind, Failure> {
    let wrong = |what: String| Err(Failure::BadInput(what));
    let Some(kind) = FieldKind::from_name(name, length.unwrap_or(0)) else {
        return wrong(format!("invalid type {name:?}: expected {}", FieldKind::NAMES.join(" ")));
    };
    match length {
        None if !kind.is_integer() => wrong(format!("{name} needs --length, in bytes")),
        Some(_) if kind.is_integer() => {
            let bytes = counted(kind.bytes().into(), "byte");
            wrong(format!("{name} always has {bytes}; --length is only for bcd, bytes and text"))
        }
        _ => Ok(kind),
    }
}

fn print(
    global: &Global,
    arguments: &Arguments,
    field: &NewField,
    addition: &Addition,
) -> anyhow::Result<()> {
    let Addition { path, copied, edited, .. } = addition;
    let warnings: Vec<&str> = edited.warnings.iter().map(|warning| warning.message.as_str()).collect();
    let parts = |change: &'_ ChangedLine| match change {
        ChangedLine::Added(line, text) => ("added", *line, text.clone()),
        ChangedLine::Removed(line, text) => ("removed", *line, text.clone()),
    };
    let changes: Vec<(&str, usize, String)> = edited.changes.iter().map(parts).collect();
    if global.json {
        let changes = changes.iter().map(|(change, line, text)| Change {
            change,
            line: *line,
            text: Some(text.as_str()).filter(|text| !text.is_empty()),
        });
        let added = Added {
            profile: &arguments.profile,
            field: &field.name,
            address: field.address.to_string(),
            field_kind: field.kind.to_string(),
            file: path.display().to_string(),
            copied: *copied,
            written: !arguments.dry_run,
            changes: changes.collect(),
            warnings,
        };
        return output::object(Kind::ProfileAdd, added);
    }
    for (change, line, text) in &changes {
        let sign = if *change == "added" { '+' } else { '-' };
        output::line(format_args!("{sign}{line:5}  {text}"))?;
    }
    warnings.iter().try_for_each(|warning| output::line(format_args!("warning: {warning}")))?;
    let what = match (arguments.dry_run, copied) {
        (true, true) => "would be created: a copy of the built-in profile with these changes",
        (true, false) => "would be changed as above",
        (false, true) => "created: a copy of the built-in profile with these changes, which now replaces it",
        (false, false) => "changed",
    };
    output::line(format_args!("{} {what}", path.display()))
}

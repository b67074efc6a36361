//! `profile add`: writes a field that somebody found into a profile of the user's.

use super::{Exit, Failure, Global, output, source};
use crate::console::ConsoleAddr;
use crate::json::Kind;
use crate::profile::{Addition, AdditionError, ChangedLine, FieldKind, NewField};
use crate::research::Address;
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The profile's id (see `profile list`); a built-in one is copied into your folder first
    #[arg(value_name = "PROFILE")]
    profile: String,
    /// The field's name: lower-case letters, digits, underscores
    #[arg(value_name = "NAME")]
    name: String,
    /// Where it stands, as the documents write it: 0xFF85A6
    #[arg(value_name = "ADDRESS")]
    address: String,
    /// How it is read, numbers in the processor's byte order: u8 i8 u16 i16 u32 i32 bcd bytes text
    #[arg(value_name = "KIND")]
    kind: String,
    /// Bytes of a bcd, bytes or text
    #[arg(long, value_name = "N")]
    length: Option<u32>,
    /// Where the address comes from
    #[arg(long, value_name = "TEXT", default_value = "found by a RAM search (nextscope scan)")]
    source: String,
    /// What it means, or what is uncertain about it
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// It was seen to hold in the running game
    #[arg(long)]
    confirmed: bool,
    /// Change a field of that name instead of refusing
    #[arg(long)]
    replace: bool,
    /// Only show what would be changed
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
    let library = source::library(global)?;
    let addition = Addition::new(&library, &arguments.profile, &field, arguments.replace);
    let addition = addition.map_err(|error| Failure::BadInput(told(&error)))?;
    if !arguments.dry_run {
        addition.write().map_err(|error| Failure::BadInput(told(&error)))?;
    }
    tell(global, arguments, &field, &addition)?;
    Ok(Exit::Yes)
}

fn told(error: &AdditionError) -> String {
    let hint = match error {
        AdditionError::Edit(crate::profile::EditError::FieldExists(_)) => " (--replace)",
        _ => "",
    };
    format!("{error}{hint}")
}

fn address(text: &str) -> Result<ConsoleAddr, Failure> {
    let address = Address::from_hex(text.trim_start_matches('@'));
    address.and_then(|address| u32::try_from(address.0).ok()).map(ConsoleAddr).ok_or_else(|| {
        Failure::BadInput(format!("`{text}` is no address in hexadecimal digits, as 0xFF85A6"))
    })
}

fn kind(name: &str, length: Option<u32>) -> Result<FieldKind, Failure> {
    let wrong = |what: String| Err(Failure::BadInput(what));
    let Some(kind) = FieldKind::from_name(name, length.unwrap_or(0)) else {
        return wrong(format!("`{name}` is no kind: {}", FieldKind::NAMES.join(" ")));
    };
    match length {
        None if !kind.is_integer() => wrong(format!("{name} wants --length, in bytes")),
        Some(_) if kind.is_integer() => {
            wrong(format!("{name} has {} bytes; --length is for bcd, bytes and text", kind.bytes()))
        }
        _ => Ok(kind),
    }
}

fn tell(global: &Global, arguments: &Arguments, field: &NewField, addition: &Addition) -> anyhow::Result<()> {
    let Addition { path, copied, edited, .. } = addition;
    let warnings: Vec<&str> = edited.warnings.iter().map(|told| told.message.as_str()).collect();
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
        (true, true) => "would be written, a copy of the built-in profile with these lines",
        (true, false) => "would be changed by these lines",
        (false, true) => "is written, a copy of the built-in profile with these lines; it takes its place",
        (false, false) => "is changed by these lines",
    };
    output::line(format_args!("{} {what}", path.display()))
}

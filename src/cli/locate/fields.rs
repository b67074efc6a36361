//! The profile that the addresses found are written to.

use crate::cli::{files, output};
use crate::console::ConsoleAddr;
use crate::profile::{FieldKind, NewField, Profile, parse, text_of, with_field};
use std::path::Path;

/// The profile's own text and, behind it, the fields that were found.
pub fn with_fields(profile: &Profile, fields: &[NewField]) -> anyhow::Result<String> {
    let mut text = text_of(profile)?;
    for field in fields.iter().filter(|field| profile.field(&field.name).is_none()) {
        text = with_field(&text, field, false)?.text;
    }
    Ok(text)
}

/// A field that was found.
pub fn found_field(name: &str, address: ConsoleAddr, kind: FieldKind, note: impl Into<String>) -> NewField {
    NewField {
        name: name.to_owned(),
        address,
        kind,
        source: "found by content in a running game (nextscope profile locate)".to_owned(),
        note: Some(note.into()),
        confirmed: false,
    }
}

/// Writes a profile that is good.
pub fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    if let (None, told) = parse(text, &path.display().to_string()) {
        let told: Vec<String> = told.iter().map(|told| told.message.clone()).collect();
        anyhow::bail!("the profile would not be good: {}", told.join("; "));
    }
    Ok(files::write(path, text.as_bytes(), force)?)
}

/// That a profile was written, for people.
pub fn print_written(path: &str) -> anyhow::Result<()> {
    output::line(format!("{path} is written; nextscope profile check {path} has nothing to say against it"))
}

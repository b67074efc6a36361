//! The profile that the addresses found are written to.

use crate::cli::{files, output};
use crate::profile::{NewField, Profile, parse, text_of, with_field};
use std::path::Path;

/// The text of the profile with the fields that it does not have yet.
pub fn with_fields(profile: &Profile, fields: &[NewField]) -> anyhow::Result<String> {
    let mut text = text_of(profile)?;
    for field in fields.iter().filter(|field| profile.field(&field.name).is_none()) {
        text = with_field(&text, field, false)?.text;
    }
    Ok(text)
}

/// Writes a profile after checking it.
pub fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    if let (None, diagnostics) = parse(text, &path.display().to_string()) {
        let messages: Vec<String> = diagnostics.iter().map(|one| one.message.clone()).collect();
        anyhow::bail!("internal error: the profile would be invalid: {}", messages.join("; "));
    }
    Ok(files::write(path, text.as_bytes(), force)?)
}

/// Prints the fields found, with their addresses and values.
pub fn print_fields(fields: Vec<(&str, Option<String>, Option<String>)>) -> anyhow::Result<()> {
    let rows = fields.into_iter().map(|(name, address, value)| {
        vec![name.to_owned(), address.unwrap_or_else(|| "not found".into()), value.unwrap_or_default()]
    });
    output::table(&["field", "address", "value"], rows)
}

pub fn print_written(path: &str) -> anyhow::Result<()> {
    output::line(format!("Wrote {path}; it passes `nextscope profile check`"))
}

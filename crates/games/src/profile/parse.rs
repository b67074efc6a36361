//! Text to profile, or the mistakes in the text.

use super::Profile;
use super::check::check;
use super::diagnostic::{Code, Diagnostic, Diagnostics};
use super::format::{self, ProfileFile};
use super::randomizer::{KEYS, read_sections};
use super::validate::Validator;
use crate::games::GameId;
use serde::Deserialize;
use serde_json::json;
use std::ops::Range;
use toml::de::DeTable;

/// The longest file that is read, in bytes: a hundred times the longest built-in profile.
pub const MAX_FILE_BYTES: usize = 1 << 20;

/// The most fields of one profile: every pair of them is compared.
const MAX_FIELDS: usize = 4096;

/// Syntax errors that are reported: after the first few, the rest are their consequences.
const MAX_SYNTAX_ERRORS: usize = 5;

/// Reads a profile from the bytes of a file; see [`parse`].
pub fn parse_bytes(bytes: &[u8], file_name: &str) -> (Option<Profile>, Vec<Diagnostic>) {
    let mut found = Diagnostics::new(file_name);
    if is_too_large(bytes.len(), &mut found) {
        return (None, found.into_list());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, file_name),
        Err(error) => {
            let at = error.valid_up_to();
            let text = format!("the file is not UTF-8 text: byte {at} starts no character");
            found.error(Code::NotUtf8, at..at + 1, text).help("save it as UTF-8 in your editor");
            (None, found.into_list())
        }
    }
}

fn is_too_large(bytes: usize, found: &mut Diagnostics<'_>) -> bool {
    if bytes > MAX_FILE_BYTES {
        let text = format!("the file is larger than {} KiB and was not read", MAX_FILE_BYTES / 1024);
        found.error(Code::TooLarge, 0..0, text).help("a profile has a few KiB; is this one?");
    }
    bytes > MAX_FILE_BYTES
}

/// Reads a profile. `file_name` appears in the diagnostics and in the profile's origin.
///
/// There is a profile if no diagnostic is an error. The diagnostics are in the order of the file; their spans are bytes
/// of `text`.
pub fn parse(text: &str, file_name: &str) -> (Option<Profile>, Vec<Diagnostic>) {
    let mut found = Diagnostics::new(file_name);
    let file = read(text, &mut found);
    let profile = file.and_then(|file| check(file, text, file_name, &first_line(text), &mut found));
    if profile.is_none() && !found.failed {
        // Validation let something pass that the types refuse.
        found.error(Code::WrongType, first_line(text), "the file is not a profile");
    }
    let profile = profile.filter(|_| !found.failed);
    (profile, found.into_list())
}

/// The document, without what is wrong in it.
fn read(text: &str, found: &mut Diagnostics<'_>) -> Option<ProfileFile> {
    if is_too_large(text.len(), found) {
        return None;
    }
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        found.error(Code::Empty, 0..0, "the file is empty").help("`nextscope profile new` writes a template");
        return None;
    }
    let (mut document, errors) = DeTable::parse_recoverable(text);
    // What follows an error in its line mostly follows from it.
    let mut lines = Vec::new();
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let line = text.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
        if lines.len() < MAX_SYNTAX_ERRORS && !lines.contains(&line) {
            lines.push(line);
            found.error(Code::Syntax, span, error.message());
        }
    }
    if !errors.is_empty() {
        return None;
    }
    validate(document.get_mut(), &first_line(text), found);
    let file = ProfileFile::deserialize(toml::Deserializer::from(document));
    file.map_err(|error| found.error(Code::WrongType, error.span().unwrap_or(0..0), error.message())).ok()
}

fn validate(document: &mut DeTable<'_>, first_line: &Range<usize>, found: &mut Diagnostics<'_>) {
    let fields = document.get("fields").and_then(|fields| fields.get_ref().as_table());
    if let Some(count) = fields.map(DeTable::len).filter(|count| *count > MAX_FIELDS)
        && let Some(fields) = document.remove("fields")
    {
        let text = format!("a profile cannot have {count} fields");
        found.error(Code::TooLarge, fields.span(), text).help(format!("the limit is {MAX_FIELDS}"));
    }
    let taken_out = KEYS.into_iter().filter(|key| document.contains_key(*key)).collect();
    let declared = read_sections(document, first_line, found);
    let variants = document.remove_entry("variants");
    let mut validator = Validator { found, taken_out };
    validator.table(format::root(), document, first_line, "the profile");
    document.extend(declared);
    let Some((key, value)) = variants else { return };
    // The schema for editors has the variants of all games.
    let game = document.get("game").and_then(|game| GameId::from_id(game.get_ref().as_str()?));
    let known = game.map_or(json!({ "type": "object", "additionalProperties": {} }), |game| {
        format::variants(&[game]).into()
    });
    let mut rest = DeTable::new();
    rest.insert(key, value);
    validator.table(&json!({ "properties": { "variants": known } }), &mut rest, first_line, "the profile");
    document.extend(rest);
}

/// The first line with content: it represents the entire file.
fn first_line(text: &str) -> Range<usize> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            return start..start + line.trim_end().len();
        }
        start += line.len();
    }
    0..0
}

//! Randomizers and codes as the text of a profile.

use super::language::{Generator, PieceCodes, Randomizer};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// Numbers from here on are constants of a routine, which documents write in hexadecimal.
const HEXADECIMAL_FROM: u64 = 0x100;

impl Randomizer {
    /// The section `[randomizer]` of a profile.
    pub fn to_toml(&self) -> String {
        section("randomizer", self)
    }
}

impl PieceCodes {
    /// The section `[piece_codes]` of a profile.
    pub fn to_toml(&self) -> String {
        section("piece_codes", self)
    }
}

fn section(name: &str, value: &impl Serialize) -> String {
    let mut text = String::new();
    if let Ok(Value::Object(keys)) = serde_json::to_value(value) {
        table(&mut text, name, &format!("[{name}]"), &keys);
    }
    text
}

/// Lists that are longer are named by their length.
const LONGEST_LIST: usize = 8;

impl Generator {
    /// In one line: its kind, and the keys of the section.
    pub fn summary(&self) -> String {
        let Ok(Value::Object(keys)) = serde_json::to_value(self) else { return String::new() };
        let mut parts = vec![keys.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned()];
        for (key, value) in keys.iter().filter(|(key, _)| *key != "kind") {
            parts.push(match value {
                Value::Array(items) if items.len() > LONGEST_LIST => format!("{} {key}", items.len()),
                Value::Object(inner) => {
                    let inner: Vec<String> =
                        inner.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect();
                    format!("{key} ({})", inner.join(", "))
                }
                value => format!("{key} {}", plain(value)),
            });
        }
        parts.join(", ")
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| scalar(value), ToOwned::to_owned)
}

fn table(text: &mut String, path: &str, header: &str, keys: &Map<String, Value>) {
    let is_table = |value: &Value| value.is_object() || is_tables(value);
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{header}");
    for (key, value) in keys.iter().filter(|(_, value)| !is_table(value)) {
        let _ = writeln!(text, "{key} = {}", scalar(value));
    }
    for (key, value) in keys {
        let path = format!("{path}.{key}");
        match value {
            Value::Object(keys) => {
                text.push('\n');
                table(text, &path, &format!("[{path}]"), keys);
            }
            Value::Array(items) if is_tables(value) => {
                for keys in items.iter().filter_map(Value::as_object) {
                    text.push('\n');
                    table(text, &path, &format!("[[{path}]]"), keys);
                }
            }
            _ => {}
        }
    }
}

fn is_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.first().is_some_and(Value::is_object))
}

fn scalar(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(scalar).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => match number.as_u64() {
            Some(number) if number >= HEXADECIMAL_FROM => format!("{number:#X}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

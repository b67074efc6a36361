//! Compares a TOML document with the JSON schema of the format: keys, types, ranges and words, all mistakes at once.
//!
//! What is wrong is removed from the document or made unreadable, so that the rest can be deserialized and checked further.

use super::diagnostic::{Code, Diagnostics, listed, quoted};
use super::format;
use serde_json::{Map, Value, json};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// What the template writes where a person has to fill something in.
pub(super) const FILL_IN: &str = "?";

/// The schema behind references. Only the shapes that schemars makes of [`super::format`] are understood.
pub(super) fn resolve(schema: &Value) -> &Value {
    let target = schema.get("$ref").and_then(Value::as_str);
    let target = target.and_then(|path| format::root().pointer(path.trim_start_matches('#')));
    match target.or_else(|| schema.pointer("/allOf/0")) {
        Some(target) => resolve(target),
        None => schema,
    }
}

/// The words that a value may be, when it is one of a few.
fn words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const") {
        return word.as_str().map(|word| vec![word]);
    }
    if let Some(words) = schema.get("enum") {
        return words.as_array()?.iter().map(Value::as_str).collect();
    }
    let choices = schema.get("oneOf")?.as_array()?;
    choices.iter().map(|choice| choice.get("const").and_then(Value::as_str)).collect()
}

/// The key that says which of several tables this is, and the tables by its value.
fn tagged(schema: &Value) -> Option<(&str, Vec<(&str, &Value)>)> {
    let tables = schema.get("oneOf")?.as_array()?;
    let tag = |table: &'_ Value| -> Option<String> {
        let properties = table.get("properties")?.as_object()?;
        properties.iter().find(|(_, value)| value.get("const").is_some()).map(|(key, _)| key.clone())
    };
    let tag = tag(tables.first()?)?;
    let (tag, _) = tables.first()?.get("properties")?.as_object()?.get_key_value(&tag)?;
    let named = tables.iter().map(|table| Some((table["properties"][tag]["const"].as_str()?, table)));
    Some((tag, named.collect::<Option<_>>()?))
}

pub(super) fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The description of a key on one line.
pub(super) fn description(schema: &Value) -> Option<String> {
    schema.get("description").and_then(Value::as_str).map(|text| text.replace('\n', " "))
}

/// A value to validate, and what messages call it.
struct Place<'a> {
    key: &'a str,
    key_span: &'a Range<usize>,
    /// The table around it, as its header is written.
    table: &'a str,
    description: Option<String>,
}

pub(super) struct Validator<'a, 'f> {
    pub found: &'a mut Diagnostics<'f>,
    /// Keys that were taken out of the document and count as present.
    pub taken_out: Vec<&'static str>,
}

impl Validator<'_, '_> {
    /// `name` is how messages call the table, `span` where they show it.
    pub(super) fn table(&mut self, schema: &Value, table: &mut DeTable<'_>, span: &Range<usize>, name: &str) {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let any = schema.get("additionalProperties").filter(|any| any.is_object());
        let keys: Vec<(String, Range<usize>)> =
            table.keys().map(|key| (key.get_ref().to_string(), key.span())).collect();
        for (key, key_span) in &keys {
            let Some(property) = properties.get(key).or(any) else {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let text = format!("unknown key {} in {name}", quoted(key));
                self.found.unknown(Code::UnknownKey, key_span.clone(), text, key, &known);
                table.remove(key.as_str());
                continue;
            };
            let place = Place { key, key_span, table: name, description: description(property) };
            if let Some(value) = table.get_mut(key.as_str())
                && !self.value(resolve(property), value, &place)
            {
                // No scalar can be read from a table, and the key counts as present.
                *value.get_mut() = DeValue::Table(DeTable::new());
            }
        }
        let has = |key: &str| keys.iter().any(|(known, _)| known == key);
        for key in required(schema).filter(|key| !has(key)) {
            let text = format!("{name} has no `{key}`");
            self.found.error(Code::MissingKey, span.clone(), text).help =
                properties.get(key).and_then(description);
        }
        let one_of: Vec<&str> =
            schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().flat_map(required).collect();
        let is_taken_out = |key: &str| self.taken_out.contains(&key);
        if !one_of.is_empty() && !one_of.iter().any(|key| has(key) || is_taken_out(key)) {
            let text = format!("{name} has none of {}", listed(one_of));
            self.found.error(Code::MissingKey, span.clone(), text).help("add at least one of them");
        }
    }

    /// False when the value must not be read.
    fn value(&mut self, schema: &Value, value: &mut Spanned<DeValue<'_>>, place: &Place<'_>) -> bool {
        let Place { key, table: name, .. } = place;
        let span = value.span();
        if value.get_ref().as_str() == Some(FILL_IN) {
            let text = format!("fill in `{key}` of {name}");
            self.found.error(Code::FillIn, span, text).help.clone_from(&place.description);
            return false;
        }
        if let Some((tag, tables)) = tagged(schema)
            && let DeValue::Table(table) = value.get_mut()
        {
            let name = header(name, key);
            return self.internally_tagged(tag, &tables, table, place.key_span, &name).is_some();
        }
        let words = words(schema);
        let kind = schema.get("type").and_then(Value::as_str);
        let kind = if words.is_some() { Some("string") } else { kind };
        let kind = if tagged(schema).is_some() { Some("object") } else { kind };
        match (kind, value.get_mut()) {
            (None, _) | (Some("boolean"), DeValue::Boolean(_)) => return true,
            (Some("string"), DeValue::String(text)) => match words {
                Some(words) if !words.contains(&text.as_ref()) => {
                    let message = format!("unknown value {} for `{key}` of {name}", quoted(text));
                    self.found.unknown(Code::UnknownName, span, message, text, &words);
                }
                None if text.trim().is_empty() => {
                    self.found.error(Code::BadText, span, format!("`{key}` of {name} is empty"));
                }
                _ => return true,
            },
            (Some("integer"), DeValue::Integer(number)) => {
                let number_of =
                    |bound: &Value| bound.as_i64().map(i128::from).or_else(|| bound.as_u64().map(i128::from));
                let bound = |key: &str, default| schema.get(key).and_then(number_of).unwrap_or(default);
                // Only for u32 does schemars leave a bound out.
                let (low, high) = (bound("minimum", 0), bound("maximum", u32::MAX.into()));
                let parsed = i128::from_str_radix(number.as_str(), number.radix());
                if parsed.is_ok_and(|number| (low..=high).contains(&number)) {
                    return true;
                }
                let hexadecimal = low >= 0 && (number.radix() == 16 || high > 0x1_0000);
                let range =
                    if hexadecimal { format!("{low:#X} to {high:#X}") } else { format!("{low} to {high}") };
                let text = format!("`{key}` of {name} is out of range");
                self.found.error(Code::BadNumber, span, text).help(format!("it may be {range}"));
            }
            (Some("array"), DeValue::Array(items)) => return self.array(schema, items, span, place),
            (Some("object"), DeValue::Table(table)) => {
                self.table(schema, table, place.key_span, &header(name, key));
                return true;
            }
            (Some(kind), other) => {
                self.wrong_type(schema, kind, other, span, place);
                // Names that an empty table or array leaves undefined cause no further messages.
                match kind {
                    "object" => *other = DeValue::Table(DeTable::new()),
                    "array" => *other = DeValue::Array(DeArray::new()),
                    _ => return false,
                }
                return true;
            }
        }
        false
    }

    fn wrong_type(
        &mut self,
        schema: &Value,
        kind: &str,
        value: &DeValue<'_>,
        span: Range<usize>,
        place: &Place<'_>,
    ) {
        let key = place.key;
        let (expected, help) = match (kind, value) {
            ("object", _) => ("a table", None),
            ("array", _) if is_table(&schema["items"]) => {
                ("an array of tables", Some(format!("write [[{key}]], with double brackets")))
            }
            ("array", _) if words(resolve(&schema["items"])).is_some() => ("an array of strings", None),
            ("array", _) => ("an array of integers", None),
            ("integer", DeValue::String(text)) if text.starts_with(|c: char| c.is_ascii_digit()) => {
                ("an integer", Some(format!("write {key} = {text}, without quotes")))
            }
            ("integer", _) => ("an integer", None),
            ("boolean", _) => ("true or false", None),
            _ => ("a string", Some(format!("write {key} = \"...\""))),
        };
        let given = match value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        let text = format!("`{key}` of {} must be {expected}, not {given}", place.table);
        self.found.error(Code::WrongType, span, text).help = help;
    }

    fn array(
        &mut self,
        schema: &Value,
        items: &mut DeArray<'_>,
        span: Range<usize>,
        place: &Place<'_>,
    ) -> bool {
        let Place { key, table: name, .. } = place;
        let bound =
            |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
        if !(least..=most).contains(&items.len()) {
            let text = format!("`{key}` of {name} has {} items", items.len());
            self.found.error(Code::WrongSize, span, text).help(format!("it may have {least} to {most}"));
            return false;
        }
        let item_schema = resolve(&schema["items"]);
        if !is_table(item_schema) {
            // Every wrong item is reported.
            let mut good = true;
            for item in items.iter_mut() {
                good &= self.value(item_schema, item, place);
            }
            return good;
        }
        let mut valid = DeArray::new();
        for (index, item) in items.iter_mut().enumerate() {
            let mut item = std::mem::replace(item, Spanned::new(0..0, DeValue::Boolean(false)));
            let entry = format!("[{}] entry {}", header(name, key), index + 1);
            let span = item.span();
            let DeValue::Table(table) = item.get_mut() else {
                self.wrong_type(schema, "array", item.get_ref(), span, place);
                continue;
            };
            if let Some((tag, tables)) = tagged(item_schema) {
                if let Some(item) = self.tagged(tag, &tables, std::mem::take(table), &span, &entry) {
                    valid.push(item);
                }
            } else {
                self.table(item_schema, table, &span, &entry);
                valid.push(item);
            }
        }
        *items = valid;
        true
    }

    /// The table as serde reads an enum with an external tag, at the position of its tag.
    fn tagged<'i>(
        &mut self,
        tag: &str,
        tables: &[(&str, &Value)],
        mut table: DeTable<'i>,
        span: &Range<usize>,
        name: &str,
    ) -> Option<Spanned<DeValue<'i>>> {
        let (word, tag_span) = self.internally_tagged(tag, tables, &mut table, span, name)?;
        table.remove(tag);
        let mut outer = DeTable::new();
        outer.insert(
            Spanned::new(tag_span.clone(), word.into()),
            Spanned::new(span.clone(), DeValue::Table(table)),
        );
        Some(Spanned::new(tag_span, DeValue::Table(outer)))
    }

    /// The value of the tag and its position; None if it is none of the known ones.
    fn internally_tagged(
        &mut self,
        tag: &str,
        tables: &[(&str, &Value)],
        table: &mut DeTable<'_>,
        span: &Range<usize>,
        name: &str,
    ) -> Option<(String, Range<usize>)> {
        let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
        let Some((key, mut value)) = table.remove_entry(tag) else {
            let text = format!("{name} has no `{tag}`");
            self.found.error(Code::MissingKey, span.clone(), text).help(format!("one of {}", listed(names)));
            return None;
        };
        let place = Place { key: tag, key_span: &key.span(), table: name, description: None };
        if !self.value(&json!({ "enum": names }), &mut value, &place) {
            return None;
        }
        let word = value.get_ref().as_str()?.to_owned();
        let (_, schema) = tables.iter().find(|(name, _)| *name == word)?;
        let tag_span = value.span();
        table.insert(key, value);
        self.table(schema, table, span, name);
        Some((word, tag_span))
    }
}

fn is_table(schema: &Value) -> bool {
    let schema = resolve(schema);
    schema.get("properties").is_some() || tagged(schema).is_some()
}

/// The header of the table at `key` in the table of header `outer`.
fn header(outer: &str, key: &str) -> String {
    // An entry of an array of tables is written with two brackets, and its number follows them.
    let path = outer.strip_prefix('[').and_then(|outer| outer.trim_start_matches('[').split(']').next());
    match path {
        Some(outer) => format!("[{outer}.{key}]"),
        None => format!("[{key}]"),
    }
}

//! Walks a TOML table key by key, collecting what is wrong instead of stopping at the first.

use super::diagnostic::{Code, Diagnostic, Severity};
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The diagnostics of one file. More than this many help nobody, and a hostile file could make millions.
const MAX_DIAGNOSTICS: usize = 100;

/// What templates write where a person has to fill something in.
pub(super) const FILL_IN: &str = "?";

/// Collects the diagnostics of one file.
pub(super) struct Findings<'a> {
    file: &'a str,
    list: Vec<Diagnostic>,
    pub(super) failed: bool,
}

impl<'a> Findings<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self { file, list: Vec::new(), failed: false }
    }

    pub(super) fn push(&mut self, mut diagnostic: Diagnostic) {
        self.failed |= diagnostic.severity == Severity::Error;
        if self.is_full() {
            return;
        }
        if self.list.len() == MAX_DIAGNOSTICS {
            diagnostic = Diagnostic::note(Code::More, 0..0, "more is wrong with this file than is told here")
                .help("put the above right first");
        }
        self.file.clone_into(&mut diagnostic.file);
        self.list.push(diagnostic);
    }

    /// Whether nothing more is taken in: checks that compare many things may stop.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() > MAX_DIAGNOSTICS
    }

    /// All of them in the order of the file.
    pub(super) fn into_list(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| {
            (diagnostic.code == Code::More, diagnostic.span.start, diagnostic.span.end)
        });
        self.list
    }
}

/// The right word for a wrong one, when one is near: at most a third of its letters wrong, missing,
/// too many or swapped; case, `-` and `_` don't count.
pub(super) fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const LONGEST: usize = 64;
    let plain = |text: &str| -> Vec<char> {
        text.chars().take(LONGEST).map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    let wrong = plain(word);
    known
        .into_iter()
        .map(|right| (distance(&wrong, &plain(right)), right))
        .filter(|(far, right)| *far <= (right.chars().count() / 3).max(1))
        .min_by_key(|(far, _)| *far)
        .map(|(_, right)| right)
}

/// Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The words as a list for people: `a`, `b`, `c`.
pub(super) fn listed<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Tells of a word that does not exist, with the nearest that does or all of them.
pub(super) fn unknown(code: Code, span: Range<usize>, what: &str, word: &str, known: &[&str]) -> Diagnostic {
    let help = match nearest(word, known.iter().copied()) {
        Some(right) => format!("did you mean `{right}`?"),
        None if known.is_empty() => "there is none here".to_owned(),
        None => format!("known: {}", listed(known.iter().copied())),
    };
    let shown: String = word.chars().take(64).collect();
    Diagnostic::error(code, span, format!("unknown {what} `{shown}`")).help(help)
}

/// A value with the bytes of the source that it was read from.
#[derive(Clone)]
pub(super) struct At<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// Whether a key has to be there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Required,
    Optional,
}

/// One table, and the keys that were asked for: the others are unknown ones.
pub(super) struct TableReader<'t, 'i> {
    table: &'t DeTable<'i>,
    /// The header of the table, or what else stands for it.
    pub(super) span: Range<usize>,
    /// What the table describes, for messages.
    pub(super) what: String,
    asked: Vec<&'static str>,
}

impl<'t, 'i> TableReader<'t, 'i> {
    pub(super) fn new(table: &'t DeTable<'i>, span: Range<usize>, what: impl Into<String>) -> Self {
        Self { table, span, what: what.into(), asked: Vec::new() }
    }

    /// A sub-table or any other value, as it stands.
    pub(super) fn raw(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.asked.push(key);
        self.table.get(key)
    }

    /// Whether the key is there, right or wrong.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn value(&mut self, key: &'static str, need: Need, f: &mut Findings<'_>) -> Option<At<&'t DeValue<'i>>> {
        let Some(value) = self.raw(key) else {
            if need == Need::Required {
                let text = format!("{} has no `{key}`", self.what);
                f.push(Diagnostic::error(Code::MissingKey, self.span.clone(), text));
            }
            return None;
        };
        if value.get_ref().as_str() == Some(FILL_IN) {
            let text = format!("fill in `{key}` of {}", self.what);
            f.push(Diagnostic::error(Code::FillIn, value.span(), text));
            return None;
        }
        Some(At { value: value.get_ref(), span: value.span() })
    }

    fn wrong_type(&self, key: &str, wanted: &str, found: &At<&DeValue<'_>>) -> Diagnostic {
        let text = format!("`{key}` of {} must be {wanted}, not {}", self.what, type_name(found.value));
        Diagnostic::error(Code::WrongType, found.span.clone(), text)
    }

    /// A text that is not empty.
    pub(super) fn string(
        &mut self,
        key: &'static str,
        need: Need,
        f: &mut Findings<'_>,
    ) -> Option<At<&'t str>> {
        let found = self.value(key, need, f)?;
        let Some(text) = found.value.as_str() else {
            f.push(self.wrong_type(key, "a text", &found).help(format!("write {key} = \"...\"")));
            return None;
        };
        if text.trim().is_empty() {
            let message = format!("`{key}` of {} is empty", self.what);
            f.push(Diagnostic::error(Code::BadText, found.span, message));
            return None;
        }
        Some(At { value: text, span: found.span })
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        what: &str,
        choices: &[(&'static str, T)],
        f: &mut Findings<'_>,
    ) -> Option<At<T>> {
        let word = self.string(key, Need::Required, f)?;
        let found = choices.iter().find(|(name, _)| *name == word.value);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            f.push(unknown(Code::UnknownName, word.span.clone(), what, word.value, &names));
        }
        found.map(|(_, value)| At { value: *value, span: word.span })
    }

    /// A name: 1 to 64 of lower-case letters, digits and `joint`.
    pub(super) fn is_name(text: &str, joint: char) -> bool {
        (1..=64).contains(&text.len())
            && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint)
    }

    pub(super) fn boolean(&mut self, key: &'static str, default: bool, f: &mut Findings<'_>) -> bool {
        let Some(found) = self.value(key, Need::Optional, f) else { return default };
        found.value.as_bool().unwrap_or_else(|| {
            f.push(self.wrong_type(key, "true or false", &found));
            default
        })
    }

    /// A whole number within `range`.
    pub(super) fn integer(
        &mut self,
        key: &'static str,
        need: Need,
        range: RangeInclusive<i64>,
        f: &mut Findings<'_>,
    ) -> Option<At<i64>> {
        let found = self.value(key, need, f)?;
        self.whole(key, &found, range, f)
    }

    fn whole(
        &self,
        key: &str,
        found: &At<&DeValue<'_>>,
        range: RangeInclusive<i64>,
        f: &mut Findings<'_>,
    ) -> Option<At<i64>> {
        let Some(number) = found.value.as_integer() else {
            let mut wrong = self.wrong_type(key, "a whole number", found);
            if let Some(text) = found.value.as_str()
                && text.starts_with(|c: char| c.is_ascii_digit())
            {
                wrong = wrong.help(format!("write {key} = {text}, without quotes"));
            }
            f.push(wrong);
            return None;
        };
        let value = i64::from_str_radix(number.as_str(), number.radix()).ok();
        let value = value.filter(|value| range.contains(value));
        if value.is_none() {
            let hexadecimal = number.radix() == 16 || *range.end() > 0x1_0000;
            let (low, high) = (range.start(), range.end());
            let limits = if hexadecimal && *low >= 0 {
                format!("{low:#X} to {high:#X}")
            } else {
                format!("{low} to {high}")
            };
            let text = format!("`{key}` of {} is out of range", self.what);
            f.push(
                Diagnostic::error(Code::BadNumber, found.span.clone(), text)
                    .help(format!("it may be {limits}")),
            );
        }
        value.map(|value| At { value, span: found.span.clone() })
    }

    /// A list of whole numbers, each within `range`.
    pub(super) fn numbers(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u32>,
        f: &mut Findings<'_>,
    ) -> Option<At<Vec<u32>>> {
        let found = self.value(key, Need::Required, f)?;
        let Some(array) = found.value.as_array() else {
            f.push(self.wrong_type(key, "a list of whole numbers", &found));
            return None;
        };
        let range = i64::from(*range.start())..=i64::from(*range.end());
        let numbers = array.iter().map(|entry| {
            let entry = At { value: entry.get_ref(), span: entry.span() };
            u32::try_from(self.whole(key, &entry, range.clone(), f)?.value).ok()
        });
        let numbers: Vec<Option<u32>> = numbers.collect(); // every wrong one is told
        let value = numbers.into_iter().collect::<Option<_>>()?;
        Some(At { value, span: found.span })
    }

    /// Like [`Self::integer`], for numbers that fit into 32 bits without sign.
    pub(super) fn unsigned(
        &mut self,
        key: &'static str,
        need: Need,
        range: RangeInclusive<u32>,
        f: &mut Findings<'_>,
    ) -> Option<At<u32>> {
        let range = i64::from(*range.start())..=i64::from(*range.end());
        let found = self.integer(key, need, range, f)?;
        u32::try_from(found.value).ok().map(|value| At { value, span: found.span })
    }

    /// The sub-table of that key, with the name of each entry.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        f: &mut Findings<'_>,
    ) -> Option<(&'t DeTable<'i>, Range<usize>)> {
        let found = self.value(key, Need::Optional, f)?;
        let table = found.value.as_table();
        if table.is_none() {
            f.push(self.wrong_type(key, "a table", &found));
        }
        table.map(|table| (table, found.span))
    }

    /// The tables of `[[key]]`, each with its header.
    pub(super) fn tables(
        &mut self,
        key: &'static str,
        f: &mut Findings<'_>,
    ) -> Vec<(&'t DeTable<'i>, Range<usize>)> {
        let Some(found) = self.value(key, Need::Optional, f) else { return Vec::new() };
        let Some(array) = found.value.as_array() else {
            let wrong = self.wrong_type(key, "a list of tables", &found);
            f.push(wrong.help(format!("write [[{key}]], with double brackets")));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for entry in array {
            match entry.get_ref().as_table() {
                Some(table) => tables.push((table, entry.span())),
                None => {
                    let entry = At { value: entry.get_ref(), span: entry.span() };
                    f.push(self.wrong_type(key, "a list of tables", &entry));
                }
            }
        }
        tables
    }

    /// Tells of the keys that nobody asked for.
    pub(super) fn finish(self, f: &mut Findings<'_>) {
        for key in self.table.keys() {
            if !self.asked.contains(&key.get_ref().as_ref()) {
                let mut told = unknown(Code::UnknownKey, key.span(), "key", key.get_ref(), &self.asked);
                told.message.push_str(&format!(" in {}", self.what));
                f.push(told);
            }
        }
    }
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

//! The columns of the results, and their rows as text.

use super::engine::{Listed, SortBy, Values};
use crate::research::{CellAddress, NumberFormat, Row, Value, ValueType};

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Cell,
    Field,
    Now,
    Hex,
    Last,
    First,
    Changes,
}

impl ColumnKind {
    pub fn title(self) -> &'static str {
        match self {
            Self::Cell => "Address",
            Self::Field => "Field",
            Self::Now => "Now",
            Self::Hex => "Hex",
            Self::Last => "Last search",
            Self::First => "First",
            Self::Changes => "Changes",
        }
    }

    /// What a click on the title sorts by.
    pub fn sort(self) -> Option<SortBy> {
        match self {
            Self::Cell => Some(SortBy::Address),
            Self::Now => Some(SortBy::Now),
            Self::Last => Some(SortBy::Last),
            Self::First => Some(SortBy::First),
            Self::Changes => Some(SortBy::Changes),
            Self::Field => Some(SortBy::Field),
            Self::Hex => None,
        }
    }

    /// Whether its text has the full contrast.
    pub fn is_strong(self) -> bool {
        matches!(self, Self::Field | Self::Now | Self::Hex)
    }
}

/// A column with its width in characters.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    pub kind: ColumnKind,
    pub chars: usize,
}

/// The columns with widths for their content; `named` adds the names of known fields.
pub fn columns(listed: &Listed, ty: ValueType, counted: bool, named: bool) -> Vec<Column> {
    let last = listed.len().checked_sub(1).and_then(|last| listed.row(last));
    let place = last.map_or(8, |row| row.cell.to_string().chars().count());
    let decimal = match ty.kind().range() {
        Some((least, most)) => least.to_string().len().max(most.to_string().len()),
        None if ty.kind().is_float() => 16,
        None => 24,
    };
    let hex = if ty.kind().is_integer() { 2 + 2 * ty.width() } else { 18 };
    // The arrow of the sorted column needs room as well.
    let wide = |kind: ColumnKind, chars: usize| Column { kind, chars: chars.max(kind.title().len() + 1) + 2 };
    let mut columns = vec![wide(ColumnKind::Cell, place)];
    if named {
        columns.push(wide(ColumnKind::Field, 20));
    }
    columns.extend([
        wide(ColumnKind::Now, decimal.max(5)),
        wide(ColumnKind::Hex, hex),
        wide(ColumnKind::Last, decimal),
        wide(ColumnKind::First, decimal),
    ]);
    if counted {
        columns.push(wide(ColumnKind::Changes, 7));
    }
    columns
}

/// A row as text.
#[derive(Debug, Clone, Default)]
pub struct RowText {
    pub cell: String,
    pub field: String,
    pub now: String,
    pub hex: String,
    pub last: String,
    pub first: String,
    pub changes: String,
}

impl RowText {
    pub fn new(row: &Row, values: &Values, ty: ValueType, field: Option<String>) -> Self {
        let show =
            |value: Option<&Value>, shown| value.map_or_else(String::new, |value| ty.show(value, shown));
        let now = values.now.get(&row.cell);
        Self {
            cell: row.cell.to_string(),
            field: field.unwrap_or_default(),
            now: match now {
                Some(Some(value)) => ty.show(value, NumberFormat::Decimal),
                Some(None) => "?".into(),
                None => "…".into(),
            },
            hex: show(now.and_then(Option::as_ref), NumberFormat::Hexadecimal),
            last: show(row.last.as_ref(), NumberFormat::Decimal),
            first: show(row.first.as_ref(), NumberFormat::Decimal),
            changes: values.changes.get(&row.cell).map_or_else(String::new, ToString::to_string),
        }
    }

    pub fn get(&self, kind: ColumnKind) -> &str {
        match kind {
            ColumnKind::Cell => &self.cell,
            ColumnKind::Field => &self.field,
            ColumnKind::Now => &self.now,
            ColumnKind::Hex => &self.hex,
            ColumnKind::Last => &self.last,
            ColumnKind::First => &self.first,
            ColumnKind::Changes => &self.changes,
        }
    }

    /// One line for screen readers.
    pub fn label(&self) -> String {
        let mut text = format!("{}: {}", self.cell, self.now);
        for (name, part) in
            [("", &self.hex), ("last search ", &self.last), ("first ", &self.first), ("field ", &self.field)]
        {
            if !part.is_empty() {
                text += &format!(", {name}{part}");
            }
        }
        if !self.changes.is_empty() {
            text += &format!(", {} {}", self.changes, if self.changes == "1" { "change" } else { "changes" });
        }
        text
    }

    /// Tab-separated, for the clipboard.
    pub fn copied(&self) -> String {
        [&self.cell, &self.field, &self.last, &self.first].map(String::as_str).join("\t")
    }
}

/// The name of the field of the profile at a cell, if there is one.
pub type NameOf<'a> = &'a dyn Fn(CellAddress) -> Option<String>;

//! Prints the results of `scan`.

use super::found::Found;
use super::lists;
use crate::cli::{output, ram_file};
use crate::json::Kind;
use crate::research::{
    CellAddress, MemorySource, NumberFormat, Outcome, PartialRam, ResultTable, SaveState, Search, Session,
    Source, Span, StepOutcome, Tracker, UndoOutcome, Value,
};
use crate::text::counted;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

#[derive(Serialize)]
struct Memory<'a> {
    ram: &'a str,
    bytes: u64,
    /// The number of recorded bytes.
    recorded: u64,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    address: String,
    bytes: u64,
}

#[derive(Serialize)]
struct State<'a> {
    file: String,
    format: String,
    /// None if no known game was found.
    ram: Option<&'static str>,
    offset: Option<usize>,
    order: Option<String>,
    profile: Option<&'a str>,
    proof: &'a [String],
    caution: Option<&'static str>,
}

#[derive(Serialize)]
struct Step<'a> {
    step: &'a str,
    left: u64,
    gone: u64,
    unreadable: u64,
    bytes_read: u64,
    elapsed_seconds: f64,
}

#[derive(Serialize)]
struct Undo<'a> {
    step: &'a str,
    condition: &'a str,
    left: u64,
    /// Whether all values of that step are known.
    values_known: bool,
}

#[derive(Serialize)]
struct Rows {
    left: u64,
    rows: Vec<RowOf>,
}

#[derive(Serialize)]
struct RowOf {
    address: String,
    /// The current value; None if it cannot be read.
    value: Option<String>,
    last: Option<String>,
    first: Option<String>,
    changes: Option<u32>,
}

pub struct Printer {
    pub json: bool,
}

impl Printer {
    pub fn step(&self, step: &str, said: &StepOutcome, session: &Session) -> anyhow::Result<()> {
        match said {
            StepOutcome::Done => Ok(()),
            StepOutcome::Narrowed { outcome, took } | StepOutcome::Previewed { outcome, took } => {
                self.narrowed(step, outcome, *took)
            }
            StepOutcome::Undone(undone) => self.undone(step, undone),
            StepOutcome::Rows(most) => match session.search() {
                Some(search) => {
                    self.rows(search, session.memory().view()?.source(), session.tracker(), *most)
                }
                None => Ok(()),
            },
            StepOutcome::Pools(_)
            | StepOutcome::Sequences(_)
            | StepOutcome::Boards(_)
            | StepOutcome::Generators(_) => self.found(said),
            StepOutcome::Watches { from, left_out } => {
                lists::watches(self.json, session.watches(), *from, left_out)
            }
            StepOutcome::Paths { gone } => lists::paths(self.json, session, *gone),
            StepOutcome::Saved { file, lines, left_out } => lists::saved(self.json, file, *lines, left_out),
        }
    }

    /// Prints what is searched, and what is missing of it.
    pub fn memory(&self, memory: &MemorySource) -> anyhow::Result<()> {
        let partial = memory.partial();
        if !self.json {
            output::line(format_args!("Searching {}", memory.name()))?;
            return partial.map_or(Ok(()), |partial| output::line(format_args!("Note: {partial}")));
        }
        let Some(PartialRam { ram, parts, bytes, of }) = partial else { return Ok(()) };
        let part = |part: &Span| Part { address: part.start.to_string(), bytes: part.len };
        let parts = parts.iter().map(part).collect();
        output::object(Kind::ScanMemory, Memory { ram, bytes: of, recorded: bytes, parts })
    }

    pub fn save_state(&self, path: &Path, state: &SaveState) -> anyhow::Result<()> {
        let found = state.found.as_ref();
        let caution = found.and_then(|found| found.caution);
        if self.json {
            let state = State {
                file: path.display().to_string(),
                format: state.format.to_string(),
                ram: found.map(|found| found.snapshot.domain().name),
                offset: found.map(|found| found.at),
                order: found.map(|found| found.order.to_string()),
                profile: found.and_then(|found| found.profile.as_ref()).map(|profile| profile.id.as_str()),
                proof: found.map_or(&[], |found| &found.anchors),
                caution,
            };
            return output::object(Kind::ScanSaveState, state);
        }
        ram_file::print_caution(path, caution);
        output::line(format_args!("{}: {state}", path.display()))
    }

    fn narrowed(&self, step: &str, outcome: &Outcome, took: Duration) -> anyhow::Result<()> {
        let Outcome { left, gone, unreadable, read } = *outcome;
        if self.json {
            let step =
                Step { step, left, gone, unreadable, bytes_read: read, elapsed_seconds: took.as_secs_f64() };
            return output::object(Kind::ScanStep, step);
        }
        let lost = if unreadable > 0 { format!(", {unreadable} unreadable") } else { String::new() };
        let left = counted(left, "cell");
        output::line(format_args!("{step}: {left} left{lost} ({:.1} ms)", took.as_secs_f64() * 1000.0))
    }

    fn undone(&self, step: &str, undone: &UndoOutcome) -> anyhow::Result<()> {
        let what = undone.condition.as_ref().map_or("removed by hand", |condition| condition.name());
        if self.json {
            let undone = Undo { step, condition: what, left: undone.left, values_known: undone.values_known };
            return output::object(Kind::ScanUndo, undone);
        }
        let lost = if undone.values_known { "" } else { "; some values of that step are no longer known" };
        let left = counted(undone.left, "cell");
        output::line(format_args!("{step} ({what}): {left} left{lost}"))
    }

    fn rows(
        &self,
        search: &Search,
        source: &dyn Source,
        tracker: Option<&Tracker>,
        most: u64,
    ) -> anyhow::Result<()> {
        let ty = search.settings().ty;
        let rows = search.rows(0..most.min(search.len()));
        let now = |place: CellAddress| {
            let mut bytes = vec![0; ty.width()];
            source.read(place.address, &mut bytes).ok()?;
            ty.read(&bytes, place.part)
        };
        let changes = |place: CellAddress| tracker.and_then(|tracker| tracker.changes(place));
        let show = |value: &Option<Value>| {
            value.as_ref().map_or_else(|| "?".to_owned(), |value| ty.show(value, NumberFormat::Decimal))
        };
        if self.json {
            let text = |value: Option<&Value>| value.map(|value| ty.show(value, NumberFormat::Decimal));
            let row = |row: &crate::research::Row| RowOf {
                address: row.cell.to_string(),
                value: text(now(row.cell).as_ref()),
                last: text(row.last.as_ref()),
                first: text(row.first.as_ref()),
                changes: changes(row.cell),
            };
            let rows = rows.iter().map(row).collect();
            return output::object(Kind::ScanRows, Rows { left: search.len(), rows });
        }
        let cells = |row: &crate::research::Row| {
            let hex = |value: &Value| ty.show(value, NumberFormat::Hexadecimal);
            vec![
                row.cell.to_string(),
                show(&now(row.cell)),
                now(row.cell).as_ref().map_or_else(String::new, hex),
                show(&row.last),
                row.first.as_ref().map_or_else(String::new, |_| show(&row.first)),
                changes(row.cell).map_or_else(String::new, |changes| changes.to_string()),
            ]
        };
        let head = ["address", "now", "hex", "last search", "first", "changes"];
        output::table(&head, rows.iter().map(cells))?;
        if search.len() > most {
            output::line(format_args!("... and {} more", search.len() - most))?;
        }
        Ok(())
    }

    fn found(&self, said: &StepOutcome) -> anyhow::Result<()> {
        let Some(table) = said.table() else { return Ok(()) };
        if self.json {
            return Found::of(said, &table).map_or(Ok(()), |found| output::object(Kind::ScanFound, found));
        }
        let ResultTable { columns, rows, empty } = &table;
        if rows.is_empty() {
            return output::line(empty);
        }
        output::table(columns, rows.iter().map(|row| row.to_vec()))
    }
}

//! What `scan` prints, for people and for programs.

use super::lists;
use crate::cli::{output, source};
use crate::research::{
    Ground, Outcome, Partial, Place, Said, SaveState, Search, Session, Shown, Source, Span, Told, Tracker,
    Undone, Value,
};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

pub struct Teller {
    json: bool,
}

impl Teller {
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// What came of a step.
    pub fn said(&self, step: &str, said: &Said, session: &Session) -> anyhow::Result<()> {
        match said {
            Said::Done => Ok(()),
            Said::Narrowed { outcome, took } | Said::Previewed { outcome, took } => {
                self.narrowed(step, outcome, *took)
            }
            Said::Undone(undone) => self.undone(step, undone),
            Said::Rows(most) => match session.search() {
                Some(search) => {
                    self.rows(search, session.ground().look()?.source(), session.tracker(), *most)
                }
                None => Ok(()),
            },
            Said::Pools(_) | Said::Sequences(_) | Said::Boards(_) | Said::Generators(_) => {
                said.told().map_or(Ok(()), |told| self.found(&told))
            }
            Said::Watches { from, left_out } => lists::watches(self.json, session.watches(), *from, left_out),
            Said::Paths { gone } => lists::paths(self.json, session, *gone),
            Said::Saved { file, lines, left_out } => lists::saved(self.json, file, *lines, left_out),
        }
    }

    /// What is searched, and what of it is not there.
    pub fn ground(&self, ground: &Ground) -> anyhow::Result<()> {
        let partial = ground.partial();
        if !self.json {
            output::line(format_args!("Searching {}", ground.name()))?;
            return partial.map_or(Ok(()), |partial| output::line(format_args!("Note: {partial}")));
        }
        let Some(Partial { ram, parts, bytes, of }) = partial else { return Ok(()) };
        let part = |part: &Span| json!({ "address": part.start.to_string(), "bytes": part.len });
        let parts: Vec<_> = parts.iter().map(part).collect();
        output::json(&json!({ "ram": ram, "bytes": of, "recorded": bytes, "parts": parts }))
    }

    /// What a dump is that is a save state. Standard error has what is uncertain about it.
    pub fn state(&self, path: &Path, state: &SaveState) -> anyhow::Result<()> {
        let found = state.found.as_ref();
        let caution = found.and_then(|found| found.caution);
        if self.json {
            return output::json(&json!({
                "dump": path.display().to_string(), "format": state.format,
                "ram": found.map(|found| found.snapshot.domain().name),
                "offset": found.map(|found| found.at),
                "order": found.map(|found| found.order.to_string()),
                "profile": found.and_then(|found| found.profile.as_ref()).map(|profile| &profile.id),
                "proof": found.map(|found| &found.anchors),
                "caution": caution,
            }));
        }
        source::tell_caution(path, caution);
        output::line(format_args!("{}: {state}", path.display()))
    }

    fn narrowed(&self, step: &str, outcome: &Outcome, took: Duration) -> anyhow::Result<()> {
        let Outcome { left, gone, unreadable, read } = *outcome;
        if self.json {
            let seconds = took.as_secs_f64();
            return output::json(&json!({
                "step": step, "left": left, "gone": gone, "unreadable": unreadable, "bytes_read": read, "seconds": seconds,
            }));
        }
        let lost = if unreadable > 0 { format!(", {unreadable} no longer readable") } else { String::new() };
        let left = output::count(left, "cell");
        output::line(format_args!("{step}: {left} left{lost} ({:.1} ms)", took.as_secs_f64() * 1000.0))
    }

    fn undone(&self, step: &str, undone: &Undone) -> anyhow::Result<()> {
        let what = undone.condition.as_ref().map_or("cells taken out by hand", |condition| condition.name());
        if self.json {
            return output::json(&json!({
                "step": step, "condition": what, "left": undone.left, "values_kept": undone.values_kept,
            }));
        }
        let lost = if undone.values_kept { "" } else { "; the values of then are not all known any more" };
        let left = output::count(undone.left, "cell");
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
        let now = |place: Place| {
            let mut bytes = vec![0; ty.width()];
            source.read(place.address, &mut bytes).ok()?;
            ty.read(&bytes, place.part)
        };
        let changes = |place: Place| tracker.and_then(|tracker| tracker.changes(place));
        let show = |value: &Option<Value>| {
            value.as_ref().map_or_else(|| "?".to_owned(), |value| ty.show(value, Shown::Decimal))
        };
        if self.json {
            let rows: Vec<_> = rows
                .iter()
                .map(|row| {
                    json!({
                        "address": row.place.to_string(), "value": show(&now(row.place)), "last": show(&row.last),
                        "first": row.first.as_ref().map(|value| ty.show(value, Shown::Decimal)),
                        "changes": changes(row.place),
                    })
                })
                .collect();
            return output::json(&json!({ "left": search.len(), "rows": rows }));
        }
        let table: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                let hex =
                    now(row.place).map_or_else(String::new, |value| ty.show(&value, Shown::Hexadecimal));
                let changes = changes(row.place).map_or_else(String::new, |changes| changes.to_string());
                vec![
                    row.place.to_string(),
                    show(&now(row.place)),
                    hex,
                    show(&row.last),
                    row.first.as_ref().map_or_else(String::new, |_| show(&row.first)),
                    changes,
                ]
            })
            .collect();
        output::table(&["cell", "now", "hex", "last search", "first", "changes"], &table)?;
        if search.len() > most {
            output::line(format_args!("... and {} more", search.len() - most))?;
        }
        Ok(())
    }

    fn found(&self, told: &Told) -> anyhow::Result<()> {
        let Told { head, rows, nothing } = told;
        if self.json {
            let rows: Vec<serde_json::Value> = rows
                .iter()
                .map(|row| {
                    let cells = head.iter().zip(row).filter(|(head, _)| !head.is_empty());
                    cells
                        .map(|(head, cell)| ((*head).to_owned(), cell.clone().into()))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                })
                .collect();
            return output::json(&json!({ "found": rows }));
        }
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.to_vec()).collect();
        if rows.is_empty() { output::line(nothing) } else { output::table(head, &rows) }
    }
}

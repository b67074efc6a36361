//! What `scan` prints, for people and for programs.

use super::lists;
use crate::cli::output;
use crate::console::Endian;
use crate::research::{
    Advance, BoardHit, FoundPool, Outcome, Place, PoolState, Recurrence, RngHit, Said, SaveState, Search,
    SequenceHit, Session, Shown, Source, Tracker, Undone, Value,
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
            Said::Pools(found) => self.pools(found),
            Said::Sequences(found) => self.sequences(found),
            Said::Boards(found) => self.boards(found),
            Said::Generators(found) => self.generators(found),
            Said::Watches { from, left_out } => lists::watches(self.json, session.watches(), *from, left_out),
            Said::Paths { gone } => lists::paths(self.json, session, *gone),
            Said::Saved { file, lines, left_out } => lists::saved(self.json, file, *lines, left_out),
        }
    }

    pub fn ground(&self, name: &str) -> anyhow::Result<()> {
        if self.json { Ok(()) } else { output::line(format_args!("Searching {name}")) }
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
        if let Some(caution) = caution {
            eprintln!("nextscope: {}: {caution}", path.display());
        }
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
        let cells = if left == 1 { "cell" } else { "cells" };
        output::line(format_args!(
            "{step}: {left} {cells} left{lost} ({:.1} ms)",
            took.as_secs_f64() * 1000.0
        ))
    }

    fn undone(&self, step: &str, undone: &Undone) -> anyhow::Result<()> {
        let what = undone.condition.as_ref().map_or("cells taken out by hand", |condition| condition.name());
        if self.json {
            return output::json(&json!({
                "step": step, "condition": what, "left": undone.left, "values_kept": undone.values_kept,
            }));
        }
        let lost = if undone.values_kept { "" } else { "; the values of then are not all known any more" };
        output::line(format_args!("{step} ({what}): {} cells left{lost}", undone.left))
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

    fn pools(&self, found: &[FoundPool]) -> anyhow::Result<()> {
        let rows = found.iter().map(|pool| {
            let (what, order, state) = match &pool.pools {
                PoolState::Twentieth { pool, order, seeds } => {
                    let seeds: Vec<String> = seeds.iter().map(|seed| format!("{seed:?}")).collect();
                    (format!("puyo-20th {pool}"), format!("{order:?}"), seeds.join(" "))
                }
                PoolState::Tsu { setup, color_sets, .. } => {
                    let mode = if setup.is_versus() { "versus" } else { "story" };
                    let sets: Vec<String> = color_sets
                        .iter()
                        .map(|near| format!("{} at {}", output::hex(&near.set), near.address))
                        .collect();
                    let order =
                        color_sets.first().map_or_else(String::new, |near| format!("{:?}", near.order));
                    (format!("puyo-tsu {mode}"), order, sets.join(", "))
                }
            };
            [pool.address.to_string(), what, order, state]
        });
        self.list(["address", "pool", "order", "state"], rows, "No pool was found")
    }

    fn sequences(&self, found: &[SequenceHit]) -> anyhow::Result<()> {
        let rows = found
            .iter()
            .map(|hit| [hit.address.to_string(), hit.stride.to_string(), codes(&hit.codes), String::new()]);
        self.list(["address", "stride", "codes", ""], rows, "The sequence stands nowhere")
    }

    fn boards(&self, found: &[BoardHit]) -> anyhow::Result<()> {
        let rows = found.iter().map(|hit| {
            let strides = format!("{} right, {} down", hit.column_stride, hit.row_stride);
            [hit.address.to_string(), strides, codes(&hit.codes), format!("0x{:02X}", hit.mask)]
        });
        self.list(["address", "strides", "codes", "mask"], rows, "The board stands nowhere")
    }

    fn generators(&self, found: &[RngHit]) -> anyhow::Result<()> {
        let rows = found.iter().map(|hit| {
            let order = if hit.order == Endian::Big { "big-endian" } else { "little-endian" };
            let what = match &hit.recurrence {
                Recurrence::Known { name, multiplier, increment } => {
                    format!("{name}: state * 0x{multiplier:X} + 0x{increment:X}")
                }
                Recurrence::Linear { bits, multiplier, certain_bits, increment, frames } => format!(
                    "state * 0x{multiplier:X} + 0x{increment:X} modulo 2^{bits} every {frames} frames ({certain_bits} bits certain)"
                ),
                Recurrence::TetrisNes => {
                    "Tetris (NES): 16 bits shifted right, bit 9 xor bit 1 coming in at the top".into()
                }
                Recurrence::SegaLibrary => {
                    "Sega's library: 41 * state, its low word added to its high one".into()
                }
                Recurrence::PuyoTsu { draws, rounds, unexplained } => format!(
                    "Puyo Puyo Tsu's: rol32(d0 + state + a7, 5) + state + 1; {draws} draws, {rounds} rounds, {unexplained} intervals unexplained"
                ),
            };
            let mut advance = match &hit.advance {
                Advance::EveryFrame(steps) => format!("{steps} a frame"),
                Advance::Each(steps) => spread(steps),
                Advance::SameInEach => "the same in each interval".into(),
                Advance::Unknown => "when the game draws".into(),
            };
            if hit.jumps > 0 {
                advance += &format!("; seeded anew {} times", hit.jumps);
            }
            [hit.address.to_string(), order.to_owned(), what, advance]
        });
        self.list(["address", "order", "generator", "advances"], rows, "No cell follows a generator")
    }

    fn list(
        &self,
        head: [&str; 4],
        rows: impl Iterator<Item = [String; 4]>,
        nothing: &str,
    ) -> anyhow::Result<()> {
        if self.json {
            let rows: Vec<serde_json::Value> = rows
                .map(|row| {
                    let cells = head.iter().zip(row).filter(|(head, _)| !head.is_empty());
                    cells
                        .map(|(head, cell)| ((*head).to_owned(), cell.into()))
                        .collect::<serde_json::Map<_, _>>()
                        .into()
                })
                .collect();
            return output::json(&json!({ "found": rows }));
        }
        let rows: Vec<Vec<String>> = rows.map(Vec::from).collect();
        if rows.is_empty() { output::line(nothing) } else { output::table(&head, &rows) }
    }
}

fn codes(codes: &[(u8, u8)]) -> String {
    let told: Vec<String> =
        codes.iter().map(|(symbol, code)| format!("{} = {code:02X}", char::from(*symbol))).collect();
    told.join(", ")
}

/// The steps of many intervals in a few words.
fn spread(steps: &[u32]) -> String {
    let sum: u64 = steps.iter().map(|steps| u64::from(*steps)).sum();
    let least = steps.iter().min().copied().unwrap_or(0);
    let most = steps.iter().max().copied().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let mean = sum as f64 / steps.len().max(1) as f64;
    format!("{least} to {most} from sample to sample, {mean:.2} on average")
}

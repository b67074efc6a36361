//! What `scan` prints of its watch list and its pointer paths.

use crate::cli::output;
use crate::research::watch::{Entry, LeftOut, Seen, Watch, WatchList, name_of_type};
use crate::research::{Address, Place, PointerPath, Session, Value, base_text};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Paths that people are shown; programs get all of them.
const SHOWN: usize = 20;

fn place(watch: &Watch) -> String {
    Place { address: watch.address, part: watch.part }.to_string()
}

/// The list from a line on, what its cells hold and held before, and how often they changed.
pub fn watches(json: bool, list: &WatchList, from: usize, left_out: &[LeftOut]) -> anyhow::Result<()> {
    let nothing = Seen::default();
    let seen = |line: usize| list.seen(line).unwrap_or(&nothing);
    let lines = list.entries().iter().enumerate().skip(from);
    if json {
        let lines: Vec<Json> = lines
            .map(|(line, entry)| match entry {
                Entry::Separator(title) => json!({ "separator": title }),
                Entry::Watch(watch) => {
                    let show = |value: &Option<Value>| value.as_ref().map(|value| watch.show(value));
                    let Seen { value, previous, changes, .. } = seen(line);
                    json!({
                        "label": watch.label, "address": place(watch), "type": name_of_type(watch.ty),
                        "value": show(value), "previous": show(previous), "changes": changes, "notes": watch.notes,
                    })
                }
            })
            .collect();
        return output::json(&json!({ "watches": lines, "left_out": told(left_out) }));
    }
    let rows: Vec<Vec<String>> = lines
        .map(|(line, entry)| match entry {
            Entry::Separator(title) => vec![format!("-- {title}")],
            Entry::Watch(watch) => {
                let show = |value: &Option<Value>, none: &str| {
                    value.as_ref().map_or_else(|| none.to_owned(), |value| watch.show(value))
                };
                let Seen { value, previous, changes, .. } = seen(line);
                let ty = name_of_type(watch.ty);
                let (value, previous) = (show(value, "?"), show(previous, ""));
                vec![
                    watch.label.clone(),
                    place(watch),
                    ty,
                    value,
                    previous,
                    changes.to_string(),
                    watch.notes.clone(),
                ]
            }
        })
        .collect();
    output::table(&["label", "cell", "type", "now", "before", "changes", "notes"], &rows)?;
    tell_left_out(left_out)
}

fn told(left_out: &[LeftOut]) -> Vec<Json> {
    left_out.iter().map(|left| json!({ "what": left.what, "why": left.why })).collect()
}

fn tell_left_out(left_out: &[LeftOut]) -> anyhow::Result<()> {
    left_out.iter().try_for_each(|left| output::line(format_args!("left out: {}: {}", left.what, left.why)))
}

/// The paths and where they lead now.
pub fn paths(json: bool, session: &Session, gone: usize) -> anyhow::Result<()> {
    let Some(kept) = session.paths() else { return Ok(()) };
    let file = &kept.file;
    let shown = if json { &file.paths[..] } else { &file.paths[..SHOWN.min(file.paths.len())] };
    let leads = session.lead(shown)?;
    let base = |path: &PointerPath| base_text(path.base, &kept.modules);
    let to = |leads: &Option<Address>| leads.map(|address| address.to_string());
    if json {
        let rows: Vec<Json> = shown
            .iter()
            .zip(&leads)
            .map(|(path, leads)| {
                let offsets: Vec<String> = path.offsets.iter().map(|offset| format!("0x{offset:X}")).collect();
                json!({ "base": base(path), "offsets": offsets, "path": path.to_string(), "leads_to": to(leads) })
            })
            .collect();
        let target = file.target.map(|target| target.to_string());
        return output::json(&json!({ "target": target, "paths": rows, "gone": gone }));
    }
    if gone > 0 {
        let all = gone + file.paths.len();
        output::line(format_args!("{gone} of {all} paths do not lead there any more"))?;
    }
    if shown.is_empty() {
        return output::line("No path leads there");
    }
    let rows: Vec<Vec<String>> = shown
        .iter()
        .zip(&leads)
        .map(|(path, leads)| {
            vec![base(path), path.to_string(), to(leads).unwrap_or_else(|| "nowhere".into())]
        })
        .collect();
    output::table(&["begins at", "path", "leads to"], &rows)?;
    let more = file.paths.len() - shown.len();
    if more > 0 { output::line(format_args!("... and {more} more")) } else { Ok(()) }
}

/// A file that was written.
pub fn saved(json: bool, file: &Path, lines: usize, left_out: &[LeftOut]) -> anyhow::Result<()> {
    let name = file.display();
    if json {
        return output::json(
            &json!({ "saved": name.to_string(), "lines": lines, "left_out": told(left_out) }),
        );
    }
    output::line(format_args!("{name} is written, {lines} {}", if lines == 1 { "line" } else { "lines" }))?;
    tell_left_out(left_out)
}

//! Prints the watch list and the pointer paths of `scan`.

use crate::cli::output;
use crate::json::Kind;
use crate::research::watch::{Entry, LeftOut, Watch, WatchList, WatchState, name_of_type};
use crate::research::{Address, CellAddress, PointerPath, Session, Value, base_text};
use crate::text::counted;
use serde::Serialize;

/// Number of paths to print; JSON contains all.
const PATHS_SHOWN: usize = 20;

#[derive(Serialize)]
struct Watches<'a> {
    watches: Vec<Line<'a>>,
    /// Parts of a file that cannot be imported.
    left_out: &'a [LeftOut],
}

/// A watched address, or a separator with its title.
#[derive(Serialize, Default)]
struct Line<'a> {
    separator: Option<&'a String>,
    label: Option<&'a String>,
    address: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    value: Option<String>,
    previous: Option<String>,
    changes: Option<u64>,
    notes: Option<&'a String>,
}

#[derive(Serialize)]
struct Paths {
    target: Option<String>,
    /// The number of paths that no longer lead there.
    gone: usize,
    paths: Vec<Path>,
}

#[derive(Serialize)]
struct Path {
    base: String,
    offsets: Vec<String>,
    path: String,
    /// The current target, if there is one.
    leads_to: Option<String>,
}

#[derive(Serialize)]
struct Saved<'a> {
    file: String,
    lines: usize,
    left_out: &'a [LeftOut],
}

fn place(watch: &Watch) -> String {
    CellAddress { address: watch.address, part: watch.part }.to_string()
}

/// Prints the list from a line on.
pub fn watches(json: bool, list: &WatchList, from: usize, left_out: &[LeftOut]) -> anyhow::Result<()> {
    let nothing = WatchState::default();
    let seen = |line: usize| list.state(line).unwrap_or(&nothing);
    let lines = list.entries().iter().enumerate().skip(from);
    if json {
        let lines = lines.map(|(number, entry)| match entry {
            Entry::Separator(title) => {
                Line { separator: Some(title).filter(|title| !title.is_empty()), ..Line::default() }
            }
            Entry::Watch(watch) => {
                let show = |value: &Option<Value>| value.as_ref().map(|value| watch.show(value));
                let WatchState { value, previous, changes, .. } = seen(number);
                Line {
                    separator: None,
                    label: Some(&watch.label).filter(|label| !label.is_empty()),
                    address: Some(place(watch)),
                    kind: Some(name_of_type(watch.ty)),
                    value: show(value),
                    previous: show(previous),
                    changes: Some(*changes),
                    notes: Some(&watch.notes).filter(|notes| !notes.is_empty()),
                }
            }
        });
        return output::object(Kind::ScanWatches, Watches { watches: lines.collect(), left_out });
    }
    let rows = lines.map(|(line, entry)| match entry {
        Entry::Separator(title) => vec![format!("-- {title}")],
        Entry::Watch(watch) => {
            let show = |value: &Option<Value>, none: &str| {
                value.as_ref().map_or_else(|| none.to_owned(), |value| watch.show(value))
            };
            let WatchState { value, previous, changes, .. } = seen(line);
            let (ty, changes) = (name_of_type(watch.ty), changes.to_string());
            let (value, previous) = (show(value, "?"), show(previous, ""));
            vec![watch.label.clone(), place(watch), ty, value, previous, changes, watch.notes.clone()]
        }
    });
    output::table(&["label", "address", "type", "now", "previous", "changes", "notes"], rows)?;
    print_left_out(left_out)
}

fn print_left_out(left_out: &[LeftOut]) -> anyhow::Result<()> {
    left_out.iter().try_for_each(|left| output::line(format_args!("left out: {}: {}", left.what, left.why)))
}

pub fn paths(json: bool, session: &Session, gone: usize) -> anyhow::Result<()> {
    let Some(found) = session.paths() else { return Ok(()) };
    let file = &found.file;
    let shown = if json { &file.paths[..] } else { &file.paths[..PATHS_SHOWN.min(file.paths.len())] };
    let leads = session.lead(shown)?;
    let base = |path: &PointerPath| base_text(path.base, &found.modules);
    let to = |leads: &Option<Address>| leads.map(|address| address.to_string());
    if json {
        let path = |(path, leads): (&PointerPath, &Option<Address>)| Path {
            base: base(path),
            offsets: path.offsets.iter().map(|offset| format!("0x{offset:X}")).collect(),
            path: path.to_string(),
            leads_to: to(leads),
        };
        let target = file.target.map(|target| target.to_string());
        let paths = shown.iter().zip(&leads).map(path).collect();
        return output::object(Kind::ScanPaths, Paths { target, gone, paths });
    }
    if gone > 0 {
        let all = gone + file.paths.len();
        output::line(format_args!("{gone} of {all} paths no longer lead there"))?;
    }
    if shown.is_empty() {
        return output::line("No paths");
    }
    let row = |(path, leads): (&PointerPath, &Option<Address>)| {
        vec![base(path), path.to_string(), to(leads).unwrap_or_else(|| "-".into())]
    };
    output::table(&["base", "path", "target"], shown.iter().zip(&leads).map(row))?;
    let more = file.paths.len() - shown.len();
    if more > 0 { output::line(format_args!("... and {more} more")) } else { Ok(()) }
}

pub fn saved(json: bool, file: &std::path::Path, lines: usize, left_out: &[LeftOut]) -> anyhow::Result<()> {
    let name = file.display();
    if json {
        let saved = Saved { file: name.to_string(), lines, left_out };
        return output::object(Kind::ScanSaved, saved);
    }
    output::line(format_args!("Wrote {name}: {}", counted(lines as u64, "line")))?;
    print_left_out(left_out)
}

//! The watch list of a session: files, and sampling at every frame.

use super::{Session, SessionError, StepOutcome};
use crate::source::{Address, Source};
use crate::value::CellAddress;
use crate::watch::{
    Entry, LeftOut, ListContext, ListKind, OpenedList, Watch, WatchList, read_list, write_list,
};
use nextscope_file::{Overwrite, WriteError, read_limited, write};
use std::path::Path;

const BYTES_MOST: u64 = 16 << 20;
/// Errors in a file that are shown.
const ERRORS_MOST: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Watched {
    list: WatchList,
    /// The BizHawk file loaded last: its unchanged lines are saved as they were.
    opened: Option<OpenedList>,
    frames: u64,
}

impl Watched {
    pub fn is_any(&self) -> bool {
        self.list.watches().next().is_some()
    }

    /// Samples a frame, this many after the last.
    pub fn frame(&mut self, source: &dyn Source, passed: u32) {
        self.frames += u64::from(passed);
        self.list.update(source, self.frames);
    }
}

fn kind(file: &Path) -> Result<ListKind, SessionError> {
    let what = "unknown watch list format: expected .wch (BizHawk), .CT (Cheat Engine, read only) or .csv";
    ListKind::of(file).ok_or_else(|| SessionError::invalid(format!("{}: {what}", file.display())))
}

impl Session {
    /// The watch list.
    pub fn watches(&self) -> &WatchList {
        &self.watched.list
    }

    /// Reads the watched cells.
    pub fn update_watches(&mut self) -> Result<(), SessionError> {
        let view = self.memory.view()?;
        self.watched.list.update(view.source(), self.watched.frames);
        Ok(())
    }

    pub(super) fn watch(&mut self, watch: &Watch) -> Result<StepOutcome, SessionError> {
        self.add(vec![Entry::Watch(watch.clone())], Vec::new())
    }

    pub(super) fn show_watches(&mut self) -> Result<StepOutcome, SessionError> {
        self.update_watches()?;
        Ok(StepOutcome::Watches { from: 0, left_out: Vec::new() })
    }

    fn add(&mut self, entries: Vec<Entry>, left_out: Vec<LeftOut>) -> Result<StepOutcome, SessionError> {
        let from = self.watched.list.entries().len();
        for entry in entries {
            self.watched.list.insert(usize::MAX, entry);
        }
        self.update_watches()?;
        Ok(StepOutcome::Watches { from, left_out })
    }

    /// Loads a file; its extension is the format.
    pub(super) fn read_watches(&mut self, file: &Path) -> Result<StepOutcome, SessionError> {
        let (bytes, kind) = (read(file)?, kind(file)?);
        let modules = self.memory.modules()?;
        let module = |name: &str| -> Option<Address> {
            modules.iter().find(|module| module.name == name).map(|module| module.start)
        };
        if kind == ListKind::Wch && self.memory.domain().is_none() {
            let what = "its addresses are a console's; name the console or use a .csv file";
            return Err(SessionError::invalid(format!("{}: {what}", file.display())));
        }
        let whose = ListContext { domain: self.memory.domain(), order: self.memory.order(), module: &module };
        let opened = read_list(kind, &bytes, whose).map_err(|errors| {
            let shown = &errors[..errors.len().min(ERRORS_MOST)];
            let more = errors.len() - shown.len();
            let more = if more > 0 { format!("; and {more} more lines") } else { String::new() };
            SessionError::invalid(format!("{}: {}{more}", file.display(), shown.join("; ")))
        })?;
        let (entries, left_out) = (opened.entries.clone(), opened.left_out.clone());
        if kind == ListKind::Wch {
            self.watched.opened = Some(opened);
        }
        self.add(entries, left_out)
    }

    /// Saves the list; the file's extension is the format.
    pub(super) fn save_watches(&mut self, file: &Path) -> Result<StepOutcome, SessionError> {
        let wrong = |what: String| SessionError::invalid(format!("{}: {what}", file.display()));
        let entries = self.watched.list.entries();
        let opened = self.watched.opened.as_ref();
        let (bytes, left_out) =
            write_list(kind(file)?, entries, self.memory.domain(), opened).map_err(&wrong)?;
        let lines = entries.len() - left_out.len();
        self.save(file, &bytes)?;
        Ok(StepOutcome::Saved { file: file.to_owned(), lines, left_out })
    }

    /// Writes a file. An existing one is overwritten if allowed, or if this session wrote it.
    pub(super) fn save(&mut self, file: &Path, bytes: &[u8]) -> Result<(), SessionError> {
        let own = self.saved.iter().any(|saved| saved == file);
        let overwrite = if own { Overwrite::Replace } else { self.overwrite };
        write(file, bytes, overwrite).map_err(|error| {
            let remedy = if matches!(error, WriteError::Exists) { " (use --force to overwrite)" } else { "" };
            SessionError::invalid(format!("{}: {error}{remedy}", file.display()))
        })?;
        if !own {
            self.saved.push(file.to_owned());
        }
        Ok(())
    }

    pub(super) fn exclude_watched(&mut self) -> Result<StepOutcome, SessionError> {
        let place = |watch: &Watch| CellAddress { address: watch.address, part: watch.part };
        let places: Vec<CellAddress> = self.watched.list.watches().map(place).collect();
        if places.is_empty() {
            return Err(SessionError::invalid(
                "the watch list is empty; add a cell with watch @FF85A6 u16be \"pairs dealt\"",
            ));
        }
        self.exclude(&places)
    }
}

pub(super) fn read(file: &Path) -> Result<Vec<u8>, SessionError> {
    let wrong = |what: &dyn std::fmt::Display| {
        SessionError::invalid(format!("cannot read {}: {what}", file.display()))
    };
    read_limited(file, BYTES_MOST).map_err(|error| wrong(&error))
}

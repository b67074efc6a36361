//! The watch list of a session: its files, and what its cells do from frame to frame.

use super::{Said, Session, SessionError};
use crate::source::{Address, Source};
use crate::value::Place;
use crate::watch::{Entry, LeftOut, ListKind, OpenedList, Watch, WatchList, Whose, read_list, write_list};
use nextscope_file::{Overwrite, WriteError, read_limited, write};
use std::path::Path;

/// A file of watches longer than this is none that a person keeps.
const BYTES_MOST: u64 = 16 << 20;
/// Lines of a file that are told when something is wrong with them.
const ERRORS_MOST: usize = 10;

/// What is watched.
#[derive(Debug, Default)]
pub(super) struct Watched {
    list: WatchList,
    /// The BizHawk file that was read last: what was in it and is not changed is written as it was.
    opened: Option<OpenedList>,
    /// Frames that passed so far.
    frames: u64,
}

impl Watched {
    pub fn is_any(&self) -> bool {
        self.list.watches().next().is_some()
    }

    /// The next frame, so many after the last.
    pub fn frame(&mut self, source: &dyn Source, passed: u32) {
        self.frames += u64::from(passed);
        self.list.look(source, self.frames);
    }
}

fn kind(file: &Path) -> Result<ListKind, SessionError> {
    let what = "a list of watches ends in .wch (BizHawk), .CT (Cheat Engine, to be read only) or .csv";
    ListKind::of(file).ok_or_else(|| SessionError::wrong(format!("{}: {what}", file.display())))
}

impl Session {
    /// The watch list.
    #[must_use]
    pub fn watches(&self) -> &WatchList {
        &self.watched.list
    }

    /// The watch list, to be edited; what its cells hold is read at the next frame, or by [`Self::look_at_watches`].
    pub fn watches_mut(&mut self) -> &mut WatchList {
        &mut self.watched.list
    }

    /// Reads what the watched cells hold now.
    ///
    /// # Errors
    /// [`SessionError::Ground`].
    pub fn look_at_watches(&mut self) -> Result<(), SessionError> {
        let look = self.ground.look()?;
        self.watched.list.look(look.source(), self.watched.frames);
        Ok(())
    }

    pub(super) fn watch(&mut self, watch: &Watch) -> Result<Said, SessionError> {
        self.add(vec![Entry::Watch(watch.clone())], Vec::new())
    }

    pub(super) fn show_watches(&mut self) -> Result<Said, SessionError> {
        self.look_at_watches()?;
        Ok(Said::Watches { from: 0, left_out: Vec::new() })
    }

    fn add(&mut self, entries: Vec<Entry>, left_out: Vec<LeftOut>) -> Result<Said, SessionError> {
        let from = self.watched.list.entries().len();
        for entry in entries {
            self.watched.list.insert(usize::MAX, entry);
        }
        self.look_at_watches()?;
        Ok(Said::Watches { from, left_out })
    }

    /// Adds what a file holds, by its ending.
    pub(super) fn read_watches(&mut self, file: &Path) -> Result<Said, SessionError> {
        let (bytes, kind) = (read(file)?, kind(file)?);
        let modules = self.ground.modules()?;
        let module = |name: &str| -> Option<Address> {
            modules.iter().find(|module| module.name == name).map(|module| module.start)
        };
        if kind == ListKind::Wch && self.ground.domain().is_none() {
            let what = "its addresses are a console's; say whose dump it is, or take a .csv file";
            return Err(SessionError::wrong(format!("{}: {what}", file.display())));
        }
        let whose = Whose { domain: self.ground.domain(), order: self.ground.order(), module: &module };
        let opened = read_list(kind, &bytes, whose).map_err(|errors| {
            let told = &errors[..errors.len().min(ERRORS_MOST)];
            let more = errors.len() - told.len();
            let more = if more > 0 { format!("; and {more} lines more") } else { String::new() };
            SessionError::wrong(format!("{}: {}{more}", file.display(), told.join("; ")))
        })?;
        let (entries, left_out) = (opened.entries.clone(), opened.left_out.clone());
        if kind == ListKind::Wch {
            self.watched.opened = Some(opened);
        }
        self.add(entries, left_out)
    }

    /// Writes the list, by the file's ending.
    pub(super) fn save_watches(&mut self, file: &Path) -> Result<Said, SessionError> {
        let wrong = |what: String| SessionError::wrong(format!("{}: {what}", file.display()));
        let entries = self.watched.list.entries();
        let opened = self.watched.opened.as_ref();
        let (bytes, left_out) =
            write_list(kind(file)?, entries, self.ground.domain(), opened).map_err(&wrong)?;
        let lines = entries.len() - left_out.len();
        self.save(file, &bytes)?;
        Ok(Said::Saved { file: file.to_owned(), lines, left_out })
    }

    /// Writes a file. One that exists is replaced if that was asked for, or if it was written in this session.
    pub(super) fn save(&mut self, file: &Path, bytes: &[u8]) -> Result<(), SessionError> {
        let own = self.saved.iter().any(|saved| saved == file);
        let overwrite = if own { Overwrite::Replace } else { self.overwrite };
        write(file, bytes, overwrite).map_err(|error| {
            let remedy = if matches!(error, WriteError::Exists) { " (use --force to overwrite)" } else { "" };
            SessionError::wrong(format!("{}: {error}{remedy}", file.display()))
        })?;
        if !own {
            self.saved.push(file.to_owned());
        }
        Ok(())
    }

    /// Takes the watched cells out of the search.
    pub(super) fn exclude_watched(&mut self) -> Result<Said, SessionError> {
        let place = |watch: &Watch| Place { address: watch.address, part: watch.part };
        let places: Vec<Place> = self.watched.list.watches().map(place).collect();
        if places.is_empty() {
            return Err(SessionError::wrong("nothing is watched yet: watch @FF85A6 u16be \"pairs dealt\""));
        }
        self.exclude(&places)
    }
}

/// The bytes of a file that a person keeps.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, SessionError> {
    let wrong =
        |what: &dyn std::fmt::Display| SessionError::wrong(format!("cannot read {}: {what}", file.display()));
    read_limited(file, BYTES_MOST).map_err(|error| wrong(&error))
}

//! Recordings as files: where they are kept, how new ones are called, which there are, and opening one without making the window wait.

use super::background::Background;
use super::log::{Log, Topic};
use super::replay::is_recording;
use crate::live::View;
use crate::recording::{EXTENSION, Header, Recording};
use eframe::egui;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tracing::Level;

/// Files that are listed at most: the newest.
const LISTED: usize = 60;
/// Folders within folders that are looked into: evidence is kept in one for each session and one for each mismatch.
const DEPTH: usize = 2;

/// A recording that could be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The file.
    pub path: PathBuf,
    /// What it is called in the list: its path within the folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// When it was written last.
    pub written: SystemTime,
}

/// Recordings: the folders, and what is being opened.
#[derive(Default)]
pub struct Recordings {
    /// Where new ones are kept.
    folder: Option<PathBuf>,
    /// Where evidence of mismatches is kept, which is of the same format.
    evidence: Option<PathBuf>,
    opening: Option<(PathBuf, Opening)>,
    /// The file that was being written to when the window was drawn last.
    written: Option<PathBuf>,
}

type Opening = Background<(), Result<Recording, String>>;

impl Recordings {
    /// Names the folders.
    pub fn keep_in(&mut self, folder: Option<PathBuf>, evidence: Option<PathBuf>) {
        (self.folder, self.evidence) = (folder, evidence);
    }

    /// A new file to record in, in a folder that is made if need be.
    ///
    /// # Errors
    /// A sentence, when there is no such folder, or nothing to record.
    pub fn new_file(&self, view: &View) -> Result<PathBuf, String> {
        let folder = self.folder.as_deref().ok_or("this system has no folder for recordings")?;
        let profile = view.target.as_ref().map(|target| target.profile.id.as_str());
        let profile = profile.ok_or("nothing to record: no emulator is attached")?;
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        Ok(folder.join(format!("{profile}-{}.{EXTENSION}", moment(Header::now()))))
    }

    /// Tells in the log that a recording was ended, and what it is. What went wrong is told by whoever writes.
    pub fn tell_end(&mut self, view: &View, log: &Log) {
        let Some(state) = &view.recording else { return };
        if !state.ended {
            self.written = Some(state.path.clone());
        } else if self.written.take().is_some_and(|path| path == state.path) && state.error.is_none() {
            let what = format!("recorded {} samples, {}", state.samples, size(state.bytes));
            log.push_about(Topic::Recording, Level::INFO, format!("{what}, in {}", state.path.display()));
        }
    }

    /// The recordings that there are, newest first.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        let mut found = Vec::new();
        for folder in [&self.folder, &self.evidence].into_iter().flatten() {
            look_into(folder, folder, DEPTH, &mut found);
        }
        found.sort_by_key(|file| std::cmp::Reverse(file.written));
        found.truncate(LISTED);
        found
    }

    /// Begins to open a file; one that is being opened is left.
    pub fn open(&mut self, ctx: &egui::Context, path: PathBuf, log: &Log) {
        let file = path.clone();
        let read = move |_: &_| Recording::open(&file).map_err(|error| error.to_string());
        match Background::start("recording", ctx.clone(), read) {
            Ok(opening) => self.opening = Some((path, opening)),
            Err(error) => tell(log, &path, &format!("the system gives no thread: {error}")),
        }
    }

    /// The recording that was opened, as soon as that is done. One that cannot be is told in the log.
    pub fn take(&mut self, log: &Log) -> Option<Arc<Recording>> {
        let (_, opening) = self.opening.as_ref()?;
        let result = opening.take("a fault of this program while it was read")?;
        let (path, _) = self.opening.take()?;
        match result.and_then(|read| read) {
            Ok(recording) if recording.is_empty() => {
                tell(log, &path, "no sample in it can be read");
                None
            }
            Ok(recording) => Some(Arc::new(recording)),
            Err(why) => {
                tell(log, &path, &why);
                None
            }
        }
    }
}

fn tell(log: &Log, path: &Path, why: &str) {
    log.push_about(Topic::Recording, Level::ERROR, format!("{} was not opened: {why}", path.display()));
}

fn look_into(root: &Path, folder: &Path, depth: usize, found: &mut Vec<Listed>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() && depth > 0 {
            look_into(root, &path, depth - 1, found);
        } else if about.is_file() && is_recording(&path) {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(Listed { name, bytes: about.len(), written, path });
        }
    }
}

/// A moment, in seconds since 1970, as it stands in names of files: day and time of UTC.
fn moment(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}-{hour:02}{minute:02}{second:02}")
}

/// Year, month and day, both from 1, of the day that is so many after 1 January 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let leaps = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leaps(year)) {
        days -= 365 + u64::from(leaps(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leaps(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

/// A length of a file in words: "12.3 MB".
#[must_use]
pub fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "a length for people")]
    let bytes = bytes as f64;
    if bytes < 1e6 { format!("{:.0} kB", bytes / 1e3) } else { format!("{:.1} MB", bytes / 1e6) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_days_of_the_calendar() {
        // By `date -u -d @N +%F-%H%M%S`.
        for (seconds, expected) in [
            (0, "1970-01-01-000000"),
            (951_782_399, "2000-02-28-235959"),
            (951_782_400, "2000-02-29-000000"),
            (1_735_689_599, "2024-12-31-235959"),
            (1_795_330_800, "2026-11-22-070000"),
            (4_107_542_400, "2100-03-01-000000"),
        ] {
            assert_eq!(moment(seconds), expected);
        }
    }

    #[test]
    fn recordings_are_listed_newest_first_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("session/001")).unwrap();
        let age = |name: &str, seconds: u64| {
            let file = std::fs::File::create(at(name)).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
        };
        age("old.nsrec", 10);
        age("session/001/evidence.NSREC", 20);
        age("notes.txt", 30);
        let mut recordings = Recordings::default();
        recordings.keep_in(Some(folder.path().to_owned()), Some(at("nowhere")));
        let names: Vec<String> = recordings.list().into_iter().map(|file| file.name).collect();
        assert_eq!(names, ["session/001/evidence.NSREC", "old.nsrec"]);
    }
}

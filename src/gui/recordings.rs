//! Recording files: folders, names of new files, the list, and opening one in the background.

use super::file_dialog::SavedFile;
use super::repaint;
use crate::live::View;
use crate::log::{Log, Topic};
use crate::recording::{EXTENSION, Header, Recording};
use crate::task::Task;
use crate::text::counted;
use eframe::egui;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tracing::Level;

/// A round of the embedded console, in which two computers play.
static SAMPLE: &[u8] = include_bytes!("../../docs/samples/sample.nsrec");
const SAMPLE_NAME: &str = "sample.nsrec";

/// Maximum number of listed files, newest first.
const LISTED: usize = 60;
/// Depth of the search: evidence has a folder per session and one per mismatch.
const DEPTH: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub path: PathBuf,
    /// The displayed name: its path within the folder.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    pub written: SystemTime,
}

/// The folders, and the recording that is being opened.
#[derive(Default)]
pub struct Recordings {
    /// For new recordings.
    folder: Option<PathBuf>,
    /// For mismatch evidence, which has the same format.
    evidence: Option<PathBuf>,
    /// The file, or None for the sample, and its reader.
    opening: Option<(Option<PathBuf>, Opening)>,
    /// The file that was being written in the last frame.
    written: Option<PathBuf>,
}

type Opening = Task<Result<Recording, String>>;

impl Recordings {
    pub fn set_folders(&mut self, folder: Option<PathBuf>, evidence: Option<PathBuf>) {
        (self.folder, self.evidence) = (folder, evidence);
    }

    /// The path of a new recording; creates its folder.
    ///
    /// # Errors
    /// A sentence.
    pub fn new_file(&self, view: &View) -> Result<PathBuf, String> {
        let folder = self.folder.as_deref().ok_or("no folder for recordings on this system")?;
        let profile = view.target.as_ref().map(|target| target.profile.id.as_str());
        let profile = profile.ok_or("nothing to record: no emulator attached")?;
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        Ok(folder.join(format!("{profile}-{}.{EXTENSION}", file_timestamp(Header::now()))))
    }

    /// Logs a recording that has just finished, and returns it with a message. The writer itself logs errors.
    pub fn finished(&mut self, view: &View, log: &Log) -> Option<SavedFile> {
        let state = view.recording.as_ref()?;
        if !state.ended {
            self.written = Some(state.path.clone());
        } else if self.written.take().is_some_and(|path| path == state.path) && state.error.is_none() {
            let what = format!("Recorded {}, {}", counted(state.samples, "sample"), size(state.bytes));
            let message = format!("{what}, saved to {}", state.path.display());
            log.push(Level::INFO, message.as_str());
            return Some(SavedFile { path: state.path.clone(), message });
        }
        None
    }

    /// The existing recordings, newest first.
    pub fn list(&self) -> Vec<Listed> {
        let mut found = Vec::new();
        for folder in [&self.folder, &self.evidence].into_iter().flatten() {
            search(folder, folder, DEPTH, &mut found);
        }
        found.sort_by_key(|file| std::cmp::Reverse(file.written));
        found.truncate(LISTED);
        found
    }

    /// Starts to open a file, instead of one that is being opened.
    pub fn open(&mut self, ctx: &egui::Context, path: PathBuf) {
        let file = path.clone();
        let read = move |_: &_| Recording::open(&file).map_err(|error| error.to_string());
        self.opening = Some((Some(path), Task::start("recording", repaint::waker(ctx), read)));
    }

    /// As [`Self::open`], with the recording that the program contains.
    pub fn open_sample(&mut self, ctx: &egui::Context) {
        let read =
            |_: &_| Recording::from_bytes(SAMPLE.to_vec(), SAMPLE_NAME).map_err(|error| error.to_string());
        self.opening = Some((None, Task::start("recording", repaint::waker(ctx), read)));
    }

    /// The opened file, unless it is the sample, and its recording, once ready. Errors are logged.
    pub fn take(&mut self, log: &Log) -> Option<(Option<PathBuf>, Arc<Recording>)> {
        let (_, opening) = self.opening.as_ref()?;
        let result = opening.poll()?;
        let (path, _) = self.opening.take()?;
        let name = || path.as_deref().unwrap_or(Path::new(SAMPLE_NAME));
        match result.unwrap_or_else(|error| Err(format!("the reader {error}"))) {
            Ok(recording) if recording.is_empty() => {
                log_error(log, name(), "it has no readable sample");
                None
            }
            Ok(recording) => Some((path, Arc::new(recording))),
            Err(why) => {
                log_error(log, name(), &why);
                None
            }
        }
    }
}

fn log_error(log: &Log, path: &Path, why: &str) {
    log.push_about(Topic::Recording, Level::ERROR, format!("cannot open {}: {why}", path.display()));
}

fn search(root: &Path, folder: &Path, depth: usize, found: &mut Vec<Listed>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir() && depth > 0 {
            search(root, &path, depth - 1, found);
        } else if about.is_file() && is_recording(&path) {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push(Listed { name, bytes: about.len(), written, path });
        }
    }
}

/// A time in seconds since 1970 as used in file names: UTC date and time.
fn file_timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}-{hour:02}{minute:02}{second:02}")
}

/// Year, month and day (from 1) of a number of days after 1 January 1970.
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

/// Whether the file name is that of a recording.
pub fn is_recording(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(EXTENSION))
}

/// A file size: "12.3 MB".
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
            assert_eq!(file_timestamp(seconds), expected);
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
        recordings.set_folders(Some(folder.path().to_owned()), Some(at("nowhere")));
        let names: Vec<String> = recordings.list().into_iter().map(|file| file.name).collect();
        let evidence: PathBuf = ["session", "001", "evidence.NSREC"].iter().collect();
        assert_eq!(names, [evidence.display().to_string(), "old.nsrec".into()]);
    }
}

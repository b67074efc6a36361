//! Writes measured durations into a profile.

use crate::cli::exit::Failure;
use crate::cli::files;
use crate::file::{Overwrite, read_text, write as write_file};
use crate::frames::{TableOptions, rows_text, table};
use crate::live::MeasuredDurations;
use crate::profile::{FrameStatus, MAX_FILE_BYTES, Profile, parse, with_frames};
use std::path::Path;

/// What became of `--write`.
pub struct Written {
    /// The file.
    pub path: String,
    /// Why it was not written.
    pub refused: Option<String>,
    /// The status of its table.
    pub status: Option<FrameStatus>,
    /// The keys that were written.
    pub keys: Vec<&'static str>,
    /// What they still contain of the numbers before: "chain: 3 to 12 rows".
    pub as_before: Vec<String>,
}

/// Makes the file's folder, in which the recording may be too. Fails if the file exists and is no profile.
pub fn prepare(path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| files::failure(folder, error))?;
    }
    existing(path).map(|_| ())
}

/// The text of the file and the profile in it; None if there is no file.
fn existing(path: &Path) -> Result<Option<(String, Profile)>, Failure> {
    if !path.exists() {
        files::check(path, false)?;
        return Ok(None);
    }
    files::check(path, true)?;
    let text = read_text(path, MAX_FILE_BYTES as u64).map_err(|error| files::failure(path, error))?;
    let profile = parse(&text, &path.display().to_string()).0;
    let profile = profile.ok_or_else(|| {
        files::failure(path, "this file is not a valid profile, and is not overwritten").with_hint(
            "choose another file for --write, or see what is wrong with it: nextscope profile check FILE",
        )
    })?;
    Ok(Some((text, profile)))
}

/// Writes the numbers into the file's `[frames]`, or into that of a copy of the profile that was used.
pub fn write(
    path: &Path,
    measured: &MeasuredDurations,
    options: TableOptions,
    recording: &Path,
) -> anyhow::Result<Written> {
    let used = &measured.profile;
    let (text, profile, overwrite) = match existing(path)? {
        Some((_, profile)) if profile.id != used.id => {
            let what = format!("this is the profile {}, but {} was measured", profile.id, used.id);
            return Err(files::failure(path, what).with_hint("choose another file for --write").into());
        }
        Some((text, profile)) => (text, profile, Overwrite::Replace),
        None => (used.text.to_string(), Profile::clone(used), Overwrite::Refuse),
    };
    let name = recording.file_name().unwrap_or_default().to_string_lossy();
    let mut written = Written {
        path: path.display().to_string(),
        refused: None,
        status: None,
        keys: Vec::new(),
        as_before: Vec::new(),
    };
    match table(&measured.times, profile.frames.as_ref(), options, measured.player, &name) {
        Ok(frames) if frames.times.is_empty() => {
            written.refused = Some("no number was measured without doubt".into());
        }
        Ok(frames) => {
            let edited = with_frames(&text, &frames)?;
            write_file(path, edited.text.as_bytes(), overwrite)
                .map_err(|error| files::write_failure(path, &error))?;
            written.status = Some(frames.status);
            written.keys = frames.times.iter().map(|time| time.key).collect();
            let lists = frames.times.iter().filter(|time| !time.unmeasured_rows.is_empty());
            let rows = lists.map(|time| format!("{}, {}", time.key, rows_text(&time.unmeasured_rows)));
            written.as_before = rows.collect();
        }
        Err(incomplete) => written.refused = Some(incomplete.to_string()),
    }
    Ok(written)
}

//! A field more in the user's copy of a profile: what would be written is shown first, then written.

use super::edit::{EditError, Edited, NewField, with_field};
use super::{BUILT_IN, Origin, Profile, parse};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A profile's file with a field more, before it is written.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The file that will be written.
    pub path: PathBuf,
    /// Whether it is a copy of a built-in profile, which is not there yet.
    pub copied: bool,
    /// The new text, what changes in it and what may be wrong with it.
    pub edited: Edited,
    /// The text that the file has now.
    before: String,
}

/// Why a field cannot be added. No file has changed.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The text would not be good, or the name is taken.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The system knows no folder for the user's profiles.
    #[error("there is no folder for profiles of your own: name one with --profiles")]
    NoFolder,
    /// A file of that name is there and is another profile, or none.
    #[error("{path} is there already and is not profile {id}; move it away")]
    Occupied {
        /// The file.
        path: PathBuf,
        /// The profile that would be copied.
        id: String,
    },
    /// The file was edited between the look at the change and the writing.
    #[error("{0} was changed by somebody else in the meantime; look at the change again")]
    Changed(PathBuf),
    /// The file cannot be read or written.
    #[error("{path}: {reason}")]
    System {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: std::io::Error,
    },
}

/// The text that a profile has: the embedded one, or that of its file.
///
/// # Errors
/// When the file cannot be read.
pub fn text_of(profile: &Profile) -> Result<String, AddError> {
    match &profile.origin {
        Origin::BuiltIn => {
            let id = format!("id = {:?}", profile.id);
            let own = BUILT_IN.into_iter().find(|(_, text)| text.lines().any(|line| line == id));
            let missing = || std::io::Error::other("the program has no text of this profile");
            own.map(|(_, text)| text.to_owned())
                .ok_or_else(|| AddError::System { path: PathBuf::from(&profile.id), reason: missing() })
        }
        Origin::File(path) => read(path),
    }
}

fn read(path: &Path) -> Result<String, AddError> {
    std::fs::read_to_string(path).map_err(|reason| AddError::System { path: path.to_owned(), reason })
}

/// What adding a field to a profile would write: into the profile's own file, or of a built-in profile into a copy in `folder`.
/// With `replace`, a field of that name is changed where it stands.
///
/// # Errors
/// [`AddError`].
pub fn plan_field(
    folder: Option<&Path>,
    profile: &Profile,
    field: &NewField,
    replace: bool,
) -> Result<Addition, AddError> {
    let (path, copied, before) = match &profile.origin {
        Origin::File(path) => (path.clone(), false, read(path)?),
        Origin::BuiltIn => {
            let path = folder.ok_or(AddError::NoFolder)?.join(format!("{}.toml", profile.id));
            if path.exists() {
                // It was copied a moment ago, and the library has not been read again yet.
                let text = read(&path)?;
                let own = parse(&text, &path.display().to_string()).0;
                if own.is_none_or(|own| own.id != profile.id) {
                    return Err(AddError::Occupied { path, id: profile.id.clone() });
                }
                (path, false, text)
            } else {
                (path, true, text_of(profile)?)
            }
        }
    };
    let edited = with_field(&before, field, replace)?;
    Ok(Addition { path, copied, edited, before })
}

/// [`plan_field`], and writes it.
///
/// # Errors
/// [`AddError`].
pub fn add_field(
    folder: Option<&Path>,
    profile: &Profile,
    field: &NewField,
    replace: bool,
) -> Result<Addition, AddError> {
    let addition = plan_field(folder, profile, field, replace)?;
    addition.write()?;
    Ok(addition)
}

impl Addition {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    /// [`AddError::Changed`] and [`AddError::System`]; the file is then as it was.
    pub fn write(&self) -> Result<(), AddError> {
        let failed = |reason| AddError::System { path: self.path.clone(), reason };
        let same = if self.copied {
            !self.path.exists()
        } else {
            std::fs::read_to_string(&self.path).map_err(failed)? == self.before
        };
        if !same {
            return Err(AddError::Changed(self.path.clone()));
        }
        write_whole(&self.path, self.edited.text.as_bytes()).map_err(failed)
    }
}

/// Writes a file aside first, then in its place, so that nobody ever reads half of it. Folders that lack are made.
///
/// # Errors
/// What the system says; the file is then as it was.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A link stays one: what it leads to is written.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Hidden, and without the ending, so that nobody takes it for the file.
    let aside = folder.join(format!(".{name}.{}.new", std::process::id()));
    let write = || {
        std::fs::create_dir_all(folder)?;
        let mut file = std::fs::File::create(&aside)?;
        if let Ok(old) = std::fs::metadata(&path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&aside, &path)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&aside); // it may never have been made
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::ConsoleAddr;
    use crate::profile::{ChangedLine, FieldKind, Library};

    fn field(name: &str) -> NewField {
        NewField {
            name: name.into(),
            address: ConsoleAddr(0xFF_0040),
            kind: FieldKind::U16,
            source: "found by a RAM search".into(),
            note: None,
            confirmed: false,
        }
    }

    #[test]
    fn a_built_in_profile_is_copied_once_and_then_added_to() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("not there yet");
        let library = Library::load(Some(&folder));
        let built_in = library.by_id("puyo-tsu-genesis").unwrap();
        let first = add_field(Some(&folder), built_in, &field("one"), false).unwrap();
        assert!(first.copied && first.path.ends_with("puyo-tsu-genesis.toml"));
        let text = std::fs::read_to_string(&first.path).unwrap();
        assert!(text.starts_with(text_of(built_in).unwrap().trim_end()), "comments and all stay");
        // Before the library is read again, the copy is the one that is added to.
        let second = add_field(Some(&folder), built_in, &field("two"), false).unwrap();
        assert!(!second.copied);
        assert!(matches!(second.edited.changes.as_slice(), [ChangedLine::Added(..), ..]));
        let library = library.reload();
        assert!(library.diagnostics().is_empty(), "{:?}", library.diagnostics());
        let own = library.by_id("puyo-tsu-genesis").unwrap();
        assert!(own.field("one").is_some() && own.field("two").is_some());
        let again = add_field(Some(&folder), own, &field("two"), false);
        assert!(matches!(again, Err(AddError::Edit(EditError::Taken(name))) if name == "two"));
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(files.len(), 1, "nothing is left beside it: {files:?}");
    }

    #[test]
    fn what_somebody_else_wrote_is_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        let library = Library::built_in();
        let built_in = library.by_id("tetris-nes").unwrap();
        let new = NewField { address: ConsoleAddr(0x40), ..field("mine") };
        let planned = plan_field(Some(home.path()), built_in, &new, false).unwrap();
        std::fs::write(&planned.path, "# my own notes\n").unwrap();
        assert!(matches!(planned.write(), Err(AddError::Changed(_))));
        let error = plan_field(Some(home.path()), built_in, &new, false).expect_err("no such profile");
        assert!(error.to_string().contains("is there already and is not profile tetris-nes"), "{error}");
        assert_eq!(std::fs::read_to_string(&planned.path).unwrap(), "# my own notes\n");
        assert!(matches!(plan_field(None, built_in, &new, false), Err(AddError::NoFolder)));
    }
}

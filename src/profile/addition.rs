//! Adding a field or a board to a profile in the user's folder. A built-in profile is copied there first; the copy replaces
//! it from then on.

use super::library::Library;
use crate::file::{Overwrite, read_text, write};
use nextscope_games::profile::BoardLayout;
use nextscope_games::profile::{EditError, Edited, NewField, NewFrames, with_board, with_field, with_frames};
use nextscope_games::profile::{MAX_FILE_BYTES, parse};
use nextscope_games::profile::{Origin, Profile};
use std::path::{Path, PathBuf};

/// An addition to a profile, not written yet.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The file to write.
    pub path: PathBuf,
    /// Whether it is a new copy of a built-in profile.
    pub copied: bool,
    /// The new text and its changes.
    pub edited: Edited,
    /// The text that the file has now, or that of the built-in profile.
    before: String,
}

/// Why an addition is not possible, or was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum AdditionError {
    #[error("unknown profile {id:?}; known: {}", known.join(", "))]
    NoProfile { id: String, known: Vec<String> },
    #[error("this system has no folder for your profiles; set one with --profiles")]
    NoFolder,
    #[error("{0} exists and is not this profile; move it away or set another folder with --profiles")]
    FileExists(PathBuf),
    #[error("{0} was changed by another program in the meantime; review the addition again")]
    Changed(PathBuf),
    /// The text cannot be edited like that.
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("{} cannot be {done}: {error}", path.display())]
    File { path: PathBuf, done: &'static str, error: std::io::Error },
}

/// The text of a profile: of its file, or the built-in one.
///
/// # Errors
/// When the file cannot be read.
pub fn text_of(profile: &Profile) -> std::io::Result<String> {
    match &profile.origin {
        Origin::File(path) => Ok(read_text(path, MAX_FILE_BYTES as u64)?),
        Origin::BuiltIn => Ok(profile.text.to_string()),
    }
}

impl Addition {
    /// A field for the profile of that id; with `replace`, a field of that name is changed in place.
    pub fn new(library: &Library, id: &str, field: &NewField, replace: bool) -> Result<Self, AdditionError> {
        let profile = library.by_id(id).ok_or_else(|| AdditionError::NoProfile {
            id: id.to_owned(),
            known: library.profiles().iter().map(|profile| profile.id.clone()).collect(),
        })?;
        Self::of(library.folder(), profile, field, replace)
    }

    /// A field for that profile; `folder` is that of the user's profiles.
    pub fn of(
        folder: Option<&Path>,
        profile: &Profile,
        field: &NewField,
        replace: bool,
    ) -> Result<Self, AdditionError> {
        Self::prepare(folder, profile, |text| with_field(text, field, replace))
    }

    /// A board for that profile; an existing `[board]` is changed in place.
    pub fn board(
        folder: Option<&Path>,
        profile: &Profile,
        board: &BoardLayout,
    ) -> Result<Self, AdditionError> {
        Self::prepare(folder, profile, |text| with_board(text, board))
    }

    /// Durations for the `[frames]` of that profile.
    pub fn frames(
        folder: Option<&Path>,
        profile: &Profile,
        frames: &NewFrames,
    ) -> Result<Self, AdditionError> {
        Self::prepare(folder, profile, |text| with_frames(text, frames))
    }

    fn prepare(
        folder: Option<&Path>,
        profile: &Profile,
        edit: impl FnOnce(&str) -> Result<Edited, EditError>,
    ) -> Result<Self, AdditionError> {
        let path = match &profile.origin {
            Origin::File(path) => path.clone(),
            Origin::BuiltIn => folder.ok_or(AdditionError::NoFolder)?.join(format!("{}.toml", profile.id)),
        };
        let failed = |error| AdditionError::File { path: path.clone(), done: "read", error };
        let copied = profile.origin == Origin::BuiltIn && !path.exists();
        let before = if copied || profile.origin != Origin::BuiltIn {
            text_of(profile).map_err(failed)?
        } else {
            // It was copied a moment ago, and the library has not been reloaded yet.
            let text = read_text(&path, MAX_FILE_BYTES as u64).map_err(|error| failed(error.into()))?;
            let own = parse(&text, &path.display().to_string()).0;
            if own.is_none_or(|own| own.id != profile.id) {
                return Err(AdditionError::FileExists(path));
            }
            text
        };
        let edited = edit(&before)?;
        Ok(Self { path, copied, edited, before })
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// [`AdditionError::Changed`] and [`AdditionError::File`].
    pub fn write(&self) -> Result<(), AdditionError> {
        let failed = |error| AdditionError::File { path: self.path.clone(), done: "written", error };
        let same = if self.copied {
            !self.path.exists()
        } else {
            read_text(&self.path, MAX_FILE_BYTES as u64).map_err(|error| failed(error.into()))? == self.before
        };
        if !same {
            return Err(AdditionError::Changed(self.path.clone()));
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let overwrite = if self.copied { Overwrite::Refuse } else { Overwrite::Replace };
        write(&self.path, self.edited.text.as_bytes(), overwrite).map_err(|error| failed(error.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::ConsoleAddr;
    use crate::profile::FieldKind;

    fn field(name: &str) -> NewField {
        let free = if name == "one" { 0xFF_101E } else { 0xFF_1020 };
        NewField {
            name: name.into(),
            address: ConsoleAddr(free),
            kind: FieldKind::U16,
            source: "test".into(),
            note: None,
            confirmed: false,
        }
    }

    #[test]
    fn every_built_in_profile_has_its_text() {
        for profile in Library::built_in().profiles() {
            let text = text_of(profile).expect("its text");
            assert!(text.contains(&format!("id = \"{}\"", profile.id)));
        }
    }

    #[test]
    fn a_built_in_profile_is_copied_and_then_edited_in_place() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("not").join("there");
        let library = Library::load(Some(&folder));
        let first = Addition::new(&library, "puyo-tsu-genesis", &field("one"), false).unwrap();
        assert!(first.copied && first.path == folder.join("puyo-tsu-genesis.toml"));
        first.write().unwrap();
        let library = library.reload();
        assert!(library.diagnostics().is_empty(), "{:?}", library.diagnostics());
        let second = Addition::new(&library, "puyo-tsu-genesis", &field("two"), false).unwrap();
        assert!(!second.copied);
        second.write().unwrap();
        let library = library.reload();
        let profile = library.by_id("puyo-tsu-genesis").unwrap();
        assert_eq!(profile.origin, Origin::File(first.path.clone()));
        assert!(profile.field("one").is_some() && profile.field("two").is_some());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        let again = Addition::new(&library, "puyo-tsu-genesis", &field("two"), false);
        assert!(matches!(again, Err(AdditionError::Edit(EditError::FieldExists(_)))));
        assert!(Addition::new(&library, "puyo-tsu-genesis", &field("two"), true).is_ok());
    }

    #[test]
    fn a_copy_overwrites_no_existing_file() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("puyo-tsu-genesis.toml"), "broken = ").unwrap();
        let library = Library::load(Some(home.path()));
        let error =
            Addition::new(&library, "puyo-tsu-genesis", &field("one"), false).expect_err("the file exists");
        assert!(matches!(error, AdditionError::FileExists(_)));
        let error = Addition::new(&library, "puyo", &field("one"), false).expect_err("no such profile");
        assert!(error.to_string().contains("puyo-tsu-genesis"));
    }

    #[test]
    fn a_copy_can_be_edited_before_the_library_is_reloaded() {
        let home = tempfile::tempdir().unwrap();
        let library = Library::load(Some(home.path()));
        let add = |name: &str| {
            Addition::of(library.folder(), library.by_id("puyo-tsu-genesis").unwrap(), &field(name), false)
        };
        let (first, late) = (add("one").unwrap(), add("late").unwrap());
        first.write().unwrap();
        assert!(matches!(late.write(), Err(AdditionError::Changed(_))), "it would undo the first");
        let second = add("two").unwrap();
        assert!(!second.copied);
        std::fs::write(&second.path, format!("# my own\n{}", first.edited.text)).unwrap();
        assert!(matches!(second.write(), Err(AdditionError::Changed(_))));
        add("two").unwrap().write().unwrap();
        let text = std::fs::read_to_string(&second.path).unwrap();
        assert!(
            text.starts_with("# my own\n") && text.contains("[fields.one]") && text.contains("[fields.two]")
        );
    }
}

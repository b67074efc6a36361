//! Adding a field, or where a board stands, to a profile in the user's folder: a built-in profile is copied there first, and takes the place of the built-in one
//! from then on.

use super::board::BoardLayout;
use super::edit::{EditError, Edited, NewField, with_board, with_field};
use super::library::{BUILT_IN, Library};
use super::model::{Origin, Profile};
use super::parse::{MAX_FILE_BYTES, parse};
use crate::file::{Overwrite, read_text, write};
use std::path::{Path, PathBuf};

/// A profile with something more, not written yet.
#[derive(Clone, Debug)]
pub struct Addition {
    /// The file that is to be written.
    pub path: PathBuf,
    /// Whether it is a copy of a built-in profile, and not there yet.
    pub copied: bool,
    /// The text, and by what it differs.
    pub edited: Edited,
    /// The text that the file has now.
    before: String,
}

/// Why nothing can be added, or the file not written.
#[derive(Debug, thiserror::Error)]
pub enum AdditionError {
    /// There is no such profile.
    #[error("there is no profile {id:?}; there are: {}", known.join(", "))]
    NoProfile {
        /// What was asked for.
        id: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The system knows no home for the user's files.
    #[error("this system has no folder for profiles of your own; name one with --profiles")]
    NoFolder,
    /// A file stands where the copy would go, and is another profile or none.
    #[error(
        "{0} is there already, but is not this profile; move it away or name another folder with --profiles"
    )]
    InTheWay(PathBuf),
    /// The file was edited between the look at the change and the writing.
    #[error("{0} was changed by somebody else in the meantime; look at the change again")]
    Changed(PathBuf),
    /// The text cannot be edited so.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The file cannot be read or written.
    #[error("{} cannot be {done}: {error}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was to be done with it.
        done: &'static str,
        /// What the system says.
        error: std::io::Error,
    },
}

/// A profile's text as it stands in its file, or as it is built in.
///
/// # Errors
/// When the file cannot be read.
pub fn text_of(profile: &Profile) -> std::io::Result<String> {
    match &profile.origin {
        Origin::File(path) => Ok(read_text(path, MAX_FILE_BYTES as u64)?),
        Origin::BuiltIn => {
            let id = format!("id = {:?}", profile.id);
            let own = BUILT_IN.into_iter().find(|(_, text)| text.lines().any(|line| line == id));
            own.map(|(_, text)| text.to_owned()).ok_or_else(|| std::io::Error::other("it has no text"))
        }
    }
}

impl Addition {
    /// The profile of that id with a field more; with `replace`, a field of that name is changed where it stands. The new text is checked
    /// as any profile is.
    ///
    /// # Errors
    /// [`AdditionError`].
    pub fn new(library: &Library, id: &str, field: &NewField, replace: bool) -> Result<Self, AdditionError> {
        let profile = library.by_id(id).ok_or_else(|| AdditionError::NoProfile {
            id: id.to_owned(),
            known: library.profiles().iter().map(|profile| profile.id.clone()).collect(),
        })?;
        Self::of(library.folder(), profile, field, replace)
    }

    /// The same of a profile that is at hand; `folder` is that of the user's profiles.
    ///
    /// # Errors
    /// [`AdditionError`].
    pub fn of(
        folder: Option<&Path>,
        profile: &Profile,
        field: &NewField,
        replace: bool,
    ) -> Result<Self, AdditionError> {
        Self::made(folder, profile, |text| with_field(text, field, replace))
    }

    /// The same with where the board stands; a `[board]` that is there is changed.
    ///
    /// # Errors
    /// [`AdditionError`].
    pub fn board(
        folder: Option<&Path>,
        profile: &Profile,
        board: &BoardLayout,
    ) -> Result<Self, AdditionError> {
        Self::made(folder, profile, |text| with_board(text, board))
    }

    fn made(
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
            // It was copied a moment ago, and the library has not been read again yet.
            let text = read_text(&path, MAX_FILE_BYTES as u64).map_err(|error| failed(error.into()))?;
            let own = parse(&text, &path.display().to_string()).0;
            if own.is_none_or(|own| own.id != profile.id) {
                return Err(AdditionError::InTheWay(path));
            }
            text
        };
        let edited = edit(&before)?;
        Ok(Self { path, copied, edited, before })
    }

    /// Writes the file, whole or not at all.
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
    fn a_built_in_profile_is_copied_and_then_edited_where_it_is() {
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
        assert!(matches!(again, Err(AdditionError::Edit(EditError::Taken(_)))));
        assert!(Addition::new(&library, "puyo-tsu-genesis", &field("two"), true).is_ok());
    }

    #[test]
    fn nothing_that_stands_there_is_overwritten_by_a_copy() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("puyo-tsu-genesis.toml"), "broken = ").unwrap();
        let library = Library::load(Some(home.path()));
        let error =
            Addition::new(&library, "puyo-tsu-genesis", &field("one"), false).expect_err("in the way");
        assert!(matches!(error, AdditionError::InTheWay(_)));
        let error = Addition::new(&library, "puyo", &field("one"), false).expect_err("no such profile");
        assert!(error.to_string().contains("puyo-tsu-genesis"));
    }

    #[test]
    fn a_copy_is_added_to_before_the_library_is_read_again_and_nothing_else_is_overwritten() {
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

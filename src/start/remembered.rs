//! The commands that start emulators, remembered under names: `commands.toml` in the configuration folder.

use crate::file::{Overwrite, ReadError, read_text, write};
use crate::process::Launch;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the file's form that is written, and the newest that is read.
const VERSION: u32 = 1;
/// A longer file is none of ours.
const LONGEST: u64 = 1 << 20;
/// The longest name.
const NAME_MOST: usize = 60;

/// Why the commands cannot be read or kept.
#[derive(Debug, thiserror::Error)]
pub enum CommandsError {
    /// The system knows no folder for it.
    #[error("this system tells no folder for settings, so nothing can be remembered")]
    NoFolder,
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// It is not what it ought to be.
    #[error("{}: {why}; put it right, or move it away to begin anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The name cannot be used.
    #[error(
        "{0:?} cannot be a name: it takes 1 to {NAME_MOST} characters that can be seen, and does not begin with `-`"
    )]
    Name(String),
    /// Nothing is remembered under it.
    #[error("no command is remembered as {name:?}; {}", those_known(.known))]
    Unknown {
        /// The name.
        name: String,
        /// The names that are.
        known: Vec<String>,
    },
}

fn those_known(names: &[String]) -> String {
    match names {
        [] => "none is remembered yet: nextscope start --save NAME -- EMULATOR GAME".into(),
        names => format!("these are: {}", names.join(", ")),
    }
}

/// A command under its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The name.
    pub name: String,
    /// The program and its arguments, each by itself.
    pub command: Vec<String>,
    /// The folder in which it starts: the paths in the command may be relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// In a user namespace of its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_namespace: bool,
}

impl Saved {
    /// What is to be started.
    #[must_use]
    pub fn launch(&self) -> Launch {
        let command = self.command.iter().map(Into::into).collect();
        Launch { command, folder: self.folder.clone(), in_namespace: self.in_namespace }
    }
}

#[derive(Serialize, Deserialize)]
struct Contents {
    version: u32,
    #[serde(default, rename = "command", skip_serializing_if = "Vec::is_empty")]
    commands: Vec<Saved>,
}

/// All that are remembered, in the order in which they were saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    path: PathBuf,
    commands: Vec<Saved>,
}

impl Remembered {
    /// Where they are kept for this user.
    #[must_use]
    pub fn default_path() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "nextscope")?;
        Some(folders.config_dir().join("commands.toml"))
    }

    /// Those of this user.
    ///
    /// # Errors
    /// See [`CommandsError`].
    pub fn load() -> Result<Self, CommandsError> {
        Self::load_from(&Self::default_path().ok_or(CommandsError::NoFolder)?)
    }

    /// Those in a file; none where there is no file.
    ///
    /// # Errors
    /// [`CommandsError::File`], [`CommandsError::Damaged`].
    pub fn load_from(path: &Path) -> Result<Self, CommandsError> {
        let path = path.to_owned();
        let file = |error| CommandsError::File { path: path.clone(), error };
        let damaged = |why: String| CommandsError::Damaged { path: path.clone(), why };
        let text = match read_text(&path, LONGEST) {
            Ok(text) => text,
            Err(error) if error.is_missing() => return Ok(Self { path, commands: Vec::new() }),
            Err(ReadError::Io(error)) => return Err(file(error)),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let contents: Contents = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if contents.version > VERSION {
            let why =
                format!("it is of version {}, and this Nextscope reads up to {VERSION}", contents.version);
            return Err(damaged(why));
        }
        for saved in &contents.commands {
            check_name(&saved.name).map_err(|error| damaged(error.to_string()))?;
            if saved.command.is_empty() {
                return Err(damaged(format!("{:?} starts nothing: its command is empty", saved.name)));
            }
        }
        Ok(Self { path, commands: contents.commands })
    }

    /// All of them.
    #[must_use]
    pub fn commands(&self) -> &[Saved] {
        &self.commands
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The one of this name.
    ///
    /// # Errors
    /// [`CommandsError::Unknown`].
    pub fn get(&self, name: &str) -> Result<&Saved, CommandsError> {
        let found = self.commands.iter().find(|saved| saved.name == name);
        found.ok_or_else(|| CommandsError::Unknown {
            name: name.to_owned(),
            known: self.commands.iter().map(|saved| saved.name.clone()).collect(),
        })
    }

    /// Remembers a command, in the place of another one of that name, and writes the file.
    ///
    /// # Errors
    /// [`CommandsError::Name`], [`CommandsError::File`].
    pub fn save(&mut self, saved: Saved) -> Result<(), CommandsError> {
        check_name(&saved.name)?;
        let mut commands = self.commands.clone();
        match commands.iter_mut().find(|other| other.name == saved.name) {
            Some(other) => *other = saved,
            None => commands.push(saved),
        }
        self.write(commands)
    }

    /// Forgets the one of this name and writes the file.
    ///
    /// # Errors
    /// [`CommandsError::Unknown`], [`CommandsError::File`].
    pub fn forget(&mut self, name: &str) -> Result<(), CommandsError> {
        self.get(name)?;
        let others = self.commands.iter().filter(|saved| saved.name != name).cloned().collect();
        self.write(others)
    }

    fn write(&mut self, commands: Vec<Saved>) -> Result<(), CommandsError> {
        let file = |error| CommandsError::File { path: self.path.clone(), error };
        let contents = Contents { version: VERSION, commands };
        let text = toml::to_string(&contents).map_err(|error| file(std::io::Error::other(error)))?;
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(file)?;
        }
        write(&self.path, text.as_bytes(), Overwrite::Replace).map_err(|error| file(error.into()))?;
        self.commands = contents.commands;
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), CommandsError> {
    let fine = !name.trim().is_empty()
        && name.chars().count() <= NAME_MOST
        && !name.starts_with('-')
        && !name.chars().any(char::is_control);
    if fine { Ok(()) } else { Err(CommandsError::Name(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str, command: &[&str]) -> Saved {
        Saved {
            name: name.into(),
            command: command.iter().map(ToString::to_string).collect(),
            folder: None,
            in_namespace: false,
        }
    }

    #[test]
    fn what_is_saved_is_there_again_word_for_word() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deeper/commands.toml");
        let mut remembered = Remembered::load_from(&path).expect("none yet");
        assert!(remembered.commands().is_empty());
        remembered.save(saved("tsu", &["blastem", "/games/a b \"c\".md"])).expect("it is written");
        let other = Saved {
            folder: Some("/games".into()),
            in_namespace: true,
            ..saved("Gerät 2", &["retroarch", "-L", "core.so", "x\ny"])
        };
        remembered.save(other.clone()).expect("it is written");
        assert_eq!(Remembered::load_from(&path).expect("it is read"), remembered);
        assert_eq!(remembered.get("Gerät 2").expect("it is there"), &other);
        remembered.save(saved("tsu", &["mednafen"])).expect("it takes the other's place");
        remembered.forget("Gerät 2").expect("it is there");
        let again = Remembered::load_from(&path).expect("it is read");
        assert_eq!(again.commands(), [saved("tsu", &["mednafen"])]);
        let said = again.get("nothing").expect_err("it is not there").to_string();
        assert!(said.contains("these are: tsu"), "{said}");
        for name in ["", " ", "-x", "a\nb", &"x".repeat(61)] {
            remembered.save(saved(name, &["x"])).expect_err(name);
        }
    }

    #[test]
    fn a_file_that_is_wrong_is_told_and_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("commands.toml");
        for (text, wanted) in [
            ("version = 2\n", "version 2"),
            ("version = 1\n[[command]]\nname = \"a\"\ncommand = []\n", "starts nothing"),
            ("version = 1\n[[command]]\nname = \"-a\"\ncommand = [\"x\"]\n", "cannot be a name"),
            ("nonsense", "put it right"),
        ] {
            std::fs::write(&path, text).expect("a file");
            let said = Remembered::load_from(&path).expect_err(text).to_string();
            assert!(said.contains(wanted) && said.contains("commands.toml"), "{said}");
            assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
        }
    }
}

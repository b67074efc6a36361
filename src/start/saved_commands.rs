//! Saved commands that start emulators: `commands.toml` in the configuration folder.

use crate::file::{Overwrite, ReadError, read_text, write};
use crate::process::Launch;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the file format that is written, and the newest that is read.
const VERSION: u32 = 1;
/// The longest file that is read.
const MAX_LEN: u64 = 1 << 20;
const MAX_NAME: usize = 60;

/// Why commands cannot be read or saved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CommandsError {
    #[error("this system has no folder for settings, so commands cannot be saved")]
    NoFolder,
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{}: {why}; correct the file, or move it away", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("invalid name {0:?}: use 1 to {MAX_NAME} printable characters that do not begin with `-`")]
    Name(String),
    #[error("no saved command {name:?}; {}", list_known(.known))]
    Unknown { name: String, known: Vec<String> },
}

fn list_known(names: &[String]) -> String {
    match names {
        [] => "save one with: nextscope start --save NAME -- EMULATOR GAME".into(),
        names => format!("saved commands: {}", names.join(", ")),
    }
}

/// A command and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedCommand {
    /// The name.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The working directory: the paths in the command may be relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Whether it runs in its own user namespace.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_namespace: bool,
}

impl SavedCommand {
    /// The program to launch.
    pub fn launch(&self) -> Launch {
        let command = self.command.iter().map(Into::into).collect();
        Launch { command, folder: self.folder.clone(), in_namespace: self.in_namespace }
    }
}

#[derive(Serialize, Deserialize)]
struct Contents {
    version: u32,
    #[serde(default, rename = "command", skip_serializing_if = "Vec::is_empty")]
    commands: Vec<SavedCommand>,
}

/// All saved commands, in the order in which they were saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedCommands {
    path: PathBuf,
    commands: Vec<SavedCommand>,
}

impl SavedCommands {
    /// The file of this user.
    pub fn default_path() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "nextscope")?;
        Some(folders.config_dir().join("commands.toml"))
    }

    /// Loads the commands of this user.
    pub fn load() -> Result<Self, CommandsError> {
        Self::load_from(&Self::default_path().ok_or(CommandsError::NoFolder)?)
    }

    /// Loads a file; a missing file has no commands.
    pub fn load_from(path: &Path) -> Result<Self, CommandsError> {
        let path = path.to_owned();
        let file = |error| CommandsError::File { path: path.clone(), error };
        let damaged = |why: String| CommandsError::Damaged { path: path.clone(), why };
        let text = match read_text(&path, MAX_LEN) {
            Ok(text) => text,
            Err(error) if error.is_missing() => return Ok(Self { path, commands: Vec::new() }),
            Err(ReadError::Io(error)) => return Err(file(error)),
            Err(error) => return Err(damaged(error.to_string())),
        };
        let contents: Contents = toml::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if contents.version > VERSION {
            let why = format!(
                "it has version {}, and this Nextscope reads versions up to {VERSION}",
                contents.version
            );
            return Err(damaged(why));
        }
        for saved in &contents.commands {
            check_name(&saved.name).map_err(|error| damaged(error.to_string()))?;
            if saved.command.is_empty() {
                return Err(damaged(format!("{:?} has an empty command", saved.name)));
            }
        }
        Ok(Self { path, commands: contents.commands })
    }

    /// The commands.
    pub fn commands(&self) -> &[SavedCommand] {
        &self.commands
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command of this name.
    pub fn get(&self, name: &str) -> Result<&SavedCommand, CommandsError> {
        let found = self.commands.iter().find(|saved| saved.name == name);
        found.ok_or_else(|| CommandsError::Unknown {
            name: name.to_owned(),
            known: self.commands.iter().map(|saved| saved.name.clone()).collect(),
        })
    }

    /// Saves a command, replacing one of that name, and writes the file.
    pub fn save(&mut self, saved: SavedCommand) -> Result<(), CommandsError> {
        check_name(&saved.name)?;
        let mut commands = self.commands.clone();
        match commands.iter_mut().find(|other| other.name == saved.name) {
            Some(other) => *other = saved,
            None => commands.push(saved),
        }
        self.write(commands)
    }

    /// Deletes the command of this name and writes the file.
    pub fn delete(&mut self, name: &str) -> Result<(), CommandsError> {
        self.get(name)?;
        let others = self.commands.iter().filter(|saved| saved.name != name).cloned().collect();
        self.write(others)
    }

    fn write(&mut self, commands: Vec<SavedCommand>) -> Result<(), CommandsError> {
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
    let valid = !name.trim().is_empty()
        && name.chars().count() <= MAX_NAME
        && !name.starts_with('-')
        && !name.chars().any(char::is_control);
    if valid { Ok(()) } else { Err(CommandsError::Name(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(name: &str, command: &[&str]) -> SavedCommand {
        SavedCommand {
            name: name.into(),
            command: command.iter().map(ToString::to_string).collect(),
            folder: None,
            in_namespace: false,
        }
    }

    #[test]
    fn saved_commands_are_loaded_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deeper/commands.toml");
        let mut commands = SavedCommands::load_from(&path).expect("none yet");
        assert!(commands.commands().is_empty());
        commands.save(saved("tsu", &["blastem", "/games/a b \"c\".md"])).expect("it is written");
        let other = SavedCommand {
            folder: Some("/games".into()),
            in_namespace: true,
            ..saved("Gerät 2", &["retroarch", "-L", "core.so", "x\ny"])
        };
        commands.save(other.clone()).expect("it is written");
        assert_eq!(SavedCommands::load_from(&path).expect("it is read"), commands);
        assert_eq!(commands.get("Gerät 2").expect("it is there"), &other);
        commands.save(saved("tsu", &["mednafen"])).expect("it replaces the other");
        commands.delete("Gerät 2").expect("it is there");
        let again = SavedCommands::load_from(&path).expect("it is read");
        assert_eq!(again.commands(), [saved("tsu", &["mednafen"])]);
        let error = again.get("nothing").expect_err("it is not there").to_string();
        assert!(error.contains("saved commands: tsu"), "{error}");
        for name in ["", " ", "-x", "a\nb", &"x".repeat(61)] {
            commands.save(saved(name, &["x"])).expect_err(name);
        }
    }

    #[test]
    fn an_invalid_file_is_an_error_and_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("commands.toml");
        for (text, expected) in [
            ("version = 2\n", "version 2"),
            ("version = 1\n[[command]]\nname = \"a\"\ncommand = []\n", "empty command"),
            ("version = 1\n[[command]]\nname = \"-a\"\ncommand = [\"x\"]\n", "invalid name"),
            ("nonsense", "correct the file"),
        ] {
            std::fs::write(&path, text).expect("a file");
            let error = SavedCommands::load_from(&path).expect_err(text).to_string();
            assert!(error.contains(expected) && error.contains("commands.toml"), "{error}");
            assert_eq!(std::fs::read_to_string(&path).expect("it is there"), text);
        }
    }
}

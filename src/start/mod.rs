//! Launching emulators: saved commands, finding the emulator among the launched processes, suggestions.

mod launched_emulator;
mod saved_commands;
mod shell_words;
mod suggestions;

pub use launched_emulator::{LaunchEvent, LaunchedEmulator};
pub use saved_commands::{CommandsError, SavedCommand, SavedCommands};
pub use shell_words::{join_words, split_words};
#[cfg(all(test, target_os = "linux"))]
pub(crate) use suggestions::installed;
pub use suggestions::{Suggestion, suggestions};

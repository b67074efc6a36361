//! Emulators that Nextscope starts: the commands that are remembered, which of the processes that come of one is the emulator, and what can be
//! suggested.

mod remembered;
mod started;
mod suggestions;
mod words;

pub use remembered::{CommandsError, Remembered, Saved};
pub use started::{News, Started};
#[cfg(all(test, target_os = "linux"))]
pub(crate) use suggestions::installed;
pub use suggestions::{Suggestion, suggestions};
pub use words::{line, words};

//! Profiles in files: [`Library`] has the built-in profiles and the user's, [`Watcher`] reloads edited ones, [`Addition`] adds fields.

mod addition;
mod library;
mod watch;

pub use addition::{Addition, AdditionError, text_of};
pub use library::{FileDiagnostics, Library, check_file};
pub use nextscope_games::profile::*;
pub use watch::{WatchError, Watcher};

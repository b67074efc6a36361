//! `profiles/*.toml`: what stands where in a game's RAM, and how to recognise it.
//!
//! A profile holds addresses, the code holds algorithms: a new regional version or a hack of a game is a
//! file and no code. [`parse()`] turns text into a [`Profile`] or says with line, column and help what is
//! wrong with it; [`Library`] holds the built-in profiles and the user's; [`Watcher`] reloads edited ones.

mod addition;
mod board;
mod check;
mod diagnostic;
mod edit;
mod field;
mod frame_counter;
mod frames;
mod library;
mod model;
mod parse;
mod reader;
mod schema;
mod sections;
mod template;
mod watch;

pub use addition::{Addition, AdditionError, text_of};
pub use board::{BOARD_COLORS, BoardCell, BoardLayout};
pub use diagnostic::{Code, Diagnostic, Position, Related, Severity};
pub use edit::{ChangedLine, EditError, Edited, NewField, with_board, with_field};
pub use field::{Field, FieldError, FieldKind, FieldValue, Through};
pub use frame_counter::FrameCounter;
pub use frames::{FrameTimes, Timed};
pub use library::{BUILT_IN, FileDiagnostics, Library, check_file};
pub use model::{Anchor, Liveness, Origin, Profile, RomHeader, Status};
pub use parse::{MAX_FILE_BYTES, parse, parse_bytes};
pub use schema::schema;
pub use template::template;
pub use watch::{WatchError, Watcher};

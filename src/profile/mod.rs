//! `profiles/*.toml`: the addresses of a game's RAM, and the content that identifies it.
//!
//! A profile holds addresses, the code holds algorithms: a new regional version or a hack of a game is a file and no code.
//! [`parse()`] turns text into a [`Profile`] or reports the mistakes with line, column and help; [`Library`] has the built-in
//! profiles and the user's; [`Watcher`] reloads edited ones. The format is described once, in `format.rs`.

mod addition;
mod board;
mod check;
mod diagnostic;
mod edit;
mod field;
mod format;
mod frame_counter;
mod games;
mod library;
mod model;
mod parse;
mod template;
mod validate;
mod watch;

pub use addition::{Addition, AdditionError, text_of};
pub use board::{BOARD_COLORS, BoardCell, BoardLayout};
pub use diagnostic::{Code, Diagnostic, Position, Related, Severity};
pub use edit::{ChangedLine, EditError, Edited, NewField, with_board, with_field};
pub use field::{Field, FieldError, FieldKind, FieldValue, Through};
pub use format::schema;
pub use frame_counter::FrameCounter;
pub use library::{BUILT_IN, FileDiagnostics, Library, check_file};
pub use model::{Anchor, FrameTimes, Liveness, Origin, Profile, RomHeader, Status, Timed};
pub use parse::{MAX_FILE_BYTES, parse, parse_bytes};
pub use template::template;
pub use watch::{WatchError, Watcher};

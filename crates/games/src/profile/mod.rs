//! `profiles/*.toml`: the addresses of a game's RAM, and the content that identifies it.
//!
//! A profile holds addresses, the code holds algorithms: a new regional version or a hack of a game is a file and no code.
//! [`parse()`] turns text into a [`Profile`] or reports the mistakes with line, column and help. The format is described once, in `format.rs`.

mod board;
mod built_in;
mod check;
mod diagnostic;
mod edit;
mod field;
mod format;
mod frame_counter;
mod games;
mod model;
mod parse;
mod randomizer;
mod template;
mod validate;

pub use board::{BOARD_COLORS, BoardCell, BoardLayout};
pub use built_in::{built_in_files, built_in_profiles};
pub use diagnostic::{Code, Diagnostic, Position, Related, Severity};
pub use edit::{
    ChangedLine, EditError, Edited, NewField, NewFrames, NewTime, with_board, with_field, with_frames,
};
pub use field::{Field, FieldError, FieldKind, FieldValue, Through};
pub use format::schema;
pub use frame_counter::FrameCounter;
pub use model::{Anchor, FrameStatus, FrameTimes, Liveness, Origin, Profile, RomHeader, Status, Timed};
pub use parse::{MAX_FILE_BYTES, parse, parse_bytes};
pub use template::template;

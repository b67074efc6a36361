#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bits;
mod block;
mod board;
mod condition;
mod ground;
mod heap;
mod history;
mod kernel;
mod language;
mod path_file;
mod pattern;
pub mod plain;
mod plan;
mod played;
mod pochi_field;
mod pointers;
mod pools;
mod recording_walk;
mod rng;
mod search;
mod sequence;
mod session;
mod source;
mod step;
mod sweep;
mod tape;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests;
mod told;
mod track;
mod value;
pub mod watch;
mod windows;

pub use block::Progress;
pub use board::{BoardError, BoardHit, Direction, Painted, find_board};
pub use condition::{Against, Change, Compare, Condition, ConditionError, Missing, Previous};
pub use ground::{Dump, Ground, GroundError, Look, SaveState};
pub use language::{Pause, STEPS, Step, StepError, parse_step, value_type};
pub use path_file::{Module, PathFile, PathFileError, base_text};
pub use pattern::{Pattern, PatternError, TextCode};
pub use played::{Played, Viewer};
pub use pochi_field::{
    FieldPlace, FieldRam, FieldSearchError, KeepError, chosen_by_hand, field_from_screen, field_rams,
    find_fields, narrow_fields, next_places, only_place, to_keep, where_remembered,
};
pub use pointers::{PointerError, PointerKind, PointerMap, PointerPath, PointerSettings, still_lead};
pub use pools::{Before, ColorSetNear, FoundPool, PoolGame, PoolSearchError, PoolState, find_pools};
pub use recording_walk::RecordingWalk;
pub use rng::{Advance, Recurrence, RngHit, Samples, SamplesError, find_generators};
pub use search::{Keep, Outcome, Preview, Row, Search, SearchError, Settings, Undone};
pub use sequence::{SequenceError, SequenceHit, find_sequence};
pub use session::{Paths, Said, Session, SessionError, type_of_pattern};
pub use source::{Address, ProcessSource, Source, Span, Spanned};
pub use tape::{Partial, Tape};
pub use told::Told;
pub use track::{TRACKED_MOST, Tracker, TrackerError};
pub use value::{Kind, NoPlace, Part, Place, Shown, Value, ValueError, ValueType};

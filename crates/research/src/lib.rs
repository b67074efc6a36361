#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bits;
mod block;
mod board;
mod condition;
mod heap;
mod history;
mod kernel;
mod language;
pub mod learn;
mod matcher;
mod memory_source;
mod outcome;
mod pass;
mod path_file;
mod pattern;
mod plan;
mod pochi_field;
mod pointers;
mod pools;
mod recording_source;
mod recording_walk;
mod reference;
mod replay_snapshot;
mod result_table;
mod rng;
mod search;
mod sequence;
mod session;
mod source;
#[cfg(test)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]
mod tests;
mod track;
mod value;
pub mod watch;
mod windows;

pub use board::{BoardError, BoardHit, BoardPattern, find_board};
pub use condition::{Against, Change, Compare, Condition, ConditionError, Missing, Previous};
pub use language::{Pause, STEPS, Step, StepError, parse_step, value_type};
pub use memory_source::{Dump, MemorySource, MemoryView, SaveState};
pub use outcome::{Outcome, SearchError};
pub use path_file::{Module, PathFile, PathFileError, base_text};
pub use pattern::{Pattern, PatternError, TextCode};
pub use pochi_field::{
    FieldLocation, FieldRam, FieldSearchError, MergeFieldError, chosen_by_hand, field_from_screen,
    field_rams, find_fields, locate_from_profile, merged_layout, narrow_fields, next_locations,
    only_location,
};
pub use pointers::{PointerError, PointerKind, PointerMap, PointerPath, PointerSettings, still_lead};
pub use pools::{FoundPool, GeneratorStates, NearbyColorSet, PoolSearchError, PoolState, find_pools};
pub use recording_source::{PartialRam, RecordingSource};
pub use recording_walk::RecordingWalk;
pub use replay_snapshot::{ReplaySnapshot, SnapshotReader};
pub use result_table::ResultTable;
pub use rng::{Advance, Recurrence, RngHit, Samples, SamplesError, find_generators};
pub use search::{Retention, Row, Search, Settings, UndoOutcome};
pub use sequence::{SequenceError, SequenceHit, find_sequence};
pub use session::{Paths, Session, SessionError, StepOutcome, type_of_pattern};
pub use source::{Address, ProcessSource, Source, SourceError, Span};
pub use track::{Tracker, TrackerError};
pub use value::{CellAddress, InvalidCellAddress, Kind, NumberFormat, Part, Value, ValueError, ValueType};

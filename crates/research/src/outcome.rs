//! The result of a step of a search, or why there is none.

use super::condition::ConditionError;
use super::source::Address;
use super::value::Kind;
use nextscope_emulator::process::ReadError;

/// The result of a step or a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Candidates left.
    pub left: u64,
    /// Candidates removed.
    pub gone: u64,
    /// Candidates removed because they can no longer be read.
    pub unreadable: u64,
    /// Bytes read.
    pub read: u64,
}

/// Why a step failed. The search is unchanged.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SearchError {
    /// The condition is invalid.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// The source cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("the cell at {address} cannot be read: {error}")]
    Cell { address: Address, error: ReadError },
    #[error("the cell at {address} contains no {kind} value")]
    NoValue { address: Address, kind: Kind },
    #[error("invalid alignment {0}: expected a power of two up to 4096")]
    Alignment(u64),
    #[error("changes were counted for {counted} cells, the search is for {searched} ones")]
    OtherCells { counted: Kind, searched: Kind },
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
}

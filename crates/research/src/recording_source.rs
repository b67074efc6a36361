//! Searching a recording, sample by sample.

use super::source::{Source, SourceError, Span};
use nextscope_memory::console::Snapshot;
use std::fmt;
use std::time::Duration;

/// A series of RAM samples, and a position in it.
pub trait RecordingSource: fmt::Debug + Send + Sync {
    /// The name and the position.
    fn name(&self) -> String;

    /// The current sample.
    ///
    /// # Errors
    /// [`SourceError::Unreachable`] when there is none any more.
    fn current(&self) -> Result<Snapshot, SourceError>;

    /// Starts a wait at the current position.
    ///
    /// # Errors
    /// As of [`Self::current`].
    fn begin_wait(&mut self) -> Result<(), SourceError>;

    /// Goes to the next sample and returns the number of frames that passed, 0 within the same frame. None after `timeout`.
    ///
    /// # Errors
    /// As of [`Self::current`]; [`SourceError::Invalid`] at the end, or when the next sample cannot be read.
    fn advance(&mut self, timeout: Duration) -> Result<Option<u32>, SourceError>;

    /// The time waited so far, in the recording's own time if it is read as fast as possible.
    fn time_waited(&self) -> Duration;
}

/// The recorded parts of a console's RAM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialRam {
    /// The RAM's name.
    pub ram: &'static str,
    /// The recorded parts.
    pub parts: Vec<Span>,
    /// Their size in bytes.
    pub bytes: u64,
    /// The size of the RAM in bytes.
    pub of: u64,
}

impl PartialRam {
    /// None when all of it is there.
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        let domain = snapshot.domain();
        let (parts, of) = (snapshot.spans().unwrap_or_default(), u64::from(domain.len));
        let bytes = parts.iter().map(|part| part.len).sum();
        (bytes < of).then_some(Self { ram: domain.name, parts, bytes, of })
    }
}

const PARTS_SHOWN: usize = 6;

impl fmt::Display for PartialRam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ram, parts, bytes, of } = self;
        write!(f, "only {bytes} of the {of} bytes of {ram} were recorded, those named by the profile: ")?;
        for (nth, part) in parts.iter().take(PARTS_SHOWN).enumerate() {
            let comma = if nth > 0 { ", " } else { "" };
            write!(f, "{comma}{} at {}", part.len, part.start)?;
        }
        if parts.len() > PARTS_SHOWN {
            write!(f, " and {} more parts", parts.len() - PARTS_SHOWN)?;
        }
        write!(f, "; the other {} are not searched", of - bytes)
    }
}

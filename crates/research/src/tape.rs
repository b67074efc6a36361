//! A recording as it is searched: one moment after another, whoever says which is next.

use super::ground::GroundError;
use super::source::{Source, Span};
use nextscope_memory::console::Snapshot;
use std::fmt;
use std::time::Duration;

/// RAM at one moment after another.
pub trait Tape: fmt::Debug + Send + Sync {
    /// What it is called, and where in it one is.
    fn name(&self) -> String;

    /// What is looked at now.
    ///
    /// # Errors
    /// [`GroundError::Unreachable`] when there is nothing any more.
    fn now(&self) -> Result<Snapshot, GroundError>;

    /// From here on is waited: what was looked at before is past.
    ///
    /// # Errors
    /// As of [`Self::now`].
    fn begin(&mut self) -> Result<(), GroundError>;

    /// Goes on to the next moment: how many frames passed, 0 when it is one of the same frame. None when none came within `patience`.
    ///
    /// # Errors
    /// As of [`Self::now`]; [`GroundError::Wrong`] when it ends, or the next moment cannot be read.
    fn next(&mut self, patience: Duration) -> Result<Option<u32>, GroundError>;

    /// How long is waited by now. It is the recording's own time where it passes as fast as it goes.
    fn waited(&self) -> Duration;
}

/// What of a console's RAM is there, when that is not all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partial {
    /// The RAM's name.
    pub ram: &'static str,
    /// The parts that are there, by their addresses.
    pub parts: Vec<Span>,
    /// How many bytes they have.
    pub bytes: u64,
    /// How many bytes the RAM has.
    pub of: u64,
}

impl Partial {
    /// None when all of it is there.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Option<Self> {
        let domain = snapshot.domain();
        let (parts, of) = (snapshot.spans().unwrap_or_default(), u64::from(domain.len));
        let bytes = parts.iter().map(|part| part.len).sum();
        (bytes < of).then_some(Self { ram: domain.name, parts, bytes, of })
    }
}

/// Parts that are told one by one.
const PARTS_TOLD: usize = 6;

impl fmt::Display for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ram, parts, bytes, of } = self;
        write!(f, "of the {of} bytes of {ram} only {bytes} were recorded, those that the profile names: ")?;
        for (nth, part) in parts.iter().take(PARTS_TOLD).enumerate() {
            let comma = if nth > 0 { ", " } else { "" };
            write!(f, "{comma}{} at {}", part.len, part.start)?;
        }
        if parts.len() > PARTS_TOLD {
            write!(f, " and {} parts more", parts.len() - PARTS_TOLD)?;
        }
        write!(f, "; the other {} are not searched", of - bytes)
    }
}

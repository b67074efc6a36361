//! What was sampled, to a file and back.

mod header;

pub use header::{Header, ProfileText};

use crate::console::Snapshot;
use std::time::Duration;

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The RAM, or the parts of it that were read.
    pub snapshot: Snapshot,
    /// Frames since attaching, as the sampler counts them.
    pub frame: u64,
    /// What the game's own frame counter held.
    pub counter: u32,
    /// When it was taken, counted from the recording's beginning; whole microseconds.
    pub elapsed: Duration,
}

/// What happened between samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The connection was lost; the text says why.
    Lost(String),
    /// It was made again: what was seen before says nothing of what comes.
    Attached(Box<Header>),
    /// Another version of the profile is used from here on.
    Profile(ProfileText),
    /// Something that a reader should know.
    Note(String),
}

/// A recording that can be read.
#[derive(Debug)]
pub struct Recording {}

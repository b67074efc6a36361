//! What was sampled, to a file and back.
//!
//! A recording is read as a running emulator is: sample by sample, the same [`Snapshot`] in the same order. The file is made so that
//! whoever is killed while writing loses a second at most, and that a reader never takes a damaged sample for a whole one: each
//! block has its own checksums, and what is missing is named ([`Recording::damage`]). The format is told byte by byte in
//! docs/recordings.md.

mod block;
mod coding;
mod cursor;
mod cut;
mod flat_snapshot;
mod header;
mod reader;
mod ring;
mod store;
mod writer;

pub use cursor::Cursor;
pub use cut::{CutError, cut};
pub use header::{Header, ProfileText};
pub use reader::{Damage, Recording, RecordingError, Section, is_recording};
pub use ring::{Ring, RingSnapshot};
pub use writer::{BLOCK_LASTS, Writer};

use crate::console::Snapshot;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What names of recordings end with.
pub const EXTENSION: &str = "nsrec";

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The RAM, or the parts of it that were read.
    pub snapshot: Snapshot,
    /// Frames since attaching, as the sampler counts them.
    pub frame: u64,
    /// What the game's own frame counter held.
    pub counter: u32,
    /// When it was taken, counted from the recording's beginning; whole microseconds are kept.
    pub elapsed: Duration,
}

/// What happened between samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The connection was lost; the text says why.
    Lost(String),
    /// It was made again: what was seen before says nothing of what comes.
    #[serde(skip)]
    Attached(Box<Header>),
    /// Another version of the profile is used from here on.
    Profile(ProfileText),
    /// Something that a reader should know.
    Note(String),
}

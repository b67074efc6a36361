#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod block;
mod coding;
mod content;
mod cursor;
mod cut;
mod flat_snapshot;
mod header;
mod reader;
mod ring;
mod store;
mod writer;

pub use content::{RecordingError, Section};
pub use cursor::Cursor;
pub use cut::{CutError, cut};
pub use header::{Header, ProfileText};
pub use reader::{Damage, Recording, is_recording};
pub use ring::{RingSnapshot, SampleRing};
pub use writer::{MAX_BLOCK_DURATION, Writer};

use nextscope_memory::console::Snapshot;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The file extension of recordings.
pub const EXTENSION: &str = "nsrec";

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The RAM, or the parts of it that were read.
    pub snapshot: Snapshot,
    /// Frames since attaching, counted by the sampler.
    pub frame: u64,
    /// The value of the game's own frame counter.
    pub counter: u32,
    /// The time since the beginning of the recording, stored in microseconds.
    pub elapsed: Duration,
}

/// An event between samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The connection was lost; the text says why.
    Lost(String),
    /// A new connection was made: earlier samples say nothing about later ones.
    #[serde(skip)]
    Attached(Box<Header>),
    /// From here on another version of the profile is used.
    Profile(ProfileText),
    /// A note for readers.
    Note(String),
}

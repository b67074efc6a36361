//! Where an emulator keeps console RAM: one file per method, each answering with a proof or a reason.
//!
//! A method only proposes places. A place counts as found when an anchor of a profile stands there and a cell
//! that the profile names moves as the game's main loop moves it. What cannot be told apart is reported, never guessed.

mod anchor;
mod card;
mod export_eval;
mod export_flags;
mod find;
mod identity;
mod image;
mod known_builds;
mod known_symbols;
mod libretro;
mod malloc;
mod named_mapping;
mod names;
mod pools;
mod proof;
mod prove;
mod retroarch_net;
mod scan;
mod search;
mod shared;
pub mod state;
#[cfg(test)]
mod test_ground;
mod told;

pub use find::{Finder, find};
pub use identity::{Identity, identify};
pub use image::build_id;
pub use libretro::{SystemRam, exported_ram};
pub use names::{known_emulators, likely, most_likely};
pub use proof::{anchors_stand, any_anchor_stands, indistinguishable, recognised};
pub use prove::plausible;
pub use retroarch_net::{Answer, Status};
pub use told::{RamAsked, TellError, ToldRam, possible_rams, told_ram};

use crate::console::{Ram, StorageOrder};
use crate::process::{HostAddr, Pid, Process, ReadError};
use crate::profile::Profile;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A way to find console RAM, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The libretro core's own `retro_get_memory_data(2)`, evaluated without running it.
    LibretroExport,
    /// A mapping to which the emulator gave a name.
    NamedMapping,
    /// A symbol that the emulator exports.
    ExportedSymbol,
    /// A build known by its Build-ID.
    KnownBuild,
    /// Where an earlier search of the same build found it.
    Remembered,
    /// A block of the right size in the C library's heap.
    MallocChunk,
    /// The profile's anchors, wherever they stand in memory.
    ContentAnchor,
    /// RetroArch's network commands.
    RetroArchNetwork,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LibretroExport => "libretro export",
            Self::NamedMapping => "named mapping",
            Self::ExportedSymbol => "exported symbol",
            Self::KnownBuild => "known build",
            Self::Remembered => "earlier search",
            Self::MallocChunk => "heap block of the right size",
            Self::ContentAnchor => "content",
            Self::RetroArchNetwork => "RetroArch network commands",
        })
    }
}

/// A place that a method proposes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Place {
    /// Where the domain's first byte stands.
    #[serde(serialize_with = "crate::emulator::as_text")]
    pub base: HostAddr,
    /// The byte order, where the method knows it.
    pub order: Option<StorageOrder>,
    /// The domain's length in bytes, where the method knows it: profiles of consoles with less or more are not held
    /// against the place.
    pub len: Option<u32>,
}

fn as_text<T: fmt::Display, S: serde::Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// What one method said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Attempt {
    /// The method.
    pub method: Method,
    /// What it found, or why it found nothing, in a sentence.
    pub said: String,
}

/// Why a place is believed to be the running game's RAM.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Proof {
    /// The anchors that stand there, in words.
    pub anchors: Vec<String>,
    /// The cell that moved, in words.
    pub moved: String,
}

/// A console's RAM in a running emulator, proven.
#[derive(Clone, Debug)]
pub struct Found {
    /// The process, opened.
    pub process: Arc<Process>,
    /// Which emulator it is.
    pub identity: Identity,
    /// The RAM.
    pub ram: Ram,
    /// The profile whose anchors stand there.
    pub profile: Arc<Profile>,
    /// The method that proposed the place.
    pub method: Method,
    /// Why it is believed.
    pub proof: Proof,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// One place, proven.
    Found(Box<Found>),
    /// An anchor stands at one place, but nothing there moves: the emulator is paused.
    Paused(Box<Found>),
    /// Several places move, or several stand still, and cannot be told apart.
    Ambiguous(Vec<Found>),
    /// The emulator was recognised, but no profile's game runs in it.
    NoGame,
    /// Nothing was found; the attempts say why.
    NotFound,
    /// The process cannot be read.
    Unreadable(ReadError),
}

/// In words that several places cannot be told apart, with the first three of them: programs that hold the game's content for
/// reasons of their own, such as a compiler with a profile's tests, have hundreds.
#[must_use]
pub fn ambiguous(places: &[Found]) -> String {
    let mut at: Vec<String> = places.iter().take(3).map(|found| found.ram.base.to_string()).collect();
    if places.len() > at.len() {
        at.push("...".into());
    }
    format!(
        "the game's content stands at {} places that cannot be told apart ({}): a second instance for run-ahead, or no emulator?",
        places.len(),
        at.join(", ")
    )
}

/// A whole search: every attempt, the outcome, how long it took.
#[derive(Clone, Debug)]
pub struct Report {
    /// The process.
    pub pid: Pid,
    /// Which emulator it is.
    pub identity: Identity,
    /// What each method said, in the order tried.
    pub attempts: Vec<Attempt>,
    /// The outcome.
    pub outcome: Outcome,
    /// From the call to the outcome.
    pub elapsed: Duration,
}

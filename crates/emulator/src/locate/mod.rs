//! Locates console RAM in an emulator: one file per method, each of which answers with locations or with a reason.
//!
//! A method only proposes locations. One is accepted when an anchor of a profile matches there and a liveness field of the profile
//! changes as the game's main loop changes it. Locations that cannot be told apart are reported, never guessed between.

mod anchors;
mod content_search;
mod detector;
mod export_convention;
mod export_eval;
mod export_flags;
mod heap;
mod identify;
mod known_builds;
mod known_symbols;
mod libretro;
mod liveness;
mod manual_ram;
mod module_image;
mod named_mapping;
mod names;
mod nds_cartridge;
mod pools;
mod retroarch_net;
pub mod save_state;
mod scan;
mod search;
mod shared_memory;
#[cfg(test)]
mod test_fixtures;
mod twins;
mod work_ram;

pub use anchors::{any_anchor_matches, identify_ram, indistinguishable_profiles, matching_anchors};
pub use detector::{Detector, detect};
pub use identify::identify;
pub use libretro::{SystemRam, exported_ram};
pub use liveness::is_plausible_step;
pub use manual_ram::{LocateRamError, LocatedRam, RamQuery, locate_ram, ram_candidates};
pub use module_image::build_id;
pub use names::{forked_from, known_emulators, likely_emulators, most_likely_emulator};
pub use nextscope_memory::console::{DetectionEvidence, DetectionMethod, EmulatorInfo};
pub use retroarch_net::{NetworkReply, NetworkStatus};

use crate::process::{HostAddr, Pid, Process, ReadError};
use nextscope_games::profile::Profile;
use nextscope_memory::console::{Ram, StorageOrder};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// A location that a method proposes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct RamLocation {
    /// The address of the domain's first byte.
    base: HostAddr,
    /// The byte order, if the method knows it.
    order: Option<StorageOrder>,
    /// The domain's length in bytes, if the method knows it: profiles of consoles with another length are not tried.
    len: Option<u32>,
}

/// What one method reported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DetectionAttempt {
    /// The method.
    pub method: DetectionMethod,
    /// What it found, or why it found nothing, in a sentence.
    #[serde(rename = "said")]
    pub message: String,
}

/// A known game in a running emulator: RAM that was located and verified.
#[derive(Clone, Debug)]
pub struct DetectedGame {
    /// The process, opened.
    pub process: Arc<Process>,
    /// Which emulator it is.
    pub identity: EmulatorInfo,
    /// The RAM.
    pub ram: Ram,
    /// The profile whose anchors match.
    pub profile: Arc<Profile>,
    /// The method that proposed the location.
    pub method: DetectionMethod,
    /// Why the location was accepted.
    pub evidence: DetectionEvidence,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum DetectionOutcome {
    /// One location, verified.
    Found(Box<DetectedGame>),
    /// An anchor matches at one location, but nothing changes there: the emulator is paused.
    Paused(Box<DetectedGame>),
    /// Several locations are live, or several are paused, and they cannot be told apart.
    Ambiguous(Vec<DetectedGame>),
    /// The emulator is known, but no profile's game runs in it.
    NoGame,
    /// Nothing was found; the attempts say why.
    NotFound,
    /// The process cannot be read.
    Unreadable(ReadError),
}

/// Says that several locations cannot be told apart, with the first three addresses: a program that contains the game's content for
/// other reasons, such as a compiler working on a profile's tests, has hundreds.
pub fn describe_ambiguity(games: &[DetectedGame]) -> String {
    let mut at: Vec<String> = games.iter().take(3).map(|game| game.ram.base.to_string()).collect();
    if games.len() > at.len() {
        at.push("...".into());
    }
    format!(
        "the game's content is at {} addresses that cannot be told apart ({}): a second instance for run-ahead, or no emulator?",
        games.len(),
        at.join(", ")
    )
}

/// A complete search: every attempt, the outcome and the time taken.
#[derive(Clone, Debug)]
pub struct DetectionReport {
    /// The process.
    pub pid: Pid,
    /// Which emulator it is.
    pub identity: EmulatorInfo,
    /// What each method reported, in the order tried.
    pub attempts: Vec<DetectionAttempt>,
    /// The outcome.
    pub outcome: DetectionOutcome,
    /// The time from the call to the outcome.
    pub elapsed: Duration,
}

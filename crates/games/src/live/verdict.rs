//! The checks, their results, mismatches and counts.

use crate::games::GameId;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::path::PathBuf;

/// A thing that is checked. Several games have the checks below; a check that only one game has is in its folder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CheckId {
    id: &'static str,
    name: &'static str,
    meaning: &'static str,
}

impl CheckId {
    /// Each pool contains each colour the required number of times.
    pub const POOL_COUNTS: Self = Self::new(
        "pool-counts",
        "Pool counts",
        "Each pool contains each colour the required number of times.",
    );
    /// The bytes that are copied from pool to pool agree.
    pub const POOL_COPIES: Self =
        Self::new("pool-copies", "Copied pairs", "The bytes that are copied from pool to pool agree.");
    /// All that is generated at once results from one generator state.
    pub const GENERATION: Self = Self::new(
        "generation",
        "Generation",
        "All that is generated at once results from one generator state.",
    );
    /// Player 1's queue contains the predicted pairs.
    pub const QUEUE_P1: Self =
        Self::new("queue-p1", "Queue, player 1", "Player 1's queue contains the predicted pairs.");
    /// Player 2's queue contains the predicted pairs.
    pub const QUEUE_P2: Self =
        Self::new("queue-p2", "Queue, player 2", "Player 2's queue contains the predicted pairs.");
    /// The state traces back to a seed, which generates what is dealt.
    pub const SEED: Self = Self::new(
        "seed",
        "Seed and state",
        "The state traces back to a seed, which generates what is dealt.",
    );
    /// The dealt pieces match the model.
    pub const PIECES: Self = Self::new("pieces", "Pieces", "The dealt pieces match the model.");

    pub(crate) const fn new(id: &'static str, name: &'static str, meaning: &'static str) -> Self {
        Self { id, name, meaning }
    }

    /// The check with that id, of any game.
    pub fn from_id(id: &str) -> Option<Self> {
        let mut all = GameId::ALL.iter().flat_map(|game| game.checks());
        all.find(|check| check.id == id).copied()
    }

    /// The id in JSON.
    pub const fn id(self) -> &'static str {
        self.id
    }

    /// The display name.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What is checked, as a sentence.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }
}

impl Serialize for CheckId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

impl<'de> Deserialize<'de> for CheckId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        Self::from_id(&id).ok_or_else(|| de::Error::custom(format!("unknown check {id:?}")))
    }
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Emulator and model agree.
    #[serde(alias = "holds")]
    Verified,
    /// They disagree.
    Mismatch,
    /// Not checked yet; never shown as agreement.
    NotVerified,
    /// Nothing to check (no round yet, or a mode that is not modelled).
    Nothing,
}

/// One check and its result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// What is checked.
    pub id: CheckId,
    /// The result.
    pub status: Status,
    /// The reason, as a sentence; may be empty.
    #[serde(serialize_with = "crate::json::text_or_null", deserialize_with = "crate::json::null_or_text")]
    pub detail: String,
}

/// All checks of a game at one moment, in display order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// The checks.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// The result of one check.
    pub fn status(&self, id: CheckId) -> Status {
        self.checks.iter().find(|check| check.id == id).map_or(Status::Nothing, |check| check.status)
    }
}

impl Totals {
    /// The initial counts of the next game or process.
    #[must_use]
    pub fn of_another_target(self) -> Self {
        Self { attachments: self.attachments, ..Self::default() }
    }
}

/// A disagreement between emulator and model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mismatch {
    /// The check that failed.
    pub check: CheckId,
    /// What disagrees, as a sentence.
    pub what: String,
    /// The model's value, from the first index on (pool bytes in hex, codes of a pair, rows of a board from
    /// the top, a score).
    pub expected: String,
    /// The emulator's value.
    pub actual: String,
    /// The profile field of the value (`pool_4`, `p1_queue`, `p1_board`).
    pub field: String,
    /// The first index where they differ: a byte of the pool (0 to 255), or the number of the dealt pair (from 0).
    pub index: Option<u32>,
    /// Frames since attaching, by the game's own counter.
    pub frame: u64,
    /// The round, counted from 1 since attaching.
    pub round: u64,
    /// The evidence file.
    #[serde(serialize_with = "path_as_text")]
    pub evidence: Option<PathBuf>,
    /// Whether `expected` lists alternatives, any of which would be correct, instead of a sequence.
    #[serde(default)]
    pub one_of: bool,
}

/// Replaces what is not UTF-8, which serde's own form refuses.
#[expect(clippy::ref_option, reason = "the signature that serde calls")]
fn path_as_text<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(to)
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (frame {}, round {})", self.check.name(), self.what, self.frame, self.round)
    }
}

/// Counts of one game in one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Snapshots taken.
    pub samples: u64,
    /// Snapshots taken again because the frame counter changed during the read.
    pub torn: u64,
    /// Frames by the game's own counter.
    pub frames: u64,
    /// Frames without a snapshot.
    pub frames_missed: u64,
    /// Rounds that started, or were in progress at the first sample.
    pub rounds: u64,
    /// Rounds whose pools were predicted byte for byte before the game generated them.
    #[serde(alias = "rounds_foreseen")]
    pub rounds_predicted: u64,
    /// Rounds whose generation was reproduced exactly from one state.
    pub rounds_verified: u64,
    /// Pairs or pieces that the game drew as predicted.
    #[serde(rename = "verified", alias = "pairs_verified")]
    pub pairs_verified: u64,
    /// Pairs or pieces that were drawn and dealt between two snapshots, which could not be checked.
    #[serde(rename = "missed", alias = "unseen", alias = "pairs_unseen")]
    pub pairs_missed: u64,
    /// Placed pairs after which the board matched the model, chains included.
    #[serde(alias = "landings_verified")]
    pub boards_verified: u64,
    /// Those of them that started a chain; where the score is known, it matched too.
    pub chains_verified: u64,
    /// Placed pairs that could not be checked because frames were missed.
    #[serde(alias = "boards_unseen", alias = "landings_unseen")]
    pub boards_missed: u64,
    /// Mismatches.
    pub mismatches: u64,
    /// Jumps of the game's clock: resets and loaded save states.
    pub jumps: u64,
    /// Connections since the program started, including the first. Unlike the other counts, this one continues with another game
    /// or process.
    pub attachments: u64,
}

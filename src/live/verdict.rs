//! What was checked, and what came of it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A thing that is checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckId {
    /// The colour set is one that can be drawn.
    ColorSet,
    /// Each pool holds every colour as often as it must.
    PoolCounts,
    /// The bytes that are copied from pool to pool agree.
    PoolCopies,
    /// Colour set, pools and state afterwards follow from one state before.
    Generation,
    /// Player 1's queue holds the forecast pairs.
    QueueP1,
    /// Player 2's queue holds the forecast pairs.
    QueueP2,
    /// Which reading of the first three pairs holds.
    Dealing,
    /// Player 1's board and score are what must come of each pair.
    BoardP1,
    /// Player 2's board and score are what must come of each pair.
    BoardP2,
    /// The colour map is an order of the five colours.
    ColorMap,
    /// The state leads back to a seed of 16 bits, the one that made the pools.
    Seed,
    /// Which reading of where a round's seed comes from holds.
    RoundSeed,
    /// The dealt pieces are those that the model deals.
    Pieces,
    /// Which reading of the table of pieces holds.
    PieceTable,
    /// Which reading of the routine holds that makes the seed of the pieces.
    SeedRoutine,
    /// The history in RAM is that of the pieces dealt.
    History,
    /// The generator makes one step a frame, and no other but for second rolls.
    GeneratorSteps,
    /// Each pick is counted once.
    SpawnCount,
    /// The piece is the one that the generator picks in its frame.
    DealtPiece,
    /// The next piece becomes the one in play.
    CurrentPiece,
    /// The statistics count the piece that came into play.
    Statistics,
}

impl CheckId {
    /// All checks.
    pub const ALL: [Self; 21] = [
        Self::ColorSet,
        Self::PoolCounts,
        Self::PoolCopies,
        Self::Generation,
        Self::QueueP1,
        Self::QueueP2,
        Self::Dealing,
        Self::BoardP1,
        Self::BoardP2,
        Self::ColorMap,
        Self::Seed,
        Self::RoundSeed,
        Self::Pieces,
        Self::PieceTable,
        Self::SeedRoutine,
        Self::History,
        Self::GeneratorSteps,
        Self::SpawnCount,
        Self::DealtPiece,
        Self::CurrentPiece,
        Self::Statistics,
    ];

    /// The name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ColorSet => "Colour set",
            Self::PoolCounts => "Pool counts",
            Self::PoolCopies => "Copied pairs",
            Self::Generation => "Generation",
            Self::QueueP1 => "Queue, player 1",
            Self::QueueP2 => "Queue, player 2",
            Self::Dealing => "First three pairs",
            Self::BoardP1 => "Board, player 1",
            Self::BoardP2 => "Board, player 2",
            Self::ColorMap => "Colour map",
            Self::Seed => "Seed and state",
            Self::RoundSeed => "Where the seed is from",
            Self::Pieces => "Pieces",
            Self::PieceTable => "Table of pieces",
            Self::SeedRoutine => "Carry and zero test",
            Self::History => "History",
            Self::GeneratorSteps => "Generator steps",
            Self::SpawnCount => "Count of picks",
            Self::DealtPiece => "Dealt piece",
            Self::CurrentPiece => "Next into play",
            Self::Statistics => "Statistics",
        }
    }
}

/// How a check stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Emulator and model agree.
    #[serde(rename = "verified", alias = "holds")]
    Holds,
    /// They do not.
    Mismatch,
    /// It could not be checked yet; never shown as agreement.
    NotVerified,
    /// There is nothing to check (no round yet, a mode that is not modelled).
    Nothing,
}

/// One check and how it stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// What is checked.
    pub id: CheckId,
    /// How it stands.
    pub status: Status,
    /// Why, in a sentence; empty where there is nothing to say.
    #[serde(serialize_with = "crate::json::text_or_null", deserialize_with = "crate::json::null_or_text")]
    pub detail: String,
}

/// All checks that a game has, at one moment, in the order in which they are shown.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Verdict {
    /// The checks.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// How a check stands.
    #[must_use]
    pub fn status(&self, id: CheckId) -> Status {
        self.checks.iter().find(|check| check.id == id).map_or(Status::Nothing, |check| check.status)
    }
}

impl Totals {
    /// Those with which another game, or another process, begins.
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
    /// What disagrees, in a sentence.
    pub what: String,
    /// What the model says, from the first index on (hex of pool bytes, codes of a pair, rows of a board from
    /// the top, a score).
    pub expected: String,
    /// What the emulator holds there.
    pub actual: String,
    /// The profile's field in which it stands (`pool_4`, `p1_queue`, `p1_board`).
    pub field: String,
    /// The first index where they part: a byte of the pool (0 to 255), or the number of the dealt pair (from 0).
    pub index: Option<u32>,
    /// Frames since attaching, by the game's own counter.
    pub frame: u64,
    /// The round, counted from 1 since attaching.
    pub round: u64,
    /// Where the evidence was saved.
    #[serde(serialize_with = "crate::file::as_text_if_any")]
    pub evidence: Option<PathBuf>,
    /// Whether `expected` lists alternatives of which any one would have been right, and not what comes in that order.
    #[serde(default)]
    pub one_of: bool,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (frame {}, round {})", self.check.name(), self.what, self.frame, self.round)
    }
}

/// What was counted of one game in one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Snapshots taken.
    pub samples: u64,
    /// Snapshots taken again because the frame counter moved while reading.
    pub torn: u64,
    /// Frames that the game's counter passed.
    pub frames: u64,
    /// Frames that no snapshot saw.
    pub frames_missed: u64,
    /// Rounds seen to begin or found under way.
    pub rounds: u64,
    /// Rounds whose pools were forecast, byte for byte, before they were made.
    #[serde(rename = "rounds_predicted", alias = "rounds_foreseen")]
    pub rounds_foreseen: u64,
    /// Rounds whose generation was reproduced exactly from one state.
    pub rounds_verified: u64,
    /// Pairs that were forecast before the game drew them, and were drawn as forecast.
    #[serde(rename = "verified", alias = "pairs_verified")]
    pub pairs_verified: u64,
    /// Pairs that were drawn and dealt between two snapshots, so that nobody can tell.
    #[serde(rename = "unseen", alias = "pairs_unseen")]
    pub pairs_unseen: u64,
    /// Pairs that came down and left the board that had to come of them, chains included.
    #[serde(rename = "boards_verified", alias = "landings_verified")]
    pub landings_verified: u64,
    /// Those of them that set off a chain, which brought the points that were foretold where the score is known.
    pub chains_verified: u64,
    /// Pairs after which frames were missed, so that nobody can tell.
    #[serde(rename = "boards_unseen", alias = "landings_unseen")]
    pub landings_unseen: u64,
    /// Disagreements.
    pub mismatches: u64,
    /// Times the game's clock jumped: a reset, or a state that was loaded.
    pub jumps: u64,
    /// Times a connection was made since the program began to look for one, the first included: this is not counted anew with another
    /// game or process.
    pub attachments: u64,
}

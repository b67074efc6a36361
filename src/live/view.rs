//! What the sampler publishes: everything that a face (window, terminal) shows.

use super::{FoundField, Mismatch, Observation, Prediction, Shown, Totals, Verdict};
use crate::console::Snapshot;
use crate::emulator::{DetectionEvidence, DetectionMethod, DetectionReport, EmulatorInfo};
use crate::process::Pid;
use crate::profile::Profile;
use crate::recording::Recording;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How things stand with the emulator. Only in `Live` may data be shown as live.
#[derive(Clone, Debug, Default)]
pub enum Connection {
    /// No emulator with a known game is running.
    #[default]
    Searching,
    /// Several are running: the user chooses among the rows marked [`RowState::Candidate`].
    Choosing,
    /// Attached, and the game's frame counter moves.
    Live,
    /// Attached, and the frame counter has stopped: the emulator is paused or stopped.
    Paused {
        /// Since when.
        since: Instant,
    },
    /// A recording is looked at; nothing is attached to.
    Replaying {
        /// Whether it goes on by itself.
        playing: bool,
    },
    /// The connection broke; a new one is being sought.
    Lost {
        /// What happened, in a sentence.
        why: String,
        /// Since when.
        since: Instant,
    },
}

impl Connection {
    /// It in a word, as programs are told.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Searching => "searching",
            Self::Choosing => "choosing",
            Self::Live => "live",
            Self::Paused { .. } => "paused",
            Self::Replaying { .. } => "replaying",
            Self::Lost { .. } => "lost",
        }
    }
}

/// What we are attached to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The process.
    pub pid: Pid,
    /// The emulator.
    pub identity: EmulatorInfo,
    /// The profile in use.
    pub profile: Arc<Profile>,
    /// How the RAM was found.
    pub method: DetectionMethod,
    /// Why it is believed.
    pub proof: DetectionEvidence,
    /// Where and in which order it stands, in words.
    pub ram: String,
    /// How long the search took.
    pub elapsed: Duration,
}

impl Target {
    /// Whether it is the same game in the same process: what was counted of the one goes on with the other.
    #[must_use]
    pub fn is_same_game(&self, other: &Self) -> bool {
        (self.pid, &self.profile.id) == (other.pid, &other.profile.id)
    }
}

/// Something that was attached to before, and what was found of it.
#[derive(Clone, Debug)]
pub struct EarlierTarget {
    /// What it was.
    pub target: Arc<Target>,
    /// What was counted of it.
    pub totals: Totals,
    /// Its disagreements, as [`View::mismatches`].
    pub mismatches: Arc<Vec<Mismatch>>,
}

impl EarlierTarget {
    /// Adds one to those before, of which the oldest are dropped when there are too many.
    pub(super) fn add(all: &mut Arc<Vec<Arc<Self>>>, one: Self) {
        /// How many are kept.
        const MOST: usize = 100;
        let all = Arc::make_mut(all);
        all.push(Arc::new(one));
        let extra = all.len().saturating_sub(MOST);
        all.drain(..extra);
    }
}

/// How a row of the emulator list stands.
#[derive(Clone, Debug)]
pub enum RowState {
    /// Not looked into yet.
    New,
    /// Attached.
    Attached,
    /// A known game runs in it.
    Candidate,
    /// An emulator, but no known game runs in it.
    NoGame,
    /// Its RAM was not found, or not proven; the text says why.
    NotFound(String),
    /// It cannot be read; the text names the rule and the remedies.
    Refused(String),
}

/// A process that may be an emulator.
#[derive(Clone, Debug)]
pub struct EmulatorRow {
    /// The process.
    pub pid: Pid,
    /// The emulator.
    pub identity: EmulatorInfo,
    /// The executable's path, or its name.
    pub program: String,
    /// How it stands.
    pub state: RowState,
    /// The search, when there was one.
    pub report: Option<Arc<DetectionReport>>,
}

/// The newest snapshot and what follows from it.
#[derive(Clone, Debug)]
pub struct Data {
    /// The RAM.
    pub snapshot: Snapshot,
    /// When it was read.
    pub taken: Instant,
    /// Frames since attaching, by the game's own counter.
    pub frame: u64,
    /// Frames per second that the game runs at, over the last second.
    pub frames_per_second: f32,
    /// The typed fields, or why they cannot be had.
    pub observation: Result<Observation, String>,
    /// What is to come; None before the first round.
    pub prediction: Option<Prediction>,
    /// How the checks stand.
    pub verdict: Arc<Verdict>,
}

impl Data {
    /// What the faces show of the prediction; None when there is none.
    #[must_use]
    pub fn view(&self) -> Option<&Shown> {
        self.observation.as_ref().ok()?;
        self.prediction.as_ref().map(Prediction::view)
    }
}

/// Where a round begins in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundMark {
    /// The sample, from 0, at which the round was seen to begin or was found under way.
    pub sample: u64,
    /// Its number, counted from 1 since its connection was made, as [`Mismatch::round`](super::Mismatch::round).
    pub number: u64,
}

/// Where in a recording one is, and what is known of all of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayState {
    /// The sample that is shown, from 0.
    pub index: u64,
    /// Samples in the recording that can be read.
    pub samples: u64,
    /// The frame that is shown, as [`Data::frame`] counts them.
    pub frame: u64,
    /// When it was taken, counted from the recording's beginning.
    pub elapsed: Duration,
    /// How long the recording is.
    pub length: Duration,
    /// How fast it plays, 1 is as fast as it was recorded.
    pub speed: f64,
    /// The samples at which mismatches are noticed, ascending; of a recording that is still being judged, those known so far.
    pub mismatches: Arc<[u64]>,
    /// The rounds, ascending by their samples; those known so far, as for the mismatches.
    pub rounds: Arc<[RoundMark]>,
    /// Samples that have been judged.
    pub judged: u64,
    /// Whether all have been.
    pub complete: bool,
    /// While judging waits at a sample until all states are tried for the round that is under way there, for nothing of its beginning
    /// was recorded: how many of them are, 0 to 1. None otherwise.
    pub searching: Option<f64>,
    /// What the recording is called: the file's name.
    pub name: String,
    /// What of the file could not be read, in a sentence.
    pub damage: Option<String>,
}

/// A recording that is judged in place of a running emulator, and where in it the mismatches of a view were noticed.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The recording.
    pub recording: Arc<Recording>,
    /// One for each of [`View::mismatches`].
    pub noticed: Arc<Vec<Arc<Noticed>>>,
}

/// The moment of a recording at which a mismatch was noticed.
#[derive(Clone, Debug)]
pub struct Noticed {
    /// The number of the sample, from 0.
    pub sample: u64,
    /// The profile by which it was judged.
    pub profile: Arc<Profile>,
    /// The fields that were found by content by then.
    pub found: Vec<FoundField>,
    /// What was foretold one sample before.
    pub before: Option<Shown>,
    /// The same at the mismatch.
    pub at: Option<Shown>,
}

/// A recording that is being made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingState {
    /// The file.
    pub path: PathBuf,
    /// Samples in it.
    pub samples: u64,
    /// Bytes written so far.
    pub bytes: u64,
    /// When it was begun.
    pub since: Instant,
    /// Samples that are not in it because the disk or the processor could not follow, or the disk was full.
    pub left_out: u64,
    /// Nothing more is recorded, and the last of what was is still being written.
    pub finishing: bool,
    /// Whether it has ended: everything is in the file that will be.
    pub ended: bool,
    /// Why it ended before anybody asked for it.
    pub error: Option<String>,
}

/// Everything at one moment. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// One more with every publication.
    pub sequence: u64,
    /// How things stand.
    pub connection: Connection,
    /// What we are, or were last, attached to.
    pub target: Option<Arc<Target>>,
    /// The newest data; kept while the connection is lost, to be shown greyed.
    pub data: Option<Data>,
    /// The processes that may be emulators.
    pub emulators: Arc<Vec<EmulatorRow>>,
    /// All disagreements with the target's game, oldest first, at most the last 1,000.
    pub mismatches: Arc<Vec<Mismatch>>,
    /// What was counted of the target's game.
    pub totals: Totals,
    /// What was attached to before, oldest first, at most the last 100. A process that was lost and attached to again goes on counting
    /// where it was.
    pub earlier: Arc<Vec<Arc<EarlierTarget>>>,
    /// Where in a recording one is; None while a running emulator is sampled.
    pub replay: Option<ReplayState>,
    /// What the mismatches of a recording rest on.
    pub replayed: Option<Replayed>,
    /// The recording that is being made, or that ended last.
    pub recording: Option<RecordingState>,
}

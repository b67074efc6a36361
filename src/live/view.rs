//! The view that the sampler publishes: everything that a user interface (window, terminal) shows.

use super::{
    FoundField, MeasuredDurations, Mismatch, Observation, Prediction, PredictionView, RoundHistory, Totals,
    Verdict,
};
use crate::console::Snapshot;
use crate::emulator::{DetectionEvidence, DetectionMethod, DetectionReport, EmulatorInfo};
use crate::games::Unit;
use crate::process::Pid;
use crate::profile::Profile;
use crate::recording::Recording;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time over which the speed of a game is measured: emulators catch up after a hitch, which is no other speed.
pub(super) const SPEED_WINDOW: Duration = Duration::from_secs(3);

/// The connection to the emulator. Data may be shown as live only in `Live`.
#[derive(Clone, Debug, Default)]
pub enum Connection {
    /// No emulator with a known game is running.
    #[default]
    Searching,
    /// Several are running: the user must choose among the rows marked [`RowState::Candidate`].
    Choosing,
    /// Attached, and the game's frame counter advances.
    Live,
    /// Attached, but the frame counter does not change: the emulator is paused or stopped.
    Paused {
        /// Since when.
        since: Instant,
    },
    /// A recording is replayed; no process is attached.
    Replaying {
        /// Whether playback is running.
        playing: bool,
    },
    /// The connection was lost; the sampler searches for a new one.
    Lost {
        /// The reason, as a sentence.
        why: String,
        /// Since when.
        since: Instant,
    },
}

impl Connection {
    /// The connection's name in JSON.
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

/// The attached process and game.
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
    /// The evidence that it is the game's RAM.
    pub proof: DetectionEvidence,
    /// A description of its address and byte order.
    pub ram: String,
    /// How long the search took.
    pub elapsed: Duration,
}

impl Target {
    /// Whether this is the same game in the same process, so that counts continue.
    pub fn is_same_game(&self, other: &Self) -> bool {
        (self.pid, &self.profile.id) == (other.pid, &other.profile.id)
    }
}

/// An earlier target and its results.
#[derive(Clone, Debug)]
pub struct EarlierTarget {
    /// The target.
    pub target: Arc<Target>,
    /// Its counts.
    pub totals: Totals,
    /// Its mismatches, as in [`View::mismatches`].
    pub mismatches: Arc<Vec<Mismatch>>,
}

impl EarlierTarget {
    /// Appends `one` and drops the oldest targets beyond the limit.
    pub(super) fn add(all: &mut Arc<Vec<Arc<Self>>>, one: Self) {
        const MAX_TARGETS: usize = 100;
        let all = Arc::make_mut(all);
        all.push(Arc::new(one));
        let extra = all.len().saturating_sub(MAX_TARGETS);
        all.drain(..extra);
    }
}

/// The state of a row in the emulator list.
#[derive(Clone, Debug)]
pub enum RowState {
    /// Not scanned yet.
    New,
    /// Attached.
    Attached,
    /// A known game runs in it.
    Candidate,
    /// An emulator, but no known game runs in it.
    NoGame,
    /// Its RAM was not found, or is not confirmed; the text gives the reason.
    NotFound(String),
    /// It cannot be read; the text names the restriction and the remedies.
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
    /// Its state.
    pub state: RowState,
    /// The result of the scan, if it was scanned.
    pub report: Option<Arc<DetectionReport>>,
}

/// The newest snapshot and the results derived from it.
#[derive(Clone, Debug)]
pub struct Data {
    /// The RAM.
    pub snapshot: Snapshot,
    /// When it was read.
    pub taken: Instant,
    /// Frames since attaching, by the game's own counter.
    pub frame: u64,
    /// The game's frames per second, over the last three seconds.
    pub frames_per_second: f32,
    /// The typed fields, or why they cannot be read.
    pub observation: Result<Observation, String>,
    /// The prediction; None before the first round.
    pub prediction: Option<Prediction>,
    /// The results of the checks.
    pub verdict: Arc<Verdict>,
}

impl Data {
    /// The prediction in display format; None when there is none.
    pub fn view(&self) -> Option<&PredictionView> {
        self.observation.as_ref().ok()?;
        self.prediction.as_ref().map(Prediction::view)
    }
}

/// The start of a round in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundMark {
    /// The first sample of the round, from 0; the round may have been in progress then.
    pub sample: u64,
    /// Its number, from 1 since attaching, as [`Mismatch::round`](super::Mismatch::round).
    pub number: u64,
}

/// The position in a recording, and what is known about the entire recording.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayState {
    /// The current sample, from 0.
    pub index: u64,
    /// Readable samples in the recording.
    pub samples: u64,
    /// The current frame, as in [`Data::frame`].
    pub frame: u64,
    /// The time of the sample since the start of the recording.
    pub elapsed: Duration,
    /// The duration of the recording.
    pub length: Duration,
    /// The playback speed; 1 is the recorded speed.
    pub speed: f64,
    /// The samples with mismatches, ascending; those known so far while verification is running.
    pub mismatches: Arc<[u64]>,
    /// The rounds, ascending by sample; those known so far while verification is running.
    pub rounds: Arc<[RoundMark]>,
    /// Samples that have been verified.
    pub verified: u64,
    /// Whether all samples have been verified.
    pub complete: bool,
    /// The progress, 0 to 1, of a search over all generator states, while verification waits for it. Such a search is necessary for a
    /// round whose start was not recorded. None otherwise.
    pub searching: Option<f64>,
    /// The file name of the recording.
    pub name: String,
    /// Which parts of the file could not be read, as a sentence.
    pub damage: Option<String>,
}

/// A replayed recording, and where in it the mismatches of a view were detected.
#[derive(Clone, Debug)]
pub struct ReplaySource {
    /// The recording.
    pub recording: Arc<Recording>,
    /// One for each of [`View::mismatches`].
    pub detected_at: Arc<Vec<Arc<DetectedAt>>>,
}

/// The point in a recording at which a mismatch was detected.
#[derive(Clone, Debug)]
pub struct DetectedAt {
    /// The number of the sample, from 0.
    pub sample: u64,
    /// The profile that was used.
    pub profile: Arc<Profile>,
    /// The fields found by content up to this sample.
    pub found: Vec<FoundField>,
    /// The prediction one sample before.
    pub before: Option<PredictionView>,
    /// The prediction at the mismatch.
    pub at: Option<PredictionView>,
}

/// A recording in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingState {
    /// The file.
    pub path: PathBuf,
    /// Samples in it.
    pub samples: u64,
    /// Bytes written so far.
    pub bytes: u64,
    /// Its start.
    pub since: Instant,
    /// Dropped samples: the disk or the processor was too slow, or the disk was full.
    pub left_out: u64,
    /// Whether recording has stopped while the remaining samples are still being written.
    pub finishing: bool,
    /// Whether the file is complete.
    pub ended: bool,
    /// The error that ended it, if any.
    pub error: Option<String>,
}

/// The state at one moment. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Increases by one with each publication.
    pub sequence: u64,
    /// The connection.
    pub connection: Connection,
    /// The current target, or the last one.
    pub target: Option<Arc<Target>>,
    /// The newest data; retained while the connection is lost, for greyed display.
    pub data: Option<Data>,
    /// The progress, 0 to 1, of a search over all generator states while one runs in a live session.
    pub searching: Option<f64>,
    /// The processes that may be emulators.
    pub emulators: Arc<Vec<EmulatorRow>>,
    /// All mismatches of the target, oldest first, at most the last 1,000.
    pub mismatches: Arc<Vec<Mismatch>>,
    /// The counts of the target.
    pub totals: Totals,
    /// The results of each round of the target.
    pub rounds: RoundHistory,
    /// The earlier targets, oldest first, at most the last 100. A process that was lost and reattached continues its counts instead.
    pub earlier: Arc<Vec<Arc<EarlierTarget>>>,
    /// The position in a recording; None while an emulator is sampled.
    pub replay: Option<ReplayState>,
    /// The recording and where its mismatches were detected.
    pub replayed: Option<ReplaySource>,
    /// The recording in progress, or the last one.
    pub recording: Option<RecordingState>,
    /// The durations that are being measured, or were measured last.
    pub durations: Option<Arc<MeasuredDurations>>,
}

impl View {
    /// What the attached game deals; pairs while nothing is attached.
    pub fn unit(&self) -> Unit {
        self.target.as_ref().map_or(Unit::Pairs, |target| target.profile.unit())
    }

    /// Whether deals alone do not confirm what is followed: [`Profile::is_made_ahead`].
    pub fn is_made_ahead(&self) -> bool {
        self.target.as_ref().is_none_or(|target| target.profile.is_made_ahead())
    }
}

//! Measures how long the parts of a player's pairs take: sample by sample, or a whole recording.

use super::{Clock, ReplayError, replay_profile};
use crate::console::Snapshot;
use crate::frames::{Certainty, Measurement, MissingField, MomentReader, PartTimer, Times};
use crate::profile::Profile;
use crate::recording::{Cursor, Recording, RecordingError};
use crate::text::counted;
use std::sync::Arc;
use std::time::Duration;

/// Why durations cannot be measured with a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMeasurable {
    /// There is no reader for the game.
    #[error(
        "durations of {0} cannot be measured: Nextscope does not know how its board, its falling pair and its queue lie in RAM"
    )]
    Game(&'static str),
    /// The profile lacks addresses.
    #[error("profile {profile} lacks {fields}, without which nothing can be measured")]
    Fields {
        /// Its id.
        profile: String,
        /// The names of the fields.
        fields: String,
    },
}

/// Why a recording cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum MeasureError {
    Profile(#[from] ReplayError),
    NotMeasurable(#[from] NotMeasurable),
}

/// What has been measured so far.
#[derive(Debug, Clone)]
pub struct MeasuredDurations {
    /// The profile in use.
    pub profile: Arc<Profile>,
    /// From 1.
    pub player: usize,
    /// What is known about each part.
    pub times: Times,
    /// Pairs from deal to deal.
    pub pairs: u64,
    /// Those of them that could not be timed.
    pub pairs_untimed: u64,
    /// Frames from sample to sample.
    pub frames: u64,
    /// Those of them without a sample.
    pub frames_missed: u64,
    /// Resets and loaded states.
    pub jumps: u64,
    /// What cannot be measured, because the profile lacks addresses.
    pub missing: Vec<MissingField>,
    /// Whether the measurement is running.
    pub running: bool,
    /// Why the last sample that could not be read was unreadable.
    pub unreadable: Option<String>,
}

impl MeasuredDurations {
    /// Whether anything was measured.
    pub fn is_measured(&self) -> bool {
        self.times.iter().any(|(_, estimate)| !estimate.seen.is_empty())
    }

    /// How much was seen: "31 pairs, 2 of them not timed; 2400 frames, 3 missed".
    pub fn extent(&self) -> String {
        let Self { pairs, pairs_untimed, frames, frames_missed, .. } = self;
        let (pairs, frames) = (counted(*pairs, "pair"), counted(*frames, "frame"));
        format!("{pairs}, {pairs_untimed} of them not timed; {frames}, {frames_missed} missed")
    }

    /// Whether values of a part contradict each other.
    pub fn contradicts(&self) -> bool {
        self.times.iter().any(|(_, estimate)| estimate.certainty == Certainty::Contradiction)
    }
}

/// Measures the pairs of one player, sample by sample.
#[derive(Clone)]
pub struct DurationMeter {
    reader: MomentReader,
    timer: PartTimer,
    measurement: Measurement,
    clock: Clock,
    /// The frame of the last sample.
    last: Option<u64>,
    measured: MeasuredDurations,
}

impl DurationMeter {
    /// Starts for a player, 0 or 1.
    ///
    /// # Errors
    /// [`NotMeasurable`].
    pub fn new(profile: &Arc<Profile>, player: usize) -> Result<Self, NotMeasurable> {
        let reader =
            profile.game.definition().moments.ok_or_else(|| NotMeasurable::Game(profile.game.name()))?;
        let missing = (reader.missing)(profile, player);
        if let Some(needed) = missing.iter().find(|missing| missing.all) {
            return Err(NotMeasurable::Fields { profile: profile.id.clone(), fields: needed.fields.clone() });
        }
        let measured = MeasuredDurations {
            profile: Arc::clone(profile),
            player: player + 1,
            times: Times::new(),
            pairs: 0,
            pairs_untimed: 0,
            frames: 0,
            frames_missed: 0,
            jumps: 0,
            missing,
            running: true,
            unreadable: None,
        };
        let (timer, measurement, clock) = Default::default();
        Ok(Self { reader, timer, measurement, clock, last: None, measured })
    }

    /// Starts another connection, perhaps with a newer version of the profile: the next sample continues nothing. If the profile is
    /// another one, nothing changes, and the samples are not for this measurement.
    pub fn connect(&mut self, profile: &Arc<Profile>) -> bool {
        let same = profile.id == self.measured.profile.id;
        if same {
            self.measured.profile = Arc::clone(profile);
            self.timer.reset();
            (self.clock, self.last) = (Clock::default(), None);
        }
        same
    }

    /// Processes the sample of a frame, at a time since the start of the connection. Returns whether a duration was added.
    pub fn step(&mut self, snapshot: &Snapshot, frame: u64, elapsed: Duration) -> bool {
        let passed = self.last.map_or(1, |last| frame.saturating_sub(last));
        self.last = Some(frame);
        self.measured.frames += passed;
        self.measured.frames_missed += passed.saturating_sub(1);
        let jump = self.clock.update(snapshot, &self.measured.profile, elapsed);
        self.measured.jumps += u64::from(jump.is_some());
        if !self.clock.runs() {
            // A reset or a loaded state, perhaps.
            self.timer.reset();
            return false;
        }
        match (self.reader.read)(snapshot, &self.measured.profile, self.measured.player - 1) {
            Ok(moment) => {
                let times = self.timer.step(frame, &moment);
                times.iter().for_each(|time| self.measurement.add(time));
                !times.is_empty()
            }
            Err(why) => {
                self.timer.reset();
                self.measured.unreadable = Some(why);
                false
            }
        }
    }

    /// What has been measured so far.
    pub fn measured(&self) -> MeasuredDurations {
        let (pairs, pairs_untimed) = self.timer.pairs();
        let times = self.measurement.times();
        MeasuredDurations { times, pairs, pairs_untimed, ..self.measured.clone() }
    }
}

/// Measures the pairs of a player (0 or 1) in the connections of a recording that have the profile of the first one. A given profile
/// replaces the recording's own profile of the same id. `report` gets each sample that cannot be read, and the number of each sample; false
/// from it ends the measurement.
///
/// # Errors
/// [`MeasureError`].
pub fn measure_recording(
    recording: &Recording,
    given: &[Arc<Profile>],
    player: usize,
    mut report: impl FnMut(u64, Option<RecordingError>) -> bool,
) -> Result<MeasuredDurations, MeasureError> {
    let mut meter = DurationMeter::new(&replay_profile(recording, 0, given)?, player)?;
    let (mut cursor, mut section, mut of_profile) = (Cursor::default(), 0, true);
    for index in 0..recording.len() {
        if recording.section_of(index) != section {
            section = recording.section_of(index);
            of_profile = meter.connect(&replay_profile(recording, section, given)?);
        }
        let mut unread = None;
        if of_profile {
            match recording.sample_at(&mut cursor, index) {
                Ok(sample) => _ = meter.step(&sample.snapshot, sample.frame, sample.elapsed),
                // Its frame is missed.
                Err(error) => unread = Some(error),
            }
        }
        if !report(index, unread) {
            break;
        }
    }
    Ok(MeasuredDurations { running: false, ..meter.measured() })
}

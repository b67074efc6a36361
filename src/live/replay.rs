//! Verifies a recording like a running game: the same trackers process the same samples in the same order.
//!
//! Long searches over all states complete at the sample that starts them, and all times come from the recording, so the results at a
//! sample depend only on the samples up to it.

use super::clock::Clock;
use super::view::SPEED_WINDOW;
use super::{
    Connection, Data, DetectedAt, EarlierTarget, Mismatch, Observation, Prediction, ReplaySource,
    ReplayState, RoundHistory, SampleContext, Target, Totals, Tracker, Update, Verdict, View,
};
use crate::profile::{Profile, Severity};
use crate::recording::{Cursor, Event, Recording, RecordingError, Sample};
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Mismatches retained, the last ones.
const MAX_MISMATCHES: usize = 1000;

/// Why a recording cannot be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ReplayError {
    #[error(
        "this version cannot read the profile {id} in the recording: {what}. Give another version of it in a folder: --profiles DIR"
    )]
    Profile { id: String, what: String },
    #[error("the given profile {id} is for another console than the recording")]
    OtherConsole { id: String },
}

/// The progress of a search over all states, 0 to 1, while a sample waits for it; None otherwise. Clones share the value.
#[derive(Debug, Clone, Default)]
pub struct Searching(Arc<Mutex<Option<f64>>>);

impl Searching {
    /// The current progress.
    pub fn share(&self) -> Option<f64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, share: Option<f64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = share;
    }
}

/// One sample and its results.
#[derive(Debug, Clone)]
pub struct VerifiedSample {
    /// Its number in the recording.
    pub index: u64,
    /// The sample.
    pub sample: Sample,
    /// The typed fields, or why they cannot be read.
    pub observation: Result<Observation, String>,
    /// The prediction.
    pub prediction: Option<Prediction>,
    /// The mismatches detected at this sample.
    pub mismatches: Vec<Mismatch>,
}

/// The state of the verification after a sample.
#[derive(Debug)]
pub(super) struct Checkpoint {
    /// The next sample.
    pub next: u64,
    section: usize,
    /// Events before it that were processed.
    events: usize,
    profile: Arc<Profile>,
    tracker: Tracker,
    clock: Clock,
    last: Option<(u64, Duration)>,
    /// The times and frames of the samples of the last second.
    speed: VecDeque<(Duration, u64)>,
    pub totals: Totals,
    rounds: RoundHistory,
    /// The last mismatches. Checkpoints share them, because there can be many of both.
    located: Arc<Vec<Arc<LocatedMismatch>>>,
    /// The mismatches in the format of views, built on request.
    listed: OnceLock<Listed>,
    /// The prediction of the previous sample.
    predicted: Option<Prediction>,
    /// The rounds counted before this connection.
    earlier_rounds: u64,
    /// The earlier targets.
    earlier: Arc<Vec<Arc<EarlierTarget>>>,
}

/// A mismatch, and where it was detected.
#[derive(Debug)]
struct LocatedMismatch {
    mismatch: Mismatch,
    detected_at: Arc<DetectedAt>,
}

type Listed = (Arc<Vec<Mismatch>>, Arc<Vec<Arc<DetectedAt>>>);

impl Checkpoint {
    /// A copy, to return to this sample.
    pub fn duplicate(&self) -> Self {
        Self {
            next: self.next,
            section: self.section,
            events: self.events,
            profile: Arc::clone(&self.profile),
            tracker: self.tracker.checkpoint(),
            clock: self.clock.clone(),
            last: self.last,
            speed: self.speed.clone(),
            totals: self.totals,
            rounds: self.rounds.clone(),
            located: Arc::clone(&self.located),
            listed: OnceLock::new(),
            predicted: self.predicted.clone(),
            earlier_rounds: self.earlier_rounds,
            earlier: Arc::clone(&self.earlier),
        }
    }

    fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| {
            let mismatches = self.located.iter().map(|located| located.mismatch.clone()).collect();
            let detected_at = self.located.iter().map(|located| Arc::clone(&located.detected_at)).collect();
            (Arc::new(mismatches), Arc::new(detected_at))
        })
    }

    /// The rounds counted in this connection so far.
    pub fn rounds(&self) -> u64 {
        self.totals.rounds.saturating_sub(self.earlier_rounds)
    }

    fn frames_per_second(&self) -> f32 {
        let (Some(first), Some(last)) = (self.speed.front(), self.speed.back()) else { return 0.0 };
        let seconds = last.0.saturating_sub(first.0).as_secs_f32();
        #[expect(clippy::cast_precision_loss, reason = "a displayed rate")]
        let frames = last.1.saturating_sub(first.1) as f32;
        if seconds > 0.25 { frames / seconds } else { 0.0 }
    }
}

/// Verifies a recording sample by sample.
#[derive(Debug)]
pub struct ReplayVerifier {
    recording: Arc<Recording>,
    given: Vec<Arc<Profile>>,
    cursor: Cursor,
    pub(super) position: Checkpoint,
    stop: Arc<AtomicBool>,
    searching: Searching,
}

impl ReplayVerifier {
    /// An independent copy at the same sample, to return to it.
    pub fn checkpoint(&self) -> Self {
        Self {
            recording: Arc::clone(&self.recording),
            given: self.given.clone(),
            cursor: Cursor::default(),
            position: self.position.duplicate(),
            stop: Arc::clone(&self.stop),
            searching: Searching::default(),
        }
    }

    /// Starts before the first sample. A given profile replaces the recording's own profile of the same id.
    pub fn new(recording: Arc<Recording>, given: Vec<Arc<Profile>>) -> Result<Self, ReplayError> {
        // Check all connections, so that no error occurs in the middle.
        for number in 0..recording.sections().len() {
            replay_profile(&recording, number, &given)?;
        }
        let profile = replay_profile(&recording, 0, &given)?;
        let position = Checkpoint {
            next: 0,
            section: 0,
            events: 0,
            tracker: tracker(&profile),
            profile,
            clock: Clock::default(),
            last: None,
            speed: VecDeque::new(),
            totals: Totals { attachments: 1, ..Totals::default() },
            rounds: RoundHistory::default(),
            located: Arc::default(),
            listed: OnceLock::new(),
            predicted: None,
            earlier_rounds: 0,
            earlier: Arc::default(),
        };
        Ok(Self {
            recording,
            given,
            cursor: Cursor::default(),
            position,
            stop: Arc::default(),
            searching: Searching::default(),
        })
    }

    /// Stops long searches when this is set.
    #[must_use]
    pub fn stopped_by(mut self, stop: &Arc<AtomicBool>) -> Self {
        self.stop = Arc::clone(stop);
        self
    }

    /// The progress of the search for which a step waits, for another thread.
    pub fn searching(&self) -> Searching {
        self.searching.clone()
    }

    /// The recording.
    pub fn recording(&self) -> &Arc<Recording> {
        &self.recording
    }

    /// The profile for the next sample.
    pub fn profile(&self) -> &Arc<Profile> {
        &self.position.profile
    }

    /// The connection of the last sample.
    pub fn section(&self) -> usize {
        self.position.section
    }

    /// The number of the next sample.
    pub fn next_index(&self) -> u64 {
        self.position.next
    }

    /// The counts so far.
    pub fn totals(&self) -> Totals {
        self.position.totals
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        self.position.tracker.verdict()
    }

    /// The given profiles.
    pub(super) fn given(&self) -> &[Arc<Profile>] {
        &self.given
    }

    /// The target of the last sample.
    pub fn target(&self) -> Option<Target> {
        let header = &self.recording.sections().get(self.position.section)?.header;
        Some(Target {
            pid: header.pid,
            identity: header.emulator.clone(),
            profile: Arc::clone(&self.position.profile),
            method: header.found_by,
            proof: header.evidence.clone(),
            ram: header.ram.clone(),
            elapsed: Duration::ZERO,
        })
    }

    /// The view of the last sample. It contains only the results up to that sample.
    pub fn view(&self, verified: &VerifiedSample) -> View {
        let samples = self.recording.len();
        let (mismatches, detected_at) = self.position.listed();
        View {
            sequence: verified.index + 1,
            connection: Connection::Replaying { playing: true },
            target: self.target().map(Arc::new),
            data: Some(self.data(verified)),
            mismatches: Arc::clone(mismatches),
            totals: self.position.totals,
            rounds: self.position.rounds.clone(),
            earlier: Arc::clone(&self.position.earlier),
            replay: Some(ReplayState {
                index: verified.index,
                samples,
                frame: verified.sample.frame,
                elapsed: verified.sample.elapsed,
                length: self.recording.length(),
                speed: 1.0,
                mismatches: Arc::default(),
                rounds: Arc::default(),
                verified: self.position.next,
                complete: self.position.next >= samples,
                searching: None,
                name: self.recording.name().to_owned(),
                damage: self.recording.damage_summary(),
            }),
            replayed: Some(ReplaySource {
                recording: Arc::clone(&self.recording),
                detected_at: Arc::clone(detected_at),
            }),
            ..View::default()
        }
    }

    fn data(&self, verified: &VerifiedSample) -> Data {
        Data {
            snapshot: verified.sample.snapshot.clone(),
            taken: Instant::now(),
            frame: verified.sample.frame,
            frames_per_second: self.position.frames_per_second(),
            observation: verified.observation.clone(),
            prediction: verified.prediction.clone(),
            verdict: Arc::new(self.verdict()),
        }
    }

    /// Processes the next sample; None after the last.
    ///
    /// # Errors
    /// [`RecordingError`] when that sample cannot be read; the next call continues with the one after it.
    pub fn step(&mut self) -> Result<Option<VerifiedSample>, RecordingError> {
        let index = self.position.next;
        if index >= self.recording.len() {
            return Ok(None);
        }
        self.apply_events(index);
        self.position.next += 1;
        let sample = self.recording.sample_at(&mut self.cursor, index)?;
        let position = &mut self.position;
        let before = position.totals;
        let Totals { samples, frames, frames_missed, jumps, .. } = &mut position.totals;
        *samples += 1;
        if let Some(jump) = position.clock.update(&sample.snapshot, &position.profile, sample.elapsed) {
            tracing::debug!("sample {index}: {jump}");
            *jumps += 1;
        }
        let passed = position.last.map_or(1, |(last, _)| sample.frame.saturating_sub(last));
        *frames += passed;
        *frames_missed += passed.saturating_sub(1);
        position.last = Some((sample.frame, sample.elapsed));
        position.speed.push_back((sample.elapsed, sample.frame));
        while position.speed.len() > 2 && position.speed[0].0 + SPEED_WINDOW < sample.elapsed {
            position.speed.pop_front();
        }
        let context =
            SampleContext { snapshot: &sample.snapshot, profile: &position.profile, frame: sample.frame };
        let Update { observation, mut prediction, mut mismatches } =
            position.tracker.update(&context, &mut position.totals);
        let searching = |share| self.searching.set(Some(share));
        if let Some(found) =
            position.tracker.finish(sample.frame, &mut position.totals, &self.stop, searching)
        {
            mismatches.extend(found);
            prediction = position.tracker.prediction().or(prediction);
        }
        position.rounds.update(&before, &position.totals);
        self.searching.set(None);
        let before = std::mem::replace(&mut position.predicted, prediction.clone());
        if !mismatches.is_empty() {
            let detected_at = Arc::new(DetectedAt {
                sample: index,
                profile: Arc::clone(&position.profile),
                found: observation.as_ref().map(Observation::found_fields).unwrap_or_default(),
                before: before.as_ref().map(|before| before.view().clone()),
                at: prediction.as_ref().map(|prediction| prediction.view().clone()),
            });
            let located = |mismatch: &Mismatch| {
                Arc::new(LocatedMismatch {
                    mismatch: mismatch.clone(),
                    detected_at: Arc::clone(&detected_at),
                })
            };
            let all = Arc::make_mut(&mut position.located);
            all.extend(mismatches.iter().map(located));
            let extra = all.len().saturating_sub(MAX_MISMATCHES);
            all.drain(..extra);
            position.listed = OnceLock::new();
        }
        Ok(Some(VerifiedSample { index, sample, observation, prediction, mismatches }))
    }

    /// Processes the events before this sample.
    fn apply_events(&mut self, index: u64) {
        let section = self.recording.section_of(index);
        let last = self.target();
        let position = &mut self.position;
        if section != position.section {
            // Start again: the state of another connection does not apply.
            if let Ok(profile) = replay_profile(&self.recording, section, &self.given) {
                position.profile = profile;
            }
            position.section = section;
            position.tracker = tracker(&position.profile);
            (position.clock, position.last) = (Clock::default(), None);
            position.speed.clear();
            position.predicted = None;
            let next = self.recording.sections().get(section).map(|section| &section.header);
            if let (Some(last), Some(next)) = (last, next)
                && (last.pid, &last.profile.id) != (next.pid, &next.profile.id)
            {
                let mismatches = Arc::clone(&position.listed().0);
                let last = EarlierTarget { target: Arc::new(last), totals: position.totals, mismatches };
                EarlierTarget::add(&mut position.earlier, last);
                position.totals = position.totals.of_another_target();
                position.rounds = RoundHistory::default();
                (position.located, position.listed) = (Arc::default(), OnceLock::new());
            }
            position.totals.attachments += 1;
            position.earlier_rounds = position.totals.rounds;
        }
        while let Some((at, event)) = self.recording.events().get(position.events)
            && *at <= index
        {
            position.events += 1;
            let Event::Profile(text) = event else { continue };
            if self.given.iter().any(|given| given.id == text.id) {
                continue; // the given profile is used instead
            }
            match text.profile() {
                Ok(profile) => {
                    if profile.game == position.profile.game {
                        position.tracker.reset();
                    } else {
                        position.tracker = tracker(&profile);
                    }
                    position.profile = Arc::new(profile);
                }
                Err(_) => {
                    tracing::warn!(
                        "a version of the profile {} in the recording cannot be read and was ignored",
                        text.id
                    );
                }
            }
        }
    }
}

/// A tracker that starts long searches at once.
fn tracker(profile: &Profile) -> Tracker {
    let mut tracker = Tracker::new(profile.game);
    tracker.set_synchronous();
    tracker
}

/// The profile for a connection: the given one of the same id, else the recording's own.
pub fn replay_profile(
    recording: &Recording,
    section: usize,
    given: &[Arc<Profile>],
) -> Result<Arc<Profile>, ReplayError> {
    let Some(section) = recording.sections().get(section) else {
        return Err(ReplayError::Profile { id: String::new(), what: "the recording has no profile".into() });
    };
    let text = &section.header.profile;
    let profile = match given.iter().find(|given| given.id == text.id) {
        Some(given) => Arc::clone(given),
        None => Arc::new(text.profile().map_err(|diagnostics| {
            let first = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let what = first.map_or_else(String::new, |diagnostic| diagnostic.message);
            ReplayError::Profile { id: text.id.clone(), what }
        })?),
    };
    if profile.console.domain() != section.header.domain() {
        return Err(ReplayError::OtherConsole { id: profile.id.clone() });
    }
    Ok(profile)
}

//! A recording, judged as the running game would be: the same trackers see the same samples in the same order.
//!
//! Long work (trying all states) is waited for at the sample that asks for it, and what was recorded has its times with it, so that
//! what is found at a sample depends on the samples up to it and on nothing else.

use super::sampler::Clock;
use super::{
    Connection, Data, EarlierTarget, Mismatch, Noticed, Observation, Prediction, ReplayState, Replayed,
    SampleContext, Target, Totals, Tracker, Update, Verdict, View,
};
use crate::profile::{Profile, Severity};
use crate::recording::{Cursor, Event, Recording, RecordingError, Sample};
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Mismatches kept, the last ones.
pub(super) const KEPT: usize = 1000;

/// Why a recording cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The profile in it is not understood.
    #[error(
        "the profile {id} in the recording is not understood by this version: {what}. Give one that is, in a folder: --profiles DIR"
    )]
    Profile {
        /// Its id.
        id: String,
        /// The first thing that is wrong with it.
        what: String,
    },
    /// A profile that was given is for another console.
    #[error("the profile {id} that was given is for another console than the recording's")]
    OtherConsole {
        /// Its id.
        id: String,
    },
}

/// How much of the states is tried, 0 to 1, while a sample waits for that; None while none does. Clones see the same.
#[derive(Debug, Clone, Default)]
pub struct Searching(Arc<Mutex<Option<f64>>>);

impl Searching {
    /// How much it is now.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, share: Option<f64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = share;
    }
}

/// One sample and what came of it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its number in the recording.
    pub index: u64,
    /// The sample.
    pub sample: Sample,
    /// The typed fields, or why they cannot be had.
    pub observation: Result<Observation, String>,
    /// What is to come.
    pub prediction: Option<Prediction>,
    /// What disagrees, noticed at this sample.
    pub mismatches: Vec<Mismatch>,
}

/// What was seen up to a sample.
#[derive(Debug)]
pub(super) struct Place {
    /// The next sample.
    pub next: u64,
    section: usize,
    /// Events before it that were taken.
    events: usize,
    profile: Arc<Profile>,
    tracker: Tracker,
    clock: Clock,
    last: Option<(u64, Duration)>,
    /// When samples of the last second were taken, and their frames.
    speed: VecDeque<(Duration, u64)>,
    pub totals: Totals,
    /// What disagrees, the last ones. Places share them: there are many of both.
    told: Arc<Vec<Arc<Told>>>,
    /// The same as views have them, once one was asked for.
    listed: OnceLock<Listed>,
    /// The prediction after the sample before.
    predicted: Option<Prediction>,
    /// The rounds that were counted before its connection was made.
    earlier_rounds: u64,
    /// What was attached to before.
    earlier: Arc<Vec<Arc<EarlierTarget>>>,
}

/// A mismatch, and where it was noticed.
#[derive(Debug)]
struct Told {
    mismatch: Mismatch,
    noticed: Arc<Noticed>,
}

type Listed = (Arc<Vec<Mismatch>>, Arc<Vec<Arc<Noticed>>>);

impl Place {
    /// The same place again, to come back to it.
    pub fn fork(&self) -> Self {
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
            told: Arc::clone(&self.told),
            listed: OnceLock::new(),
            predicted: self.predicted.clone(),
            earlier_rounds: self.earlier_rounds,
            earlier: Arc::clone(&self.earlier),
        }
    }

    fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| {
            let mismatches = self.told.iter().map(|told| told.mismatch.clone()).collect();
            let noticed = self.told.iter().map(|told| Arc::clone(&told.noticed)).collect();
            (Arc::new(mismatches), Arc::new(noticed))
        })
    }

    /// The rounds of its connection that were counted so far.
    pub fn rounds(&self) -> u64 {
        self.totals.rounds.saturating_sub(self.earlier_rounds)
    }

    fn frames_per_second(&self) -> f32 {
        let (Some(first), Some(last)) = (self.speed.front(), self.speed.back()) else { return 0.0 };
        let seconds = last.0.saturating_sub(first.0).as_secs_f32();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let frames = last.1.saturating_sub(first.1) as f32;
        if seconds > 0.25 { frames / seconds } else { 0.0 }
    }
}

/// Goes through a recording, sample by sample, and judges.
#[derive(Debug)]
pub struct Judge {
    recording: Arc<Recording>,
    given: Vec<Arc<Profile>>,
    cursor: Cursor,
    pub(super) place: Place,
    stop: Arc<AtomicBool>,
    searching: Searching,
}

impl Judge {
    /// The same judge at the same place, which goes its own way: to come back to here.
    #[must_use]
    pub fn checkpoint(&self) -> Self {
        Self {
            recording: Arc::clone(&self.recording),
            given: self.given.clone(),
            cursor: Cursor::default(),
            place: self.place.fork(),
            stop: Arc::clone(&self.stop),
            searching: Searching::default(),
        }
    }

    /// Begins before the first sample. A profile among those given takes the place of the recording's own one of the same id.
    ///
    /// # Errors
    /// [`ReplayError`].
    pub fn new(recording: Arc<Recording>, given: Vec<Arc<Profile>>) -> Result<Self, ReplayError> {
        // All of them, so that nothing is found wrong in the middle.
        for number in 0..recording.sections().len() {
            replay_profile(&recording, number, &given)?;
        }
        let profile = replay_profile(&recording, 0, &given)?;
        let place = Place {
            next: 0,
            section: 0,
            events: 0,
            tracker: tracker(&profile),
            profile,
            clock: Clock::default(),
            last: None,
            speed: VecDeque::new(),
            totals: Totals { attachments: 1, ..Totals::default() },
            told: Arc::default(),
            listed: OnceLock::new(),
            predicted: None,
            earlier_rounds: 0,
            earlier: Arc::default(),
        };
        Ok(Self {
            recording,
            given,
            cursor: Cursor::default(),
            place,
            stop: Arc::default(),
            searching: Searching::default(),
        })
    }

    /// Long work is given up when this is set.
    #[must_use]
    pub fn stopped_by(mut self, stop: &Arc<AtomicBool>) -> Self {
        self.stop = Arc::clone(stop);
        self
    }

    /// For another thread, that sees how far the search is for which a step waits.
    #[must_use]
    pub fn searching(&self) -> Searching {
        self.searching.clone()
    }

    /// The recording.
    #[must_use]
    pub fn recording(&self) -> &Arc<Recording> {
        &self.recording
    }

    /// The profile through which the next sample is read.
    #[must_use]
    pub fn profile(&self) -> &Arc<Profile> {
        &self.place.profile
    }

    /// The connection that the last sample belongs to.
    #[must_use]
    pub fn section(&self) -> usize {
        self.place.section
    }

    /// The number of the next sample.
    #[must_use]
    pub fn next_index(&self) -> u64 {
        self.place.next
    }

    /// What was counted up to here.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.place.totals
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.place.tracker.verdict()
    }

    /// The profiles that were given.
    pub(super) fn given(&self) -> &[Arc<Profile>] {
        &self.given
    }

    /// What was attached to when the last sample was taken.
    #[must_use]
    pub fn target(&self) -> Option<Target> {
        let header = &self.recording.sections().get(self.place.section)?.header;
        Some(Target {
            pid: header.pid,
            identity: header.emulator.clone(),
            profile: Arc::clone(&self.place.profile),
            method: header.found_by,
            proof: header.evidence.clone(),
            ram: header.ram.clone(),
            elapsed: Duration::ZERO,
        })
    }

    /// Everything that a face shows of the sample that was taken last. Of the whole recording only that is in it which this judge
    /// knows.
    #[must_use]
    pub fn view(&self, seen: &Seen) -> View {
        let samples = self.recording.len();
        let (mismatches, noticed) = self.place.listed();
        View {
            sequence: seen.index + 1,
            connection: Connection::Replaying { playing: true },
            target: self.target().map(Arc::new),
            data: Some(self.data(seen)),
            mismatches: Arc::clone(mismatches),
            totals: self.place.totals,
            earlier: Arc::clone(&self.place.earlier),
            replay: Some(ReplayState {
                index: seen.index,
                samples,
                frame: seen.sample.frame,
                elapsed: seen.sample.elapsed,
                length: self.recording.length(),
                speed: 1.0,
                mismatches: Arc::default(),
                rounds: Arc::default(),
                judged: self.place.next,
                complete: self.place.next >= samples,
                searching: None,
                name: self.recording.name().to_owned(),
                damage: self.recording.damage_summary(),
            }),
            replayed: Some(Replayed { recording: Arc::clone(&self.recording), noticed: Arc::clone(noticed) }),
            ..View::default()
        }
    }

    fn data(&self, seen: &Seen) -> Data {
        Data {
            snapshot: seen.sample.snapshot.clone(),
            taken: Instant::now(),
            frame: seen.sample.frame,
            frames_per_second: self.place.frames_per_second(),
            observation: seen.observation.clone(),
            prediction: seen.prediction.clone(),
            verdict: Arc::new(self.verdict()),
        }
    }

    /// Takes the next sample; None after the last.
    ///
    /// # Errors
    /// [`RecordingError`] when that sample cannot be read: it counts as missing, and the next call takes the one after it.
    pub fn step(&mut self) -> Result<Option<Seen>, RecordingError> {
        let index = self.place.next;
        if index >= self.recording.len() {
            return Ok(None);
        }
        self.arrive(index);
        self.place.next += 1;
        let sample = self.cursor.sample(&self.recording, index)?;
        let place = &mut self.place;
        let Totals { samples, frames, frames_missed, jumps, .. } = &mut place.totals;
        *samples += 1;
        if let Some(jump) = place.clock.look(&sample.snapshot, &place.profile, sample.elapsed) {
            tracing::debug!("sample {index}: {jump}");
            *jumps += 1;
        }
        let passed = place.last.map_or(1, |(last, _)| sample.frame.saturating_sub(last));
        *frames += passed;
        *frames_missed += passed.saturating_sub(1);
        place.last = Some((sample.frame, sample.elapsed));
        place.speed.push_back((sample.elapsed, sample.frame));
        while place.speed.len() > 2 && place.speed[0].0 + Duration::from_secs(1) < sample.elapsed {
            place.speed.pop_front();
        }
        let context =
            SampleContext { snapshot: &sample.snapshot, profile: &place.profile, frame: sample.frame };
        let Update { observation, mut prediction, mut mismatches } =
            place.tracker.update(&context, &mut place.totals);
        let searching = |share| self.searching.set(Some(share));
        if let Some(found) = place.tracker.finish(sample.frame, &mut place.totals, &self.stop, searching) {
            mismatches.extend(found);
            prediction = place.tracker.prediction().or(prediction);
        }
        self.searching.set(None);
        let before = std::mem::replace(&mut place.predicted, prediction.clone());
        if !mismatches.is_empty() {
            let noticed = Arc::new(Noticed {
                sample: index,
                profile: Arc::clone(&place.profile),
                found: observation.as_ref().map(Observation::found_fields).unwrap_or_default(),
                before: before.as_ref().map(|before| before.view().clone()),
                at: prediction.as_ref().map(|prediction| prediction.view().clone()),
            });
            let told = |mismatch: &Mismatch| {
                Arc::new(Told { mismatch: mismatch.clone(), noticed: Arc::clone(&noticed) })
            };
            let all = Arc::make_mut(&mut place.told);
            all.extend(mismatches.iter().map(told));
            let extra = all.len().saturating_sub(KEPT);
            all.drain(..extra);
            place.listed = OnceLock::new();
        }
        Ok(Some(Seen { index, sample, observation, prediction, mismatches }))
    }

    /// Takes what happened before this sample.
    fn arrive(&mut self, index: u64) {
        let section = self.recording.section_of(index);
        let last = self.target();
        let place = &mut self.place;
        if section != place.section {
            // What was seen of another connection says nothing of this one.
            if let Ok(profile) = replay_profile(&self.recording, section, &self.given) {
                place.profile = profile;
            }
            place.section = section;
            place.tracker = tracker(&place.profile);
            (place.clock, place.last) = (Clock::default(), None);
            place.speed.clear();
            place.predicted = None;
            let next = self.recording.sections().get(section).map(|section| &section.header);
            if let (Some(last), Some(next)) = (last, next)
                && (last.pid, &last.profile.id) != (next.pid, &next.profile.id)
            {
                let mismatches = Arc::clone(&place.listed().0);
                let last = EarlierTarget { target: Arc::new(last), totals: place.totals, mismatches };
                EarlierTarget::add(&mut place.earlier, last);
                place.totals = place.totals.of_another_target();
                (place.told, place.listed) = (Arc::default(), OnceLock::new());
            }
            place.totals.attachments += 1;
            place.earlier_rounds = place.totals.rounds;
        }
        while let Some((at, event)) = self.recording.events().get(place.events)
            && *at <= index
        {
            place.events += 1;
            let Event::Profile(text) = event else { continue };
            if self.given.iter().any(|given| given.id == text.id) {
                continue; // that one is used throughout
            }
            match text.profile() {
                Ok(profile) => {
                    if profile.game == place.profile.game {
                        place.tracker.reset();
                    } else {
                        place.tracker = tracker(&profile);
                    }
                    place.profile = Arc::new(profile);
                }
                Err(_) => {
                    tracing::warn!("a version of the profile {} is not understood and left out", text.id);
                }
            }
        }
    }
}

/// One that waits for nothing: what takes long is done at once.
fn tracker(profile: &Profile) -> Tracker {
    let mut tracker = Tracker::new(profile.game);
    tracker.set_synchronous();
    tracker
}

/// The profile through which a connection's samples are read: of those given the one of its id, else the recording's own.
///
/// # Errors
/// [`ReplayError`].
pub fn replay_profile(
    recording: &Recording,
    section: usize,
    given: &[Arc<Profile>],
) -> Result<Arc<Profile>, ReplayError> {
    let Some(section) = recording.sections().get(section) else {
        return Err(ReplayError::Profile { id: String::new(), what: "there is none".into() });
    };
    let text = &section.header.profile;
    let profile = match given.iter().find(|given| given.id == text.id) {
        Some(given) => Arc::clone(given),
        None => Arc::new(text.profile().map_err(|diagnostics| {
            let wrong = diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let what = wrong.map_or_else(String::new, |diagnostic| diagnostic.message);
            ReplayError::Profile { id: text.id.clone(), what }
        })?),
    };
    if profile.console.domain() != section.header.domain() {
        return Err(ReplayError::OtherConsole { id: profile.id.clone() });
    }
    Ok(profile)
}

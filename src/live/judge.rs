//! Samples that were recorded, judged as the sampler judged them when they were taken.

use super::{Data, Look, Mismatch, Totals, Tracker, Verdict};
use crate::emulator::any_anchor_stands;
use crate::profile::Profile;
use crate::recording::{Event, Recording, RecordingError, Sample};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Long work is waited for once it has been wanted for so many frames; by then the sampler has begun it too.
const WAITED_FOR: u64 = 60;

/// Goes through samples in their order.
pub struct Judge<'a> {
    profile: Arc<Profile>,
    tracker: Tracker,
    totals: Totals,
    mismatches: Vec<(u64, Mismatch)>,
    samples: u64,
    frame: Option<u64>,
    wanted_since: Option<u64>,
    /// When long work is waited for no more.
    until: Instant,
    stop: &'a AtomicBool,
}

impl<'a> Judge<'a> {
    /// Begins with a connection. Long work is waited for as long as `patience` in all, or until `stop`.
    #[must_use]
    pub fn new(profile: Arc<Profile>, patience: Duration, stop: &'a AtomicBool) -> Self {
        let now = Instant::now();
        Self {
            tracker: Tracker::new(profile.game),
            profile,
            totals: Totals { attachments: 1, ..Totals::default() },
            mismatches: Vec::new(),
            samples: 0,
            frame: None,
            wanted_since: None,
            until: now.checked_add(patience).unwrap_or(now),
            stop,
        }
    }

    /// Goes on with another connection, or another version of the profile.
    pub fn go_on_with(&mut self, profile: Arc<Profile>, attached_again: bool) {
        self.tracker = Tracker::new(profile.game);
        self.profile = profile;
        self.wanted_since = None;
        if attached_again {
            self.frame = None;
            self.totals.attachments += 1;
        }
    }

    /// Takes the next sample; what it shows, unless there is no game in it.
    pub fn look(&mut self, sample: &Sample) -> Option<Data> {
        let index = self.samples;
        self.samples += 1;
        self.totals.samples += 1;
        if !any_anchor_stands(&sample.snapshot, &self.profile) {
            return None;
        }
        let passed = self.frame.map_or(1, |before| sample.frame.saturating_sub(before));
        self.frame = Some(sample.frame);
        self.totals.frames += passed;
        self.totals.frames_missed += passed.saturating_sub(1);
        let look = Look { snapshot: &sample.snapshot, profile: &self.profile, frame: sample.frame };
        let (observation, forecast, found) = self.tracker.look(&look, &mut self.totals);
        self.note(index, found);
        self.work(index, sample.frame, WAITED_FOR);
        Some(Data {
            snapshot: sample.snapshot.clone(),
            taken: Instant::now(),
            frame: sample.frame,
            frames_per_second: 0.0,
            observation,
            forecast: self.tracker.forecast().or(forecast),
            verdict: Arc::new(self.tracker.verdict()),
        })
    }

    fn note(&mut self, index: u64, found: Vec<Mismatch>) {
        self.mismatches.extend(found.into_iter().map(|mismatch| (index, mismatch)));
    }

    /// Goes on with long work, and waits for it when it has been wanted for so many frames.
    fn work(&mut self, index: u64, frame: u64, waited_for: u64) {
        loop {
            let found = self.tracker.work(frame, &mut self.totals);
            self.note(index, found.unwrap_or_default());
            if self.tracker.outstanding().is_none() {
                self.wanted_since = None;
                return;
            }
            let since = *self.wanted_since.get_or_insert(frame);
            let over = self.stop.load(Ordering::Relaxed) || Instant::now() >= self.until;
            if over || frame.saturating_sub(since) < waited_for {
                return;
            }
            self.tracker.hurry();
            std::thread::sleep(Duration::from_millis(1)); // others work on it
        }
    }

    /// Waits for what is still being worked on; then everything that was found.
    #[must_use]
    pub fn finish(mut self) -> Judged {
        if let (Some(frame), Some(last)) = (self.frame, self.samples.checked_sub(1)) {
            self.work(last, frame, 0);
        }
        let verdict = self.tracker.verdict();
        Judged { profile: self.profile, totals: self.totals, verdict, mismatches: self.mismatches }
    }
}

/// What came of all samples.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The profile that was in use at the end.
    pub profile: Arc<Profile>,
    /// What was counted.
    pub totals: Totals,
    /// How the checks stand at the end.
    pub verdict: Verdict,
    /// What disagrees, each with the number of the sample at which it was noticed.
    pub mismatches: Vec<(u64, Mismatch)>,
}

/// Why a recording cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// Its profile cannot be read by this version of the program.
    #[error(
        "the profile {id} in the recording cannot be read: {why}; --profiles names a folder with another one"
    )]
    Profile {
        /// Its id.
        id: String,
        /// What is wrong with it.
        why: String,
    },
    /// A sample cannot be read.
    #[error(transparent)]
    Sample(#[from] RecordingError),
}

/// Judges a recording by its own profiles, or by that among `others` which has the same id. Each sample is shown to `seen` as well.
///
/// # Errors
/// See [`JudgeError`].
pub fn judge(
    recording: &Recording,
    others: &[Arc<Profile>],
    patience: Duration,
    stop: &AtomicBool,
    mut seen: impl FnMut(u64, Option<&Data>),
) -> Result<Judged, JudgeError> {
    let profile_of = |text: &crate::recording::ProfileText| {
        if let Some(other) = others.iter().find(|other| other.id == text.id) {
            return Ok(Arc::clone(other));
        }
        text.profile().map(Arc::new).map_err(|wrong| JudgeError::Profile {
            id: text.id.clone(),
            why: wrong.first().map_or_else(String::new, |wrong| wrong.message.clone()),
        })
    };
    let mut judge = Judge::new(profile_of(&recording.header().profile)?, patience, stop);
    let mut sections = recording.sections().iter().skip(1).peekable();
    let mut events = recording.events().iter().peekable();
    for index in 0..recording.len() {
        if let Some(section) = sections.next_if(|section| section.first <= index) {
            judge.go_on_with(profile_of(&section.header.profile)?, true);
        }
        while let Some((_, event)) = events.next_if(|(at, _)| *at <= index) {
            if let Event::Profile(text) = event {
                judge.go_on_with(profile_of(text)?, false);
            }
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        seen(index, judge.look(&recording.sample(index)?).as_ref());
    }
    Ok(judge.finish())
}

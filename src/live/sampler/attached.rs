//! One connection: tick after tick until it ends.

use super::pace::Pace;
use super::recorder::{Recorder, whole_micros};
use super::stillness::Stillness;
use crate::console::{Ram, ReadPlan, Snapshot};
use crate::emulator::{DetectedGame, any_anchor_matches};
use crate::live::clock::Clock;
use crate::live::view::SPEED_WINDOW;
use crate::live::{
    Connection, Data, DurationMeter, EvidenceFolder, Mismatch, SampleContext, Totals, Tracker, Update, View,
    topic,
};
use crate::process::{FineTimers, Process, ReadError};
use crate::profile::{FrameCounter, Profile};
use crate::recording;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When the anchors are missing for this long, the game is gone; after a reset they return sooner.
const GONE_AFTER: Duration = Duration::from_millis(300);
/// How often the process identity is checked while its memory can be read.
const IDENTITY_EVERY: Duration = Duration::from_millis(250);
/// The shortest time between views; a window at 60 Hz needs no more.
const PUBLISH_EVERY: Duration = Duration::from_millis(7);
/// Mismatches retained in the view.
const MAX_MISMATCHES: usize = 1000;
/// The time between samples of a game without a known frame counter: nearly a frame at 60 Hz.
const UNCOUNTED_FRAME: Duration = Duration::from_millis(14);
/// Attempts to read a consistent snapshot in one tick.
const READS: usize = 4;

/// Why a connection ended.
pub struct Ended(pub String);

/// What uses samples in addition to the view.
pub struct SampleUsers<'a> {
    pub evidence: Option<&'a mut EvidenceFolder>,
    pub recorder: Option<&'a mut Recorder>,
    pub meter: Option<&'a mut DurationMeter>,
}

pub struct Attached {
    process: Arc<Process>,
    ram: Ram,
    profile: Arc<Profile>,
    plan: ReadPlan,
    /// Bytes that the user displays, in addition to the profile's fields.
    displayed: Option<Range<usize>>,
    counter: Option<FrameCounter>,
    tracker: Tracker,
    clock: Clock,
    began: Instant,
    last: Option<Sample>,
    frame: u64,
    pace: Pace,
    /// Whether the last sample differed from the one before. Without a frame counter it is then read again, to see whether the
    /// change is complete.
    differs: bool,
    stillness: Stillness,
    sampled: Instant,
    anchored: Instant,
    identity_checked: Instant,
    published: Instant,
    changed: bool,
    speed: VecDeque<(Instant, u64)>,
    _timers: FineTimers,
}

struct Sample {
    snapshot: Snapshot,
    counter: u32,
}

impl Attached {
    /// `running` is whether the game moved during the scan; otherwise it counts as paused until it does.
    pub fn new(found: &DetectedGame, running: bool, rate_hz: Option<f64>) -> Result<Self, String> {
        let counter = FrameCounter::of(&found.profile);
        let now = Instant::now();
        let requested_period = rate_hz.filter(|hz| *hz > 0.0).map(|hz| Duration::from_secs_f64(1.0 / hz));
        Ok(Self {
            process: Arc::clone(&found.process),
            ram: found.ram.clone(),
            profile: Arc::clone(&found.profile),
            plan: found.profile.plan(),
            displayed: None,
            counter,
            tracker: Tracker::new(found.profile.game),
            clock: Clock::default(),
            began: now,
            last: None,
            frame: 0,
            pace: Pace::new(requested_period, now),
            differs: false,
            stillness: Stillness::new(running, now),
            sampled: now,
            anchored: now,
            identity_checked: now,
            published: now.checked_sub(PUBLISH_EVERY).unwrap_or(now),
            changed: true,
            speed: VecDeque::new(),
            _timers: FineTimers::request(),
        })
    }

    /// Whether this profile is the current one, also when it was loaded again.
    pub fn uses(&self, profile: &Arc<Profile>) -> bool {
        Arc::ptr_eq(&self.profile, profile) || self.profile == *profile
    }

    /// Continues with a newer version of the same profile.
    pub fn use_profile(&mut self, profile: &Arc<Profile>) {
        self.counter = FrameCounter::of(profile);
        if profile.game == self.profile.game {
            self.tracker.reset();
        } else {
            self.tracker = Tracker::new(profile.game);
        }
        self.profile = Arc::clone(profile);
        self.replan();
    }

    /// Sets the bytes of RAM to read in addition, for display.
    pub fn set_displayed(&mut self, offsets: Option<Range<usize>>) {
        if self.displayed != offsets {
            self.displayed = offsets;
            self.replan();
        }
    }

    fn replan(&mut self) {
        let plan = self.profile.plan();
        let domain = self.ram.domain;
        self.plan = self.displayed.clone().map_or(plan.clone(), |offsets| plan.with(domain, offsets));
    }

    /// The time until the next tick.
    pub fn pause(&self) -> Duration {
        self.pace.due().saturating_duration_since(Instant::now())
    }

    /// Whether the game has not moved for a while.
    pub fn is_still(&self) -> bool {
        self.stillness.is_still()
    }

    /// One tick; true when there is something new to publish.
    pub fn tick(
        &mut self,
        view: &mut View,
        totals: &mut Totals,
        mut users: SampleUsers<'_>,
    ) -> Result<bool, Ended> {
        let now = Instant::now();
        // Where a frame is expected, counter and sample are read together: one call instead of three.
        let together = self.counter.filter(|_| self.pace.expects_frame());
        let together = together.and_then(|counter| counter.around_sample(&self.ram, &self.plan));
        let (counter, read) = match together {
            Some((before, snapshot, after)) => (before, Some((snapshot, after))),
            None => (self.count()?, None),
        };
        if now.duration_since(self.identity_checked) > IDENTITY_EVERY {
            self.identity_checked = now;
            self.process.check_running().map_err(|error| ended(&error))?;
        }
        let moved = self.last.as_ref().is_none_or(|last| last.counter != counter);
        // A changing cell alone does not show that the game runs: `sample` also requires an anchor.
        self.stillness.unmoved(now, self.pace.planned());
        if moved {
            self.pace.retry(now);
            self.sample(counter, read, view, totals, &mut users)?;
        } else {
            self.pace.unmoved(now, self.is_still().then(|| self.stillness.since()));
        }
        if self.last.is_none() {
            // No complete sample yet: the view's data is from an earlier connection.
            return Ok(false);
        }
        let connection = if self.is_still() {
            self.speed.clear();
            if now.duration_since(self.anchored) > GONE_AFTER {
                self.check_anchors()?;
            }
            Connection::Paused { since: self.stillness.since() }
        } else {
            Connection::Live
        };
        if std::mem::discriminant(&connection) != std::mem::discriminant(&view.connection) {
            view.connection = connection;
            self.changed = true;
        }
        self.poll_background(view, totals, users.evidence);
        let due = now.duration_since(self.published) >= PUBLISH_EVERY;
        if self.changed && due {
            self.changed = false;
            self.published = now;
            return Ok(true);
        }
        Ok(false)
    }

    fn check_anchors(&mut self) -> Result<(), Ended> {
        let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
        if !any_anchor_matches(&snapshot, &self.profile) {
            return Err(gone());
        }
        self.anchored = Instant::now();
        Ok(())
    }

    fn sample(
        &mut self,
        counter: u32,
        read: Option<(Snapshot, u32)>,
        view: &mut View,
        totals: &mut Totals,
        users: &mut SampleUsers<'_>,
    ) -> Result<(), Ended> {
        let Some((snapshot, counter)) = self.consistent_snapshot(counter, read, totals)? else {
            return Ok(());
        };
        let now = Instant::now();
        self.sampled = now;
        totals.samples += 1;
        if !any_anchor_matches(&snapshot, &self.profile) {
            // The game is rewriting a block, or a reset is in progress: ignore this sample. If it lasts, the game is gone.
            if now.duration_since(self.anchored) > GONE_AFTER {
                return Err(gone());
            }
            return Ok(());
        }
        self.anchored = now;
        // With a frame counter, the sample was read because the counter increased.
        let differs =
            self.counter.is_some() || self.last.as_ref().is_none_or(|last| last.snapshot != snapshot);
        if self.last.is_some() && differs {
            self.stillness.moved(now);
        }
        if let Some(jump) = self.clock.update(&snapshot, &self.profile, whole_micros(now - self.began)) {
            tracing::info!("{jump}");
            totals.jumps += 1;
        }
        // After a reset or a loaded state, the frame counter cannot be compared.
        let last = self.last.as_ref().filter(|_| self.clock.runs());
        let passed = last.map_or(1, |last| match self.counter {
            Some(cell) => cell.elapsed(last.counter, counter),
            None => counter.wrapping_sub(last.counter).into(),
        });
        self.frame += passed;
        totals.frames += passed;
        totals.frames_missed += passed.saturating_sub(1);
        self.pace.moved(now, passed, self.counter.is_some());
        self.speed.push_back((now, self.frame));
        while self.speed.len() > 2 && self.speed[0].0 + SPEED_WINDOW < now {
            self.speed.pop_front();
        }
        let elapsed = whole_micros(now - self.began);
        if let Some(recorder) = &mut users.recorder {
            recorder.sample(&snapshot, self.frame, counter, now);
        }
        if let Some(meter) = &mut users.meter
            && meter.step(&snapshot, self.frame, elapsed)
        {
            view.durations = Some(Arc::new(meter.measured()));
        }
        let sample = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let before = *totals;
        let Update { observation, prediction, mismatches: mut found } = self.tracker.update(&sample, totals);
        view.rounds.update(&before, totals);
        if let Some(folder) = &mut users.evidence {
            let sample =
                recording::Sample { snapshot: snapshot.clone(), frame: self.frame, counter, elapsed };
            folder.sample(&sample, totals.rounds);
            found.iter_mut().for_each(|mismatch| folder.save(mismatch));
        }
        publish_mismatches(view, found);
        view.data = Some(Data {
            snapshot: snapshot.clone(),
            taken: now,
            frame: self.frame,
            frames_per_second: self.frames_per_second(),
            observation,
            prediction,
            verdict: Arc::new(self.tracker.verdict()),
        });
        view.searching = self.tracker.search_progress();
        self.differs = differs;
        self.last = Some(Sample { snapshot, counter });
        self.changed = true;
        Ok(())
    }

    /// The frame counter. Without one in the profile, a count that increases when a frame's time has passed and
    /// the profile's fields have changed.
    fn count(&self) -> Result<u32, Ended> {
        if let Some(counter) = self.counter {
            return counter.now(&self.ram).map_err(|error| ended(&error));
        }
        let Some(last) = &self.last else { return Ok(0) };
        if self.sampled.elapsed() < UNCOUNTED_FRAME {
            return Ok(last.counter);
        }
        let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
        Ok(last.counter.wrapping_add(u32::from(self.differs || snapshot != last.snapshot)))
    }

    /// A snapshot during which the frame counter did not change; None when every attempt was torn. `counter` is its value before, and `read` a
    /// snapshot with its value after it, if one was read already.
    fn consistent_snapshot(
        &mut self,
        mut counter: u32,
        mut read: Option<(Snapshot, u32)>,
        totals: &mut Totals,
    ) -> Result<Option<(Snapshot, u32)>, Ended> {
        let Some(cell) = self.counter else {
            let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
            return Ok(Some((snapshot, counter)));
        };
        for _ in 0..READS {
            let (snapshot, after) = match read.take() {
                Some(read) => read,
                None => {
                    let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
                    (snapshot, cell.now(&self.ram).map_err(|error| ended(&error))?)
                }
            };
            let inside = cell.value_in(&snapshot).unwrap_or(counter);
            if counter == inside && inside == after {
                return Ok(Some((snapshot, inside)));
            }
            totals.torn += 1;
            counter = after;
        }
        Ok(None)
    }

    fn frames_per_second(&self) -> f32 {
        let (Some(first), Some(last)) = (self.speed.front(), self.speed.back()) else { return 0.0 };
        let seconds = last.0.duration_since(first.0).as_secs_f32();
        #[expect(clippy::cast_precision_loss, reason = "a displayed rate")]
        let frames = (last.1 - first.1) as f32;
        // A burst of few samples gives no useful rate.
        if seconds > 0.25 { frames / seconds } else { 0.0 }
    }

    /// Continues searches that take longer than one sample.
    fn poll_background(
        &mut self,
        view: &mut View,
        totals: &mut Totals,
        evidence: Option<&mut EvidenceFolder>,
    ) {
        let before = *totals;
        let Some(mut found) = self.tracker.poll_background(self.frame, totals) else { return };
        view.rounds.update(&before, totals);
        if let Some(folder) = evidence {
            found.iter_mut().for_each(|mismatch| folder.save(mismatch));
        }
        publish_mismatches(view, found);
        if let Some(data) = &mut view.data {
            data.verdict = Arc::new(self.tracker.verdict());
            data.prediction = self.tracker.prediction().or_else(|| data.prediction.take());
        }
        self.changed = true;
    }
}

fn publish_mismatches(view: &mut View, found: Vec<Mismatch>) {
    if found.is_empty() {
        return;
    }
    for mismatch in &found {
        let saved = mismatch.evidence.as_ref();
        let saved = saved.map_or_else(String::new, |path| format!("; evidence saved in {}", path.display()));
        tracing::warn!(target: topic::MISMATCH, "mismatch: {mismatch}{saved}");
    }
    let all = Arc::make_mut(&mut view.mismatches);
    all.extend(found);
    let extra = all.len().saturating_sub(MAX_MISMATCHES);
    all.drain(..extra);
}

fn gone() -> Ended {
    Ended("the game is no longer in the console's RAM: it was reset, or another game was loaded".into())
}

fn ended(error: &ReadError) -> Ended {
    Ended(error.to_string())
}

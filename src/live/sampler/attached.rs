//! One connection: tick after tick until it ends.

use super::clock::Clock;
use super::recorder::{Recorder, whole_micros};
use super::stillness::Stillness;
use crate::console::{Ram, ReadPlan, Snapshot};
use crate::emulator::{DetectedGame, any_anchor_matches};
use crate::live::{
    Connection, Data, EvidenceFolder, Mismatch, SampleContext, Totals, Tracker, Update, View, topic,
};
use crate::process::{Process, ReadError};
use crate::profile::{FrameCounter, Profile};
use crate::recording;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A RAM without its anchors for this long belongs to no known game any more; a reset brings them back sooner.
const GONE_AFTER: Duration = Duration::from_millis(300);
/// How often the process is asked whether it is still the same, while its memory can be read.
const IDENTITY_EVERY: Duration = Duration::from_millis(100);
/// The longest and the shortest time between ticks: several ticks to a frame of 1/60 s, and no more than
/// the system's timers can give.
const SLOWEST: Duration = Duration::from_millis(2);
const FASTEST: Duration = Duration::from_micros(60);
/// Ticks left out after a frame at the slowest pace: a frame of 1/60 s is still met in time when it comes a quarter early.
const RESTS: u32 = 6;
/// Ticks without a new frame after which there may be fewer of them. A frame of 1/60 s takes more at any pace but the
/// slowest, so that one late frame does not keep the ticks close for good.
const ENOUGH_TICKS: u32 = 6;
/// A window drawn at 60 Hz needs no more views than this.
const PUBLISH_EVERY: Duration = Duration::from_millis(7);
/// Mismatches kept in the view.
const KEPT: usize = 1000;
/// A frame at 60 Hz, nearly: how long a game without a known counter is left alone between samples.
const UNCOUNTED_FRAME: Duration = Duration::from_millis(14);
/// Reads of a torn snapshot before the sample is given up until the next tick.
const READS: usize = 4;

/// Why a connection ended.
pub struct Ended(pub String);

pub struct Attached {
    process: Arc<Process>,
    ram: Ram,
    profile: Arc<Profile>,
    plan: ReadPlan,
    /// Bytes that somebody looks at beside what the game is made of.
    looked_at: Option<Range<usize>>,
    counter: Option<FrameCounter>,
    tracker: Tracker,
    clock: Clock,
    began: Instant,
    last: Option<Sample>,
    frame: u64,
    period: Duration,
    fixed_rate: bool,
    even_ticks: u32,
    /// The last sample was another than the one before; where no cell counts frames, it is read again to see whether it stands.
    unlike: bool,
    stillness: Stillness,
    sampled: Instant,
    anchored: Instant,
    asked: Instant,
    published: Instant,
    changed: bool,
    speed: VecDeque<(Instant, u64)>,
}

struct Sample {
    snapshot: Snapshot,
    counter: u32,
}

impl Attached {
    /// `running` says whether the game was seen to move when it was found; otherwise it counts as paused until it does.
    pub fn new(found: &DetectedGame, running: bool, rate_hz: Option<f64>) -> Result<Self, String> {
        let counter = FrameCounter::of(&found.profile);
        let now = Instant::now();
        let asked_period = rate_hz.filter(|hz| *hz > 0.0).map(|hz| Duration::from_secs_f64(1.0 / hz));
        Ok(Self {
            process: Arc::clone(&found.process),
            ram: found.ram.clone(),
            profile: Arc::clone(&found.profile),
            plan: found.profile.plan(),
            looked_at: None,
            counter,
            tracker: Tracker::new(found.profile.game),
            clock: Clock::default(),
            began: now,
            last: None,
            frame: 0,
            period: asked_period.unwrap_or(SLOWEST),
            fixed_rate: asked_period.is_some(),
            even_ticks: 0,
            unlike: false,
            stillness: Stillness::new(running, now),
            sampled: now,
            anchored: now,
            asked: now,
            published: now.checked_sub(PUBLISH_EVERY).unwrap_or(now),
            changed: true,
            speed: VecDeque::new(),
        })
    }

    /// Whether this is the profile that is in use, read again or not.
    pub fn uses(&self, profile: &Arc<Profile>) -> bool {
        Arc::ptr_eq(&self.profile, profile) || self.profile == *profile
    }

    /// Goes on with a newer version of the same profile.
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

    /// Reads these bytes of RAM too from now on, for somebody who looks at them.
    pub fn look_at(&mut self, offsets: Option<Range<usize>>) {
        if self.looked_at != offsets {
            self.looked_at = offsets;
            self.replan();
        }
    }

    fn replan(&mut self) {
        let plan = self.profile.plan();
        let domain = self.ram.domain;
        self.plan = self.looked_at.clone().map_or(plan.clone(), |offsets| plan.with(domain, offsets));
    }

    /// How long to wait until the next tick.
    pub fn pause(&self) -> Duration {
        // At the slowest pace a frame takes eight ticks: the first ones after it would find nothing.
        if self.rests() { self.period * RESTS } else { self.period }
    }

    fn rests(&self) -> bool {
        self.even_ticks == 0 && self.period == SLOWEST && !self.fixed_rate
    }

    /// Whether the game has not moved for a while.
    pub fn stands_still(&self) -> bool {
        self.stillness.is_still()
    }

    /// One tick; true when there is something new to publish.
    pub fn tick(
        &mut self,
        view: &mut View,
        totals: &mut Totals,
        mut evidence: Option<&mut EvidenceFolder>,
        recorder: Option<&mut Recorder>,
    ) -> Result<bool, Ended> {
        let now = Instant::now();
        let counter = self.count()?;
        if now.duration_since(self.asked) > IDENTITY_EVERY {
            self.asked = now;
            self.process.check_running().map_err(|error| ended(&error))?;
        }
        let moved = self.last.as_ref().is_none_or(|last| last.counter != counter);
        // A cell that changes is no sign of the game: `sample` takes it for one where the anchors stand.
        self.stillness.looked(now, self.pause());
        if moved {
            self.sample(counter, view, totals, evidence.as_deref_mut(), recorder)?;
        } else {
            self.pace(0);
        }
        if self.last.is_none() {
            // Nothing was read whole yet: what the view still holds is of another connection.
            return Ok(false);
        }
        let connection = if self.stands_still() {
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
        self.work(view, totals, evidence);
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
            return Err(Ended(
                "the game is gone from the console's RAM: reset, or another game was loaded".into(),
            ));
        }
        self.anchored = Instant::now();
        Ok(())
    }

    fn sample(
        &mut self,
        first_counter: u32,
        view: &mut View,
        totals: &mut Totals,
        evidence: Option<&mut EvidenceFolder>,
        recorder: Option<&mut Recorder>,
    ) -> Result<(), Ended> {
        let Some((snapshot, counter)) = self.untorn(first_counter, totals)? else { return Ok(()) };
        let now = Instant::now();
        self.sampled = now;
        totals.samples += 1;
        if !any_anchor_matches(&snapshot, &self.profile) {
            // A block that is being rewritten, or a reset under way: this sample shows nothing. When it lasts, the game is gone.
            if now.duration_since(self.anchored) > GONE_AFTER {
                return Err(gone());
            }
            return Ok(());
        }
        self.anchored = now;
        // Where frames are counted, this one was read because the count went up.
        let unlike =
            self.counter.is_some() || self.last.as_ref().is_none_or(|last| last.snapshot != snapshot);
        if self.last.is_some() && unlike {
            self.stillness.moved(now);
        }
        if let Some(jump) = self.clock.look(&snapshot, &self.profile, whole_micros(now - self.began)) {
            tracing::info!("{jump}");
            totals.jumps += 1;
        }
        // The counter of frames says nothing across a reset or a loaded state.
        let last = self.last.as_ref().filter(|_| self.clock.runs());
        let passed = last.map_or(1, |last| match self.counter {
            Some(cell) => cell.elapsed(last.counter, counter),
            None => counter.wrapping_sub(last.counter).into(),
        });
        self.frame += passed;
        totals.frames += passed;
        totals.frames_missed += passed.saturating_sub(1);
        self.pace(passed);
        self.speed.push_back((now, self.frame));
        while self.speed.len() > 2 && self.speed[0].0 + Duration::from_secs(1) < now {
            self.speed.pop_front();
        }
        if let Some(recorder) = recorder {
            recorder.sample(&snapshot, self.frame, counter, now);
        }
        let sample = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let Update { observation, prediction, mismatches: mut found } = self.tracker.update(&sample, totals);
        if let Some(folder) = evidence {
            let elapsed = whole_micros(now - self.began);
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
        self.unlike = unlike;
        self.last = Some(Sample { snapshot, counter });
        self.changed = true;
        Ok(())
    }

    /// The frame counter; where the profile knows of none, a count of its own that goes up when a frame's time is over
    /// and what the game is made of has changed.
    fn count(&self) -> Result<u32, Ended> {
        if let Some(counter) = self.counter {
            return counter.now(&self.ram).map_err(|error| ended(&error));
        }
        let Some(last) = &self.last else { return Ok(0) };
        if self.sampled.elapsed() < UNCOUNTED_FRAME {
            return Ok(last.counter);
        }
        let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
        Ok(last.counter.wrapping_add(u32::from(self.unlike || snapshot != last.snapshot)))
    }

    /// A snapshot during which the frame counter stood still; None when the game was too quick for it this time.
    fn untorn(&mut self, mut counter: u32, totals: &mut Totals) -> Result<Option<(Snapshot, u32)>, Ended> {
        let Some(cell) = self.counter else {
            let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
            return Ok(Some((snapshot, counter)));
        };
        for _ in 0..READS {
            let snapshot = self.ram.sample(&self.plan).map_err(|error| ended(&error))?;
            let inside = cell.value_in(&snapshot).unwrap_or(counter);
            let after = cell.now(&self.ram).map_err(|error| ended(&error))?;
            if counter == inside && inside == after {
                return Ok(Some((snapshot, inside)));
            }
            totals.torn += 1;
            counter = after;
        }
        Ok(None)
    }

    /// Ticks come faster while frames are missed and slower again when several ticks see the same frame.
    fn pace(&mut self, passed: u64) {
        if self.fixed_rate {
            return;
        }
        if passed > 1 {
            self.period = (self.period / 2).max(FASTEST);
            self.even_ticks = 0;
        } else if passed == 1 && self.even_ticks < 2 {
            self.period = (self.period * 3 / 4).max(FASTEST);
            self.even_ticks = 0;
        } else if passed == 1 {
            self.even_ticks = 0;
        } else {
            // After a rest the ticks that were left out count as well.
            self.even_ticks += if self.rests() { RESTS } else { 1 };
            if self.even_ticks > ENOUGH_TICKS {
                self.period = (self.period * 9 / 8).min(SLOWEST);
            }
        }
    }

    fn frames_per_second(&self) -> f32 {
        let (Some(first), Some(last)) = (self.speed.front(), self.speed.back()) else { return 0.0 };
        let seconds = last.0.duration_since(first.0).as_secs_f32();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let frames = (last.1 - first.1) as f32;
        // Over a few samples a burst looks like a rate.
        if seconds > 0.25 { frames / seconds } else { 0.0 }
    }

    /// Goes on with what takes longer than a sample.
    fn work(&mut self, view: &mut View, totals: &mut Totals, evidence: Option<&mut EvidenceFolder>) {
        let Some(mut found) = self.tracker.poll_background(self.frame, totals) else { return };
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
    let extra = all.len().saturating_sub(KEPT);
    all.drain(..extra);
}

fn gone() -> Ended {
    Ended("the game is gone from the console's RAM: reset, or another game was loaded".into())
}

fn ended(error: &ReadError) -> Ended {
    Ended(error.to_string())
}

//! One connection: tick after tick until it ends.

use super::clock::Clock;
use crate::console::{ConsoleAddr, Ram};
use crate::emulator::{Found, any_anchor_stands};
use crate::live::verify::SearchResult;
use crate::live::{
    Connection, Data, EvidenceFolder, Forecast, Mismatch, Totals, Verifier, View, forecast, observe,
};
use crate::process::{Process, ReadError};
use crate::profile::Profile;
use crate::seeds::puyo_tsu::BackgroundSearch;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A main loop that has not come round for this long is not running. Making the pools takes some three frames.
const STOPPED_AFTER: Duration = Duration::from_millis(150);
/// A RAM without its anchors for this long belongs to no known game any more; a reset brings them back sooner.
const GONE_AFTER: Duration = Duration::from_millis(300);
/// How often the process is asked whether it is still the same, while its memory can be read.
const IDENTITY_EVERY: Duration = Duration::from_millis(100);
/// Pools of unknown origin that stand for this long are worth trying all states.
const SEARCH_AFTER: Duration = Duration::from_millis(1500);
/// The longest and the shortest time between ticks: several ticks to a frame of 1/60 s, and no more than
/// the system's timers can give.
const SLOWEST: Duration = Duration::from_millis(2);
const FASTEST: Duration = Duration::from_micros(60);
/// A window drawn at 60 Hz needs no more views than this.
const PUBLISH_EVERY: Duration = Duration::from_millis(7);
/// Mismatches kept in the view.
const KEPT: usize = 1000;
/// Reads of a torn snapshot before the sample is given up until the next tick.
const READS: usize = 4;

/// Why a connection ended.
pub struct Ended(pub String);

pub struct Attached {
    process: Arc<Process>,
    ram: Ram,
    profile: Arc<Profile>,
    counter: ConsoleAddr,
    verifier: Verifier,
    clock: Clock,
    last: Option<Sample>,
    frame: u64,
    period: Duration,
    fixed_rate: bool,
    even_ticks: u32,
    moved: Instant,
    anchored: Instant,
    asked: Instant,
    published: Instant,
    changed: bool,
    speed: VecDeque<(Instant, u64)>,
    search: Option<BackgroundSearch>,
    unknown_since: Option<(u64, Instant)>,
}

struct Sample {
    snapshot: crate::console::Snapshot,
    counter: u8,
    forecast: Option<Arc<Forecast>>,
}

impl Attached {
    /// `running` says whether the game was seen to move when it was found; otherwise it counts as paused until it does.
    pub fn new(found: &Found, running: bool, rate_hz: Option<f64>) -> Result<Self, String> {
        let counter = counter_of(&found.profile)?;
        let now = Instant::now();
        let asked_period = rate_hz.filter(|hz| *hz > 0.0).map(|hz| Duration::from_secs_f64(1.0 / hz));
        Ok(Self {
            process: Arc::clone(&found.process),
            ram: found.ram.clone(),
            profile: Arc::clone(&found.profile),
            counter,
            verifier: Verifier::default(),
            clock: Clock::default(),
            last: None,
            frame: 0,
            period: asked_period.unwrap_or(SLOWEST),
            fixed_rate: asked_period.is_some(),
            even_ticks: 0,
            moved: if running { now } else { now.checked_sub(STOPPED_AFTER * 2).unwrap_or(now) },
            anchored: now,
            asked: now,
            published: now - PUBLISH_EVERY,
            changed: true,
            speed: VecDeque::new(),
            search: None,
            unknown_since: None,
        })
    }

    /// Goes on with a newer version of the same profile.
    pub fn use_profile(&mut self, profile: &Arc<Profile>) {
        if let Ok(counter) = counter_of(profile) {
            self.counter = counter;
            self.profile = Arc::clone(profile);
            self.verifier.restart();
        }
    }

    /// How long to wait until the next tick.
    pub fn pause(&self) -> Duration {
        self.period
    }

    /// Whether the game has not moved for a while.
    pub fn stands_still(&self) -> bool {
        self.moved.elapsed() > STOPPED_AFTER
    }

    /// One tick; true when there is something new to publish.
    pub fn tick(
        &mut self,
        view: &mut View,
        totals: &mut Totals,
        evidence: Option<&mut EvidenceFolder>,
    ) -> Result<bool, Ended> {
        let now = Instant::now();
        let mut counter = [0];
        self.ram.read(self.counter, &mut counter).map_err(|error| ended(&error))?;
        if now.duration_since(self.asked) > IDENTITY_EVERY {
            self.asked = now;
            self.process.still_the_same().map_err(|error| ended(&error))?;
        }
        let moved = self.last.as_ref().is_none_or(|last| last.counter != counter[0]);
        if moved {
            self.sample(counter[0], view, totals, evidence)?;
        } else {
            self.pace(0);
        }
        let connection = if self.stands_still() {
            self.speed.clear();
            if now.duration_since(self.anchored) > GONE_AFTER {
                self.check_anchors()?;
            }
            Connection::Paused { since: self.moved }
        } else {
            Connection::Live
        };
        if std::mem::discriminant(&connection) != std::mem::discriminant(&view.connection) {
            view.connection = connection;
            self.changed = true;
        }
        self.run_search(view, totals);
        let due = now.duration_since(self.published) >= PUBLISH_EVERY;
        if self.changed && due {
            self.changed = false;
            self.published = now;
            return Ok(true);
        }
        Ok(false)
    }

    fn check_anchors(&mut self) -> Result<(), Ended> {
        let snapshot = self.ram.snapshot().map_err(|error| ended(&error))?;
        if !any_anchor_stands(&snapshot, &self.profile) {
            return Err(Ended(
                "the game is gone from the console's RAM: reset, or another game was loaded".into(),
            ));
        }
        self.anchored = Instant::now();
        Ok(())
    }

    fn sample(
        &mut self,
        first_counter: u8,
        view: &mut View,
        totals: &mut Totals,
        evidence: Option<&mut EvidenceFolder>,
    ) -> Result<(), Ended> {
        let Some((snapshot, counter)) = self.untorn(first_counter, totals)? else { return Ok(()) };
        let now = Instant::now();
        totals.samples += 1;
        if !any_anchor_stands(&snapshot, &self.profile) {
            // A block that is being rewritten, or a reset under way: this sample shows nothing. When it lasts, the game is gone.
            if now.duration_since(self.anchored) > GONE_AFTER {
                return Err(gone());
            }
            return Ok(());
        }
        self.anchored = now;
        if self.last.is_some() {
            self.moved = now;
        }
        if let Some(jump) = self.clock.look(&snapshot, &self.profile) {
            tracing::info!("{jump}");
            totals.jumps += 1;
        }
        // The counter of frames says nothing across a reset or a loaded state.
        let last = self.last.as_ref().filter(|_| self.clock.runs());
        let passed = last.map_or(1, |last| u64::from(counter.wrapping_sub(last.counter)));
        self.frame += passed;
        totals.frames += passed;
        totals.frames_missed += passed.saturating_sub(1);
        self.pace(passed);
        self.speed.push_back((now, self.frame));
        while self.speed.len() > 2 && self.speed[0].0 + Duration::from_secs(1) < now {
            self.speed.pop_front();
        }
        let observation = observe(&snapshot, &self.profile).map(Arc::new).map_err(|error| error.to_string());
        let before = self.last.as_ref().and_then(|last| last.forecast.clone());
        if let Ok(seen) = &observation {
            let mut found = self.verifier.step(seen, self.frame, before.as_deref(), totals);
            if let Some(folder) = evidence {
                for mismatch in &mut found {
                    let earlier = self.last.as_ref().map(|last| &last.snapshot);
                    folder.save(mismatch, view.target.as_deref(), earlier, &snapshot);
                }
            }
            publish_mismatches(view, found);
        }
        let pools_setup = self.verifier.pools_setup();
        let forecast = observation
            .as_ref()
            .ok()
            .filter(|seen| !seen.no_round_yet())
            .map(|seen| Arc::new(forecast(seen, pools_setup, before.as_deref())));
        view.data = Some(Data {
            snapshot: snapshot.clone(),
            taken: now,
            frame: self.frame,
            frames_per_second: self.frames_per_second(),
            observation,
            forecast: forecast.clone(),
            verdict: Arc::new(self.verifier.verdict()),
        });
        self.last = Some(Sample { snapshot, counter, forecast });
        self.changed = true;
        Ok(())
    }

    /// A snapshot during which the frame counter stood still; None when the game was too quick for it this time.
    fn untorn(
        &mut self,
        mut counter: u8,
        totals: &mut Totals,
    ) -> Result<Option<(crate::console::Snapshot, u8)>, Ended> {
        for _ in 0..READS {
            let snapshot = self.ram.snapshot().map_err(|error| ended(&error))?;
            let inside = snapshot.u8(self.counter).unwrap_or(counter);
            let mut after = [0];
            self.ram.read(self.counter, &mut after).map_err(|error| ended(&error))?;
            if counter == inside && inside == after[0] {
                return Ok(Some((snapshot, inside)));
            }
            totals.torn += 1;
            counter = after[0];
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
            self.even_ticks += 1;
            if self.even_ticks > 8 {
                self.period = (self.period * 9 / 8).min(SLOWEST);
            }
        }
    }

    fn frames_per_second(&self) -> f32 {
        let (Some(first), Some(last)) = (self.speed.front(), self.speed.back()) else { return 0.0 };
        let seconds = last.0.duration_since(first.0).as_secs_f32();
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let frames = (last.1 - first.1) as f32;
        if seconds > 0.0 { frames / seconds } else { 0.0 }
    }

    /// Tries all states, in the background, for pools whose origin nothing cheaper told.
    fn run_search(&mut self, view: &mut View, totals: &mut Totals) {
        let Some(wanted) = self.verifier.wanted_search() else {
            self.search = None; // dropping it cancels it
            return;
        };
        match &mut self.search {
            Some(search) if search.round() == wanted.round => {
                let Some(states) = search.take_result() else { return };
                let result = SearchResult { round: wanted.round, states };
                let found = self.verifier.searched(&result, self.frame, totals);
                publish_mismatches(view, found);
                if let Some(data) = &mut view.data {
                    data.verdict = Arc::new(self.verifier.verdict());
                }
                self.changed = true;
                self.search = None;
            }
            Some(_) => self.search = None,
            None => match self.unknown_since {
                Some((round, since)) if round == wanted.round => {
                    if since.elapsed() > SEARCH_AFTER {
                        self.search = BackgroundSearch::start(wanted).ok();
                    }
                }
                _ => self.unknown_since = Some((wanted.round, Instant::now())),
            },
        }
    }
}

fn publish_mismatches(view: &mut View, found: Vec<Mismatch>) {
    if found.is_empty() {
        return;
    }
    for mismatch in &found {
        tracing::warn!("mismatch: {mismatch}");
    }
    let all = Arc::make_mut(&mut view.mismatches);
    all.extend(found);
    let extra = all.len().saturating_sub(KEPT);
    all.drain(..extra);
}

fn counter_of(profile: &Profile) -> Result<ConsoleAddr, String> {
    let field = profile.field("frame_counter");
    field
        .map(|field| field.address)
        .ok_or_else(|| format!("profile {} has no field frame_counter", profile.id))
}

fn gone() -> Ended {
    Ended("the game is gone from the console's RAM: reset, or another game was loaded".into())
}

fn ended(error: &ReadError) -> Ended {
    Ended(error.to_string())
}

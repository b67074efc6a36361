//! Plays a recording in place of an emulator: the same view, published by the same thread.

use super::whole::{Mark, PLACES_EVERY, Whole};
use super::{Order, ReplayOrder};
use crate::live::replay::{Judge, Place, ReplayError, Seen, replay_profile};
use crate::live::{Connection, Publisher, ReplayState, View, topic};
use crate::profile::Profile;
use crate::recording::{Cursor, Recording};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Orders are taken at least this often.
const SLICE: Duration = Duration::from_millis(10);
/// A window drawn at 60 Hz needs no more views than this.
const PUBLISH_EVERY: Duration = Duration::from_millis(7);
/// How often it is told how much is judged, while nothing else happens.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Where nothing was recorded for longer than this, it is not waited for longer.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The slowest and the fastest pace.
const SPEEDS: (f64, f64) = (0.01, 1000.0);

/// Where one wants to be.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Sample(u64),
    /// The first such mark after this sample, as soon as it is known.
    After(Mark, u64),
}

/// What came of a step.
enum Step {
    Done,
    End,
    /// It is not known yet what comes of the sample.
    NotYet,
}

pub struct Player<'a> {
    recording: Arc<Recording>,
    publisher: Publisher<View>,
    view: View,
    inbox: &'a Receiver<Order>,
    quit: &'a AtomicBool,
    whole: Whole,
    judge: Judge,
    peek: Cursor,
    seen: Option<Seen>,
    wanted: Option<Wanted>,
    playing: bool,
    speed: f64,
    /// A moment, and the time in the recording that it stands for.
    anchor: (Instant, Duration),
    published: Instant,
    changed: bool,
}

/// Publishes the recording until `quit`.
pub fn play(
    recording: &Arc<Recording>,
    given: &[Arc<Profile>],
    publisher: Publisher<View>,
    inbox: &Receiver<Order>,
    quit: &AtomicBool,
) {
    match Player::new(recording, given, publisher, inbox, quit) {
        Ok(mut player) => player.run(),
        Err((publisher, error)) => {
            tracing::error!("{error}");
            let connection = Connection::Lost { why: error.to_string(), since: Instant::now() };
            publisher.publish(View { sequence: 1, connection, ..View::default() });
            while !quit.load(Ordering::Relaxed) {
                std::thread::sleep(SLICE);
            }
        }
    }
}

impl<'a> Player<'a> {
    fn new(
        recording: &Arc<Recording>,
        given: &[Arc<Profile>],
        publisher: Publisher<View>,
        inbox: &'a Receiver<Order>,
        quit: &'a AtomicBool,
    ) -> Result<Self, (Publisher<View>, ReplayError)> {
        let judge = || Judge::new(Arc::clone(recording), given.to_vec());
        let (whole, judge) = match (judge(), judge()) {
            (Ok(whole), Ok(judge)) => (Whole::start(whole), judge),
            (Err(error), _) | (_, Err(error)) => return Err((publisher, error)),
        };
        let now = Instant::now();
        let judge = judge.stopped_by(&whole.quit);
        Ok(Self {
            recording: Arc::clone(recording),
            publisher,
            view: View::default(),
            inbox,
            quit,
            whole,
            judge,
            peek: Cursor::default(),
            seen: None,
            wanted: Some(Wanted::Sample(0)),
            playing: false,
            speed: 1.0,
            anchor: (now, Duration::ZERO),
            published: now.checked_sub(PUBLISH_EVERY).unwrap_or(now),
            changed: true,
        })
    }

    fn run(&mut self) {
        while !self.quit.load(Ordering::Relaxed) {
            self.obey();
            if self.wanted.is_some() {
                self.go();
            } else if self.playing {
                self.advance();
            }
            let told = self.published.elapsed();
            if (self.changed && told >= PUBLISH_EVERY) || (told >= TELL_EVERY && !self.told_all()) {
                self.publish();
            }
        }
    }

    fn index(&self) -> u64 {
        match (&self.seen, self.wanted) {
            (Some(seen), _) => seen.index,
            (None, Some(Wanted::Sample(index))) => index,
            (None, _) => 0,
        }
    }

    fn last(&self) -> u64 {
        self.recording.len().saturating_sub(1)
    }

    /// Takes the orders there are; waits for one when there is nothing to do.
    fn obey(&mut self) {
        let wait = match (self.wanted, self.playing) {
            (Some(_), _) => Duration::ZERO,
            (None, true) => self.until_next().min(SLICE),
            (None, false) => SLICE,
        };
        match self.inbox.recv_timeout(wait) {
            Ok(order) => self.take(order),
            Err(RecvTimeoutError::Timeout) => return,
            Err(RecvTimeoutError::Disconnected) => return std::thread::sleep(wait),
        }
        while let Ok(order) = self.inbox.try_recv() {
            self.take(order);
        }
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Replay(replay) => {
                self.changed = true;
                self.follow(replay);
            }
            Order::Profiles(profiles) => self.use_profiles(&profiles),
            // Nothing is attached to, and all that was recorded is there.
            Order::Attach(_) | Order::Automatic | Order::Detach | Order::LookAt(_) | Order::Record(_) => {}
        }
    }

    /// Judges the recording again, when one of these profiles makes a difference to it.
    fn use_profiles(&mut self, given: &[Arc<Profile>]) {
        let sections = self.recording.sections().len().max(1);
        let read = |given: &[Arc<Profile>]| -> Result<Vec<Arc<Profile>>, ReplayError> {
            (0..sections).map(|number| replay_profile(&self.recording, number, given)).collect()
        };
        if read(given) == read(self.judge.given()) {
            return;
        }
        let judge = || Judge::new(Arc::clone(&self.recording), given.to_vec());
        let (whole, judge) = match (judge(), judge()) {
            (Ok(whole), Ok(judge)) => (Whole::start(whole), judge),
            (Err(error), _) | (_, Err(error)) => {
                return tracing::error!(target: topic::PROFILE, "the edited profile is not used: {error}");
            }
        };
        tracing::info!(
            target: topic::PROFILE,
            "{} is judged again, by the edited profile",
            self.recording.name()
        );
        self.wanted = Some(Wanted::Sample(self.index()));
        self.judge = judge.stopped_by(&whole.quit);
        (self.whole, self.seen, self.changed) = (whole, None, true);
    }

    fn follow(&mut self, order: ReplayOrder) {
        match order {
            ReplayOrder::Play => {
                if self.index() >= self.last() {
                    self.wanted = Some(Wanted::Sample(0));
                }
                self.playing = true;
            }
            ReplayOrder::Pause => self.playing = false,
            ReplayOrder::Speed(speed) if speed.is_nan() => {}
            ReplayOrder::Speed(speed) if speed <= 0.0 => self.speed = 0.0,
            ReplayOrder::Speed(speed) => self.speed = speed.clamp(SPEEDS.0, SPEEDS.1),
            ReplayOrder::Step(samples) => {
                // From where the last step leads, when that is not reached yet.
                let from = match self.wanted {
                    Some(Wanted::Sample(to)) => to,
                    _ => self.index(),
                };
                self.playing = false;
                self.wanted = Some(Wanted::Sample(from.saturating_add_signed(samples).min(self.last())));
            }
            ReplayOrder::Seek(to) => self.wanted = Some(Wanted::Sample(to.min(self.last()))),
            ReplayOrder::NextMismatch => self.seek_after(Mark::Mismatch),
            ReplayOrder::PreviousMismatch => self.seek_before(Mark::Mismatch),
            ReplayOrder::NextRound => self.seek_after(Mark::Round),
            ReplayOrder::PreviousRound => self.seek_before(Mark::Round),
        }
        self.anchor = (Instant::now(), self.elapsed());
    }

    fn seek_after(&mut self, mark: Mark) {
        self.playing = false;
        self.wanted = Some(Wanted::After(mark, self.index()));
    }

    fn seek_before(&mut self, mark: Mark) {
        self.playing = false;
        let here = self.index();
        self.wanted = self.whole.with(|known| known.before(mark, here)).map(Wanted::Sample);
    }

    /// The time in the recording that is shown.
    fn elapsed(&self) -> Duration {
        self.seen.as_ref().map_or(Duration::ZERO, |seen| seen.sample.elapsed)
    }

    /// Goes where one wants to be, for a slice of time.
    fn go(&mut self) {
        let target = match self.wanted {
            Some(Wanted::Sample(target)) => target,
            Some(Wanted::After(mark, index)) => {
                match self.whole.with(|known| (known.after(mark, index), known.complete)) {
                    (Some(target), _) => target,
                    (None, true) => {
                        self.wanted = None;
                        return;
                    }
                    (None, false) => return std::thread::sleep(SLICE),
                }
            }
            None => return,
        };
        if self.recording.is_empty() || self.seen.as_ref().is_some_and(|seen| seen.index == target) {
            self.arrived();
            return;
        }
        let here = Some(self.judge.next_index()).filter(|next| *next <= target);
        let (place, complete) = self.whole.with(|known| {
            let after = known.places.partition_point(|place| place.next <= target);
            let place = after.checked_sub(1).and_then(|at| known.places.get(at));
            // One's own place will do when it is nearer.
            let place = place.filter(|place| here.is_none_or(|here| here < place.next));
            (place.map(Place::fork), known.complete)
        });
        match place {
            Some(place) => self.judge.place = place,
            None if here.is_none() => {
                match Judge::new(Arc::clone(&self.recording), self.judge.given().to_vec()) {
                    Ok(judge) => self.judge = judge.stopped_by(&self.whole.quit),
                    Err(error) => {
                        tracing::error!("{error}");
                        self.wanted = None;
                        return;
                    }
                }
            }
            None => {}
        }
        if !complete && target - self.judge.next_index() > 2 * PLACES_EVERY {
            // The other thread comes by there, and leaves a place nearer to it.
            return std::thread::sleep(Duration::from_millis(2));
        }
        let until = Instant::now() + SLICE;
        while self.judge.next_index() <= target
            && Instant::now() < until
            && !self.quit.load(Ordering::Relaxed)
        {
            self.step();
        }
        if self.judge.next_index() > target {
            self.arrived();
        }
    }

    fn arrived(&mut self) {
        self.wanted = None;
        self.anchor = (Instant::now(), self.elapsed());
        self.changed = true;
    }

    /// Takes one sample, once the other thread has: then it is known what takes long.
    fn step(&mut self) -> Step {
        let index = self.judge.next_index();
        let (ready, known) = self.whole.with(|known| {
            let at = known.long.binary_search_by_key(&index, |(seen, _)| seen.index).ok();
            let long = at.and_then(|at| known.long.get(at));
            let long = long.map(|(seen, place)| (seen.clone(), place.fork()));
            (known.complete || index < known.judged, long)
        });
        if !ready {
            return Step::NotYet;
        }
        if let Some((seen, place)) = known {
            self.judge.place = place;
            self.seen = Some(seen);
            return Step::Done;
        }
        match self.judge.step() {
            Ok(Some(seen)) => self.seen = Some(seen),
            Ok(None) => return Step::End,
            Err(error) => tracing::debug!("{error}"),
        }
        Step::Done
    }

    /// How long it is until the next sample is due.
    fn until_next(&mut self) -> Duration {
        let Ok(next) = self.peek.elapsed(&self.recording, self.judge.next_index()) else {
            return Duration::ZERO;
        };
        if self.speed <= 0.0 {
            return Duration::ZERO;
        }
        let (since, from) = self.anchor;
        let due = Duration::try_from_secs_f64(next.saturating_sub(from).as_secs_f64() / self.speed);
        let wait = due.unwrap_or(Duration::MAX).saturating_sub(since.elapsed());
        if wait > LONGEST_WAIT {
            let moment = Instant::now();
            self.anchor = (moment, next.saturating_sub(LONGEST_WAIT.mul_f64(self.speed)));
            return LONGEST_WAIT;
        }
        wait
    }

    /// Shows what is due by now.
    fn advance(&mut self) {
        let until = Instant::now() + SLICE;
        while self.until_next().is_zero() {
            match self.step() {
                Step::Done => self.changed = true,
                Step::End => {
                    (self.playing, self.changed) = (false, true);
                    return;
                }
                Step::NotYet => {
                    self.anchor = (Instant::now(), self.elapsed());
                    return std::thread::sleep(Duration::from_millis(2));
                }
            }
            if Instant::now() >= until {
                // It cannot follow: what is late is not caught up with.
                self.anchor = (Instant::now(), self.elapsed());
                return;
            }
        }
    }

    /// Whether the newest view tells all that is known of the whole.
    fn told_all(&self) -> bool {
        self.view.replay.as_ref().is_some_and(|replay| replay.complete)
    }

    fn publish(&mut self) {
        let (judged, complete, (mismatches, rounds)) = self.whole.with(|known| {
            if known.shared.0.len() != known.mismatches.len() {
                known.shared.0 = known.mismatches.as_slice().into();
            }
            if known.shared.1.len() != known.rounds.len() {
                known.shared.1 = known.rounds.as_slice().into();
            }
            (known.judged, known.complete, known.shared.clone())
        });
        let shown = match &self.seen {
            Some(seen) => self.judge.view(seen),
            None => self.view.clone(), // while it is judged again
        };
        let state = ReplayState {
            index: self.index(),
            samples: self.recording.len(),
            frame: self.seen.as_ref().map_or(0, |seen| seen.sample.frame),
            elapsed: self.elapsed(),
            length: self.recording.length(),
            speed: self.speed,
            mismatches,
            rounds,
            judged,
            complete,
            searching: self.whole.searching.share(),
            name: self.recording.name().to_owned(),
            damage: self.recording.damage_summary(),
        };
        self.view = View {
            sequence: self.view.sequence + 1,
            connection: Connection::Replaying { playing: self.playing },
            replay: Some(state),
            ..shown
        };
        self.publisher.publish(self.view.clone());
        self.published = Instant::now();
        self.changed = false;
    }
}

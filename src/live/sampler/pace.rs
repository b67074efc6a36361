//! When the sampler looks at the frame counter again.
//!
//! | state | next look | it ends |
//! |---|---|---|
//! | requested | at the rate that the user requested | never |
//! | searching | after `period`: shorter while frames are missed, longer while several looks see the same frame; at its longest not before three quarters of a frame of 1/60 s | after `needed` frames one by one at 50 or 60 a second: following |
//! | following | when the next frame is expected, then every [`AGAIN`] until it is there | a frame is missed: searching, and `needed` doubles; none comes for [`LOST_AFTER`]: searching |
//! | still, since the game does not move | after [`STILL`], later [`LONG_STILL`] | the game moves: searching |
//!
//! Following, nineteen of twenty frames should be there at the first look: `expected` moves on by the duration of a frame, and each frame that is
//! late moves it by [`LATER`], each other one back by a twentieth of that.

use super::stillness::LONG_PAUSE;
use std::time::{Duration, Instant};

/// The longest and the shortest time between looks: several in a frame of 1/60 s, but no more than the system's timers allow.
const SLOWEST: Duration = Duration::from_millis(2);
const FASTEST: Duration = Duration::from_micros(60);
/// Looks left out after a frame at the slowest rate; a frame of 1/60 s is still seen when it comes a quarter early.
const SKIPPED: u32 = 6;
/// The rate drops after this many looks without a new frame. A frame of 1/60 s takes more looks at every rate except the slowest, so one late
/// frame does not keep the rate high forever.
const ENOUGH: u32 = 6;
/// Frames one by one before the sampler follows, at first and at most.
const NEEDED: u32 = 60;
const MOST_NEEDED: u32 = 60 * 60;
/// The frames that are followed: at 46 to 66 a second.
const FRAMES: std::ops::Range<Duration> = Duration::from_micros(15_000)..Duration::from_micros(21_700);
/// Frames over which the duration of one is averaged, at most.
const AVERAGED: u32 = 1024;
/// Between looks at which the expected frame was not there.
const AGAIN: Duration = Duration::from_millis(1);
/// By how much a late frame, and each other one, moves the next look.
const LATER: Duration = Duration::from_millis(1);
const EARLIER: Duration = Duration::from_micros(50);
/// No frame for this long: it is not followed any more.
const LOST_AFTER: Duration = Duration::from_millis(60);
/// Less than a frame, so that none is missed when the game continues soon.
const STILL: Duration = Duration::from_millis(16);
/// The first frames after a long pause are missed.
const LONG_STILL: Duration = Duration::from_millis(200);

/// The state of the table.
#[derive(Debug)]
pub struct Pace {
    /// The time between looks, and whether the user requested it.
    period: Duration,
    requested: bool,
    /// Looks since the last frame, at which there was no new one; with those left out.
    looks: u32,
    /// Frames seen one by one since `first`.
    singles: u32,
    first: Instant,
    last: Instant,
    needed: u32,
    /// When the next frame is expected, while following.
    expected: Option<Instant>,
    due: Instant,
    /// The time that is meant to be between the last look and the next.
    planned: Duration,
}

impl Pace {
    /// `requested` is the time between looks that the user requested.
    pub fn new(requested: Option<Duration>, now: Instant) -> Self {
        let period = requested.unwrap_or(SLOWEST);
        Self {
            period,
            requested: requested.is_some(),
            looks: 0,
            singles: 0,
            first: now,
            last: now,
            needed: NEEDED,
            expected: None,
            due: now,
            planned: period,
        }
    }

    /// When to look again.
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Whether a new frame should be there at the next look.
    pub fn expects_frame(&self) -> bool {
        self.expected.is_some()
    }

    /// The time that is meant to be between the last look and the next.
    pub fn planned(&self) -> Duration {
        self.planned
    }

    /// Call this after a look at which there was no new frame. `still_since` is since when the game does not move, if it does not.
    pub fn unmoved(&mut self, now: Instant, still_since: Option<Instant>) {
        if let Some(expected) = self.expected {
            if now < expected {
                // A command came between.
                return self.wait(now, expected - now);
            }
            self.expected = self.expected.filter(|expected| now - *expected < LOST_AFTER);
        }
        self.looks = self.looks.saturating_add(if self.skips() { SKIPPED } else { 1 });
        if self.looks > ENOUGH && !self.requested {
            self.period = (self.period * 9 / 8).min(SLOWEST);
        }
        let pause = match still_since {
            _ if self.requested => self.period,
            Some(since) if now.saturating_duration_since(since) < LONG_PAUSE => STILL,
            Some(_) => LONG_STILL,
            None if self.expected.is_some() => AGAIN,
            None => self.period,
        };
        self.wait(now, pause);
    }

    /// Call this before a look at what moved: it may be unreadable at this moment, and is then tried again.
    pub fn retry(&mut self, now: Instant) {
        self.wait(now, self.period);
    }

    /// Call this after a look at which this many frames had passed. `is_counted` is whether the game counts its frames.
    pub fn moved(&mut self, now: Instant, passed: u64, is_counted: bool) {
        let looks = std::mem::take(&mut self.looks);
        self.count(now, passed == 1 && is_counted);
        if passed > 1 && self.expected.take().is_some() {
            self.needed = (self.needed * 2).min(MOST_NEEDED);
        }
        if !self.requested && self.expected.is_none() {
            if passed > 1 {
                self.period = (self.period / 2).max(FASTEST);
            } else if passed == 1 && looks < 2 {
                self.period = (self.period * 3 / 4).max(FASTEST);
            }
        }
        let frame = (now - self.first) / self.singles.max(1);
        if let Some(expected) = &mut self.expected {
            *expected = if looks == 0 { *expected - EARLIER } else { *expected + LATER } + frame;
            // Not before half of a frame, whatever was expected.
            *expected = (*expected).clamp(now + frame / 2, now + frame + LATER);
        } else if !self.requested && self.singles >= self.needed && FRAMES.contains(&frame) {
            self.expected = Some(now + frame);
        }
        match self.expected {
            Some(expected) => self.wait(now, expected.saturating_duration_since(now)),
            None => self.wait(now, if self.skips() { self.period * SKIPPED } else { self.period }),
        }
    }

    /// Counts a frame seen one by one, or starts again.
    fn count(&mut self, now: Instant, is_single: bool) {
        if !is_single || now.saturating_duration_since(self.last) > LOST_AFTER {
            (self.singles, self.first) = (0, now);
        } else {
            self.singles += 1;
            if self.singles == AVERAGED {
                self.first += (now - self.first) / 2;
                self.singles /= 2;
            }
        }
        self.last = now;
    }

    /// Whether the first looks after a frame are left out.
    fn skips(&self) -> bool {
        self.looks == 0 && self.period == SLOWEST && !self.requested && self.expected.is_none()
    }

    fn wait(&mut self, now: Instant, pause: Duration) {
        self.planned = pause;
        self.due = now + pause;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Duration = Duration::from_nanos(16_688_154);

    /// Looks at a game whose frames come at these times, until the last one. Returns the looks, the frames missed, and how late frames were seen
    /// in the mean.
    fn run(pace: &mut Pace, began: Instant, frames: &[Duration]) -> (u32, u64, Duration) {
        let (mut seen, mut looks, mut missed, mut late) = (0, 0, 0, Duration::ZERO);
        while seen < frames.len() {
            let now = pace.due();
            looks += 1;
            let passed = frames[seen..].iter().take_while(|at| began + **at <= now).count();
            if passed == 0 {
                pace.unmoved(now, None);
                continue;
            }
            seen += passed;
            missed += passed as u64 - 1;
            late += now - (began + frames[seen - 1]);
            pace.moved(now, passed as u64, true);
        }
        (looks, missed, late / u32::try_from(frames.len()).unwrap())
    }

    fn frames(count: u32, jitter: Duration) -> Vec<Duration> {
        // A fixed sequence that has no period of its own.
        (1..=count).map(|number| FRAME * number + jitter * (number * 7919 % 101) / 101).collect()
    }

    #[test]
    fn steady_frames_are_seen_at_the_first_look() {
        let began = Instant::now();
        let mut pace = Pace::new(None, began);
        let all = frames(3000, Duration::from_micros(200));
        let (first, rest) = all.split_at(200);
        run(&mut pace, began, first);
        let (looks, missed, late) = run(&mut pace, began, rest);
        assert_eq!(missed, 0);
        assert!(looks < 2800 * 115 / 100, "{looks} looks");
        assert!(late < Duration::from_millis(1), "{late:?} late");
    }

    #[test]
    fn no_frame_is_missed_because_others_were_late() {
        let began = Instant::now();
        let mut pace = Pace::new(None, began);
        let (looks, missed, late) = run(&mut pace, began, &frames(3000, Duration::from_millis(8)));
        assert_eq!(missed, 0);
        assert!(looks < 3000 * 4, "{looks} looks");
        assert!(late < Duration::from_millis(6), "{late:?} late");
    }

    #[test]
    fn a_faster_game_is_looked_at_more_often() {
        let began = Instant::now();
        let mut pace = Pace::new(None, began);
        let slow = frames(300, Duration::ZERO);
        run(&mut pace, began, &slow);
        // Eight times as fast from here on.
        let last = slow[299];
        let fast: Vec<Duration> = (1..=2000).map(|number| last + FRAME / 8 * number).collect();
        let (_, missed, _) = run(&mut pace, began, &fast[..200]);
        assert!(missed < 40, "{missed} missed at first");
        assert_eq!(run(&mut pace, began, &fast[200..]).1, 0);
    }

    #[test]
    fn a_paused_game_is_looked_at_rarely_and_its_next_frames_are_seen() {
        let began = Instant::now();
        let mut pace = Pace::new(None, began);
        let slow = frames(300, Duration::ZERO);
        run(&mut pace, began, &slow);
        let stopped = pace.due();
        let mut looks = 0;
        while pace.due() < stopped + Duration::from_secs(10) {
            let now = pace.due();
            pace.unmoved(now, (now > stopped + Duration::from_millis(150)).then_some(stopped));
            looks += 1;
        }
        assert!(looks < 500, "{looks} looks in 10 s");
        let again = pace.due() - began;
        let (_, missed, _) =
            run(&mut pace, began, &(1..=100).map(|number| again + FRAME * number).collect::<Vec<_>>());
        assert!(missed < 10, "{missed} missed");
    }

    #[test]
    fn a_requested_rate_is_kept() {
        let began = Instant::now();
        let every = Duration::from_millis(100);
        let mut pace = Pace::new(Some(every), began);
        pace.moved(began, 6, true);
        assert_eq!(pace.due(), began + every);
        pace.unmoved(began + every, Some(began));
        assert_eq!(pace.due(), began + every * 2);
    }
}

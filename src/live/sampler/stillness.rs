//! Detects a paused or stopped game.

use std::time::{Duration, Instant};

/// A main loop without a pass for this long is not running. Generating the pools takes about three frames.
const STOPPED_AFTER: Duration = Duration::from_millis(150);
/// A game that has not moved for this long is in a long pause: it is looked at and searched for rarely.
pub const LONG_PAUSE: Duration = Duration::from_secs(5);
/// Consecutive samples without a change before the game counts as still.
const MIN_SAMPLES: u32 = 5;
/// The most time that one sample adds: the sampler itself may have waited for a processor.
const MAX_PER_SAMPLE: Duration = Duration::from_millis(20);

/// How long the game has not moved.
#[derive(Debug)]
pub struct Stillness {
    since: Instant,
    sampled: Instant,
    still_for: Duration,
    samples: u32,
}

impl Stillness {
    /// `running` is whether the game moved before; otherwise it counts as still until it moves.
    pub fn new(running: bool, now: Instant) -> Self {
        let (still_for, samples) =
            if running { (Duration::ZERO, 0) } else { (STOPPED_AFTER * 2, MIN_SAMPLES) };
        Self { since: now.checked_sub(still_for).unwrap_or(now), sampled: now, still_for, samples }
    }

    /// Call this when the game moved.
    pub fn moved(&mut self, now: Instant) {
        *self = Self::new(true, now);
    }

    /// Call this for a sample without a change. `every` is the intended time between samples.
    pub fn unmoved(&mut self, now: Instant, every: Duration) {
        self.still_for += now.saturating_duration_since(self.sampled).min(MAX_PER_SAMPLE.max(every * 2));
        self.sampled = now;
        self.samples = self.samples.saturating_add(1);
    }

    /// Whether the game is still.
    pub fn is_still(&self) -> bool {
        self.still_for > STOPPED_AFTER && self.samples >= MIN_SAMPLES
    }

    /// When the game last moved.
    pub fn since(&self) -> Instant {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(2);

    #[test]
    fn a_sampler_that_waits_for_a_processor_does_not_report_a_pause() {
        let mut now = Instant::now();
        let mut stillness = Stillness::new(true, now);
        // The sampler runs six times in two seconds, and the game did not get a processor either.
        for _ in 0..6 {
            now += Duration::from_millis(330);
            stillness.unmoved(now, TICK);
            assert!(!stillness.is_still());
        }
        now += TICK;
        stillness.moved(now);
        assert!(!stillness.is_still());
    }

    #[test]
    fn a_game_that_does_not_move_is_paused() {
        let mut now = Instant::now();
        let mut stillness = Stillness::new(true, now);
        let began = now;
        while !stillness.is_still() {
            now += TICK;
            stillness.unmoved(now, TICK);
            assert!(now - began < STOPPED_AFTER * 2);
        }
        assert!(now - began >= STOPPED_AFTER);
        assert_eq!(stillness.since(), began);
        stillness.moved(now);
        assert!(!stillness.is_still());
        assert!(Stillness::new(false, now).is_still(), "still from the start");
    }

    #[test]
    fn several_samples_are_necessary_at_a_low_rate() {
        let (mut now, every) = (Instant::now(), Duration::from_secs(1));
        let mut stillness = Stillness::new(true, now);
        for sample in 1..=MIN_SAMPLES {
            now += every;
            stillness.unmoved(now, every);
            assert_eq!(stillness.is_still(), sample == MIN_SAMPLES);
        }
    }
}

//! Whether the game stands still: paused, or stopped.

use std::time::{Duration, Instant};

/// A main loop that has not come round for this long is not running. Making the pools takes some three frames.
const STOPPED_AFTER: Duration = Duration::from_millis(150);
/// Looks in a row at a game that did not move before it counts as still.
const LOOKS: u32 = 5;
/// What one look can tell of the time before it: whoever looks may itself have been left waiting for a processor.
const ONE_LOOK: Duration = Duration::from_millis(20);

/// For how long the game was seen not to move.
#[derive(Debug)]
pub struct Stillness {
    since: Instant,
    looked: Instant,
    seen: Duration,
    looks: u32,
}

impl Stillness {
    /// `running` says whether the game was seen to move before; otherwise it counts as still until it does.
    pub fn new(running: bool, now: Instant) -> Self {
        let (seen, looks) = if running { (Duration::ZERO, 0) } else { (STOPPED_AFTER * 2, LOOKS) };
        Self { since: now.checked_sub(seen).unwrap_or(now), looked: now, seen, looks }
    }

    /// It moved.
    pub fn moved(&mut self, now: Instant) {
        *self = Self::new(true, now);
    }

    /// It was looked at and had not moved since the last look. `every` is the time between looks that is meant.
    pub fn looked(&mut self, now: Instant, every: Duration) {
        self.seen += now.saturating_duration_since(self.looked).min(ONE_LOOK.max(every * 2));
        self.looked = now;
        self.looks = self.looks.saturating_add(1);
    }

    /// Whether it stands still.
    pub fn is_still(&self) -> bool {
        self.seen > STOPPED_AFTER && self.looks >= LOOKS
    }

    /// When it was last seen to move.
    pub fn since(&self) -> Instant {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(2);

    #[test]
    fn whoever_was_left_waiting_for_a_processor_does_not_call_the_game_paused() {
        let mut now = Instant::now();
        let mut stillness = Stillness::new(true, now);
        // The sampler comes to look six times in two seconds, and each time the game has not been given a processor either.
        for _ in 0..6 {
            now += Duration::from_millis(330);
            stillness.looked(now, TICK);
            assert!(!stillness.is_still());
        }
        now += TICK;
        stillness.moved(now);
        assert!(!stillness.is_still());
    }

    #[test]
    fn a_game_that_is_seen_not_to_move_is_paused() {
        let mut now = Instant::now();
        let mut stillness = Stillness::new(true, now);
        let began = now;
        while !stillness.is_still() {
            now += TICK;
            stillness.looked(now, TICK);
            assert!(now - began < STOPPED_AFTER * 2);
        }
        assert!(now - began >= STOPPED_AFTER);
        assert_eq!(stillness.since(), began);
        stillness.moved(now);
        assert!(!stillness.is_still());
        assert!(Stillness::new(false, now).is_still(), "one that was found still");
    }

    #[test]
    fn few_looks_a_second_need_several_of_them() {
        let (mut now, every) = (Instant::now(), Duration::from_secs(1));
        let mut stillness = Stillness::new(true, now);
        for look in 1..=LOOKS {
            now += every;
            stillness.looked(now, every);
            assert_eq!(stillness.is_still(), look == LOOKS);
        }
    }
}

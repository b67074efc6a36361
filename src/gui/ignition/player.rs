//! Playback of the waves.

use crate::gui::widgets::Step;
use std::time::{Duration, Instant};

/// Duration of a wave during playback.
const WAVE_DURATION: Duration = Duration::from_millis(380);

#[derive(Debug, Default)]
pub struct Player {
    /// Number of shown waves; None is all.
    shown: Option<usize>,
    /// When the next wave is due during playback.
    due: Option<Instant>,
}

impl Player {
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The number of shown waves out of `waves`.
    pub fn shown(&self, waves: usize) -> usize {
        self.shown.unwrap_or(waves).min(waves)
    }

    pub fn plays(&self) -> bool {
        self.due.is_some()
    }

    pub fn go(&mut self, shown: usize) {
        (self.shown, self.due) = (Some(shown), None);
    }

    /// Handles a button or key.
    pub fn step(&mut self, step: Step, waves: usize, now: Instant) {
        let shown = self.shown(waves);
        match step {
            Step::First => self.go(0),
            Step::Back => self.go(shown.saturating_sub(1)),
            Step::Forward => self.go((shown + 1).min(waves)),
            Step::Last => self.clear(),
            Step::TogglePlay if self.due.take().is_some() => {}
            Step::TogglePlay => {
                // Restart at the end.
                self.shown = Some(if shown >= waves { 0 } else { shown });
                self.due = Some(now + WAVE_DURATION);
            }
        }
    }

    /// Advances playback; returns the time until the next wave. Without animations, shows all at once.
    pub fn tick(&mut self, waves: usize, now: Instant, motion: bool) -> Option<Duration> {
        let due = self.due?;
        if !motion {
            self.clear();
            return None;
        }
        if now < due {
            return Some(due - now);
        }
        let shown = self.shown(waves) + 1;
        if shown >= waves {
            self.clear();
            return None;
        }
        (self.shown, self.due) = (Some(shown), Some(now + WAVE_DURATION));
        Some(WAVE_DURATION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stepped_through_and_played_to_the_end() {
        let (now, waves) = (Instant::now(), 3);
        let mut player = Player::default();
        assert_eq!(player.shown(waves), 3);
        for (step, shown) in
            [(Step::Forward, 3), (Step::Back, 2), (Step::First, 0), (Step::Back, 0), (Step::Forward, 1)]
        {
            player.step(step, waves, now);
            assert_eq!(player.shown(waves), shown, "{step:?}");
        }
        player.step(Step::Last, waves, now);
        player.step(Step::TogglePlay, waves, now);
        assert_eq!((player.shown(waves), player.plays()), (0, true), "from the end it starts over");
        assert_eq!(player.tick(waves, now, true), Some(WAVE_DURATION));
        assert_eq!(
            (player.tick(waves, now + WAVE_DURATION, true), player.shown(waves)),
            (Some(WAVE_DURATION), 1)
        );
        player.step(Step::TogglePlay, waves, now);
        assert_eq!((player.plays(), player.shown(waves)), (false, 1));
        player.step(Step::TogglePlay, waves, now);
        assert_eq!(player.shown(waves), 1, "it continues from where it was");
        player.tick(waves, now + WAVE_DURATION, true);
        assert_eq!((player.tick(waves, now + 2 * WAVE_DURATION, true), player.plays()), (None, false));
        assert_eq!(player.shown(waves), 3);
        assert_eq!(player.shown(1), 1, "a field with fewer waves");
    }

    #[test]
    fn without_motion_everything_is_shown_at_once() {
        let now = Instant::now();
        let mut player = Player::default();
        player.step(Step::TogglePlay, 4, now);
        assert_eq!(player.tick(4, now, false), None);
        assert_eq!((player.shown(4), player.plays()), (4, false));
    }
}

//! Which wave is shown, and playing them one after the other.

use crate::gui::widgets::Step;
use std::time::{Duration, Instant};

/// How long a wave stays while the ignition is played.
const STAYS: Duration = Duration::from_millis(380);

/// Where the ignition stands.
#[derive(Debug, Default)]
pub struct Player {
    /// Waves that have run; None is all of them.
    ran: Option<usize>,
    /// When the next one runs, while it is played.
    due: Option<Instant>,
}

impl Player {
    /// Shows everything again.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The waves that have run, of so many.
    #[must_use]
    pub fn ran(&self, waves: usize) -> usize {
        self.ran.unwrap_or(waves).min(waves)
    }

    /// Whether it is being played.
    #[must_use]
    pub fn plays(&self) -> bool {
        self.due.is_some()
    }

    /// Shows the ignition after so many waves.
    pub fn go(&mut self, ran: usize) {
        (self.ran, self.due) = (Some(ran), None);
    }

    /// Does what a button or key says.
    pub fn step(&mut self, step: Step, waves: usize, now: Instant) {
        let ran = self.ran(waves);
        match step {
            Step::First => self.go(0),
            Step::Back => self.go(ran.saturating_sub(1)),
            Step::On => self.go((ran + 1).min(waves)),
            Step::Last => self.clear(),
            Step::Toggle if self.due.take().is_some() => {}
            Step::Toggle => {
                // From its end it begins anew.
                self.ran = Some(if ran >= waves { 0 } else { ran });
                self.due = Some(now + STAYS);
            }
        }
    }

    /// Goes on while it is played; how long until the next wave. Without motion everything is shown at once.
    pub fn tick(&mut self, waves: usize, now: Instant, motion: bool) -> Option<Duration> {
        let due = self.due?;
        if !motion {
            self.clear();
            return None;
        }
        if now < due {
            return Some(due - now);
        }
        let ran = self.ran(waves) + 1;
        if ran >= waves {
            self.clear();
            return None;
        }
        (self.ran, self.due) = (Some(ran), Some(now + STAYS));
        Some(STAYS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stepped_through_and_played_to_the_end() {
        let (now, waves) = (Instant::now(), 3);
        let mut player = Player::default();
        assert_eq!(player.ran(waves), 3);
        for (step, ran) in [(Step::On, 3), (Step::Back, 2), (Step::First, 0), (Step::Back, 0), (Step::On, 1)]
        {
            player.step(step, waves, now);
            assert_eq!(player.ran(waves), ran, "{step:?}");
        }
        player.step(Step::Last, waves, now);
        player.step(Step::Toggle, waves, now);
        assert_eq!((player.ran(waves), player.plays()), (0, true), "from the end it begins anew");
        assert_eq!(player.tick(waves, now, true), Some(STAYS));
        assert_eq!((player.tick(waves, now + STAYS, true), player.ran(waves)), (Some(STAYS), 1));
        player.step(Step::Toggle, waves, now);
        assert_eq!((player.plays(), player.ran(waves)), (false, 1));
        player.step(Step::Toggle, waves, now);
        assert_eq!(player.ran(waves), 1, "it goes on from where it stood");
        player.tick(waves, now + STAYS, true);
        assert_eq!((player.tick(waves, now + 2 * STAYS, true), player.plays()), (None, false));
        assert_eq!(player.ran(waves), 3);
        assert_eq!(player.ran(1), 1, "a field with fewer waves");
    }

    #[test]
    fn without_motion_everything_is_shown_at_once() {
        let now = Instant::now();
        let mut player = Player::default();
        player.step(Step::Toggle, 4, now);
        assert_eq!(player.tick(4, now, false), None);
        assert_eq!((player.ran(4), player.plays()), (4, false));
    }
}

//! Detects a reset or a loaded state by the game's own clock.

use crate::console::Snapshot;
use crate::emulator::is_plausible_step;
use crate::profile::Profile;
use std::time::Duration;

/// The smallest modulus of a usable cell; below it, a jump is often plausible by chance.
const WIDE: u64 = 1 << 16;

/// Tolerance for the time during which the thread waits for a processor after reading RAM.
const SLACK: Duration = Duration::from_millis(20);

/// A jump needs two samples after it: a 32-bit cell is written in two halves, and a snapshot may fall between them.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    last: Option<(i64, Duration)>,
    jumped: Option<(i64, Duration)>,
}

impl Clock {
    /// Whether the last snapshot is continuous with the one before it.
    pub fn runs(&self) -> bool {
        self.jumped.is_none()
    }

    /// Processes a snapshot and its time. Returns the description of a jump once it is certain.
    pub fn update(&mut self, snapshot: &Snapshot, profile: &Profile, now: Duration) -> Option<String> {
        let liveness = profile.liveness.iter().find(|liveness| liveness.modulo >= WIDE)?;
        let value = profile.field(&liveness.field)?.read(snapshot).ok()?.number()?;
        let follows = |(from, at): (i64, Duration)| {
            from == value || is_plausible_step(liveness, from, value, now.saturating_sub(at) + SLACK)
        };
        let Some(last) = self.last else {
            self.last = Some((value, now));
            return None;
        };
        if follows(last) {
            (self.last, self.jumped) = (Some((value, now)), None);
            return None;
        }
        match self.jumped {
            Some(jumped) if follows(jumped) => {
                (self.last, self.jumped) = (Some((value, now)), None);
                Some(format!(
                    "{} jumped from {} to {}: the game was reset, or a state was loaded",
                    liveness.field, last.0, jumped.0
                ))
            }
            _ => {
                self.jumped = Some((value, now));
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::StorageOrder;
    use crate::profile::Library;

    fn jumps(values: &[u32]) -> Vec<bool> {
        let library = Library::built_in();
        let profile = library.by_id("puyo-tsu-genesis").unwrap();
        let domain = profile.console.domain();
        let at = domain.offset_of(profile.field("vint_counter").unwrap().address).unwrap();
        let mut clock = Clock::default();
        let jumped = |(frame, value): (u32, &u32)| {
            let mut ram = vec![0; domain.len as usize];
            ram[at..at + 4].copy_from_slice(&value.to_be_bytes());
            let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap();
            clock.update(&snapshot, profile, Duration::from_millis(16) * frame).is_some()
        };
        (0..).zip(values).map(jumped).collect()
    }

    const FRAME: u32 = 0x4022;

    #[test]
    fn a_running_clock_and_one_that_wraps_do_not_jump() {
        let values: Vec<u32> = (0..200).map(|n| n * FRAME % 1_000_000).collect();
        assert!(jumps(&values).iter().all(|jumped| !jumped));
    }

    #[test]
    fn a_reset_is_reported_as_one_jump() {
        let values = [700_000, 700_000 + FRAME, 5, 5 + FRAME, 5 + 2 * FRAME, 5 + 3 * FRAME];
        assert_eq!(jumps(&values), [false, false, false, true, false, false]);
    }

    #[test]
    fn a_half_written_value_is_no_jump() {
        assert_eq!(jumps(&[0x1_FFFF, 0x0_4021, 0x2_4021, 0x2_8043]), [false; 4]);
    }
}

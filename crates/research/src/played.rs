//! A recording as it is shown elsewhere: whoever plays it lays each sample down here, and a search looks at the newest.

use super::ground::GroundError;
use super::tape::Tape;
use nextscope_memory::console::Snapshot;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More frames at once than these are a leap to another place.
const LEAP: u32 = 600;

/// What of a recording is shown now. Clones see the same.
#[derive(Debug, Clone, Default)]
pub struct Played {
    desk: Arc<Desk>,
}

#[derive(Debug, Default)]
struct Desk {
    now: Mutex<Option<Shown>>,
    changed: Condvar,
}

/// A sample that is shown.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The RAM, or the parts of it that were recorded.
    pub snapshot: Snapshot,
    /// The recording's name.
    pub name: Arc<str>,
    /// Its frame, as the recording counts them.
    pub frame: u64,
    /// One more with every sample that was laid down.
    pub turn: u64,
}

impl Played {
    /// Lays down what is shown now. The same sample once more is no new one.
    pub fn show(&self, name: &str, snapshot: &Snapshot, frame: u64) {
        let mut now = self.desk.now.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = match &*now {
            Some(shown) if shown.frame == frame && &*shown.name == name && shown.snapshot == *snapshot => {
                return;
            }
            Some(shown) => shown.turn + 1,
            None => 1,
        };
        *now = Some(Shown { snapshot: snapshot.clone(), name: name.into(), frame, turn });
        self.desk.changed.notify_all();
    }

    /// Nothing is shown any more.
    pub fn end(&self) {
        *self.desk.now.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.desk.changed.notify_all();
    }

    /// What is shown now, if anything.
    #[must_use]
    pub fn now(&self) -> Option<Shown> {
        self.desk.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is shown when it is another than `turn`, or else what it is at the end of `timeout`.
    #[must_use]
    pub fn after(&self, turn: u64, timeout: Duration) -> Option<Shown> {
        let deadline = Instant::now() + timeout;
        let mut now = self.desk.now.lock().unwrap_or_else(PoisonError::into_inner);
        while now.as_ref().is_some_and(|shown| shown.turn == turn)
            && let Some(left) = deadline.checked_duration_since(Instant::now())
        {
            now = self.desk.changed.wait_timeout(now, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        now.clone()
    }
}

/// Looks at what is played: whoever plays it says what comes next.
#[derive(Debug)]
pub struct Viewer {
    played: Played,
    /// What was seen last.
    turn: u64,
    frame: u64,
    since: Instant,
}

impl Viewer {
    /// Looks on from now.
    #[must_use]
    pub fn new(played: Played) -> Self {
        Self { played, turn: 0, frame: 0, since: Instant::now() }
    }

    fn shown(&self) -> Result<Shown, GroundError> {
        self.played.now().ok_or_else(closed)
    }
}

fn closed() -> GroundError {
    GroundError::Unreachable("the recording was closed".into())
}

impl Tape for Viewer {
    fn name(&self) -> String {
        match self.played.now() {
            Some(shown) => format!("{} in {}", shown.snapshot.domain().name, shown.name),
            None => "a recording that was closed".into(),
        }
    }

    fn now(&self) -> Result<Snapshot, GroundError> {
        Ok(self.shown()?.snapshot)
    }

    fn begin(&mut self) -> Result<(), GroundError> {
        let Shown { turn, frame, .. } = self.shown()?;
        (self.turn, self.frame, self.since) = (turn, frame, Instant::now());
        Ok(())
    }

    /// Going back counts as one frame, and so does a great leap.
    fn next(&mut self, patience: Duration) -> Result<Option<u32>, GroundError> {
        let now = self.played.after(self.turn, patience).ok_or_else(closed)?;
        if now.turn == self.turn {
            return Ok(None);
        }
        let passed = now.frame.checked_sub(self.frame).and_then(|passed| u32::try_from(passed).ok());
        (self.turn, self.frame) = (now.turn, now.frame);
        Ok(Some(passed.filter(|passed| (1..=LEAP).contains(passed)).unwrap_or(1)))
    }

    fn waited(&self) -> Duration {
        self.since.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_memory::console::{ConsoleId, StorageOrder};

    fn ram(byte: u8) -> Snapshot {
        let domain = ConsoleId::Genesis.domain();
        Snapshot::from_stored(domain, StorageOrder::AsOnBus, vec![byte; domain.len as usize]).unwrap()
    }

    #[test]
    fn the_same_sample_is_laid_down_once_and_another_wakes_who_waits() {
        let played = Played::default();
        assert!(played.after(0, Duration::ZERO).is_none());
        played.show("a.nsrec", &ram(1), 7);
        played.show("a.nsrec", &ram(1), 7);
        let first = played.now().unwrap();
        assert_eq!((first.turn, first.frame), (1, 7));
        let waiter = {
            let played = played.clone();
            std::thread::spawn(move || played.after(1, Duration::from_secs(60)).map(|shown| shown.frame))
        };
        played.show("a.nsrec", &ram(2), 6); // back by a frame
        assert_eq!(waiter.join().unwrap(), Some(6));
        played.end();
        assert!(played.now().is_none());
    }
}

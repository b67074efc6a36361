//! The sample of a recording that the player shows: the player publishes it, searches read it.

use super::recording_source::RecordingSource;
use super::source::SourceError;
use nextscope_memory::console::Snapshot;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More frames than these at once are a seek.
const LEAP: u32 = 600;

/// The published sample. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ReplaySnapshot {
    slot: Arc<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    now: Mutex<Option<PublishedSnapshot>>,
    changed: Condvar,
}

/// A published sample.
#[derive(Debug, Clone)]
pub struct PublishedSnapshot {
    /// The RAM, or the parts of it that were recorded.
    pub snapshot: Snapshot,
    /// The recording's name.
    pub name: Arc<str>,
    /// Its frame in the recording.
    pub frame: u64,
    /// Incremented with every published sample.
    pub version: u64,
}

impl ReplaySnapshot {
    /// Publishes a sample. The same sample again has no effect.
    pub fn publish(&self, name: &str, snapshot: &Snapshot, frame: u64) {
        let mut now = self.slot.now.lock().unwrap_or_else(PoisonError::into_inner);
        let version = match &*now {
            Some(current)
                if current.frame == frame && &*current.name == name && current.snapshot == *snapshot =>
            {
                return;
            }
            Some(current) => current.version + 1,
            None => 1,
        };
        *now = Some(PublishedSnapshot { snapshot: snapshot.clone(), name: name.into(), frame, version });
        self.slot.changed.notify_all();
    }

    /// Removes the sample.
    pub fn clear(&self) {
        *self.slot.now.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.slot.changed.notify_all();
    }

    /// The current sample.
    pub fn now(&self) -> Option<PublishedSnapshot> {
        self.slot.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for another sample than `version`, at most for `timeout`, and returns the current one.
    pub fn after(&self, version: u64, timeout: Duration) -> Option<PublishedSnapshot> {
        let deadline = Instant::now() + timeout;
        let mut now = self.slot.now.lock().unwrap_or_else(PoisonError::into_inner);
        while now.as_ref().is_some_and(|current| current.version == version)
            && let Some(left) = deadline.checked_duration_since(Instant::now())
        {
            now = self.slot.changed.wait_timeout(now, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        now.clone()
    }
}

/// Reads the published samples as they come.
#[derive(Debug)]
pub struct SnapshotReader {
    published: ReplaySnapshot,
    /// Read last.
    version: u64,
    frame: u64,
    since: Instant,
}

impl SnapshotReader {
    /// Reads from the current sample on.
    pub fn new(published: ReplaySnapshot) -> Self {
        Self { published, version: 0, frame: 0, since: Instant::now() }
    }

    fn current(&self) -> Result<PublishedSnapshot, SourceError> {
        self.published.now().ok_or_else(closed)
    }
}

fn closed() -> SourceError {
    SourceError::Unreachable("the recording was closed".into())
}

impl RecordingSource for SnapshotReader {
    fn name(&self) -> String {
        match self.published.now() {
            Some(current) => format!("{} in {}", current.snapshot.domain().name, current.name),
            None => "a recording that was closed".into(),
        }
    }

    fn current(&self) -> Result<Snapshot, SourceError> {
        Ok(self.current()?.snapshot)
    }

    fn begin_wait(&mut self) -> Result<(), SourceError> {
        let PublishedSnapshot { version, frame, .. } = self.current()?;
        (self.version, self.frame, self.since) = (version, frame, Instant::now());
        Ok(())
    }

    /// Going back or seeking counts as one frame.
    fn advance(&mut self, timeout: Duration) -> Result<Option<u32>, SourceError> {
        let now = self.published.after(self.version, timeout).ok_or_else(closed)?;
        if now.version == self.version {
            return Ok(None);
        }
        let passed = now.frame.checked_sub(self.frame).and_then(|passed| u32::try_from(passed).ok());
        (self.version, self.frame) = (now.version, now.frame);
        Ok(Some(passed.filter(|passed| (1..=LEAP).contains(passed)).unwrap_or(1)))
    }

    fn time_waited(&self) -> Duration {
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
    fn the_same_sample_is_published_once_and_another_wakes_waiting_threads() {
        let published = ReplaySnapshot::default();
        assert!(published.after(0, Duration::ZERO).is_none());
        published.publish("a.nsrec", &ram(1), 7);
        published.publish("a.nsrec", &ram(1), 7);
        let first = published.now().unwrap();
        assert_eq!((first.version, first.frame), (1, 7));
        let waiter = {
            let published = published.clone();
            std::thread::spawn(move || {
                published.after(1, Duration::from_secs(60)).map(|current| current.frame)
            })
        };
        published.publish("a.nsrec", &ram(2), 6); // back by a frame
        assert_eq!(waiter.join().unwrap(), Some(6));
        published.clear();
        assert!(published.now().is_none());
    }
}

//! Hand-off of the newest value from one thread to others. The writer never waits for a reader; values
//! that nobody took are dropped.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

struct Slot<T> {
    value: Mutex<(u64, Arc<T>)>,
    changed: Condvar,
}

/// The writing end.
pub struct Publisher<T> {
    slot: Arc<Slot<T>>,
}

/// A reading end. Clones see the same values, each at its own pace.
pub struct Latest<T> {
    slot: Arc<Slot<T>>,
    seen: u64,
}

impl<T> Clone for Latest<T> {
    fn clone(&self) -> Self {
        Self { slot: Arc::clone(&self.slot), seen: self.seen }
    }
}

/// A pair of ends that hold `first` until something newer is published.
pub fn latest<T>(first: T) -> (Publisher<T>, Latest<T>) {
    let slot = Arc::new(Slot { value: Mutex::new((0, Arc::new(first))), changed: Condvar::new() });
    (Publisher { slot: Arc::clone(&slot) }, Latest { slot, seen: 0 })
}

impl<T> Publisher<T> {
    /// Replaces the value and wakes who waits for it.
    pub fn publish(&self, value: T) {
        let value = Arc::new(value);
        let mut held = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut held.1, value);
        held.0 += 1;
        drop(held);
        drop(old); // outside the lock: it may be large
        self.slot.changed.notify_all();
    }
}

impl<T> Latest<T> {
    /// The newest value.
    #[must_use]
    pub fn get(&mut self) -> Arc<T> {
        let held = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.seen = held.0;
        Arc::clone(&held.1)
    }

    /// Waits for a value newer than the last one taken here; None when there is none within `timeout`.
    pub fn next(&mut self, timeout: Duration) -> Option<Arc<T>> {
        let deadline = Instant::now() + timeout;
        let mut held = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        while held.0 == self.seen {
            let left = deadline.checked_duration_since(Instant::now())?;
            held = self.slot.changed.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.seen = held.0;
        Some(Arc::clone(&held.1))
    }
}

//! Hands the newest value from one thread to others. The writer never waits for a reader; a value that is not
//! read before the next one is dropped.

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
pub struct Subscriber<T> {
    slot: Arc<Slot<T>>,
    last_read: u64,
}

impl<T> Clone for Subscriber<T> {
    fn clone(&self) -> Self {
        Self { slot: Arc::clone(&self.slot), last_read: self.last_read }
    }
}

/// A writing and a reading end, with `first` as the initial value.
pub fn latest<T>(first: T) -> (Publisher<T>, Subscriber<T>) {
    let slot = Arc::new(Slot { value: Mutex::new((0, Arc::new(first))), changed: Condvar::new() });
    (Publisher { slot: Arc::clone(&slot) }, Subscriber { slot, last_read: 0 })
}

impl<T> Publisher<T> {
    /// Replaces the value and wakes the waiting readers.
    pub fn publish(&self, value: T) {
        let value = Arc::new(value);
        let mut current = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut current.1, value);
        current.0 += 1;
        drop(current);
        drop(old); // outside the lock: it may be large
        self.slot.changed.notify_all();
    }
}

impl<T> Subscriber<T> {
    /// The newest value.
    pub fn get(&mut self) -> Arc<T> {
        let current = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        self.last_read = current.0;
        Arc::clone(&current.1)
    }

    /// Waits for a value newer than the last one read here; None after `timeout`.
    pub fn next(&mut self, timeout: Duration) -> Option<Arc<T>> {
        let deadline = Instant::now() + timeout;
        let mut current = self.slot.value.lock().unwrap_or_else(PoisonError::into_inner);
        while current.0 == self.last_read {
            let left = deadline.checked_duration_since(Instant::now())?;
            current = self.slot.changed.wait_timeout(current, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.last_read = current.0;
        Some(Arc::clone(&current.1))
    }
}

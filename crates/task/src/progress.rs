//! Progress of work, and the request to end it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Progress of work for other threads, and flags to end it. Work checks the flags and adds to the counts once per block, not per
/// item.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    found: AtomicU64,
    cancel: AtomicBool,
    stop: AtomicBool,
}

impl Progress {
    /// Starts work of `total` units: nothing is done or found yet.
    pub fn begin(&self, total: u64) {
        self.done.store(0, Relaxed);
        self.found.store(0, Relaxed);
        self.total.store(total, Relaxed);
    }

    /// Replaces both counts, for work that measures itself: `done` of `total` units are finished.
    pub fn set(&self, done: u64, total: u64) {
        self.total.store(total, Relaxed);
        self.done.store(done, Relaxed);
    }

    /// Counts finished units.
    pub fn add(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    /// Counts results.
    pub fn add_found(&self, results: u64) {
        self.found.fetch_add(results, Relaxed);
    }

    /// Finished units.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Units in total; 0 before [`begin`](Self::begin).
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    /// Results so far.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.found.load(Relaxed)
    }

    /// The finished share, 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub fn share(&self) -> f64 {
        (self.done() as f64 / self.total().max(1) as f64).min(1.0)
    }

    /// Whether all units are finished.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.done() >= self.total()
    }

    /// Requests the end, without a result.
    pub fn cancel(&self) {
        self.cancel.store(true, Relaxed);
    }

    /// Requests the end, with what was found until then.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the work should end without a result.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Relaxed)
    }

    /// Whether the work should end, with or without a result.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.load(Relaxed) || self.is_cancelled()
    }

    /// The flag of [`cancel`](Self::cancel), for work that takes only a flag.
    #[must_use]
    pub const fn cancel_flag(&self) -> &AtomicBool {
        &self.cancel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_and_starts_again() {
        let progress = Progress::default();
        assert_eq!(progress.share().to_bits(), 0.0_f64.to_bits(), "of unknown work nothing is done");
        progress.begin(8);
        progress.add(2);
        progress.add_found(1);
        assert_eq!((progress.done(), progress.total(), progress.found()), (2, 8, 1));
        assert!((progress.share() - 0.25).abs() < 1e-9 && !progress.is_complete());
        progress.add(7);
        assert!(
            (progress.share() - 1.0).abs() < 1e-9 && progress.is_complete(),
            "the last block may be short"
        );
        progress.begin(3);
        assert_eq!((progress.done(), progress.total(), progress.found()), (0, 3, 0));
    }

    #[test]
    fn work_ends_with_or_without_a_result() {
        let stopped = Progress::default();
        assert!(!stopped.is_over());
        stopped.stop();
        assert!(stopped.is_over() && !stopped.is_cancelled());
        let cancelled = Progress::default();
        cancelled.cancel();
        assert!(cancelled.is_over() && cancelled.is_cancelled() && cancelled.cancel_flag().load(Relaxed));
    }
}

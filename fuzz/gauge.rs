//! What one input costs: the time of the processor, and the memory that is held at the same time.
//!
//! Shared by the fuzz targets and by the test that runs their corpora.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The most that an input of a megabyte may take up, in bytes.
pub const BYTES_MOST: usize = 256 << 20;

/// The system's allocator, counting.
pub struct Gauge {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl Gauge {
    /// Nothing is held yet.
    pub const fn new() -> Self {
        Self { now: AtomicUsize::new(0), peak: AtomicUsize::new(0) }
    }

    fn more(&self, bytes: usize) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    fn less(&self, bytes: usize) {
        self.now.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Runs `work`; the time of the processor that the process spent meanwhile, and the most bytes that it held beyond what it had.
    pub fn measure(&self, work: impl FnOnce()) -> (Duration, usize) {
        let before = self.now.load(Ordering::Relaxed);
        self.peak.store(before, Ordering::Relaxed);
        let began = busy();
        work();
        (busy().saturating_sub(began), self.peak.load(Ordering::Relaxed).saturating_sub(before))
    }

    /// Runs `work`, and panics when it took longer than this, or more than [`BYTES_MOST`].
    pub fn check(&self, longest: Duration, work: impl FnOnce()) -> (Duration, usize) {
        let (time, bytes) = self.measure(work);
        assert!(time <= longest, "{time:?} of the processor; at most {longest:?}");
        assert!(bytes <= BYTES_MOST, "{bytes} bytes held at once; at most {BYTES_MOST}");
        (time, bytes)
    }
}

// SAFETY: every call goes on to the system's allocator as it came; only numbers are kept beside it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Gauge {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.more(layout.size());
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.more(layout.size());
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.less(layout.size());
        // SAFETY: the caller's promises are the system's.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // Both may be held while the bytes are moved.
        self.more(len);
        // SAFETY: the caller's promises are the system's.
        let moved = unsafe { System.realloc(at, layout, len) };
        self.less(if moved.is_null() { len } else { layout.size() });
        moved
    }
}

/// The processor's time that this process spent so far, on all threads.
fn busy() -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let of = |time: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec()).unwrap_or(0))
    };
    of(usage.user_time()) + of(usage.system_time())
}

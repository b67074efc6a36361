//! The cost of one input: processor time, and the peak of allocated memory.
//!
//! Shared by the fuzz targets and by the test that runs their corpora.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The most bytes that an input of a megabyte may allocate.
pub const BYTES_MOST: usize = 256 << 20;

/// The system's allocator with counters.
pub struct Gauge {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl Gauge {
    /// Nothing is allocated yet.
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

    /// Runs `work`; returns the processor time that the process used, and the peak of bytes allocated beyond
    /// those at the start.
    pub fn measure(&self, work: impl FnOnce()) -> (Duration, usize) {
        let before = self.now.load(Ordering::Relaxed);
        self.peak.store(before, Ordering::Relaxed);
        let began = busy();
        work();
        (busy().saturating_sub(began), self.peak.load(Ordering::Relaxed).saturating_sub(before))
    }

    /// Runs `work`, and panics when it took longer than this, or allocated more than [`BYTES_MOST`].
    pub fn check(&self, longest: Duration, work: impl FnOnce()) -> (Duration, usize) {
        let (time, bytes) = self.measure(work);
        assert!(time <= longest, "{time:?} of processor time; at most {longest:?}");
        assert!(bytes <= BYTES_MOST, "{bytes} bytes allocated at once; at most {BYTES_MOST}");
        (time, bytes)
    }
}

// SAFETY: every call is forwarded to the system's allocator unchanged; only counters are updated.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Gauge {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.more(layout.size());
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.more(layout.size());
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.less(layout.size());
        // SAFETY: the caller upholds the contract of the system's allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // Both blocks may be allocated while the bytes are copied.
        self.more(len);
        // SAFETY: the caller upholds the contract of the system's allocator.
        let moved = unsafe { System.realloc(at, layout, len) };
        self.less(if moved.is_null() { len } else { layout.size() });
        moved
    }
}

/// Processor time of this process so far, all threads.
fn busy() -> Duration {
    use nix::sys::resource::{UsageWho, getrusage};
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    let of = |time: nix::sys::time::TimeVal| {
        let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
        Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec()).unwrap_or(0))
    };
    of(usage.user_time()) + of(usage.system_time())
}

//! The request to stop: Ctrl+C, a request to terminate, or a terminal that was closed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that is set by a request to stop. A command that never asks for it is ended by the system instead.
pub fn flag() -> Arc<AtomicBool> {
    let flag = STOP.get_or_init(|| {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        if let Err(error) = ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed)) {
            tracing::warn!("Ctrl+C ends the program at once: {error}");
        }
        stop
    });
    Arc::clone(flag)
}

/// Asks to stop, as Ctrl+C does.
pub fn request() {
    if let Some(stop) = STOP.get() {
        stop.store(true, Ordering::Relaxed);
    }
}

/// Whether it was asked to stop.
pub fn is_requested() -> bool {
    STOP.get().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

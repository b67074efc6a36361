//! Ctrl+C, a request to terminate, or a terminal that was closed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag that is set by an interrupt. Until a command asks for it, the system's default action applies: the program ends.
pub fn flag() -> Arc<AtomicBool> {
    let flag = INTERRUPTED.get_or_init(|| {
        let interrupted = Arc::new(AtomicBool::new(false));
        let handler = Arc::clone(&interrupted);
        if let Err(error) = ctrlc::set_handler(move || handler.store(true, Ordering::Relaxed)) {
            tracing::warn!("cannot handle Ctrl+C, which now ends the program without results: {error}");
        }
        interrupted
    });
    Arc::clone(flag)
}

/// Has the effect of Ctrl+C.
pub fn request() {
    if let Some(flag) = INTERRUPTED.get() {
        flag.store(true, Ordering::Relaxed);
    }
}

pub fn is_requested() -> bool {
    INTERRUPTED.get().is_some_and(|flag| flag.load(Ordering::Relaxed))
}

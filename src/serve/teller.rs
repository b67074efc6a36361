//! Makes the newest state into text once for all clients, as often as the rate allows.

use super::connection::Shared;
use super::state;
use crate::live::{Latest, Publisher, View};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A state that does not change is told again after this time, so that who listens knows that somebody speaks.
const AGAIN: Duration = Duration::from_secs(1);
/// How long the thread waits for a view before it looks whether it is still wanted.
const LOOK_UP: Duration = Duration::from_millis(100);

pub fn run(shared: &Shared, mut views: Latest<View>, publisher: &Publisher<Arc<str>>) {
    let mut view = views.get();
    let mut told: Option<Instant> = None;
    while !shared.quit.load(Ordering::Relaxed) {
        let newer = views.next(LOOK_UP);
        let changed = newer.is_some();
        view = newer.unwrap_or(view);
        let quiet = !changed && told.is_some_and(|told| told.elapsed() < AGAIN);
        if quiet || shared.clients.load(Ordering::Relaxed) == 0 {
            continue;
        }
        publisher.publish(Arc::from(state(&view, shared.pairs)));
        told = Some(Instant::now());
        // What is published meanwhile is replaced by what is newer still.
        std::thread::sleep(shared.interval);
    }
}

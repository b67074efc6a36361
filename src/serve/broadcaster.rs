//! Serializes the newest state once for all clients, as often as the rate allows.

use super::connection::Shared;
use super::state;
use crate::live::{Publisher, Subscriber, View};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// An unchanged state is sent again after this time, so that clients can detect a lost connection.
const REPEAT_AFTER: Duration = Duration::from_secs(1);
/// How long the thread waits for a view before it checks for the end of the server.
const CHECK_EVERY: Duration = Duration::from_millis(100);

pub fn run(shared: &Shared, mut views: Subscriber<View>, publisher: &Publisher<Arc<str>>) {
    let mut view = views.get();
    let mut sent: Option<Instant> = None;
    while !shared.quit.load(Ordering::Relaxed) {
        let newer = views.next(CHECK_EVERY);
        let changed = newer.is_some();
        view = newer.unwrap_or(view);
        let quiet = !changed && sent.is_some_and(|sent| sent.elapsed() < REPEAT_AFTER);
        if quiet || shared.clients.load(Ordering::Relaxed) == 0 {
            continue;
        }
        publisher.publish(Arc::from(state(&view, shared.pairs)));
        sent = Some(Instant::now());
        // Views published meanwhile are replaced by newer ones.
        std::thread::sleep(shared.interval);
    }
}

//! Waiting, for all test programs. No test sleeps a fixed time for something to happen: it asks again and again until it has happened.
#![allow(dead_code, missing_docs)]

use std::time::{Duration, Instant};

/// How long anything may take on a machine that does much else, before a test fails.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long is waited between two questions.
const BETWEEN: Duration = Duration::from_millis(2);

/// What `poll` gives once it gives something; asked at least once. None when it gave nothing within `limit`.
pub fn within<T>(limit: Duration, mut poll: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        let found = poll();
        if found.is_some() || began.elapsed() >= limit {
            return found;
        }
        std::thread::sleep(BETWEEN);
    }
}

/// The same within [`PATIENCE`].
///
/// # Panics
/// With `what`, when it never gave anything.
#[track_caller]
pub fn eventually_some<T>(what: &str, poll: impl FnMut() -> Option<T>) -> T {
    let Some(found) = within(PATIENCE, poll) else { panic!("not within {PATIENCE:?}: {what}") };
    found
}

/// What `poll` gives without an error, within [`PATIENCE`]. The error says what was seen instead.
///
/// # Panics
/// With the last error, when there was one every time.
#[track_caller]
pub fn eventually_ok<T>(mut poll: impl FnMut() -> Result<T, String>) -> T {
    let mut last = String::new();
    let found = within(PATIENCE, || poll().map_err(|error| last = error).ok());
    let Some(found) = found else { panic!("not within {PATIENCE:?}: {last}") };
    found
}

/// Waits until `holds` is true.
///
/// # Panics
/// With `what`, when it was not true within [`PATIENCE`].
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    eventually_some(what, || holds().then_some(()));
}

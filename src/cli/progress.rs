//! Progress of long work, on a terminal, and its cancellation by Ctrl+C.

use super::width::{display_width, truncate};
use super::{interrupt, output};
use crate::live::ReplayVerifier;
use crate::task::Progress;
use crate::text::sanitize_line;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The shortest time between two updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Estimates of the remaining time are shown after this time.
const ESTIMATE_AFTER: Duration = Duration::from_secs(1);

/// For terminals of unknown size.
const DEFAULT_COLUMNS: usize = 80;

const BAR_CELLS: usize = 24;

/// A line on standard error that is overwritten in place; not shown if standard error is not a terminal.
pub struct ProgressLine {
    visible: bool,
    started: Instant,
    updated: Instant,
    /// Columns that the current text occupies.
    width: usize,
}

impl ProgressLine {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { visible: output::errors_on_terminal(), started: now, updated: now, width: 0 }
    }

    /// Shows a text, at most once per interval.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.visible || self.updated.elapsed() < UPDATE_INTERVAL {
            return;
        }
        self.updated = Instant::now();
        // A text in the last column would move the cursor to the next line.
        let text = truncate(&sanitize_line(&text()), columns().saturating_sub(1));
        let width = display_width(&text);
        let blank = self.width.saturating_sub(width);
        output::progress(&format!("\r{text}{:blank$}", ""));
        self.width = width;
    }

    /// Shows a bar with the share done, 0 to 1, and the remaining time.
    pub fn show_share(&mut self, doing: &str, share: f64) {
        let elapsed = self.started.elapsed();
        self.show(|| bar(doing, share, elapsed));
    }

    /// Shows the bar of a search and its results so far.
    pub fn show_search(&mut self, share: f64, found: impl FnOnce() -> String) {
        let elapsed = self.started.elapsed();
        self.show(|| format!("{}; {}", bar("searching", share, elapsed), found()));
    }

    pub fn clear(&mut self) {
        if self.width > 0 {
            let width = std::mem::take(&mut self.width);
            output::progress(&format!("\r{:width$}\r", ""));
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr())
        .map_or(DEFAULT_COLUMNS, |(columns, _)| columns.0.into())
}

/// Such as `dealing [######------]  50 %, 12 s left`.
fn bar(doing: &str, share: f64, elapsed: Duration) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "0 to BAR_CELLS"
    )]
    let done = (share * BAR_CELLS as f64) as usize;
    let (done, rest) = ("#".repeat(done), "-".repeat(BAR_CELLS - done));
    let left = if share > 0.0 && elapsed >= ESTIMATE_AFTER {
        format!(", {} left", duration(elapsed.as_secs_f64() * (1.0 - share) / share))
    } else {
        String::new()
    };
    format!("{doing} [{done}{rest}] {:3.0} %{left}", 100.0 * share)
}

fn duration(seconds: f64) -> String {
    let minutes = seconds / 60.0;
    let hours = minutes / 60.0;
    match seconds {
        ..100.0 => format!("{:.0} s", seconds.ceil()),
        ..6000.0 => format!("{minutes:.0} min"),
        ..360_000.0 => format!("{hours:.0} h"),
        _ => format!("{:.0} days", hours / 24.0),
    }
}

/// Progress of the verification of a recording. A thread shows it, because one step can take long: a search over all states.
pub struct ReplayProgress {
    next: Arc<AtomicU64>,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl ReplayProgress {
    pub fn new(verifier: &ReplayVerifier) -> Self {
        let next = Arc::new(AtomicU64::new(0));
        let mut line = ProgressLine::new();
        if !line.visible {
            return Self { next, thread: None };
        }
        let (stop, stopped) = channel();
        let (at, of, searching) = (Arc::clone(&next), verifier.recording().len(), verifier.searching());
        let thread = std::thread::spawn(move || {
            while stopped.recv_timeout(UPDATE_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                match searching.share() {
                    Some(share) => line.show(|| {
                        let done = 100.0 * part(at.load(Ordering::Relaxed), of);
                        format!(
                            "verifying {done:3.0} %; searching all states of the current round, {:.0} %",
                            100.0 * share
                        )
                    }),
                    None => line.show_share("verifying", part(at.load(Ordering::Relaxed), of)),
                }
            }
        });
        Self { next, thread: Some((stop, thread)) }
    }

    pub fn update(&self, verifier: &ReplayVerifier) {
        self.next.store(verifier.next_index(), Ordering::Relaxed);
    }
}

impl Drop for ReplayProgress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn part(part: u64, of: u64) -> f64 {
    part as f64 / of.max(1) as f64
}

/// Work in a thread of its own.
pub struct Work<'a> {
    pub progress: &'a Progress,
    /// What Ctrl+C does: [`Progress::cancel`] or [`Progress::stop`].
    pub on_interrupt: fn(&Progress),
    /// Whether the work may take long enough to show progress.
    pub show_progress: bool,
    /// What the progress line says in front of the bar.
    pub label: &'a str,
}

impl Work<'_> {
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        let interrupted = interrupt::flag();
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut line = ProgressLine::new();
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
                if interrupted.load(Ordering::Relaxed) {
                    (self.on_interrupt)(self.progress);
                } else if self.show_progress {
                    line.show_share(self.label, self.progress.share());
                }
            }
            let panicked = |_| {
                anyhow::anyhow!("internal error: the work panicked; please report it with the command used")
            };
            worker.join().map_err(panicked)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_shows_the_share_done_and_the_remaining_time() {
        let second = Duration::from_secs(1);
        assert_eq!(bar("dealing", 0.0, Duration::ZERO), format!("dealing [{}]   0 %", "-".repeat(24)));
        let half = format!("[{}{}]  50 %", "#".repeat(12), "-".repeat(12));
        assert_eq!(bar("dealing", 0.5, second / 2), format!("dealing {half}"), "too early for an estimate");
        assert_eq!(bar("dealing", 0.5, 12 * second), format!("dealing {half}, 12 s left"));
        assert!(bar("dealing", 0.001, 10 * second).ends_with("  0 %, 3 h left"));
        assert!(bar("dealing", 1e-6, 10 * second).ends_with("116 days left"));
        assert!(bar("dealing", f64::NAN, second).ends_with("  0 %"));
        assert!(bar("dealing", 7.0, second).ends_with(" 100 %, 0 s left"));
    }
}

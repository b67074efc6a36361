//! Long work on the command line: in a thread of its own, its share told on a terminal, Ctrl+C heard.

use super::output;
use super::width::{display_width, fitted};
use crate::live::Judge;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the line changes at most.
const CHANGE_EVERY: Duration = Duration::from_millis(100);

/// After so long there is enough to estimate the time that is left from.
const ESTIMATE_AFTER: Duration = Duration::from_secs(1);

/// Columns where the terminal does not say how many it has.
const USUAL_COLUMNS: usize = 80;

/// Cells of a bar.
const CELLS: usize = 24;

/// A line on a terminal that is written over again and again; where errors go into a file it is not written at all.
pub struct Line {
    on: bool,
    began: Instant,
    told: Instant,
    /// Columns that are written on.
    width: usize,
}

impl Line {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { on: output::errors_on_terminal(), began: now, told: now, width: 0 }
    }

    /// Writes it, if it is time to.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if !self.on || self.told.elapsed() < CHANGE_EVERY {
            return;
        }
        self.told = Instant::now();
        // A line as wide as the terminal would go on in the next one.
        let text = fitted(&output::plain(&text()), columns().saturating_sub(1));
        let width = display_width(&text);
        let blank = self.width.saturating_sub(width);
        output::progress(&format!("\r{text}{:blank$}", ""));
        self.width = width;
    }

    /// Writes how much is done, 0 to 1, as a bar with the time that is left, if it is time to.
    pub fn share(&mut self, doing: &str, share: f64) {
        let elapsed = self.began.elapsed();
        self.tell(|| bar(doing, share, elapsed));
    }

    /// The same with what was found so far.
    pub fn share_and(&mut self, share: f64, found: impl FnOnce() -> String) {
        let elapsed = self.began.elapsed();
        self.tell(|| format!("{}; {}", bar("searching", share, elapsed), found()));
    }

    /// Takes it away.
    pub fn clear(&mut self) {
        if self.width > 0 {
            let width = std::mem::take(&mut self.width);
            output::progress(&format!("\r{:width$}\r", ""));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Columns of the terminal that progress is shown on.
fn columns() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(USUAL_COLUMNS, |(columns, _)| columns.0.into())
}

/// What is done, how much of it is, 0 to 1, and how long the rest takes: `dealing [######------]  50 %, 12 s left`.
fn bar(doing: &str, share: f64, elapsed: Duration) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "0 to CELLS"
    )]
    let done = (share * CELLS as f64) as usize;
    let (done, rest) = ("#".repeat(done), "-".repeat(CELLS - done));
    let left = if share > 0.0 && elapsed >= ESTIMATE_AFTER {
        format!(", {} left", duration(elapsed.as_secs_f64() * (1.0 - share) / share))
    } else {
        String::new()
    };
    format!("{doing} [{done}{rest}] {:3.0} %{left}", 100.0 * share)
}

/// A time as people say it.
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

/// How far a recording is judged, on a terminal; by a thread of its own, since a step may wait for all states to be tried.
pub struct Judging {
    next: Arc<AtomicU64>,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Judging {
    pub fn new(judge: &Judge) -> Self {
        let next = Arc::new(AtomicU64::new(0));
        let mut line = Line::new();
        if !line.on {
            return Self { next, thread: None };
        }
        let (over, ended) = channel();
        let (at, of, searching) = (Arc::clone(&next), judge.recording().len(), judge.searching());
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(CHANGE_EVERY) == Err(RecvTimeoutError::Timeout) {
                match searching.share() {
                    Some(share) => line.tell(|| {
                        let judged = 100.0 * part(at.load(Ordering::Relaxed), of);
                        format!(
                            "judging {judged:3.0} %; trying all states for the round under way, {:.0} %",
                            100.0 * share
                        )
                    }),
                    None => line.share("judging", part(at.load(Ordering::Relaxed), of)),
                }
            }
        });
        Self { next, thread: Some((over, thread)) }
    }

    /// Another sample is judged.
    pub fn at(&self, judge: &Judge) {
        self.next.store(judge.next_index(), Ordering::Relaxed);
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            let _ = thread.join();
        }
    }
}

/// A share, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn part(part: u64, of: u64) -> f64 {
    part as f64 / of.max(1) as f64
}

/// How long work is watched over.
pub struct Work<'a> {
    /// Set by Ctrl+C.
    pub stop: &'a AtomicBool,
    /// Set for the work then, so that it ends.
    pub cancel: &'a AtomicBool,
    /// Whether it may take long enough to be told of.
    pub told: bool,
    /// The share done, 0 to 1.
    pub share: &'a (dyn Fn() -> f64 + Sync),
    /// What is done, in front of the share.
    pub doing: &'a str,
}

impl Work<'_> {
    /// Does it and waits for it.
    pub fn done<T: Send>(&self, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut line = Line::new();
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
                if self.stop.load(Ordering::Relaxed) {
                    self.cancel.store(true, Ordering::Relaxed);
                } else if self.told {
                    line.share(self.doing, (self.share)());
                }
            }
            let panicked =
                |_| anyhow::anyhow!("the work ended in a panic; please report it with the command used");
            worker.join().map_err(panicked)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_how_much_is_done_and_how_long_the_rest_takes() {
        let second = Duration::from_secs(1);
        assert_eq!(bar("dealing", 0.0, Duration::ZERO), format!("dealing [{}]   0 %", "-".repeat(24)));
        let half = format!("[{}{}]  50 %", "#".repeat(12), "-".repeat(12));
        assert_eq!(bar("dealing", 0.5, second / 2), format!("dealing {half}"), "too early to tell");
        assert_eq!(bar("dealing", 0.5, 12 * second), format!("dealing {half}, 12 s left"));
        assert!(bar("dealing", 0.001, 10 * second).ends_with("  0 %, 3 h left"));
        assert!(bar("dealing", 1e-6, 10 * second).ends_with("116 days left"));
        assert!(bar("dealing", f64::NAN, second).ends_with("  0 %"));
        assert!(bar("dealing", 7.0, second).ends_with(" 100 %, 0 s left"));
    }
}

//! Progress of long work, on a terminal, and its cancellation by Ctrl+C.

use super::{interrupt, output};
use crate::live::ReplayVerifier;
use crate::task::Progress;
use crate::text::sanitize_line;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle, TermLike};
use std::io;
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
const DEFAULT_COLUMNS: u16 = 80;

/// Steps of a bar.
const STEPS: u64 = 1_000_000;

const TEXT: &str = "{wide_msg}";
const BAR: &str = "{prefix} [{bar:24}] {percent:>3} %{left}{wide_msg}";

/// A line on standard error that is overwritten in place; not shown if standard error is not a terminal.
pub struct ProgressLine {
    bar: ProgressBar,
    template: &'static str,
    updated: Instant,
}

impl ProgressLine {
    pub fn new() -> Self {
        let target = if output::errors_on_terminal() {
            ProgressDrawTarget::term_like_with_hz(Box::new(StandardError), 20)
        } else {
            ProgressDrawTarget::hidden()
        };
        Self::with_target(target)
    }

    fn with_target(target: ProgressDrawTarget) -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        Self { bar, template: "", updated: Instant::now() }
    }

    fn is_visible(&self) -> bool {
        !self.bar.is_hidden()
    }

    /// Whether the next update is due.
    fn is_due(&mut self) -> bool {
        let due = self.is_visible() && self.updated.elapsed() >= UPDATE_INTERVAL;
        if due {
            self.updated = Instant::now();
        }
        due
    }

    fn use_template(&mut self, template: &'static str) {
        if self.template != template {
            self.template = template;
            self.bar.set_style(style(template));
        }
    }

    /// Shows a text, at most once per interval.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.is_due() {
            self.use_template(TEXT);
            self.bar.set_message(sanitize_line(&text()).into_owned());
        }
    }

    /// Shows a bar with the share done, 0 to 1, and the remaining time.
    pub fn show_share(&mut self, doing: &str, share: f64) {
        if self.is_due() {
            self.draw_bar(doing, share, "");
        }
    }

    /// Shows the bar of a search and its results so far.
    pub fn show_search(&mut self, share: f64, found: impl FnOnce() -> String) {
        if self.is_due() {
            self.draw_bar("searching", share, &format!("; {}", found()));
        }
    }

    fn draw_bar(&mut self, doing: &str, share: f64, found: &str) {
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.use_template(BAR);
        self.bar.set_prefix(sanitize_line(doing).into_owned());
        self.bar.set_message(sanitize_line(found).into_owned());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "0 to STEPS"
        )]
        self.bar.set_position((share * STEPS as f64) as u64);
    }

    pub fn clear(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("#--").with_key("left", |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        if state.pos() > 0 && state.elapsed() >= ESTIMATE_AFTER {
            let _ = write!(text, ", {} left", duration(state.eta().as_secs_f64())); // a string takes all
        }
    })
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

/// Standard error. A write that fails means that the terminal was closed: a request to stop.
#[derive(Debug)]
struct StandardError;

impl StandardError {
    fn write(text: &str) -> io::Result<()> {
        output::progress(text);
        Ok(())
    }
}

impl TermLike for StandardError {
    fn width(&self) -> u16 {
        let known = terminal_size::terminal_size_of(io::stderr());
        // A text in the last column would move the cursor to the next line.
        known.map_or(DEFAULT_COLUMNS, |(columns, _)| columns.0).saturating_sub(1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        Self::write(&format!("\x1b[{n}A"))
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        Self::write(&format!("\x1b[{n}B"))
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        Self::write(&format!("\x1b[{n}C"))
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        Self::write(&format!("\x1b[{n}D"))
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        Self::write(&format!("{text}\n"))
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        Self::write(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        // Also for terminals without escape sequences.
        let blank = usize::from(self.width());
        Self::write(&format!("\r{:blank$}\r", ""))
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
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
        if !line.is_visible() {
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
    use std::sync::Mutex;

    /// What is written, each line from its start.
    #[derive(Debug, Default, Clone)]
    struct Written(Arc<Mutex<String>>);

    impl TermLike for Written {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().expect("one writer").push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            self.0.lock().expect("one writer").clear();
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_bar_shows_the_share_done_and_what_was_found() {
        let written = Written::default();
        let mut line = ProgressLine::with_target(ProgressDrawTarget::term_like(Box::new(written.clone())));
        let mut shown = |share, found: &str| {
            line.draw_bar("dealing", share, found);
            line.bar.force_draw();
            written.0.lock().expect("one writer").trim_end().to_owned()
        };
        assert_eq!(shown(0.0, ""), format!("dealing [{}]   0 %", "-".repeat(24)));
        let half = format!("dealing [{}{}]  50 %", "#".repeat(12), "-".repeat(12));
        assert_eq!(shown(0.5, ""), half, "too early for an estimate");
        assert_eq!(shown(0.5, "; best: 7"), format!("{half}; best: 7"));
        assert!(shown(f64::NAN, "").ends_with("  0 %"));
        assert!(shown(7.0, "").ends_with(" 100 %"));
        let long = shown(0.5, &"x".repeat(200));
        assert!(long.chars().count() <= 80, "{long}");
        line.clear();
        assert_eq!(*written.0.lock().expect("one writer"), "", "nothing is left of it");
    }

    #[test]
    fn a_duration_has_one_unit() {
        let words = [0.2, 12.0, 99.5, 600.0, 9000.0, 1e7].map(duration);
        assert_eq!(words, ["1 s", "12 s", "100 s", "10 min", "2 h", "116 days"]);
    }
}

//! The log: a ring buffer of `tracing` events, and what is written to standard error.

use crate::live::topic;
use crate::text::sanitize;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{Targets, filter_fn};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;

/// Maximum number of lines.
pub const MAX_LINES: usize = 2000;

/// The subject of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// A mismatch between emulator and model.
    Mismatch,
    /// A lost or new connection.
    Connection,
    /// A recording.
    Recording,
    /// A profile file.
    Profile,
    /// Anything else.
    Other,
}

impl Topic {
    fn of(target: &str) -> Self {
        match target {
            topic::MISMATCH => Self::Mismatch,
            topic::CONNECTION => Self::Connection,
            topic::RECORDING => Self::Recording,
            topic::PROFILE => Self::Profile,
            _ => Self::Other,
        }
    }
}

/// A line of the log.
#[derive(Debug, Clone)]
pub struct Line {
    /// Its number from 0.
    pub number: u64,
    /// Its time.
    pub at: Instant,
    /// Its level.
    pub level: Level,
    /// The library that it is from; None for our own. Lines of libraries never pop up.
    pub library: Option<String>,
    /// Its subject.
    pub topic: Topic,
    /// The message with the fields of the event.
    pub text: String,
}

impl Line {
    /// Whose message it is, in front of the text.
    pub fn origin(&self) -> String {
        self.library.as_ref().map_or_else(String::new, |library| format!("({library}) "))
    }
}

#[derive(Default)]
struct Ring {
    lines: VecDeque<Line>,
    written: u64,
}

/// The newest lines. Clones share them.
#[derive(Clone)]
pub struct Log {
    ring: Arc<Mutex<Ring>>,
    started: Instant,
    wake: Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>,
}

impl Default for Log {
    fn default() -> Self {
        Self { ring: Arc::default(), started: Instant::now(), wake: Arc::default() }
    }
}

impl Log {
    /// A `tracing` layer that writes to this log: our events from debug, and errors of libraries. Their warnings are for
    /// developers.
    pub fn layer(&self) -> RingLayer {
        RingLayer { log: self.clone(), others: Level::ERROR }
    }

    /// The same layer with warnings of libraries.
    pub fn detailed_layer(&self) -> RingLayer {
        RingLayer { log: self.clone(), others: Level::WARN }
    }

    /// Sets a callback for every line of level info or above. Only the first call has an effect.
    pub fn on_line(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.wake.set(Box::new(wake));
    }

    /// Adds a line of our own.
    pub fn push(&self, level: Level, text: impl Into<String>) {
        self.push_about(Topic::Other, level, text);
    }

    /// Adds a line of our own about a topic.
    pub fn push_about(&self, topic: Topic, level: Level, text: impl Into<String>) {
        self.write(level, None, topic, text.into());
    }

    fn write(&self, level: Level, library: Option<String>, topic: Topic, text: String) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        if ring.lines.len() == MAX_LINES {
            ring.lines.pop_front();
        }
        let number = ring.written;
        ring.written += 1;
        ring.lines.push_back(Line { number, at: Instant::now(), level, library, topic, text });
        drop(ring);
        if let (true, Some(wake)) = (level <= Level::INFO, self.wake.get()) {
            wake();
        }
    }

    /// The lines that pass `filter`, oldest first.
    pub fn lines(&self, filter: impl Fn(&Line) -> bool) -> Vec<Line> {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.lines.iter().filter(|line| filter(line)).cloned().collect()
    }

    /// When it was written, in seconds since the start.
    pub fn seconds(&self, line: &Line) -> f32 {
        line.at.saturating_duration_since(self.started).as_secs_f32()
    }

    /// Lines as text, with time and level.
    pub fn text(&self, lines: &[Line]) -> String {
        let line = |line: &Line| {
            format!("{:9.3} {:5} {}{}\n", self.seconds(line), line.level, line.origin(), line.text)
        };
        lines.iter().map(line).collect()
    }
}

/// Logs to standard error and to the returned [`Log`]. Standard error gets warnings; also info with `verbosity` 1, and all
/// our events from 2. `RUST_LOG` overrides this. If the process already has a subscriber, the log stays empty.
pub fn start(verbosity: u8) -> Log {
    let log = Log::default();
    let usual = match verbosity {
        0 => concat!("error,", env!("CARGO_PKG_NAME"), "=warn"),
        1 => concat!("error,", env!("CARGO_PKG_NAME"), "=info"),
        _ => concat!("warn,", env!("CARGO_PKG_NAME"), "=trace"),
    };
    let parse = |directives: &str| directives.parse::<Targets>().ok();
    let filter = std::env::var("RUST_LOG").ok().as_deref().and_then(parse).or_else(|| parse(usual));
    let filter = Arc::new(filter.unwrap_or_default());
    // Lines of libraries say whose they are. One filter for each of the two: nested ones let every event pass.
    let of = |libraries: bool| {
        let filter = Arc::clone(&filter);
        filter_fn(move |meta| {
            library_of(meta.target()).is_some() == libraries
                && filter.would_enable(meta.target(), meta.level())
        })
    };
    let ring = if verbosity < 2 { log.layer() } else { log.detailed_layer() };
    let _ = tracing_subscriber::registry()
        .with(ring)
        .with(fmt::layer().with_writer(|| Errors).with_target(false).with_filter(of(false)))
        .with(fmt::layer().with_writer(|| Errors).with_filter(of(true)))
        .try_init();
    log
}

/// What standard error gets once no view is drawn on its terminal any more; None while none is.
static HELD: Mutex<Option<VecDeque<String>>> = Mutex::new(None);
/// Maximum number of held texts.
const MAX_HELD: usize = 200;

/// Writes to standard error. Write errors are ignored: there is no other place to report them, and a closed terminal or pipe
/// must not end the program.
pub fn write_errors(text: &str) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *held {
        Some(held) => {
            if held.len() == MAX_HELD {
                held.pop_front();
            }
            held.push_back(text.to_owned());
        }
        None => {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// Holds what goes to standard error back until it is dropped, so that it does not disturb a view on the terminal.
pub struct HeldErrors(());

impl HeldErrors {
    /// Starts to hold it back.
    pub fn start() -> Self {
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(VecDeque::new());
        Self(())
    }

    /// The newest line that is held back.
    pub fn newest(&self) -> Option<String> {
        let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let text = held.as_ref()?.back()?;
        text.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned)
    }
}

impl Drop for HeldErrors {
    fn drop(&mut self) {
        let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
        held.into_iter().flatten().for_each(|text| write_errors(&text));
    }
}

/// Standard error, for `tracing`.
struct Errors;

impl std::io::Write for Errors {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        write_errors(&sanitize(&text));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The library that an event is from; None for our own.
fn library_of(target: &str) -> Option<&str> {
    let name = target.split("::").next().unwrap_or(target);
    let ours = name
        .strip_prefix(env!("CARGO_PKG_NAME"))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    (!ours).then_some(name)
}

/// A `tracing` layer that writes to a [`Log`].
pub struct RingLayer {
    log: Log,
    /// The lowest level of library events.
    others: Level,
}

#[derive(Default)]
struct MessageVisitor(String);

impl Visit for MessageVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

impl<S: Subscriber> Layer<S> for RingLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let meta = event.metadata();
        let library = library_of(meta.target());
        let min_level = if library.is_none() { Level::DEBUG } else { self.others };
        if *meta.level() <= min_level {
            let mut message = MessageVisitor::default();
            event.record(&mut message);
            self.log.write(*meta.level(), library.map(str::to_owned), Topic::of(meta.target()), message.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layer_keeps_our_lines_and_only_errors_of_others() {
        let log = Log::default();
        let write = |layer: RingLayer| {
            let subscriber = tracing_subscriber::registry().with(layer);
            tracing::subscriber::with_default(subscriber, || {
                tracing::info!(pid = 7, "attached");
                tracing::trace!("not this");
                tracing::info!(target: "other", "nor this");
                tracing::warn!(target: "winit", "the display's 0mm in size");
                tracing::error!(target: "other", "but this");
                tracing::warn!(target: topic::MISMATCH, "parted");
            });
        };
        write(log.layer());
        let about: Vec<Topic> = log.lines(|_| true).into_iter().map(|line| line.topic).collect();
        assert_eq!(about, [Topic::Other, Topic::Other, Topic::Mismatch]);
        let text: Vec<String> = log.lines(|_| true).into_iter().map(|line| line.text).collect();
        assert_eq!(text, ["attached pid=7", "but this", "parted"]);
        let libraries: Vec<Option<String>> =
            log.lines(|_| true).into_iter().map(|line| line.library).collect();
        assert_eq!(libraries, [None, Some("other".to_owned()), None]);
        assert!(log.text(&log.lines(|_| true)).contains(" ERROR (other) but this\n"));
        write(log.detailed_layer());
        assert!(log.lines(|_| true).iter().any(|line| line.text == "the display's 0mm in size"));
    }

    #[test]
    fn the_ring_forgets_the_oldest_and_keeps_counting() {
        let log = Log::default();
        for number in 0..MAX_LINES + 5 {
            log.push(Level::INFO, number.to_string());
        }
        let lines = log.lines(|_| true);
        assert_eq!((lines.len(), lines[0].text.as_str(), lines[0].number), (MAX_LINES, "5", 5));
    }
}

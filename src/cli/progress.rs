//! Long work on the command line: in a thread of its own, its share told on a terminal, Ctrl+C heard.

use crate::live::Judge;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often it is told how far it is.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// How often a line that is written over changes at most.
const CHANGE_EVERY: Duration = Duration::from_millis(100);

/// A line on a terminal that is written over again and again; where errors go into a file it is not written at all.
pub struct Line {
    on: bool,
    told: Instant,
    width: usize,
}

impl Line {
    pub fn new() -> Self {
        Self { on: std::io::stderr().is_terminal(), told: Instant::now(), width: 0 }
    }

    /// Writes it, if it is time to.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if !self.on || self.told.elapsed() < CHANGE_EVERY {
            return;
        }
        self.told = Instant::now();
        let (text, width) = (text(), self.width);
        eprint!("\r{text:width$}");
        self.width = text.len();
    }

    pub fn clear(&self) {
        if self.width > 0 {
            let width = self.width;
            eprint!("\r{:width$}\r", "");
        }
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
                let mut text = format!("judging {:3.0} %", percent(at.load(Ordering::Relaxed), of));
                if let Some(share) = searching.share() {
                    text += &format!("; trying all states for the round under way, {:.0} %", 100.0 * share);
                }
                line.tell(|| text);
            }
            line.clear();
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

/// A share in percent, for people.
#[expect(clippy::cast_precision_loss, reason = "a share for people")]
fn percent(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
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
        let told = self.told && std::io::stderr().is_terminal();
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            let mut next = Instant::now() + TELL_EVERY;
            let mut width = 0;
            while !worker.is_finished() {
                std::thread::sleep(Duration::from_millis(1));
                if self.stop.load(Ordering::Relaxed) {
                    self.cancel.store(true, Ordering::Relaxed);
                }
                if told && Instant::now() >= next {
                    let text = format!("{}{:3.0} %", self.doing, (self.share)() * 100.0);
                    eprint!("\r{text}");
                    (next, width) = (Instant::now() + TELL_EVERY, text.len());
                }
            }
            if width > 0 {
                eprint!("\r{:width$}\r", "");
            }
            let panicked =
                |_| anyhow::anyhow!("the work ended in a panic; please report it with the command used");
            worker.join().map_err(panicked)
        })
    }
}

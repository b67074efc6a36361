//! The builder on a thread of its own; no other file of the panel calls it.

use crate::pochi::{BuildLimits, BuildProgress, Built, Rules, Ruleset, build};
use crate::seeds::text::grouped;
use eframe::egui;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the window shows how far it is.
pub const NEWS_EVERY: Duration = Duration::from_millis(150);

/// What is to be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// Of so many blocks at most.
    pub blocks: u32,
    /// Worth the most under these rules.
    pub ruleset: Ruleset,
    /// With these answers to the open questions.
    pub rules: Rules,
    /// What it must be like, and how much is tried.
    pub limits: BuildLimits,
}

/// How far the builder is.
#[derive(Debug, Clone, Default)]
struct News {
    tried: u64,
    of: u64,
    proving: bool,
    best: Option<Arc<Built>>,
}

impl News {
    fn take(&mut self, progress: &BuildProgress<'_>) {
        (self.tried, self.of, self.proving) = (progress.tried, progress.of, progress.proving);
        if self.best.as_ref().is_none_or(|best| best.value < progress.best.value) {
            self.best = Some(Arc::new(progress.best.clone()));
        }
    }
}

/// A building that runs. Dropping it ends it.
pub struct Run {
    began: Instant,
    cancel: Arc<AtomicBool>,
    news: Arc<Mutex<News>>,
    result: Receiver<Built>,
}

impl Run {
    /// Starts it; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(order: Order, ctx: egui::Context) -> std::io::Result<Self> {
        let (send, result) = channel();
        let (cancel, news) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(News::default())));
        let (stop, told) = (Arc::clone(&cancel), Arc::clone(&news));
        std::thread::Builder::new().name("ignition".into()).spawn(move || {
            let mut progress = |progress: &BuildProgress<'_>| {
                told.lock().unwrap_or_else(PoisonError::into_inner).take(progress);
                !stop.load(Ordering::Relaxed)
            };
            let Order { blocks, ruleset, rules, limits } = order;
            let _ = send.send(build(blocks, ruleset, rules, limits, &mut progress)); // nobody waits any more
            drop(send);
            ctx.request_repaint();
        })?;
        Ok(Self { began: Instant::now(), cancel, news, result })
    }

    /// Ends it soon, with the best so far.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    fn news(&self) -> News {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The best so far.
    #[must_use]
    pub fn best(&self) -> Option<Arc<Built>> {
        self.news().best
    }

    /// How far it is, in words.
    #[must_use]
    pub fn progress(&self) -> String {
        let News { tried, of, proving, .. } = self.news();
        let does = if proving { "Proving" } else { "Building" };
        let seconds = self.began.elapsed().as_secs_f64();
        format!("{does}: {} of at most {} shapes tried, {seconds:.1} s", grouped(tried), grouped(of))
    }

    /// What was built, at the end; an error when the thread ended without it.
    #[must_use]
    pub fn take(&self) -> Option<Result<Built, String>> {
        match self.result.try_recv() {
            Ok(built) => Some(Ok(built)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err("The building ended by a fault; change anything to build again".into()))
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.cancel();
    }
}

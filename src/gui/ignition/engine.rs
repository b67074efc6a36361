//! The builder on a thread of its own; no other file of the panel calls it.

use crate::gui::background::{Background, Work};
use crate::pochi::{BuildLimits, BuildProgress, Built, Rules, Ruleset, build};
use crate::seeds::text::grouped;
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

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
pub struct Run(Background<News, Built>);

impl Run {
    /// Starts it; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(order: Order, ctx: egui::Context) -> std::io::Result<Self> {
        let run = Background::start("ignition", ctx, move |work: &Work<News>| {
            let mut progress = |progress: &BuildProgress<'_>| {
                work.news().take(progress);
                !work.cancel.load(Ordering::Relaxed)
            };
            let Order { blocks, ruleset, rules, limits } = order;
            build(blocks, ruleset, rules, limits, &mut progress)
        });
        run.map(Self)
    }

    /// Ends it soon, with the best so far.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// The best so far.
    #[must_use]
    pub fn best(&self) -> Option<Arc<Built>> {
        self.0.news().best
    }

    /// How far it is, in words.
    #[must_use]
    pub fn progress(&self) -> String {
        let News { tried, of, proving, .. } = self.0.news();
        let does = if proving { "Proving" } else { "Building" };
        let seconds = self.0.spent().as_secs_f64();
        format!("{does}: {} of at most {} shapes tried, {seconds:.1} s", grouped(tried), grouped(of))
    }

    /// What was built, at the end; an error when the thread ended without it.
    #[must_use]
    pub fn take(&self) -> Option<Result<Built, String>> {
        self.0.take("The building ended by a fault; change anything to build again")
    }
}

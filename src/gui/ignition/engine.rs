//! The background task of the builder.

use crate::gui::repaint;
use crate::pochi::{BuildLimits, BuildProgress, BuildResult, Rules, Ruleset, build};
use crate::seeds::text::grouped;
use crate::task::{Handle, Task};
use eframe::egui;
use std::sync::Arc;
use std::time::Duration;

/// How often the window shows progress.
pub const UPDATE_INTERVAL: Duration = Duration::from_millis(150);

/// The input of the builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildOrder {
    pub blocks: u32,
    pub ruleset: Ruleset,
    pub rules: Rules,
    pub limits: BuildLimits,
}

#[derive(Debug, Clone, Default)]
struct BuildNote {
    tried: u64,
    of: u64,
    proving: bool,
    best: Option<Arc<BuildResult>>,
}

impl BuildNote {
    fn take(&mut self, progress: &BuildProgress<'_>) {
        (self.tried, self.of, self.proving) = (progress.tried, progress.of, progress.proving);
        if self.best.as_ref().is_none_or(|best| best.value < progress.best.value) {
            self.best = Some(Arc::new(progress.best.clone()));
        }
    }
}

/// A running builder. Dropping it cancels it.
pub struct Run(Task<BuildResult, BuildNote>);

impl Run {
    /// Starts it; requests a repaint of `ctx` at the end.
    pub fn start(order: BuildOrder, ctx: &egui::Context) -> Self {
        Self(Task::start("ignition", repaint::waker(ctx), move |task: &Handle<BuildNote>| {
            let mut progress = |progress: &BuildProgress<'_>| {
                task.note().take(progress);
                !task.progress().is_cancelled()
            };
            let BuildOrder { blocks, ruleset, rules, limits } = order;
            build(blocks, ruleset, rules, limits, &mut progress)
        }))
    }

    /// Stops soon with the best structure so far.
    pub fn cancel(&self) {
        self.0.progress().cancel();
    }

    pub fn best(&self) -> Option<Arc<BuildResult>> {
        self.0.note().best.clone()
    }

    /// The progress as text.
    pub fn progress(&self) -> String {
        let BuildNote { tried, of, proving, .. } = *self.0.note();
        let phase = if proving { "Proving" } else { "Building" };
        let seconds = self.0.elapsed().as_secs_f64();
        format!("{phase}: {} of at most {} shapes tried, {seconds:.1} s", grouped(tried), grouped(of))
    }

    /// The result at the end; an error if there is none.
    pub fn take(&self) -> Option<Result<BuildResult, String>> {
        Some(self.0.poll()?.map_err(|error| format!("The builder {error}. Press Build to retry")))
    }
}

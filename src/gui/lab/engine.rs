//! The background measurement.

use crate::stats::{Measured, Progress, SampleSize, Subject, measure};
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

/// A running measurement. Dropping it cancels it.
pub struct Run {
    began: Instant,
    total: u64,
    progress: Arc<Progress>,
    result: Receiver<Vec<Measured>>,
}

impl Run {
    /// Starts it; requests a repaint of `ctx` at the end.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(subjects: Vec<Subject>, sample: SampleSize, ctx: egui::Context) -> std::io::Result<Self> {
        let (send, result) = channel();
        let progress = Arc::new(Progress::default());
        let theirs = Arc::clone(&progress);
        let total = sample.total().saturating_mul(subjects.len() as u64);
        std::thread::Builder::new().name("lab".into()).spawn(move || {
            if let Some(measured) = measure(&subjects, &sample, &theirs) {
                let _ = send.send(measured); // it was cancelled
            }
            drop(send);
            ctx.request_repaint();
        })?;
        Ok(Self { began: Instant::now(), total, progress, result })
    }

    /// The finished share, and the estimated remaining time.
    #[must_use]
    pub fn progress(&self) -> (f32, Option<Duration>) {
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let share = self.progress.done.load(Ordering::Relaxed) as f64 / self.total.max(1) as f64;
        let left = (share > 0.02).then(|| self.began.elapsed().mul_f64((1.0 - share).max(0.0) / share));
        #[expect(clippy::cast_possible_truncation, reason = "a share")]
        let share = share as f32;
        (share, left)
    }

    /// The result at the end; an error if the thread panicked.
    #[must_use]
    pub fn take(&self) -> Option<Result<Vec<Measured>, String>> {
        match self.result.try_recv() {
            Ok(measured) => Some(Ok(measured)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err("The measurement crashed. Press Measure to retry".into()))
            }
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

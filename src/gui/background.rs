//! A background task with progress and cancellation.

use eframe::egui;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A running task: `N` is its progress, `T` its result. Dropping it cancels it.
pub struct BackgroundTask<N, T> {
    began: Instant,
    handle: Arc<TaskHandle<N>>,
    result: Receiver<T>,
}

/// The task's side: where it reports progress and sees the cancellation.
#[derive(Debug, Default)]
pub struct TaskHandle<N> {
    /// Whether it should return soon with what it has.
    pub cancel: AtomicBool,
    progress: Mutex<N>,
}

impl<N> TaskHandle<N> {
    pub fn progress(&self) -> MutexGuard<'_, N> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Clone + Default + Send + 'static, T: Send + 'static> BackgroundTask<N, T> {
    /// Starts the task on a named thread; requests a repaint of `ctx` at the end.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(
        name: &str,
        ctx: egui::Context,
        run: impl FnOnce(&TaskHandle<N>) -> T + Send + 'static,
    ) -> std::io::Result<Self> {
        let (send, result) = channel();
        let handle = Arc::new(TaskHandle::default());
        let shared = Arc::clone(&handle);
        std::thread::Builder::new().name(name.into()).spawn(move || {
            let _ = send.send(run(&shared)); // the owner is gone
            drop(send);
            ctx.request_repaint();
        })?;
        Ok(Self { began: Instant::now(), handle, result })
    }

    #[must_use]
    pub fn progress(&self) -> N {
        self.handle.progress().clone()
    }

    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The result at the end; `fault` if the thread panicked.
    #[must_use]
    pub fn take(&self, fault: &str) -> Option<Result<T, String>> {
        match self.result.try_recv() {
            Ok(result) => Some(Ok(result)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(fault.to_owned())),
        }
    }
}

impl<N, T> BackgroundTask<N, T> {
    /// Asks the task to return soon with what it has.
    pub fn cancel(&self) {
        self.handle.cancel.store(true, Ordering::Relaxed);
    }
}

impl<N, T> Drop for BackgroundTask<N, T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

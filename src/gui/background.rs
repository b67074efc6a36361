//! Work on a thread of its own, which tells how far it is and can be ended.

use eframe::egui;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Work that runs; `N` is its news and `T` what comes of it. Dropping it ends it.
pub struct Background<N, T> {
    began: Instant,
    work: Arc<Work<N>>,
    result: Receiver<T>,
}

/// The work's side: where news are told, and whether it is to end.
#[derive(Debug, Default)]
pub struct Work<N> {
    /// Whether it is to end soon, with what there is.
    pub cancel: AtomicBool,
    news: Mutex<N>,
}

impl<N> Work<N> {
    /// The news, to be changed.
    pub fn news(&self) -> MutexGuard<'_, N> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<N: Clone + Default + Send + 'static, T: Send + 'static> Background<N, T> {
    /// Starts it on a thread of that name; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        name: &str,
        ctx: egui::Context,
        does: impl FnOnce(&Work<N>) -> T + Send + 'static,
    ) -> std::io::Result<Self> {
        let (send, result) = channel();
        let work = Arc::new(Work::default());
        let theirs = Arc::clone(&work);
        std::thread::Builder::new().name(name.into()).spawn(move || {
            let _ = send.send(does(&theirs)); // nobody waits any more
            drop(send);
            ctx.request_repaint();
        })?;
        Ok(Self { began: Instant::now(), work, result })
    }

    /// The newest news.
    #[must_use]
    pub fn news(&self) -> N {
        self.work.news().clone()
    }

    /// How long it has run.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.began.elapsed()
    }

    /// What came of it, at the end; `fault` when the thread ended without that.
    #[must_use]
    pub fn take(&self, fault: &str) -> Option<Result<T, String>> {
        match self.result.try_recv() {
            Ok(result) => Some(Ok(result)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(fault.to_owned())),
        }
    }
}

impl<N, T> Background<N, T> {
    /// Ends it soon, with what there is.
    pub fn cancel(&self) {
        self.work.cancel.store(true, Ordering::Relaxed);
    }
}

impl<N, T> Drop for Background<N, T> {
    fn drop(&mut self) {
        self.cancel();
    }
}

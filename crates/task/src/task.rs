//! Work on a thread of its own.

use crate::Progress;
use std::any::Any;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// An earlier estimate of the remaining time is too coarse.
const ESTIMATE_FROM: f64 = 0.01;

/// Why a task has no result.
#[derive(Debug)]
pub enum TaskError {
    /// The system started no thread.
    NotStarted(io::Error),
    /// The work panicked with this message.
    Panicked(String),
}

impl TaskError {
    fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::Panicked(text.unwrap_or("no message").to_owned())
    }
}

impl fmt::Display for TaskError {
    /// The rest of a sentence: "the search {error}".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted(error) => write!(f, "could not start: {error}"),
            Self::Panicked(message) => {
                write!(f, "crashed: {}", message.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }
}

impl std::error::Error for TaskError {}

/// What the work shares with its task.
#[derive(Debug, Default)]
pub struct Handle<N = ()> {
    progress: Progress,
    note: Mutex<N>,
}

impl<N> Handle<N> {
    /// The progress, and the request to end.
    #[must_use]
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// What is not a number, such as the best result so far.
    pub fn note(&self) -> MutexGuard<'_, N> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work on a thread of its own, with the result `T` and the note `N`. Dropping it cancels the work without waiting for it.
#[derive(Debug)]
pub struct Task<T, N = ()> {
    started: Instant,
    handle: Arc<Handle<N>>,
    result: Receiver<Result<T, TaskError>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static, N: Default + Send + 'static> Task<T, N> {
    /// Starts `run` on a thread of this name. `wake` is called once the result is available, or at once if there is no thread.
    #[must_use]
    pub fn start(
        name: &str,
        wake: impl Fn() + Send + Sync + 'static,
        run: impl FnOnce(&Handle<N>) -> T + Send + 'static,
    ) -> Self {
        let (send, result) = channel();
        let (handle, wake) = (Arc::new(Handle::default()), Arc::new(wake));
        let (shared, sender, waker) = (Arc::clone(&handle), send.clone(), Arc::clone(&wake));
        let work = move || {
            // What `run` leaves half done is only the note, whose users expect that.
            let ended = catch_unwind(AssertUnwindSafe(|| run(&shared)));
            let ended = ended.map_err(|payload| TaskError::of_panic(&*payload));
            let _ = sender.send(ended); // the task was dropped
            waker();
        };
        let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(work);
        let not_started = |error| {
            let _ = send.send(Err(TaskError::NotStarted(error))); // the receiver exists
            wake();
        };
        Self { started: Instant::now(), handle, result, thread: spawned.map_err(not_started).ok() }
    }
}

impl<T, N> Task<T, N> {
    /// The result at the end; None before, and after it was taken.
    #[must_use]
    pub fn poll(&self) -> Option<Result<T, TaskError>> {
        self.result.try_recv().ok()
    }

    /// As [`poll`](Self::poll), but waits for the result, at most this long. [`Duration::MAX`] waits for the end.
    pub fn wait(&self, at_most: Duration) -> Option<Result<T, TaskError>> {
        self.result.recv_timeout(at_most).ok()
    }

    /// Whether the thread has ended; the result may have been taken.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// The progress, and the request to end.
    #[must_use]
    pub fn progress(&self) -> &Progress {
        self.handle.progress()
    }

    /// The note of the work.
    pub fn note(&self) -> MutexGuard<'_, N> {
        self.handle.note()
    }

    /// The time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The estimated remaining time, once enough is done to estimate it.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let share = self.progress().share();
        (share >= ESTIMATE_FROM).then(|| self.elapsed().mul_f64((1.0 - share) / share))
    }
}

impl<T, N> Drop for Task<T, N> {
    fn drop(&mut self) {
        self.progress().cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    const LONG: Duration = Duration::from_secs(20);

    fn nothing() {}

    #[test]
    fn a_result_comes_once() {
        let task: Task<u32> = Task::start("test", nothing, |_| 7);
        assert_eq!(task.wait(LONG).unwrap().unwrap(), 7);
        while !task.is_finished() {
            std::thread::yield_now();
        }
        assert!(task.poll().is_none() && task.wait(Duration::MAX).is_none());
    }

    #[test]
    fn a_panic_is_an_error_with_its_message() {
        let text: Task<()> = Task::start("test", nothing, |_| panic!("the disk is on fire"));
        let error = text.wait(LONG).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "crashed: the disk is on fire");
        let number = 3;
        let formatted: Task<()> = Task::start("test", nothing, move |_| panic!("not\n  {number}"));
        assert_eq!(formatted.wait(LONG).unwrap().unwrap_err().to_string(), "crashed: not 3", "in one line");
        let other: Task<()> = Task::start("test", nothing, |_| std::panic::panic_any(3_u8));
        assert_eq!(other.wait(LONG).unwrap().unwrap_err().to_string(), "crashed: no message");
    }

    #[test]
    fn a_task_that_does_not_start_says_why() {
        let error = TaskError::NotStarted(io::Error::other("no threads left"));
        assert_eq!(error.to_string(), "could not start: no threads left");
    }

    #[test]
    fn dropping_a_task_cancels_it() {
        let (send, ended) = channel();
        let task: Task<()> = Task::start("test", nothing, move |task| {
            while !task.progress().is_cancelled() {
                std::thread::yield_now();
            }
            send.send(()).unwrap();
        });
        assert!(task.poll().is_none());
        drop(task);
        ended.recv_timeout(LONG).unwrap();
    }

    #[test]
    fn a_stopped_task_has_a_result_and_a_note() {
        let task: Task<u64, Option<&str>> = Task::start("test", nothing, |task| {
            task.progress().begin(100);
            *task.note() = Some("so far");
            while !task.progress().is_over() {
                std::thread::yield_now();
            }
            task.progress().add(50);
            task.progress().done()
        });
        while task.note().is_none() {
            std::thread::yield_now();
        }
        assert_eq!(task.time_left(), None, "nothing is done yet");
        task.progress().stop();
        assert_eq!(task.wait(LONG).unwrap().unwrap(), 50);
        assert!(task.time_left().is_some() && task.elapsed() > Duration::ZERO);
        assert_eq!(*task.note(), Some("so far"));
    }

    #[test]
    fn the_end_wakes_the_owner_also_after_a_panic() {
        for panics in [false, true] {
            let (woken, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
            let (wake, count) = (Arc::clone(&woken), Arc::clone(&calls));
            let wake = move || {
                count.fetch_add(1, Ordering::Relaxed);
                wake.store(true, Ordering::Release);
            };
            let task: Task<()> = Task::start("test", wake, move |_| assert!(!panics, "a fault"));
            while !woken.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            assert_eq!(task.poll().expect("the result comes before the call").is_err(), panics);
            assert_eq!(calls.load(Ordering::Relaxed), 1);
        }
    }
}

//! Reloads the user's profiles when they are edited.

use super::Library;
use notify::{EventKind, RecursiveMode, Watcher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Quiet time after the last change before the folder is read: editors save in several steps
/// (truncate and write, or write aside and rename).
const DEBOUNCE: Duration = Duration::from_millis(200);

/// The folder is read after this time even if the changes do not end.
const MAX_DELAY: Duration = Duration::from_secs(2);

/// How often a folder that does not exist, or cannot be watched, is tried again.
const RETRY: Duration = Duration::from_secs(1);

enum Message {
    /// Something in the folder changed, or the folder itself.
    Changed,
    Stop,
}

/// The watch could not be set up.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WatchError {
    #[error("the built-in profiles have no folder to watch")]
    NoFolder,
    #[error("cannot watch {path}: {reason}; profiles are read once, restart to read them again")]
    System { path: PathBuf, reason: String },
}

/// Watches the folder of a library until it is dropped; nothing is delivered afterwards.
pub struct Watcher {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Watches the folder of `library` and passes every changed library to `deliver`, on a separate thread.
    /// The folder need not exist yet. `deliver` must not drop the watcher, which waits for it to return.
    pub fn start(
        library: Library,
        deliver: impl FnMut(Arc<Library>) + Send + 'static,
    ) -> Result<Self, WatchError> {
        let folder = library.folder().ok_or(WatchError::NoFolder)?.to_owned();
        let failed = |reason: String| WatchError::System { path: folder.clone(), reason };
        let (messages, received) = channel();
        let from_system = messages.clone();
        let system = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| !matters(&event)) {
                return;
            }
            let _ = from_system.send(Message::Changed); // the thread has ended
        })
        .map_err(|error| failed(error.to_string()))?;
        let watch = Watch { system, watched: false, folder: folder.clone(), received, library, deliver };
        let thread = std::thread::Builder::new()
            .name("profiles".to_owned())
            .spawn(move || watch.run())
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { messages, thread: Some(thread) })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop); // the thread has ended
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // the thread has printed a panic of `deliver`
        }
    }
}

struct Watch<F> {
    system: notify::RecommendedWatcher,
    watched: bool,
    folder: PathBuf,
    received: Receiver<Message>,
    library: Library,
    deliver: F,
}

impl<F: FnMut(Arc<Library>)> Watch<F> {
    fn run(mut self) {
        // Something may have changed since the library was loaded.
        let mut existed = is_folder(&self.folder);
        self.watch_again();
        self.reload();
        loop {
            let first = if self.watched {
                self.received.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                self.received.recv_timeout(RETRY)
            };
            match first {
                Ok(Message::Changed) if !self.settle() => return,
                // Nothing can have changed without a folder.
                Err(RecvTimeoutError::Timeout) if !existed && !is_folder(&self.folder) => continue,
                Ok(Message::Changed) | Err(RecvTimeoutError::Timeout) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
            existed = is_folder(&self.folder);
            self.watch_again();
            self.reload();
        }
    }

    /// Waits for the changes to end; false when the watcher is dropped meanwhile.
    fn settle(&self) -> bool {
        let deadline = Instant::now() + MAX_DELAY;
        while Instant::now() < deadline {
            match self.received.recv_timeout(DEBOUNCE) {
                Ok(Message::Changed) => {}
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => return true,
            }
        }
        true
    }

    /// The folder may have been removed, or replaced by another one.
    fn watch_again(&mut self) {
        if self.watched {
            let _ = self.system.unwatch(&self.folder); // the system forgot it with the folder
        }
        self.watched =
            is_folder(&self.folder) && self.system.watch(&self.folder, RecursiveMode::NonRecursive).is_ok();
    }

    fn reload(&mut self) {
        let library = self.library.reload();
        if library != self.library {
            self.library = library;
            (self.deliver)(Arc::new(self.library.clone()));
        }
    }
}

/// Reading the folder causes access events; reacting to them would never end. Errors count: events may have been lost.
fn matters(event: &notify::Event) -> bool {
    !matches!(event.kind, EventKind::Access(_))
}

fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_the_folder_does_not_trigger_another_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.toml");
        std::fs::write(&file, "id = 1").unwrap();
        let (send, events) = channel();
        let mut system = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let _ = send.send(event.unwrap());
        })
        .unwrap();
        system.watch(folder.path(), RecursiveMode::NonRecursive).unwrap();
        for _ in 0..3 {
            assert_eq!(Library::load(Some(folder.path())).diagnostics().len(), 1);
        }
        // Events arrive in order: those before the event of this file are caused by reading.
        let last = folder.path().join("last");
        std::fs::write(&last, "").unwrap();
        loop {
            let event = events.recv_timeout(Duration::from_secs(20)).unwrap();
            if event.paths.contains(&last) {
                break;
            }
            assert!(!matters(&event), "{event:?}");
        }
    }
}

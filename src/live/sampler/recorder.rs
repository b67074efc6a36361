//! Writes what is sampled to a file, on a thread of its own: a disk may take its time, and whoever samples has none.

use crate::console::Snapshot;
use crate::live::{RecordingState, Target, topic};
use crate::profile::Profile;
use crate::recording::{BLOCK_LASTS, Event, Header, ProfileText, Sample, Writer};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Samples that wait to be written have no more bytes than this together.
const MOST_WAITING: usize = 64 << 20;

/// What goes to the thread.
enum Message {
    Begin(Box<Header>),
    Sample(Sample, usize),
    Event(Event),
}

/// What the thread tells.
#[derive(Debug, Default)]
struct Told {
    samples: u64,
    bytes: u64,
    error: Option<String>,
}

/// A recording that is being made. Dropping it ends the file.
pub struct Recorder {
    path: PathBuf,
    since: Instant,
    left_out: u64,
    /// Samples left out since the last one that was not.
    gap: u64,
    to: Option<Sender<Message>>,
    waiting: Arc<AtomicUsize>,
    told: Arc<Mutex<Told>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Begins a new file. What goes wrong, now or later, is told by [`Self::state`] and never stops whoever samples.
    pub fn start(path: PathBuf) -> Self {
        let told = Arc::new(Mutex::new(Told::default()));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (to, from) = channel();
        let begun = File::options().write(true).create_new(true).open(&path);
        let thread = begun.and_then(|file| {
            let scribe =
                Scribe { file: Some(file), writer: None, path: path.clone(), told: Arc::clone(&told) };
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new().name("recorder".into()).spawn(move || scribe.run(&from, &waiting))
        });
        let thread = thread.map_err(|error| {
            let what = if error.kind() == std::io::ErrorKind::AlreadyExists {
                "the file is there already; name another".to_owned()
            } else {
                format!("the file cannot be written: {error}")
            };
            tell_error(&told, &path, what);
        });
        Self {
            path,
            since: Instant::now(),
            left_out: 0,
            gap: 0,
            to: thread.is_ok().then_some(to),
            waiting,
            told,
            thread: thread.ok(),
        }
    }

    /// How it stands.
    pub fn state(&self) -> RecordingState {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        RecordingState {
            path: self.path.clone(),
            samples: told.samples,
            bytes: told.bytes,
            since: self.since,
            left_out: self.left_out,
            ended: self.to.is_none() || told.error.is_some(),
            error: told.error.clone(),
        }
    }

    /// Ends the file: all of it is written when this returns.
    pub fn finish(&mut self) {
        self.to = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // what it had to say it said
        }
    }

    fn say(&mut self, message: Message) {
        if let Some(to) = &self.to
            && to.send(message).is_err()
        {
            self.to = None; // it ended by an error, which it told
        }
    }

    /// The connection was made, for the first time or again.
    pub fn attached(&mut self, target: &Target, ram: &crate::console::Ram) {
        self.say(Message::Begin(Box::new(Header {
            nextscope: env!("CARGO_PKG_VERSION").into(),
            started: Header::now(),
            emulator: target.identity.clone(),
            pid: target.pid,
            found_by: target.method,
            proof: target.proof.clone(),
            ram: target.ram.clone(),
            console: target.profile.console,
            order: ram.order,
            profile: ProfileText::of(&target.profile),
        })));
    }

    /// The connection was lost.
    pub fn lost(&mut self, why: &str) {
        self.say(Message::Event(Event::Lost(why.into())));
    }

    /// Another version of the profile is used from now on.
    pub fn profile(&mut self, profile: &Profile) {
        self.say(Message::Event(Event::Profile(ProfileText::of(profile))));
    }

    /// Takes a sample, if there is room.
    pub fn sample(&mut self, snapshot: &Snapshot, frame: u64, counter: u32, now: Instant) {
        if self.to.is_none() {
            return;
        }
        let bytes = snapshot.parts().map(|(_, bytes)| bytes.len()).sum();
        if self.waiting.load(Ordering::Relaxed) + bytes > MOST_WAITING.max(bytes) {
            (self.left_out, self.gap) = (self.left_out + 1, self.gap + 1);
            return;
        }
        if self.gap > 0 {
            let what =
                format!("{} samples were left out: the disk or the processor could not follow", self.gap);
            tracing::warn!(target: topic::RECORDING, "{}: {what}", self.path.display());
            self.gap = 0;
            self.say(Message::Event(Event::Note(what)));
        }
        let elapsed = whole_micros(now.saturating_duration_since(self.since));
        let sample = Sample { snapshot: snapshot.clone(), frame, counter, elapsed };
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        self.say(Message::Sample(sample, bytes));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.finish();
    }
}

/// As a recording keeps times.
pub fn whole_micros(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn tell_error(told: &Mutex<Told>, path: &Path, what: String) {
    tracing::error!(target: topic::RECORDING, "recording into {} ended: {what}", path.display());
    told.lock().unwrap_or_else(PoisonError::into_inner).error = Some(what);
}

/// The thread.
struct Scribe {
    /// The file until the first connection, when the writer takes it.
    file: Option<File>,
    writer: Option<Writer<File>>,
    path: PathBuf,
    told: Arc<Mutex<Told>>,
}

impl Scribe {
    fn run(mut self, from: &Receiver<Message>, waiting: &AtomicUsize) {
        let mut flushed = Instant::now();
        let ended = loop {
            let done = match from.recv_timeout(BLOCK_LASTS) {
                Ok(Message::Begin(header)) => self.begin(header),
                Ok(Message::Sample(sample, bytes)) => {
                    waiting.fetch_sub(bytes, Ordering::Relaxed);
                    self.writer.as_mut().map_or(Ok(()), |writer| writer.sample(&sample))
                }
                Ok(Message::Event(event)) => {
                    self.writer.as_mut().map_or(Ok(()), |writer| writer.event(&event))
                }
                // The game stands still: what came last is not kept back.
                Err(RecvTimeoutError::Timeout) => self.writer.as_mut().map_or(Ok(()), Writer::flush),
                Err(RecvTimeoutError::Disconnected) => break self.end(),
            };
            if let Err(error) = done {
                break Err(error);
            }
            if flushed.elapsed() > Duration::from_millis(50) {
                flushed = Instant::now();
                self.tell();
            }
        };
        if let Err(error) = ended {
            self.tell();
            let what = format!("the file cannot be written: {error}; what was written before can be read");
            tell_error(&self.told, &self.path, what);
        }
    }

    fn tell(&self) {
        if let Some(writer) = &self.writer {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            (told.samples, told.bytes) = (writer.samples(), writer.bytes());
        }
    }

    fn begin(&mut self, header: Box<Header>) -> std::io::Result<()> {
        match (&mut self.writer, self.file.take()) {
            (Some(writer), _) => writer.event(&Event::Attached(header)),
            (None, Some(file)) => {
                self.writer = Some(Writer::new(file, &header)?);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// A file in which nothing was recorded is not left behind.
    fn end(&mut self) -> std::io::Result<()> {
        self.tell();
        let Some(writer) = self.writer.take() else {
            return std::fs::remove_file(&self.path);
        };
        let file = writer.finish()?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        self.told.lock().unwrap_or_else(PoisonError::into_inner).bytes = bytes;
        Ok(())
    }
}

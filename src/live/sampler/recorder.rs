//! Writes what is sampled to a file, on a thread of its own: a disk may take its time, and whoever samples has none.

use crate::console::Snapshot;
use crate::file::{Output, Overwrite, WriteError};
use crate::live::{RecordingState, Target, topic};
use crate::profile::Profile;
use crate::recording::{Event, Header, MAX_BLOCK_DURATION, ProfileText, Sample, Writer};
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
    /// Samples that went to the thread, and those that did not.
    sent: u64,
    left_out: u64,
    /// Samples left out since the last one that was not.
    gap: u64,
    to: Option<Sender<Message>>,
    waiting: Arc<AtomicUsize>,
    told: Arc<Mutex<Told>>,
    thread: Option<JoinHandle<()>>,
}

impl Recorder {
    /// Begins a file. What goes wrong, now or later, is told by [`Self::state`] and never stops whoever samples. A file that is
    /// replaced stays until there is something to record.
    pub fn start(path: PathBuf, overwrite: Overwrite) -> Self {
        let told = Arc::new(Mutex::new(Told::default()));
        let waiting = Arc::new(AtomicUsize::new(0));
        let (to, from) = channel();
        let begun = Output::create(&path, overwrite).map_err(|error| error.to_string());
        let thread = begun.and_then(|file| {
            let scribe =
                Scribe { file: Some(file), writer: None, path: path.clone(), told: Arc::clone(&told) };
            let waiting = Arc::clone(&waiting);
            let thread = std::thread::Builder::new().name("recorder".into());
            let spawned = thread.spawn(move || scribe.run(&from, &waiting));
            spawned.map_err(|error| format!("no thread to write it with: {error}"))
        });
        let thread = thread.map_err(|what| tell_error(&told, &path, what));
        Self {
            path,
            since: Instant::now(),
            sent: 0,
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
        let over = self.is_over();
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // Once the thread has ended by an error, what it was still to write is not in the file either.
        let lost = if told.error.is_some() { self.sent.saturating_sub(told.samples) } else { 0 };
        RecordingState {
            path: self.path.clone(),
            samples: told.samples,
            bytes: told.bytes,
            since: self.since,
            left_out: self.left_out + lost,
            finishing: self.to.is_none() && !over,
            ended: over || told.error.is_some(),
            error: told.error.clone(),
        }
    }

    /// Takes no more. The thread writes what it was given and ends by itself: see [`Self::is_over`].
    pub fn end(&mut self) {
        self.to = None;
    }

    /// Whether all is written that will be.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Whether the message was taken.
    fn say(&mut self, message: Message) -> bool {
        let taken = self.to.as_ref().is_some_and(|to| to.send(message).is_ok());
        if !taken {
            self.to = None; // it ended by an error, which it told
        }
        taken
    }

    /// The connection was made, for the first time or again.
    pub fn attached(&mut self, target: &Target, ram: &crate::console::Ram) {
        let _ = self.say(Message::Begin(Box::new(header(target, ram))));
    }

    /// The connection was lost.
    pub fn lost(&mut self, why: &str) {
        let _ = self.say(Message::Event(Event::Lost(why.into())));
    }

    /// Another version of the profile is used from now on.
    pub fn profile(&mut self, profile: &Profile) {
        let _ = self.say(Message::Event(Event::Profile(ProfileText::of(profile))));
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
            let _ = self.say(Message::Event(Event::Note(what)));
        }
        let elapsed = whole_micros(now.saturating_duration_since(self.since));
        let sample = Sample { snapshot: snapshot.clone(), frame, counter, elapsed };
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        self.sent += u64::from(self.say(Message::Sample(sample, bytes)));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // what it had to say it said
        }
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
    file: Option<Output>,
    writer: Option<Writer<Output>>,
    path: PathBuf,
    told: Arc<Mutex<Told>>,
}

impl Scribe {
    fn run(mut self, from: &Receiver<Message>, waiting: &AtomicUsize) {
        let mut flushed = Instant::now();
        let ended = loop {
            let done = match from.recv_timeout(MAX_BLOCK_DURATION) {
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
            let mut what = WriteError::from(error).to_string();
            if let Some(writer) = &self.writer {
                what += "; what was written before can be read";
                let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                (told.samples, told.bytes) = (writer.written(), writer.bytes());
            }
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
                let mut writer = Writer::new(file, &header)?;
                // From here on the file is there under its name, whatever becomes of this process.
                writer.to().commit()?;
                self.writer = Some(writer);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// A file in which nothing was recorded is not left behind.
    fn end(&mut self) -> std::io::Result<()> {
        self.tell();
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.flush()?;
        self.tell();
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.finish()?;
        let bytes = file.bytes()?;
        file.finish()?;
        self.told.lock().unwrap_or_else(PoisonError::into_inner).bytes = bytes;
        Ok(())
    }
}

/// What a recording says of a connection.
pub fn header(target: &Target, ram: &crate::console::Ram) -> Header {
    Header {
        nextscope: env!("CARGO_PKG_VERSION").into(),
        started: Header::now(),
        emulator: target.identity.clone(),
        pid: target.pid,
        found_by: target.method,
        evidence: target.proof.clone(),
        ram: target.ram.clone(),
        console: target.profile.console,
        order: ram.order,
        profile: ProfileText::of(&target.profile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::{ConsoleId, StorageOrder};
    use crate::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
    use crate::process::Pid;
    use crate::profile::Library;
    use crate::recording::Recording;

    fn noise(domain: &'static crate::console::Domain, state: &mut u64) -> Snapshot {
        let mut byte = || {
            // xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            state.to_le_bytes()[4]
        };
        let bytes = (0..domain.len).map(|_| byte()).collect();
        Snapshot::from_stored(domain, StorageOrder::AsOnBus, bytes).unwrap()
    }

    #[test]
    fn who_ends_a_recording_does_not_wait_for_what_is_still_to_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow.nsrec");
        let library = Library::built_in();
        let profile = library.by_id("puyo-tsu-genesis").unwrap();
        let mut recorder = Recorder::start(path.clone(), Overwrite::Refuse);
        let header = Header {
            nextscope: String::new(),
            started: 0,
            emulator: EmulatorInfo::default(),
            pid: Pid(1),
            found_by: DetectionMethod::NamedMapping,
            evidence: DetectionEvidence { anchors: Vec::new(), liveness: String::new() },
            ram: String::new(),
            console: ConsoleId::Genesis,
            order: StorageOrder::AsOnBus,
            profile: ProfileText::of(profile),
        };
        assert!(recorder.say(Message::Begin(Box::new(header))));
        let mut state = 1;
        let samples: Vec<Snapshot> =
            (0..40).map(|_| noise(ConsoleId::Genesis.domain(), &mut state)).collect();
        let now = Instant::now();
        for frame in 0..400 {
            recorder.sample(&samples[usize::try_from(frame).unwrap() % 40], frame, 0, now);
        }
        recorder.end();
        // Packing 25 MiB that cannot be packed takes longer than looking whether it is done.
        let ending = recorder.state();
        assert!(ending.finishing && !ending.ended, "{ending:?}");
        while !recorder.is_over() {
            std::thread::yield_now();
        }
        let ended = recorder.state();
        assert!(ended.ended && !ended.finishing && ended.error.is_none(), "{ended:?}");
        assert_eq!((ended.samples, ended.left_out), (400, 0));
        assert_eq!(Recording::open(&path).unwrap().len(), 400);
    }
}

//! Writes samples to a file on a separate thread, so that a slow disk does not delay sampling.

use crate::console::Snapshot;
use crate::file::{Output, Overwrite, WriteError};
use crate::live::{RecordingState, Target, topic};
use crate::profile::Profile;
use crate::recording::{Event, Header, MAX_BLOCK_DURATION, ProfileText, Sample, Writer};
use crate::task::{Handle, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The size limit of the samples that wait to be written, in bytes.
const MAX_QUEUED: usize = 64 << 20;

/// A message to the writer thread.
enum Message {
    Begin(Box<Header>),
    Sample(Sample, usize),
    Event(Event),
}

/// What the writer thread has written, or why it failed.
#[derive(Debug, Default)]
struct Written {
    samples: u64,
    bytes: u64,
    error: Option<String>,
}

/// A recording in progress. Dropping it completes the file.
pub struct Recorder {
    path: PathBuf,
    since: Instant,
    /// Samples sent to the thread.
    sent: u64,
    /// Dropped samples.
    left_out: u64,
    /// Samples dropped since the last one that was sent.
    gap: u64,
    to: Option<Sender<Message>>,
    waiting: Arc<AtomicUsize>,
    task: Task<(), Written>,
}

impl Recorder {
    /// Starts a file. Errors, now or later, are reported by [`Self::state`] and never stop sampling. A file that is to be replaced
    /// remains until the first sample.
    pub fn start(path: PathBuf, overwrite: Overwrite) -> Self {
        let waiting = Arc::new(AtomicUsize::new(0));
        let (to, from) = channel();
        let created = Output::create(&path, overwrite);
        let failed = created.as_ref().err().map(ToString::to_string);
        let (writer_path, writer_waiting) = (path.clone(), Arc::clone(&waiting));
        let task = Task::start(
            "recorder",
            || (),
            move |task| {
                let Ok(file) = created else { return };
                let writer = WriterThread { file: Some(file), writer: None, path: writer_path, task };
                writer.run(&from, &writer_waiting);
            },
        );
        let to = failed.is_none().then_some(to);
        if let Some(what) = failed {
            report_error(&mut task.note(), &path, what);
        }
        Self { path, since: Instant::now(), sent: 0, left_out: 0, gap: 0, to, waiting, task }
    }

    /// The state for the view.
    pub fn state(&self) -> RecordingState {
        let over = self.is_over();
        let mut written = self.task.note();
        if let Some(Err(error)) = self.task.poll() {
            report_error(&mut written, &self.path, format!("the writer {error}"));
        }
        let ended = over || written.error.is_some();
        // After an error, the samples that were still queued are not in the file either.
        let lost = if written.error.is_some() { self.sent.saturating_sub(written.samples) } else { 0 };
        RecordingState {
            path: self.path.clone(),
            samples: written.samples,
            bytes: written.bytes,
            since: self.since,
            left_out: self.left_out + lost,
            finishing: self.to.is_none() && !ended,
            ended,
            error: written.error.clone(),
        }
    }

    /// Stops recording. The thread writes the queued samples and then ends: see [`Self::is_over`].
    pub fn end(&mut self) {
        self.to = None;
    }

    /// Whether the file is complete.
    pub fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Whether the message was sent.
    fn send(&mut self, message: Message) -> bool {
        let taken = self.to.as_ref().is_some_and(|to| to.send(message).is_ok());
        if !taken {
            self.to = None; // the thread has ended with an error, which it reported
        }
        taken
    }

    /// Call this after each connect.
    pub fn attached(&mut self, target: &Target, ram: &crate::console::Ram) {
        let _ = self.send(Message::Begin(Box::new(header(target, ram))));
    }

    /// Call this when the connection is lost.
    pub fn lost(&mut self, why: &str) {
        let _ = self.send(Message::Event(Event::Lost(why.into())));
    }

    /// Call this when another version of the profile is used.
    pub fn profile(&mut self, profile: &Profile) {
        let _ = self.send(Message::Event(Event::Profile(ProfileText::of(profile))));
    }

    /// Queues a sample, unless the queue is full.
    pub fn sample(&mut self, snapshot: &Snapshot, frame: u64, counter: u32, now: Instant) {
        if self.to.is_none() {
            return;
        }
        let bytes = snapshot.parts().map(|(_, bytes)| bytes.len()).sum();
        if self.waiting.load(Ordering::Relaxed) + bytes > MAX_QUEUED.max(bytes) {
            (self.left_out, self.gap) = (self.left_out + 1, self.gap + 1);
            return;
        }
        if self.gap > 0 {
            let what = format!("{} samples were dropped: the disk or the processor was too slow", self.gap);
            tracing::warn!(target: topic::RECORDING, "{}: {what}", self.path.display());
            self.gap = 0;
            let _ = self.send(Message::Event(Event::Note(what)));
        }
        let elapsed = whole_micros(now.saturating_duration_since(self.since));
        let sample = Sample { snapshot: snapshot.clone(), frame, counter, elapsed };
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        self.sent += u64::from(self.send(Message::Sample(sample, bytes)));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
        self.task.wait(Duration::MAX); // errors were reported already
    }
}

/// The time in the precision of recordings.
pub fn whole_micros(time: Duration) -> Duration {
    Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
}

fn report_error(written: &mut Written, path: &Path, what: String) {
    tracing::error!(target: topic::RECORDING, "recording to {} failed: {what}", path.display());
    written.error = Some(what);
}

/// The state of the writer thread.
struct WriterThread<'a> {
    /// The file until the first connection, when the writer takes it.
    file: Option<Output>,
    writer: Option<Writer<Output>>,
    path: PathBuf,
    task: &'a Handle<Written>,
}

impl WriterThread<'_> {
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
                // The game is paused: write the last samples now.
                Err(RecvTimeoutError::Timeout) => self.writer.as_mut().map_or(Ok(()), Writer::flush),
                Err(RecvTimeoutError::Disconnected) => break self.end(),
            };
            if let Err(error) = done {
                break Err(error);
            }
            if flushed.elapsed() > Duration::from_millis(50) {
                flushed = Instant::now();
                self.update_progress();
            }
        };
        if let Err(error) = ended {
            let mut what = WriteError::from(error).to_string();
            let mut written = self.task.note();
            if let Some(writer) = &self.writer {
                what += "; the samples written before it can be read";
                (written.samples, written.bytes) = (writer.written(), writer.bytes());
            }
            report_error(&mut written, &self.path, what);
        }
    }

    fn update_progress(&self) {
        if let Some(writer) = &self.writer {
            let mut written = self.task.note();
            (written.samples, written.bytes) = (writer.samples(), writer.bytes());
        }
    }

    fn begin(&mut self, header: Box<Header>) -> std::io::Result<()> {
        match (&mut self.writer, self.file.take()) {
            (Some(writer), _) => writer.event(&Event::Attached(header)),
            (None, Some(file)) => {
                let mut writer = Writer::new(file, &header)?;
                // From here on the file exists under its name, even if this process is killed.
                writer.to().commit()?;
                self.writer = Some(writer);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// Completes the file; a file without samples is not created.
    fn end(&mut self) -> std::io::Result<()> {
        self.update_progress();
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.flush()?;
        self.update_progress();
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let file = writer.finish()?;
        let bytes = file.bytes()?;
        file.finish()?;
        self.task.note().bytes = bytes;
        Ok(())
    }
}

/// The header of a recording for a connection.
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
    fn end_does_not_wait_for_queued_samples() {
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
        assert!(recorder.send(Message::Begin(Box::new(header))));
        let mut state = 1;
        let samples: Vec<Snapshot> =
            (0..40).map(|_| noise(ConsoleId::Genesis.domain(), &mut state)).collect();
        let now = Instant::now();
        for frame in 0..400 {
            recorder.sample(&samples[usize::try_from(frame).unwrap() % 40], frame, 0, now);
        }
        recorder.end();
        // Compressing 25 MiB of noise takes longer than this check.
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

//! What a mismatch rests on, saved so that it can be shown to others and judged again: a recording of what led to it.

use super::{Judge, Mismatch, Seen, Totals, Verdict, line};
use crate::console::Snapshot;
use crate::profile::{Profile, write_whole};
use crate::recording::{EXTENSION, Header, Kept, ProfileText, Recording, Ring, Writer};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The kind of the annotation in a recording that makes it evidence.
pub const EVIDENCE: &str = "evidence";

/// Files are written for this many mismatches of a session at most; a broken emulator would fill the disk.
const MOST: usize = 200;
/// Those that are being written at the same time; for what comes meanwhile there is no evidence.
const MOST_WAITING: usize = 8;
/// What is kept in memory of what was sampled: bytes, and time.
const MOST_BYTES: usize = 16 << 20;
const MOST_TIME: Duration = Duration::from_secs(300);
/// Samples that are waited for after a mismatch: a second of what came of it.
const AFTER: u64 = 60;
/// Coming pairs and pieces of each player that are told.
const COMING: usize = 12;

/// What the annotation says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The version of the program, and with it of its models.
    pub nextscope: String,
    /// When, in seconds since 1970, UTC.
    pub unix_seconds: u64,
    /// What disagrees.
    pub mismatch: Mismatch,
    /// The number of the sample at which it was noticed.
    pub sample: u64,
    /// Whether the samples reach back to the beginning of the round before, or of the connection. Otherwise they are as many
    /// as fit.
    pub from_round_before: bool,
    /// Whether the mismatch came again when the samples were judged anew, as the file was written.
    pub reproduced: bool,
    /// How the checks stood.
    pub verdict: Verdict,
    /// The state of the game and what was foretold, one sample before; as `watch --json` tells it.
    pub before: serde_json::Value,
    /// The same at the mismatch.
    pub at: serde_json::Value,
}

impl Evidence {
    /// What a recording says of itself as evidence; None for one that is none.
    #[must_use]
    pub fn of(recording: &Recording) -> Option<Self> {
        recording.annotations(EVIDENCE).find_map(|bytes| serde_json::from_slice(&bytes).ok())
    }

    /// Whether this is the mismatch, whatever the number of the round and the frame in which long work ended.
    #[must_use]
    pub fn is_of(&self, other: &Mismatch) -> bool {
        let told = |mismatch: &Mismatch| {
            let Mismatch { check, what, expected, actual, field, index, .. } = mismatch.clone();
            (check, what, expected, actual, field, index)
        };
        told(&self.mismatch) == told(other)
    }
}

/// The folder of one session, made when the first mismatch comes.
pub struct EvidenceFolder {
    root: PathBuf,
    session: Option<PathBuf>,
    saved: usize,
    ring: Ring,
    header: Option<Header>,
    began: Instant,
    rounds: u64,
    /// Mismatches that wait for what comes after them.
    pending: VecDeque<Pending>,
    writer: Option<FileWriter>,
}

struct Pending {
    mismatch: Mismatch,
    /// The number of its sample, as the ring counts.
    sample: u64,
    path: PathBuf,
}

/// The thread that writes files.
struct FileWriter {
    jobs: Option<Sender<Job>>,
    waiting: Arc<AtomicUsize>,
    quit: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    pending: Pending,
    header: Header,
    kept: Kept,
}

impl EvidenceFolder {
    /// Evidence goes into a new folder under `root`.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            session: None,
            saved: 0,
            ring: Ring::new(MOST_BYTES, MOST_TIME),
            header: None,
            began: Instant::now(),
            rounds: 0,
            pending: VecDeque::new(),
            writer: None,
        }
    }

    /// A connection begins.
    pub fn attached(&mut self, header: Header) {
        self.ended();
        self.header = Some(header);
        self.began = Instant::now();
    }

    /// Another version of the profile is used: what was seen is judged anew from here on.
    pub fn use_profile(&mut self, profile: &Profile) {
        if let Some(header) = &mut self.header
            && header.profile.digest != profile.digest
        {
            let changed = Header { profile: ProfileText::of(profile), ..header.clone() };
            self.attached(changed);
        }
    }

    /// The connection has ended: nothing comes after the mismatches that were found.
    pub fn ended(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            self.hand_over(pending);
        }
        self.ring.clear();
    }

    /// Takes the next sample. `rounds` counts those that began so far.
    pub fn sample(&mut self, snapshot: &Snapshot, frame: u64, counter: u32, rounds: u64) {
        self.ring.push(snapshot, frame, counter, self.began.elapsed());
        if std::mem::replace(&mut self.rounds, rounds) != rounds {
            self.ring.begin_round();
        }
        let newest = self.ring.newest();
        while let Some(first) = self.pending.pop_front_if(|first| newest >= first.sample + AFTER) {
            self.hand_over(first);
        }
    }

    /// A mismatch was noticed at the newest sample: evidence of it is written a little later, and the mismatch is told where.
    pub fn save(&mut self, mismatch: &mut Mismatch) {
        let writing = self.writer.as_ref().map_or(0, |writer| writer.waiting.load(Ordering::Relaxed));
        if self.saved >= MOST || self.pending.len() + writing >= MOST_WAITING || self.ring.is_empty() {
            return;
        }
        let unix_seconds = Header::now();
        let session = self
            .session
            .get_or_insert_with(|| self.root.join(format!("{unix_seconds}-{}", std::process::id())));
        self.saved += 1;
        let path = session.join(format!("{:03}.{EXTENSION}", self.saved));
        let sample = self.ring.newest();
        self.pending.push_back(Pending { mismatch: mismatch.clone(), sample, path: path.clone() });
        mismatch.evidence = Some(path);
    }

    fn hand_over(&mut self, pending: Pending) {
        let Some(header) = self.header.clone() else { return };
        if self.writer.is_none() {
            match FileWriter::start() {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => return tracing::error!("evidence could not be saved: no thread: {error}"),
            }
        }
        if let Some(writer) = &self.writer {
            writer.take(Job { pending, header, kept: self.ring.kept() });
        }
    }
}

impl Drop for EvidenceFolder {
    fn drop(&mut self) {
        self.ended();
    }
}

impl FileWriter {
    fn start() -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let quit = Arc::new(AtomicBool::new(false));
        let (left, stop) = (Arc::clone(&waiting), Arc::clone(&quit));
        let work = move || write_all(&inbox, &left, &stop);
        let thread = std::thread::Builder::new().name("evidence".into()).spawn(work)?;
        Ok(Self { jobs: Some(jobs), waiting, quit, thread: Some(thread) })
    }

    fn take(&self, job: Job) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let taken = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        if !taken {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for FileWriter {
    /// What was handed over is written; long work is not waited for any more.
    fn drop(&mut self) {
        self.quit.store(true, Ordering::Relaxed);
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it has nothing to hand back
        }
    }
}

fn write_all(inbox: &Receiver<Job>, waiting: &AtomicUsize, quit: &Arc<AtomicBool>) {
    for job in inbox {
        let path = job.pending.path.clone();
        let written = file(&job, quit).and_then(|bytes| put(&path, &bytes));
        if let Err(error) = written {
            tracing::error!("evidence could not be saved in {}: {error}", path.display());
        }
        waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A file appears whole or not at all.
fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    write_whole(path, bytes)
}

/// What came of the samples of a recording when they were judged again.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The profile that was in use at the end.
    pub profile: Arc<Profile>,
    /// What was counted.
    pub totals: Totals,
    /// What disagrees, each with the number of the sample at which it was noticed.
    pub mismatches: Vec<(u64, Mismatch)>,
}

impl Judged {
    /// Goes through all samples; each is shown to `each` with what came of it. Samples that cannot be read are left out: the
    /// recording's damage tells of them.
    #[must_use]
    pub fn of(mut judge: Judge, mut each: impl FnMut(&Judge, &Seen)) -> Self {
        let mut mismatches = Vec::new();
        while judge.next_index() < judge.recording().len() {
            if let Ok(Some(seen)) = judge.step() {
                mismatches.extend(seen.mismatches.iter().map(|mismatch| (seen.index, mismatch.clone())));
                each(&judge, &seen);
            }
        }
        Self { profile: Arc::clone(judge.profile()), totals: judge.totals(), mismatches }
    }
}

/// Bytes that are read while more are written.
#[derive(Clone, Default)]
struct Growing(Arc<Mutex<Vec<u8>>>);

impl Growing {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The recording: samples, and what is said of them after they were judged once more.
fn file(job: &Job, quit: &Arc<AtomicBool>) -> std::io::Result<Vec<u8>> {
    let growing = Growing::default();
    let mut writer = Writer::new(growing.clone(), &job.header)?;
    for sample in job.kept.samples() {
        writer.sample(&sample)?;
    }
    writer.flush()?;
    let so_far = Recording::from_bytes(growing.bytes(), "evidence").map_err(std::io::Error::other)?;
    let judge = Judge::new(Arc::new(so_far), Vec::new()).map_err(std::io::Error::other)?;
    let sample = job.pending.sample.saturating_sub(job.kept.first);
    let mut evidence = Evidence {
        nextscope: env!("CARGO_PKG_VERSION").to_owned(),
        unix_seconds: Header::now(),
        mismatch: Mismatch { evidence: None, ..job.pending.mismatch.clone() },
        sample,
        from_round_before: job.kept.to_round_before,
        reproduced: false,
        verdict: Verdict::default(),
        before: serde_json::Value::Null,
        at: serde_json::Value::Null,
    };
    let judged = Judged::of(judge.stopped_by(quit), |judge, seen| {
        let told = || serde_json::to_value(line(&judge.view(seen), COMING, None)).unwrap_or_default();
        if seen.index + 1 == sample {
            evidence.before = told();
        } else if seen.index == sample {
            (evidence.at, evidence.verdict) = (told(), judge.verdict());
        }
    });
    evidence.reproduced = judged.mismatches.iter().any(|(_, mismatch)| evidence.is_of(mismatch));
    writer.annotate(EVIDENCE, &serde_json::to_vec(&evidence)?)?;
    writer.finish()?;
    Ok(growing.bytes())
}

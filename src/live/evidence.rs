//! What a mismatch rests on, saved so that it can be shown to others and judged again: a recording of what led to it.

use super::{FoundField, Judge, Mismatch, Observation, Seen, Totals, Verdict, line};
use crate::file::{Overwrite, write};
use crate::profile::Profile;
use crate::recording::{EXTENSION, Header, ProfileText, Recording, RingSnapshot, Sample, SampleRing, Writer};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The kind of the annotation in a recording that makes it evidence.
pub const EVIDENCE: &str = "evidence";

/// Files are written for this many mismatches of a session at most; a broken emulator would fill the disk.
const MOST: usize = 200;
/// Those that are being written at the same time; for what comes meanwhile there is no evidence.
const MOST_WAITING: usize = 8;
/// What is kept in memory of what was sampled: bytes, and time.
const MOST_BYTES: usize = 16 << 20;
const MOST_TIME: Duration = Duration::from_secs(300);
/// How often it is looked whether a file is written by now.
const WAIT: Duration = Duration::from_millis(5);
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
    /// The fields of the game that the profile does not have and that were found by content.
    #[serde(default)]
    pub found: Vec<FoundField>,
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
    ring: SampleRing,
    header: Option<Header>,
    rounds: u64,
    /// Mismatches that wait for what comes after them.
    pending: VecDeque<Pending>,
    writer: Option<FileWriter>,
    /// Of a recording, which waits while files are written, unless this is set.
    patience: Option<Arc<AtomicBool>>,
    section: Option<usize>,
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
    /// Gives long work up; None where the session's end does not.
    quit: Option<Arc<AtomicBool>>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    pending: Pending,
    header: Header,
    kept: RingSnapshot,
}

impl EvidenceFolder {
    /// Evidence goes into a new folder under `root`.
    #[must_use]
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            session: None,
            saved: 0,
            ring: SampleRing::new(MOST_BYTES, MOST_TIME),
            header: None,
            rounds: 0,
            pending: VecDeque::new(),
            writer: None,
            patience: None,
            section: None,
        }
    }

    /// The same for a recording, which can wait: each mismatch has its file, up to as many as a session writes. Once `stop` is set,
    /// no more files are begun.
    #[must_use]
    pub fn of_replay(root: PathBuf, stop: &Arc<AtomicBool>) -> Self {
        let mut folder = Self::new(root);
        folder.patience = Some(Arc::clone(stop));
        folder
    }

    /// Takes a sample of a recording that was judged just now; its mismatches are told where their evidence will be.
    pub fn follow(&mut self, judge: &Judge, seen: &mut Seen) {
        let section = judge.section();
        if self.section.replace(section) != Some(section) {
            let header = judge.recording().sections().get(section).map(|section| section.header.clone());
            if let Some(header) = header {
                self.attached(Header { profile: ProfileText::of(judge.profile()), ..header });
            }
        }
        self.use_profile(judge.profile());
        self.sample(&seen.sample, judge.totals().rounds);
        seen.mismatches.iter_mut().for_each(|mismatch| self.save(mismatch));
    }

    /// A connection begins.
    pub fn attached(&mut self, header: Header) {
        self.ended();
        self.header = Some(header);
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
    pub fn sample(&mut self, sample: &Sample, rounds: u64) {
        self.ring.push(&sample.snapshot, sample.frame, sample.counter, sample.elapsed);
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
        let busy = self.patience.is_none() && self.pending.len() + writing >= MOST_WAITING;
        if self.saved >= MOST || busy || self.ring.is_empty() {
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
            match FileWriter::start(self.patience.as_ref()) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => return tracing::error!("evidence could not be saved: no thread: {error}"),
            }
        }
        let Some(writer) = &self.writer else { return };
        if let Some(stop) = &self.patience {
            while writer.waiting.load(Ordering::Relaxed) >= MOST_WAITING && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(WAIT);
            }
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
        writer.take(Job { pending, header, kept: self.ring.snapshot() });
    }
}

impl Drop for EvidenceFolder {
    fn drop(&mut self) {
        self.ended();
    }
}

impl FileWriter {
    /// `stop` gives long work up; without it the end of the session does.
    fn start(stop: Option<&Arc<AtomicBool>>) -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let quit = stop.is_none().then(Arc::<AtomicBool>::default);
        let stop = stop.or(quit.as_ref()).cloned().unwrap_or_default();
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
    /// What was handed over is written; long work is not waited for any more, but for that of a recording.
    fn drop(&mut self) {
        if let Some(quit) = &self.quit {
            quit.store(true, Ordering::Relaxed);
        }
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
    Ok(write(path, bytes, Overwrite::Refuse)?)
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
    /// Samples whose fields the profile does not find, and why the first of them are not found.
    pub unread: Option<(u64, String)>,
}

impl Judged {
    /// Goes through all samples, or until `each`, which is shown each with what came of it, says to break off. Samples that cannot be
    /// read are left out: the recording's damage tells of them.
    #[must_use]
    pub fn of(mut judge: Judge, mut each: impl FnMut(&Judge, &Seen) -> ControlFlow<()>) -> Self {
        let mut mismatches = Vec::new();
        let mut unread: Option<(u64, String)> = None;
        while judge.next_index() < judge.recording().len() {
            let Ok(Some(seen)) = judge.step() else { continue };
            mismatches.extend(seen.mismatches.iter().map(|mismatch| (seen.index, mismatch.clone())));
            if let Some(why) = unread_for(&seen) {
                unread.get_or_insert((0, why)).0 += 1;
            }
            if each(&judge, &seen).is_break() {
                break;
            }
        }
        Self { profile: Arc::clone(judge.profile()), totals: judge.totals(), mismatches, unread }
    }

    /// What could not be read, as the end of a sentence; empty when all could.
    #[must_use]
    pub fn unread_told(&self) -> String {
        let Some((count, why)) = &self.unread else { return String::new() };
        format!("; of {count} of the {} samples the fields cannot be read: {why}", self.totals.samples)
    }
}

/// Why a sample says nothing.
fn unread_for(seen: &Seen) -> Option<String> {
    match &seen.observation {
        Err(why) => Some(why.clone()),
        Ok(observation) => observation.unreadable(),
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
        from_round_before: job.kept.includes_previous_round,
        reproduced: false,
        found: Vec::new(),
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
            evidence.found = seen.observation.as_ref().map(Observation::found_fields).unwrap_or_default();
        }
        ControlFlow::Continue(())
    });
    evidence.reproduced = judged.mismatches.iter().any(|(_, mismatch)| evidence.is_of(mismatch));
    writer.annotate(EVIDENCE, &serde_json::to_vec(&evidence)?)?;
    writer.finish()?;
    Ok(growing.bytes())
}

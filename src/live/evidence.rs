//! Evidence of a mismatch: a recording of the samples around it, which can be shared and verified again.

use super::{FoundField, Mismatch, Observation, ReplayVerifier, Totals, Verdict, VerifiedSample, line};
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

/// The kind of the annotation that marks a recording as evidence.
pub const EVIDENCE: &str = "evidence";

/// The most files of a session, so that a broken emulator does not fill the disk.
const MOST: usize = 200;
/// The most files written at the same time; mismatches beyond that have no evidence.
const MOST_WAITING: usize = 8;
/// Limits of the samples retained in memory: bytes, and time.
const MOST_BYTES: usize = 16 << 20;
const MOST_TIME: Duration = Duration::from_secs(300);
/// How often a full queue is checked again.
const WAIT: Duration = Duration::from_millis(5);
/// Samples recorded after a mismatch: one second.
const AFTER: u64 = 60;
/// Upcoming pairs and pieces of each player that are saved.
const COMING: usize = 12;

/// The content of the annotation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The version of the program and its models.
    pub nextscope: String,
    /// The time in seconds since 1970, UTC.
    pub unix_seconds: u64,
    /// The mismatch.
    pub mismatch: Mismatch,
    /// The sample at which it was detected.
    pub sample: u64,
    /// Whether the samples reach back to the start of the previous round, or of the connection. Otherwise they are limited by
    /// memory and time.
    pub from_round_before: bool,
    /// Whether the mismatch was reproduced from the samples when the file was written.
    pub reproduced: bool,
    /// The fields that the profile lacks and that were found by content.
    #[serde(default)]
    pub found: Vec<FoundField>,
    /// The results of the checks.
    pub verdict: Verdict,
    /// The state and prediction one sample before, in the format of `watch --json`.
    pub before: serde_json::Value,
    /// The same at the mismatch.
    pub at: serde_json::Value,
}

impl Evidence {
    /// The evidence in a recording; None for other recordings.
    pub fn of(recording: &Recording) -> Option<Self> {
        recording.annotations(EVIDENCE).find_map(|bytes| serde_json::from_slice(&bytes).ok())
    }

    /// Whether this is the same mismatch, except for the round number and the frame in which a long search ended.
    pub fn is_of(&self, other: &Mismatch) -> bool {
        let key = |mismatch: &Mismatch| {
            let Mismatch { check, what, expected, actual, field, index, .. } = mismatch.clone();
            (check, what, expected, actual, field, index)
        };
        key(&self.mismatch) == key(other)
    }
}

/// The evidence folder of one session, created with the first mismatch.
pub struct EvidenceFolder {
    root: PathBuf,
    session: Option<PathBuf>,
    saved: usize,
    ring: SampleRing,
    header: Option<Header>,
    rounds: u64,
    /// Mismatches that wait for the samples after them.
    pending: VecDeque<Pending>,
    writer: Option<FileWriter>,
    /// Set for a recording, where verification waits for files to be written until this flag is set.
    stop_waiting: Option<Arc<AtomicBool>>,
    section: Option<usize>,
}

struct Pending {
    mismatch: Mismatch,
    /// The sample number in the ring.
    sample: u64,
    path: PathBuf,
}

/// The thread that writes files.
struct FileWriter {
    jobs: Option<Sender<Job>>,
    waiting: Arc<AtomicUsize>,
    /// Stops long searches; None when the end of the session does not.
    quit: Option<Arc<AtomicBool>>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    pending: Pending,
    header: Header,
    ring: RingSnapshot,
}

impl EvidenceFolder {
    /// Evidence goes into a new folder under `root`.
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
            stop_waiting: None,
            section: None,
        }
    }

    /// The same for a recording: every mismatch has a file, up to the limit of a session, because verification waits for the writer.
    /// Once `stop` is set, no more files are started.
    pub fn of_replay(root: PathBuf, stop: &Arc<AtomicBool>) -> Self {
        let mut folder = Self::new(root);
        folder.stop_waiting = Some(Arc::clone(stop));
        folder
    }

    /// Processes a verified sample of a recording and sets the evidence paths of its mismatches.
    pub fn follow(&mut self, verifier: &ReplayVerifier, verified: &mut VerifiedSample) {
        let section = verifier.section();
        if self.section.replace(section) != Some(section) {
            let header = verifier.recording().sections().get(section).map(|section| section.header.clone());
            if let Some(header) = header {
                self.attached(Header { profile: ProfileText::of(verifier.profile()), ..header });
            }
        }
        self.use_profile(verifier.profile());
        self.sample(&verified.sample, verifier.totals().rounds);
        verified.mismatches.iter_mut().for_each(|mismatch| self.save(mismatch));
    }

    /// Call this when a connection starts.
    pub fn attached(&mut self, header: Header) {
        self.ended();
        self.header = Some(header);
    }

    /// Call this when another version of the profile is used: evidence starts again from here.
    pub fn use_profile(&mut self, profile: &Profile) {
        if let Some(header) = &mut self.header
            && header.profile.digest != profile.digest
        {
            let changed = Header { profile: ProfileText::of(profile), ..header.clone() };
            self.attached(changed);
        }
    }

    /// Call this when the connection ends: no more samples follow the pending mismatches.
    pub fn ended(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            self.start_writing(pending);
        }
        self.ring.clear();
    }

    /// Adds a sample. `rounds` is the number of rounds so far.
    pub fn sample(&mut self, sample: &Sample, rounds: u64) {
        self.ring.push(&sample.snapshot, sample.frame, sample.counter, sample.elapsed);
        if std::mem::replace(&mut self.rounds, rounds) != rounds {
            self.ring.begin_round();
        }
        let newest = self.ring.newest();
        while let Some(first) = self.pending.pop_front_if(|first| newest >= first.sample + AFTER) {
            self.start_writing(first);
        }
    }

    /// Saves evidence of a mismatch at the newest sample and sets its path. The file is written once the samples after it are there.
    pub fn save(&mut self, mismatch: &mut Mismatch) {
        let writing = self.writer.as_ref().map_or(0, |writer| writer.waiting.load(Ordering::Relaxed));
        let busy = self.stop_waiting.is_none() && self.pending.len() + writing >= MOST_WAITING;
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

    fn start_writing(&mut self, pending: Pending) {
        let Some(header) = self.header.clone() else { return };
        if self.writer.is_none() {
            match FileWriter::start(self.stop_waiting.as_ref()) {
                Ok(writer) => self.writer = Some(writer),
                Err(error) => {
                    return tracing::error!(
                        "evidence could not be saved: no thread could be started: {error}"
                    );
                }
            }
        }
        let Some(writer) = &self.writer else { return };
        if let Some(stop) = &self.stop_waiting {
            while writer.waiting.load(Ordering::Relaxed) >= MOST_WAITING && !stop.load(Ordering::Relaxed) {
                std::thread::sleep(WAIT);
            }
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
        writer.take(Job { pending, header, ring: self.ring.snapshot() });
    }
}

impl Drop for EvidenceFolder {
    fn drop(&mut self) {
        self.ended();
    }
}

impl FileWriter {
    /// `stop` stops long searches; without it the end of the session does.
    fn start(stop: Option<&Arc<AtomicBool>>) -> std::io::Result<Self> {
        let (jobs, inbox) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let quit = stop.is_none().then(Arc::<AtomicBool>::default);
        let writes_all = quit.is_some();
        let stop = stop.or(quit.as_ref()).cloned().unwrap_or_default();
        let work = move || write_files(&inbox, &left, &stop, writes_all);
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
    /// Writes the remaining files, but not those of a recording after `stop`. Long searches are stopped, except for a recording.
    fn drop(&mut self) {
        if let Some(quit) = &self.quit {
            quit.store(true, Ordering::Relaxed);
        }
        drop(self.jobs.take());
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("evidence could not be saved: the writer crashed");
        }
    }
}

/// Writes the files; once `quit` is set, only if it `writes_all`: on a busy disk a file can take seconds.
fn write_files(inbox: &Receiver<Job>, waiting: &AtomicUsize, quit: &Arc<AtomicBool>, writes_all: bool) {
    for job in inbox {
        if !writes_all && quit.load(Ordering::Relaxed) {
            continue; // nobody waits for a place any more
        }
        let path = job.pending.path.clone();
        let written = file(&job, quit).and_then(|bytes| write_file(&path, &bytes));
        if let Err(error) = written {
            tracing::error!("evidence could not be saved in {}: {error}", path.display());
        }
        waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Writes a file atomically.
fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(write(path, bytes, Overwrite::Refuse)?)
}

/// The result of verifying a recording again.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// The profile in use at the end.
    pub profile: Arc<Profile>,
    /// The counts.
    pub totals: Totals,
    /// The mismatches, each with the sample at which it was detected.
    pub mismatches: Vec<(u64, Mismatch)>,
    /// The number of samples with unreadable fields, and the first reason.
    pub unread: Option<(u64, String)>,
}

impl ReplayResult {
    /// Verifies all samples, or until `each`, which is called with each sample and its results, breaks. Samples that cannot be
    /// read are skipped; the recording's damage lists them.
    pub fn of(
        mut verifier: ReplayVerifier,
        mut each: impl FnMut(&ReplayVerifier, &VerifiedSample) -> ControlFlow<()>,
    ) -> Self {
        let mut mismatches = Vec::new();
        let mut unread: Option<(u64, String)> = None;
        while verifier.next_index() < verifier.recording().len() {
            let Ok(Some(verified)) = verifier.step() else { continue };
            mismatches.extend(verified.mismatches.iter().map(|mismatch| (verified.index, mismatch.clone())));
            if let Some(why) = unreadable_reason(&verified) {
                unread.get_or_insert((0, why)).0 += 1;
            }
            if each(&verifier, &verified).is_break() {
                break;
            }
        }
        Self { profile: Arc::clone(verifier.profile()), totals: verifier.totals(), mismatches, unread }
    }

    /// The unreadable samples, as the end of a sentence; empty when there are none.
    pub fn unread_summary(&self) -> String {
        let Some((count, why)) = &self.unread else { return String::new() };
        format!("; the fields cannot be read in {count} of {} samples: {why}", self.totals.samples)
    }
}

/// Why the fields of a sample cannot be read.
fn unreadable_reason(verified: &VerifiedSample) -> Option<String> {
    match &verified.observation {
        Err(why) => Some(why.clone()),
        Ok(observation) => observation.unreadable(),
    }
}

/// A buffer that can be read while a writer holds a clone.
#[derive(Clone, Default)]
struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The content of an evidence file: the samples, and the annotation after verifying them again.
fn file(job: &Job, quit: &Arc<AtomicBool>) -> std::io::Result<Vec<u8>> {
    let buffer = SharedBuffer::default();
    let mut writer = Writer::new(buffer.clone(), &job.header)?;
    for sample in job.ring.samples() {
        writer.sample(&sample)?;
    }
    writer.flush()?;
    let so_far = Recording::from_bytes(buffer.bytes(), "evidence").map_err(std::io::Error::other)?;
    let verifier = ReplayVerifier::new(Arc::new(so_far), Vec::new()).map_err(std::io::Error::other)?;
    let sample = job.pending.sample.saturating_sub(job.ring.first);
    let mut evidence = Evidence {
        nextscope: env!("CARGO_PKG_VERSION").to_owned(),
        unix_seconds: Header::now(),
        mismatch: Mismatch { evidence: None, ..job.pending.mismatch.clone() },
        sample,
        from_round_before: job.ring.includes_previous_round,
        reproduced: false,
        found: Vec::new(),
        verdict: Verdict::default(),
        before: serde_json::Value::Null,
        at: serde_json::Value::Null,
    };
    let result = ReplayResult::of(verifier.stopped_by(quit), |verifier, verified| {
        let state = || serde_json::to_value(line(&verifier.view(verified), COMING, None)).unwrap_or_default();
        if verified.index + 1 == sample {
            evidence.before = state();
        } else if verified.index == sample {
            (evidence.at, evidence.verdict) = (state(), verifier.verdict());
            evidence.found = verified.observation.as_ref().map(Observation::found_fields).unwrap_or_default();
        }
        ControlFlow::Continue(())
    });
    evidence.reproduced = result.mismatches.iter().any(|(_, mismatch)| evidence.is_of(mismatch));
    writer.annotate(EVIDENCE, &serde_json::to_vec(&evidence)?)?;
    writer.finish()?;
    Ok(buffer.bytes())
}

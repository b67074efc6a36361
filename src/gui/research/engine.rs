//! A search on its own thread: the window posts jobs and draws the view published last; it never waits.

mod worker;

use crate::console::{ConsoleId, Domain};
use crate::emulator::RamAsked;
use crate::process::Pid;
use crate::profile::Profile;
use crate::research::watch::Watch;
use crate::research::{
    BoardPattern, CellAddress, Condition, PartialRam, Progress, ReplaySnapshot, ResultTable, Search,
    Settings, Step, Value,
};
use eframe::egui;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a condition must be unchanged before its preview.
const SETTLED: Duration = Duration::from_millis(150);
/// The interval at which visible values are read.
const READ_EVERY: Duration = Duration::from_millis(100);
/// The interval of previews while the memory changes.
const PREVIEW_EVERY: Duration = Duration::from_millis(500);
/// Nothing is read for a window that was not drawn for this long.
const DRAWN_WITHIN: Duration = Duration::from_millis(2500);

/// The memory to search.
#[derive(Debug, Clone)]
pub enum SearchTarget {
    /// A console's RAM in an emulator.
    Console(Pid, Arc<Profile>),
    /// A console's RAM with any game.
    AnyGame(Pid, RamAsked),
    /// All memory of a process.
    Whole(Pid),
    /// The open recording.
    Recording(ReplaySnapshot),
    /// A series of dumps.
    Dumps(Vec<PathBuf>, DumpOptions),
}

/// How to read dumps.
#[derive(Debug, Clone, Default)]
pub struct DumpOptions {
    /// The console; None identifies it by the game.
    pub console: Option<ConsoleId>,
    /// Whether the bytes of words are swapped.
    pub swapped: bool,
    /// The profiles of the games to identify.
    pub profiles: Vec<Arc<Profile>>,
}

/// A job for the worker.
#[derive(Debug)]
pub enum Job {
    /// Open this memory, with these settings unless the search continues.
    Open(SearchTarget, Settings),
    /// The type and the alignment of the next search.
    Settings(Settings),
    /// Take a step; its name.
    Step(Step, String),
    /// Undo or redo to this step.
    Go(usize),
    /// Remove cells; the step's name.
    Exclude(Vec<CellAddress>, String),
    /// Find a board.
    Board(BoardPattern),
}

/// A step of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStep {
    /// Its name.
    pub what: String,
    /// Candidates left.
    pub left: u64,
}

/// The searched memory.
#[derive(Debug, Clone)]
pub struct MemoryInfo {
    /// Its name.
    pub name: String,
    /// The console's RAM, if addresses are a console's.
    pub domain: Option<&'static Domain>,
    /// The recorded parts of the console's RAM.
    pub partial: Option<PartialRam>,
    /// Whether it changes over time.
    pub live: bool,
    /// The number of the dump, from 1, and of all dumps.
    pub dump: Option<(usize, usize)>,
}

/// The values of the visible cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// The values; None when a cell cannot be read or is invalid.
    pub now: HashMap<CellAddress, Option<Value>>,
    /// How often they changed.
    pub changes: HashMap<CellAddress, u32>,
    /// Whether changes are counted.
    pub counted: bool,
}

/// The results of a search by structure.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was searched.
    pub what: String,
    /// The table.
    pub table: ResultTable,
    /// A watch for each row.
    pub watches: Vec<Watch>,
    /// How long it took.
    pub took: Duration,
}

/// A preview.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// The condition.
    pub condition: Condition,
    /// The candidates that it would leave, or why it is invalid.
    pub left: Result<u64, String>,
}

/// A running job.
#[derive(Debug, Clone)]
pub struct Busy {
    /// Its name.
    pub what: String,
    /// Its progress.
    pub progress: Arc<Progress>,
    /// Its start.
    pub since: Instant,
}

/// What the window draws. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SearchView {
    /// The searched memory; None before it was opened.
    pub memory: Option<MemoryInfo>,
    /// The settings of the search, or of the next one.
    pub settings: Option<Settings>,
    /// The candidates; None before the first step.
    pub search: Option<Arc<Search>>,
    /// The history, including undone steps.
    pub steps: Arc<Vec<HistoryStep>>,
    /// The current step in the history.
    pub at: usize,
    /// The values of the visible cells.
    pub values: Arc<Values>,
    /// The preview of the condition in the form.
    pub preview: Option<Preview>,
    /// Frames narrowed so far, while narrowing at every frame.
    pub auto: Option<u64>,
    /// Whether no new frame came.
    pub no_frames: bool,
    /// Frames counted so far, while counting changes.
    pub counting: Option<u64>,
    /// The result of the last step.
    pub message: String,
    /// The error of the last step.
    pub error: Option<String>,
    /// The running job.
    pub busy: Option<Busy>,
    /// The results of the last search by structure.
    pub found: Option<Arc<Found>>,
}

/// Background work that the window requests.
#[derive(Debug, Default)]
struct ViewRequests {
    rows: Range<u64>,
    preview: Option<(Condition, Instant)>,
    auto: Option<Condition>,
    count: bool,
    last_drawn: Option<Instant>,
}

#[derive(Debug, Default)]
struct JobQueue {
    jobs: VecDeque<Job>,
    requests: ViewRequests,
    /// The progress of the running task, and whether other work interrupts it.
    running: Option<(Arc<Progress>, bool)>,
    quit: bool,
}

impl JobQueue {
    /// Interrupts a background task.
    fn interrupt(&self) {
        if let Some((progress, true)) = &self.running {
            progress.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<JobQueue>,
    condvar: Condvar,
    shown: Mutex<Arc<SearchView>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The data is consistent after a panic: every change is a single assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search and its thread. Dropping it stops both without waiting.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread; it requests a repaint of `ctx` when the view changes.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(ctx: egui::Context) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("research".into())
            .spawn(move || worker::Work::new(theirs, ctx).run())?;
        Ok(Self { shared, thread })
    }

    /// The view published last.
    #[must_use]
    pub fn shown(&self) -> Arc<SearchView> {
        Arc::clone(&lock(&self.shared.shown))
    }

    /// Whether the thread is running; it is not after a panic.
    #[must_use]
    pub fn works(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Posts a job.
    pub fn post(&self, job: Job) {
        self.update_queue(|queue| queue.jobs.push_back(job));
    }

    /// Cancels the running job and all queued jobs.
    pub fn cancel(&self) {
        self.update_queue(|queue| {
            queue.jobs.clear();
            if let Some((progress, _)) = &queue.running {
                progress.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
    }

    /// Sets the visible rows.
    pub fn show_rows(&self, rows: Range<u64>) {
        let mut queue = lock(&self.shared.queue);
        let was_hidden = queue.requests.last_drawn.is_none_or(|at| at.elapsed() > DRAWN_WITHIN);
        queue.requests.last_drawn = Some(Instant::now());
        if queue.requests.rows != rows || was_hidden {
            queue.requests.rows = rows;
            queue.interrupt();
            self.shared.condvar.notify_one();
        }
    }

    /// Sets the condition to preview.
    pub fn request_preview(&self, condition: Option<Condition>) {
        let mut queue = lock(&self.shared.queue);
        if queue.requests.preview.as_ref().map(|(condition, _)| condition) != condition.as_ref() {
            queue.requests.preview = condition.map(|condition| (condition, Instant::now()));
            self.shared.condvar.notify_one();
        }
    }

    /// Starts or stops narrowing at every frame.
    pub fn auto(&self, condition: Option<Condition>) {
        self.update_queue(|queue| queue.requests.auto = condition);
    }

    /// Starts or stops counting changes.
    pub fn count(&self, count: bool) {
        self.update_queue(|queue| queue.requests.count = count);
    }

    /// Whether changes are counted.
    #[must_use]
    pub fn counts(&self) -> bool {
        lock(&self.shared.queue).requests.count
    }

    fn update_queue(&self, change: impl FnOnce(&mut JobQueue)) {
        let mut queue = lock(&self.shared.queue);
        change(&mut queue);
        queue.interrupt();
        self.shared.condvar.notify_one();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        self.update_queue(|queue| queue.quit = true);
    }
}

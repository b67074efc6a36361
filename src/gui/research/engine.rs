//! A search on its own thread: the window posts jobs and draws the last published state; it never waits.

mod order;
mod sources;
mod worker;

pub use order::{Listed, MAX_SORTED, RowOrder, SortBy};

use super::cell_names::CellNames;
use crate::console::{ConsoleId, Domain};
use crate::emulator::RamQuery;
use crate::gui::repaint;
use crate::gui::sorting::Sort;
use crate::process::Pid;
use crate::profile::Profile;
use crate::research::watch::Watch;
use crate::research::{
    BoardPattern, CellAddress, Condition, PartialRam, ReplaySnapshot, ResultTable, Search, Settings, Step,
    Value,
};
use crate::task::{Progress, Task, TaskError};
use eframe::egui;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Delay before a preview of an edited condition.
const SETTLED: Duration = Duration::from_millis(150);
/// How often visible values are read.
const READ_EVERY: Duration = Duration::from_millis(100);
/// How often the preview is updated while memory changes.
const PREVIEW_EVERY: Duration = Duration::from_millis(500);
/// Reading stops when the window has not been drawn for this time.
const VIEWED_WITHIN: Duration = Duration::from_millis(2500);

/// What to search.
#[derive(Debug, Clone)]
pub enum Origin {
    /// Console RAM of a known game in an emulator.
    Console(Pid, Arc<Profile>),
    /// Console RAM of an unknown game.
    AnyGame(Pid, RamQuery),
    /// All memory of a process.
    Whole(Pid),
    /// The open recording.
    Recording(ReplaySnapshot),
    /// Dumps in the order they were made.
    Dumps(Vec<PathBuf>, DumpOf),
}

/// How to read dumps.
#[derive(Debug, Clone, Default)]
pub struct DumpOf {
    /// The console; None detects it from the game.
    pub console: Option<ConsoleId>,
    /// Whether the bytes of each word are swapped.
    pub swapped: bool,
    /// The games to detect.
    pub profiles: Vec<Arc<Profile>>,
}

#[derive(Debug)]
pub enum Job {
    /// Opens a source; type and alignment apply unless the current search continues.
    Open(Origin, Settings),
    /// Sets type and alignment of the next search.
    Settings(Settings),
    /// A step and its text.
    Step(Step, String),
    /// Undo or redo to this step of the history.
    Go(usize),
    /// Restores the search that "Start over" discarded.
    Restore,
    /// Removes cells; with the text of the step.
    Exclude(Vec<CellAddress>, String),
    /// Searches a painted board.
    Board(BoardPattern),
}

/// A step of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStep {
    /// The text of the step.
    pub what: String,
    /// Number of candidates left.
    pub left: u64,
}

#[derive(Debug, Clone)]
pub struct MemorySummary {
    /// As text.
    pub name: String,
    /// The RAM area if addresses are console addresses.
    pub domain: Option<&'static Domain>,
    /// Which part of RAM is available, if not all.
    pub partial: Option<PartialRam>,
    /// Whether it is live.
    pub live: bool,
    /// The number of the dump, from 1, and of all.
    pub dump: Option<(usize, usize)>,
}

/// Values of the visible cells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// The values; None if unreadable or invalid.
    pub now: HashMap<CellAddress, Option<Value>>,
    /// Change counts.
    pub changes: HashMap<CellAddress, u32>,
    /// Whether changes are counted.
    pub counted: bool,
}

/// The result of a search by structure.
#[derive(Debug, Clone)]
pub struct Found {
    /// The text of the search.
    pub what: String,
    /// The table.
    pub table: ResultTable,
    /// A watch for each row.
    pub watches: Vec<Watch>,
    /// How long it took.
    pub took: Duration,
}

/// The preview of a condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    pub condition: Condition,
    /// The number of candidates, or why the condition is invalid.
    pub left: Result<u64, String>,
}

/// The running job.
#[derive(Debug, Clone)]
pub struct Busy {
    pub what: String,
    pub progress: Arc<Progress>,
    pub since: Instant,
}

/// Everything that the window draws. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// The source; None until it is open.
    pub memory: Option<MemorySummary>,
    /// Settings of the current or next search.
    pub settings: Option<Settings>,
    /// The candidates; None before the first step.
    pub search: Option<Arc<Search>>,
    /// Their order in the table, if not by address.
    pub order: Option<Arc<RowOrder>>,
    /// Whether the search that "Start over" discarded can be restored.
    pub restorable: bool,
    /// All steps, including undone ones.
    pub steps: Arc<Vec<HistoryStep>>,
    /// The index of the last step that is not undone.
    pub at: usize,
    /// Values of the visible cells.
    pub values: Arc<Values>,
    /// The preview of the edited condition.
    pub preview: Option<Preview>,
    /// Number of frames searched while "Every frame" is on.
    pub auto: Option<u64>,
    /// Whether the game is paused while frames are awaited.
    pub still: bool,
    /// Number of frames with counted changes, while counting.
    pub counting: Option<u64>,
    /// The result of the last step.
    pub message: String,
    /// The error of the last step.
    pub error: Option<String>,
    /// The running job.
    pub busy: Option<Busy>,
    /// The result of the last search by structure.
    pub found: Option<Arc<Found>>,
}

/// Requests that apply until changed.
#[derive(Debug, Default)]
struct StandingRequests {
    rows: Range<u64>,
    preview: Option<(Condition, Instant)>,
    auto: Option<Condition>,
    count: bool,
    sort: Option<Sort<SortBy>>,
    /// The names by which results are sorted.
    names: Option<CellNames>,
    viewed: Option<Instant>,
}

/// Shared between window and worker.
#[derive(Debug, Default)]
struct JobQueue {
    jobs: VecDeque<Job>,
    requests: StandingRequests,
    /// The running job, and whether a new job interrupts it.
    running: Option<(Arc<Progress>, bool)>,
    quit: bool,
}

impl JobQueue {
    /// Interrupts a job that only waits.
    fn interrupt(&self) {
        if let Some((progress, true)) = &self.running {
            progress.cancel();
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<JobQueue>,
    condvar: Condvar,
    shown: Mutex<Arc<Shown>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The value is consistent after a panic: each change is one assignment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search and its thread. Dropping it stops both without waiting.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
    task: Task<()>,
}

impl Worker {
    /// Starts it; requests a repaint of `ctx` for every new state.
    pub fn start(ctx: &egui::Context) -> Self {
        let shared = Arc::<Shared>::default();
        let work = worker::Work::new(Arc::clone(&shared), ctx.clone());
        let task = Task::start("research", repaint::waker(ctx), move |_| work.run());
        Self { shared, task }
    }

    /// The last published state.
    pub fn shown(&self) -> Arc<Shown> {
        Arc::clone(&lock(&self.shared.shown))
    }

    /// Why the thread has ended; None while it runs.
    pub fn error(&self) -> Option<TaskError> {
        self.task.poll()?.err()
    }

    /// Posts a job.
    pub fn post(&self, job: Job) {
        self.change(|queue| queue.jobs.push_back(job));
    }

    /// Cancels the running job and discards waiting ones.
    pub fn cancel(&self) {
        self.change(|queue| {
            queue.jobs.clear();
            if let Some((progress, _)) = &queue.running {
                progress.cancel();
            }
        });
    }

    /// Sets the visible rows.
    pub fn set_visible(&self, rows: Range<u64>) {
        let mut queue = lock(&self.shared.queue);
        let slept = queue.requests.viewed.is_none_or(|at| at.elapsed() > VIEWED_WITHIN);
        queue.requests.viewed = Some(Instant::now());
        if queue.requests.rows != rows || slept {
            queue.requests.rows = rows;
            queue.interrupt();
            self.shared.condvar.notify_one();
        }
    }

    /// Sets the condition to preview.
    pub fn preview(&self, condition: Option<Condition>) {
        let mut queue = lock(&self.shared.queue);
        if queue.requests.preview.as_ref().map(|(condition, _)| condition) != condition.as_ref() {
            queue.requests.preview = condition.map(|condition| (condition, Instant::now()));
            self.shared.condvar.notify_one();
        }
    }

    /// Starts or stops the search of every frame.
    pub fn auto(&self, condition: Option<Condition>) {
        self.change(|queue| queue.requests.auto = condition);
    }

    /// Sorts the results; None sorts by address. `names` are those of the cells.
    pub fn sort(&self, sort: Option<Sort<SortBy>>, names: Option<CellNames>) {
        self.change(|queue| (queue.requests.sort, queue.requests.names) = (sort, names));
    }

    /// Starts or stops counting changes.
    pub fn count(&self, count: bool) {
        self.change(|queue| queue.requests.count = count);
    }

    /// Whether changes are counted.
    pub fn counts(&self) -> bool {
        lock(&self.shared.queue).requests.count
    }

    fn change(&self, change: impl FnOnce(&mut JobQueue)) {
        let mut queue = lock(&self.shared.queue);
        change(&mut queue);
        queue.interrupt();
        self.shared.condvar.notify_one();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        self.change(|queue| queue.quit = true);
    }
}

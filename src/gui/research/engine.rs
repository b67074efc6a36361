//! A search on a thread of its own: the window says what is wanted and draws what was published last; it never waits.

mod worker;

use crate::console::{ConsoleId, Domain};
use crate::emulator::RamQuery;
use crate::process::Pid;
use crate::profile::Profile;
use crate::research::watch::Watch;
use crate::research::{
    Condition, Painted, Partial, Place, Played, Progress, Search, Settings, Step, Told, Value,
};
use eframe::egui;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A wish to look ahead is followed when it has stood for so long.
const SETTLED: Duration = Duration::from_millis(150);
/// How often values in sight are read anew.
const READ_EVERY: Duration = Duration::from_millis(100);
/// How often one looks ahead anew, while the memory changes.
const AHEAD_EVERY: Duration = Duration::from_millis(500);
/// Nothing is read for a window that has not been drawn for so long.
const LOOKED_WITHIN: Duration = Duration::from_millis(2500);

/// Where to search.
#[derive(Debug, Clone)]
pub enum Origin {
    /// The RAM of the console in an emulator.
    Console(Pid, Arc<Profile>),
    /// The RAM of a console whose game nobody knows.
    Told(Pid, RamQuery),
    /// All memory of a process.
    Whole(Pid),
    /// The recording that is played.
    Played(Played),
    /// Dumps made one after another.
    Dumps(Vec<PathBuf>, DumpOf),
}

/// Whose dumps they are.
#[derive(Debug, Clone, Default)]
pub struct DumpOf {
    /// The console; None when the game that stands in it tells.
    pub console: Option<ConsoleId>,
    /// Whether the bytes of each word are swapped.
    pub swapped: bool,
    /// The games that are looked for in it.
    pub profiles: Vec<Arc<Profile>>,
}

/// What the worker is to do.
#[derive(Debug)]
pub enum Job {
    /// Search there, by that type and alignment unless the search goes on.
    Open(Origin, Settings),
    /// The type and the alignment of the next search.
    Settings(Settings),
    /// Make a step; the words for it.
    Step(Step, String),
    /// Go to that step of the history, back or forth.
    Go(usize),
    /// Take cells out; the words for it.
    Exclude(Vec<Place>, String),
    /// Look for a board.
    Board(Painted),
}

/// A step of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// What was asked.
    pub what: String,
    /// Candidates that it left.
    pub left: u64,
}

/// What is searched.
#[derive(Debug, Clone)]
pub struct Where {
    /// In words.
    pub name: String,
    /// The console's RAM area, where addresses are a console's.
    pub domain: Option<&'static Domain>,
    /// What of the console's RAM there is, when that is not all of it.
    pub partial: Option<Partial>,
    /// Whether it changes by itself.
    pub live: bool,
    /// The number of the dump, from 1, and of all.
    pub dump: Option<(usize, usize)>,
}

/// What the cells in sight hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Values {
    /// Their values; None of those that cannot be read or hold none.
    pub now: HashMap<Place, Option<Value>>,
    /// How often they changed.
    pub changes: HashMap<Place, u32>,
    /// Whether changes are counted.
    pub counted: bool,
}

/// What a search by structure found.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was looked for.
    pub what: String,
    /// The table.
    pub told: Told,
    /// A watch for each line of it.
    pub watches: Vec<Watch>,
    /// How long it took.
    pub took: Duration,
}

/// What would be left.
#[derive(Debug, Clone, PartialEq)]
pub struct Ahead {
    /// If this were asked.
    pub condition: Condition,
    /// Candidates, or why it cannot be asked.
    pub left: Result<u64, String>,
}

/// Something long that is being done.
#[derive(Debug, Clone)]
pub struct Busy {
    /// What.
    pub what: String,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// Since when.
    pub since: Instant,
}

/// Everything that the window draws. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// What is searched; None before it was reached.
    pub ground: Option<Where>,
    /// What the search goes by, or the next one will.
    pub settings: Option<Settings>,
    /// The candidates; None before the first step.
    pub search: Option<Arc<Search>>,
    /// The steps made so far, those taken back included.
    pub steps: Arc<Vec<Passed>>,
    /// Which of them is the last that counts.
    pub at: usize,
    /// What the cells in sight hold.
    pub values: Arc<Values>,
    /// What the condition that is put together would leave.
    pub ahead: Option<Ahead>,
    /// Frames at which was narrowed, while that goes on.
    pub auto: Option<u64>,
    /// Whether the game stands still while frames are waited for.
    pub still: bool,
    /// Frames whose changes were counted, while that goes on.
    pub counting: Option<u64>,
    /// What came of the last step.
    pub said: String,
    /// What went wrong with it.
    pub trouble: Option<String>,
    /// What is being done.
    pub busy: Option<Busy>,
    /// What the last search by structure found.
    pub found: Option<Arc<Found>>,
}

/// What is wanted as long as nothing else is said.
#[derive(Debug, Default)]
struct AttachMode {
    rows: Range<u64>,
    ahead: Option<(Condition, Instant)>,
    auto: Option<Condition>,
    count: bool,
    looked: Option<Instant>,
}

/// What lies between window and worker.
#[derive(Debug, Default)]
struct Desk {
    jobs: VecDeque<Job>,
    wish: AttachMode,
    /// What is being done, and whether it gives way to whatever comes.
    running: Option<(Arc<Progress>, bool)>,
    quit: bool,
}

impl Desk {
    /// What only passes the time ends.
    fn interrupt(&self) {
        if let Some((progress, true)) = &self.running {
            progress.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    desk: Mutex<Desk>,
    bell: Condvar,
    shown: Mutex<Arc<Shown>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left behind is whole: it is changed in one go.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A search and its thread. Dropping it ends both, without waiting.
#[derive(Debug)]
pub struct Worker {
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts it; `ctx` is asked for a frame whenever there is something new.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(ctx: egui::Context) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("research".into())
            .spawn(move || worker::Work::new(theirs, ctx).run())?;
        Ok(Self { shared, thread })
    }

    /// What was published last.
    #[must_use]
    pub fn shown(&self) -> Arc<Shown> {
        Arc::clone(&lock(&self.shared.shown))
    }

    /// Whether it works; it does not after a fault of this program.
    #[must_use]
    pub fn works(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Posts a job.
    pub fn post(&self, job: Job) {
        self.tell(|desk| desk.jobs.push_back(job));
    }

    /// Ends what is being done, and takes back what was not begun yet.
    pub fn cancel(&self) {
        self.tell(|desk| {
            desk.jobs.clear();
            if let Some((progress, _)) = &desk.running {
                progress.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
    }

    /// Says which rows are in sight.
    pub fn look(&self, rows: Range<u64>) {
        let mut desk = lock(&self.shared.desk);
        let slept = desk.wish.looked.is_none_or(|at| at.elapsed() > LOOKED_WITHIN);
        desk.wish.looked = Some(Instant::now());
        if desk.wish.rows != rows || slept {
            desk.wish.rows = rows;
            desk.interrupt();
            self.shared.bell.notify_one();
        }
    }

    /// Says for which condition to look ahead, if any.
    pub fn ahead(&self, condition: Option<Condition>) {
        let mut desk = lock(&self.shared.desk);
        if desk.wish.ahead.as_ref().map(|(condition, _)| condition) != condition.as_ref() {
            desk.wish.ahead = condition.map(|condition| (condition, Instant::now()));
            self.shared.bell.notify_one();
        }
    }

    /// Narrows at every frame from now on, or no longer.
    pub fn auto(&self, condition: Option<Condition>) {
        self.tell(|desk| desk.wish.auto = condition);
    }

    /// Counts changes from now on, or no longer.
    pub fn count(&self, count: bool) {
        self.tell(|desk| desk.wish.count = count);
    }

    /// Whether changes are to be counted.
    #[must_use]
    pub fn counts(&self) -> bool {
        lock(&self.shared.desk).wish.count
    }

    fn tell(&self, change: impl FnOnce(&mut Desk)) {
        let mut desk = lock(&self.shared.desk);
        change(&mut desk);
        desk.interrupt();
        self.shared.bell.notify_one();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        self.tell(|desk| desk.quit = true);
    }
}

//! Shared by the parts: random moments, a watched session, the pauses of the machine itself.

use nextscope::live::{Connection, Options, Sampler, Subscriber, View};
use nextscope::process::Pid;
use nextscope::profile::Library;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How soon after an emulator has died or stopped nothing may be called live any more.
pub const NOTICED_WITHIN: Duration = Duration::from_millis(400);
/// The time limit of a wait.
pub const GIVE_UP: Duration = Duration::from_secs(20);

/// splitmix64 (Steele, Lea, Flood 2014): reproducible random moments.
pub struct Random(pub u64);

impl Random {
    /// From `NEXTSCOPE_TEST_SEED`, or a fixed default; the seed is printed.
    pub fn of_test() -> Self {
        let seed = number("NEXTSCOPE_TEST_SEED").unwrap_or(20_261_121);
        println!("random moments from seed {seed}");
        Self(seed)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }

    pub fn ms_below(&mut self, bound: u64) -> Duration {
        Duration::from_millis(self.below(bound))
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }
}

/// A number from the environment: how much of a test is run.
pub fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}

/// A histogram of durations.
#[derive(Default)]
pub struct Times {
    times: Vec<Duration>,
}

impl Times {
    pub fn add(&mut self, time: Duration) {
        self.times.push(time);
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    pub fn within(&self, limit: Duration) -> usize {
        self.times.iter().filter(|time| **time <= limit).count()
    }

    fn quantile(&self, part: f64) -> Duration {
        let mut sorted = self.times.clone();
        sorted.sort_unstable();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let index = (sorted.len().saturating_sub(1) as f64 * part) as usize;
        sorted.get(index).copied().unwrap_or_default()
    }

    pub fn said(&self, limit: Duration) -> String {
        format!(
            "{} of {} within {} ms; median {} ms, 99 of 100 {} ms, slowest {} ms",
            self.within(limit),
            self.len(),
            limit.as_millis(),
            self.quantile(0.5).as_millis(),
            self.quantile(0.99).as_millis(),
            self.quantile(1.0).as_millis()
        )
    }
}

/// How long a thread was ready to run while the machine ran something else: a delay of up to that time is not
/// our fault (`/proc/PID/task/TID/schedstat`, the second number, in nanoseconds). Only Linux counts it.
pub fn held_up(task: &Path) -> Duration {
    let text = std::fs::read_to_string(task.join("schedstat")).unwrap_or_default();
    let waited = text.split_ascii_whitespace().nth(1).and_then(|number| number.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

/// The same for the calling thread.
pub fn held_up_here() -> Duration {
    held_up(Path::new("/proc/thread-self"))
}

/// Our thread with this name.
fn task_called(name: &str) -> PathBuf {
    if !cfg!(target_os = "linux") {
        return PathBuf::new();
    }
    let called =
        |task: &PathBuf| std::fs::read_to_string(task.join("comm")).is_ok_and(|comm| comm.trim_end() == name);
    crate::waiting::eventually_some(&format!("a thread that is called {name}"), || {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten().map(|entry| entry.path());
        tasks.into_iter().find(called)
    })
}

/// A session and its counts.
pub struct Session {
    pub sampler: Sampler,
    pub views: Subscriber<View>,
    /// The sampler's thread.
    task: PathBuf,
    pub noticed: Times,
    pub attached: BTreeMap<&'static str, Times>,
    /// Number of times that something was called live which no longer was.
    pub stale: u32,
    /// The same, but by no longer than the machine made the sampler wait for a core.
    pub machine_late: u32,
    /// The longest such wait while a change was to be noticed.
    pub longest_wait: Duration,
}

impl Session {
    /// One that automatically attaches to any running game of the built-in profiles.
    pub fn start() -> Self {
        let profiles = Library::built_in().profiles().to_vec();
        let sampler = Sampler::start(Options { profiles, ..Options::default() }).expect("a thread");
        let views = sampler.view();
        Self {
            sampler,
            views,
            task: task_called("sampler"),
            noticed: Times::default(),
            attached: BTreeMap::new(),
            stale: 0,
            machine_late: 0,
            longest_wait: Duration::ZERO,
        }
    }

    pub fn live_in(view: &View, pid: Pid) -> bool {
        matches!(view.connection, Connection::Live)
            && view.target.as_ref().is_some_and(|target| target.pid == pid)
    }

    /// Waits until `condition` accepts a view.
    pub fn wait(&mut self, what: &str, mut condition: impl FnMut(&View) -> bool) -> Arc<View> {
        let since = Instant::now();
        let mut view = self.views.get();
        while !condition(&view) {
            assert!(
                since.elapsed() < GIVE_UP,
                "{what}: not within {GIVE_UP:?}: {:?} {:#?}",
                view.connection,
                view.emulators
            );
            if let Some(newer) = self.views.next(Duration::from_millis(5)) {
                view = newer;
            }
        }
        view
    }

    /// Waits until this process is attached to and live; records how long it took.
    pub fn attached(&mut self, pid: Pid, since: Instant, after: &'static str) {
        self.wait(after, |view| Self::live_in(view, pid));
        self.attached.entry(after).or_default().add(since.elapsed());
    }

    /// Asserts that nothing of this process is called live from a moment after `since` on, for as long as
    /// `watch`.
    pub fn not_live(&mut self, pid: Pid, since: Instant, watch: Duration) {
        // The sampler, and this thread, which checks its views.
        let all_held_up = |task: &Path| held_up(task) + held_up_here();
        let before = all_held_up(&self.task);
        while Self::live_in(&self.views.get(), pid) {
            if since.elapsed() > GIVE_UP {
                panic!("still called live {:?} later", since.elapsed());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let took = since.elapsed();
        self.noticed.add(took);
        let waited = all_held_up(&self.task).saturating_sub(before);
        self.longest_wait = self.longest_wait.max(waited);
        if let Some(late) = took.checked_sub(NOTICED_WITHIN) {
            println!("called live {late:?} too long, of which threads of ours waited {waited:?} for a core");
            if waited >= late { self.machine_late += 1 } else { self.stale += 1 }
        }
        let end = Instant::now() + watch;
        while Instant::now() < end {
            if since.elapsed() > NOTICED_WITHIN && Self::live_in(&self.views.get(), pid) {
                self.stale += 1;
                println!("called live again {:?} later", since.elapsed());
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn no_mismatch(&mut self) -> Arc<View> {
        let view = self.views.get();
        let all: Vec<_> =
            view.earlier.iter().map(|earlier| &earlier.mismatches).chain([&view.mismatches]).collect();
        assert!(all.iter().all(|found| found.is_empty()), "a mismatch without a fault: {all:#?}");
        view
    }
}

/// Resident memory of a process in bytes.
#[cfg(target_os = "linux")]
pub fn resident(pid: u32) -> u64 {
    let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
    let pages: u64 = statm.split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    pages * crate::process_target::page() as u64
}

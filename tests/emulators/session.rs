//! What tests with real emulators share: which of them are here, a sampler to watch them with, a table of what it saw.

use super::{Kind, Running};
use nextscope::console::Snapshot;
use nextscope::live::{Connection, Options, Sampler, Totals, View};
use nextscope::profile::{Library, Profile};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// In this time an emulator runs a game. Four are started at once, MAME alone reads 300 MB, and on a cold disk that takes half a minute: how
/// fast an emulator is found is measured from the moment it runs, and not here.
pub const STARTED: Duration = Duration::from_secs(120);

/// The kinds that are installed. With `NEXTSCOPE_TEST_MUST=all` a missing one is a failure.
pub fn present(kinds: &[Kind]) -> Vec<Kind> {
    let must = std::env::var("NEXTSCOPE_TEST_MUST").is_ok_and(|value| value == "all");
    kinds
        .iter()
        .filter_map(|kind| super::windows::counterpart(*kind))
        .filter(|kind| match kind.missing() {
            Some(reason) if must => panic!("{}: {reason}", kind.name()),
            Some(reason) => {
                println!("left out: {} ({reason})", kind.name());
                false
            }
            None => true,
        })
        .collect()
}

/// Waits until a view satisfies `condition`.
pub fn wait(
    sampler: &Sampler,
    limit: Duration,
    what: &str,
    mut condition: impl FnMut(&View) -> bool,
) -> Arc<View> {
    let mut views = sampler.view();
    let mut view = Arc::default();
    let found = crate::waiting::within(limit, || {
        // It may take a while to judge a view: the same one is judged again only now and then.
        if let Some(newer) = views.next(Duration::from_millis(50)) {
            view = newer;
        }
        condition(&view).then(|| Arc::clone(&view))
    });
    found.unwrap_or_else(|| {
        panic!("{what}: not within {limit:?}; {:?} {:#?}", view.connection, view.emulators)
    })
}

pub fn live(view: &View) -> bool {
    matches!(view.connection, Connection::Live) && view.data.is_some()
}

/// A sampler that watches this emulator and no other.
pub fn sampler_of(running: &Running, profiles: Vec<Arc<Profile>>) -> Sampler {
    let options = Options { pid: Some(running.pid()), profiles, ..Options::default() };
    Sampler::start(options).expect("a thread")
}

/// The profiles that everybody has.
pub fn built_in() -> Vec<Arc<Profile>> {
    Library::built_in().profiles().to_vec()
}

/// How long an emulator without faults is watched: for so many seconds, and until the number of pairs or pieces in
/// `NEXTSCOPE_TEST_PAIRS` is verified, if it is set.
pub struct Length {
    end: Instant,
    pairs: u64,
}

impl Length {
    /// From now on.
    pub fn seconds(seconds: u64) -> Self {
        let pairs =
            std::env::var("NEXTSCOPE_TEST_PAIRS").map_or(0, |text| text.parse().expect("a number of pairs"));
        Self { end: Instant::now() + Duration::from_secs(seconds), pairs }
    }

    pub fn is_over(&self, view: &View) -> bool {
        Instant::now() > self.end && view.totals.pairs_verified >= self.pairs
    }

    /// What this takes at most: with deals as slow as half a second.
    pub fn limit(&self) -> Duration {
        let pairs = Duration::from_millis(500) * u32::try_from(self.pairs).expect("fewer pairs");
        pairs.max(self.end.saturating_duration_since(Instant::now())) + Duration::from_secs(30)
    }
}

/// The first live view, and the last after so many seconds, see [`Length`].
pub fn run_for(sampler: &Sampler, kind: Kind, seconds: u64) -> (Arc<View>, Arc<View>) {
    let first = wait(sampler, STARTED, kind.name(), live);
    let length = Length::seconds(seconds);
    let last = wait(sampler, length.limit(), kind.name(), |view| length.is_over(view) && live(view));
    (first, last)
}

/// The RAM of a live view.
pub fn ram_of(view: &View) -> &Snapshot {
    &view.data.as_ref().expect("data").snapshot
}

/// The faults that a cartridge logged while it was watched.
pub struct Watched<F> {
    /// Those that must be flagged by the last view.
    pub made: BTreeSet<F>,
    /// Those after them, which may be.
    later: BTreeSet<F>,
    pub last: Arc<View>,
}

/// Watches for so many seconds. `news` gives the faults that were logged since it was asked last.
pub fn watch_faults<F: Ord>(
    sampler: &Sampler,
    kind: Kind,
    seconds: u64,
    news: impl FnMut(&Snapshot) -> Vec<F>,
) -> Watched<F> {
    watch_faults_until(sampler, kind, seconds, || true, news)
}

/// How much longer a slow emulator may take.
const MORE: Duration = Duration::from_secs(20);

/// The same, and up to [`MORE`] longer if that was not `enough`.
pub fn watch_faults_until<F: Ord>(
    sampler: &Sampler,
    kind: Kind,
    seconds: u64,
    enough: impl Fn() -> bool,
    mut news: impl FnMut(&Snapshot) -> Vec<F>,
) -> Watched<F> {
    let mut read = |view: &View, faults: &mut BTreeSet<F>| {
        if live(view) {
            faults.extend(news(ram_of(view)));
        }
    };
    let (mut made, mut later) = (BTreeSet::new(), BTreeSet::new());
    let end = Instant::now() + Duration::from_secs(seconds);
    wait(sampler, Duration::from_secs(seconds + 30), kind.name(), |view| {
        read(view, &mut made);
        Instant::now() > if enough() { end } else { end + MORE }
    });
    // A fault is confirmed by the sample after next: what was logged by now must be flagged a moment later.
    let deadline = Instant::now() + Duration::from_millis(500);
    let last = wait(sampler, Duration::from_secs(10), kind.name(), |view| {
        read(view, &mut later);
        Instant::now() > deadline
    });
    Watched { made, later, last }
}

/// How flags and faults are held against one another.
pub struct Judge<F> {
    /// Whether this flag is what that fault must lead to.
    pub tells: fn(flag: &F, fault: &F) -> bool,
    /// Whether nobody can tell a fault when it falls between two samples; the session counts what does.
    pub can_be_unseen: fn(&F) -> bool,
}

impl<F: Ord + Debug> Watched<F> {
    /// All faults are flagged, but for what no sample saw, and nothing else is, of all flags `since` the faults were read. How
    /// many faults were flagged.
    pub fn judge(
        &self,
        kind: Kind,
        flags: &BTreeSet<F>,
        judge: &Judge<F>,
        since: impl Fn(&F) -> bool,
    ) -> usize {
        let name = kind.name();
        let missed = self.made.iter().filter(|fault| !flags.iter().any(|flag| (judge.tells)(flag, fault)));
        let (unseen, missed): (Vec<&F>, Vec<&F>) = missed.partition(|fault| (judge.can_be_unseen)(fault));
        assert!(missed.is_empty(), "{name}: not flagged at their index: {missed:?}\nflagged: {flags:?}");
        let most = usize::try_from(self.last.totals.pairs_missed).unwrap();
        assert!(unseen.len() <= most, "{name}: {most} unseen, but not flagged: {unseen:?}");
        let known = |flag: &F| self.made.iter().chain(&self.later).any(|fault| (judge.tells)(flag, fault));
        let invented: Vec<&F> = flags.iter().filter(|flag| since(flag) && !known(flag)).collect();
        assert!(invented.is_empty(), "{name}: flagged without a fault: {invented:?}");
        if !unseen.is_empty() {
            println!("{name}: {} faults were in the {most} that no sample saw", unseen.len());
        }
        self.made.len() - unseen.len()
    }
}

/// What one emulator's run showed.
pub struct Outcome {
    pub kind: Kind,
    pub method: String,
    pub attach_ms: u128,
    pub totals: Totals,
    pub flagged: usize,
}

impl Outcome {
    /// Of the first view and the last, and how many faults were flagged.
    pub fn of(kind: Kind, first: &View, last: &View, flagged: usize) -> Self {
        let target = first.target.as_ref().unwrap();
        Self {
            kind,
            method: target.method.to_string(),
            attach_ms: target.elapsed.as_millis(),
            totals: last.totals,
            flagged,
        }
    }
}

pub fn table(title: &str, outcomes: &[Outcome]) {
    println!("\n{title}");
    println!(
        "{:30} {:28} {:>9} {:>8} {:>7} {:>9} {:>8} {:>7} {:>7} {:>7}",
        "emulator",
        "found by",
        "attach ms",
        "pairs",
        "unseen",
        "rounds",
        "exactly",
        "frames",
        "missed",
        "faults"
    );
    for outcome in outcomes {
        let t = outcome.totals;
        println!(
            "{:30} {:28} {:>9} {:>8} {:>7} {:>9} {:>8} {:>7} {:>7} {:>7}",
            outcome.kind.name(),
            outcome.method,
            outcome.attach_ms,
            t.pairs_verified,
            t.pairs_missed,
            t.rounds,
            t.rounds_verified,
            t.frames,
            t.frames_missed,
            outcome.flagged
        );
    }
}

/// Runs `each` for all kinds at once, each on a thread of its own.
pub fn at_once(kinds: &[Kind], each: impl Fn(Kind) -> Outcome + Sync) -> Vec<Outcome> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = kinds
            .iter()
            .map(|&kind| {
                scope.spawn({
                    let each = &each;
                    move || each(kind)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
            .collect()
    })
}

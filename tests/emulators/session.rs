//! What tests with real emulators share: which of them are here, a sampler to watch them with, a table of what it saw.

use super::Kind;
use nextscope::live::{Connection, Sampler, Totals, View};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The kinds that are installed. With `NEXTSCOPE_TEST_MUST=all` a missing one is a failure.
pub fn present(kinds: &[Kind]) -> Vec<Kind> {
    let must = std::env::var("NEXTSCOPE_TEST_MUST").is_ok_and(|value| value == "all");
    kinds
        .iter()
        .copied()
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

/// Waits until `wanted` says yes to a view.
pub fn wait(
    sampler: &Sampler,
    limit: Duration,
    what: &str,
    mut wanted: impl FnMut(&View) -> bool,
) -> Arc<View> {
    let mut views = sampler.view();
    let deadline = Instant::now() + limit;
    let mut view = views.get();
    while !wanted(&view) {
        assert!(
            Instant::now() < deadline,
            "{what}: not within {limit:?}; {:?} {:#?}",
            view.connection,
            view.emulators
        );
        if let Some(newer) = views.next(Duration::from_millis(50)) {
            view = newer;
        }
    }
    view
}

pub fn live(view: &View) -> bool {
    matches!(view.connection, Connection::Live) && view.data.is_some()
}

/// What one emulator's run showed.
pub struct Outcome {
    pub kind: Kind,
    pub method: String,
    pub attach_ms: u128,
    pub totals: Totals,
    pub flagged: usize,
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
            t.pairs_unseen,
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

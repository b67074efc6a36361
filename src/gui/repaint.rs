//! Decides when a new view is drawn. A live game publishes sixty views a second; most of them differ only in values that
//! the regular repaints, a few a second, show well enough.

use crate::emulator::DetectionOutcome;
use crate::live::{Connection, Data, EmulatorRow, RowState, View};
use eframe::egui;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shortest and the longest time between two frames that nobody but the game caused.
const MIN_GAP: Duration = Duration::from_millis(33);
const MAX_GAP: Duration = Duration::from_millis(500);
/// The shortest time until the next frame if nothing but numbers changes: counters, ages, bytes of memory.
const REGULAR: Duration = Duration::from_millis(250);
/// The words of checks follow the pieces within this time, usually in the same frame.
const WORDS_WITHIN: Duration = Duration::from_millis(200);
/// The gap is so many times what the program needs from one frame to the next, which leaves it about a tenth of a core.
const GAP_PER_COST: u32 = 10;
/// Without a GPU the system draws on threads of its own, at most so much longer than ours.
const MAX_DRAWING: u32 = 8;

/// Spaces frames by what they cost, so that the window takes a small share of a core also without a GPU. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Pacer(Arc<Mutex<Pace>>);

#[derive(Debug, Default)]
struct Pace {
    cost: Duration,
    drawn: Option<Instant>,
    /// The processor time of the program at that frame.
    spent: Option<Duration>,
}

impl Pacer {
    /// Records a frame: what the last one cost on the thread that draws, and the processor time of the whole program, if known.
    pub fn drawn(&self, cost: Duration, spent: Option<Duration>, now: Instant) {
        let mut pace = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = spent.zip(pace.spent).map(|(now, before)| now.saturating_sub(before));
        // Searches are not the window's.
        let cost = whole.map_or(cost, |whole| whole.clamp(cost, cost * MAX_DRAWING));
        // The mean of the last few: the system may suspend the thread in the middle of one.
        pace.cost = (pace.cost * 3 + cost) / 4;
        (pace.drawn, pace.spent) = (Some(now), spent);
    }

    fn gap(&self) -> Duration {
        let cost = self.0.lock().unwrap_or_else(PoisonError::into_inner).cost;
        (cost * GAP_PER_COST).clamp(MIN_GAP, MAX_GAP)
    }

    /// Time until a frame for changed pieces, connections or checks; not zero, for which egui would draw two frames.
    pub fn delay(&self, now: Instant) -> Duration {
        let drawn = self.0.lock().unwrap_or_else(PoisonError::into_inner).drawn;
        let due = drawn.map(|drawn| (drawn + self.gap()).saturating_duration_since(now));
        due.unwrap_or_default().max(Duration::from_millis(1))
    }

    /// Time from one frame to the next if only numbers change.
    pub fn regular(&self) -> Duration {
        self.gap().max(REGULAR)
    }
}

/// The processor time of the program so far, if the system tells it.
pub fn spent() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;
        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        u64::try_from(micros).ok().map(Duration::from_micros)
    }
    #[cfg(not(target_os = "linux"))]
    {
        None
    }
}

/// What a new view changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing, or numbers that regular repaints show.
    Numbers,
    /// Words of checks that keep their results.
    Words,
    /// Pieces, results of checks, the connection, emulators, or a recording.
    Content,
}

impl Change {
    /// When the frame for this change is due.
    pub fn due(self, pacer: &Pacer, now: Instant) -> Option<Duration> {
        match self {
            Self::Numbers => None,
            Self::Words => Some(pacer.delay(now).max(WORDS_WITHIN)),
            Self::Content => Some(pacer.delay(now)),
        }
    }
}

/// Repaints the window at the end of a task.
pub fn waker(ctx: &egui::Context) -> impl Fn() + Send + Sync + use<> {
    let ctx = ctx.clone();
    move || ctx.request_repaint()
}

pub fn change(old: &View, new: &View) -> Change {
    let data = match (&old.data, &new.data) {
        (None, None) => Change::Numbers,
        (Some(old), Some(new)) => data_change(old, new),
        _ => Change::Content,
    };
    let same_target = match (&old.target, &new.target) {
        (None, None) => true,
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    };
    let same = same_target
        && same_connection(&old.connection, &new.connection)
        && old.totals.mismatches == new.totals.mismatches
        && same_recordings(old, new)
        && same_rows(&old.emulators, &new.emulators);
    if same { data } else { Change::Content }
}

pub fn needs_repaint(old: &View, new: &View) -> bool {
    change(old, new) == Change::Content
}

/// Whether both views show the same sample of a recording (unless it plays), the same analysis of it, and the same
/// state of recording.
fn same_recordings(old: &View, new: &View) -> bool {
    let playing = matches!(new.connection, Connection::Replaying { playing: true });
    let replay = match (&old.replay, &new.replay) {
        (None, None) => true,
        (Some(old), Some(new)) => {
            let known = old.mismatches.len() == new.mismatches.len() && old.complete == new.complete;
            known && (playing || old.index == new.index)
        }
        _ => false,
    };
    let state =
        |view: &View| view.recording.as_ref().map(|made| (made.ended, made.finishing, made.error.is_some()));
    replay && state(old) == state(new)
}

fn same_connection(old: &Connection, new: &Connection) -> bool {
    match (old, new) {
        (Connection::Lost { why: old, .. }, Connection::Lost { why: new, .. }) => old == new,
        _ => discriminant(old) == discriminant(new),
    }
}

/// Compares pairs and verdicts. The state of the generator, and so the round that would start now, may change every frame
/// and waits for the regular repaints.
fn data_change(old: &Data, new: &Data) -> Change {
    let forecast = match (&old.prediction, &new.prediction) {
        (None, None) => true,
        (Some(old), Some(new)) => old.same_items(new),
        _ => false,
    };
    let pools = match (&old.observation, &new.observation) {
        (Ok(old), Ok(new)) => old.same_pools(new),
        (Err(old), Err(new)) => old == new,
        _ => false,
    };
    let results = |data: &Data| -> Vec<_> {
        data.verdict.checks.iter().map(|check| (check.id, check.status)).collect()
    };
    if !forecast || !pools {
        Change::Content
    } else if Arc::ptr_eq(&old.verdict, &new.verdict) || old.verdict == new.verdict {
        Change::Numbers
    } else if results(old) == results(new) {
        Change::Words
    } else {
        Change::Content
    }
}

fn same_rows(old: &Arc<Vec<EmulatorRow>>, new: &Arc<Vec<EmulatorRow>>) -> bool {
    Arc::ptr_eq(old, new)
        || (old.len() == new.len() && old.iter().zip(new.iter()).all(|(old, new)| same_row(old, new)))
}

fn same_row(old: &EmulatorRow, new: &EmulatorRow) -> bool {
    let state = match (&old.state, &new.state) {
        (RowState::NotFound(old), RowState::NotFound(new))
        | (RowState::Refused(old), RowState::Refused(new)) => old == new,
        (old, new) => discriminant(old) == discriminant(new),
    };
    let outcome = |row: &EmulatorRow| {
        row.report.as_ref().map(|report| discriminant::<DetectionOutcome>(&report.outcome))
    };
    state && old.pid == new.pid && old.identity == new.identity && outcome(old) == outcome(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::{DetectionReport, EmulatorInfo};
    use crate::process::Pid;
    fn row(outcome: DetectionOutcome, elapsed_ms: u64) -> EmulatorRow {
        let (pid, identity) = (Pid(1), EmulatorInfo::default());
        let elapsed = Duration::from_millis(elapsed_ms);
        let report =
            DetectionReport { pid, identity: identity.clone(), attempts: Vec::new(), outcome, elapsed };
        EmulatorRow {
            pid,
            identity,
            program: "x".into(),
            state: RowState::NoGame,
            report: Some(Arc::new(report)),
        }
    }

    fn with(row: EmulatorRow) -> View {
        View { emulators: Arc::new(vec![row]), ..View::default() }
    }

    #[test]
    fn a_search_that_ends_alike_is_not_worth_a_frame() {
        let (old, new) = (with(row(DetectionOutcome::NoGame, 3)), with(row(DetectionOutcome::NoGame, 5)));
        assert!(!needs_repaint(&old, &new));
        assert!(needs_repaint(&old, &with(row(DetectionOutcome::NotFound, 3))));
        assert!(needs_repaint(&old, &View::default()));
    }

    #[test]
    fn a_change_of_the_connection_is_worth_a_frame() {
        let lost = |why: &str| View {
            connection: Connection::Lost { why: why.into(), since: Instant::now() },
            ..View::default()
        };
        assert!(needs_repaint(&View::default(), &lost("closed")));
        assert!(!needs_repaint(&lost("closed"), &lost("closed")));
        assert!(needs_repaint(&lost("closed"), &lost("refused")));
    }

    #[test]
    fn frames_are_spaced_by_their_cost() {
        let (pacer, now) = (Pacer::default(), Instant::now());
        let ms = Duration::from_millis;
        let draw = |cost: u64, whole: Option<u64>| {
            let mut spent = 0;
            for _ in 0..40 {
                spent += whole.unwrap_or_default();
                pacer.drawn(ms(cost), whole.map(|_| ms(spent)), now);
            }
        };
        assert_eq!(pacer.delay(now), ms(1), "the first frame waits for nothing");
        draw(2, None);
        assert_eq!((pacer.delay(now), pacer.regular()), (MIN_GAP, REGULAR));
        assert_eq!(pacer.delay(now + ms(100)), ms(1), "the gap has passed");
        draw(5, Some(30));
        assert!((ms(295)..=ms(300)).contains(&pacer.delay(now)), "drawn by other threads: {pacer:?}");
        assert_eq!(pacer.regular(), pacer.delay(now), "a slow machine draws numbers less often");
        draw(2, Some(10_000));
        assert!(pacer.delay(now) <= ms(161), "a search is not the window's: {pacer:?}");
        draw(1000, None);
        assert_eq!((pacer.delay(now), pacer.regular()), (MAX_GAP, MAX_GAP));
        assert_eq!(Change::Numbers.due(&pacer, now), None);
        assert_eq!(Change::Content.due(&pacer, now + ms(1000)), Some(ms(1)));
        assert_eq!(Change::Words.due(&pacer, now + ms(1000)), Some(WORDS_WITHIN));
    }
}

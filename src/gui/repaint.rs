//! Decides whether a new view needs an immediate repaint. A live game publishes sixty views a second; most of them
//! differ only in values that the regular five repaints a second show well enough.

use crate::emulator::DetectionOutcome;
use crate::live::{Connection, Data, EmulatorRow, RowState, View};
use eframe::egui;
use std::mem::discriminant;
use std::sync::Arc;

/// Repaints the window at the end of a task.
pub fn waker(ctx: &egui::Context) -> impl Fn() + Send + Sync + use<> {
    let ctx = ctx.clone();
    move || ctx.request_repaint()
}

pub fn needs_repaint(old: &View, new: &View) -> bool {
    let same_data = match (&old.data, &new.data) {
        (None, None) => true,
        (Some(old), Some(new)) => same_prediction(old, new),
        _ => false,
    };
    let same_target = match (&old.target, &new.target) {
        (None, None) => true,
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        _ => false,
    };
    let same = same_data
        && same_target
        && same_connection(&old.connection, &new.connection)
        && old.totals.mismatches == new.totals.mismatches
        && same_recordings(old, new)
        && same_rows(&old.emulators, &new.emulators);
    !same
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

/// Whether pairs and verdicts are equal. The state of the generator, and so the round that would start now, may change
/// every frame and waits for the regular repaints.
fn same_prediction(old: &Data, new: &Data) -> bool {
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
    forecast && pools && (Arc::ptr_eq(&old.verdict, &new.verdict) || old.verdict == new.verdict)
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
    use std::time::Duration;

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
            connection: Connection::Lost { why: why.into(), since: std::time::Instant::now() },
            ..View::default()
        };
        assert!(needs_repaint(&View::default(), &lost("closed")));
        assert!(!needs_repaint(&lost("closed"), &lost("closed")));
        assert!(needs_repaint(&lost("closed"), &lost("refused")));
    }
}

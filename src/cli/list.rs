//! `list`: running emulators.

use super::arguments::Global;
use super::exit::Exit;
use super::{library, output, session};
use crate::emulator::{
    DetectedGame, DetectionAttempt, DetectionOutcome, DetectionReport, EmulatorInfo, describe_ambiguity,
    detect, forked_from, likely_emulators,
};
use crate::json::Kind;
use crate::process::{ReadError, list};
use crate::text::sanitize_line;
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Search all programs that may be emulators, not only known ones
    #[arg(long)]
    all: bool,
    /// Search only this process
    #[arg(long)]
    pid: Option<u32>,
    /// Print the result of every detection method
    #[arg(long)]
    why: bool,
}

#[derive(Serialize)]
struct Answer {
    emulators: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    pid: u32,
    program: String,
    #[serde(flatten)]
    identity: EmulatorInfo,
    outcome: &'static str,
    profile: Option<String>,
    game: Option<String>,
    method: Option<String>,
    base: Option<String>,
    order: Option<String>,
    proof: Vec<String>,
    reason: Option<String>,
    attempts: Vec<DetectionAttempt>,
    elapsed_ms: f64,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let profiles = library::profiles(global)?;
    session::require_process_list()?;
    let running = list();
    let chosen = match arguments.pid {
        Some(pid) => running.into_iter().filter(|info| info.pid.0 == pid).collect::<Vec<_>>(),
        None => likely_emulators(running, true),
    };
    if let (Some(pid), true) = (arguments.pid, chosen.is_empty()) {
        return Err(session::no_process(pid).into());
    }
    let mut rows = Vec::new();
    for info in &chosen {
        let report = detect(info.pid, &profiles);
        let is_copy = arguments.pid.is_none() && forked_from(info, &chosen).is_some();
        if is_copy && !matches!(report.outcome, DetectionOutcome::Found(_)) {
            continue; // a message box of the emulator above
        }
        // Unknown programs are listed only if a game was found or the user asked for them.
        let listed = report.identity.known
            || arguments.all
            || arguments.pid.is_some()
            || matches!(
                report.outcome,
                DetectionOutcome::Found(_) | DetectionOutcome::Paused(_) | DetectionOutcome::Ambiguous(_)
            );
        if listed {
            let program =
                info.exe.as_ref().map_or_else(|| info.name.clone(), |exe| exe.display().to_string());
            rows.push(row(program, report));
        }
    }
    let found = rows.iter().any(|row| row.outcome == "found");
    if global.json {
        output::object(Kind::List, Answer { emulators: rows })?;
    } else if rows.is_empty() {
        output::line("No emulator is running. Start one with a game, or try: nextscope demo")?;
    } else {
        print(&rows, arguments.why)?;
    }
    Ok(Exit::from_answer(found))
}

fn row(program: String, report: DetectionReport) -> Row {
    let (outcome, found, reason) = match report.outcome {
        DetectionOutcome::Found(found) => ("found", Some(*found), None),
        DetectionOutcome::Paused(found) => {
            ("paused", Some(*found), Some("game not running (paused?)".to_owned()))
        }
        DetectionOutcome::Ambiguous(places) => ("ambiguous", None, Some(describe_ambiguity(&places))),
        DetectionOutcome::NoGame => ("no-game", None, Some("no known game running".to_owned())),
        DetectionOutcome::NotFound => {
            ("not-found", None, Some("console RAM not found (see --why)".to_owned()))
        }
        DetectionOutcome::Unreadable(ReadError::Refused(refusal)) => {
            ("refused", None, Some(refusal.to_string()))
        }
        DetectionOutcome::Unreadable(error) => ("unreadable", None, Some(error.to_string())),
    };
    let describe = |text: fn(&DetectedGame) -> String| found.as_ref().map(text);
    Row {
        pid: report.pid.0,
        program,
        identity: report.identity,
        outcome,
        profile: describe(|found| found.profile.id.clone()),
        game: describe(|found| found.profile.name.clone()),
        method: describe(|found| found.method.to_string()),
        base: describe(|found| found.ram.base.to_string()),
        order: describe(|found| found.ram.order.to_string()),
        proof: found
            .map_or_else(Vec::new, |f| f.evidence.anchors.into_iter().chain([f.evidence.liveness]).collect()),
        reason,
        attempts: report.attempts,
        elapsed_ms: report.elapsed.as_secs_f64() * 1000.0,
    }
}

fn print(rows: &[Row], why: bool) -> anyhow::Result<()> {
    let cells = |row: &Row| {
        let dash = || "-".to_owned();
        vec![
            row.pid.to_string(),
            row.identity.name.clone(),
            row.identity.core.clone().unwrap_or_else(dash),
            row.game.clone().unwrap_or_else(dash),
            row.profile.clone().unwrap_or_else(dash),
            match (&row.reason, &row.method) {
                (Some(reason), _) => reason.lines().next().unwrap_or_default().to_owned(),
                (None, Some(method)) => format!("{method}, {:.0} ms", row.elapsed_ms),
                (None, None) => dash(),
            },
        ]
    };
    let head = ["pid", "emulator", "core", "game", "profile", "detection"];
    output::table(&head, rows.iter().map(cells))?;
    for row in rows {
        // A refusal has remedies on the lines after the first.
        if let Some((_, remedies)) = row.reason.as_ref().and_then(|reason| reason.split_once('\n')) {
            output::line(format!("\n{}:\n{remedies}", row.pid))?;
        }
        if why {
            output::line(format!("\n{} {}", row.pid, sanitize_line(&row.program)))?;
            row.attempts.iter().try_for_each(|a| output::line(format!("  {}: {}", a.method, a.message)))?;
            row.proof.iter().try_for_each(|proof| output::line(format!("  proof: {proof}")))?;
        }
    }
    Ok(())
}

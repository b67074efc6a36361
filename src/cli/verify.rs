//! `verify`: emulator against model, with a report.

use super::progress::Judging;
use super::source::{self, Session, Source};
use super::watch::{describe_verdict, judge_still, unit};
use super::{Exit, Failure, Global, files, output};
use crate::emulator::Identity;
use crate::live::{
    Check, CheckId, Connection, EarlierTarget, Evidence, EvidenceFolder, Judge, Mismatch, NOTHING_FORETOLD,
    Status, Totals, Tracker, View,
};
use crate::report::{Format, Report as Written};
use clap::Args;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an emulator is waited for when --wait does not say.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Stop after this many whole rounds; without it, on Ctrl+C
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Stop after this many pairs that were forecast before they were drawn
    #[arg(long, value_name = "N")]
    pairs: Option<u64>,
    /// Stop at the first mismatch
    #[arg(long)]
    fail_fast: bool,
    /// Write a report with the pools drawn to this file: .html for browsers, .md for issue trackers
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Overwrite a report that exists
    #[arg(long, requires = "report")]
    force: bool,
}

/// What is told at the end.
#[derive(Serialize)]
struct Report<'a> {
    result: &'static str,
    connection: &'a str,
    pid: Option<u32>,
    emulator: Option<&'a Identity>,
    method: Option<String>,
    profile: Option<&'a str>,
    profile_digest: Option<&'a str>,
    totals: Totals,
    checks: &'a [Check],
    mismatches: &'a [Mismatch],
    /// What was attached to before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    earlier: Vec<EarlierReport<'a>>,
}

/// What was found of something that was attached to before.
#[derive(Serialize)]
struct EarlierReport<'a> {
    pid: u32,
    emulator: &'a Identity,
    profile: &'a str,
    totals: Totals,
    mismatches: &'a [Mismatch],
}

impl<'a> EarlierReport<'a> {
    fn all(view: &'a View) -> Vec<Self> {
        let report = |earlier: &'a Arc<EarlierTarget>| Self {
            pid: earlier.target.pid.0,
            emulator: &earlier.target.identity,
            profile: &earlier.target.profile.id,
            totals: earlier.totals,
            mismatches: &earlier.mismatches,
        };
        view.earlier.iter().map(report).collect()
    }
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    // Before there is anything to report.
    if let Some(path) = &arguments.report {
        report_format(path)?;
        files::check(path, arguments.force)?;
    }
    if let Some(path) = &arguments.source.dump {
        if arguments.report.is_some() {
            let what = "--report is for a running game or a recording, not for a dump";
            return Err(Failure::BadInput(what.to_owned()).into());
        }
        return verify_dump(global, path, arguments.source.frame);
    }
    if let Some(path) = &arguments.source.replay {
        return verify_replay(global, path, arguments);
    }
    let mut session = Session::start(global, &arguments.source, Some(PATIENCE))?;
    let mut views = session.sampler.view();
    let mut view = views.get();
    while !session.over() && !enough(arguments, &view.totals) && is_foretold(&view) {
        if let Some(newer) = views.next(Duration::from_millis(100)) {
            view = newer;
        }
        session.still_patient(&view)?;
    }
    drop(session); // evidence is whole from here on
    report(global, arguments, &view)
}

/// The whole recording, or as much of it as is asked for, as fast as it goes. What is found is what was found live.
fn verify_replay(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let recording = source::recording(path)?;
    let given = source::given_profiles(global)?;
    let stop = source::stop_flag();
    let judge = Judge::new(Arc::clone(&recording), given).map_err(|error| source::no_replay(path, error))?;
    let mut judge = judge.stopped_by(&stop);
    let judging = Judging::new(&judge);
    let mut last = None;
    let mut folder = arguments.source.evidence.clone().map(|folder| EvidenceFolder::of_replay(folder, &stop));
    let mut saved = Vec::new();
    while !stop.load(Ordering::Relaxed) && !enough(arguments, &judge.totals()) {
        match judge.step() {
            Ok(None) => break,
            Ok(Some(mut seen)) => {
                if let Some(folder) = &mut folder {
                    folder.follow(&judge, &mut seen);
                    saved.extend(seen.mismatches.iter().map(|mismatch| mismatch.evidence.clone()));
                }
                last = Some(seen);
            }
            Err(error) => eprintln!("nextscope: {}: {error}", path.display()),
        }
        judging.at(&judge);
    }
    drop(folder); // evidence is whole from here on
    drop(judging);
    let nothing = || View { connection: Connection::Replaying { playing: false }, ..View::default() };
    let mut view = last.map_or_else(nothing, |seen| judge.view(&seen));
    if let Some(evidence) = Evidence::of(&recording) {
        // Where it is the mismatch of which this file is the evidence, the file says what there is to say of it.
        for mismatch in Arc::make_mut(&mut view.mismatches) {
            mismatch.evidence = evidence.is_of(mismatch).then(|| path.to_owned());
        }
    }
    // Of many the view has the last.
    for (mismatch, path) in Arc::make_mut(&mut view.mismatches).iter_mut().rev().zip(saved.into_iter().rev())
    {
        mismatch.evidence = path.filter(|path| path.exists()).or(mismatch.evidence.take());
    }
    report(global, arguments, &view)
}

/// Prints what was found, and writes the report that was asked for.
fn report(global: &Global, arguments: &Arguments, view: &View) -> anyhow::Result<Exit> {
    if let Some(path) = &arguments.report {
        let text = Written::of_view(view).write(report_format(path)?);
        files::write(path, text.as_bytes(), arguments.force)?;
    }
    let checks = view.data.as_ref().map(|data| Arc::clone(&data.verdict)).unwrap_or_default();
    let target = view.target.as_deref();
    let report = Report {
        result: if view.earlier.iter().any(|earlier| earlier.totals.mismatches > 0) {
            "mismatch"
        } else {
            result(&view.totals)
        },
        connection: view.connection.word(),
        pid: target.map(|target| target.pid.0),
        emulator: target.map(|target| &target.identity),
        method: target.map(|target| target.method.to_string()),
        profile: target.map(|target| target.profile.id.as_str()),
        profile_digest: target.map(|target| target.profile.digest.as_str()),
        totals: view.totals,
        checks: &checks.checks,
        mismatches: &view.mismatches,
        earlier: EarlierReport::all(view),
    };
    if global.json {
        output::json(&report)?;
    } else {
        print(&report, view)?;
    }
    Ok(if report.result == "holds" { Exit::Yes } else { Exit::No })
}

/// What a report is to be, by the end of its name.
fn report_format(path: &Path) -> Result<Format, Failure> {
    let what = || format!("{}: a report's name ends with .html or .md", path.display());
    Format::of(path).ok_or_else(|| Failure::BadInput(what()))
}

/// A round is whole when the next one has begun.
fn enough(arguments: &Arguments, totals: &Totals) -> bool {
    arguments.rounds.is_some_and(|wanted| totals.rounds > wanted)
        || arguments.pairs.is_some_and(|wanted| totals.pairs_verified >= wanted)
        || (arguments.fail_fast && totals.mismatches > 0)
}

/// Whether there is anything to check in the game that is attached to.
fn is_foretold(view: &View) -> bool {
    view.target.as_ref().is_none_or(|target| target.profile.game.is_foretold())
}

/// Nothing verified is not agreement.
fn result(totals: &Totals) -> &'static str {
    match (totals.mismatches, totals.rounds_verified + totals.pairs_verified) {
        (0, 0) => "not-verified",
        (0, _) => "holds",
        _ => "mismatch",
    }
}

fn print(report: &Report<'_>, view: &View) -> anyhow::Result<()> {
    let Totals { rounds, rounds_verified, pairs_verified, pairs_unseen, frames, frames_missed, torn, .. } =
        report.totals;
    let Totals { landings_verified, chains_verified, landings_unseen, .. } = report.totals;
    for EarlierReport { pid, emulator, profile, totals, mismatches } in &report.earlier {
        let Totals { rounds, rounds_verified, mismatches: count, .. } = totals;
        output::line(format!(
            "Before: {} ({pid}), {profile}: rounds {rounds}, reproduced exactly {rounds_verified}, mismatches {count}",
            emulator.name
        ))?;
        print_mismatches(mismatches)?;
    }
    if let Some(target) = &view.target {
        output::line(format!(
            "{} ({}), {}, found by {}",
            target.identity.name, target.pid, target.profile.name, target.method
        ))?;
    }
    if !is_foretold(view) {
        return output::line(NOTHING_FORETOLD);
    }
    output::line(format!("{rounds} rounds, {rounds_verified} of them reproduced exactly from one state"))?;
    let unit = unit(view);
    output::line(format!("{pairs_verified} {unit} drawn as forecast, {pairs_unseen} not seen"))?;
    if landings_verified + landings_unseen > 0 {
        output::line(format!(
            "{landings_verified} boards as foretold, {chains_verified} of them after a chain, {landings_unseen} not seen"
        ))?;
    }
    output::line(format!("{frames} frames, {frames_missed} missed, {torn} torn snapshots taken again"))?;
    describe_verdict(&crate::live::Verdict { checks: report.checks.to_vec() })
        .iter()
        .try_for_each(output::line)?;
    print_mismatches(report.mismatches)?;
    output::line(match report.result {
        "holds" => "Emulator and model agree".into(),
        "not-verified" => "Nothing could be verified yet: no round was seen".into(),
        _ => {
            let earlier: u64 = report.earlier.iter().map(|earlier| earlier.totals.mismatches).sum();
            format!("{} mismatches", report.totals.mismatches + earlier)
        }
    })
}

pub fn print_mismatches(mismatches: &[Mismatch]) -> anyhow::Result<()> {
    for mismatch in mismatches {
        output::line(format!("! {mismatch}"))?;
        output::line(format!("    expected {}", mismatch.expected))?;
        output::line(format!("    actual   {}", mismatch.actual))?;
        if let Some(path) = &mismatch.evidence {
            let lost = if path.exists() { "" } else { " could not be written" };
            output::line(format!("    evidence {}{lost}", path.display()))?;
        }
    }
    Ok(())
}

fn verify_dump(global: &Global, path: &Path, frame: Option<u64>) -> anyhow::Result<Exit> {
    let Some((snapshot, profile)) = source::dump(global, path, frame)? else {
        output::line(format!("{}: no anchor of any profile stands in this RAM", path.display()))?;
        return Ok(Exit::No);
    };
    let mut totals = Totals::default();
    let mut still = judge_still(&snapshot, &profile, &mut totals)?;
    let mut found = still.mismatches;
    found.extend(search(&mut still.tracker, &mut totals));
    let verdict = still.tracker.verdict();
    // Counts and copies alone let some single wrong bytes pass, so without its state a round is not verified.
    let result = match (found.is_empty(), verdict.status(CheckId::Generation)) {
        (false, _) => "mismatch",
        (true, Status::Holds) => "holds",
        (true, _) => "not-verified",
    };
    let report = Report {
        result,
        connection: "dump",
        pid: None,
        emulator: None,
        method: None,
        profile: Some(&profile.id),
        profile_digest: Some(&profile.digest),
        totals,
        checks: &verdict.checks,
        mismatches: &found,
        earlier: Vec::new(),
    };
    if global.json {
        output::json(&report)?;
    } else {
        let name = source::possible_games(global, path, &snapshot, &profile)?;
        output::line(format!("{}: {name}", path.display()))?;
        if !profile.game.is_foretold() {
            output::line(NOTHING_FORETOLD)?;
        }
        describe_verdict(&verdict).iter().try_for_each(output::line)?;
        print_mismatches(&found)?;
    }
    Ok(if result == "holds" { Exit::Yes } else { Exit::No })
}

/// Does the long work, with the share of it that is done on standard error. Ctrl+C leaves it at "not verified".
fn search(tracker: &mut Tracker, totals: &mut Totals) -> Vec<Mismatch> {
    let stop = source::stop_flag();
    let terminal = std::io::stderr().is_terminal();
    let mut found = Vec::new();
    let mut told = Instant::now();
    tracker.hurry();
    while let Some(share) = tracker.outstanding() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        if terminal && told.elapsed() > Duration::from_millis(100) {
            told = Instant::now();
            eprint!("\rtrying all states: {:3.0} %", share * 100.0);
        }
        let before = share;
        found.extend(tracker.work(0, totals).into_iter().flatten());
        if tracker.outstanding() == Some(before) {
            std::thread::sleep(Duration::from_millis(5)); // others work on it
        }
    }
    if terminal {
        eprintln!();
    }
    found
}

//! `verify`: emulator against model, with a report.

use super::output::count;
use super::progress::{Judging, Line};
use super::source::{self, Session, Source};
use super::watch::{describe_verdict, judge_still, unit};
use super::{Exit, Failure, Global, files, output};
use crate::emulator::EmulatorInfo;
use crate::json::Kind;
use crate::live::{
    Check, CheckId, Connection, EarlierTarget, Evidence, EvidenceFolder, Judge, Mismatch, NOTHING_FORETOLD,
    Status, Totals, Tracker, View,
};
use crate::report::{Format, Report as Written};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long an emulator is waited for when --wait does not say.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Stop after this many whole rounds whose generation was verified; without it, on Ctrl+C
    ///
    /// Rounds that could not be verified, since frames were missed at their beginning, do not count. After ten times as many
    /// rounds it is given up.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rounds: Option<u64>,
    /// Stop after this many pairs that were forecast before they were drawn, once a generation was verified
    ///
    /// After ten times as many pairs it is given up.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
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
    emulator: Option<&'a EmulatorInfo>,
    method: Option<String>,
    profile: Option<&'a str>,
    profile_digest: Option<&'a str>,
    totals: Totals,
    checks: &'a [Check],
    mismatches: &'a [Mismatch],
    /// What was attached to before.
    earlier: Vec<EarlierReport<'a>>,
}

/// What was found of something that was attached to before.
#[derive(Serialize)]
struct EarlierReport<'a> {
    pid: u32,
    emulator: &'a EmulatorInfo,
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
    while !session.over() && !enough(arguments, &view.totals, unit(&view)) && is_foretold(&view) {
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
    let mut done = false;
    while !stop.load(Ordering::Relaxed) && !done {
        match judge.step() {
            Ok(None) => break,
            Ok(Some(mut seen)) => {
                if let Some(folder) = &mut folder {
                    folder.follow(&judge, &mut seen);
                    saved.extend(seen.mismatches.iter().map(|mismatch| mismatch.evidence.clone()));
                }
                done = enough(arguments, &judge.totals(), judge.profile().game.unit());
                last = Some(seen);
            }
            Err(error) => output::warning(format_args!("{}: {error}", path.display())),
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
            result(view)
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
        output::object(Kind::Verify, &report)?;
    } else {
        print(&report, view)?;
    }
    let exit = if report.result == "verified" { Exit::Yes } else { Exit::No };
    // Without an end of its own, Ctrl+C is how it ends.
    let finite = arguments.rounds.is_some() || arguments.pairs.is_some() || arguments.source.replay.is_some();
    Ok(if finite && !enough(arguments, &view.totals, unit(view)) { exit.unless_stopped() } else { exit })
}

/// What a report is to be, by the end of its name.
fn report_format(path: &Path) -> Result<Format, Failure> {
    let what = || format!("{}: a report's name ends with .html or .md", path.display());
    Format::of(path).ok_or_else(|| Failure::BadInput(what()))
}

/// So many times as many rounds, or pairs, as are to be verified are looked at.
const ROUNDS_EACH: u64 = 10;

/// Whether all that was asked for was seen. A round is whole when the next one has begun; one that was not verified is waited for
/// as long as nothing disagrees.
fn enough(arguments: &Arguments, totals: &Totals, unit: &str) -> bool {
    let rounds = |most: u64| {
        let verified =
            totals.rounds_verified >= most || (totals.rounds > most && pieces_verified(totals, unit));
        let given_up = totals.mismatches > 0 || totals.rounds > most.saturating_mul(ROUNDS_EACH);
        totals.rounds > most && (verified || given_up)
    };
    let settled = totals.rounds_verified > 0 || pieces_verified(totals, unit) || totals.mismatches > 0;
    let pairs = |most: u64| {
        let given_up = totals.pairs_verified >= most.saturating_mul(ROUNDS_EACH);
        totals.pairs_verified >= most && (settled || given_up)
    };
    arguments.rounds.is_some_and(rounds)
        || arguments.pairs.is_some_and(pairs)
        || (arguments.fail_fast && totals.mismatches > 0)
}

/// Whether pieces were dealt as the generator says. Pairs are dealt from pools in RAM, which say nothing of the generator.
fn pieces_verified(totals: &Totals, unit: &str) -> bool {
    totals.pairs_verified > 0 && unit != "pairs"
}

/// Whether there is anything to check in the game that is attached to.
fn is_foretold(view: &View) -> bool {
    view.target.as_ref().is_none_or(|target| target.profile.game.is_foretold())
}

/// Where nothing of the generation was verified there is no agreement.
fn result(view: &View) -> &'static str {
    match view.totals.mismatches {
        0 if view.totals.rounds_verified > 0 || pieces_verified(&view.totals, unit(view)) => "verified",
        0 => "not-verified",
        _ => "mismatch",
    }
}

/// The result in a sentence.
fn conclusion(result: &str, mismatches: u64, seen: bool) -> String {
    match result {
        "holds" => "Emulator and model agree".into(),
        "not-verified" if seen => "No disagreement seen; generation not verified".into(),
        "not-verified" => "Nothing verified: no round was seen".into(),
        _ => count(mismatches, "mismatch"),
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
            output::plain(&emulator.name)
        ))?;
        print_mismatches(mismatches)?;
    }
    if let Some(target) = &view.target {
        output::line(format!(
            "{} ({}), {}, found by {}",
            output::plain(&target.identity.name),
            target.pid,
            target.profile.name,
            target.method
        ))?;
    }
    if !is_foretold(view) {
        return output::line(NOTHING_FORETOLD);
    }
    let rounds_seen = count(rounds, "round");
    output::line(format!("{rounds_seen}, {rounds_verified} of them reproduced exactly from one state"))?;
    let pieces = count(pairs_verified, unit(view).trim_end_matches('s'));
    output::line(format!("{pieces} drawn as forecast, {pairs_unseen} not seen"))?;
    if landings_verified + landings_unseen > 0 {
        output::line(format!(
            "{} as foretold, {chains_verified} of them after a chain, {landings_unseen} not seen",
            count(landings_verified, "board")
        ))?;
    }
    let (frames, torn) = (count(frames, "frame"), count(torn, "torn snapshot"));
    output::line(format!("{frames}, {frames_missed} missed, {torn} taken again"))?;
    describe_verdict(&crate::live::Verdict { checks: report.checks.to_vec() })
        .iter()
        .try_for_each(output::line)?;
    print_mismatches(report.mismatches)?;
    let earlier: u64 = report.earlier.iter().map(|earlier| earlier.totals.mismatches).sum();
    let mismatches = report.totals.mismatches + earlier;
    output::line(conclusion(report.result, mismatches, rounds + pairs_verified > 0))
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
        let what = format!("{}: no anchor of any profile stands in this RAM", path.display());
        return output::nothing(global.json, what);
    };
    let mut totals = Totals::default();
    let mut still = judge_still(&snapshot, &profile, &mut totals)?;
    let mut found = still.mismatches;
    found.extend(search(&mut still.tracker, &mut totals));
    let verdict = still.tracker.verdict();
    // Counts and copies alone let some single wrong bytes pass, so without its state a round is not verified.
    let result = match (found.is_empty(), verdict.status(CheckId::Generation)) {
        (false, _) => "mismatch",
        (true, Status::Holds) => "verified",
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
        output::object(Kind::Verify, &report)?;
    } else {
        let name = source::possible_games(global, path, &snapshot, &profile)?;
        output::line(format!("{}: {name}", path.display()))?;
        if !profile.game.is_foretold() {
            output::line(NOTHING_FORETOLD)?;
        }
        describe_verdict(&verdict).iter().try_for_each(output::line)?;
        print_mismatches(&found)?;
        if profile.game.is_foretold() {
            output::line(conclusion(result, found.len() as u64, true))?;
        }
    }
    Ok(match result {
        "verified" => Exit::Yes,
        "mismatch" => Exit::No,
        _ => Exit::No.unless_stopped(),
    })
}

/// Does the long work, with the share of it that is done on standard error. Ctrl+C leaves it at "not verified".
fn search(tracker: &mut Tracker, totals: &mut Totals) -> Vec<Mismatch> {
    let stop = source::stop_flag();
    let mut line = Line::new();
    let mut found = Vec::new();
    tracker.hurry();
    while let Some(share) = tracker.outstanding() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        line.share("trying all states", share);
        let before = share;
        found.extend(tracker.work(0, totals).into_iter().flatten());
        if tracker.outstanding() == Some(before) {
            std::thread::sleep(Duration::from_millis(5)); // others work on it
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(words: &[&str]) -> Arguments {
        Line::parse_from([&["verify"], words].concat()).arguments
    }

    #[test]
    fn pairs_out_of_pools_are_no_agreement_with_the_generator() {
        let view = |rounds_verified, pairs_verified, mismatches| View {
            totals: Totals { rounds: 3, rounds_verified, pairs_verified, mismatches, ..Totals::default() },
            ..View::default()
        };
        assert_eq!(result(&view(0, 40, 0)), "not-verified");
        assert_eq!(result(&view(0, 0, 0)), "not-verified");
        assert_eq!(result(&view(1, 40, 0)), "verified");
        assert_eq!(result(&view(1, 40, 1)), "mismatch");
        assert!(pieces_verified(&view(0, 40, 0).totals, "pieces"), "these come from the generator");
        assert_eq!(conclusion("not-verified", 0, true), "No disagreement seen; generation not verified");
        assert_eq!(conclusion("mismatch", 1, true), "1 mismatch");
    }

    #[test]
    fn rounds_that_were_not_verified_do_not_count() {
        let two = arguments(&["--rounds", "2"]);
        let totals = |rounds, rounds_verified, mismatches| Totals {
            rounds,
            rounds_verified,
            mismatches,
            ..Totals::default()
        };
        assert!(!enough(&two, &totals(2, 2, 0), "pairs"), "the second one is under way");
        assert!(enough(&two, &totals(3, 2, 0), "pairs"));
        assert!(!enough(&two, &totals(9, 1, 0), "pairs"));
        assert!(enough(&two, &totals(3, 0, 1), "pairs"), "a mismatch is an answer");
        assert!(enough(&two, &totals(21, 1, 0), "pairs"), "given up");
        let pairs = arguments(&["--pairs", "5"]);
        let dealt =
            |pairs_verified, rounds_verified| Totals { pairs_verified, ..totals(1, rounds_verified, 0) };
        assert!(!enough(&pairs, &dealt(9, 0), "pairs") && enough(&pairs, &dealt(9, 1), "pairs"));
        assert!(enough(&pairs, &dealt(50, 0), "pairs") && enough(&pairs, &dealt(9, 0), "pieces"));
        let dealt = Totals { pairs_verified: 9, ..totals(3, 0, 0) };
        assert!(enough(&two, &dealt, "pieces") && !enough(&two, &dealt, "pairs"));
        assert!(Line::try_parse_from(["verify", "--rounds", "0"]).is_err());
    }
}

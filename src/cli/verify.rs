//! `verify`: checks an emulator, a recording or a dump against the model.

use super::arguments::Global;
use super::dump_verification::verify_ram_dump;
use super::exit::{Exit, Failure, bail_input};
use super::progress::{ProgressLine, ReplayProgress};
use super::session::{Session, Source};
use super::{files, interrupt, output, ram_file, verdict};
use crate::emulator::EmulatorInfo;
use crate::json::Kind;
use crate::live::{
    Check, CheckId, Connection, EarlierTarget, Evidence, EvidenceFolder, Mismatch, NO_PREDICTOR, Status,
    Totals, Tracker, View,
};
use crate::report::{Format, Report as Written};
use crate::text::{counted, sanitize_line};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Default of --wait.
const DEFAULT_WAIT: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Stop after this many complete rounds whose generation was verified [default: stop on Ctrl+C]
    ///
    /// A round whose first frames were missed cannot be verified and does not count. Verification gives up after ten times as
    /// many rounds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rounds: Option<u64>,
    /// Stop after this many pairs were drawn as predicted and a generation was verified
    ///
    /// Verification gives up after ten times as many pairs.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pairs: Option<u64>,
    /// Stop at the first mismatch
    #[arg(long)]
    fail_fast: bool,
    /// Write a report with pictures of the pools to this file: .html for browsers, .md for issue trackers
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Overwrite an existing report
    #[arg(long, requires = "report")]
    force: bool,
}

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
    earlier: Vec<EarlierReport<'a>>,
}

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

/// Without a view for this long, it looks whether it is to end.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Between two views, when none is waited for.
const UNHURRIED: Duration = Duration::from_millis(200);

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    // Checked before the long work.
    if let Some(path) = &arguments.report {
        report_format(path)?;
        files::check(path, arguments.force)?;
    }
    if let Some(path) = &arguments.source.dump {
        if arguments.report.is_some() {
            bail_input!("--report is only for a running game or a recording, not for a dump");
        }
        return verify_dump(global, path, arguments.source.frame);
    }
    if let Some(path) = &arguments.source.replay {
        return verify_replay(global, path, arguments);
    }
    let mut session = Session::start(global, &arguments.source, Some(DEFAULT_WAIT))?;
    let mut views = session.sampler.view();
    let mut view = views.get();
    let mut counted = Counted::new(view.totals, view.is_made_ahead());
    counted.update(&view);
    // Without a number to stop at, nothing depends on each view: fewer wake-ups.
    let unhurried = arguments.rounds.is_none() && arguments.pairs.is_none();
    while !session.is_over() && !enough(arguments, &counted) && has_model(&view) {
        if let Some(newer) = views.next(LOOK_EVERY) {
            view = newer;
            counted.update(&view);
            if unhurried {
                std::thread::sleep(UNHURRIED);
            }
        }
        session.check_timeout(&view)?;
    }
    drop(session); // completes the evidence files
    report(global, arguments, &view, enough(arguments, &counted))
}

/// Verifies a recording, as fast as possible.
fn verify_replay(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let recording = ram_file::recording(path)?;
    let stop = interrupt::flag();
    let mut verifier = ram_file::verifier(global, path, &recording)?;
    let progress = ReplayProgress::new(&verifier);
    let mut last = None;
    let mut folder = arguments.source.evidence.clone().map(|folder| EvidenceFolder::of_replay(folder, &stop));
    let mut saved = Vec::new();
    let mut done = false;
    while !stop.load(Ordering::Relaxed) && !done {
        match verifier.step() {
            Ok(None) => break,
            Ok(Some(mut sample)) => {
                if let Some(folder) = &mut folder {
                    folder.follow(&verifier, &mut sample);
                    saved.extend(sample.mismatches.iter().map(|mismatch| mismatch.evidence.clone()));
                }
                let made_ahead = verifier.profile().is_made_ahead();
                done = enough(arguments, &Counted::new(verifier.totals(), made_ahead));
                last = Some(sample);
            }
            Err(error) => output::warning(format_args!("{}: {error}", path.display())),
        }
        progress.update(&verifier);
    }
    drop(folder); // completes the evidence files
    drop(progress);
    let empty = || View { connection: Connection::Replaying { playing: false }, ..View::default() };
    let mut view = last.map_or_else(empty, |sample| verifier.view(&sample));
    if let Some(evidence) = Evidence::of(&recording) {
        // The recording itself is the evidence of its mismatch.
        for mismatch in Arc::make_mut(&mut view.mismatches) {
            mismatch.evidence = evidence.is_of(mismatch).then(|| path.to_owned());
        }
    }
    // The view contains only the last of many mismatches.
    for (mismatch, path) in Arc::make_mut(&mut view.mismatches).iter_mut().rev().zip(saved.into_iter().rev())
    {
        mismatch.evidence = path.filter(|path| path.exists()).or(mismatch.evidence.take());
    }
    report(global, arguments, &view, done)
}

/// Prints the result, and writes the file of --report. `complete`: whether the verification ended because nothing is left to do.
fn report(global: &Global, arguments: &Arguments, view: &View, complete: bool) -> anyhow::Result<Exit> {
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
    let exit = if report.result == "verified" { Exit::Success } else { Exit::Negative };
    // Without --rounds and --pairs, Ctrl+C is the normal end.
    let finite = arguments.rounds.is_some() || arguments.pairs.is_some() || arguments.source.replay.is_some();
    Ok(if finite && !complete { exit.unless_interrupted() } else { exit })
}

fn report_format(path: &Path) -> Result<Format, Failure> {
    let what = || format!("{}: the extension of a report must be .html or .md", path.display());
    Format::of(path).ok_or_else(|| Failure::BadInput(what()))
}

/// Verification gives up after this multiple of --rounds or --pairs, unless a search may still verify the generation.
const GIVE_UP_FACTOR: u64 = 10;

/// What decides whether a verification is complete.
struct Counted {
    totals: Totals,
    made_ahead: bool,
    /// Whether a search for the state of the current round runs.
    searching: bool,
    /// The pairs verified when a search last ran. A new round ends the search of the one before without a result, and is verified
    /// only after the first pairs: giving up counts from here.
    pairs_searched: u64,
}

impl Counted {
    const fn new(totals: Totals, made_ahead: bool) -> Self {
        Self { totals, made_ahead, searching: false, pairs_searched: 0 }
    }

    fn update(&mut self, view: &View) {
        (self.totals, self.made_ahead) = (view.totals, view.is_made_ahead());
        self.searching = view.searching.is_some();
        if self.searching {
            self.pairs_searched = self.totals.pairs_verified;
        }
    }
}

/// Whether --rounds, --pairs or --fail-fast is satisfied. A round is complete when the next one starts. Rounds that were not
/// verified do not count, unless there is a mismatch.
fn enough(
    arguments: &Arguments,
    Counted { totals, made_ahead, searching, pairs_searched }: &Counted,
) -> bool {
    let rounds = |most: u64| {
        let verified =
            totals.rounds_verified >= most || (totals.rounds > most && deals_verified(totals, *made_ahead));
        let given_up =
            totals.mismatches > 0 || (totals.rounds > most.saturating_mul(GIVE_UP_FACTOR) && !searching);
        totals.rounds > most && (verified || given_up)
    };
    let settled = totals.rounds_verified > 0 || deals_verified(totals, *made_ahead) || totals.mismatches > 0;
    let pairs = |most: u64| {
        let unsearched = totals.pairs_verified.saturating_sub(*pairs_searched);
        let given_up = unsearched >= most.saturating_mul(GIVE_UP_FACTOR) && !searching;
        totals.pairs_verified >= most && (settled || given_up)
    };
    arguments.rounds.is_some_and(rounds)
        || arguments.pairs.is_some_and(pairs)
        || (arguments.fail_fast && totals.mismatches > 0)
}

/// Whether deals confirmed what is followed.
const fn deals_verified(totals: &Totals, made_ahead: bool) -> bool {
    totals.pairs_verified > 0 && !made_ahead
}

fn has_model(view: &View) -> bool {
    view.target.as_ref().is_none_or(|target| target.profile.game.has_predictor())
}

/// "verified" needs at least one verified generation, or deals that confirm what is followed.
fn result(view: &View) -> &'static str {
    match view.totals.mismatches {
        0 if view.totals.rounds_verified > 0 || deals_verified(&view.totals, view.is_made_ahead()) => {
            "verified"
        }
        0 => "not-verified",
        _ => "mismatch",
    }
}

fn conclusion(result: &str, mismatches: u64, sampled: bool) -> String {
    match result {
        "verified" => "Emulator and model agree".into(),
        "not-verified" if sampled => "No mismatch, but no generation was verified".into(),
        "not-verified" => "Nothing verified: no round was sampled".into(),
        _ => counted(mismatches, "mismatch"),
    }
}

fn print(report: &Report<'_>, view: &View) -> anyhow::Result<()> {
    let Totals { rounds, rounds_verified, pairs_verified, pairs_missed, frames, frames_missed, torn, .. } =
        report.totals;
    let Totals { boards_verified, chains_verified, boards_missed, .. } = report.totals;
    for EarlierReport { pid, emulator, profile, totals, mismatches } in &report.earlier {
        let Totals { rounds, rounds_verified, mismatches: count, .. } = totals;
        output::line(format!(
            "Before: {} ({pid}), {profile}: {}, {rounds_verified} verified, {}",
            sanitize_line(&emulator.name),
            counted(*rounds, "round"),
            counted(*count, "mismatch")
        ))?;
        verdict::print_mismatches(mismatches)?;
    }
    if let Some(target) = &view.target {
        output::line(format!(
            "{} ({}), {}, found by {}",
            sanitize_line(&target.identity.name),
            target.pid,
            target.profile.name,
            target.method
        ))?;
    }
    if !has_model(view) {
        return output::line(NO_PREDICTOR);
    }
    let rounds_counted = counted(rounds, "round");
    output::line(format!(
        "{rounds_counted}, {rounds_verified} verified (reproduced exactly from one state)"
    ))?;
    let pieces = counted(pairs_verified, view.unit().singular());
    output::line(format!("{pieces} drawn as predicted, {pairs_missed} missed"))?;
    if boards_verified + boards_missed > 0 {
        output::line(format!(
            "{} matched ({chains_verified} after a chain), {boards_missed} missed",
            counted(boards_verified, "board")
        ))?;
    }
    let (frames, torn) = (counted(frames, "frame"), counted(torn, "torn snapshot"));
    output::line(format!("{frames}, {frames_missed} missed, {torn} retaken"))?;
    verdict::describe(&crate::live::Verdict { checks: report.checks.to_vec() })
        .iter()
        .try_for_each(output::line)?;
    verdict::print_mismatches(report.mismatches)?;
    let earlier: u64 = report.earlier.iter().map(|earlier| earlier.totals.mismatches).sum();
    let mismatches = report.totals.mismatches + earlier;
    output::line(conclusion(report.result, mismatches, rounds + pairs_verified > 0))
}

fn verify_dump(global: &Global, path: &Path, frame: Option<u64>) -> anyhow::Result<Exit> {
    let Some((snapshot, profile)) = ram_file::open(global, path, frame)? else {
        let what = format!("{}: {}", path.display(), ram_file::NO_KNOWN_GAME);
        return output::negative(global.json, what);
    };
    let mut totals = Totals::default();
    let mut verified = verify_ram_dump(&snapshot, &profile, &mut totals)?;
    let mut found = verified.mismatches;
    found.extend(search(&mut verified.tracker, &mut totals));
    let verdict = verified.tracker.verdict();
    // Counts and copies alone miss some wrong bytes, so a round needs its state to count as verified.
    let result = match (found.is_empty(), verdict.status(CheckId::GENERATION)) {
        (false, _) => "mismatch",
        (true, Status::Verified) => "verified",
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
        let name = ram_file::game_names(global, path, &snapshot, &profile)?;
        output::line(format!("{}: {name}", path.display()))?;
        if !profile.game.has_predictor() {
            output::line(NO_PREDICTOR)?;
        }
        verdict::describe(&verdict).iter().try_for_each(output::line)?;
        verdict::print_mismatches(&found)?;
        if profile.game.has_predictor() {
            output::line(conclusion(result, found.len() as u64, true))?;
        }
    }
    Ok(match result {
        "verified" => Exit::Success,
        "mismatch" => Exit::Negative,
        _ => Exit::Negative.unless_interrupted(),
    })
}

/// Runs the background search to its end. After Ctrl+C the result is "not-verified".
fn search(tracker: &mut Tracker, totals: &mut Totals) -> Vec<Mismatch> {
    let stop = interrupt::flag();
    let mut line = ProgressLine::new();
    let mut found = Vec::new();
    tracker.set_synchronous();
    while let Some(share) = tracker.search_progress() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        line.show_share("searching all states", share);
        let before = share;
        found.extend(tracker.poll_background(0, totals).into_iter().flatten());
        if tracker.search_progress() == Some(before) {
            std::thread::sleep(Duration::from_millis(5)); // other threads search
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

    const MADE_AHEAD: bool = true;
    const DRAWN: bool = false;

    fn arguments(words: &[&str]) -> Arguments {
        Line::parse_from([&["verify"], words].concat()).arguments
    }

    #[test]
    fn pairs_from_pools_do_not_verify_the_generator() {
        let view = |rounds_verified, pairs_verified, mismatches| View {
            totals: Totals { rounds: 3, rounds_verified, pairs_verified, mismatches, ..Totals::default() },
            ..View::default()
        };
        assert_eq!(result(&view(0, 40, 0)), "not-verified");
        assert_eq!(result(&view(0, 0, 0)), "not-verified");
        assert_eq!(result(&view(1, 40, 0)), "verified");
        assert_eq!(result(&view(1, 40, 1)), "mismatch");
        assert!(deals_verified(&view(0, 40, 0).totals, DRAWN), "pieces come from the generator");
        assert_eq!(conclusion("not-verified", 0, true), "No mismatch, but no generation was verified");
        assert_eq!(conclusion("mismatch", 1, true), "1 mismatch");
    }

    #[test]
    fn unverified_rounds_do_not_count() {
        let enough = |arguments: &Arguments, totals: &Totals, made_ahead: bool| {
            enough(arguments, &Counted::new(*totals, made_ahead))
        };
        let two = arguments(&["--rounds", "2"]);
        let totals = |rounds, rounds_verified, mismatches| Totals {
            rounds,
            rounds_verified,
            mismatches,
            ..Totals::default()
        };
        assert!(!enough(&two, &totals(2, 2, 0), MADE_AHEAD), "the second round is in progress");
        assert!(enough(&two, &totals(3, 2, 0), MADE_AHEAD));
        assert!(!enough(&two, &totals(9, 1, 0), MADE_AHEAD));
        assert!(enough(&two, &totals(3, 0, 1), MADE_AHEAD), "a mismatch is a result");
        assert!(enough(&two, &totals(21, 1, 0), MADE_AHEAD), "given up");
        let pairs = arguments(&["--pairs", "5"]);
        let dealt =
            |pairs_verified, rounds_verified| Totals { pairs_verified, ..totals(1, rounds_verified, 0) };
        assert!(!enough(&pairs, &dealt(9, 0), MADE_AHEAD) && enough(&pairs, &dealt(9, 1), MADE_AHEAD));
        assert!(enough(&pairs, &dealt(50, 0), MADE_AHEAD) && enough(&pairs, &dealt(9, 0), DRAWN));
        let dealt = Totals { pairs_verified: 9, ..totals(3, 0, 0) };
        assert!(enough(&two, &dealt, DRAWN) && !enough(&two, &dealt, MADE_AHEAD));
        assert!(Line::try_parse_from(["verify", "--rounds", "0"]).is_err());
    }

    #[test]
    fn nothing_is_given_up_while_a_search_may_verify_it() {
        let view = |rounds, pairs_verified, searching: bool| View {
            totals: Totals { rounds, pairs_verified, ..Totals::default() },
            searching: searching.then_some(0.5),
            ..View::default()
        };
        for (words, rounds, pairs) in [(["--pairs", "5"], 1, 50), (["--rounds", "2"], 21, 0)] {
            let arguments = arguments(&words);
            let after = |views: &[View]| {
                let mut counted = Counted::new(Totals::default(), MADE_AHEAD);
                views.iter().for_each(|view| counted.update(view));
                enough(&arguments, &counted)
            };
            assert!(after(&[view(rounds, pairs, false)]), "{words:?}");
            assert!(!after(&[view(rounds, pairs, true)]), "{words:?}");
            // The next round ended the search, and its own pools are not complete yet.
            let ended = [view(rounds, pairs, true), view(rounds, pairs + 1, false)];
            assert_eq!(after(&ended), pairs == 0, "{words:?}");
            assert!(after(&[view(rounds, pairs, true), view(rounds, 2 * pairs, false)]), "{words:?}");
        }
    }
}

//! `evidence`: what a mismatch rests on, judged again and told.

use super::progress::Judging;
use super::{Exit, Failure, Global, files, output, source};
use crate::emulator::EmulatorInfo;
use crate::json::Kind;
use crate::live::{Check, Evidence, Judge, Judged, Mismatch};
use crate::recording::Damage;
use crate::report::{Difference, Format, Report};
use clap::Args;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The file: `verify --evidence DIR` and the window write one for each mismatch
    file: PathBuf,
    /// Write a report with the pools drawn as a page for browsers
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// Write a report as Markdown, for an issue tracker or a forum
    #[arg(long, value_name = "OUT")]
    markdown: Option<PathBuf>,
    /// Overwrite reports that exist
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Told<'a> {
    /// Whether the mismatch came again, now.
    reproduced: bool,
    reproduced_when_written: bool,
    mismatch: &'a Mismatch,
    nextscope: &'a str,
    unix_seconds: u64,
    pid: u32,
    emulator: &'a EmulatorInfo,
    method: String,
    profile: &'a str,
    profile_digest: &'a str,
    samples: u64,
    sample: u64,
    length_seconds: f64,
    from_round_before: bool,
    checks: &'a [Check],
    /// With the sample of this number.
    changed: Option<u64>,
    differences: &'a [Difference],
    before: &'a serde_json::Value,
    at: &'a serde_json::Value,
    /// Where the field of the mismatch stands.
    place: Option<&'a str>,
    damage: &'a [Damage],
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let path = &arguments.file;
    for out in [&arguments.html, &arguments.markdown].into_iter().flatten() {
        files::check(out, arguments.force)?;
    }
    let recording = source::recording(path)?;
    let Some(evidence) = Evidence::of(&recording) else {
        let what = format!(
            "{} is a recording, but no evidence of a mismatch; `nextscope verify --replay` judges a recording",
            path.display()
        );
        return Err(Failure::BadInput(what).into());
    };
    // Its own profile tells what was judged then; another one is taken when that is asked for.
    let given = source::given_profiles(global)?;
    let stop = source::stop_flag();
    let judge = Judge::new(Arc::clone(&recording), given).map_err(|error| source::no_replay(path, error))?;
    let judging = Judging::new(&judge);
    let judged = Judged::of(judge.stopped_by(&stop), |judge, _| {
        judging.at(judge);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    drop(judging);
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("stopped before all of it was judged".into()).into());
    }
    let reproduced = judged.mismatches.iter().any(|(_, mismatch)| evidence.is_of(mismatch));
    let name = path.display().to_string();
    let report = Report::of_evidence(&recording, &evidence, &judged, &name);
    for (out, format) in [(&arguments.html, Format::Html), (&arguments.markdown, Format::Markdown)] {
        if let Some(out) = out {
            files::write(out, report.write(format).as_bytes(), arguments.force)?;
        }
    }
    let differences = report.cases.first().map_or(&[][..], |case| &case.differences);
    if global.json {
        let header = recording.header();
        let told = Told {
            reproduced,
            reproduced_when_written: evidence.reproduced,
            mismatch: &evidence.mismatch,
            nextscope: &evidence.nextscope,
            unix_seconds: evidence.unix_seconds,
            pid: header.pid.0,
            emulator: &header.emulator,
            method: header.found_by.to_string(),
            profile: &judged.profile.id,
            profile_digest: &judged.profile.digest,
            samples: recording.len(),
            sample: evidence.sample,
            length_seconds: recording.length().as_secs_f64(),
            from_round_before: evidence.from_round_before,
            checks: &evidence.verdict.checks,
            changed: report.cases.first().and_then(|case| case.changed),
            differences,
            before: &evidence.before,
            at: &evidence.at,
            place: report.cases.first().and_then(|case| case.place.as_deref()),
            damage: recording.damage(),
        };
        output::object(Kind::Evidence, told)?;
    } else {
        print(&report, &evidence, &judged, differences)?;
    }
    Ok(if reproduced { Exit::Yes } else { Exit::No })
}

fn print(
    report: &Report,
    evidence: &Evidence,
    judged: &Judged,
    differences: &[Difference],
) -> anyhow::Result<()> {
    output::line(&report.title)?;
    for (name, value) in &report.facts {
        output::line(format!("  {name:16} {value}"))?;
    }
    super::verify::print_mismatches(std::slice::from_ref(&evidence.mismatch))?;
    let place = report.cases.first().and_then(|case| case.place.as_ref());
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    output::line(format!(
        "    field {}{place}, noticed at sample {}",
        evidence.mismatch.field, evidence.sample
    ))?;
    if let Some(case) = report.cases.first().filter(|_| !differences.is_empty()) {
        output::line(format!("{}:", case.ram_title()))?;
    }
    for one in differences {
        output::line(format!(
            "  {:24} {}  {}, from byte {}: {} -> {}",
            one.field,
            one.address,
            output::count(one.changed as u64, "byte"),
            one.first,
            one.before,
            one.after
        ))?;
    }
    let others = judged.mismatches.iter().filter(|(_, mismatch)| !evidence.is_of(mismatch)).count();
    if others > 0 {
        let others = output::count(others as u64, "other mismatch");
        output::line(format!("{others} in the same samples"))?;
    }
    output::line(&report.result)
}

//! `evidence`: shows the evidence of a mismatch and verifies it again.

use super::arguments::Global;
use super::exit::{Exit, Failure, bail_input};
use super::progress::ReplayProgress;
use super::{files, interrupt, output, ram_file, verdict};
use crate::emulator::EmulatorInfo;
use crate::json::Kind;
use crate::live::{Check, Evidence, Mismatch, ReplayResult};
use crate::recording::Damage;
use crate::report::{Difference, Format, Report};
use crate::text::counted;
use clap::Args;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Evidence file; `verify --evidence DIR` and the window write one for each mismatch
    file: PathBuf,
    /// Write a report as HTML, with pictures of the pools
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// Write a report as Markdown, for issue trackers and forums
    #[arg(long, value_name = "OUT")]
    markdown: Option<PathBuf>,
    /// Overwrite existing reports
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct EvidenceJson<'a> {
    /// Whether the mismatch occurred again in this run.
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
    /// The sample that changed the field.
    changed: Option<u64>,
    differences: &'a [Difference],
    before: &'a serde_json::Value,
    at: &'a serde_json::Value,
    /// The address of the field of the mismatch.
    place: Option<&'a str>,
    damage: &'a [Damage],
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let path = &arguments.file;
    for out in [&arguments.html, &arguments.markdown].into_iter().flatten() {
        files::check(out, arguments.force)?;
    }
    let recording = ram_file::recording(path)?;
    let Some(evidence) = Evidence::of(&recording) else {
        bail_input!(
            "{}: a recording without evidence of a mismatch; run `nextscope verify --replay` to verify it",
            path.display()
        );
    };
    let stop = interrupt::flag();
    // By default with the profile stored in the file, as when the mismatch occurred.
    let verifier = ram_file::verifier(global, path, &recording)?;
    let progress = ReplayProgress::new(&verifier);
    let result = ReplayResult::of(verifier, |verifier, _| {
        progress.update(verifier);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    drop(progress);
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("interrupted before the end of the evidence".into()).into());
    }
    let reproduced = result.mismatches.iter().any(|(_, mismatch)| evidence.is_of(mismatch));
    let name = path.display().to_string();
    let report = Report::of_evidence(&recording, &evidence, &result, &name);
    for (out, format) in [(&arguments.html, Format::Html), (&arguments.markdown, Format::Markdown)] {
        if let Some(out) = out {
            files::write(out, report.write(format).as_bytes(), arguments.force)?;
        }
    }
    let differences = report.cases.first().map_or(&[][..], |case| &case.differences);
    if global.json {
        let header = recording.header();
        let evidence_json = EvidenceJson {
            reproduced,
            reproduced_when_written: evidence.reproduced,
            mismatch: &evidence.mismatch,
            nextscope: &evidence.nextscope,
            unix_seconds: evidence.unix_seconds,
            pid: header.pid.0,
            emulator: &header.emulator,
            method: header.found_by.to_string(),
            profile: &result.profile.id,
            profile_digest: &result.profile.digest,
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
        output::object(Kind::Evidence, evidence_json)?;
    } else {
        print(&report, &evidence, &result, differences)?;
    }
    Ok(Exit::from_answer(reproduced))
}

fn print(
    report: &Report,
    evidence: &Evidence,
    result: &ReplayResult,
    differences: &[Difference],
) -> anyhow::Result<()> {
    output::line(&report.title)?;
    let facts = report.facts.iter().map(|(name, value)| vec![format!("  {name}"), value.clone()]);
    output::table(&[], facts)?;
    verdict::print_mismatches(std::slice::from_ref(&evidence.mismatch))?;
    let place = report.cases.first().and_then(|case| case.place.as_ref());
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    output::line(format!(
        "    field {}{place}, detected at sample {}",
        evidence.mismatch.field, evidence.sample
    ))?;
    if let Some(case) = report.cases.first().filter(|_| !differences.is_empty()) {
        output::line(format!("{}:", case.ram_title()))?;
    }
    let row = |one: &Difference| {
        vec![
            format!("  {}", one.field),
            one.address.clone(),
            format!("{} from byte {}", counted(one.changed as u64, "byte"), one.first),
            format!("{} -> {}", one.before, one.after),
        ]
    };
    output::table(&[], differences.iter().map(row))?;
    let others = result.mismatches.iter().filter(|(_, mismatch)| !evidence.is_of(mismatch)).count();
    if others > 0 {
        let others = counted(others as u64, "other mismatch");
        output::line(format!("{others} in the same samples"))?;
    }
    output::line(&report.result)
}

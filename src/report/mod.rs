//! Reports of a verification or of one mismatch: the checks, the mismatches and their evidence.
//!
//! A report is built once and written as Markdown or HTML. The writers escape all external text (names of processes and
//! files, texts of profiles).

mod case;
mod html;
mod markdown;
mod piece_row;
mod when;

pub use case::{Case, Difference, DrawnPool, PredictedPieces};
pub use piece_row::PieceRow;

use crate::live::{Check, Data, Evidence, Mismatch, NO_PREDICTOR, ReplayResult, Status, Totals, View};
use crate::profile::Profile;
use crate::recording::{Header, Recording};
use std::path::Path;
use when::utc;

/// Mismatches with their own section; further ones are only counted.
const MOST_CASES: usize = 50;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For an issue tracker or a forum.
    Markdown,
    /// For a browser, with drawings of the pools.
    Html,
}

impl Format {
    /// The format for a file extension; None when it is neither Markdown nor HTML.
    pub fn of(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?.to_ascii_lowercase();
        match end.as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

/// The content of a report.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// The result, as a sentence.
    pub result: String,
    /// Whether emulator and model agree; None when nothing was verified.
    pub passed: Option<bool>,
    /// Versions, emulator, profile: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The counts.
    pub counts: Vec<(&'static str, u64)>,
    /// The results of the checks.
    pub checks: Vec<Check>,
    /// The mismatches.
    pub cases: Vec<Case>,
    /// The number of further mismatches.
    pub more: u64,
    /// The pools at the end, when there is no mismatch.
    pub pools: Vec<DrawnPool>,
    /// Commands that reproduce the result.
    pub reproduce: Vec<String>,
}

impl Report {
    /// The report of a view. Reads the evidence files and the replayed recording again.
    pub fn of_view(view: &View) -> Self {
        let totals = view.totals;
        let target = view.target.as_deref();
        let mut facts = vec![("Nextscope", env!("CARGO_PKG_VERSION").to_owned())];
        facts.push(("Written", utc(Header::now())));
        if let Some(target) = target {
            facts.extend(emulator(&target.identity));
            facts.push(("Process", target.pid.to_string()));
            facts.push(("RAM found by", format!("{}, {}", target.method, target.ram)));
            facts.extend(profile_facts(&target.profile));
        }
        if let Some(replay) = &view.replay {
            facts.push(("Recording", replay.name.clone()));
            facts.extend(replay.damage.clone().map(|damage| ("Damage", damage)));
        }
        let listed = view.mismatches.len().min(MOST_CASES);
        let profile = target.map(|target| &*target.profile);
        let case = |(number, mismatch): (usize, &Mismatch)| {
            // A recording contains the same as an evidence file.
            let detected_at =
                view.replayed.as_ref().and_then(|all| Some((all, all.detected_at.get(number)?)));
            match detected_at.filter(|_| mismatch.evidence.is_none()) {
                Some((replayed, detected_at)) => Case::replayed(mismatch, replayed, detected_at),
                None => Case::of(mismatch, profile),
            }
        };
        let mut cases: Vec<Case> = view.mismatches.iter().take(listed).enumerate().map(case).collect();
        // Draw only the wrong pools; the report of a single mismatch draws all of them.
        for case in &mut cases {
            case.pools.retain(|pool| !pool.marked.is_empty());
        }
        let shown = view.data.as_ref().and_then(Data::view);
        let pools = shown.filter(|_| cases.is_empty()).map_or_else(Vec::new, DrawnPool::plain);
        let unchecked = profile.is_some_and(|profile| !profile.game.has_predictor());
        let (passed, result) = result(&totals, unchecked);
        let mut reproduce: Vec<String> = cases.iter().filter_map(|case| case.reproduce.clone()).collect();
        reproduce.dedup();
        Self {
            title: format!("Verification of {}", profile.map_or("nothing", |profile| &profile.name)),
            result,
            passed,
            facts,
            counts: counts(&totals),
            checks: view.data.as_ref().map_or_else(Vec::new, |data| data.verdict.checks.clone()),
            cases,
            more: totals.mismatches.saturating_sub(listed as u64),
            pools,
            reproduce,
        }
    }

    /// The report of one mismatch from its file; `replay` is the result of verifying the file again.
    pub fn of_evidence(
        recording: &Recording,
        evidence: &Evidence,
        replay: &ReplayResult,
        name: &str,
    ) -> Self {
        let header = recording.header();
        let again = replay.mismatches.iter().find(|(_, mismatch)| evidence.is_of(mismatch));
        let result = match again {
            Some(_) => "Mismatch reproduced".to_owned(),
            None => format!(
                "Mismatch not reproduced by version {}{}",
                env!("CARGO_PKG_VERSION"),
                replay.unread_summary()
            ),
        };
        let mut facts = vec![
            ("Nextscope then", evidence.nextscope.clone()),
            ("Nextscope now", env!("CARGO_PKG_VERSION").to_owned()),
            ("Detected", utc(evidence.unix_seconds)),
        ];
        facts.extend(header_facts(header));
        facts.extend(profile_facts(&replay.profile));
        let reach =
            if evidence.from_round_before { ", since the previous round" } else { ", limited by memory" };
        let length = recording.length().as_secs_f64();
        facts.push(("Samples", format!("{} in {length:.1} s{reach}", recording.len())));
        facts.extend(recording.damage_summary().map(|damage| ("Damage", damage)));
        let case = Case::of_recording(recording, evidence, &replay.profile, name);
        Self {
            title: format!("{}: {}", evidence.mismatch.check.name(), replay.profile.name),
            result,
            passed: Some(false),
            facts,
            counts: counts(&replay.totals),
            checks: evidence.verdict.checks.clone(),
            reproduce: case.reproduce.iter().cloned().collect(),
            cases: vec![case],
            more: 0,
            pools: Vec::new(),
        }
    }

    /// As text.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Markdown => markdown::write(self),
            Format::Html => html::write(self),
        }
    }
}

fn emulator(identity: &crate::emulator::EmulatorInfo) -> Vec<(&'static str, String)> {
    let mut facts = vec![("Emulator", identity.name.clone())];
    facts.extend(identity.core.clone().map(|core| ("Core", core)));
    facts.extend(identity.build_id.clone().map(|id| ("Build ID", id)));
    facts.extend(identity.content.clone().map(|content| ("Game file", content)));
    facts
}

fn header_facts(header: &Header) -> Vec<(&'static str, String)> {
    let mut facts = emulator(&header.emulator);
    facts.push(("Process then", header.pid.to_string()));
    facts.push(("RAM found by", format!("{}, {}", header.found_by, header.ram)));
    facts
}

fn profile_facts(profile: &Profile) -> Vec<(&'static str, String)> {
    vec![
        ("Game", profile.name.clone()),
        ("Model", format!("{} ({})", profile.game.name(), profile.game.id())),
        ("Profile", format!("{}, digest {}", profile.id, profile.digest)),
    ]
}

fn result(totals: &Totals, unchecked: bool) -> (Option<bool>, String) {
    match (totals.mismatches, totals.rounds_verified + totals.pairs_verified) {
        _ if unchecked => (None, NO_PREDICTOR.to_owned()),
        (0, 0) => (None, "Nothing verified: no round was observed".to_owned()),
        (0, _) => (Some(true), "Emulator and model agree".to_owned()),
        (1, _) => (Some(false), "1 mismatch between emulator and model".to_owned()),
        (count, _) => (Some(false), format!("{count} mismatches between emulator and model")),
    }
}

fn counts(totals: &Totals) -> Vec<(&'static str, u64)> {
    vec![
        ("Rounds", totals.rounds),
        ("Rounds verified", totals.rounds_verified),
        ("Pairs or pieces verified", totals.pairs_verified),
        ("Pairs or pieces missed", totals.pairs_missed),
        ("Boards verified", totals.boards_verified),
        ("Frames", totals.frames),
        ("Frames missed", totals.frames_missed),
        ("Samples", totals.samples),
        ("Mismatches", totals.mismatches),
    ]
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Verified => "Verified",
        Status::Mismatch => "Mismatch",
        Status::NotVerified => "Not checked",
        Status::Nothing => "Nothing to check",
    }
}

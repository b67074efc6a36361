//! Reports for people of a verification or of one mismatch: what was checked, what disagreed, and what it rests on.
//!
//! A report is put together once and written as Markdown or as HTML. Everything in it that comes from outside (names of processes
//! and files, texts of profiles) is escaped by whoever writes it.

mod case;
mod html;
mod markdown;
mod piece_row;
mod when;

pub use case::{Case, Coming, Difference, DrawnPool};
pub use piece_row::PieceRow;

use crate::live::{Check, Data, Evidence, Judged, Mismatch, NOTHING_FORETOLD, Status, Totals, View};
use crate::profile::Profile;
use crate::recording::{Header, Recording};
use std::path::Path;
use when::utc;

/// Mismatches that are told one by one; what follows is counted.
const MOST_CASES: usize = 50;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For an issue tracker or a forum.
    Markdown,
    /// For a browser, with the pools drawn.
    Html,
}

impl Format {
    /// What a file's name asks for; None when its end is neither `.md` nor `.html`.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let end = path.extension()?.to_str()?.to_ascii_lowercase();
        match end.as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

/// What a report tells.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// What came of it, in a sentence.
    pub result: String,
    /// Whether emulator and model agree; None when nothing could be verified.
    pub holds: Option<bool>,
    /// Versions, emulator, profile: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// What was counted.
    pub counts: Vec<(&'static str, u64)>,
    /// How the checks stand.
    pub checks: Vec<Check>,
    /// What disagrees.
    pub cases: Vec<Case>,
    /// Mismatches that are not told one by one.
    pub more: u64,
    /// The pools at the end, when nothing disagrees.
    pub pools: Vec<DrawnPool>,
    /// What a reader can do to see the same.
    pub reproduce: Vec<String>,
}

impl Report {
    /// Of a verification that a view shows. Evidence that was saved is read again for what it shows; so is the recording that was
    /// judged.
    #[must_use]
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
            // A recording holds what a file of evidence would.
            let noticed = view.replayed.as_ref().and_then(|all| Some((all, all.noticed.get(number)?)));
            match noticed.filter(|_| mismatch.evidence.is_none()) {
                Some((replayed, noticed)) => Case::replayed(mismatch, replayed, noticed),
                None => Case::of(mismatch, profile),
            }
        };
        let mut cases: Vec<Case> = view.mismatches.iter().take(listed).enumerate().map(case).collect();
        // Among many, only the pools that are wrong; the report of one mismatch draws all of them.
        for case in &mut cases {
            case.pools.retain(|pool| !pool.marked.is_empty());
        }
        let shown = view.data.as_ref().and_then(Data::view);
        let pools = shown.filter(|_| cases.is_empty()).map_or_else(Vec::new, DrawnPool::plain);
        let unchecked = profile.is_some_and(|profile| !profile.game.has_predictor());
        let (holds, result) = result(&totals, unchecked);
        let mut reproduce: Vec<String> = cases.iter().filter_map(|case| case.reproduce.clone()).collect();
        reproduce.dedup();
        Self {
            title: format!("Verification of {}", profile.map_or("nothing", |profile| &profile.name)),
            result,
            holds,
            facts,
            counts: counts(&totals),
            checks: view.data.as_ref().map_or_else(Vec::new, |data| data.verdict.checks.clone()),
            cases,
            more: totals.mismatches.saturating_sub(listed as u64),
            pools,
            reproduce,
        }
    }

    /// Of one mismatch, from its file: `judged` is what came of the samples now.
    #[must_use]
    pub fn of_evidence(recording: &Recording, evidence: &Evidence, judged: &Judged, name: &str) -> Self {
        let header = recording.header();
        let again = judged.mismatches.iter().find(|(_, mismatch)| evidence.is_of(mismatch));
        let result = match again {
            Some(_) => "The mismatch comes again when the samples are judged anew".to_owned(),
            None => format!(
                "The mismatch does not come again when the samples are judged by version {}{}",
                env!("CARGO_PKG_VERSION"),
                judged.unread_told()
            ),
        };
        let mut facts = vec![
            ("Nextscope then", evidence.nextscope.clone()),
            ("Nextscope now", env!("CARGO_PKG_VERSION").to_owned()),
            ("Noticed", utc(evidence.unix_seconds)),
        ];
        facts.extend(header_facts(header));
        facts.extend(profile_facts(&judged.profile));
        let reach =
            if evidence.from_round_before { ", from the round before on" } else { ", as many as fit" };
        let length = recording.length().as_secs_f64();
        facts.push(("Samples", format!("{} in {length:.1} s{reach}", recording.len())));
        facts.extend(recording.damage_summary().map(|damage| ("Damage", damage)));
        let case = Case::of_recording(recording, evidence, &judged.profile, name);
        Self {
            title: format!("{}: {}", evidence.mismatch.check.name(), judged.profile.name),
            result,
            holds: Some(false),
            facts,
            counts: counts(&judged.totals),
            checks: evidence.verdict.checks.clone(),
            reproduce: case.reproduce.iter().cloned().collect(),
            cases: vec![case],
            more: 0,
            pools: Vec::new(),
        }
    }

    /// As text.
    #[must_use]
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
    facts.extend(identity.build_id.clone().map(|id| ("Build-ID", id)));
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
        _ if unchecked => (None, NOTHING_FORETOLD.to_owned()),
        (0, 0) => (None, "Nothing could be verified: no round was seen".to_owned()),
        (0, _) => (Some(true), "Emulator and model agree".to_owned()),
        (1, _) => (Some(false), "1 mismatch between emulator and model".to_owned()),
        (count, _) => (Some(false), format!("{count} mismatches between emulator and model")),
    }
}

fn counts(totals: &Totals) -> Vec<(&'static str, u64)> {
    vec![
        ("Rounds", totals.rounds),
        ("Rounds reproduced exactly from one state", totals.rounds_verified),
        ("Pairs or pieces drawn as forecast", totals.pairs_verified),
        ("Pairs or pieces not seen", totals.pairs_unseen),
        ("Boards as foretold", totals.landings_verified),
        ("Frames", totals.frames),
        ("Frames missed", totals.frames_missed),
        ("Samples", totals.samples),
        ("Mismatches", totals.mismatches),
    ]
}

/// The word of a status.
fn word(status: Status) -> &'static str {
    match status {
        Status::Holds => "holds",
        Status::Mismatch => "MISMATCH",
        Status::NotVerified => "not verified",
        Status::Nothing => "nothing to check",
    }
}

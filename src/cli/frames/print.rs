//! Prints measured durations.

use super::write::Written;
use crate::cli::arguments::Global;
use crate::cli::output;
use crate::frames::{Certainty, Estimate, Part, SeenValue, Span};
use crate::json::Kind;
use crate::live::MeasuredDurations;
use crate::profile::FrameStatus;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Measured<'a> {
    profile: &'a str,
    game: &'a str,
    player: usize,
    recording: Option<String>,
    pairs: u64,
    pairs_untimed: u64,
    frames: u64,
    frames_missed: u64,
    jumps: u64,
    parts: Vec<PartRow>,
    missing: Vec<Missing<'a>>,
    written: Option<WrittenRow<'a>>,
}

#[derive(Serialize)]
struct PartRow {
    part: &'static str,
    rows: Option<usize>,
    frames: Option<u32>,
    certainty: &'static str,
    possible: Option<Bounds>,
    possible_within_a_frame: Option<Bounds>,
    values: Vec<ValueRow>,
}

#[derive(Serialize)]
struct Bounds {
    least: u32,
    /// None without an upper limit.
    most: Option<u32>,
}

#[derive(Serialize)]
struct ValueRow {
    #[serde(flatten)]
    frames: Bounds,
    count: u32,
    at: Vec<u64>,
}

#[derive(Serialize)]
struct Missing<'a> {
    fields: &'a str,
    parts: &'a str,
}

#[derive(Serialize)]
struct WrittenRow<'a> {
    file: &'a str,
    refused: Option<&'a str>,
    status: Option<&'static str>,
    keys: &'a [&'static str],
    as_before: &'a [String],
}

impl From<Span> for Bounds {
    fn from(span: Span) -> Self {
        Self { least: span.least, most: Some(span.most).filter(|most| *most != u32::MAX) }
    }
}

impl PartRow {
    fn of((part, estimate): &(Part, Estimate)) -> Self {
        let (key, rows) = part.key();
        let value = |seen: &SeenValue| ValueRow {
            frames: seen.frames.into(),
            count: seen.count,
            at: seen.at.clone(),
        };
        Self {
            part: key,
            rows,
            frames: estimate.value(),
            certainty: id(estimate.certainty),
            possible: estimate.possible.map(Into::into),
            possible_within_a_frame: estimate.possible_within_a_frame.map(Into::into),
            values: estimate.seen.iter().map(value).collect(),
        }
    }
}

fn id(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Exact => "exact",
        Certainty::Few => "few",
        Certainty::WithinAFrame => "within-a-frame",
        Certainty::AtMost => "at-most",
        Certainty::Between => "between",
        Certainty::Contradiction => "contradiction",
        Certainty::NotSeen => "not-seen",
        Certainty::Needs(_) => "needs-another-part",
    }
}

/// `recording` is where the evidence is.
pub fn print(
    global: &Global,
    measured: &MeasuredDurations,
    recording: Option<&Path>,
    written: Option<&Written>,
) -> anyhow::Result<()> {
    if global.json {
        let missing = measured.missing.iter();
        return output::object(
            Kind::FramesMeasure,
            Measured {
                profile: &measured.profile.id,
                game: measured.profile.game.id(),
                player: measured.player,
                recording: recording.map(|path| path.display().to_string()),
                pairs: measured.pairs,
                pairs_untimed: measured.pairs_untimed,
                frames: measured.frames,
                frames_missed: measured.frames_missed,
                jumps: measured.jumps,
                parts: measured.times.iter().map(PartRow::of).collect(),
                missing: missing.map(|one| Missing { fields: &one.fields, parts: one.parts }).collect(),
                written: written.map(|written| WrittenRow {
                    file: &written.path,
                    refused: written.refused.as_deref(),
                    status: written.status.map(FrameStatus::id),
                    keys: &written.keys,
                    as_before: &written.as_before,
                }),
            },
        );
    }
    output::line(format!("{}, player {}", measured.profile.name, measured.player))?;
    output::line(measured.extent())?;
    output::table(
        &["part", "frames", "certainty", "seen", "first at frame"],
        measured.times.iter().map(row),
    )?;
    for missing in &measured.missing {
        output::line(missing)?;
    }
    if let Some(path) = recording {
        output::line(format!("Evidence: {}", path.display()))?;
    }
    match written {
        None => Ok(()),
        Some(Written { path, refused: Some(why), .. }) => {
            output::line(format!("{path} is not written: {why}"))
        }
        Some(Written { path, status, keys, as_before, .. }) => {
            let id = status.map_or("", FrameStatus::id);
            output::line(format!("Wrote {} into [frames] of {path}, which is now `{id}`", keys.join(", ")))?;
            if !as_before.is_empty() {
                let rows = as_before.join("; ");
                return output::line(format!(
                    "Not measured, and as before: {rows}. Measure more, or shorten these lists with --only-measured"
                ));
            }
            match status {
                Some(FrameStatus::PartlyConfirmed) => {
                    output::line("Some of its numbers were not measured: measure more")
                }
                _ => Ok(()),
            }
        }
    }
}

fn row((part, estimate): &(Part, Estimate)) -> Vec<String> {
    vec![
        part.label(),
        estimate.frames_text(),
        estimate.certainty.to_string(),
        estimate.seen_text(),
        estimate.first_seen_text(),
    ]
}

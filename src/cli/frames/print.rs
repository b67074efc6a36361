//! Prints measured durations.

use super::collect::Collected;
use super::write::Written;
use crate::cli::arguments::Global;
use crate::cli::output;
use crate::frames::{Certainty, Estimate, Part, SeenValue, Span};
use crate::json::Kind;
use crate::profile::FrameStatus;
use crate::text::counted;
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
    collected: &Collected,
    recording: Option<&Path>,
    written: Option<&Written>,
) -> anyhow::Result<()> {
    if global.json {
        let missing = collected.missing.iter();
        let (pairs, pairs_untimed) = collected.pairs;
        return output::object(
            Kind::FramesMeasure,
            Measured {
                profile: &collected.profile.id,
                game: collected.profile.game.id(),
                player: collected.player,
                recording: recording.map(|path| path.display().to_string()),
                pairs,
                pairs_untimed,
                frames: collected.frames,
                frames_missed: collected.frames_missed,
                jumps: collected.jumps,
                parts: collected.times.iter().map(PartRow::of).collect(),
                missing: missing.map(|one| Missing { fields: &one.fields, parts: one.parts }).collect(),
                written: written.map(|written| WrittenRow {
                    file: &written.path,
                    refused: written.refused.as_deref(),
                    status: written.status.map(FrameStatus::id),
                    keys: &written.keys,
                }),
            },
        );
    }
    output::line(format!("{}, player {}", collected.profile.name, collected.player))?;
    let (pairs, untimed) = collected.pairs;
    output::line(format!(
        "{}, {untimed} of them not timed; {}, {} missed",
        counted(pairs, "pair"),
        counted(collected.frames, "frame"),
        collected.frames_missed
    ))?;
    output::table(
        &["part", "frames", "certainty", "seen", "first at frame"],
        collected.times.iter().map(row),
    )?;
    for missing in &collected.missing {
        output::line(format!("Not measured: {}. The profile lacks {}", missing.parts, missing.fields))?;
    }
    if let Some(path) = recording {
        output::line(format!("Evidence: {}", path.display()))?;
    }
    match written {
        None => Ok(()),
        Some(Written { path, refused: Some(why), .. }) => {
            output::line(format!("{path} is not written: {why}"))
        }
        Some(Written { path, status, keys, .. }) => {
            let id = status.map_or("", FrameStatus::id);
            output::line(format!("Wrote {} into [frames] of {path}, which is now `{id}`", keys.join(", ")))?;
            match status {
                Some(FrameStatus::PartlyConfirmed) => output::line(
                    "Some of its numbers were not measured: measure more, or shorten its lists with --only-measured",
                ),
                _ => Ok(()),
            }
        }
    }
}

fn row((part, estimate): &(Part, Estimate)) -> Vec<String> {
    let (key, rows) = part.key();
    let name = match rows {
        None => key.to_owned(),
        Some(1) => format!("{key}, 1 row"),
        Some(rows) => format!("{key}, {rows} rows"),
    };
    let possible = || estimate.possible.map_or("?".to_owned(), |possible| possible.to_string());
    let frames = estimate.value().map_or_else(possible, |frames| frames.to_string());
    let certainty = match estimate.certainty {
        Certainty::Exact => "exact".to_owned(),
        Certainty::Few => "few".to_owned(),
        Certainty::WithinAFrame => "within a frame".to_owned(),
        Certainty::AtMost => "at most".to_owned(),
        Certainty::Between => "between".to_owned(),
        Certainty::Contradiction => "contradiction".to_owned(),
        Certainty::NotSeen => "not seen".to_owned(),
        Certainty::Needs(part) => format!("needs {}", part.key().0),
    };
    let seen = estimate.seen.iter().map(|seen| match estimate.seen.as_slice() {
        [_] => format!("{}×", seen.count),
        _ => format!("{}: {}×", seen.frames, seen.count),
    });
    let at = estimate.seen.iter().filter_map(|seen| seen.at.first()).map(u64::to_string);
    vec![name, frames, certainty, seen.collect::<Vec<_>>().join("; "), at.collect::<Vec<_>>().join("; ")]
}

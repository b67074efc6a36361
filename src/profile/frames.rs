//! `[frames]`: how long things take in a game, for the planner of routes.

use super::diagnostic::{Code, Diagnostic};
use super::model::Status;
use super::reader::{Findings, Need, TableReader};
use serde::Serialize;
use std::ops::RangeInclusive;

/// Ten minutes: nothing in these games takes longer.
pub(super) const FRAMES_MOST: u32 = 36_000;
/// As many as a board has rows.
pub(super) const ROWS_MOST: usize = 14;

/// A length of time and where it comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Timed<T> {
    /// In frames.
    pub frames: T,
    /// A routine of the disassembly, a document, a measurement; or that it is an estimate.
    pub source: String,
}

/// How many frames things take. Lists have one entry for each number of rows, from 0 on; the last one stands for more as well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FrameTimes {
    /// How far the numbers as a whole have been checked on the running game.
    pub status: Status,
    /// What a user should know about them.
    pub note: Option<String>,
    /// A button is held so long for one step sideways or one turn, 1 or more.
    pub press: Timed<u32>,
    /// And let go so long before the next press, 1 or more.
    pub release: Timed<u32>,
    /// A pair falls one row in so many while Down is held, 1 or more.
    pub fall: Timed<u32>,
    /// From the frame in which a pair rests until its puyos are part of the board.
    pub lock: Timed<u32>,
    /// What is added when one puyo of the pair falls so many rows further than the other.
    pub split: Timed<Vec<u32>>,
    /// A step of a chain, after which things fall so many rows.
    pub chain: Timed<Vec<u32>>,
    /// From then on until the next pair can be moved.
    pub next: Timed<u32>,
}

/// The table, when the profile has one and nothing is wrong with it.
pub(super) fn frames(root: &mut TableReader<'_, '_>, f: &mut Findings<'_>) -> Option<FrameTimes> {
    let (table, span) = root.table("frames", f)?;
    let mut reader = TableReader::new(table, span, "the frame table");
    let statuses = Status::ALL.map(|status| (status.id(), status));
    let status = reader.choice("status", "status", &statuses, f);
    let note = super::sections::optional(&mut reader, "note", f);
    let press = one(&mut reader, "press", 1..=FRAMES_MOST, f);
    let release = one(&mut reader, "release", 1..=FRAMES_MOST, f);
    let fall = one(&mut reader, "fall", 1..=FRAMES_MOST, f);
    let lock = one(&mut reader, "lock", 0..=FRAMES_MOST, f);
    let split = list(&mut reader, "split", f);
    let chain = list(&mut reader, "chain", f);
    let next = one(&mut reader, "next", 0..=FRAMES_MOST, f);
    reader.finish(f);
    Some(FrameTimes {
        status: status?.value,
        note,
        press: press?,
        release: release?,
        fall: fall?,
        lock: lock?,
        split: split?,
        chain: chain?,
        next: next?,
    })
}

fn one(
    reader: &mut TableReader<'_, '_>,
    key: &'static str,
    range: RangeInclusive<u32>,
    f: &mut Findings<'_>,
) -> Option<Timed<u32>> {
    timed(reader, key, f, |reader, f| Some(reader.unsigned("frames", Need::Required, range, f)?.value))
}

fn list(
    reader: &mut TableReader<'_, '_>,
    key: &'static str,
    f: &mut Findings<'_>,
) -> Option<Timed<Vec<u32>>> {
    timed(reader, key, f, |reader, f| {
        let numbers = reader.numbers("frames", 0..=FRAMES_MOST, f)?;
        if !(1..=ROWS_MOST).contains(&numbers.value.len()) {
            let text = format!("`frames` of {} has {} numbers", reader.what, numbers.value.len());
            f.push(
                Diagnostic::error(Code::WrongSize, numbers.span, text)
                    .help(format!("it may have 1 to {ROWS_MOST}: one for each number of rows, from 0 on")),
            );
            return None;
        }
        Some(numbers.value)
    })
}

fn timed<T>(
    reader: &mut TableReader<'_, '_>,
    key: &'static str,
    f: &mut Findings<'_>,
    read: impl FnOnce(&mut TableReader<'_, '_>, &mut Findings<'_>) -> Option<T>,
) -> Option<Timed<T>> {
    let Some((table, span)) = reader.table(key, f) else {
        if !reader.has(key) {
            let text = format!("{} has no `{key}`", reader.what);
            f.push(
                Diagnostic::error(Code::MissingKey, reader.span.clone(), text)
                    .help(format!("write {key} = {{ frames = NUMBER, source = \"...\" }}")),
            );
        }
        return None;
    };
    let mut entry = TableReader::new(table, span, format!("`{key}` of the frame table"));
    let frames = read(&mut entry, f);
    let source = entry.string("source", Need::Required, f).map(|source| source.value.to_owned());
    entry.finish(f);
    Some(Timed { frames: frames?, source: source? })
}

//! From measured durations to the keys of `[frames]`, and from a profile's `[frames]` to what a part must take.

use super::estimate::Estimate;
use super::measurement::Times;
use super::part::Part;
use crate::profile::{FrameStatus, FrameTimes, NewFrames, NewTime, Timed};

/// A key, its part, whether a table needs it, and its number in a table.
type Single = (&'static str, Part, bool, fn(&FrameTimes) -> Option<u32>);

/// The keys without rows.
const SINGLE: [Single; 7] = [
    ("press", Part::Press, true, |table| Some(table.press.frames.get())),
    ("release", Part::Release, true, |table| Some(table.release.frames.get())),
    ("fall", Part::Fall, true, |table| Some(table.fall.frames.get())),
    ("lock", Part::Lock(0), true, |table| Some(table.lock.frames)),
    ("next", Part::Next, true, |table| Some(table.next.frames)),
    ("fall_without_down", Part::FallWithoutDown, false, |table| {
        table.fall_without_down.as_ref().map(|time| time.frames.get())
    }),
    ("all_clear", Part::AllClear, false, |table| table.all_clear.as_ref().map(|time| time.frames)),
];

/// A key, its part by rows, whether a table needs it, and its list in a table.
type List = (&'static str, fn(usize) -> Part, bool, fn(&FrameTimes) -> Option<&Timed<Vec<u32>>>);

/// The keys with rows.
const LISTS: [List; 3] = [
    ("split", Part::Lock, true, |table| Some(&table.split)),
    ("chain", Part::Chain, true, |table| Some(&table.chain)),
    ("garbage", Part::Garbage, false, |table| table.garbage.as_ref()),
];

impl Part {
    /// The key of `[frames]`, and the number of rows for a list. `Lock(0)` is the key `lock`.
    pub fn key(self) -> (&'static str, Option<usize>) {
        match self {
            Self::Press => ("press", None),
            Self::Release => ("release", None),
            Self::Fall => ("fall", None),
            Self::FallWithoutDown => ("fall_without_down", None),
            Self::Lock(0) => ("lock", None),
            Self::Lock(rows) => ("split", Some(rows)),
            Self::Chain(rows) | Self::OnlyChain(rows) => ("chain", Some(rows)),
            Self::Next => ("next", None),
            Self::AllClear => ("all_clear", None),
            Self::Garbage(rows) => ("garbage", Some(rows)),
        }
    }
}

/// How a table is made from measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TableOptions {
    /// Whether the most frequent value is taken where values contradict each other, or were seen too rarely.
    pub most_frequent: bool,
    /// Whether the entries of lists that were not measured are left out, with all after them.
    pub only_measured: bool,
}

/// Why there is no table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a table needs {missing}, which the profile does not have yet and which this measurement does not give"
)]
pub struct IncompleteTable {
    /// The keys.
    pub missing: String,
}

/// The keys that were measured, to be written into the profile that has `old`. Its other numbers stay; the table is `measured` only if none
/// does. The player, from 1, is the one whose pairs were measured; `name` is the recording, for the sources.
///
/// # Errors
/// If a required key was not measured and is not in the old table.
pub fn table(
    times: &Times,
    old: Option<&FrameTimes>,
    options: TableOptions,
    player: usize,
    name: &str,
) -> Result<NewFrames, IncompleteTable> {
    let (mut written, mut missing, mut complete) = (Vec::new(), Vec::new(), true);
    // Whether the old table has no other number where one was measured.
    let mut agrees = true;
    let estimate = |part: Part| times.iter().find(|(known, _)| *known == part).map(|(_, estimate)| estimate);
    let value = |part| value(estimate(part)?, options);
    for (key, part, required, number) in SINGLE {
        // No button is held and no row fallen in no time at all.
        let least = u32::from(!matches!(part, Part::Lock(_) | Part::Next | Part::AllClear));
        let measured = value(part).filter(|(frames, _)| *frames >= least);
        match measured {
            Some((frames, how)) => {
                agrees &= old.and_then(number).is_none_or(|before| before == frames);
                let source = format!("nextscope frames measure, {name}, player {player}: {how}");
                let unmeasured_rows = Vec::new();
                written.push(NewTime { key, frames: vec![frames], is_list: false, unmeasured_rows, source });
            }
            None if required && old.is_none() => missing.push(key),
            None => complete &= !required,
        }
    }
    for (key, part, required, list) in LISTS {
        let before = old.and_then(list);
        // No puyo falls further than the other: that is `lock`.
        let measured =
            |rows| if key == "split" && rows == 0 { Some((0, "none".into())) } else { value(part(rows)) };
        let (mut frames, mut sources, mut unmeasured) = (Vec::new(), Vec::new(), Vec::new());
        for rows in 0..nextscope_boards::puyo::ROWS {
            let earlier =
                before.filter(|_| !options.only_measured).and_then(|before| before.frames.get(rows));
            match (measured(rows), earlier) {
                (Some((number, how)), _) => {
                    frames.push(number);
                    sources.push(format!("{rows} rows {how}"));
                }
                (None, Some(number)) => {
                    frames.push(*number);
                    unmeasured.push(rows);
                }
                (None, None) => break,
            }
        }
        let only_implied = key == "split" && sources.len() < 2;
        if sources.is_empty() || only_implied && before.is_some() {
            match (required, before) {
                (true, None) => missing.push(key),
                _ => complete &= !required,
            }
            continue;
        }
        complete &= unmeasured.is_empty();
        let mut source = format!("nextscope frames measure, {name}, player {player}: {}", sources.join(", "));
        if let (false, Some(before)) = (unmeasured.is_empty(), before) {
            source += &format!("; not measured, as before: {} ({})", rows_text(&unmeasured), before.source);
        }
        agrees &= before.is_none_or(|before| before.frames.iter().zip(&frames).all(|(old, new)| old == new));
        written.push(NewTime { key, frames, is_list: true, unmeasured_rows: unmeasured, source });
    }
    if !missing.is_empty() {
        return Err(IncompleteTable { missing: missing.join(", ") });
    }
    let before = old.map_or(FrameStatus::Unconfirmed, |old| old.status);
    let status = match (complete, before) {
        (true, _) => FrameStatus::Measured,
        (false, _) if written.is_empty() => before,
        (false, _) => FrameStatus::PartlyConfirmed,
    };
    // Where the other player's pairs took as long, the table is that of both.
    let same = old.filter(|old| agrees && complete && old.status.is_from_the_game());
    let is_of_both =
        same.is_some_and(|old| old.player.is_none_or(|before| usize::from(before.get()) != player));
    let player = (!is_of_both).then_some(player);
    Ok(NewFrames { status, player, times: written })
}

/// Numbers of rows: "0, 3 to 12 rows".
pub fn rows_text(rows: &[usize]) -> String {
    let spans = rows.chunk_by(|one, next| one + 1 == *next).map(|span| match span {
        [first, _, .., last] => format!("{first} to {last}"),
        span => span.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    });
    let text = spans.collect::<Vec<_>>().join(", ");
    if rows == [1] { format!("{text} row") } else { format!("{text} rows") }
}

/// A measured value, and how often it was seen.
fn value(estimate: &Estimate, options: TableOptions) -> Option<(u32, String)> {
    let times = |count: u32| if count == 1 { "1 time".to_owned() } else { format!("{count} times") };
    if let Some(frames) = estimate.value() {
        return Some((frames, times(estimate.count())));
    }
    let frames = estimate.most_frequent().filter(|_| options.most_frequent)?;
    let values = estimate.seen.iter().map(|seen| format!("{} {}", seen.frames, times(seen.count)));
    Some((frames, format!("most frequent of {}", values.collect::<Vec<_>>().join(", "))))
}

/// What a [`PartTime`](super::PartTime) of this part must take by a table; None if the table does not say, and for what depends on more
/// than the part: how fast a player is, and the speed of the game.
pub(super) fn expected(table: &FrameTimes, part: Part) -> Option<u32> {
    let next = table.next.frames;
    let list = |list: &[u32], rows: usize| list.get(rows).copied();
    match part {
        Part::Press | Part::Release | Part::FallWithoutDown => None,
        Part::Fall => Some(table.fall.frames.get()),
        Part::Lock(rows) => Some(table.lock.frames + list(&table.split.frames, rows)?),
        Part::OnlyChain(rows) => Some(list(&table.chain.frames, rows)? + next),
        Part::Chain(rows) => list(&table.chain.frames, rows),
        Part::Next => Some(next),
        Part::AllClear => Some(list(&table.chain.frames, 0)? + next + table.all_clear.as_ref()?.frames),
        Part::Garbage(rows) => Some(next + list(&table.garbage.as_ref()?.frames, rows)?),
    }
}

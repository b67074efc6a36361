//! A route under attack, in text and JSON.

use crate::route::{Attack, Outlook, Route, StepGarbage};
use crate::text::counted;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The JSON of `--garbage`. Ranges are the least and the most in the sets of columns in which the route survives.
#[derive(Serialize)]
pub struct ListedOutlook {
    attacks: Vec<Attack>,
    /// Whether the route reaches the goal for all columns.
    guaranteed: bool,
    /// Combinations of columns that were played.
    sets: u64,
    survived: u64,
    reached: u64,
    /// Whether these are all combinations.
    exhaustive: bool,
    chain: [u32; 2],
    score: [u32; 2],
    garbage: [u32; 2],
    frames: Option<[u32; 2]>,
}

impl ListedOutlook {
    pub fn of(route: &Route) -> Option<Self> {
        let outlook = route.outlook.as_ref()?;
        let ends = |range: &RangeInclusive<u32>| [*range.start(), *range.end()];
        Some(Self {
            attacks: route.attacks.clone(),
            guaranteed: outlook.is_guaranteed(),
            sets: outlook.sets,
            survived: outlook.survived,
            reached: outlook.reached,
            exhaustive: outlook.exhaustive,
            chain: ends(&outlook.chain),
            score: ends(&outlook.score),
            garbage: ends(&outlook.garbage),
            frames: outlook.frames.as_ref().map(ends),
        })
    }
}

/// How far the result depends on the columns of garbage.
pub fn lines(route: &Route) -> String {
    let Some(outlook) = route.outlook.as_ref().filter(|_| !route.attacks.is_empty()) else {
        return String::new();
    };
    let Outlook { sets, survived, reached, exhaustive, .. } = outlook;
    let mut text = if outlook.is_guaranteed() && *sets == 1 {
        "Guaranteed: no garbage falls into drawn columns.\n".to_owned()
    } else if outlook.is_guaranteed() {
        format!("Guaranteed for all {sets} sets of columns that the game may draw for garbage.\n")
    } else {
        let of = if *exhaustive { "sets of columns" } else { "sampled sets of columns (there are more)" };
        format!(
            "Reaches the goal for {reached} of {sets} {of} that the game may draw for garbage; alive for {survived}.\n"
        )
    };
    let ranges = [
        ("chain", &outlook.chain),
        ("points", &outlook.score),
        ("garbage for the opponent", &outlook.garbage),
    ];
    for (name, range) in ranges {
        if range.start() != range.end() {
            text += &format!("Depending on the columns: {name} {} to {}.\n", range.start(), range.end());
        }
    }
    text
}

/// What happens to garbage in a step, and which columns are an example.
pub fn step_text(garbage: StepGarbage) -> String {
    let StepGarbage { arrived, offset, sent, fell, drawn, waiting } = garbage;
    let mut parts = Vec::new();
    let mut add = |count: u32, what: &str| {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    };
    add(arrived, "arrive");
    add(offset, "offset");
    add(sent, "sent");
    add(fell, "fall");
    add(if fell > 0 { drawn } else { 0 }, "of them in drawn columns");
    add(waiting, "wait");
    parts.join(", ")
}

/// Whether the frames of a route are without those of falling garbage.
pub fn frames_note(route: &Route, complete: Option<bool>) -> String {
    if complete == Some(true) {
        return String::new();
    }
    let falls = route.steps.iter().filter(|step| step.garbage.fell > 0).count() as u64;
    if falls == 0 {
        String::new()
    } else {
        format!(", without the time of {} of garbage", counted(falls, "fall"))
    }
}

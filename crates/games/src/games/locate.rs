//! What a game states of the addresses that differ between its builds, for `profile locate`.

use crate::live::{Observation, Prediction};
use crate::profile::{FieldKind, NewField};
use nextscope_memory::console::ConsoleAddr;
use serde_json::Value;

/// How the addresses are located: by the game's tracker, which finds fields by their content.
#[derive(Debug, Clone, Copy)]
pub struct LocateRules {
    /// The report of a sample; of None, that nothing was found.
    pub report: fn(Option<(&Observation, &Prediction)>) -> LocateReport,
    /// Shown when nothing was found.
    pub nothing_found: &'static str,
}

/// What was located.
#[derive(Debug, Clone)]
pub struct LocateReport {
    /// Whether the addresses were found that the predictions need.
    pub found: bool,
    /// Whether those that only a running game shows were found, too.
    pub complete: bool,
    /// The fields found, for a profile.
    pub fields: Vec<NewField>,
    /// Names of fields, with address and value.
    pub rows: Vec<(&'static str, Option<String>, Option<String>)>,
    /// The prediction, as text.
    pub lines: Vec<String>,
    /// The same as keys and values.
    pub json: Vec<(&'static str, Value)>,
}

pub(crate) fn located_field(
    name: &str,
    address: ConsoleAddr,
    kind: FieldKind,
    note: impl Into<String>,
) -> NewField {
    NewField {
        name: name.to_owned(),
        address,
        kind,
        source: "found by content in a running game (nextscope profile locate)".to_owned(),
        note: Some(note.into()),
        confirmed: false,
    }
}

//! What both kinds of declared games show alike.

use crate::games::declared::Deals;
use crate::text::counted;
use serde::Serialize;

/// The values of a declared game in JSON.
#[derive(Serialize, Default)]
pub(super) struct Details {
    /// The generator's state.
    pub state: Option<String>,
    pub dealt: Option<u64>,
    /// How many of the coming ones are in RAM.
    pub listed: Option<u64>,
    /// The deal after the certain ones, if it is drawn in each of the coming frames.
    pub if_drawn_in: Option<Vec<String>>,
    /// The same, after 0, 1 and more other calls of the generator.
    pub after_calls: Option<Vec<String>>,
}

/// How many were dealt, as a sentence.
pub(super) fn position(deals: Deals, dealt: u64, joined_late: bool) -> String {
    let dealt = counted(dealt, deals.unit());
    if joined_late { format!("{dealt} since the first sample") } else { format!("{dealt} dealt") }
}

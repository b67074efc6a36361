//! From the state just after a generation back to the states before it, at once.

use super::query::Query;
use crate::game::puyo_tsu::{State, generate, states_before};

/// Paths walked at the same time at most; some hundreds are usual.
const PATHS_AT_MOST: usize = 1 << 20;

/// All states from which a generation ends in `after` and shows what the query asks, ascending; empty when there is none,
/// which says that `after` is not the state just after this generation.
#[must_use]
pub fn walk_back(after: State, query: &Query) -> Vec<State> {
    let setup = query.setup();
    let mut states = states_before(after, setup, PATHS_AT_MOST).unwrap_or_default();
    states.retain(|state| query.fits(&generate(*state, setup)));
    states
}

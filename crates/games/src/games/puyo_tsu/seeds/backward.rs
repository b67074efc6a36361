//! From the state just after a generation directly back to the states before it.

use crate::games::puyo_tsu::seeds::query::Query;
use crate::games::puyo_tsu::{State, generate, states_before};

/// The most paths walked at the same time; some hundreds are usual.
const MAX_PATHS: usize = 1 << 20;

/// All states from which a generation ends in `after` and matches the query, ascending. Empty if there is none,
/// which means that `after` is not the state just after this generation.
pub fn walk_back(after: State, query: &Query) -> Vec<State> {
    let setup = query.setup();
    let mut states = states_before(after, setup, MAX_PATHS).unwrap_or_default();
    states.retain(|state| query.fits(&generate(*state, setup)));
    states
}

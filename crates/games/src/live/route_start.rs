//! A player's live position as the start of a route.

use nextscope_boards::Pair;
use nextscope_boards::puyo::{Field, Rules};

/// A board and the pairs that will be placed on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStart {
    /// The board without the pair in play; after the chain, when one is in progress.
    pub field: Field,
    /// The rules of the board.
    pub rules: Rules,
    /// The pairs to place, starting with the one in play unless it has already landed.
    pub pairs: Vec<Pair>,
    /// Whether the first of them is in play. Otherwise the pair before it has landed, and its chain and garbage may still follow.
    pub in_play: bool,
    /// The number of the first pair in the round, from 0.
    pub pair_index: u32,
    /// Whether the emulator shows this board already: no chain is in progress.
    pub settled: bool,
}

//! Where a player stands, as the route planner begins from it.

use super::View;
use crate::game::puyo::Pair;
use crate::puyo::{Field, Rules};

/// A board, and the pairs that will come down on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteStart {
    /// The board without the pair in play: as it stands, or as the chain that goes off will leave it.
    pub field: Field,
    /// The rules that hold for it.
    pub rules: Rules,
    /// The pairs that are to be placed: the one in play first, unless it has come down already.
    pub pairs: Vec<Pair>,
    /// The number of the first of them in the round, from 0.
    pub pair_index: u32,
    /// Whether the board stands like that already.
    pub settled: bool,
}

/// Where a player (0 or 1) stands; None for a game whose boards are not known, or whose groups are of a size that is not
/// modelled. Whether that is so now is for the caller to say: a view keeps the newest data while the connection is lost.
#[must_use]
pub fn route_start(view: &View, player: usize) -> Option<RouteStart> {
    view.data.as_ref()?.prediction.as_ref()?.route_start(player)
}
